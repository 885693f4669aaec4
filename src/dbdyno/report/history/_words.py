"""Words a history: what moved, between which studies, and what limits it."""

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
    """A cell in words; what is the same everywhere is left out."""
    cells = [other.cell for found in history.cells.values() for other in found]
    places = [(other.workload, other.route, other.tier_bytes, other.concurrency) for other in cells]
    return f"{cell.target} at {place_words((cell.workload, cell.route, cell.tier_bytes, cell.concurrency), places)}"


def value_words(measure: Measure, value: float, low: float, high: float) -> str:
    """A value with the digits that its interval supports."""
    if measure != "tps":
        return milliseconds(value)
    half = min((high - low) / 2, value / 4)  # of repeats that disagree the interval is wider than the value
    return f"{supported(value, half if half > 0 else 0.01 * value)} TPS"


def level_words(move: HistoryChange) -> str:
    """The level before and after."""
    half = (move.level.high - move.level.low) / 2
    ends = [(value, value * (1 - half), value * (1 + half)) for value in (move.level.before, move.level.after)]
    return " to ".join(value_words(move.measure, *end) for end in ends)


def move_words(move: HistoryChange) -> str:
    """Size and interval."""
    return change_words(move.level.ratio, move.level.low, move.level.high)


def between_words(history: History, move: HistoryChange) -> str:
    """Say from which study to which, with versions where they differ or order the history."""
    return "between {} and {}".format(*end_words(history, move))


def end_words(history: History, move: HistoryChange) -> list[str]:
    """The last study of the old level and the first of the new one."""
    ends = []
    for point in (move.before, move.after):
        label, version = history.studies[point.study].label, point.version
        if history.order == "version" and version:
            ends.append(f"{version} ({label})")
        elif version and move.before.version != move.after.version:
            ends.append(f"{label} ({version})")
        else:
            ends.append(label)
    return ends


def changed_words(history: History, move: HistoryChange) -> str:
    """Return what is recorded to have changed there, builds first."""
    rows = sorted(history.changed_at(move), key=lambda row: not row.is_build)
    if not rows:
        return "no recorded change"
    shown = [f"{row.what} {row.base} -> {row.new}" for row in rows[:_MOST_CHANGED]]
    rest = f" and {len(rows) - _MOST_CHANGED:,} more"
    return "; ".join(shown) + (rest if len(rows) > _MOST_CHANGED else "")


def headline(history: History, measure: Measure) -> str:
    """The finding in a line."""
    cells = [cell for cell in history.cells[measure] if len(cell.points) > 1]
    moved = [cell for cell in cells if any(move.is_finding for move in cell.moves)]
    words = MEASURE_WORDS[measure]
    alike = [cell for cell in cells if cell.moves and cell not in moved]
    if not moved and alike:
        return (
            f"The {words} of {len(alike)} of {counted(len(cells), 'series', 'series')} moved, and so did unchanged "
            "targets"
        )
    if not moved:
        return f"No change point in the {words} of {counted(len(cells), 'series', 'series')}"
    return f"The {words} of {len(moved)} of {counted(len(cells), 'series', 'series')} moved"


def grouped_words(history: History, measure: Measure) -> list[str]:
    """A sentence for each line, place in the history and direction, those that touch most series first."""
    groups: dict[tuple[str, int, int, str], list[tuple[CellHistory, HistoryChange]]] = {}
    for cell, move in history.moves(measure):
        if move.is_finding:
            key = (cell.cell.target, move.before.study, move.after.study, move.outcome)
            groups.setdefault(key, []).append((cell, move))
    ordered = sorted(groups.values(), key=lambda own: (not own[0][1].is_worse, -len(own)))
    return [_group_sentence(history, measure, own) for own in ordered]


def _group_sentence(history: History, measure: Measure, own: Sequence[tuple[CellHistory, HistoryChange]]) -> str:
    cell, move = own[0]
    where = f"{between_words(history, move)}; {changed_words(history, move)}."
    if len(own) == 1:
        return f"{cell_words(history, cell.cell)}: {move_words(move)} {where}"
    alike = [other for other in history.cells[measure] if other.cell.target == cell.cell.target and other.points[1:]]
    ratios = sorted(100 * (other.level.ratio - 1) for _, other in own)
    return (
        f"{cell.cell.target} became {move.outcome} in {len(own)} of its {counted(len(alike), 'series', 'series')}, by "
        f"{ratios[0]:+.1f} to {ratios[-1]:+.1f} %, {where}"
    )


def study_words(study: StudyAt) -> str:
    """A study with its day."""
    return f"{study.label}, {clock_time(study.at_ns)}"


def history_caveats(history: History, measure: Measure) -> list[Caveat]:
    """Return what weakens a history."""
    found = altered_caveats(*(study.side.results for study in history.studies))
    cells = [cell for cell in history.cells[measure] if len(cell.points) > 1]
    short = [cell for cell in cells if len(cell.points) < FEW_STUDIES]
    if short:
        text = (
            f"{counted(len(short), 'series has', 'series have')} fewer than {FEW_STUDIES} studies: only large "
            "changes stand out from the spread between studies. To compare two studies by their repeats, use dbdyno "
            "diff."
        )
        found.append(Caveat("few-studies", text))
    machine = {line for _, move in history.moves(measure) for line in move.alike}
    if machine:
        text = (
            f"{listed(sorted(machine))} moved although unchanged, so the machine probably changed. Changes of other "
            "targets at the same time break no rule."
        )
        found.append(Caveat("machine-moved", text))
    if len({cell.cell.target for cell in cells}) == 1 and history.order == "date":
        text = (
            "All series are of one release line, so a slower machine would look the same as a slower server. Keep an "
            "unchanged target in every study."
        )
        found.append(Caveat("no-unchanged-target", text))
    if history.order == "version":
        text = "Points are ordered by version, not by time, so a drift of the machine is not visible."
        found.append(Caveat("by-version", text))
    return found + _omitted(history)


def _omitted(history: History) -> list[Caveat]:
    if not history.omitted:
        return []
    folders = sum(left.cell is None for left in history.omitted)
    cells = len(history.omitted) - folders
    counts: Sequence[str] = [
        *([counted(folders, "folder")] if folders else []),
        *([counted(cells, "cell") + " of studies"] if cells else []),
    ]
    return [
        Caveat("left-out", f"{listed(counts)} excluded, because they could not be read or measured something else.")
    ]


def is_telling(cell: CellHistory) -> bool:
    """Return whether there are studies enough to say which change the next one would show."""
    return len(cell.points) >= _FEWEST_STUDIES and cell.smallest < _MOST_TELLING


def smallest_words(cell: CellHistory) -> str:
    """Return what one more study would have to show."""
    return f"{figure(100 * (cell.smallest - 1), 2)} %" if is_telling(cell) else "too few studies"
