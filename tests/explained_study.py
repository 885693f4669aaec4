"""A results folder whose statements take known times: what an explanation of it must find is planted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from dbdyno.analyse.explain import LEVELS
from dbdyno.core import Run, RunRecord, TotalFigures
from dbdyno.plan import make_plan
from dbdyno.store import (
    IntervalRow,
    JsonValue,
    Results,
    SecondRow,
    StackProfile,
    StoredRun,
    StoredStudy,
    TelemetryRow,
)
from dbdyno.study import Study, parse_study
from encoded_histograms import encoded_counts

STUDY = """
name = "explained"
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
tables = 4
rows = 50000
[axes]
{axes}
[measure]
warm_up = "1s"
window = "12s"
repeats = {repeats}
"""
SIX_PLACES = 'tier = ["64MB", "512MB"]\nconcurrency = [1, 4, 16]'
LAST_PLACE = 'tier = ["512MB"]\nconcurrency = [16]'
"""The place that an answer is about, without the others: a sixth of the runs."""
STATEMENTS: Mapping[str, tuple[int, float]] = {
    "begin": (1, 0.1),
    "point_select": (10, 0.3),
    "simple_range": (1, 0.5),
    "order_range": (1, 0.9),
    "index_update": (1, 1.2),
    "insert": (1, 0.5),
    "commit": (1, 1.5),
}
"""How often each is sent in a transaction, and the milliseconds that it takes."""
CLIENT_NS = 9_000.0
SECONDS = 12


class PlantedTimes:
    """Writes runs whose statements take the times above, some of them longer on some targets.

    Parameters
    ----------
    factors : target -> statement -> times as long
    spread : of a run's luck, and of each statement's, relative
    axes : the places, as a study file has them
    states : target -> state -> share of the session threads in it; none: threads were not watched
    counted : target -> counter of the server -> its growth per transaction; of a level its mean
    metrics : target -> metric of the telemetry -> its value in every second
    variables : target -> the server's variables
    profiles : target -> stacks of its server; none: it was not profiled
    """

    def __init__(
        self,
        factors: Mapping[str, Mapping[str, float]],
        seed: int = 1,
        spread: float = 0.01,
        repeats: int = 3,
        axes: str = SIX_PLACES,
        states: Mapping[str, Mapping[str, float]] | None = None,
        counted: Mapping[str, Mapping[str, float]] | None = None,
        metrics: Mapping[str, Mapping[str, float]] | None = None,
        variables: Mapping[str, Mapping[str, str]] | None = None,
        profiles: Mapping[str, StackProfile] | None = None,
    ) -> None:
        self.factors, self.spread, self.random = factors, spread, np.random.default_rng(seed)
        self.states, self.counted = states or {}, counted or {}
        self.metrics, self.variables = metrics or {}, variables or {}
        self.profiles = profiles or {}
        self.text = STUDY.format(repeats=repeats, axes=axes)

    @property
    def study(self) -> Study:
        return _study_of(self.text)

    def write(self, folder: Path) -> StoredStudy:
        plan = make_plan(self.study)
        results = Results.create(folder, self.text, {}, {"logical_cpu_count": 4}, study_name=self.study.name)
        with results.writing() as writer:
            for run in plan.runs:
                writer.add_run(self.stored(run))
        return StoredStudy.open(folder)

    def times_ms(self, run: Run) -> dict[str, float]:
        """Milliseconds of one statement of each type in a run."""
        own = self.factors.get(run.cell.target, {})
        luck = self.random.normal(0, self.spread)
        slower = run.cell.concurrency**0.5
        return {
            name: ms * slower * own.get(name, 1.0) * math.exp(luck + self.random.normal(0, self.spread))
            for name, (_, ms) in STATEMENTS.items()
        }

    def stored(self, run: Run) -> StoredRun:
        times = self.times_ms(run)
        total_ms = sum(count * times[name] for name, (count, _) in STATEMENTS.items())
        tps = run.cell.concurrency * 1e3 / total_ms
        seconds, intervals = [], []
        for second in range(SECONDS + 1):
            phase = "window" if second else "warm-up"
            done = max(round(tps * (1 + self.random.normal(0, 0.01))), 1)
            # What is done in a second took all of its time, so that statements fill it.
            scale = run.cell.concurrency * 1e3 / (done * total_ms)
            seconds.append(_second(second, phase, done))
            took = total_ms * scale
            text = encoded_counts({took * 1e6: done})
            row = IntervalRow(second, phase, "transaction", "read_write", done, 0, "{}", "{}", text, text, text)
            intervals.append(row)
            for name, (count, _) in STATEMENTS.items():
                text = encoded_counts({times[name] * scale * 1e6: done * count})
                row = IntervalRow(second, phase, "statement", name, done * count, 0, "{}", "{}", None, text)
                intervals.append(row)
        engine = self.study.target(run.cell.target).engine
        record = RunRecord(
            run,
            engine.family,
            engine.version,
            engine.storage_engine,
            "good",
            figures=TotalFigures(
                window_s=float(SECONDS),
                tps_mean=float(np.mean([row.tps for row in seconds[1:]])),
                tps_half_width=0.005 * tps,
                transactions=int(sum(row.tps for row in seconds[1:])),
            ),
        )
        telemetry = [row for second in seconds for row in self._thread_rows(run, second.second)]
        counters = self._counters(run, record.figures.transactions)
        variables = dict(self.variables.get(run.cell.target, {"version": "1"}))
        documents = {"variables": variables, "order": {"workers": 1}, "counters": counters}
        profile = self.profiles.get(run.cell.target)
        return StoredRun(record, seconds, intervals, telemetry, **documents, profile=profile)

    def _counters(self, run: Run, transactions: int) -> dict[str, JsonValue]:
        rows: list[JsonValue] = [
            {"name": name, "unit": "ops", "covered_s": 12.0, "kind": "counter", "delta": each * transactions}
            for name, each in self.counted.get(run.cell.target, {}).items()
            if name not in LEVELS
        ]
        rows += [
            {
                "name": name,
                "unit": "count",
                "covered_s": 12.0,
                "kind": "gauge",
                "begin": 0.0,
                "end": 2 * level,
                "highest": 0.0,
            }
            for name, level in self.counted.get(run.cell.target, {}).items()
            if name in LEVELS
        ]
        document = {"window_s": 12.0, "transactions": transactions, "counters": rows, "absent": []}
        return document if rows else {}

    def _thread_rows(self, run: Run, second: int) -> list[TelemetryRow]:
        states, count = self.states.get(run.cell.target, {}), run.cell.concurrency
        rows = [TelemetryRow(second, "sessions.count", float(count), "threads")] if states else []
        luck = {state: math.exp(self.random.normal(0, 0.05)) for state in states}
        whole = sum(share * luck[state] for state, share in states.items())
        for state, share in states.items():
            threads = share * luck[state] / whole * count
            rows.append(TelemetryRow(second, f"sessions.{state}", threads, "threads"))
        metrics = self.metrics.get(run.cell.target, {})
        return [*rows, *(TelemetryRow(second, metric, value, "") for metric, value in metrics.items())]


@cache
def _study_of(text: str) -> Study:
    return parse_study(text, "explained")


def _second(second: int, phase: str, done: int) -> SecondRow:
    fields = dict.fromkeys(SecondRow.__slots__)
    known = {
        "second": second,
        "phase": phase,
        "monotonic_ns": second * 10**9,
        "realtime_ns": (1_795_000_000 + second) * 10**9,
        "duration_ns": 10**9,
        "tps": float(done),
        "qps": float(done * 16),
        "failed": 0,
        "retries": 0,
        "errors": 0,
        "client_cpu_wait_share": 0.001,
        "client_cpu_ns_per_statement": CLIENT_NS,
        "client_busy_share": 0.1,
        "client_use_share": 0.1,
    }
    return SecondRow(**{**fields, **known})
