"""How often cells that were run once are right: by an assumed spread, and by one that is taken from the study."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from figures_page import publish

from dbdyno.stats import (
    ASSUMED_SPREAD,
    PRIOR_SPREAD,
    LogLevel,
    borrowed_level,
    compare,
    holm,
    pooled_spread,
    single_run_level,
    verdict_of,
)

pytestmark = pytest.mark.slow
PLACES, STUDIES = 24, 60
NOISE_SE = 0.003
TRUE_SPREADS = (0.01, 0.026, 0.05)
SENTINEL_RUNS, REPEATED_CELLS = 6, 4

Basis = Callable[[np.random.Generator, float], tuple[float, float]]
"""What a study knows of its spread: a standard deviation and its degrees of freedom."""


def assumed(spread: float) -> Basis:
    return lambda generator, true_spread: (spread, math.inf)


def from_sentinel(generator: np.random.Generator, true_spread: float) -> tuple[float, float]:
    """Around the line through its runs: two degrees of freedom go to the line."""
    runs, order = generator.normal(0, true_spread, SENTINEL_RUNS), np.arange(SENTINEL_RUNS)
    residuals = runs - np.polyval(np.polyfit(order, runs, 1), order)
    df = SENTINEL_RUNS - 2.0
    return math.sqrt(float(residuals @ residuals) / df), df


def from_repeated_cells(generator: np.random.Generator, true_spread: float) -> tuple[float, float]:
    return pooled_spread(list(generator.normal(0, true_spread, (REPEATED_CELLS, 2))))


BASES: dict[str, Basis] = {
    "assumed 1.2 % (before)": assumed(ASSUMED_SPREAD),
    "assumed 2.6 %": assumed(PRIOR_SPREAD),
    "sentinel, 6 runs": from_sentinel,
    "4 cells run twice": from_repeated_cells,
}


def level(log_mean: float, seen: tuple[float, float]) -> LogLevel:
    mean, (spread, df) = math.exp(log_mean), seen
    half = 1.96 * NOISE_SE * mean
    return single_run_level(mean, half, spread) if math.isinf(df) else borrowed_level(mean, half, spread, df)


def verdicts(logs: Sequence[float], seen: tuple[float, float]) -> dict[tuple[int, int], str]:
    levels = [level(value, seen) for value in logs]
    pairs = list(itertools.combinations(range(len(levels)), 2))
    found = [compare(levels[a], levels[b]) for a, b in pairs]
    adjusted = holm([each.p for each in found])
    return {pair: verdict_of(each, p) for pair, each, p in zip(pairs, found, adjusted, strict=True)}


def false_places(basis: Basis, true_spread: float, targets: int, gap: float = 0.0) -> float:
    """Share of places at which the first target, ahead by `gap`, is called different from the next; or any pair is."""
    generator, called = np.random.default_rng(21), 0
    for _ in range(STUDIES):
        seen = basis(generator, true_spread)
        logs = generator.normal(0, math.hypot(true_spread, NOISE_SE), (PLACES, targets))
        logs[:, 0] += math.log1p(gap)
        for place in logs:
            found = verdicts(place, seen)
            named = [found[0, 1]] if gap else found.values()
            called += any(verdict in ("different", "slightly different") for verdict in named)
    return called / (STUDIES * PLACES)


def test_what_is_not_known_of_the_spread_makes_few_false_differences() -> None:
    rows, shares = [], {}
    for name, basis in BASES.items():
        for targets in (2, 4, 10):
            for spread in TRUE_SPREADS:
                shares[name, targets, spread] = false_places(basis, spread, targets)
            rows.append([name, f"{targets}", *(f"{100 * shares[name, targets, s]:.1f} %" for s in TRUE_SPREADS)])
    publish("single runs of equal cells", ["spread from", "targets", *(f"true {s:.1%}" for s in TRUE_SPREADS)], rows)
    assert all(shares["assumed 2.6 %", n, s] <= 0.06 for n in (2, 4, 10) for s in (0.01, 0.026))
    assert shares["assumed 1.2 % (before)", 10, 0.026] > 0.5
    seen = ("sentinel, 6 runs", "4 cells run twice")
    assert all(shares[name, n, s] <= 0.09 for name in seen for n in (2, 4, 10) for s in TRUE_SPREADS)


def test_single_runs_find_large_differences() -> None:
    rows, found = [], {}
    for name, basis in BASES.items():
        for gap in (0.05, 0.10, 0.30):
            for spread in TRUE_SPREADS:
                found[name, gap, spread] = false_places(basis, spread, 4, gap)
            rows.append([name, f"{gap:.0%}", *(f"{100 * found[name, gap, s]:.0f} %" for s in TRUE_SPREADS)])
    publish("single runs with a gap", ["spread from", "true gap", *(f"true {s:.1%}" for s in TRUE_SPREADS)], rows)
    assert found["assumed 2.6 %", 0.30, 0.026] >= 0.99
