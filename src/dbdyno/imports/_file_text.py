"""Reads a file's text, however it is packed or damaged; reports what was wrong."""

from __future__ import annotations

import bz2
import codecs
import hashlib
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dbdyno.core import input_limit, read_input, too_large

MOST_BYTES = 64 << 20
"""Of one log, unpacked: a day with a report each second has some 10 MiB; what is made of it takes ten times as much."""
HEAD_BYTES = 8192
"""What is read of a file to see what it is."""


class _Unpacker(Protocol):
    """Represents the part of the standard library's decompressors that is used."""

    @property
    def eof(self) -> bool:
        """Return whether the end of the packed data was seen."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Unpack at most so many bytes."""


_PACKINGS: tuple[tuple[bytes, str, Callable[[], _Unpacker]], ...] = (
    (b"\x1f\x8b", "gzip", lambda: zlib.decompressobj(wbits=31)),
    (b"\xfd7zXZ\x00", "xz", lzma.LZMADecompressor),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class FileText:
    """Describes a file as text.

    Parameters
    ----------
    text : line ends are line feeds; what is not UTF-8 became replacement characters
    sha256, size : of the file as it lies there, packed or not
    diagnostics : line and text of what was wrong
    unpacked_sha256 : of what is in a packed file; empty where it is not packed
    """

    text: str
    sha256: str
    size: int
    diagnostics: tuple[tuple[int, str], ...] = ()
    unpacked_sha256: str = ""


def read_file_text(path: Path) -> FileText:
    """Read a file whole.

    Raises
    ------
    OSError : it can't be read
    RequestError : the limit in the environment is no number
    """
    limit_bytes = input_limit(MOST_BYTES)
    size = path.stat().st_size
    if size > limit_bytes:
        return FileText("", "", size, ((1, f"not read: {too_large(limit_bytes)}"),))
    raw = read_input(path, limit_bytes)
    content, diagnostic = unpacked(raw, limit_bytes)
    text, diagnostics = decoded(content)
    if diagnostic:
        diagnostics = (*diagnostics, (text.count("\n") + 1, diagnostic))
    unpacked_sha256 = "" if content is raw else hashlib.sha256(content).hexdigest()
    return FileText(text, hashlib.sha256(raw).hexdigest(), len(raw), diagnostics, unpacked_sha256)


def read_head(path: Path) -> str:
    """Return the beginning of a file, to see what it is; empty when it can't be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(HEAD_BYTES)
    except OSError:
        return ""
    return decoded(unpacked(raw, HEAD_BYTES)[0])[0]


def unpacked(raw: bytes, most: int = MOST_BYTES) -> tuple[bytes, str]:
    """Return contents of packed bytes, as far as they go, and what was wrong; others as they are.

    >>> import gzip
    >>> unpacked(gzip.compress(b"abc")), unpacked(gzip.compress(b"abc")[:-6]), unpacked(b"abc")
    ((b'abc', ''), (b'abc', 'the gzip data are truncated'), (b'abc', ''))
    """
    packing = next(((name, make_unpacker) for magic, name, make_unpacker in _PACKINGS if raw.startswith(magic)), None)
    if packing is None:
        return raw, ""
    name, make_unpacker = packing
    chunks: list[bytes] = []
    remaining_bytes, remaining_data = most, raw
    try:
        while remaining_data and remaining_bytes > 0:
            unpacker = make_unpacker()
            chunk = unpacker.decompress(remaining_data, remaining_bytes)
            chunks.append(chunk)
            remaining_bytes -= len(chunk)
            if not unpacker.eof:
                return b"".join(chunks), _truncated_words(name, remaining_bytes, most)
            remaining_data = getattr(unpacker, "unused_data", b"")
            if not remaining_data.startswith(raw[:2]):
                break  # nothing, or padding after the last member
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
        return b"".join(chunks), f"the {name} data are damaged: {error}"
    return b"".join(chunks), ""


def _truncated_words(name: str, remaining_bytes: int, limit_bytes: int) -> str:
    return (
        f"the {name} data are truncated"
        if remaining_bytes > 0
        else f"the rest is ignored: {too_large(limit_bytes, 'it unpacks to')}"
    )


def decoded(content: bytes) -> tuple[str, tuple[tuple[int, str], ...]]:
    r"""Return the text of bytes, with the line of the first byte that is not UTF-8.

    >>> decoded(b"a\r\nb\xff\n")
    ('a\nb\ufffd\n', ((2, 'not UTF-8 (byte 0xff)'),))
    """
    coding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    diagnostics: tuple[tuple[int, str], ...] = ()
    try:
        text = content.decode(coding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte_words = f"byte 0x{content[error.start]:02x}" if error.start < len(content) else "cut off"
        diagnostics = ((line, f"not {'UTF-8' if 'utf-8' in coding else 'UTF-16'} ({byte_words})"),)
        text = content.decode(coding, errors="replace")
    return (text.replace("\r\n", "\n") if "\r" in text else text), diagnostics
