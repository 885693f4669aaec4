"""One run judged from its seconds: figures where there are any, and the caveats that belong to them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dbdyno.analyse import SeriesJudgement, judge_series, level_words, stall_words, stop_words, wave_words, window_words
from planted_series import jump, noisy, ramp, stalled, wave


def codes(found: SeriesJudgement) -> set[str]:
    return {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (np.full(900, 1000.0), set()),
        (ramp(0.2), {"drifting", "short-window"}),
        (jump(450, 1000, 700) + 300 * (np.arange(900) >= 770), {"not-reached", "short-window"}),
        (wave(60, 0.3), {"wave"}),
        (np.zeros(900), {"dead"}),
    ],
)
def test_each_verdict_has_its_caveat(level: np.ndarray, expected: set[str]) -> None:
    found = judge_series(noisy(level))
    assert codes(found) - {"slow-wave"} == expected


def test_noisy_means_drift_or_quarters_and_not_a_wide_interval() -> None:
    level = np.full(900, 1000.0)
    level[520:527] = level[640:647] = 0
    found = judge_series(noisy(level))
    assert found.state.status == "noisy" and found.state.window and found.state.drift and found.state.quarters
    assert found.state.window.half_width < 0.03 * found.state.window.mean
    assert abs(found.state.drift.change) + found.state.drift.half_width > 0.06 and found.state.quarters > 0.03
    (text,) = [caveat.text for caveat in found.caveats if caveat.code == "noisy"]
    assert "interval" not in text and "quarter" in text
    assert re.findall(r"\d+ %", text) == ["3 %", "6 %", "3 %"]


def test_stalled_seconds_are_counted_from_the_start_of_the_run() -> None:
    beginning = np.full(100, 400.0)
    found = judge_series(np.concatenate([beginning, noisy(stalled(300))]))
    assert found.window_from_s == 100
    assert found.stalled_s == tuple(100 + start + second for start in (150, 450, 750) for second in range(5))
    assert judge_series([0.0] * 20).stalled_s == ()


def test_regular_stalls_are_told_as_such() -> None:
    level = np.where(np.arange(900) % 20 < 3, 100.0, 1000.0)
    found = judge_series(noisy(level))
    assert "regular-stalls" in codes(found)
    assert "regular-stalls" not in codes(judge_series(noisy(stalled(300))))


def test_a_wave_with_fewer_than_five_swings_in_the_window_is_slow() -> None:
    assert "slow-wave" in codes(judge_series(noisy(wave(200, 0.1))))
    assert "slow-wave" not in codes(judge_series(noisy(wave(60, 0.1))))


def test_seconds_without_a_report_are_named() -> None:
    series = noisy(1000.0)
    series[[99, 100]] = 0
    found = judge_series(series, (100, 101), is_cut=True)
    texts = {caveat.code: caveat.text for caveat in found.caveats}
    assert "2 of 900 seconds" in texts["missing-seconds"]
    assert "100, 101" in texts["missing-seconds"]
    assert "cut-interval" in texts


def test_a_slow_server_has_its_stalls_told_of_groups_of_ten_seconds() -> None:
    found = judge_series(np.random.default_rng(2).poisson(4.0, 900).astype(float))
    assert found.window_stalls.count == 0
    assert "coarse-seconds" in codes(found)


@pytest.mark.parametrize("seconds", [1, 2, 59])
def test_a_short_run_has_its_mean_median_and_extremes_and_nothing_else(seconds: int) -> None:
    found = judge_series(np.arange(seconds) + 1.0)
    assert (found.median, found.minimum, found.maximum) == ((seconds + 1) / 2, 1, seconds)
    assert (found.state.status, found.state.window, found.whole_stalls, found.mser5_s) == (
        "too-short",
        None,
        None,
        None,
    )


def test_a_wave_that_decays_shows_in_the_windows_of_a_long_run() -> None:
    time = np.arange(9000.0)
    swings = 1000 * (1 + 0.3 * np.exp(-time / 1500) * np.sin(2 * np.pi * time / 300))
    found = judge_series(swings * (1 + 0.02 * np.random.default_rng(1).normal(size=9000)))
    assert list(found.waves) == [0, 1000, 2000, 3000, 4000, 5000]
    assert found.waves[0].share > found.waves[5000].share
    assert "passing-wave" in codes(found)
    assert judge_series(swings[:1800]).waves == {}


def test_words_say_what_the_figures_are() -> None:
    found = judge_series(noisy(jump(360, 700, 1000)))
    assert window_words(found) in ("360-900 s", "365-900 s")
    assert level_words(found).startswith(("1,000", "999", "1,001", "998", "1,002"))
    assert (stall_words(found), wave_words(found)) == ("none", "none")
    drifting = judge_series(noisy(ramp(0.2)))
    assert level_words(drifting).startswith("(")
    assert stop_words(judge_series(noisy(1000.0))) == "240 s"
    assert (window_words(judge_series([1.0])), stall_words(judge_series([1.0]))) == ("-", "-")


def test_a_run_that_worked_only_in_its_last_seconds_has_no_drift() -> None:
    found = judge_series(np.concatenate([np.zeros(60), np.full(5, 100.0)]))
    assert (found.state.status, found.whole_drift) == ("dead", None)
