"""Decodes many encoded histograms of one layout together.

A window of 900 seconds has as many histograms. ``hdrh`` makes an object with 33,792 counts of each, which takes most of
the time of a report; here the bytes of all of them are laid end to end, and numpy reads them in a few passes. What the
load generator does not write (another layout, damage) is left to ``hdrh`` and its messages.

The format is HdrHistogram's V2: Base64 of a cookie, a length and a zlib stream; inside a header of 40 bytes and the
counts as zigzag LEB128 numbers, of which a negative one stands for so many empty buckets.
"""

from __future__ import annotations

import binascii
import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_OUTER = struct.Struct(">II")
_HEADER = struct.Struct(">IIIIQQd")
_COMPRESSED_COOKIE, _COOKIE = 0x1C849314, 0x1C849313
_LONGEST = 8
"""Bytes of a number; the ninth would have eight bits, and no count needs it."""
TOGETHER = 24
"""Histograms whose numbers are read in one pass: of more, the arrays in between leave the processor's cache."""
_MOST_BYTES = 1 << 20
"""Of one histogram unpacked: each of 33,792 counts has nine bytes at most."""

Filled = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def filled_buckets(texts: Sequence[str], *, digits: int, lowest: int, buckets: int) -> Filled | None:
    """Return the buckets of each histogram that hold something.

    Parameters
    ----------
    digits, lowest, buckets : the layout: significant digits, lowest value, and how many buckets it has

    Returns
    -------
    which histogram, which bucket, how many, in order; None where one of the histograms is not of that layout or not
    whole
    """
    payloads = []
    for text in texts:
        payload = _decoded_payload(text, digits, lowest)
        if payload is None:
            return None
        payloads.append(payload)
    filled_parts = [
        (start, _bucket_counts(payloads[start : start + TOGETHER], buckets)) for start in range(0, len(texts), TOGETHER)
    ]
    shifted_parts = [
        (offset + start, bucket, count) for start, part in filled_parts if part for offset, bucket, count in [part]
    ]
    if not shifted_parts or len(shifted_parts) < len(filled_parts):
        return None
    histogram, bucket, count = (np.concatenate(sides) for sides in zip(*shifted_parts, strict=True))
    return histogram, bucket, count


def _decoded_payload(text: str, digits: int, lowest: int) -> bytes | None:
    """Return the counts of a histogram as they are stored; None of anything unusual."""
    try:
        packed_bytes = binascii.a2b_base64(text)
        cookie, length = _OUTER.unpack_from(packed_bytes)
        if cookie != _COMPRESSED_COOKIE or length != len(packed_bytes) - _OUTER.size:
            return None
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(packed_bytes[_OUTER.size :], _MOST_BYTES)
        if not unpacker.eof:
            return None
        cookie, length, offset, own_digits, own_lowest, _, ratio = _HEADER.unpack_from(content)
    except (ValueError, struct.error, zlib.error):
        return None
    payload = content[_HEADER.size :]
    is_usual = (cookie, offset, own_digits, own_lowest, ratio) == (_COOKIE, 0, digits, lowest, 1.0)
    is_whole = length == len(payload) and (not payload or payload[-1] < 0x80)
    return payload if is_usual and is_whole else None


def _bucket_counts(payloads: Sequence[bytes], buckets: int) -> Filled | None:
    content = np.frombuffer(b"".join(payloads), dtype=np.uint8)
    ends = np.flatnonzero(content < 0x80)
    begins = np.append(0, ends[:-1] + 1) if len(ends) else ends
    lengths = ends - begins + 1
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST:
        return None
    zigzag = content[begins].astype(np.int64) & 0x7F
    for place in range(1, longest):
        has = np.flatnonzero(lengths > place)
        zigzag[has] |= (content[begins[has] + place].astype(np.int64) & 0x7F) << (7 * place)
    values = (zigzag >> 1) ^ -(zigzag & 1)
    # A negative number skips so many buckets, any other is the count of one.
    positions = np.cumsum(np.maximum(-values, 1))
    bounds = np.searchsorted(ends, np.cumsum([len(payload) for payload in payloads]))
    count_places = np.flatnonzero(values > 0)
    numbers = np.diff(bounds, prepend=0)
    positions_before = np.append(0, positions)[bounds - numbers]
    histogram = np.repeat(np.arange(len(payloads)), np.diff(np.searchsorted(count_places, bounds), prepend=0))
    bucket = positions[count_places] - 1 - positions_before[histogram]
    if bucket.max(initial=0) >= buckets:
        return None
    return histogram, bucket, values[count_places]
