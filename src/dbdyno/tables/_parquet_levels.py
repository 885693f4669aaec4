"""Unpacks small numbers of Parquet: runs of one value, and groups of eight with as few bits as needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbdyno.tables._parquet_thrift import read_varint, varint

MOST_BITS = 32


def read_levels(data: bytes, bits: int, count: int) -> NDArray[np.int64]:
    """So many numbers of so many bits.

    Raises
    ------
    ValueError, IndexError : there are fewer
    """
    if not 0 <= bits <= MOST_BITS:
        raise ValueError(f"numbers of {bits} bits")
    parts: list[NDArray[np.int64]] = []
    at, left = 0, count
    while left > 0:
        head, at = read_varint(data, at)
        if head & 1:
            size = (head >> 1) * bits
            part = _unpacked_bits(data[at : at + size], bits)[:left] if bits else np.zeros(left, dtype=np.int64)
            if len(part) == 0:
                raise ValueError("it holds fewer numbers than its header says")
        else:
            size = (bits + 7) // 8
            part = np.full(min(head >> 1, left), int.from_bytes(data[at : at + size], "little"), dtype=np.int64)
        at += size
        left -= len(part)
        parts.append(part)
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _unpacked_bits(data: bytes, bits: int) -> NDArray[np.int64]:
    single = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")
    whole: NDArray[np.int64] = single[: len(single) // bits * bits].reshape(-1, bits) @ (1 << np.arange(bits))
    return whole


def levels_bytes(levels: NDArray[np.integer], bits: int) -> bytes:
    """Numbers of so many bits as `read_levels` reads them: one stretch where they are all the same, else packed.

    >>> read_levels(levels_bytes(np.array([1, 0, 3]), 2), 2, 3).tolist()
    [1, 0, 3]
    """
    if len(levels) and (levels == levels[0]).all():
        return varint(len(levels) << 1) + int(levels[0]).to_bytes((bits + 7) // 8, "little")
    groups = -(-len(levels) // 8)
    padded = np.zeros(groups * 8, dtype=np.int64)
    padded[: len(levels)] = levels
    single = (padded[:, None] >> np.arange(bits)) & 1
    return varint(groups << 1 | 1) + np.packbits(single.astype(np.uint8), bitorder="little").tobytes()
