"""Compares two results folders: what became slower, what can't be compared, and what else changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse import (
    QUANTILES,
    CellChange,
    CellJudgement,
    TargetShift,
    common_shifts,
    compare_quantiles,
    compare_studies,
    sentinel_spread,
)
from dbdyno.core import Caveat, Cell, RequestError, counted
from dbdyno.nearest import nearest
from dbdyno.report.diff._caveats import diff_caveats
from dbdyno.report.diff._changed import Changed, changed
from dbdyno.report.diff._mismatch import (
    MismatchKind,
    cell_mismatches,
    host_mismatches,
    length_words,
    mismatch_words,
    split_length,
)
from dbdyno.report.diff._side import DiffSide, no_good_run_words
from dbdyno.store import StoredStudy

_SAME_DRIVE = ("targets", "target.", "axes.", "measure.repeats", "measure.order", "measure.equivalence_events")


@dataclass(frozen=True, slots=True)
class ExcludedCell:
    """Describes a cell that could not be compared, and why.

    Parameters
    ----------
    cell : as new names it; as base names it where new does not have it
    is_missing : in new it is not planned, not run or has no good run, though base has one
    is_common : both folders plan it, and base has a good run: a rule can't be shown to hold for it
    mismatches : kinds of what differs, without which the cell would be compared
    """

    cell: Cell
    reason: str
    is_missing: bool
    is_common: bool = False
    mismatches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyDiff:
    """Holds everything that two folders say about each other.

    Parameters
    ----------
    changes : throughput first, then each quantile, cells in the order of the new study
    shifts : of targets whose build and settings are the same on both sides, by name: what the machine did
    """

    base: DiffSide
    new: DiffSide
    changes: tuple[CellChange, ...]
    left_out: tuple[ExcludedCell, ...]
    changed: tuple[Changed, ...]
    shifts: Mapping[str, TargetShift]
    caveats: tuple[Caveat, ...]

    @property
    def is_within_one_folder(self) -> bool:
        """Return whether targets of one folder are compared with each other."""
        return self.base is self.new

    def of(self, measure: str) -> list[CellChange]:
        """Return changes of one measure."""
        return [change for change in self.changes if change.measure == measure]


def diff_results(
    base: StoredStudy,
    new: StoredStudy,
    *,
    renamed: Mapping[str, str] | None = None,
    despite: Iterable[MismatchKind] = (),
) -> StudyDiff:
    """Compare two folders cell by cell.

    Parameters
    ----------
    renamed : name of a target in new -> its name in base, where they differ
    despite : obstacles that may stand; each is a caveat then

    Raises
    ------
    RequestError : no cell is in both folders, a renamed target is in neither, or runs would be compared with themselves
    """
    base_side = DiffSide.of(base)
    sides = base_side, base_side if base.path.samefile(new.path) else DiffSide.of(new)
    names = _target_names(sides, renamed or {})
    common_pairs, unmatched_cells = _match_cells(sides, names)
    if not common_pairs:
        raise _no_common_cell_error(sides)
    if sides[1].shares_runs_with(sides[0]) and any(old.cell == group.cell for old, group in common_pairs):
        raise RequestError(
            f"{sides[1].name} and {sides[0].name} hold the same runs: these would be compared with themselves",
            "one is a copy of the other, or gathered from it; a study that is run into a copy only resumes it",
            "run the study again into a new folder",
            code="copy",
        )
    allowed_kinds = frozenset(despite)
    hosts = host_mismatches(*sides)
    pairs, excluded_cells, allowed_mismatches = [], list[ExcludedCell](), []
    for pair in common_pairs:
        cells = pair[0].cell, pair[1].cell
        obstacles = [*hosts, *cell_mismatches(*sides, cells)]
        blocking_mismatches = [obstacle for obstacle in obstacles if obstacle.kind not in allowed_kinds]
        allowed_mismatches += [obstacle for obstacle in obstacles if obstacle.kind in allowed_kinds]
        mismatch_reason = mismatch_words(blocking_mismatches) if blocking_mismatches else ""
        no_run_reason = _no_good_run_words(pair, sides)
        reason = "; ".join(filter(None, (no_run_reason, mismatch_reason)))
        if reason:
            is_missing = pair[0].trusted and not pair[1].trusted
            kinds = () if no_run_reason else tuple(dict.fromkeys(mismatch.kind for mismatch in blocking_mismatches))
            excluded_cells.append(
                ExcludedCell(cells[1], reason, is_missing=is_missing, is_common=pair[0].trusted, mismatches=kinds)
            )
        else:
            pairs.append(pair)
    excluded_cells += unmatched_cells  # last: for cells in both folders, the reason says more
    folders = sides[:1] if sides[0] is sides[1] else sides  # each sentinel counts once
    spreads = (sentinel_spread(side.records) for side in folders)
    changes = list(compare_studies(pairs, [spread for spread in spreads if spread is not None]))
    changed_rows = tuple(changed(*sides, names, {group.cell for pair in common_pairs for group in pair}))
    shifts = _unchanged_targets(common_shifts(changes), changed_rows)
    for quantile in QUANTILES:
        changes += compare_quantiles(pairs, quantile)
    caveats = diff_caveats(sides, pairs, names, allowed_mismatches, shifts)
    return StudyDiff(*sides, tuple(changes), tuple(excluded_cells), changed_rows, shifts, tuple(caveats))


def _target_names(sides: tuple[DiffSide, DiffSide], renamed: Mapping[str, str]) -> dict[str, str]:
    """Map each target's name in new to its name in base, for targets that both have."""
    base_names, new_names = ([target.name for target in side.study.targets] for side in sides)
    for new_name, base_name in renamed.items():
        for name, known_names, side in ((new_name, new_names, sides[1]), (base_name, base_names, sides[0])):
            if name not in known_names:
                remedy = nearest(name, known_names)
                raise RequestError(
                    f"{side.name} has no target {name}",
                    f"its targets are {', '.join(known_names)}",
                    remedy,
                    code="unknown-target",
                )
    if sides[0] is sides[1]:
        return _target_names_within(sides[0], renamed)
    # A target that the user paired with another one is not compared with itself as well.
    paired_names = set(renamed.values())
    successors = {name: renamed.get(name, "" if name in paired_names else name) for name in new_names}
    return {name: old for name, old in successors.items() if old in base_names}


