"""Histograms merged, their quantiles, and their counts second by second."""

from __future__ import annotations

import random

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from dbdyno.core import StoreError
from dbdyno.store import (
    latency_of,
    latency_of_counts,
    mean_of_counts,
    merged_histogram,
)
from dense_counts import dense_counts
from encoded_histograms import encoded


def test_a_text_that_is_no_histogram_is_refused_in_words() -> None:
    for text in ("nonsense", encoded(1_000)[:-8], "HISTFAAAABx4nJNpmSzMwMDAwgABzFCaEUoz2X+AsAADmwMC"):
        with pytest.raises(StoreError, match="histogram"):
            merged_histogram([text])
        with pytest.raises(StoreError, match="histogram"):
            dense_counts([(0, encoded(5)), (1, text)])


@pytest.mark.parametrize("count", [1, 7, 1_600, 3_000])
def test_a_quantile_is_the_value_that_its_share_does_not_exceed(count: int) -> None:
    chance = random.Random(7)
    values = sorted(int(chance.lognormvariate(15.0, 0.8)) for _ in range(count))
    histogram = merged_histogram(encoded(*values[place::3]) for place in range(min(3, count)))
    latency = latency_of(histogram)
    assert latency is not None
    # In whole numbers: 99.9 % of 1,600 values are 1,598.4, so the 1,599th is the first that is not exceeded by more.
    exact = [values[-(-count * permille // 1000) - 1] for permille in (500, 950, 990, 999)]
    expected = [histogram.get_highest_equivalent_value(value) for value in exact]
    assert [latency.p50, latency.p95, latency.p99, latency.p999] == expected
    assert latency.max == histogram.get_max_value()


def test_an_empty_histogram_has_no_quantiles() -> None:
    assert latency_of(merged_histogram([None, ""])) is None


@settings(max_examples=50, deadline=None)
@given(seconds=st.lists(st.lists(st.integers(1, 10**10), max_size=20), max_size=6))
def test_counts_by_second_added_up_give_quantiles_and_mean_of_the_merged_histogram(seconds: list[list[int]]) -> None:
    texts = [encoded(*values) if values else None for values in seconds]
    counts, values = dense_counts(enumerate(texts))
    merged = merged_histogram(texts)
    assert latency_of_counts(counts.sum(axis=0), values) == latency_of(merged)
    assert not any(seconds) or mean_of_counts(counts.sum(axis=0), values) == merged.get_mean_value()
    totals = [len(values) for values in seconds]
    filled = [index for index, total in enumerate(totals) if total]
    assert counts.sum(axis=1).tolist() == (totals[filled[0] : filled[-1] + 1] if filled else [])


@pytest.mark.parametrize(("highest", "digits"), [(3_600_000_000_000, 3), (10**7, 3), (3_600_000_000_000, 2)])
def test_counts_of_any_layout_stand_in_the_buckets_of_the_merged_histogram(highest: int, digits: int) -> None:
    chance = random.Random(1)
    other = HdrHistogram(1, highest, digits)
    for _ in range(200):
        other.record_value(int(chance.lognormvariate(12.0, 1.0)))
    texts = [other.encode().decode(), encoded(9, 5_000), encoded(5_000)]
    counts, values = dense_counts([(3, texts[0]), (5, texts[1]), (5, texts[2])])
    assert counts.sum(axis=1).tolist() == [200, 0, 3]
    merged = merged_histogram(texts)
    expected = {merged.get_highest_equivalent_value(step.value_iterated_to) for step in merged.get_recorded_iterator()}
    assert values.tolist() == sorted(expected)
