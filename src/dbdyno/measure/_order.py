"""The order that the load generator is given: ``contract/load-order.schema.json``. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.core import Run
from dbdyno.store import JsonValue
from dbdyno.study import Study

SCHEMA_VERSION = 1
_TRANSIENT_ERRORS = (1213, 1020, 1205)  # deadlock, record changed, lock wait: sysbench's own list
_DRAIN_NS = 5 * 10**9
_CONNECT_NS = 60 * 10**9


@dataclass(frozen=True, slots=True)
class LoadOrder:
    """What is driven, against what, and for how long.

    Parameters
    ----------
    target : address, user, name of the password's file, database: never a password
    workers : threads of the load generator
    """

    run: Run
    study: Study
    target: Mapping[str, JsonValue]
    workers: int

    def to_json(self) -> dict[str, JsonValue]:
        """The order as it is sent and stored."""
        choice = self.study.workload(self.run.cell.workload)
        client = self.study.pinning.client
        return {
            "schema_version": SCHEMA_VERSION,
            "target": dict(self.target),
            "workload": {"name": choice.name, "options": dict(choice.options)},
            "protocol": self.study.protocol,
            "rng": self.study.rng,
            "seed": self.run.seed,
            "concurrency": self.run.cell.concurrency,
            "workers": self.workers,
            "cpus": list(client) if client else None,
            "pacing": _pacing(self.study),
            "phases": list(_phases(self.study)),
            "errors": {"ignore": list(_TRANSIENT_ERRORS), "rollback_first": False, "retry_limit": None},
            "drain_ns": _DRAIN_NS,
        }

    @property
    def first_window_second(self) -> int:
        """Second at which the window begins."""
        return self.study.warm_up_ns // 10**9

    @property
    def window_seconds(self) -> int:
        """Seconds of the window."""
        return self.study.window_ns // 10**9

    @property
    def longest_s(self) -> float:
        """Time after which a load generator that still runs must be stuck."""
        return (self.study.warm_up_ns + self.study.window_ns + 2 * _DRAIN_NS + _CONNECT_NS) / 1e9


def worker_count(concurrency: int, client_cpus: Sequence[int] | None, logical_cpu_count: int) -> int:
    """Threads of the load generator: one a processor it was given, else half of the machine's, never idle ones.

    >>> worker_count(16, None, 8), worker_count(1, (1, 2), 8), worker_count(16, (1, 2), 8), worker_count(4, None, 1)
    (4, 1, 2, 1)
    """
    threads = len(client_cpus) if client_cpus else max(logical_cpu_count // 2, 1)
    return min(threads, concurrency)


def _pacing(study: Study) -> dict[str, JsonValue]:
    if study.pacing.rate_per_s is None:
        return {"kind": "closed"}
    return {"kind": "fixed-rate", "rate_per_s": study.pacing.rate_per_s, "arrivals": study.pacing.arrivals}


def _phases(study: Study) -> list[JsonValue]:
    phases = [("warm-up", study.warm_up_ns), ("window", study.window_ns)]
    return [{"name": name, "duration_ns": duration_ns} for name, duration_ns in phases if duration_ns]
