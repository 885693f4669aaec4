"""A run without a transaction says what its sessions waited for."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from dbdyno.core import Cell, ConfigureError, Run, RunRecord
from dbdyno.lab import _session_waits
from dbdyno.lab._record import with_waits
from dbdyno.lab._run_executor import SecondReporter
from dbdyno.lab._session_waits import SessionWatch, alike
from dbdyno.measure import LoadOrder
from dbdyno.store import JsonValue, SecondRow
from dbdyno.study import parse_study

STUDY = """
targets = ["mariadb:11.8"]
workload.name = "oltp_read_write"
axes = {tier = "64MB", concurrency = 4}
measure = {warm_up = "4s", window = "8s"}
"""
RUN = Run(Cell("mariadb:11.8", 64 << 20, 4, "sysbench/oltp_read_write", "socket"), 1, 0, 9, "")
WAITS: Mapping[str, JsonValue] = {
    "sessions": [{"count": 4, "state": "Updating", "statement": "UPDATE sbtest1 SET", "longest_s": 49}],
    "lock_waits": 3,
}


@dataclass
class SessionSource:
    answer: Any = field(default_factory=lambda: dict(WAITS))
    count: int = 0

    def session_waits(self) -> Mapping[str, JsonValue]:
        self.count += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            self.answer()
        return self.answer  # type: ignore[no-any-return]


def second(number: int, phase: str, tps: float) -> SecondRow:
    empty = {name: None for name in SecondRow.__dataclass_fields__}
    return SecondRow(**{**empty, "second": number, "phase": phase, "duration_ns": 10**9, "tps": tps})  # type: ignore[arg-type]


def watched(asked: SessionSource, warm_up: list[float], window: list[float]) -> tuple[SessionWatch, list[object]]:
    told: list[object] = []
    order = LoadOrder(RUN, parse_study(STUDY, "s.toml"), {"socket": "/s"}, workers=1)
    watch = SessionWatch(order, asked, SecondReporter(RUN, order, told.append))
    rows = [("warm-up", tps) for tps in warm_up] + [("window", tps) for tps in window]
    for number, (phase, tps) in enumerate(rows):
        watch.take(second(number, phase, tps))
    return watch, told


def test_sessions_are_looked_at_where_a_phase_has_no_transaction_at_all() -> None:
    asked = SessionSource()
    watch, told = watched(asked, [0] * 4, [0] * 8)
    assert [(look["phase"], look["second"]) for look in watch.samples] == [  # type: ignore[call-overload,index]
        ("warm-up", 3), ("window", 8), ("window", 11)
    ]  # fmt: skip
    assert len(told) == 12
    assert re.search(r'\b12 .*\b4 .*"Updating" \(UPDATE sbtest1 SET,.* 49 s\); 3 InnoDB transactions', watch.words())


@pytest.mark.parametrize("window", [[5.0] + [0.0] * 7, [5.0] * 8])
def test_a_run_with_transactions_is_not_disturbed_stalls_or_not(window: list[float]) -> None:
    asked = SessionSource()
    watch, _ = watched(asked, [9.0] * 4, window)
    assert (asked.count, watch.words(), watch.samples) == (0, "", [])


def test_a_server_that_refuses_or_does_not_answer_does_not_hold_up_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, told = watched(
        SessionSource(ConfigureError("it does not let us in", "too many connections")), [0] * 4, [0] * 8
    )
    assert watch.words() == "" and len(told) == 12
    assert all("does not let us in" in look["lacks"] for look in watch.samples)  # type: ignore[call-overload,index]
    release = threading.Event()
    monkeypatch.setattr(_session_waits, "_ASK_S", 0.01)
    watch, told = watched(SessionSource(release.wait), [0] * 4, [0] * 8)
    release.set()
    assert watch.words() == "" and len(told) == 12
    assert all(" 0.01 s" in look["lacks"] for look in watch.samples)  # type: ignore[call-overload,index]


def test_the_reason_of_a_run_without_a_transaction_has_it_and_another_runs_has_not() -> None:
    failed = RunRecord(RUN, "mariadb", "11.8.6", "innodb", "failed", "no transaction completed in the window")
    assert with_waits(failed, "in second 12 ..").reason == f"{failed.reason}: in second 12 .."
    assert with_waits(failed, "") == failed


def test_values_of_statements_are_not_kept() -> None:
    rows = [
        (1, "u", "h", "d", "Query", 3, "Update", "INSERT INTO t VALUES (1,'secret')"),
        (2, "u", "h", "d", "Query", None, None, None),
        (3, "u", "h", "d", "Query", 7, "", "SELECT 'secret'"),
    ]
    assert "secret" not in str(alike(rows))
    assert {kind["state"] for kind in alike(rows)} == {"Update", "Query"}
