"""Estimates what a study will cost in time, disk and memory, before anything is touched.

The constants were read off small machines with two cores and are meant to be right within a factor of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbdyno.core import HostError, RequestError, format_bytes
from dbdyno.plan._hours import (
    EMPTY_SERVER_BYTES,
    FURTHER,
    NOTHING,
    ROW_BYTES,
    WINDOW,
    SeenRestores,
    TimePart,
    TimeRange,
    further_part,
    run_parts,
)
from dbdyno.stats import ASSUMED_VARIATION, Variation
from dbdyno.study import Study, dataset_name

_OBTAIN_NS = 40 * 10**9  # an engine's packages, fetched and unpacked
_INITIALISE_NS = 12 * 10**9
_POPULATE_ROWS_PER_S = 25_000
_ENGINE_BYTES = 400 << 20
_SERVER_MEMORY_BYTES = 450 << 20  # in addition to the tier: code, dictionary, connections
_CONNECTION_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class Budget:
    """Holds estimates for a whole study.

    Parameters
    ----------
    prepare_ns : engines and datasets, nothing of them being there yet
    parts : where the time of the runs goes, further repeats last
    run_count : runs that are made in any case
    disk_bytes : engines, one snapshot a target and dataset, and one running copy; nothing for running servers
    memory_bytes : the largest server at its highest concurrency
    copy_bytes : the running copy, part of `disk_bytes`
    """

    prepare_ns: int
    parts: tuple[TimePart, ...]
    run_count: int
    disk_bytes: int
    memory_bytes: int
    copy_bytes: int

    def without_kept(self, kept_bytes: int) -> Budget:
        """Return the estimate for a disk that has so much of the datasets already; each run still takes a copy."""
        return replace(self, disk_bytes=max(self.disk_bytes - kept_bytes, self.copy_bytes))

    def with_variation(self, study: Study, variation: Variation) -> Budget:
        """Return the estimate for repeats and windows that vary so: as many further repeats as they call for."""
        parts = tuple(part for part in self.parts if part.what != FURTHER)
        further_repeats = further_part(study, parts, variation)
        return replace(self, parts=parts if further_repeats is None else (*parts, further_repeats))

    @property
    def runs(self) -> TimeRange:
        """Return all runs, further repeats included."""
        total = NOTHING
        for part in self.parts:
            total += part.span
        return total

    @property
    def run_ns(self) -> int:
        """One run with all that surrounds it, on average."""
        return sum(part.span.expected_ns for part in self.parts if part.what != FURTHER) // self.run_count

    @property
    def overhead_ns(self) -> int:
        """Return what surrounds the window of one run, on average: restore, start, settle, warm-up, stop."""
        surrounding_ns = [part.span.expected_ns for part in self.parts if part.what not in (WINDOW, FURTHER)]
        return sum(surrounding_ns) // self.run_count


def estimate_budget(
    study: Study,
    run_count: int,
    rows: Mapping[str, int],
    seen: SeenRestores | None = None,
    variation: Variation = ASSUMED_VARIATION,
) -> Budget:
    """Estimate what a study needs.

    Parameters
    ----------
    rows, seen : as in `run_parts`
    variation : of repeats and windows, which decides how many further repeats are expected
    """
    datasets = {(dataset_name(choice.name), repr(choice.dataset_options)): choice for choice in study.workloads}
    counts = [rows.get(choice.label, 0) for choice in datasets.values()]
    snapshots = [EMPTY_SERVER_BYTES + count * ROW_BYTES for count in counts]
    populate_ns = sum(_INITIALISE_NS + count * 10**9 // _POPULATE_ROWS_PER_S for count in counts)
    targets = len(study.targets)
    started = sum(target.engine.source_kind != "server" for target in study.targets)
    copy_bytes = max(snapshots) if started else 0
    places = len(study.workloads) * len(study.tiers_bytes) * len(study.routes) * len(study.concurrencies)
    budget = Budget(
        prepare_ns=started * _OBTAIN_NS + targets * populate_ns,
        parts=run_parts(study, rows, run_count - places * targets * study.repeats, seen),
        run_count=run_count,
        disk_bytes=started * (_ENGINE_BYTES + sum(snapshots)) + copy_bytes,
        memory_bytes=max(study.tiers_bytes) + _SERVER_MEMORY_BYTES + max(study.concurrencies) * _CONNECTION_BYTES,
        copy_bytes=copy_bytes,
    )
    return budget.with_variation(study, variation)


def check_budget(study: Study, budget: Budget, memory_bytes: int, free_disk_bytes: int) -> None:
    """Refuse a study that the machine of its servers can't hold.

    Raises
    ------
    RequestError : a tier needs more memory than the machine has
    HostError : the disk is too small
    """
    if all(target.engine.source.startswith("server") for target in study.targets):
        return
    server = study.bench.server if study.bench is not None else None
    if budget.memory_bytes > memory_bytes:
        tier = format_bytes(max(study.tiers_bytes))
        raise RequestError(
            f"tier {tier} does not fit {server.name if server is not None else 'this machine'}",
            f"it needs about {format_bytes(budget.memory_bytes)} and {format_bytes(memory_bytes)} are available",
            "choose a smaller tier or another machine",
            code="memory-exceeded",
        )
    if budget.disk_bytes > free_disk_bytes:
        raise HostError(
            f"not enough disk space for the study{f' on {server.name}' if server is not None else ''}",
            f"it needs about {format_bytes(budget.disk_bytes)} and {format_bytes(free_disk_bytes)} are free",
            "free some space, choose fewer rows or targets, or "
            + ("point DBDYNO_HOME at" if server is None else f"name with `home` of [hosts.{server.name}] a folder of")
            + " a larger disk",
            code="disk-exceeded",
        )
