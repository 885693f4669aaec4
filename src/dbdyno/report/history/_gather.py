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
    LEAST_MOVE,
    CellHistory,
    HistoryChange,
    HistoryPoint,
    Measure,
    judge_history,
    listed,
    quantile_point,
    remedy_words,
    tps_point,
    with_machine_changes,
)
from dbdyno.core import AlteredError, Cell, RequestError, StoreError, StudyError, Target
from dbdyno.report.diff._changed import Changed, changed
from dbdyno.report.diff._mismatch import MismatchKind, cell_mismatches, host_mismatches, mismatch_words
from dbdyno.report.diff._side import DiffSide
from dbdyno.store import QUICK_CHECK, FolderCheck, StoredStudy, find_results
from dbdyno.study import Study

Order = Literal["date", "version"]
Row = tuple[Cell, int, Cell]
"""Line and place; index of the study; the cell as that study names it."""


@dataclass(frozen=True, slots=True)
class StudyAt:
    """Describes a study of the history.

    Parameters
    ----------
    label : its folder, as short as distinguishes it from the others
    at_ns : Unix time of its first run; of the folder where that is not known
    """

    side: DiffSide
    label: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Omitted:
    """Describes a folder, or a cell of one, that is not part of the history."""

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
    least_move : share from which on a level counts as moved
    rows : every cell of every study with its series, also those left out
    """

    order: Order
    studies: tuple[StudyAt, ...]
    cells: Mapping[Measure, tuple[CellHistory, ...]]
    changes: Mapping[tuple[int, Cell, int, Cell], tuple[Changed, ...]]
    omitted: tuple[Omitted, ...]
    least_move: float
    rows: tuple[Row, ...]

    def changed_at(self, move: HistoryChange) -> tuple[Changed, ...]:
        """Return what changed between the last study of the old level and the first of the new one."""
        return self.changes.get(_cells_of_move(move), ())

    def moves(self, measure: Measure) -> list[tuple[CellHistory, HistoryChange]]:
        """Return all moves of a measure, those that made it worse first, the largest first."""
        pairs = [(cell, move) for cell in self.cells[measure] for move in cell.moves]
        return sorted(pairs, key=lambda pair: (not pair[1].is_worse, -abs(pair[1].level.ratio - 1)))


def gather_history(
    folders: Iterable[Path],
    *,
    measures: Sequence[Measure] = ("tps",),
    order: Order = "date",
    despite: Iterable[MismatchKind] = (),
    check: FolderCheck = QUICK_CHECK,
    least_move: float = LEAST_MOVE,
) -> History:
    """Read, order and judge the studies at or below the folders.

    Parameters
    ----------
    despite : obstacles that may stand between a study and the newest one
    check : how each folder is looked at
    least_move : share from which on a level counts as moved: for a rule that allows less, what it allows

    Raises
    ------
    StoreError : a folder is not there
    AlteredError : a folder is not as dbdyno wrote it
    RequestError : fewer than two studies that can be read, or no cell is in two of them
    """
    studies, omitted = _read_studies(folders, check)
    if len(studies) < 2:
        reasons = "\n".join(f"{omission.label}: {omission.reason}" for omission in omitted)
        found = f"{listed([study.label for study in studies])} is the only one" if studies else "no study was found"
        raise RequestError(
            "a history needs two studies or more",
            "\n".join(filter(None, [found, reasons])),
            "give results folders, or a folder above them",
            code="one-study",
        )
    all_rows = _all_rows(studies, order)
    rows, mismatched = _comparable_rows(studies, all_rows, frozenset(despite))
    cells = {measure: _cell_histories(rows, measure, studies, order, least_move) for measure in measures}
    if not any(len(cell.points) > 1 for cell_histories in cells.values() for cell in cell_histories):
        raise _no_series_error(studies, mismatched)
    mismatched += _unsettled_cells(rows, studies)
    changes = _machine_changes(
        studies, [move for cell_histories in cells.values() for cell in cell_histories for move in cell.moves]
    )
    if order == "date":
        cells = {measure: _remove_machine_moves(cell_histories, changes) for measure, cell_histories in cells.items()}
    return History(order, tuple(studies), cells, changes, (*omitted, *mismatched), least_move, tuple(all_rows))


def _no_series_error(studies: Sequence[StudyAt], mismatched: Sequence[Omitted]) -> RequestError:
    """Return the error of studies without a common cell: what differs, or what each has measured."""
    what = "no cell is in two studies"
    if mismatched:
        reasons = [f"{omission.label}: {omission.reason}" for omission in mismatched[:5]]
        remedy = "--allow-mismatch KIND: compare even though KIND differs"
        return RequestError(what, "\n".join(reasons), remedy, code="no-common-cell")
    targets = [f"{study.label}: {listed(sorted({cell.target for cell in study.side.judgements}))}" for study in studies]
    remedy = "a history needs the same study again and again; dbdyno diff BASE NEW --match compares other targets"
    return RequestError(what, "\n".join(targets[:5]), remedy, code="no-common-cell")


def _read_studies(folders: Iterable[Path], check: FolderCheck) -> tuple[list[StudyAt], list[Omitted]]:
    paths = list(dict.fromkeys(path.resolve() for folder in folders for path in find_results(folder)))
    common_path = os.path.commonpath(paths) if len(paths) > 1 else str(Path(*paths).parent)
    studies, omitted = [], []
    for path in paths:
        label = os.path.relpath(path, common_path)
        try:
            side = DiffSide.of(StoredStudy.open(path, check=check))
        except AlteredError:  # an altered level does not stop the judgement of the others
            raise
        except (StoreError, StudyError) as error:
            omitted.append(Omitted(label, None, str(error)))
            continue
        studies.append(StudyAt(side, label, _began_ns(side)))
    kept_studies, copies = _without_copies(studies)
    return sorted(kept_studies, key=lambda study: (study.at_ns, study.label)), omitted + copies


def _without_copies(studies: Sequence[StudyAt]) -> tuple[list[StudyAt], list[Omitted]]:
    """Return each study once, in the folder with the most runs: a copy, or a part, would count its runs once more."""
    kept_studies: list[StudyAt] = []
    copies = []
    for study in sorted(studies, key=lambda study: (-len(study.side.stored), study.label)):
        original = next((kept for kept in kept_studies if study.side.shares_runs_with(kept.side)), None)
        if original is None:
            kept_studies.append(study)
        else:
            copies.append(Omitted(study.label, None, f"has the same runs as {original.label}"))
    return kept_studies, copies


def _began_ns(side: DiffSide) -> int:
    return min(
        (run.span.started_ns for run in side.stored if run.span.started_ns), default=side.results.manifest.created_ns
    )


def _all_rows(studies: Sequence[StudyAt], order: Order) -> list[Row]:
    named = lines((study.side.study for study in studies), order)
    return [
        (replace(cell, target=named.get((index, cell.target), cell.target)), index, cell)
        for index, study in enumerate(studies)
        for cell in study.side.judgements
    ]


def _comparable_rows(
    studies: Sequence[StudyAt], rows: Sequence[Row], allowed: frozenset[MismatchKind]
) -> tuple[list[Row], list[Omitted]]:
    """Return cells that measured the same as the newest study that has them."""
    newest = {line: (index, cell) for line, index, cell in rows}
    hosts = cache(lambda first, second: tuple(host_mismatches(studies[first].side, studies[second].side)))
    kept_rows, omitted = [], []
    for line, index, cell in rows:
        newest_index, last_cell = newest[line]
        sides = studies[index].side, studies[newest_index].side
        obstacles = [*hosts(index, newest_index), *cell_mismatches(*sides, (cell, last_cell))]
        blocking_mismatches = [obstacle for obstacle in obstacles if obstacle.kind not in allowed]
        if blocking_mismatches and index != newest_index:
            omitted.append(Omitted(studies[index].label, cell, mismatch_words(blocking_mismatches)))
        else:
            kept_rows.append((line, index, cell))
    return sorted(kept_rows, key=lambda row: (_place_sort_key(row[0]), row[1])), omitted


def _place_sort_key(line: Cell) -> tuple[str, str, int, int, str]:
    return line.workload, line.route, line.tier_bytes, line.concurrency, line.target


def _cell_histories(
    rows: Sequence[Row], measure: Measure, studies: Sequence[StudyAt], order: Order, least_move: float
) -> tuple[CellHistory, ...]:
    series: dict[Cell, list[HistoryPoint]] = {}
    for line, index, cell in rows:
        group = studies[index].side.judgements[cell]
        point = tps_point(index, group) if measure == "tps" else quantile_point(index, group, measure)
        if point is not None:
            series.setdefault(line, []).append(point)
    if order == "version":
        for points in series.values():
            points.sort(key=lambda point: (version_key(point.version), point.study))
    return tuple(judge_history(line, measure, points, least_move) for line, points in series.items())


def _unsettled_cells(rows: Sequence[Row], studies: Sequence[StudyAt]) -> list[Omitted]:
    """Return cells whose level did not last in a study: they give no point."""
    groups = [(studies[index], cell, studies[index].side.judgements[cell]) for _, index, cell in rows]
    return [
        Omitted(study.label, cell, f"not settled: {remedy_words(group.unsettled)}")
        for study, cell, group in groups
        if group.trusted and not group.is_settled
    ]


def _machine_changes(
    studies: Sequence[StudyAt], moves: Iterable[HistoryChange]
) -> dict[tuple[int, Cell, int, Cell], tuple[Changed, ...]]:
    changed_rows: dict[tuple[int, Cell, int, Cell], tuple[Changed, ...]] = {}
    compare: Callable[[int, str, int, str], list[Changed]] = cache(
        lambda old_index, old_target, new_index, new_target: changed(
            studies[old_index].side,
            studies[new_index].side,
            {new_target: old_target},
            {
                cell
                for index in (old_index, new_index)
                for cell in studies[index].side.judgements
                if cell.target in (old_target, new_target)
            },
        )
    )
    for move in moves:
        old_point, new_point = move.before, move.after
        rows = compare(old_point.study, old_point.cell.target, new_point.study, new_point.cell.target)
        changed_rows[_cells_of_move(move)] = tuple(
            row for row in rows if row.where in ("machine", "dbdyno", new_point.cell.target)
        )
    return changed_rows


def _cells_of_move(move: HistoryChange) -> tuple[int, Cell, int, Cell]:
    return move.before.study, move.before.cell, move.after.study, move.after.cell


def _remove_machine_moves(
    cells: Sequence[CellHistory], changes: Mapping[tuple[int, Cell, int, Cell], tuple[Changed, ...]]
) -> tuple[CellHistory, ...]:
    def is_unchanged(_: CellHistory, move: HistoryChange) -> bool:
        return not any(row.where == move.after.cell.target for row in changes[_cells_of_move(move)])

    return tuple(with_machine_changes(cells, is_unchanged))


def unversioned_name(target: Target) -> str:
    """Return the name of a target without its version.

    >>> from dbdyno.core import parse_engine_name
    >>> engine = parse_engine_name("mariadb:11.8+rocksdb")
    >>> [unversioned_name(Target(name, engine)) for name in ("mariadb:11.8+rocksdb", "maria 11.8 no binlog")]
    ['mariadb+rocksdb', 'maria no binlog']
    """
    version = target.engine.version
    if not version:
        return target.name
    line = re.sub(rf"[:\s_-]?(?<![\d.]){re.escape(version)}(?![\d.])", "", target.name, count=1).strip()
    return line or target.engine.family


def lines(studies: Iterable[Study], order: Order) -> dict[tuple[int, str], str]:
    """Map (index of the study, target) -> line.

    By version all targets of a line follow each other. By date a study has one value for each: where it has two
    targets of a line, the line is not one, and its targets keep their names.
    """
    study_lines = [{target.name: unversioned_name(target) for target in study.targets} for study in studies]
    ambiguous_lines = {
        line
        for lines_by_target in study_lines
        for line, count in Counter(lines_by_target.values()).items()
        if count > 1
    }
    if order == "version":
        ambiguous_lines = set()
    return {
        (index, target): target if line in ambiguous_lines else line
        for index, lines_by_target in enumerate(study_lines)
        for target, line in lines_by_target.items()
    }


def version_key(version: str) -> tuple[tuple[int, ...], str]:
    """Return a key that sorts versions by their numbers.

    >>> sorted(["11.8.6", "9.7.0", "11.8.10"], key=version_key)
    ['9.7.0', '11.8.6', '11.8.10']
    """
    return tuple(int(number) for number in re.findall(r"\d+", version)), version
