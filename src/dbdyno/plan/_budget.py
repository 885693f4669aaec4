"""What a study will cost in time, disk and memory, before anything is touched.

The constants were read off small machines with two cores and are meant to be right within a factor of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.core import HostError, RequestError, format_bytes
from dbdyno.plan._course import shortest_warm_up_ns, shortest_window_ns
from dbdyno.study import Study

_START_NS = 3 * 10**9  # restore, start, read back
_STOP_NS = 1 * 10**9
_OBTAIN_NS = 40 * 10**9  # an engine's packages, fetched and unpacked
_INITIALISE_NS = 12 * 10**9
_POPULATE_ROWS_PER_S = 25_000
_ROW_BYTES = 260  # row, secondary index and page slack
_EMPTY_SERVER_BYTES = 700 << 20  # system tables, redo log, undo, temporary tables
_ENGINE_BYTES = 400 << 20
_SERVER_MEMORY_BYTES = 450 << 20  # beside the tier: code, dictionary, connections
_PROBES = 10  # of a search: some up, and about four to narrow it down to 5 %
_CONNECTION_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Budget:
    """Estimates for a whole study.

    Parameters
    ----------
    prepare_ns : engines and datasets, nothing of them being there yet
    runs_ns : all runs, at most where their length is left to them
    runs_least_ns : the same at the least
    disk_bytes : engines, one snapshot a target and dataset, and one running copy
    memory_bytes : the largest server at its highest concurrency
    """

    prepare_ns: int
    runs_ns: int
    runs_least_ns: int
    disk_bytes: int
    memory_bytes: int


def estimate_budget(study: Study, run_count: int, rows: Mapping[str, int]) -> Budget:
    """Estimate what a study needs; `rows` of each workload's dataset by its label."""
    datasets = {(choice.family, repr(choice.dataset_options)): choice for choice in study.workloads}
    counts = [rows.get(choice.label, 0) for choice in datasets.values()]
    snapshots = [_EMPTY_SERVER_BYTES + count * _ROW_BYTES for count in counts]
    populate_ns = sum(_INITIALISE_NS + count * 10**9 // _POPULATE_ROWS_PER_S for count in counts)
    targets = len(study.targets)
    return Budget(
        prepare_ns=targets * (_OBTAIN_NS + populate_ns),
        runs_ns=run_count * (overhead_ns(study) + _windows_ns(study)),
        runs_least_ns=run_count * _least_ns(study),
        disk_bytes=targets * (_ENGINE_BYTES + sum(snapshots)) + max(snapshots),
        memory_bytes=max(study.tiers_bytes) + _SERVER_MEMORY_BYTES + max(study.concurrencies) * _CONNECTION_BYTES,
    )


def overhead_ns(study: Study) -> int:
    """What surrounds the window of one run: restore, start, settle, warm-up, stop."""
    return _START_NS + study.settle_ns + study.warm_up_ns + _STOP_NS


def check_budget(study: Study, budget: Budget, memory_bytes: int, free_disk_bytes: int) -> None:
    """Refuse a study that the machine can't hold.

    Raises
    ------
    RequestError : a tier needs more memory than the machine has
    HostError : the disk is too small
    """
    if all(target.engine.source.startswith("server") for target in study.targets):
        return
    if budget.memory_bytes > memory_bytes:
        tier = format_bytes(max(study.tiers_bytes))
        raise RequestError(
            f"tier {tier} does not fit this machine",
            f"it needs about {format_bytes(budget.memory_bytes)} and {format_bytes(memory_bytes)} are available",
            "choose a smaller tier or another machine",
        )
    if budget.disk_bytes > free_disk_bytes:
        raise HostError(
            "not enough disk space for the study",
            f"it needs about {format_bytes(budget.disk_bytes)} and {format_bytes(free_disk_bytes)} are free",
            "free some space, choose fewer rows or targets, or point DBDYNO_HOME at a larger disk",
        )


def _least_ns(study: Study) -> int:
    """One run that settles and is sure as early as it can be."""
    if study.pacing.search is not None:
        return overhead_ns(study) + _windows_ns(study)
    return _START_NS + study.settle_ns + shortest_warm_up_ns(study) + shortest_window_ns(study) + _STOP_NS


def _windows_ns(study: Study) -> int:
    """Time of the window, or of the windows of a search with what settles before each."""
    search = study.pacing.search
    return study.window_ns if search is None else _PROBES * (search.settle_ns + study.window_ns)
