"""Histograms of intervals merged, so that quantiles are read and never averaged."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from dbdyno.core import LatencyNs, StoreError

LOWEST_NS = 1
HIGHEST_NS = 3_600_000_000_000
SIGNIFICANT_DIGITS = 3
_SHARES = (0.5, 0.95, 0.99, 0.999)


class Histogram(Protocol):
    """What is used of an ``hdrh`` histogram; values are nanoseconds."""

    counts: Any

    def get_value_from_index(self, index: int) -> int:
        """Lowest value of a bucket."""

    def get_highest_equivalent_value(self, value: int) -> int:
        """Highest value of the bucket that holds a value."""

    def get_value_at_percentile(self, percentile: float) -> int:
        """Highest value of the bucket that holds the percentile (0 to 100)."""

    def get_total_count(self) -> int:
        """How many values were recorded."""

    def get_max_value(self) -> int:
        """The largest value."""

    def get_mean_value(self) -> float:
        """Mean of the bucket middles."""

    def get_recorded_iterator(self) -> Iterator[object]:
        """Buckets that hold something."""


def merged_histogram(encoded: Iterable[str | None]) -> Histogram:
    """One histogram of all that the given ones recorded; None and empty texts count for nothing.

    Raises
    ------
    StoreError : a text is not a histogram

    >>> merged_histogram([]).get_total_count()
    0
    """
    total = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
    for text in encoded:
        if text:
            _add(total, text)
    result: Histogram = total
    return result


def _add(total: Any, text: str) -> None:  # noqa: ANN401 - hdrh has no types
    try:
        total.decode_and_add(text)
    except (ValueError, TypeError, zlib.error, HdrCookieException) as error:
        raise StoreError("a histogram can't be read", f"{type(error).__name__}: {error} in {text[:40]}") from error
    except HdrLengthException as error:
        raise StoreError("a histogram is cut short", text[:40]) from error


def counts_by_second(encoded: Iterable[tuple[int, str | None]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Histograms of seconds side by side.

    Parameters
    ----------
    encoded : second and histogram; several of one second (types of transactions) are added

    Returns
    -------
    counts, shape (seconds, bins), from the first second to the last, with zeros where nothing was recorded; and the
    highest value of each bin, nanoseconds, ascending. Only bins that hold something

    Raises
    ------
    StoreError : a text is not a histogram

    >>> counts_by_second([])[0].shape
    (0, 0)
    """
    texts: dict[int, list[str]] = {}
    for second, text in encoded:
        if text:
            texts.setdefault(second, []).append(text)
    if not texts:
        return np.zeros((0, 0), dtype=np.int64), np.zeros(0)
    found = {second: np.frombuffer(merged_histogram(own).counts, dtype=np.int64) for second, own in texts.items()}
    used = np.flatnonzero(np.any([counts > 0 for counts in found.values()], axis=0))
    table = np.zeros((max(found) - min(found) + 1, len(used)), dtype=np.int64)
    for second, counts in found.items():
        table[second - min(found)] = counts[used]
    layout = HdrHistogram(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
    values = [layout.get_highest_equivalent_value(layout.get_value_from_index(int(index))) for index in used]
    return table, np.array(values, dtype=np.float64)


def latency_of_counts(counts: NDArray[np.int64], values_ns: NDArray[np.float64]) -> LatencyNs | None:
    """As `latency_of`, of counts by ascending value."""
    total = int(counts.sum())
    if total == 0:
        return None
    cumulated = np.cumsum(counts)
    ranks = [math.ceil(share * total) for share in _SHARES]
    p50, p95, p99, p999 = (int(values_ns[index]) for index in np.searchsorted(cumulated, ranks))
    return LatencyNs(p50=p50, p95=p95, p99=p99, p999=p999, max=int(values_ns[np.flatnonzero(counts)[-1]]))


def latency_of(histogram: Histogram) -> LatencyNs | None:
    """The quantiles that are reported; None of an empty histogram.

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
