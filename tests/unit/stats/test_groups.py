"""Leads, families and plans of measurement, by textbook values and by what they must obey."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import LogLevel, benjamini_hochberg, cheapest_window_s, lead, matching_window_s, single_run_level
from public_series import EXPECTED


@pytest.mark.parametrize(("spread", "low", "high"), [(0.012, 27.8, 41.3), (0.0, 32.0, 36.7)])
def test_the_lead_of_the_public_group_holds_against_all_nine_others(spread: float, low: float, high: float) -> None:
    group = [run for run in EXPECTED if run.startswith("RO-") and run.endswith("bp32-t128")]
    found = lead({run: single_run_level(EXPECTED[run]["mean"], EXPECTED[run]["half"], spread) for run in group})
    assert (found.best, found.next_best) == ("RO-Ma10_11-bp32-t128", "RO-Ma12_1-bp32-t128")
    percents = [100 * (ratio - 1) for ratio in (found.ratio, found.low, found.high)]
    assert percents == pytest.approx([34.4, low, high], abs=0.06)


def test_nobody_leads_alone() -> None:
    assert lead({"a": LogLevel(7.0, 0.01, 20.0, 3, 0.02)}) is None


def test_a_lead_is_over_the_nearest_and_its_interval_over_all() -> None:
    """Differences .05 and .06, each +- 2.24140 standard errors (the normal at 1 - .05 / 4): .0709 and .0317.

    The nearest rival is known the least: it gives the lower end, and the other one the upper end.
    """
    levels = {"c": (7.04, 0.01), "a": (7.10, 0.01), "b": (7.05, 0.03)}
    found = lead({name: LogLevel(mean, se, math.inf, 3, 0.02) for name, (mean, se) in levels.items()})
    assert found is not None and (found.best, found.next_best) == ("a", "b")
    logs = [math.log(ratio) for ratio in (found.ratio, found.low, found.high)]
    assert logs == pytest.approx([0.05, 0.05 - 0.0708794, 0.06 + 0.0316982], abs=1e-6)


def test_the_simultaneous_interval_covers_the_true_lead() -> None:
    generator = np.random.default_rng(8)
    truth = np.array([7.10, 7.05, 7.04, 7.04, 6.90])
    covered = 0
    for _ in range(400):
        seen = generator.normal(truth, 0.01)
        found = lead({str(index): LogLevel(mean, 0.01, 1e6, 9, 0.03) for index, mean in enumerate(seen)})
        covered += found.best == "0" and found.low <= math.exp(0.05) <= found.high
    assert covered / 400 >= 0.93


def test_benjamini_hochberg_agrees_with_the_published_example() -> None:
    # Benjamini and Hochberg 1995, section 3.2: of 15 tests four are kept at 0.05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    p += [0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    adjusted = benjamini_hochberg(p)
    assert [value <= 0.05 for value in adjusted] == [True] * 4 + [False] * 11
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)
    assert adjusted == sorted(adjusted)
    assert benjamini_hochberg([]) == []


def test_adjusting_does_not_depend_on_the_order() -> None:
    p = [0.03, 0.001, 0.2, 0.04]
    assert benjamini_hochberg(p[::-1]) == benjamini_hochberg(p)[::-1]


def test_the_matching_window_gives_the_error_of_one_long_window() -> None:
    noise, spread = 0.008, 0.012
    for repeats in (2, 3, 6):
        window = matching_window_s(repeats, noise, spread)
        error = (spread**2 + noise**2 * 900 / window) / repeats
        assert error == pytest.approx(spread**2 + noise**2)


def test_no_other_window_buys_the_precision_for_less_time() -> None:
    noise, spread, overhead = 0.01, 0.012, 300.0

    def cost(window: float) -> float:
        return (overhead + window) * (spread**2 + 900 * noise**2 / window)

    cheapest = cheapest_window_s(noise, spread, overhead)
    assert cost(cheapest) < min(cost(0.9 * cheapest), cost(1.1 * cheapest))


def test_a_plan_without_spread_or_repeats_is_refused() -> None:
    with pytest.raises(AnalysisError, match=r"spread 0\.0, overhead 9\.0 s"):
        cheapest_window_s(0.1, 0.0, 9.0)
    with pytest.raises(AnalysisError, match=r"\b0 repeats"):
        matching_window_s(0, 0.1, 0.1)
