"""Unpacks small numbers of Parquet: runs of one value, and groups of eight with as few bits as needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbdyno.tables._parquet_thrift import read_varint, varint

MOST_BITS = 32


def read_levels(data: bytes, bits: int, count: int) -> NDArray[np.int64]:
    """Read so many numbers of so many bits.

    Raises
    ------
    ValueError, IndexError : there are fewer
    """
    if not 0 <= bits <= MOST_BITS:
        raise ValueError(f"numbers of {bits} bits")
    stretches: list[NDArray[np.int64]] = []
    position, remaining_count = 0, count
    while remaining_count > 0:
        head, position = read_varint(data, position)
        if head & 1:
            size = (head >> 1) * bits
            stretch = (
                _unpack_bits(data[position : position + size], bits)[:remaining_count]
                if bits
                else np.zeros(remaining_count, dtype=np.int64)
            )
            if len(stretch) == 0:
                raise ValueError("it holds fewer numbers than its header says")
        else:
            size = (bits + 7) // 8
            stretch = np.full(
                min(head >> 1, remaining_count),
                int.from_bytes(data[position : position + size], "little"),
                dtype=np.int64,
            )
        position += size
        remaining_count -= len(stretch)
        stretches.append(stretch)
    return np.concatenate([np.zeros(0, dtype=np.int64), *stretches])


def are_all_one(data: bytes, count: int) -> bool:
    """Return whether so many numbers of one bit are stored as one stretch of ones.

    >>> are_all_one(levels_bytes(np.ones(300), 1), 300), are_all_one(levels_bytes(np.array([1, 0]), 1), 2)
    (True, False)
    """
    if count == 0:
        return True
    head, position = read_varint(data, 0)
    return not head & 1 and head >> 1 >= count and data[position : position + 1] == b"\1"


def _unpack_bits(data: bytes, bits: int) -> NDArray[np.int64]:
    """Return numbers of so many bits each, one after the other.

    Eight of them take `bits` bytes, so each eighth one begins at the same bit of a byte: they are cut out together, of
    words of 64 bits that begin every `bits` bytes. That takes half the time of adding up single bits.
    """
    groups = -(-len(data) // bits)
    padded = data.ljust(groups * bits + 8, b"\0")
    numbers = np.empty((groups, 8), dtype=np.int64)
    for column in range(8):
        first_byte, first_bit = divmod(column * bits, 8)
        words: NDArray[np.uint64] = np.ndarray(groups, "<u8", padded, first_byte, (bits,))
        numbers[:, column] = words >> np.uint64(first_bit) & np.uint64((1 << bits) - 1)
    return numbers.ravel()[: len(data) * 8 // bits]


def levels_bytes(levels: NDArray[np.integer], bits: int) -> bytes:
    """Return numbers of so many bits as `read_levels` reads them: one stretch where they are all the same, else packed.

    >>> read_levels(levels_bytes(np.array([1, 0, 3]), 2), 2, 3).tolist()
    [1, 0, 3]
    """
    if len(levels) and (levels == levels[0]).all():
        return varint(len(levels) << 1) + int(levels[0]).to_bytes((bits + 7) // 8, "little")
    groups = -(-len(levels) // 8)
    padded = np.zeros(groups * 8, dtype=np.int64)
    padded[: len(levels)] = levels
    bit_rows = (padded[:, None] >> np.arange(bits)) & 1
    return varint(groups << 1 | 1) + np.packbits(bit_rows.astype(np.uint8), bitorder="little").tobytes()
