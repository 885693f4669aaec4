"""Quantiles from one histogram a second: their value, and how often the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from dbdyno.core import AnalysisError
from dbdyno.stats import exceedances_at, quantile_interval, quantile_intervals

BINS = np.geomspace(0.1, 1000.0, 200)


def histograms(seconds: int, generator: np.random.Generator, phi: float) -> np.ndarray:
    """Log-normal response times whose level wanders from second to second."""
    drift = lfilter([1.0], [1.0, -phi], generator.normal(0, 0.2 * np.sqrt(1 - phi**2), seconds + 200))[200:]
    edges = np.concatenate([BINS * 1.02, [np.inf]])[:-1]
    times = np.exp(np.log(5) + drift[:, None] + generator.normal(0, 0.5, (seconds, 200)))
    index = np.minimum(np.searchsorted(edges, times), len(BINS) - 1)
    return np.stack([np.bincount(row, minlength=len(BINS)) for row in index])


def test_the_value_is_that_of_the_merged_histogram() -> None:
    counts = np.array([[98, 2, 0], [98, 0, 2]])
    assert quantile_interval(np.repeat(counts, 30, axis=0), [1.0, 2.0, 9.0], 0.99).value == 2.0
    assert quantile_interval(np.repeat(counts, 30, axis=0), [1.0, 2.0, 9.0], 0.991).value == 9.0


@pytest.mark.parametrize("phi", [0.0, 0.9])
def test_the_interval_covers_the_true_quantile_also_where_seconds_hang_together(phi: float) -> None:
    generator = np.random.default_rng(17)
    truth = quantile_interval(histograms(30_000, generator, phi), BINS, 0.95, draws=2).value
    found = [quantile_interval(histograms(300, generator, phi), BINS, 0.95, draws=200) for _ in range(60)]
    covered = np.mean([each.low <= truth <= each.high for each in found])
    assert covered >= 0.85


def test_correlated_seconds_widen_the_interval() -> None:
    generator = np.random.default_rng(3)
    widths = []
    for phi in (0.0, 0.95):
        found = quantile_interval(histograms(600, generator, phi), BINS, 0.95, draws=300)
        widths.append(np.log(found.high / found.low))
    assert widths[1] > 1.5 * widths[0]


def test_the_same_seed_gives_the_same_interval() -> None:
    counts = histograms(120, np.random.default_rng(1), 0.5)
    assert quantile_interval(counts, BINS, 0.99) == quantile_interval(counts, BINS, 0.99)


def test_far_quantiles_have_little_beyond() -> None:
    counts = histograms(60, np.random.default_rng(2), 0.0)
    found = [quantile_interval(counts, BINS, quantile, draws=50) for quantile in (0.999, 0.5, 0.99, 0.9999)]
    assert [each.quantile for each in found if each.exceedances >= 20] == [0.5, 0.99]


@pytest.mark.parametrize(
    ("counts", "values", "quantile"),
    [([[1, 2]], [1.0], 0.5), ([[0, 0]], [1.0, 2.0], 0.5), ([[1, 2]], [1.0, 2.0], 1.0), ([], [], 0.5)],
)
def test_what_is_no_histogram_is_refused(counts: list, values: list, quantile: float) -> None:
    with pytest.raises(AnalysisError, match="no quantile"):
        quantile_interval(counts, values, quantile)


def test_one_second_alone_gives_its_own_quantile() -> None:
    found = quantile_interval([[10, 80, 10]], [1.0, 2.0, 3.0], 0.5)
    assert (found.low, found.value, found.high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("seconds", [1, 7, 10, 95, 240])
@pytest.mark.parametrize("bins", [1, 2, 9, 10, 200])
def test_ends_are_those_of_whole_histograms_drawn_second_by_second(seconds: int, bins: int) -> None:
    """The product asks for few bins of each draw; here every draw's histogram is added up in full."""
    counts = np.random.default_rng(seconds * bins).integers(0, 3, (seconds, bins))
    counts[0, 0] += 1
    block = min(10, seconds)  # no second tells anything of the next, so blocks are the shortest there are
    starts = np.random.default_rng(1).integers(0, seconds - block + 1, (1000, -(-seconds // block)))
    drawn = []
    for row in starts:
        taken = [second for start in row for second in range(start, start + block)][:seconds]
        cumulated = np.cumsum(counts[taken].sum(axis=0))
        rank = max(np.floor(0.9 * cumulated[-1] + 0.5), 1)
        drawn += [int(np.argmax(cumulated >= rank))] if cumulated[-1] else []
    low, high = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
    found = quantile_interval(counts, np.arange(bins), 0.9)
    assert (found.low, found.high) == (low, high)


def test_several_quantiles_at_once_are_those_asked_for_one_by_one() -> None:
    counts, asked = histograms(120, np.random.default_rng(1), 0.9), (0.99, 0.5, 0.95)
    found = quantile_intervals(counts, BINS, asked)
    assert found == tuple(quantile_interval(counts, BINS, quantile) for quantile in asked)
    assert tuple(map(exceedances_at(counts, BINS, asked), asked)) == tuple(each.exceedances for each in found)
