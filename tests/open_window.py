"""A window left open, on a real load: begun before the truth tests and judged with them, as it takes 90 seconds.

The null server takes a known time for each statement, so what the window's mean must be is known, too. Eight
connections that mostly wait are nothing to the machine, so they run beside what else is tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.core import Cell, Run
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.measure import LoadGenerator, LoadOrder, MeasuredRun, measure_run
from dbdyno.stats import AdaptiveLengthRule, Course
from dbdyno.store import JsonValue
from dbdyno.study import AdaptiveLength, parse_study
from null_server import NullServer

CONNECTIONS, DELAY_S = 8, 0.01
_WRITTEN = parse_study(
    f"""
    targets = ["mysql:9.7"]
    workload.name = "oltp_point_select"
    axes = {{tier = "64MB", concurrency = {CONNECTIONS}}}
    measure = {{warm_up = "3s", window = "300s"}}
    """,
    "open.toml",
)
# Sooner asked than a study file may and of what a busy machine gives, too, so that the test is short: three checks.
_STUDY = replace(_WRITTEN, adaptive_length=AdaptiveLength(window_least_ns=30 * 10**9, target_half_width=0.1))
_RUN = Run(Cell("mysql:9.7", 64 << 20, CONNECTIONS, "sysbench/oltp_point_select", "socket"), 1, 0, 1, "")
_TARGET: Mapping[str, JsonValue] = {
    "host": None,
    "port": None,
    "user": "dbdyno",
    "password_file": None,
    "database": "dbdyno",
    "tls": "off",
}


class Undying:
    """The null server, as far as measuring wants to know it."""

    def exit_reason(self) -> str | None:
        return None

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None


@dataclass(frozen=True)
class OpenWindow:
    """The run that has ended, its rule, and each course that was told while it went on."""

    measured: MeasuredRun
    rule: AdaptiveLengthRule
    courses: list[Course]


@contextmanager
def begin(folder: Path) -> Iterator[Future[OpenWindow]]:
    """Have it under way while the block runs; the block does not end before it."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(drive, folder)


def drive(folder: Path) -> OpenWindow:
    """One run to its end."""
    courses: list[Course] = []
    with NullServer(folder, "--delay", f"constant:{DELAY_S * 1e3:g}ms") as server:
        order = LoadOrder(_RUN, _STUDY, {**_TARGET, "socket": str(server.socket)}, workers=1)
        measured = measure_run(
            order,
            Undying(),
            LoadGenerator(LocalHost(), find_generator()),
            lambda row: None,
            on_course=courses.append,
        )
    return OpenWindow(measured, order.adaptive_length_rule, courses)
