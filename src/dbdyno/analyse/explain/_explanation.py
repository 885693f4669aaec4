"""Puts the breakdowns of a study together: pairs of targets, and a target's steps to more connections."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Place
from dbdyno.analyse._phrases import merged_reasons
from dbdyno.analyse.explain._gap import Gap, gap_of_pair, gaps_by_levels
from dbdyno.analyse.explain._levels import Key, PartLevel, part_levels
from dbdyno.analyse.explain._part import Breakdown, Part, mean_parts
from dbdyno.analyse.explain._statements import RunTimes, split_by_statement, statement_mix
from dbdyno.analyse.explain._threads import split_by_threads
from dbdyno.analyse.explain._users import split_by_users
from dbdyno.core import Cell, is_network_route


@dataclass(frozen=True)
class Explanation:
    """Holds where the time of each cell goes, by one split.

    Parameters
    ----------
    judgements : of the cells, in the order of the study
    breakdowns : of the judged runs of each cell that committed something
    """

    judgements: tuple[CellJudgement, ...]
    breakdowns: Mapping[Cell, tuple[Breakdown, ...]]

    @cached_property
    def firm(self) -> dict[Cell, tuple[Breakdown, ...]]:
        """Return those of cells that findings may rest on."""
        return {g.cell: self.breakdowns[g.cell] for g in self.judgements if g.decides and self.breakdowns.get(g.cell)}

    @cached_property
    def levels(self) -> dict[Key, PartLevel]:
        """Estimate every part of every cell that findings may rest on."""
        return part_levels(self.firm)

    @cached_property
    def cells_at(self) -> dict[Place, dict[str, Cell]]:
        """Map place -> target -> cell, of cells that findings may rest on; the shortest time first."""
        places: dict[Place, dict[str, Cell]] = {}
        for cell in sorted(
            self.firm, key=lambda cell: sum(run.total_ms for run in self.firm[cell]) / len(self.firm[cell])
        ):
            places.setdefault(_place(cell), {})[cell.target] = cell
        return places

    def gap(self, place: Place, left: str, right: str) -> Gap | None:
        """Return the difference right - left of two targets at a place; None where one has no level there."""
        pairs = {
            at: (cells[left], cells[right]) for at, cells in self.cells_at.items() if left in cells and right in cells
        }
        pair = pairs.get(place)
        return None if pair is None else gap_of_pair(self.firm, self.levels, list(pairs.values()), pair)

    def steps(self, target: str) -> list[Gap]:
        """Return what each step to more connections adds to a target's time, memory by memory."""
        lines: dict[tuple[str, str, int], list[Cell]] = {}
        for cell in self.firm:
            if cell.target == target:
                lines.setdefault((cell.workload, cell.route, cell.tier_bytes), []).append(cell)
        sorted_lines = [sorted(cells, key=lambda cell: cell.concurrency) for cells in lines.values()]
        pairs = [pair for cells in sorted_lines for pair in itertools.pairwise(cells)]
        return gaps_by_levels(self.firm, self.levels, pairs)

    def routes(self, target: str) -> list[Gap]:
        """Return what each network adds to a target's time, against the nearest route measured at the same place."""
        target_cells = [cell for cell in self.firm if cell.target == target]
        pairs = []
        for far in target_cells:
            if is_network_route(far.route):
                nearer_routes = [route for route in ("loopback", "socket", "network") if route != far.route]
                local_cells = [replace(far, route=route) for route in nearer_routes]
                pairs += [(near, far) for near in local_cells if near in self.firm][:1]
        return gaps_by_levels(self.firm, self.levels, sorted(pairs, key=lambda pair: pair[0].concurrency))

    def parts_of(self, cell: Cell) -> tuple[Part, ...]:
        """Return parts of a cell, the mean of its runs; empty where nothing but T is known."""
        return tuple(mean_parts(self.breakdowns.get(cell, ())).values())

    @property
    def missing(self) -> tuple[str, ...]:
        """Return why parts are missing, each reason once."""
        return merged_reasons(run.missing for runs in self.breakdowns.values() for run in runs)


def explain(judgements: Sequence[CellJudgement], times: Mapping[Cell, Sequence[RunTimes]]) -> Explanation:
    """Return the explanation by statement type, of the judged runs' times."""
    mixes = _statement_mixes(times)
    breakdowns = {}
    for cell, runs in times.items():
        run_breakdowns = [split_by_statement(run, mixes[cell.workload, cell.target]) for run in runs]
        breakdowns[cell] = tuple(
            _runs_split_alike([breakdown for breakdown in run_breakdowns if breakdown is not None])
        )
    return Explanation(tuple(judgements), breakdowns)


def explain_threads(
    judgements: Sequence[CellJudgement], times: Mapping[Cell, Sequence[RunTimes]]
) -> Explanation | None:
    """Return the explanation by what the server's threads did; None where no run's were watched."""
    if not any(run.threads for runs in times.values() for run in runs):
        return None
    return _explanation(judgements, {cell: watched_runs(runs) for cell, runs in times.items()}, split_by_threads)


def watched_runs(runs: Sequence[RunTimes]) -> Sequence[RunTimes]:
    """Return the runs whose session threads were watched, if these are at least half of a cell's; else all.

    A sampler that starts late on a busy machine loses one run, and the others show where the time goes. They say how
    many they are.
    """
    watched = [run for run in runs if run.threads]
    if len(watched) == len(runs) or 2 * len(watched) < len(runs):
        return runs
    reason = next(run.threads_missing for run in runs if not run.threads)
    note = f"parts of {runs[0].run.cell.target} are of {len(watched)} of {len(runs)} runs"
    return [replace(run, threads_missing=f"{note} ({reason})" if reason else note) for run in watched]


def explain_users(judgements: Sequence[CellJudgement], times: Mapping[Cell, Sequence[RunTimes]]) -> Explanation:
    """Return the explanation by whose work the processors did, of cells that used them up."""
    return _explanation(judgements, times, split_by_users)


def _explanation(
    judgements: Sequence[CellJudgement],
    times: Mapping[Cell, Sequence[RunTimes]],
    split: Callable[[RunTimes], Breakdown | None],
) -> Explanation:
    breakdowns = {
        cell: tuple(_runs_split_alike([breakdown for run in runs if (breakdown := split(run)) is not None]))
        for cell, runs in times.items()
    }
    return Explanation(tuple(judgements), breakdowns)


def _statement_mixes(times: Mapping[Cell, Sequence[RunTimes]]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the mix of each workload and target; of a target that always aborted attempts, that of the others."""

    def mix(cells: Iterable[Cell]) -> dict[str, float]:
        return statement_mix(run for cell in cells for run in times[cell])

    mixes = {}
    for workload, target in {(cell.workload, cell.target) for cell in times}:
        workload_cells = [cell for cell in times if cell.workload == workload]
        mixes[workload, target] = mix(cell for cell in workload_cells if cell.target == target) or mix(workload_cells)
    return mixes


def _runs_split_alike(runs: Sequence[Breakdown]) -> list[Breakdown]:
    """Return the runs of a cell; without parts where one of them has none, for their mean would be of some alone."""
    bare_runs = [run for run in runs if not run.parts]
    if not bare_runs or len(bare_runs) == len(runs):
        return list(runs)
    return [replace(run, parts=(), missing=bare_runs[0].missing) for run in runs]


def _place(cell: Cell) -> Place:
    return (cell.workload, cell.route, cell.tier_bytes, cell.concurrency)
