"""Work: shows what the servers did per transaction, target next to target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from dbdyno.analyse import CellCounters, Place, place_namer
from dbdyno.core import counted, format_bytes, target_title
from dbdyno.report._blocks import Box, Column, Fold, Section, Table, folded, rest, section, subtitle, to_see
from dbdyno.report._counters import LEVELS, MEASURES, NOT_SHOWN, write_amplification
from dbdyno.report._format import figure
from dbdyno.report.sections._frame import Page

_ABOUT = (
    "Growth of the servers' counters over the windows, divided by the transactions in them, over all judged runs of "
    "a cell. Redo log bytes come from its position (LSN) where the server shows it. A counter that is not shown is "
    "unknown, not zero."
)


def counters_section(page: Page) -> Section | None:
    """Return a table for each place, that with the most connections first; nothing where no run has counters."""
    cells = page.analysis.counters
    if not cells:
        return None
    by_place: dict[Place, list[CellCounters]] = defaultdict(list)
    for cell in cells:
        by_place[cell.group.place].append(cell)
    places = sorted(by_place, key=lambda place: (place[:3], -place[3]))
    place_words = place_namer(places)
    first_place, *other_places = [
        _place_part(page, place, place_words(place), index, by_place[place]) for index, place in enumerate(places, 1)
    ]
    more_places = [folded(counted(len(other_places), "more place"), *other_places)] if other_places else []
    fullest_place = max(places, key=lambda place: (len(by_place[place]), place[3]))
    all_counters = _all_counters(page, by_place[fullest_place], place_words(fullest_place))
    return section(
        "counters",
        "Work: what the servers did per transaction",
        rest(
            "counters", "Work of the servers per transaction", subtitle(_ABOUT), first_place, *more_places, all_counters
        ),
    )


def _place_part(page: Page, place: Place, words: str, index: int, cells: Sequence[CellCounters]) -> Box:
    rows = [[f"{m.title}{f', {m.unit}' if m.unit else ''}", *(m.words(cell) for cell in cells)] for m in MEASURES]
    rows.append(["write amplification of the LSM tree", *(_amplification(cell) for cell in cells)])
    rows += [[title, *(_level_cell(cell, name) for cell in cells)] for name, title in LEVELS]
    known_rows = [row for row in rows if any(word not in ("", NOT_SHOWN) for word in row[1:])]
    caption = f"Per transaction, at {words}"
    columns = [Column("per transaction"), *_target_columns(page, [cell.group.cell.target for cell in cells])]
    table = Table(f"counters-{index}", caption, columns, known_rows)
    return Box([table], facets=page.facets.of(*place))


def _target_columns(page: Page, targets: Iterable[str]) -> list[Column]:
    return [Column(target_title(target), True, facets=page.facets.of(targets=[target])) for target in targets]


def _amplification(cell: CellCounters) -> str:
    value = write_amplification(cell)
    if value is not None:
        return f"{figure(value)} ×"
    return NOT_SHOWN if cell.lacks("engine.lsm.user_bytes") else ""


def _level_cell(cell: CellCounters, name: str) -> str:
    if name not in cell.levels:
        return NOT_SHOWN if cell.lacks(name) else ""
    _, highest, unit = cell.levels[name]
    return format_bytes(int(highest)) if unit == "bytes" else f"{highest:,.0f}"


def _all_counters(page: Page, cells: Sequence[CellCounters], where: str) -> Fold:
    """Return all counters of the targets at one place, for who looks for another one."""
    targets = [cell.group.cell.target for cell in cells]
    names = sorted({name for cell in cells for name in cell.deltas})
    units = {name: cell.deltas[name][1] for cell in cells for name in cell.deltas}
    columns = [Column("counter"), Column("unit"), *_target_columns(page, targets)]
    rows = [[name, units[name], *(_counter_cell(cell, name) for cell in cells)] for name in names]
    lacking_words = [
        f"{target}: {', '.join(_lacking_counters(cell)) or 'none'}" for target, cell in zip(targets, cells, strict=True)
    ]
    return folded(
        f"All {len(names)} counters per transaction, at {where}",
        Table("counters-all", f"All counters per transaction, at {where}", columns, rows),
        *(to_see(f"Not shown by {words}.") for words in lacking_words),
    )


def _lacking_counters(cell: CellCounters) -> list[str]:
    """Return what the server does not show; of one without an LSM tree nobody expects that tree's counters."""
    has_tree = any(name.startswith("engine.lsm.") for name in cell.deltas)
    return sorted(name for name in cell.absent if has_tree or not name.startswith("lsm."))


def _counter_cell(cell: CellCounters, name: str) -> str:
    value = cell.each(name)
    if value is None:
        return NOT_SHOWN if cell.lacks(name) else ""
    return "0" if value == 0 else figure(value)
