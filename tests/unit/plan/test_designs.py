"""Designs: what repeats and windows give, what is wished turned into both, and what no study of this shape can say."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbdyno.plan import best_within, cheapest_design, designs_for, out_of_scope, planned_design
from dbdyno.stats import (
    ASSUMED_VARIATION,
    PRIOR_SPREAD,
    Variation,
    assumed_spread_of_one,
    moderated_spread,
    repeated_level,
    single_run_level,
)
from dbdyno.study import BenchChoice, Study, read_study

ROOT = Path(__file__).parents[3]
S = 10**9
AROUND = 304 * S


@pytest.fixture
def study() -> Study:
    return replace(read_study(ROOT / "studies" / "first.toml"), window_ns=900 * S, warm_up_ns=300 * S, repeats=3)


def test_foreseen_half_widths_are_those_that_simulated_studies_have() -> None:
    random = np.random.default_rng(4)
    for repeats in (2, 3, 5):
        widths = []
        for _ in range(20):
            spreads = 0.012 * np.exp(random.normal(0, 0.4, 96))
            groups = [random.normal(7, spread, repeats) for spread in spreads]
            found = moderated_spread(groups)
            cells = zip(groups, found.sd, found.df, strict=True)
            widths.append(np.median([repeated_level(group, sd, df).half_width() for group, sd, df in cells]))
        foreseen = Variation(0.012, 0.0, 6.0).half_width(repeats, 900.0, 96)
        assert foreseen == pytest.approx(float(np.mean(widths)), rel=0.15)


def test_every_design_keeps_the_wish_and_a_shorter_window_would_not(study: Study) -> None:
    noisy = Variation(0.012, 0.01, 6.0)
    designs = designs_for(study, noisy, 0.02, AROUND)
    assert designs
    for design in designs:
        assert design.half_width <= 0.02
        if design.window_s > 60:
            assert noisy.half_width(design.repeats, design.window_s - 10, 18) > 0.02
    assert [design.repeats for design in designs] == list(range(designs[0].repeats, 21))


def test_the_cheapest_design_takes_the_least_time(study: Study) -> None:
    designs = designs_for(study, ASSUMED_VARIATION, 0.02, AROUND)
    cheapest = cheapest_design(designs)
    assert cheapest is not None
    assert cheapest.runs_ns == min(design.runs_ns for design in designs)
    assert cheapest.runs_ns == 18 * cheapest.repeats * (304 + cheapest.window_s) * S


def test_a_spread_that_no_window_removes_makes_a_wish_impossible(study: Study) -> None:
    assert designs_for(study, Variation(0.2, 0.001, 6.0), 0.01, AROUND) == []
    assert cheapest_design([]) is None


def test_the_surest_design_within_a_time_fits_and_more_time_makes_it_surer(study: Study) -> None:
    widths = []
    for hours in (6, 12, 48):
        design = best_within(study, ASSUMED_VARIATION, hours * 3600 * S, AROUND)
        assert design is not None
        assert design.runs_ns <= hours * 3600 * S
        widths.append(design.half_width)
    assert widths == sorted(widths, reverse=True)
    assert best_within(study, ASSUMED_VARIATION, 600 * S, AROUND) is None


@pytest.mark.parametrize("seen", [0.012, 0.06])
def test_one_repeat_is_foreseen_with_the_spread_that_verdicts_assume(study: Study, seen: float) -> None:
    planned = planned_design(replace(study, repeats=1), Variation(seen, 0.0, 6.0), AROUND)
    level = single_run_level(100.0, 0.0, assumed_spread_of_one(seen))
    assert planned.half_width == pytest.approx(level.half_width())
    assert planned.half_width == pytest.approx(1.96 * max(seen, PRIOR_SPREAD), rel=1e-3)


def test_a_planned_study_is_surer_with_more_repeats(study: Study) -> None:
    few, many = (planned_design(replace(study, repeats=n), ASSUMED_VARIATION, AROUND) for n in (2, 6))
    assert many.half_width < few.half_width
    assert many.smallest_difference < few.smallest_difference
    assert many.runs_ns == 3 * few.runs_ns


def words(study: Study, rows: int = 0) -> str:
    return "\n".join(out_of_scope(study, rows))


def test_questions_that_the_axes_leave_open_are_told(study: Study) -> None:
    one = replace(study, targets=study.targets[:1], concurrencies=(8,), tiers_bytes=(64 << 20,), repeats=1)
    for text in ("which target", "which concurrency", "memory", "repeats"):
        assert text in words(one)
        assert text not in words(study)
    assert "beyond 32 connections" in words(study)
    assert "scalability" in words(study)
    assert "scalability" not in words(replace(study, concurrencies=(1, 2, 4, 8, 16, 32)))


def test_benches_without_a_sentinel_do_not_compare_workloads_or_memory(study: Study) -> None:
    several = replace(study, benches=(BenchChoice("a"), BenchChoice("b")))
    assert len(study.workloads) * len(study.tiers_bytes) > 1
    assert "sentinel" in words(several)
    of_one_place = replace(several, workloads=study.workloads[:1], tiers_bytes=study.tiers_bytes[:1])
    for other in (study, of_one_place, replace(several, sentinel=study.targets[0].name)):
        assert "sentinel" not in words(other)


def test_short_windows_and_a_fixed_order_are_told(study: Study) -> None:
    assert "12 s" in words(replace(study, window_ns=12 * S))
    assert " 3 min " in words(replace(study, window_ns=100 * S))
    assert " 10 min " in words(replace(study, window_ns=400 * S))
    assert "window" not in words(study)
    assert " order " in words(replace(study, order="as-written"))
    assert " order " not in words(study)
    assert re.search(r"p99\.9 .* 7 TPS", words(study))
    assert "p99.9 of cells below 0.23 TPS" in words(replace(study, window_ns=86_400 * S, repeats=1))


def test_data_that_fit_every_tier_say_nothing_of_the_disk(study: Study) -> None:
    assert " disk: " in words(study, rows=200_000)
    assert " disk: " not in words(study, rows=2_000_000)


def test_pacing_decides_what_response_times_and_throughput_mean(study: Study) -> None:
    assert "closed loop" in words(study)
    given = replace(study, pacing=replace(study.pacing, rate_per_s=500.0))
    assert "maximum throughput" in words(given)
    assert "closed loop" not in words(given)
