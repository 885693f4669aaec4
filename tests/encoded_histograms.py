"""Encodes histograms of a few values, as the load generator writes them.

hdrh goes through all of its 33,792 counts for each, four milliseconds long, and the stored studies of some tests have
thousands of histograms.
"""

from __future__ import annotations

import binascii
import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate

_HIGHEST_NS, _DIGITS = 3_600_000_000_000, 3
_HALF_BITS = 10
"""Half of the 2,048 buckets of one width, which three digits take."""


def encoded(*values_ns: int) -> str:
    """A histogram of these values."""
    return encoded_counts(Counter(values_ns))


def encoded_counts(values_ns: Mapping[float, int]) -> str:
    """A histogram of so many values of each: HdrHistogram's V2, compressed, in Base64."""
    counts = Counter[int]()
    for value, count in values_ns.items():
        counts[_bucket(int(value))] += count
    numbers = b"".join(_zigzag(number) for number in _numbers(counts))
    header = struct.pack(">IIIIQQd", 0x1C849313, len(numbers), 0, _DIGITS, 1, _HIGHEST_NS, 1.0)
    packed = zlib.compress(header + numbers)
    return binascii.b2a_base64(struct.pack(">II", 0x1C849314, len(packed)) + packed, newline=False).decode()


def percentiles_ns(values_ns: Mapping[int, int], *asked: float) -> list[int]:
    """What hdrh's histogram of so many values of each would say, quicker."""
    rows = sorted(values_ns.items())
    upto = list(accumulate(count for _, count in rows))
    ranks = (max(int(percent * upto[-1] / 100 + 0.5), 1) for percent in asked)
    return [_highest_equivalent(rows[bisect_left(upto, rank)][0]) for rank in ranks]


def _width_bits(value: int) -> int:
    return max(value.bit_length() - _HALF_BITS - 1, 0)


def _highest_equivalent(value: int) -> int:
    return value | (1 << _width_bits(value)) - 1


def _bucket(value: int) -> int:
    return (_width_bits(value) << _HALF_BITS) + (value >> _width_bits(value))


def _numbers(counts: Mapping[int, int]) -> Iterator[int]:
    """Counts by bucket; a negative number stands for so many empty ones."""
    end = 0
    for bucket, count in sorted(counts.items()):
        if count:
            if bucket > end:
                yield end - bucket
            yield count
            end = bucket + 1


def _zigzag(number: int) -> bytes:
    rest = (number << 1) ^ (number >> 63)
    found = bytearray()
    while rest > 0x7F:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*found, rest])
