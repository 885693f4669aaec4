"""Histograms of intervals merged, so that quantiles are read and never averaged."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from hdrh.codec import HdrCookieException, HdrLengthException
from hdrh.histogram import HdrHistogram

from dbdyno.core import LatencyNs, StoreError

LOWEST_NS = 1
HIGHEST_NS = 3_600_000_000_000
SIGNIFICANT_DIGITS = 3


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
    ranks = [math.ceil(share * count) for share in (0.5, 0.95, 0.99, 0.999)]
    indices = np.searchsorted(cumulated, ranks)
    values = [histogram.get_highest_equivalent_value(histogram.get_value_from_index(int(i))) for i in indices]
    p50, p95, p99, p999 = values
    return LatencyNs(p50=p50, p95=p95, p99=p99, p999=p999, max=histogram.get_max_value())
