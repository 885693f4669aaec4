"""Says what a history shows: what moved, between which studies, and what limits it."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse import CellHistory, HistoryChange, Measure, change_words, listed, place_words, supported
from dbdyno.core import Caveat, Cell, counted
from dbdyno.report._altered import altered_caveats
from dbdyno.report._format import clock_time, figure, milliseconds
from dbdyno.report.history._gather import History, StudyAt

FEW_STUDIES = 6
_FEWEST_STUDIES = 3
_MOST_TELLING = 10.0
"""A change that many times as large is no bound worth printing."""
MEASURE_WORDS = {"tps": "throughput", "p50": "median", "p95": "p95", "p99": "p99", "p999": "p99.9"}
_MOST_CHANGED = 3


def cell_words(history: History, cell: Cell) -> str:
    """Return a cell in words; what is the same everywhere is left out."""
    cells = [cell_history.cell for cell_histories in history.cells.values() for cell_history in cell_histories]
    places = [
        (listed_cell.workload, listed_cell.route, listed_cell.tier_bytes, listed_cell.concurrency)
        for listed_cell in cells
    ]
    return f"{cell.target} at {place_words((cell.workload, cell.route, cell.tier_bytes, cell.concurrency), places)}"


def value_words(measure: Measure, value: float, low: float, high: float) -> str:
    """Return a value with the digits that its interval supports."""
    if measure != "tps":
        return milliseconds(value)
    half_width = min((high - low) / 2, value / 4)  # of repeats that disagree the interval is wider than the value
    return f"{supported(value, half_width if half_width > 0 else 0.01 * value)} TPS"


def level_words(move: HistoryChange) -> str:
    """Return the level before and after."""
    half_width = (move.level.high - move.level.low) / 2
    levels = [
        (value, value * (1 - half_width), value * (1 + half_width)) for value in (move.level.before, move.level.after)
    ]
    return " to ".join(value_words(move.measure, *end) for end in levels)


def move_words(move: HistoryChange) -> str:
    """Return size and interval."""
    return change_words(move.level.ratio, move.level.low, move.level.high)


def between_words(history: History, move: HistoryChange) -> str:
    """Say from which study to which, with versions where they differ or order the history."""
    return "between {} and {}".format(*end_words(history, move))


def end_words(history: History, move: HistoryChange) -> list[str]:
    """Return the last study of the old level and the first of the new one."""
    end_texts = []
    for point in (move.before, move.after):
        label, version = history.studies[point.study].label, point.version
        if history.order == "version" and version:
            end_texts.append(f"{version} ({label})")
        elif version and move.before.version != move.after.version:
            end_texts.append(f"{label} ({version})")
        else:
            end_texts.append(label)
    return end_texts


def changed_words(history: History, move: HistoryChange) -> str:
    """Return what is recorded to have changed there, builds first."""
    rows = sorted(history.changed_at(move), key=lambda row: not row.is_build)
    if not rows:
        return "no recorded change"
    row_words = [f"{row.what} {row.base} -> {row.new}" for row in rows[:_MOST_CHANGED]]
    rest_words = f" and {len(rows) - _MOST_CHANGED:,} more"
    return "; ".join(row_words) + (rest_words if len(rows) > _MOST_CHANGED else "")


def headline(history: History, measure: Measure) -> str:
    """Return the finding in a line."""
    cells = [cell for cell in history.cells[measure] if len(cell.points) > 1]
    moved_cells = [cell for cell in cells if any(move.is_finding for move in cell.moves)]
    words = MEASURE_WORDS[measure]
    alike_cells = [cell for cell in cells if cell.moves and cell not in moved_cells]
    if not moved_cells and alike_cells:
        return (
            f"The {words} of {len(alike_cells)} of {counted(len(cells), 'series', 'series')} moved, and so did "
            "unchanged targets"
        )
    if not moved_cells:
        return f"No change point in the {words} of {counted(len(cells), 'series', 'series')}"
    return f"The {words} of {len(moved_cells)} of {counted(len(cells), 'series', 'series')} moved"


def grouped_words(history: History, measure: Measure) -> list[str]:
    """Return a sentence for each line, place in the history and direction, those that touch most series first."""
    groups: dict[tuple[str, int, int, str], list[tuple[CellHistory, HistoryChange]]] = {}
    for cell, move in history.moves(measure):
        if move.is_finding:
            key = (cell.cell.target, move.before.study, move.after.study, move.outcome)
            groups.setdefault(key, []).append((cell, move))
    sorted_groups = sorted(groups.values(), key=lambda group: (not group[0][1].is_worse, -len(group)))
    return [_group_sentence(history, measure, group) for group in sorted_groups]


def _group_sentence(history: History, measure: Measure, group: Sequence[tuple[CellHistory, HistoryChange]]) -> str:
    cell, move = group[0]
    where = f"{between_words(history, move)}; {changed_words(history, move)}."
    if len(group) == 1:
        return f"{cell_words(history, cell.cell)}: {move_words(move)} {where}"
    line_cells = [
        line_cell
        for line_cell in history.cells[measure]
        if line_cell.cell.target == cell.cell.target and line_cell.points[1:]
    ]
    ratios = sorted(100 * (member_move.level.ratio - 1) for _, member_move in group)
    return (
        f"{cell.cell.target} became {move.outcome} in {len(group)} of its "
        f"{counted(len(line_cells), 'series', 'series')}, by {ratios[0]:+.1f} to {ratios[-1]:+.1f} %, {where}"
    )


def study_words(study: StudyAt) -> str:
    """Return a study with its day."""
    return f"{study.label}, {clock_time(study.at_ns)}"


def history_caveats(history: History, measure: Measure) -> list[Caveat]:
    """Return what weakens a history."""
    caveats = altered_caveats(*(study.side.results for study in history.studies))
    cells = [cell for cell in history.cells[measure] if len(cell.points) > 1]
    short_cells = [cell for cell in cells if len(cell.points) < FEW_STUDIES]
    if short_cells:
        text = (
            f"{counted(len(short_cells), 'series has', 'series have')} fewer than {FEW_STUDIES} studies: only large "
            "changes stand out from the spread between studies. To compare two studies by their repeats, use dbdyno "
            "diff."
        )
        caveats.append(Caveat("few-studies", text))
    caveats += _single_study_caveats(history, measure)
    machine = {line for _, move in history.moves(measure) for line in move.alike}
    if machine:
        text = (
            f"{listed(sorted(machine))} moved although unchanged, so the machine probably changed. Changes of other "
            "targets at the same time break no rule."
        )
        caveats.append(Caveat("machine-moved", text))
    lines = {cell.cell.target for cell in cells}
    if len(lines) == 1 and history.order == "date":
        text = (
            f"Only {lines.pop()} is in several studies, so a slower machine would look the same as a slower server. "
            "Keep an unchanged target in every study."
        )
        caveats.append(Caveat("no-unchanged-target", text))
    if history.order == "version":
        text = "Points are ordered by version, not by time, so a drift of the machine is not visible."
        caveats.append(Caveat("by-version", text))
    return caveats + _omitted_caveats(history)


def _single_study_caveats(history: History, measure: Measure) -> list[Caveat]:
    """Return a caveat on series that nothing follows, such as those of a target that was renamed."""
    single_cells = [cell for cell in history.cells[measure] if len(cell.points) == 1]
    if not single_cells:
        return []
    targets = listed(list(dict.fromkeys(cell.cell.target for cell in single_cells)))
    first, rest = ("series is", "has") if len(single_cells) == 1 else ("series are", "have")
    text = f"{len(single_cells)} {first} in one study only and {rest} no history yet ({targets})."
    return [Caveat("single-study", text)]


def _omitted_caveats(history: History) -> list[Caveat]:
    if not history.omitted:
        return []
    folders = sum(omission.cell is None for omission in history.omitted)
    cells = len(history.omitted) - folders
    counts: Sequence[str] = [
        *([counted(folders, "folder")] if folders else []),
        *([counted(cells, "cell") + " of studies"] if cells else []),
    ]
    return [
        Caveat(
            "left-out",
            f"{listed(counts)} excluded, because they could not be read, are copies or measured something else.",
        )
    ]


def is_telling(cell: CellHistory) -> bool:
    """Return whether there are studies enough to say which change the next one would show."""
    return len(cell.points) >= _FEWEST_STUDIES and cell.smallest < _MOST_TELLING


def smallest_words(cell: CellHistory) -> str:
    """Return what one more study would have to show."""
    return f"{figure(100 * (cell.smallest - 1), 2)} %" if is_telling(cell) else "too few studies"
