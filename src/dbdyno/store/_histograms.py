"""Merges histograms of intervals, so that quantiles are read and never averaged."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import LatencyNs, StoreError
from dbdyno.store._encoded import TOGETHER, Filled, filled_buckets

LOWEST_NS = 1
HIGHEST_NS = 3_600_000_000_000
SIGNIFICANT_DIGITS = 3
_HALF = 1024  # buckets of one width above the first 2048, with three digits
_LAYOUT_LENGTH = (HIGHEST_NS.bit_length() - _HALF.bit_length() + 2) * _HALF
"""Buckets of a histogram as the load generator makes them: 2048 of width 1, and 1024 of each doubled width."""
_SHARES = (0.5, 0.95, 0.99, 0.999)


class Histogram(Protocol):
    """Describes what is used of an ``hdrh`` histogram; values are nanoseconds."""

    counts: Any

    def get_value_from_index(self, index: int) -> int:
        """Return the lowest value of a bucket."""

    def get_highest_equivalent_value(self, value: int) -> int:
        """Return the highest value of the bucket that holds a value."""

    def get_value_at_percentile(self, percentile: float) -> int:
        """Return the highest value of the bucket that holds the percentile (0 to 100)."""

    def get_total_count(self) -> int:
        """Return how many values were recorded."""

    def get_max_value(self) -> int:
        """Return the largest value."""

    def get_mean_value(self) -> float:
        """Return the mean of the bucket middles."""

    def get_recorded_iterator(self) -> Iterator[object]:
        """Yield buckets that hold something."""


def merged_histogram(encoded: Iterable[str | None]) -> Histogram:
    """Return one histogram of all that the given ones recorded; None and empty texts count for nothing.

    Raises
    ------
    StoreError : a text is not a histogram

    >>> merged_histogram([]).get_total_count()
    0
    """
    from hdrh.histogram import HdrHistogram  # late: what reads only counts, as a summary does, needs no object

    total = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
    for text in encoded:
        if text:
            _add_histogram(total, text)
    result: Histogram = total
    return result


def _add_histogram(total: Any, text: str) -> None:  # noqa: ANN401 - hdrh has no types
    try:
        total.add(_decode_histogram(text))
    except IndexError as error:
        raise StoreError("a histogram holds more than an hour", text[:40]) from error


def _decode_histogram(text: str) -> Any:  # noqa: ANN401 - as above
    from hdrh.codec import HdrCookieException, HdrLengthException
    from hdrh.histogram import HdrHistogram

    try:
        return HdrHistogram.decode(text)
    except (ValueError, TypeError, IndexError, zlib.error, HdrCookieException) as error:
        raise StoreError("a histogram can't be read", f"{type(error).__name__}: {error} in {text[:40]}") from error
    except HdrLengthException as error:
        raise StoreError("a histogram is truncated", text[:40]) from error


@dataclass(frozen=True, slots=True)
class FilledCounts:
    """Histograms of seconds side by side, as far as they hold something: a count for each second and bin that has one.

    Parameters
    ----------
    first : the first second that has a histogram, as the run counts them
    second : shape (counts,), from 0, which is `first`
    column : shape (counts,), which of `values_ns`
    count : shape (counts,)
    values_ns : shape (bins,), highest value of each bin, nanoseconds, ascending
    middles_ns : shape (bins,), middle of each bin, which its values count as in sums: off by 0.05 % at most
    seconds : from the first to the last that has a histogram
    """

    first: int
    second: NDArray[np.int64]
    column: NDArray[np.int64]
    count: NDArray[np.int64]
    values_ns: NDArray[np.float64]
    middles_ns: NDArray[np.float64]
    seconds: int

    @property
    def total(self) -> NDArray[np.int64]:
        """All seconds together, shape (bins,)."""
        # bincount adds up as float64, which is exact for as many transactions as a run can have.
        return np.bincount(self.column, self.count, len(self.values_ns)).astype(np.int64)

    @property
    def sums_ns(self) -> NDArray[np.float64]:
        """All values of each second together, shape (seconds,), nanoseconds."""
        weights = self.count * self.middles_ns[self.column]
        return np.bincount(self.second, weights, self.seconds).astype(np.float64, copy=False)


def filled_counts(encoded: Iterable[tuple[int, str | None]]) -> FilledCounts:
    """Return histograms of seconds, each with its second; several of one second (types of transactions) are added.

    Raises
    ------
    StoreError : a text is not a histogram

    >>> filled_counts([]).seconds
    0
    """
    filled_texts = [(second, text) for second, text in encoded if text]
    if not filled_texts:
        empty = np.zeros(0, dtype=np.int64)
        return FilledCounts(0, empty, empty, empty, np.zeros(0), np.zeros(0), 0)
    seconds, texts = np.array([second for second, _ in filled_texts]), [text for _, text in filled_texts]
    histogram, buckets, counts = _all_filled_buckets(texts)
    column = np.zeros(_LAYOUT_LENGTH, dtype=np.int64)
    column[buckets] = 1
    used_buckets = np.flatnonzero(column)
    column[used_buckets] = np.arange(len(used_buckets))
    first_second, last_second = int(seconds.min()), int(seconds.max())
    return FilledCounts(
        first_second,
        seconds[histogram] - first_second,
        column[buckets],
        counts,
        _highest_values(used_buckets).astype(np.float64),
        _middle_values(used_buckets),
        last_second - first_second + 1,
    )


def sums_of(encoded: Sequence[str | None]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how many values each histogram holds, and their sum in nanoseconds; both 0 of None and of empty texts.

    A value counts as the middle of its bin, which is off by 0.05 % at most.

    Raises
    ------
    StoreError : a text is not a histogram

    >>> [part.tolist() for part in sums_of([None])]
    [[0], [0.0]]
    """
    filled_indices = [index for index, text in enumerate(encoded) if text]
    totals, sums = np.zeros(len(encoded), dtype=np.int64), np.zeros(len(encoded))
    for start in range(0, len(filled_indices), TOGETHER):
        indices = filled_indices[start : start + TOGETHER]
        histogram, buckets, counts = _all_filled_buckets([encoded[index] or "" for index in indices])
        totals[indices] = np.bincount(histogram, counts, len(indices))
        sums[indices] = np.bincount(histogram, counts * _middle_values(buckets), len(indices))
    return totals, sums


