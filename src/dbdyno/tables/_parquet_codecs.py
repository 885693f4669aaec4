"""Unpacks compressed pages to the size that their heads state, and no further."""

from __future__ import annotations

import sys
import zlib

from dbdyno.tables._parquet_thrift import read_varint

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

UNCOMPRESSED, SNAPPY, GZIP, ZSTD = 0, 1, 2, 6
_NAMES = {3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}


def unpacked(codec: int, data: bytes, size: int) -> bytes:
    """A page's bytes.

    Raises
    ------
    ValueError : it is damaged, or holds another number of bytes
    """
    if codec == UNCOMPRESSED:
        content = data
    elif codec == ZSTD:
        content = _unpacked_zstd(data, size)
    elif codec == GZIP:
        content = _unpacked_gzip(data, size)
    elif codec == SNAPPY:
        content = _unpacked_snappy(data, size)
    else:
        raise ValueError(f"it is compressed by {_NAMES.get(codec, 'an unknown program')}, not by zstd, gzip or Snappy")
    if len(content) != size:
        raise ValueError(f"a page of {len(content)} bytes where {size} belong")
    return content


def packed_zstd(data: bytes) -> bytes:
    """Bytes that `unpacked` reads; higher levels of compression gain a few percent of tables like ours."""
    return zstd.compress(data, 1)


def _unpacked_zstd(data: bytes, size: int) -> bytes:
    try:
        return zstd.ZstdDecompressor().decompress(data, max_length=size) if size else b""
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def _unpacked_gzip(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj(wbits=47).decompress(data, size) if size else b""
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _unpacked_snappy(data: bytes, size: int) -> bytes:
    """Snappy: literals, and copies of what was unpacked before."""
    told, at = read_varint(data, 0)
    if told != size:
        raise ValueError(f"a page of {told} bytes where {size} belong")
    found = bytearray()
    while at < len(data) and len(found) <= size:
        tag = data[at]
        kind, length = tag & 3, (tag >> 2) + 1
        at += 1
        if kind == 0:
            if length > 60:
                width = length - 60
                length, at = int.from_bytes(data[at : at + width], "little") + 1, at + width
            found += data[at : at + length]
            at += length
            continue
        if kind == 1:
            length, offset, at = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], at + 1
        else:
            width = 2 if kind == 2 else 4
            offset, at = int.from_bytes(data[at : at + width], "little"), at + width
        if not 0 < offset <= len(found):
            raise ValueError("a copy of what is not there")
        begin = len(found) - offset
        part = found[begin : begin + length]
        found += (part * (length // len(part) + 1))[:length]  # a copy may go on into what it makes
    return bytes(found)
