"""Spread between repeats against the worked example, and by coverage on simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbdyno.core import AnalysisError
from dbdyno.stats import (
    LogLevel,
    borrowed_level,
    moderated_spread,
    pooled_spread,
    repeated_level,
    single_run_level,
    staged_levels,
)

EXAMPLE_SD = (0.0040, 0.0115, 0.0080, 0.0210, 0.0065, 0.0135, 0.0095, 0.0580)


def test_worked_example_gives_its_printed_values() -> None:
    groups = [[9.0 - sd, 9.0, 9.0 + sd] for sd in EXAMPLE_SD]
    spread = moderated_spread(groups)
    assert spread.excess_variance == pytest.approx(0.98965, abs=5e-6)
    assert spread.prior_df == pytest.approx(2.8747, abs=5e-5)
    assert spread.prior_sd == pytest.approx(0.012971, abs=5e-7)
    expected = (0.01028, 0.01239, 0.01120, 0.01674, 0.01080, 0.01319, 0.01167, 0.03846)
    assert spread.sd == pytest.approx(expected, abs=5.1e-6)
    levels = [repeated_level(group, sd, df) for group, sd, df in zip(groups, spread.sd, spread.df, strict=True)]
    halves = [level.half_width() for level in levels]
    expected_halves = (0.01538, 0.01853, 0.01675, 0.02503, 0.01615, 0.01973, 0.01746, 0.05753)
    assert halves == pytest.approx(expected_halves, abs=5.1e-6)


def simulated_study(repeats: int, generator: np.random.Generator) -> tuple[float, float]:
    """Coverage and median half-width over 96 cells whose true spread is log-normal around 1.2 %."""
    sd = 0.012 * np.exp(generator.normal(0, 0.5, 96))
    groups = generator.normal(0, sd[:, None], (96, repeats))
    spread = moderated_spread(list(groups))
    levels = [repeated_level(g, s, df) for g, s, df in zip(groups, spread.sd, spread.df, strict=True)]
    halves = np.array([level.half_width() for level in levels])
    return float(np.mean(np.abs(groups.mean(axis=1)) <= halves)), float(np.median(halves))


@pytest.mark.parametrize(("repeats", "half"), [(2, 0.019), (3, 0.015), (5, 0.011)])
def test_moderated_intervals_cover_and_stay_narrow(repeats: int, half: float) -> None:
    generator = np.random.default_rng(11)
    studies = [simulated_study(repeats, generator) for _ in range(60)]
    assert np.mean([coverage for coverage, _ in studies]) == pytest.approx(0.945, abs=0.015)
    assert np.mean([width for _, width in studies]) == pytest.approx(half, abs=0.0035)


def test_cells_that_look_alike_are_pooled_and_their_freedom_is_capped() -> None:
    groups = [[0.0, 0.01]] * 10
    spread = moderated_spread(groups)
    assert spread.prior_df == math.inf
    assert set(spread.df) == {10.0}
    assert len(set(spread.sd)) == 1


def test_fewer_than_eight_repeated_cells_are_not_moderated() -> None:
    spread = moderated_spread([[0.0, 0.02]] * 7 + [[1.0]])
    assert spread.prior_df == 0.0
    assert spread.sd[0] == pytest.approx(0.02 / math.sqrt(2))
    assert spread.df[:7] == (1.0,) * 7
    assert math.isnan(spread.sd[7])


def test_a_cell_run_once_borrows_the_spread_of_the_others() -> None:
    groups = [[9.0 - sd, 9.0, 9.0 + sd] for sd in EXAMPLE_SD]
    spread = moderated_spread([*groups, [9.0]])
    assert spread.sd[-1] == pytest.approx(spread.prior_sd)
    assert spread.df[-1] == pytest.approx(spread.prior_df)


def test_identical_repeats_do_not_make_a_cell_certain() -> None:
    groups = [[9.0 - sd, 9.0, 9.0 + sd] for sd in EXAMPLE_SD]
    spread = moderated_spread([*groups, [9.0, 9.0, 9.0]])
    assert spread.sd[-1] > 0.001


def test_a_single_run_carries_its_noise_and_an_assumed_spread() -> None:
    level = single_run_level(1000.0, 19.6, spread=0.012)
    assert level.se == pytest.approx(math.hypot(0.01, 0.012))
    assert level.half_width() == pytest.approx(1.959964 * level.se, rel=1e-6)
    assert isinstance(level, LogLevel)


@pytest.mark.parametrize("groups", [[[]], [[1.0, float("nan")]], [[-math.inf, 1.0]]])
def test_runs_without_a_level_are_refused(groups: list[list[float]]) -> None:
    with pytest.raises(AnalysisError, match="no spread"):
        moderated_spread(groups)


@pytest.mark.parametrize(
    ("first", "every", "expected"),
    [
        # The spread is that of the first runs, 0.0141 with one degree of freedom; the mean is that of all four.
        ([5.0, 5.02], [5.0, 5.02, 5.04, 5.06], (5.03, 0.02 / math.sqrt(8), 1.0, 4)),
        # Without them it is that of all runs: 0.02 with two.
        ([], [1.0, 1.02, 1.04], (1.02, 0.02 / math.sqrt(3), 2.0, 3)),
        ([1.0], [1.0, 1.02, 1.04], (1.02, 0.02 / math.sqrt(3), 2.0, 3)),
        ([5.0], [5.0], None),
    ],
)
def test_runs_that_were_made_because_of_the_spread_do_not_say_what_it_is(
    first: list[float], every: list[float], expected: tuple[float, float, float, int] | None
) -> None:
    (level,) = staged_levels([first], [every])
    assert (level and (level.mean, level.se, level.df, level.repeats)) == (expected and pytest.approx(expected))


@pytest.mark.parametrize(
    ("half", "spread", "df", "sd", "level_df"),
    [(1.96, 0.02, 6.0, 0.02, 6.0), (3.92, 0.015, 6.0, 0.02, 6.0), (0.0, 0.0, 0.0, 1e-4, 1.0)],
)
def test_a_borrowed_level_is_no_surer_than_its_own_seconds(
    half: float, spread: float, df: float, sd: float, level_df: float
) -> None:
    level = borrowed_level(100.0, half, spread, df)
    assert (level.mean, level.se, level.sd, level.df) == pytest.approx((math.log(100), sd, sd, level_df))
    assert level.is_shared


def test_a_pooled_spread_weighs_each_by_its_degrees_of_freedom() -> None:
    """Squares .0002 with one, .0008 with two, and 3 x .03^2 = .0027 with three: .0037 / 6."""
    sd, df = pooled_spread([[0.0, 0.02], [5.0], [7.0, 7.02, 7.04]], [(0.03, 3.0), (9.0, 0.0)])
    assert (sd, df) == (pytest.approx(math.sqrt(0.0037 / 6)), 6.0)
    nothing = pooled_spread([[1.0]], [(0.5, 0.0)])
    assert math.isnan(nothing[0]) and nothing[1] == 0.0


@pytest.mark.parametrize(("machines_sd", "expected"), [(0.01, 0.91), (0.03, 0.79), (0.05, 0.74)])
def test_a_level_of_several_benches_is_about_these_benches(machines_sd: float, expected: float) -> None:
    """The figures of docs/concepts/steady-state.md: two rounds on each of two benches, a spread of 1.2 % on each."""
    rng, trials = np.random.default_rng(1), 4000
    benches = rng.normal(0.0, machines_sd, (trials, 2))
    rounds = np.repeat(benches, 2, axis=1) + rng.normal(0.0, 0.012, (trials, 4))
    of_benches = of_machines = 0
    for logs, speeds in zip(rounds, benches, strict=True):
        spread = moderated_spread([logs])
        level = repeated_level(logs, spread.sd[0], spread.df[0])
        of_benches += abs(level.mean - float(speeds.mean())) < level.half_width()
        of_machines += abs(level.mean) < level.half_width()
    assert of_benches / trials > 0.955
    assert of_machines / trials == pytest.approx(expected, abs=0.02)