def _target_names_within(side: DiffSide, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return pairs within one folder: only those that were named, since all else would be compared with itself."""
    if renamed and all(new_name != base_name for new_name, base_name in renamed.items()):
        return dict(renamed)
    names = [target.name for target in side.study.targets]
    pair = "=".join(names[:2] if len(names) > 1 else ("base", "new"))
    raise RequestError(
        f"base and new are the same folder, {side.name}: it would be compared with itself",
        f"its targets are {', '.join(names)}",
        f"compare two of its targets with --match {pair}; or name another folder",
    )


def _match_cells(
    sides: tuple[DiffSide, DiffSide], names: Mapping[str, str]
) -> tuple[list[tuple[CellJudgement, CellJudgement]], list[ExcludedCell]]:
    base, new = (side.judgements for side in sides)
    if sides[0] is sides[1]:  # targets without a partner are not compared
        base = {cell: group for cell, group in base.items() if cell.target in names.values()}
        new = {cell: group for cell, group in new.items() if cell.target in names}
    pairs, unmatched_cells, matched_cells = [], [], set()
    by_length = {_with_length(cell, sides[0]): cell for cell in base}
    for cell, group in new.items():
        renamed_cell = replace(cell, target=names.get(cell.target, ""))
        base_cell = renamed_cell if renamed_cell in base else by_length.get(_with_length(renamed_cell, sides[1]))
        if base_cell is not None:
            pairs.append((base[base_cell], group))
            matched_cells.add(base_cell)
        else:
            unmatched_cells.append(ExcludedCell(cell, _unmatched_words(sides, sides[1]), is_missing=False))
    pairs.sort(key=lambda pair: _listing_key(sides[1], pair[1].cell))
    base_only_cells = [cell for cell in base if cell not in matched_cells]
    unmatched_cells += [
        ExcludedCell(cell, _unmatched_words(sides, sides[0]), is_missing=base[cell].trusted) for cell in base_only_cells
    ]
    unmatched_cells.sort(key=lambda excluded: _listing_key(sides[1], excluded.cell))
    return pairs, unmatched_cells


def _unmatched_words(sides: tuple[DiffSide, DiffSide], side: DiffSide) -> str:
    return "the other target has no such cell" if sides[0] is sides[1] else f"only in {side.name}"


def _with_length(cell: Cell, side: DiffSide) -> Cell:
    """Return the cell under a name with the ordered length of its runs, as if its folder held several lengths."""
    return replace(cell, workload=f"{split_length(cell, side)[0]}, {length_words(cell, side)}")


def _listing_key(side: DiffSide, cell: Cell) -> tuple[int, str, int, int, int]:
    """Return where the study lists a cell, for any order of the runs."""
    targets, labels = [t.name for t in side.study.targets], [w.label for w in side.study.workloads]
    workload = labels.index(cell.workload) if cell.workload in labels else len(labels)
    target = targets.index(cell.target) if cell.target in targets else len(targets)
    return workload, cell.route, cell.tier_bytes, cell.concurrency, target


def _no_common_cell_error(sides: tuple[DiffSide, DiffSide]) -> RequestError:
    words = []
    for side in sides[:1] if sides[0] is sides[1] else sides:
        study = side.study
        targets, labels = [t.name for t in study.targets], [w.label for w in study.workloads]
        words.append(f"{side.name}: {', '.join(targets)}; {', '.join(labels)}; {counted(len(side.judgements), 'cell')}")
    return RequestError(
        "the two folders have no cell in common",
        "\n".join(words),
        (
            "cells match by target, workload, memory, connections and route; --match BASE=NEW pairs targets with "
            "different names"
        ),
        code="no-common-cell",
    )


def _no_good_run_words(pair: tuple[CellJudgement, CellJudgement], sides: tuple[DiffSide, DiffSide]) -> str:
    """Return why a cell has no level on one side; empty when it has one on both."""
    reasons = (no_good_run_words(group, side.name) for group, side in zip(pair, sides, strict=True))
    return "; ".join(reason for reason in reasons if reason)


def _unchanged_targets(shifts: Mapping[str, TargetShift], changed_rows: Sequence[Changed]) -> dict[str, TargetShift]:
    """Return targets of which nothing that is recorded changed: they stand still unless the machine did not."""
    if any(row.where == "study" and not row.what.startswith(_SAME_DRIVE) for row in changed_rows):
        return {}
    changed_places = {row.where for row in changed_rows}
    return {target: shift for target, shift in shifts.items() if target not in changed_places}