def _all_filled_buckets(texts: Sequence[str]) -> Filled:
    """Return which histogram, which bucket and how many, of all that hold something."""
    filled = filled_buckets(texts, digits=SIGNIFICANT_DIGITS, lowest=LOWEST_NS, buckets=_LAYOUT_LENGTH)
    if filled is not None:
        return filled
    filled_parts = [_filled_buckets(text) for text in texts]
    histogram = np.repeat(np.arange(len(filled_parts)), [len(buckets) for buckets, _ in filled_parts])
    buckets, counts = (np.concatenate(sides) for sides in zip(*filled_parts, strict=True))
    return histogram, buckets, counts


def _filled_buckets(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return buckets of the layout that a histogram fills, and its counts in them."""
    histogram = _decode_histogram(text)
    if (histogram.unit_magnitude, histogram.sub_bucket_count) != (0, 2 * _HALF) or histogram.max_value > HIGHEST_NS:
        histogram = merged_histogram([text])
    counts = np.frombuffer(histogram.counts, dtype=np.int64)
    buckets = np.flatnonzero(counts)
    return buckets, counts[buckets]


def _highest_values(buckets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the highest nanosecond of each bucket of the layout: 2048 of width 1, then 1024 of each doubled width.

    hdrh gives it bucket by bucket, and a window fills thousands.
    """
    doublings = np.maximum(buckets // _HALF - 1, 0)
    highest: NDArray[np.int64] = ((buckets - doublings * _HALF + 1) << doublings) - 1
    return highest


def _middle_values(buckets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return nanoseconds in the middle of each bucket, as hdrh has it."""
    doublings = np.maximum(buckets // _HALF - 1, 0)
    middles: NDArray[np.int64] = ((buckets - doublings * _HALF) << doublings) + ((1 << doublings) >> 1)
    return middles.astype(np.float64)


def latency_of_counts(counts: NDArray[np.int64], values_ns: NDArray[np.float64]) -> LatencyNs | None:
    """Return `latency_of` of counts by ascending value."""
    total = int(counts.sum())
    if total == 0:
        return None
    cumulated = np.cumsum(counts)
    ranks = [math.ceil(share * total) for share in _SHARES]
    p50, p95, p99, p999 = (int(values_ns[index]) for index in np.searchsorted(cumulated, ranks))
    return LatencyNs(p50=p50, p95=p95, p99=p99, p999=p999, max=int(values_ns[np.flatnonzero(counts)[-1]]))


def mean_of_counts(counts: NDArray[np.int64], values_ns: NDArray[np.float64]) -> float:
    """Return the mean of the bins' middles, as in hdrh: bins of one width below 2048, then of each doubled width."""
    middles = []
    for highest in values_ns.astype(np.int64).tolist():
        width = 1 << max(highest.bit_length() - _HALF.bit_length(), 0)
        middles.append(highest - width + 1 + (width >> 1))
    total: int = sum(count * middle for count, middle in zip(counts.tolist(), middles, strict=True))
    return total / int(counts.sum())


def latency_of(histogram: Histogram) -> LatencyNs | None:
    """Return the quantiles that are reported; None of an empty histogram.

    A quantile is the smallest value that its share of all values does not exceed, as the load generator and
    HdrHistogram's Java tools have it; hdrh rounds the rank and can be one value lower. Read off the cumulated counts
    at once: hdrh's own walk over some 30,000 buckets costs 2 ms a quantile, which in the second it is done for would
    disturb what is being measured.
    """
    count = histogram.get_total_count()
    if count == 0:
        return None
    cumulated = np.cumsum(np.frombuffer(histogram.counts, dtype=np.int64))
    ranks = [math.ceil(share * count) for share in _SHARES]
    indices = np.searchsorted(cumulated, ranks)
    values = [histogram.get_highest_equivalent_value(histogram.get_value_from_index(int(i))) for i in indices]
    p50, p95, p99, p999 = values
    return LatencyNs(p50=p50, p95=p95, p99=p99, p999=p999, max=histogram.get_max_value())
