"""Writes and reads frames: two lengths of four bytes, a header of JSON, a body of bytes.

>>> import io
>>> read_frame(io.BytesIO(encode({"id": 1}, b"body")).read)
({'id': 1}, b'body')
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

GREETING = b"\ndbdyno-agent 1\n"
"""Precedes the first frame; what a login shell prints comes before it."""
BODY_MOST_BYTES = 16 << 20
_HEADER_MOST_BYTES = 1 << 20
_LENGTHS = struct.Struct(">II")
_NOISE_MOST_BYTES = 1 << 16


def encode(header: Mapping[str, object], body: bytes = b"") -> bytes:
    """Encode one frame."""
    text = json.dumps(header).encode()
    return _LENGTHS.pack(len(text), len(body)) + text + body


def read_frame(read: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame; None at the end.

    Parameters
    ----------
    read : returns as many bytes as it is asked for, fewer at the end

    Raises
    ------
    ValueError : what comes is no frame
    """
    lengths = read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    header_bytes, body_bytes = _LENGTHS.unpack(lengths)
    if header_bytes > _HEADER_MOST_BYTES or body_bytes > BODY_MOST_BYTES:
        raise ValueError(f"a frame of {header_bytes} + {body_bytes} bytes exceeds the limit")
    text = read(header_bytes)
    body = read(body_bytes) if body_bytes else b""
    if len(text) < header_bytes or len(body) < body_bytes:
        return None
    header = json.loads(text)
    if not isinstance(header, dict):
        raise ValueError("the header of a frame is not an object")  # noqa: TRY004 - of what came, not of an argument
    return header, body


def skip_greeting(read: Callable[[int], bytes]) -> bytes | None:
    """Read up to the first frame; None, or else what came before the end of the connection, which is no agent's."""
    noise = b""
    while not noise.endswith(GREETING):
        byte = read(1)
        if not byte or len(noise) > _NOISE_MOST_BYTES:
            return noise
        noise += byte
    return None
