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
    """Return a page's bytes.

    Raises
    ------
    ValueError : it is damaged, or holds another number of bytes
    """
    if size < 0:  # a decompressor takes 0 as "no limit"
        raise ValueError(f"a page of {size} bytes")
    if codec == UNCOMPRESSED:
        content = data
    elif codec == ZSTD:
        content = _unpack_zstd(data, size)
    elif codec == GZIP:
        content = _unpack_gzip(data, size)
    elif codec == SNAPPY:
        content = _unpack_snappy(data, size)
    else:
        raise ValueError(f"it is compressed by {_NAMES.get(codec, 'an unknown program')}, not by zstd, gzip or Snappy")
    if len(content) != size:
        raise ValueError(f"a page of {len(content)} bytes instead of {size}")
    return content


def packed_zstd(data: bytes) -> bytes:
    """Return bytes that `unpacked` reads; higher levels of compression gain a few percent of tables like ours."""
    return zstd.compress(data, 1)


def _unpack_zstd(data: bytes, size: int) -> bytes:
    try:
        return zstd.ZstdDecompressor().decompress(data, max_length=size) if size else b""
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def _unpack_gzip(data: bytes, size: int) -> bytes:
    try:
        return zlib.decompressobj(wbits=47).decompress(data, size) if size else b""
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _unpack_snappy(data: bytes, size: int) -> bytes:
    """Unpack Snappy: literals, and copies of what was unpacked before."""
    declared_size, position = read_varint(data, 0)
    if declared_size != size:
        raise ValueError(f"a page of {declared_size} bytes instead of {size}")
    output = bytearray()
    while position < len(data) and len(output) <= size:
        tag = data[position]
        kind, length = tag & 3, (tag >> 2) + 1
        position += 1
        if kind == 0:
            if length > 60:
                width = length - 60
                length, position = int.from_bytes(data[position : position + width], "little") + 1, position + width
            output += data[position : position + length]
            position += length
            continue
        if kind == 1:
            length, offset, position = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[position], position + 1
        else:
            width = 2 if kind == 2 else 4
            offset, position = int.from_bytes(data[position : position + width], "little"), position + width
        if not 0 < offset <= len(output):
            raise ValueError("a copy of what is not there")
        copy_start = len(output) - offset
        pattern = output[copy_start : copy_start + length]
        output += (pattern * (length // len(pattern) + 1))[:length]  # a copy may overlap its own output
    return bytes(output)
