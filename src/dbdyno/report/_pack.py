"""What many cells would make too long for a page is packed: deflated, in letters, unpacked by the browser on demand."""

from __future__ import annotations

import base64
import json
import zlib


def packed_text(text: str) -> str:
    """Text as Base64 of a zlib stream, which browsers know as ``deflate``.

    >>> zlib.decompress(base64.b64decode(packed_text("1 < 2")))
    b'1 < 2'
    """
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode()


def packed_json(value: object) -> str:
    """A value as packed JSON."""
    return packed_text(json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")))
