"""Comparisons, families and ranks against the public group of ten runs, and by planted differences."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.stats import (
    MARGIN,
    LogDifference,
    LogLevel,
    compare,
    compare_pairs,
    holm,
    rank_intervals,
    repeated_level,
    repeats_to_decide,
    repeats_to_exclude,
    single_run_level,
    smallest_detectable_ratio,
    spread_to_stand,
    spreads_to_stand,
    t_quantile,
    verdict_of,
    welch_df,
)
from public_series import EXPECTED, EXPECTED_GROUP


@pytest.fixture(scope="module")
def whole_runs() -> dict[str, tuple[float, float]]:
    runs = EXPECTED_GROUP["sigma_b=0.0"]["rank_intervals"]
    return {run: (EXPECTED[run]["mean"], EXPECTED[run]["half"]) for run in runs}


@pytest.mark.parametrize("sigma_b", [0.0, 0.012, 0.02])
def test_public_group_of_ten_has_the_expected_verdicts_and_ranks(
    sigma_b: float, whole_runs: dict[str, tuple[float, float]]
) -> None:
    expected = EXPECTED_GROUP[f"sigma_b={sigma_b}"]
    levels = {run: single_run_level(mean, half, sigma_b) for run, (mean, half) in whole_runs.items()}
    pairs = list(itertools.combinations(levels, 2))
    differences = [compare(levels[a], levels[b]) for a, b in pairs]
    adjusted = holm([difference.p for difference in differences])
    assert len(pairs) == expected["summary"]["pairs"]
    assert sum(p < 0.05 for p in adjusted) == expected["summary"]["different"]
    assert sum(d.is_same() for d in differences) == expected["summary"]["equivalent"]
    wins = {}
    for (a, b), difference, p in zip(pairs, differences, adjusted, strict=True):
        wins[(a, b) if difference.difference > 0 else (b, a)] = p < 0.05
    ranks = {run: list(places) for run, places in rank_intervals(list(levels), wins).items()}
    assert ranks == expected["rank_intervals"]


def test_public_pairs_have_the_expected_ratio_and_interval(whole_runs: dict[str, tuple[float, float]]) -> None:
    for pair, expected in EXPECTED_GROUP["example_pairs"].items():
        left, right = (single_run_level(*whole_runs[run], 0.012) for run in pair.split(" / "))
        difference = compare(left, right)
        low, high = difference.interval()
        assert difference.ratio == pytest.approx(expected["ratio"], rel=1e-6)
        assert (low, high) == pytest.approx((expected["lo"], expected["hi"]), rel=2e-5)
        assert difference.se == pytest.approx(expected["se"], rel=1e-5)
        assert difference.p == pytest.approx(expected["p"], rel=1e-3, abs=1e-300)
        assert difference.is_same() == expected["equivalent"]


def level(ratio: float, se: float, df: float = 20.0) -> LogLevel:
    return LogLevel(math.log(ratio), se, df, 2, se * math.sqrt(2))


@pytest.mark.parametrize(
    ("ratio", "se", "p_adjusted", "verdict"),
    [
        (1.20, 0.010, 0.001, "different"),
        (1.20, 0.200, 0.400, "undecided"),
        (1.02, 0.007, 0.040, "slightly different"),
        (1.01, 0.003, 0.020, "same"),
        (1.00, 0.003, 0.900, "same"),
        (1.00, 0.030, 0.900, "undecided"),
    ],
)
def test_verdict_follows_test_and_margin(ratio: float, se: float, p_adjusted: float, verdict: str) -> None:
    difference = compare(level(ratio, se / math.sqrt(2)), level(1.0, se / math.sqrt(2)))
    assert verdict_of(difference, p_adjusted) == verdict


def test_a_difference_of_the_margin_is_different_and_a_p_of_the_level_shows_none() -> None:
    at_margin = LogDifference(MARGIN, 0.02, 9.0, 0.02, 0.01)
    assert (verdict_of(at_margin, 0.049), verdict_of(at_margin, 0.05)) == ("different", "undecided")
    assert verdict_of(replace(at_margin, difference=-MARGIN), 0.049) == "different"
    below = replace(at_margin, difference=0.99 * MARGIN)
    assert (verdict_of(below, 0.049), verdict_of(below, 0.05)) == ("slightly different", "undecided")


def test_pairs_of_the_same_round_show_what_levels_that_drift_together_hide() -> None:
    pairs = [0.099, 0.101, 0.098, 0.102]
    assert compare(level(1.1, 0.2), level(1.0, 0.2)).p > 0.05
    assert compare_pairs(pairs, float(np.std(pairs, ddof=1)), 3.0).p < 0.001


def test_a_spread_known_from_more_places_narrows_the_interval_of_pairs() -> None:
    pairs = [0.06, 0.12, 0.09, 0.13]
    alone, borrowed = (compare_pairs(pairs, 0.03, df) for df in (3.0, 60.0))
    assert alone.ratio == borrowed.ratio
    assert alone.interval()[0] < borrowed.interval()[0] < borrowed.ratio < borrowed.interval()[1] < alone.interval()[1]
    assert alone.p > borrowed.p


def test_swapping_the_sides_inverts_the_ratio() -> None:
    left, right = level(1.3, 0.02, 4.0), level(1.0, 0.05, 9.0)
    there, back = compare(left, right), compare(right, left)
    assert there.ratio * back.ratio == pytest.approx(1.0)
    assert there.interval()[0] * back.interval()[1] == pytest.approx(1.0)
    assert there.p == pytest.approx(back.p)


def test_welch_freedom_lies_between_the_smaller_and_the_sum() -> None:
    difference = compare(level(1.1, 0.02, 4.0), level(1.0, 0.05, 9.0))
    assert 4.0 < difference.df < 13.0


def test_one_spread_behind_both_levels_has_its_own_freedom_and_not_the_sum() -> None:
    left, right = (LogLevel(7.0, 0.01, df, 1, 0.01, is_shared=True) for df in (3.0, 5.0))
    assert (welch_df(left, right), welch_df(right, left)) == (3.0, 3.0)
    assert welch_df(left, replace(right, is_shared=False)) == pytest.approx(4 / (1 / 3 + 1 / 5))


@pytest.mark.parametrize(("difference", "repeats"), [(-0.029, 2), (-0.1, 2), (-0.03, None)])
def test_repeats_that_never_differ_exclude_any_limit_but_the_difference_itself(
    difference: float, repeats: int | None
) -> None:
    assert repeats_to_exclude(difference, -0.03, 0.0) == repeats
    assert repeats_to_decide(difference, 0.0) == 2


@pytest.mark.parametrize(
    ("difference", "sd", "repeats"),
    [
        (0.5, 0.01, 2),  # t(0.975; 2) + t(0.8; 2) = 5.363 times 0.01
        # Five repeats: 0.0296 - 0.01 is t(0.95; 8) = 1.860 and 1.233 more standard errors of 0.00632, power 0.87; four
        # have 0.77. The difference itself would take 17.
        (0.01, 0.01, 5),
        (0.05, 0.1252, 100),  # t(0.975; 198) + t(0.8; 198) = 2.8154 times sqrt(2 / 100) of the spread is 0.0498
        (0.05, 0.126, None),  # and here 0.0502
    ],
)
def test_repeats_that_decide_are_counted_from_two_to_a_hundred(
    difference: float, sd: float, repeats: int | None
) -> None:
    assert repeats_to_decide(difference, sd) == repeats_to_decide(-difference, sd) == repeats
    if difference == 0.05:
        assert repeats_to_exclude(0.0, -difference, sd) == repeats


def test_the_spread_of_a_difference_is_that_of_one_run_of_either_side() -> None:
    left, right = LogLevel(7.0, 0.03, 9.0, 1, 0.03, noise_se=0.006), LogLevel(6.9, 0.04, 9.0, 1, 0.04, noise_se=0.008)
    found = compare(left, right)
    assert (found.se, found.noise_se, found.sd) == pytest.approx((0.05, 0.01, 0.05 / math.sqrt(2)))
    assert compare_pairs([0.1, 0.2], 0.02, 1.0).sd == pytest.approx(0.02 / math.sqrt(2))


@pytest.mark.parametrize(("done", "repeats"), [(0, 5), (4, 5), (5, 6), (99, 100), (100, None)])
def test_repeats_that_would_decide_are_more_than_those_that_did_not(done: int, repeats: int | None) -> None:
    assert repeats_to_decide(0.01, 0.01, done=done) == repeats


def test_more_repeats_are_needed_for_a_smaller_difference() -> None:
    needed = [repeats_to_decide(math.log(ratio), 0.05) for ratio in (1.5, 1.2, 1.1)]
    assert needed == sorted(needed)
    assert needed[0] is not None
    assert needed[0] < needed[-1]


def test_the_repeats_that_would_decide_do_decide_in_simulation() -> None:
    generator = np.random.default_rng(5)
    true, sd = math.log(1.10), 0.05
    repeats = repeats_to_decide(true, sd)
    assert repeats is not None
    decided = 0
    for _ in range(400):
        a, b = generator.normal(true, sd, repeats), generator.normal(0.0, sd, repeats)
        left, right = (LogLevel(x.mean(), x.std(ddof=1) / repeats**0.5, repeats - 1, repeats, sd) for x in (a, b))
        difference = compare(left, right)
        decided += verdict_of(difference, difference.p, MARGIN) != "undecided"
    assert decided / 400 == pytest.approx(0.8, abs=0.08)


def test_smallest_detectable_ratio_falls_with_repeats() -> None:
    assert smallest_detectable_ratio(0.012, 20.0, 2) > smallest_detectable_ratio(0.012, 20.0, 6) > 1.0


def test_holm_agrees_with_a_textbook_family() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_ties_share_their_places() -> None:
    wins = {("a", "c"): True, ("b", "c"): True, ("a", "b"): False}
    assert rank_intervals(["a", "b", "c"], wins) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}


@pytest.mark.parametrize(("difference", "sd"), [(0.0, 0.02), (0.0, 0.03), (0.005, 0.03), (0.015, 0.02)])
def test_the_repeats_told_show_what_is_the_same_four_times_in_five(difference: float, sd: float) -> None:
    repeats = repeats_to_decide(difference, sd)
    assert repeats is not None
    chance = np.random.default_rng(7)
    left, right = chance.normal(difference, sd, (4000, repeats)), chance.normal(0, sd, (4000, repeats))
    seen = np.abs(left.mean(axis=1) - right.mean(axis=1))
    errors = np.sqrt((left.var(axis=1, ddof=1) + right.var(axis=1, ddof=1)) / repeats)
    is_same = seen + t_quantile(0.95, 2.0 * (repeats - 1)) * errors < MARGIN
    assert 0.78 <= is_same.mean() <= 0.86


def test_the_spread_up_to_which_a_difference_stands_is_where_its_p_meets_the_level() -> None:
    """At the spread that is told p is what the level asks for, on either side of it more or less."""
    for left_tps, noise in ((1300.0, 5.0), (1080.0, 20.0), (2000.0, 1.0)):
        levels = [single_run_level(tps, noise, 0.026) for tps in (left_tps, 1000.0)]
        limit = spread_to_stand(levels[0], levels[1], (0.026, 0.026), 0.01)
        at = [single_run_level(tps, noise, limit) for tps in (left_tps, 1000.0)]
        assert compare(*at).p == pytest.approx(0.01, rel=1e-6)


def test_differences_tested_together_stand_up_to_where_holm_drops_them() -> None:
    """Just below the spread that is told each is significant by Holm over all pairs, just above it is not."""
    rates = {"a": 1300.0, "b": 1200.0, "c": 1105.0, "d": 1000.0}

    def pairs_at(spread: float) -> list[tuple[LogLevel, LogLevel]]:
        levels = {name: single_run_level(tps, 2.0, spread) for name, tps in rates.items()}
        return [(levels[left], levels[right]) for left, right in itertools.combinations(rates, 2)]

    def adjusted_at(spread: float) -> list[float]:
        return holm([compare(left, right).p for left, right in pairs_at(spread)])

    pairs = pairs_at(0.026)
    limits = spreads_to_stand(pairs, [(0.026, 0.026)] * 6, [compare(left, right).p for left, right in pairs])
    for index, limit in enumerate(limits):
        assert adjusted_at(0.999 * limit)[index] < 0.05 < adjusted_at(1.001 * limit)[index]


def test_a_measured_difference_that_is_not_shown_lets_none_after_it_stand() -> None:
    known = [LogLevel(mean, 0.01, math.inf, 2, 0.014) for mean in (7.0, 7.005)]
    once = single_run_level(math.exp(7.01), 0.1, 0.026)
    pairs = [(known[1], known[0]), (once, known[0])]
    assert spreads_to_stand(pairs, [(None, None), (0.026, None)], [0.04, 0.3]) == [0.0, 0.0]
    assert spreads_to_stand(pairs, [(None, None), (0.026, None)], [0.001, 0.3])[0] == math.inf


def test_the_repeats_that_decide_a_limit_decide_it_four_times_in_five() -> None:
    """The sample is drawn anew: a cell without loss passes a limit of 3 % with the repeats that are named."""
    sd, limit, generator = 0.02, math.log(0.97), np.random.default_rng(4)
    repeats = repeats_to_exclude(0.0, limit, sd)
    assert repeats is not None
    passed = 0
    for _ in range(400):
        sides = generator.normal(0, sd, (2, repeats))
        levels = [repeated_level(side, float(side.std(ddof=1)), repeats - 1.0) for side in sides]
        passed += compare(*levels).interval()[0] > 0.97
    assert 0.74 <= passed / 400 <= 0.92


def test_equal_repeats_are_not_surer_than_their_noise_allows() -> None:
    left, right = (replace(repeated_level([log, log], 0.0, 1.0), noise_se=0.036) for log in (4.6, 4.634))
    difference = compare(left, right)
    low, high = difference.interval()
    assert low < 1 < high
    assert difference.p > 0.05
    assert left.half_width() == pytest.approx(1.96 * 0.036, rel=1e-3)
    paired = compare_pairs([0.034, 0.034], 1e-6, 1.0, 0.05)
    assert paired.p > 0.05
    assert not replace(paired, difference=0.0).is_same()
