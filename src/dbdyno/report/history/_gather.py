"""Gathers many results folders in order: which cells follow each other, and which can't and why."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from dbdyno.analyse import (
    CellHistory,
    HistoryChange,
    HistoryPoint,
    Measure,
    judge_history,
    quantile_point,
    remedy_words,
    tps_point,
    with_machine_changes,
)
from dbdyno.core import AlteredError, Cell, RequestError, StoreError, StudyError, Target
from dbdyno.report._changed import Changed, changed
from dbdyno.report._diff_side import DiffSide
from dbdyno.report._mismatch import MismatchKind, cell_mismatches, host_mismatches, mismatch_words
from dbdyno.store import QUICK_CHECK, Check, StoredStudy, find_results
from dbdyno.study import Study

Order = Literal["date", "version"]


@dataclass(frozen=True, slots=True)
class StudyAt:
    """A study of the history.

    Parameters
    ----------
    label : its folder, as short as tells it from the others
    at_ns : Unix time of its first run; of the folder where that is not known
    """

    side: DiffSide
    label: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Omitted:
    """A folder, or a cell of one, that is not part of the history."""

    label: str
    cell: Cell | None
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """Holds what many studies say of each cell.

    Parameters
    ----------
    studies : by date
    cells : by measure; in the order of the newest study, points by date or by version
    changes : move -> what is recorded to have changed between its two studies
    """

    order: Order
    studies: tuple[StudyAt, ...]
    cells: Mapping[Measure, tuple[CellHistory, ...]]
    changes: Mapping[tuple[int, Cell, int, Cell], tuple[Changed, ...]]
    omitted: tuple[Omitted, ...]

    def changed_at(self, move: HistoryChange) -> tuple[Changed, ...]:
        """Return what changed between the last study of the old level and the first of the new one."""
        return self.changes.get(_between(move), ())

    def moves(self, measure: Measure) -> list[tuple[CellHistory, HistoryChange]]:
        """All moves of a measure, those that made it worse first, the largest first."""
        found = [(cell, move) for cell in self.cells[measure] for move in cell.moves]
        return sorted(found, key=lambda pair: (not pair[1].is_worse, -abs(pair[1].level.ratio - 1)))


def gather_history(
    folders: Iterable[Path],
    *,
    measures: Sequence[Measure] = ("tps",),
    order: Order = "date",
    despite: Iterable[MismatchKind] = (),
    check: Check = QUICK_CHECK,
) -> History:
    """Read, order and judge the studies at or below the folders.

    Parameters
    ----------
    despite : obstacles that may stand between a study and the newest one
    check : how each folder is looked at

    Raises
    ------
    StoreError : a folder is not there
    AlteredError : a folder is not as dbdyno wrote it
    RequestError : fewer than two studies that can be read, or no cell is in two of them
    """
    studies, omitted = _studies(folders, check)
    if len(studies) < 2:
        reasons = "\n".join(f"{left.label}: {left.reason}" for left in omitted)
        raise RequestError(
            "a history needs two studies or more", reasons, "give results folders, or a folder above them"
        )
    rows, unlike = _comparable(studies, frozenset(despite), order)
    cells = {measure: _judged(rows, measure, studies, order) for measure in measures}
    if not any(len(cell.points) > 1 for found in cells.values() for cell in found):
        reasons = "\n".join(f"{left.label}: {left.reason}" for left in unlike[:5])
        raise RequestError(
            "no cell is in two studies", reasons, "--allow-mismatch KIND: compare even though KIND differs"
        )
    unlike += _unsettled(rows, studies)
    changes = _changes(studies, [move for found in cells.values() for cell in found for move in cell.moves])
    if order == "date":
        cells = {measure: _without_machine(found, changes) for measure, found in cells.items()}
    return History(order, tuple(studies), cells, changes, (*omitted, *unlike))


def _studies(folders: Iterable[Path], check: Check) -> tuple[list[StudyAt], list[Omitted]]:
    paths = list(dict.fromkeys(path.resolve() for top in folders for path in find_results(top)))
    common = os.path.commonpath(paths) if len(paths) > 1 else str(Path(*paths).parent)
    found, omitted = [], []
    for path in paths:
        label = os.path.relpath(path, common)
        try:
            side = DiffSide.of(StoredStudy.open(path, check=check))
        except AlteredError:  # a level that somebody changed is no reason to judge the others without it
            raise
        except (StoreError, StudyError) as error:
            omitted.append(Omitted(label, None, str(error)))
            continue
        found.append(StudyAt(side, label, _began_ns(side)))
    return sorted(found, key=lambda study: (study.at_ns, study.label)), omitted


def _began_ns(side: DiffSide) -> int:
    return min((run.started_ns for run in side.stored if run.started_ns), default=side.results.manifest.created_ns)


Row = tuple[Cell, int, Cell]
"""Line and place; index of the study; the cell as that study names it."""


def _comparable(
    studies: Sequence[StudyAt], allowed: frozenset[MismatchKind], order: Order
) -> tuple[list[Row], list[Omitted]]:
    """Cells that measured the same as the newest study that has them."""
    named = lines((study.side.study for study in studies), order)
    newest: dict[Cell, tuple[int, Cell]] = {}
    rows: list[Row] = []
    for index, study in enumerate(studies):
        for cell in study.side.judgements:
            line = replace(cell, target=named.get((index, cell.target), cell.target))
            rows.append((line, index, cell))
            newest[line] = (index, cell)
    hosts = cache(lambda one, other: tuple(host_mismatches(studies[one].side, studies[other].side)))
    kept, omitted = [], []
    for line, index, cell in rows:
        last, last_cell = newest[line]
        sides = studies[index].side, studies[last].side
        obstacles = [*hosts(index, last), *cell_mismatches(*sides, (cell, last_cell))]
        stops = [obstacle for obstacle in obstacles if obstacle.kind not in allowed]
        if stops and index != last:
            omitted.append(Omitted(studies[index].label, cell, mismatch_words(stops)))
        else:
            kept.append((line, index, cell))
    return sorted(kept, key=lambda row: (_place(row[0]), row[1])), omitted


def _place(line: Cell) -> tuple[str, str, int, int, str]:
    return line.workload, line.route, line.tier_bytes, line.concurrency, line.target


def _judged(rows: Sequence[Row], measure: Measure, studies: Sequence[StudyAt], order: Order) -> tuple[CellHistory, ...]:
    series: dict[Cell, list[HistoryPoint]] = {}
    for line, index, cell in rows:
        group = studies[index].side.judgements[cell]
        point = tps_point(index, group) if measure == "tps" else quantile_point(index, group, measure)
        if point is not None:
            series.setdefault(line, []).append(point)
    if order == "version":
        for points in series.values():
            points.sort(key=lambda point: (version_key(point.version), point.study))
    return tuple(judge_history(line, measure, points) for line, points in series.items())


def _unsettled(rows: Sequence[Row], studies: Sequence[StudyAt]) -> list[Omitted]:
    """Cells whose level did not last in a study: they give no point."""
    groups = [(studies[index], cell, studies[index].side.judgements[cell]) for _, index, cell in rows]
    return [
        Omitted(study.label, cell, f"not settled: {remedy_words(group.unsettled)}")
        for study, cell, group in groups
        if group.trusted and not group.is_settled
    ]


def _changes(
    studies: Sequence[StudyAt], moves: Iterable[HistoryChange]
) -> dict[tuple[int, Cell, int, Cell], tuple[Changed, ...]]:
    found: dict[tuple[int, Cell, int, Cell], tuple[Changed, ...]] = {}
    between: Callable[[int, str, int, str], list[Changed]] = cache(
        lambda before, old, after, now: changed(
            studies[before].side,
            studies[after].side,
            {now: old},
            {cell for index in (before, after) for cell in studies[index].side.judgements if cell.target in (old, now)},
        )
    )
    for move in moves:
        before, after = move.before, move.after
        rows = between(before.study, before.cell.target, after.study, after.cell.target)
        found[_between(move)] = tuple(row for row in rows if row.where in ("machine", "dbdyno", after.cell.target))
    return found


def _between(move: HistoryChange) -> tuple[int, Cell, int, Cell]:
    return move.before.study, move.before.cell, move.after.study, move.after.cell


def _without_machine(
    cells: Sequence[CellHistory], changes: Mapping[tuple[int, Cell, int, Cell], tuple[Changed, ...]]
) -> tuple[CellHistory, ...]:
    def is_unchanged(_: CellHistory, move: HistoryChange) -> bool:
        return not any(row.where == move.after.cell.target for row in changes[_between(move)])

    return tuple(with_machine_changes(cells, is_unchanged))


def line_of(target: Target) -> str:
    """The name of a target without its version.

    >>> from dbdyno.core import parse_engine_name
    >>> engine = parse_engine_name("mariadb:11.8+rocksdb")
    >>> line_of(Target("mariadb:11.8+rocksdb", engine)), line_of(Target("maria 11.8 no binlog", engine))
    ('mariadb+rocksdb', 'maria no binlog')
    """
    version = target.engine.version
    if not version:
        return target.name
    without = re.sub(rf"[:\s_-]?(?<![\d.]){re.escape(version)}(?![\d.])", "", target.name, count=1).strip()
    return without or target.engine.family


def lines(studies: Iterable[Study], order: Order) -> dict[tuple[int, str], str]:
    """(index of the study, target) -> line.

    By version all targets of a line follow each other. By date a study has one value for each: where it has two
    targets of a line, the line is not one, and its targets keep their names.
    """
    named = [{target.name: line_of(target) for target in study.targets} for study in studies]
    doubled = {line for own in named for line, count in Counter(own.values()).items() if count > 1}
    if order == "version":
        doubled = set()
    return {
        (index, target): target if line in doubled else line
        for index, own in enumerate(named)
        for target, line in own.items()
    }


def version_key(version: str) -> tuple[tuple[int, ...], str]:
    """Sorts versions by their numbers.

    >>> sorted(["11.8.6", "9.7.0", "11.8.10"], key=version_key)
    ['9.7.0', '11.8.6', '11.8.10']
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)), version
