"""Lists times of servers' starts, shutdowns and recoveries, effects of memory limits, and crashes."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import RunRecord, format_bytes, format_duration, format_memory, percent, target_title
from dbdyno.store import StoredStudy

TIMES = ("start_ns", "shutdown_ns", "recovery_ns")
_MOST_DEATHS = 10
MEMORY = ("peak_bytes", "page_cache_bytes", "anonymous_bytes", "refaulted_pages")


@dataclass(frozen=True, slots=True)
class TargetLifecycle:
    """Holds all runs of a target at a memory budget.

    Parameters
    ----------
    times_ns : by name of `TIMES`, of the runs that have it
    limit_bytes : None without a memory limit
    memory : by name of `MEMORY`, the largest of the runs; None where the kernel does not report it
    """

    target: str
    tier_bytes: int
    times_ns: Mapping[str, Sequence[int]]
    limit_bytes: int | None
    memory: Mapping[str, int | None]

    def median_ns(self, name: str) -> int | None:
        """Return the median of one of the times; None where no run has it."""
        values = self.times_ns.get(name)
        return round(statistics.median(values)) if values else None


@dataclass(frozen=True, slots=True)
class ServerCrash:
    """Describes a run that was spoilt by the end of its server, or by a full disk."""

    record: RunRecord
    words: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ServerLifecycles:
    """Holds what is known of the servers of a study."""

    targets: tuple[TargetLifecycle, ...] = ()
    deaths: tuple[ServerCrash, ...] = ()


def server_lifecycles(results: StoredStudy, records: Sequence[RunRecord], targets: Sequence[str]) -> ServerLifecycles:
    """Read it off the stored runs, targets in the study's order; runs of older versions and of others show nothing."""
    lives_by_target: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    crashes = []
    for record in records:
        life: Mapping[str, Any] = results.optional_document(record.run.run_id, "life")
        if life:
            lives_by_target.setdefault((record.run.cell.target, record.run.cell.tier_bytes), []).append(life)
        if record.fault:
            crashes.append(_server_crash(record, life))
    target_order = {name: index for index, name in enumerate(targets)}
    ordered_lives = sorted(
        lives_by_target.items(), key=lambda item: (item[0][1], target_order.get(item[0][0], len(target_order)))
    )
    return ServerLifecycles(tuple(_target_lifecycle(*key, lives) for key, lives in ordered_lives), tuple(crashes))


def lifecycle_lines(lives: ServerLifecycles) -> list[str]:
    """Return one line a target and memory budget, of studies that asked for more than the start; then one a death."""
    lines = []
    for life in lives.targets:
        facts = []
        for name, words in (("shutdown_ns", "shutdown"), ("recovery_ns", "recovery")):
            if (median := life.median_ns(name)) is not None:
                facts.append(f"{words} {format_duration(median)}")
        if life.limit_bytes is not None:
            peak = life.memory["peak_bytes"]
            used_words = "an unknown part" if peak is None else percent(peak / life.limit_bytes)
            facts.append(f"used {used_words} of its limit of {format_bytes(life.limit_bytes)}")
        if facts:
            start = life.median_ns("start_ns")
            facts = [*([f"start {format_duration(start)}"] if start is not None else []), *facts]
            lines.append(f"{target_title(life.target)} at {format_memory(life.tier_bytes)}: {', '.join(facts)}")
    return lines + [
        f"{target_title(crash.record.run.cell.target)}: {crash.words}" for crash in lives.deaths[:_MOST_DEATHS]
    ]


def lifecycles_object(lives: ServerLifecycles) -> list[dict[str, object]]:
    """Return times of each target and memory budget in nanoseconds, memory in bytes, for programs."""
    return [
        {
            "target": life.target,
            "tier_bytes": life.tier_bytes,
            **{name: list(values) for name, values in life.times_ns.items()},
            "limit_bytes": life.limit_bytes,
            **life.memory,
        }
        for life in lives.targets
    ]


def _target_lifecycle(target: str, tier_bytes: int, lives: Sequence[Mapping[str, Any]]) -> TargetLifecycle:
    times = {name: [life[name] for life in lives if isinstance(life.get(name), int)] for name in TIMES}
    memory_uses = [life["memory"] for life in lives if life.get("memory")]
    memory = {
        name: max((memory_use[name] for memory_use in memory_uses if memory_use.get(name) is not None), default=None)
        for name in MEMORY
    }
    return TargetLifecycle(target, tier_bytes, times, memory_uses[0]["limit_bytes"] if memory_uses else None, memory)


def _server_crash(record: RunRecord, life: Mapping[str, Any]) -> ServerCrash:
    crash_document: Mapping[str, Any] = life.get("death") or {}
    words, _, details = record.reason.partition("\n")
    excerpt = "\n".join(filter(None, (crash_document.get("kernel_line"), crash_document.get("excerpt")))) or details
    return ServerCrash(record, words, excerpt)
