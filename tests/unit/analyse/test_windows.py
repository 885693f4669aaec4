"""Windows of stored runs: unsettled ones are told, settled ones are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dbdyno.analyse import remedy_words, unsettled_windows
from dbdyno.core import RunRecord, SettledPart
from dbdyno.stats import settled_part
from numbers_in import numbers_in
from planted_series import jump, noisy, ramp, slow_start, stalled, wave

MakeRecord = Callable[..., RunRecord]


def told(record: MakeRecord, *levels: np.ndarray | float) -> dict[str, str]:
    records = [
        record(target=f"t{index}", settled=settled_part(noisy(level, index))) for index, level in enumerate(levels)
    ]
    return {caveat.code: caveat.text for caveat in unsettled_windows(records)}


def test_settled_windows_are_not_mentioned(record: MakeRecord) -> None:
    assert told(record, 1000.0, ramp(0.02), stalled()) == {}


def test_windows_that_drift_or_jump_are_counted_with_the_widest(record: MakeRecord) -> None:
    dip = jump(450, 1000, 700) + 300 * (np.arange(900) >= 770)
    text = told(record, 1000.0, ramp(0.2), ramp(0.1), dip)["unsettled-windows"]
    assert numbers_in(text)[:3] == [4, 2, 1]
    assert "t1 at 4 connections, +1" in text


def test_a_window_that_died_or_jumped_is_given_no_drift(record: MakeRecord) -> None:
    dead, dip = np.repeat([1000.0, 0.0], [500, 400]), jump(450, 1000, 700) + 300 * (np.arange(900) >= 770)
    (caveat,) = unsettled_windows([record(settled=settled_part(tps)) for tps in (dead, noisy(dip, 3))])
    assert numbers_in(caveat.text) == [2, 1, 1]


def test_a_run_with_fewer_transactions_than_seconds_is_not_said_to_have_done_nothing(record: MakeRecord) -> None:
    slow = record(settled=settled_part(np.tile([0.0, 0.0, 1.0], 300)))
    assert slow.settled is not None and slow.settled.status == "dead"
    assert "no transaction in most seconds of the last third of its 900 s" in remedy_words([slow])


def test_a_drift_is_given_with_the_seconds_that_it_was_found_over(record: MakeRecord) -> None:
    settled = SettledPart("drifting", 900, 295, 340.0, 5.0, change=0.07)
    assert "+7 % over 605 s" in unsettled_windows([record(settled=settled)])[0].text
    assert "(+7 % over 605 s)" in remedy_words([record(settled=settled)])


def test_a_window_with_warm_up_in_it_is_told_with_its_length(record: MakeRecord) -> None:
    assert 360 <= numbers_in(told(record, jump(360, 700, 1000), 1000.0)["late-windows"])[-1] < 370
    assert "late-windows" in told(record, slow_start())


def test_waves_are_told_with_their_periods(record: MakeRecord) -> None:
    assert numbers_in(told(record, wave(60, 0.3), wave(200, 0.3))["waves"])[:4] == [2, 2, 60, 200]
    assert numbers_in(told(record, wave(60, 0.3))["waves"])[:3] == [1, 1, 60]


def test_equal_periods_of_waves_are_said_once(record: MakeRecord) -> None:
    found = told(record, wave(60, 0.3), wave(60, 0.3))["waves"]
    assert found.startswith("2 windows of 2 swing in waves of ") and " to " not in found


def test_a_window_below_three_minutes_is_not_judged_and_is_told_of_nowhere(record: MakeRecord) -> None:
    assert settled_part([5.0] * 179) is None
    assert unsettled_windows([record(settled=None)]) == []
