"""Drives a bench of paper in a process of a fleet: see `BenchWork`. Whatever process drives it can import it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from dbdyno.core import Run, RunRecord, RunSpan, TotalFigures
from dbdyno.lab import BenchMessage, BenchReady, BenchStart, RunFinished, RunMade, RunStarted
from dbdyno.store import JsonValue, record_to_json

FACTS: Mapping[str, JsonValue] = {"hostname": "h", "cpu_model": "x", "logical_cpu_count": 4, "memory_bytes": 1 << 34}
RUN_S = 0.2


def drive_paper(
    start: BenchStart, orders: Iterator[Sequence[Run]], tell: Callable[[BenchMessage | None], None]
) -> None:
    """Store what it is told to, a fifth of a second each."""
    next(orders)
    tell(BenchReady({**FACTS, "hostname": start.bench, "pid": os.getpid()}))
    tell(None)
    for runs in orders:
        for run in runs:
            tell(RunStarted(run, run.order_index + 1, 24))
            time.sleep(RUN_S)
            tell(made(run, start.bench))
        tell(None)


def made(run: Run, bench: str, tps: float = 100.0) -> RunMade:
    """A run with the least of its files."""
    record = RunRecord(
        run,
        "f",
        "1",
        "innodb",
        "good",
        figures=TotalFigures(tps_mean=tps),
        span=RunSpan(ended_ns=time.time_ns()),
        bench=bench,
    )
    text = json.dumps(record_to_json(record), default=dict).encode()
    files = {"record.json": text, "variables.json": b"{}\n", "settings.json": b"[]\n"}
    return RunMade(RunFinished(record, run.order_index + 1, 24), files)
