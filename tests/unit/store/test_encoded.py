"""Histograms of many seconds, decoded together."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from dbdyno.core import StoreError
from dbdyno.store import merged_histogram, sums_of
from dense_counts import dense_counts
from encoded_histograms import encoded_counts, percentiles_ns

HOUR_NS = 3_600_000_000_000


def encoded(values: list[tuple[int, int]], highest: int = HOUR_NS, digits: int = 3) -> str:
    histogram = HdrHistogram(1, highest, digits)
    for value, count in values:
        histogram.record_value(value, count)
    text = histogram.encode()
    return text.decode() if isinstance(text, bytes) else str(text)


def drawn(seed: int) -> list[tuple[int, str]]:
    """Seconds of very different histograms, several of the same second, some of them empty."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(60):
        values = 10 ** random.uniform(0, 12.5, random.integers(0, 50))
        counts = (10 ** random.uniform(0, 12, len(values))).astype(int)
        rows.append((int(random.integers(3, 50)), encoded(list(zip(values.astype(int), counts, strict=True)))))
    return rows


def by_value(rows: list[tuple[int, str]]) -> dict[float, int]:
    """As hdrh has it: all together, by the highest value of a bucket."""
    total = merged_histogram(text for _, text in rows)
    counts = np.frombuffer(total.counts, dtype=np.int64)
    places = np.flatnonzero(counts).tolist()
    return {
        float(total.get_highest_equivalent_value(total.get_value_from_index(place))): int(counts[place])
        for place in places
    }


@pytest.mark.parametrize("seed", range(20))
def test_what_other_tests_encode_is_what_hdrh_encodes(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = (10 ** random.uniform(0, 12.5, seed)).astype(int).tolist()
    counts = (10 ** random.uniform(0, 9, seed)).astype(int).tolist()
    times = dict(zip(values, counts, strict=True))
    assert encoded_counts(times) == encoded(list(times.items()))
    if times:
        asked, histogram = (10.0, 50.0, 95.0, 99.9, 100.0), HdrHistogram.decode(encoded_counts(times))
        assert percentiles_ns(times, *asked) == [histogram.get_value_at_percentile(percent) for percent in asked]


@pytest.mark.parametrize("seed", [1, 2])
def test_histograms_decoded_together_are_those_that_hdrh_decodes(seed: int) -> None:
    rows = drawn(seed)
    counts, values = dense_counts(rows)
    assert dict(zip(values.tolist(), counts.sum(axis=0).tolist(), strict=True)) == by_value(rows)
    first = min(second for second, _ in rows)
    for second in {second for second, _ in rows}:
        here = [row for row in rows if row[0] == second]
        own = counts[second - first]
        assert dict(zip(values[own > 0].tolist(), own[own > 0].tolist(), strict=True)) == by_value(here)


def test_a_histogram_of_another_layout_is_read_with_the_others() -> None:
    rows = [(0, encoded([(1000, 3)])), (1, encoded([(1000, 4)], digits=2))]
    counts, _ = dense_counts(rows)
    assert counts.sum(axis=1).tolist() == [3, 4]


@pytest.mark.parametrize("text", ["x", base64.b64encode(b"\0" * 40).decode(), encoded([(5, 1)])[:-8]])
def test_a_damaged_histogram_among_whole_ones_is_an_error(text: str) -> None:
    with pytest.raises(StoreError, match="histogram"):
        dense_counts([(0, encoded([(5, 1)])), (1, text)])


@pytest.mark.parametrize("seed", [1, 2])
def test_counts_and_sums_are_those_of_the_middles_that_hdrh_has(seed: int) -> None:
    texts = [text for _, text in drawn(seed)]
    counts, sums = sums_of([None, *texts, ""])
    single = [merged_histogram([text]) for text in texts]
    assert counts.tolist() == [0, *(each.get_total_count() for each in single), 0]
    means = [each.get_mean_value() * each.get_total_count() for each in single]
    assert sums.tolist() == pytest.approx([0.0, *means, 0.0])


def test_a_sum_is_off_by_a_twentieth_of_a_percent_at_most() -> None:
    values = [int(value) for value in 10 ** np.random.default_rng(3).uniform(3.5, 9, 400)]
    for value in values:
        assert sums_of([encoded([(value, 7)])])[1][0] == pytest.approx(7 * value, rel=0.0005)
