"""Answers which resource a target runs out of as connections grow.

Every transaction demands some time of each resource: its utilisation over throughput (the service demand law). More
connections can't bring more throughput than one over the largest demand, which N* = (T(1) + Z) / that demand would
reach without any waiting; Z is the think time (Denning and Buzen, ACM Computing Surveys 10, 1978, asymptotic bounds).
What other programs and the hypervisor take of the processors lowers both in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse.explain._gap import LEAST_SHARE
from dbdyno.analyse.explain._statements import RunTimes
from dbdyno.core import Cell

BUSY_FROM = 0.95
"""Utilisation from which a resource is the one that is used up."""
ROW_LOCKS = "row-locks"
"""The resource of which only an upper bound of the use is known: one session that waits all the time may wait for many
locks in turn, none of them in use for long."""
_LEAST_QUEUED = 0.75
RESOURCES = {
    "processors": "the processors",
    "device": "the device",
    "flushes": "flushes of the device",
    ROW_LOCKS: "a row lock that others wait for",
    "client": "the load generator's worker",
}


@dataclass(frozen=True, slots=True)
class Knee:
    """Holds what a target runs out of at one memory, workload and route.

    Parameters
    ----------
    cells : by connections, the fewest first
    used : of each cell resource -> utilisation, 0 to 1; of resources that are known there
    resource : the first that is used up; empty where none is
    reached_at : connections of the first cell where it is
    demand_ms : of that resource per transaction, without what other programs and the hypervisor use; of row locks at
        most; 0 where none is used up
    by_others, by_hypervisor : share of it that other programs use there, and that the hypervisor took
    stops_at : N*, connections from which more can't help; None where no cell has one connection, in an open loop, and
        of row locks
    """

    cells: tuple[Cell, ...]
    used: tuple[Mapping[str, float], ...]
    resource: str = ""
    reached_at: int = 0
    demand_ms: float = 0.0
    stops_at: float | None = None
    by_others: float = 0.0
    by_hypervisor: float = 0.0


def knee_of(
    times: Mapping[Cell, Sequence[RunTimes]], cells: Sequence[Cell], *, has_think_time: bool = False
) -> Knee | None:
    """Return the knee of a target's cells; None where no resource's use is known, or there are fewer than two cells.

    Parameters
    ----------
    cells : alike but for their connections
    has_think_time : connections that rest think; without it they wait for transactions of an open loop
    """
    sorted_cells = tuple(sorted((cell for cell in cells if times.get(cell)), key=lambda cell: cell.concurrency))
    utilisations = tuple(_mean([utilisation(run) for run in times[cell]]) for cell in sorted_cells)
    if len(sorted_cells) < 2 or not any(utilisations):
        return None
    for index, (cell, shares) in enumerate(zip(sorted_cells, utilisations, strict=True)):
        resource = max((name for name in shares if name != ROW_LOCKS), key=shares.__getitem__, default="")
        if shares.get(resource, 0.0) < BUSY_FROM and _is_row_lock_used_up(times, sorted_cells[index : index + 2]):
            resource = ROW_LOCKS
        if shares.get(resource, 0.0) >= BUSY_FROM:
            by_others, by_hypervisor = (
                _processor_share(times[cell], user) if resource == "processors" else 0.0
                for user in ("neighbours", "steal")
            )
            foreign_share = by_others + by_hypervisor
            demand_ms = (shares[resource] - foreign_share) * 1e3 / _tps(times[cell])
            first_runs = times[sorted_cells[0]]
            is_open_loop = any(run.rests for run in first_runs) and not has_think_time
            is_known = sorted_cells[0].concurrency == 1 and not is_open_loop and demand_ms > 0 and _tps(first_runs) > 0
            most_tps = (1 - foreign_share) * 1e3 / demand_ms if demand_ms > 0 else 0.0
            stops_at = most_tps / _tps(first_runs) if is_known and resource != ROW_LOCKS else None
            return Knee(
                sorted_cells,
                utilisations,
                resource,
                cell.concurrency,
                demand_ms,
                stops_at,
                by_others,
                by_hypervisor,
            )
    return Knee(sorted_cells, utilisations)


def _is_row_lock_used_up(times: Mapping[Cell, Sequence[RunTimes]], cells: Sequence[Cell]) -> bool:
    """Return whether the next cell's connections bring no throughput, and all but a quarter of them wait for a row."""
    if len(cells) < 2 or any(run.threads is None for cell in cells for run in times[cell]):
        return False
    before, after = (sum(map(_row_lock_waiters, times[cell])) / len(times[cell]) for cell in cells)
    added = cells[1].concurrency - cells[0].concurrency
    has_gain = _tps(times[cells[1]]) > (1 + LEAST_SHARE) * _tps(times[cells[0]])
    return before >= BUSY_FROM and after - before >= _LEAST_QUEUED * added and not has_gain


def _row_lock_waiters(run: RunTimes) -> float:
    return (run.threads or {}).get("wait.row_lock", 0.0)


def utilisation(run: RunTimes) -> dict[str, float]:
    """Map each resource to the share of the time in which it was busy.

    A lock's holder is taken to be busy while anybody waits for a row lock: at most that much. Background threads are
    not judged, for how many share a name is not stored; nor is a load generator with several workers.
    """
    shares = {}
    host = [run.processors.get(name) for name in ("busy", "idle")]
    if host[0] is not None and host[1] is not None and sum(filter(None, host)) > 0:
        shares["processors"] = host[0] / (host[0] + host[1])
    for resource, counter in (("device", "disk.busy_time"), ("flushes", "disk.flush_time")):
        if counter in run.counted and run.seconds:
            shares[resource] = run.counted[counter] * run.transactions / (1e3 * run.seconds)
    if run.threads is not None:
        shares[ROW_LOCKS] = _row_lock_waiters(run)
    if run.client_cpu_ms is not None and run.client_wait_ms is not None and run.seconds:
        shares["client"] = run.client_cpu_ms / (1e3 * run.seconds)
    return {resource: min(share, 1.0) for resource, share in shares.items()}


def _processor_share(runs: Sequence[RunTimes], user: str) -> float:
    """Return the share of the processors that a user of the host's had; 0 where unknown."""
    if any(run.pinned is not None for run in runs):
        return 0.0
    shares = [run.processors.get(user, 0.0) / (run.processors["busy"] + run.processors["idle"]) for run in runs]
    return sum(shares) / len(shares)


def _mean(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = [name for name in RESOURCES if all(name in shares for shares in runs)]
    return {name: sum(shares[name] for shares in runs) / len(runs) for name in names}


def _tps(runs: Sequence[RunTimes]) -> float:
    return sum(run.transactions for run in runs) / sum(run.seconds for run in runs)
