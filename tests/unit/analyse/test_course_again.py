"""Courses and settled parts of stored runs, judged again from what is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dbdyno.analyse import ServerReadings, course_again, settled_again
from dbdyno.core import RunRecord, SettledPart
from dbdyno.stats import METHOD, AdaptiveLengthRule, StoppingRule
from planted_series import noisy

MakeRecord = Callable[..., RunRecord]
RULE = AdaptiveLengthRule(1800, 900, by_state=True, stopping=StoppingRule())
TPS = noisy(1000.0)[:900]


def server_with(history: np.ndarray) -> ServerReadings:
    """A server at rest, but for the length of its history."""
    levels = {"engine.history.length": history, "engine.pages.read": np.zeros(len(TPS))}
    rows = [(second, name, float(value)) for name, values in levels.items() for second, value in enumerate(values)]
    return ServerReadings({"innodb_page_size": "16384"}, {"data_bytes": 20 << 20}, False, rows)


def test_a_history_that_still_grows_prolongs_a_warm_up_only_where_the_server_counts(record: MakeRecord) -> None:
    steady, growing = np.full(len(TPS), 12.0), np.minimum(np.arange(len(TPS)) * 100.0, 3_000.0)
    by_throughput = course_again(record(), RULE, TPS, None)
    settled = course_again(record(), RULE, TPS, server_with(steady))
    late = course_again(record(), RULE, TPS, server_with(growing))
    assert by_throughput is not None and settled is not None and late is not None
    assert by_throughput.warm_up_s == settled.warm_up_s < 200 < late.warm_up_s
    assert course_again(record(), RULE, TPS[:30], None) is None, "its course had not ended"


def test_a_run_judged_by_another_method_is_judged_from_its_seconds(record: MakeRecord) -> None:
    window = noisy(1000.0)[:300]
    kept = SettledPart("drifting", 300, 0, 1.0, 0.1)
    run = record(figures={"window_s": 300.0}, settled=kept, method="dbdyno-stats/0")
    again = settled_again(run, lambda: window, is_rate_varied=False)
    assert again.method == METHOD and again.settled is not None and again.settled.status != "drifting"
    assert settled_again(replace(run, method=METHOD), lambda: window, is_rate_varied=False).settled is kept


def test_a_run_without_a_window_of_one_rate_has_no_settled_part(record: MakeRecord) -> None:
    def never() -> np.ndarray:
        raise AssertionError("its seconds are not read")

    run = record(figures={"window_s": 300.0}, method="")
    short = record(figures={"window_s": 179.0}, method="")
    assert settled_again(run, never, is_rate_varied=True).settled is None
    assert settled_again(short, never, is_rate_varied=False).settled is None
    idle = record(tps=None, figures={"window_s": 300.0}, method="")
    assert settled_again(idle, never, is_rate_varied=False).settled is None
