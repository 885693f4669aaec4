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
    """The part of the standard library's decompressors that is used."""

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
    """A file as text.

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
    most = input_limit(MOST_BYTES)
    size = path.stat().st_size
    if size > most:
        return FileText("", "", size, ((1, f"not read: {too_large(most)}"),))
    raw = read_input(path, most)
    content, diagnostic = unpacked(raw, most)
    text, diagnostics = decoded(content)
    if diagnostic:
        diagnostics = (*diagnostics, (text.count("\n") + 1, diagnostic))
    inner = "" if content is raw else hashlib.sha256(content).hexdigest()
    return FileText(text, hashlib.sha256(raw).hexdigest(), len(raw), diagnostics, inner)


def read_head(path: Path) -> str:
    """The beginning of a file, to see what it is; empty when it can't be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(HEAD_BYTES)
    except OSError:
        return ""
    return decoded(unpacked(raw, HEAD_BYTES)[0])[0]


def unpacked(raw: bytes, most: int = MOST_BYTES) -> tuple[bytes, str]:
    """Contents of packed bytes, as far as they go, and what was wrong; others as they are.

    >>> import gzip
    >>> unpacked(gzip.compress(b"abc")), unpacked(gzip.compress(b"abc")[:-6]), unpacked(b"abc")
    ((b'abc', ''), (b'abc', 'the gzip data are truncated'), (b'abc', ''))
    """
    found = next(((name, make) for magic, name, make in _PACKINGS if raw.startswith(magic)), None)
    if found is None:
        return raw, ""
    name, make = found
    parts: list[bytes] = []
    left, rest = most, raw
    try:
        while rest and left > 0:
            unpacker = make()
            part = unpacker.decompress(rest, left)
            parts.append(part)
            left -= len(part)
            if not unpacker.eof:
                return b"".join(parts), _unfinished(name, left, most)
            rest = getattr(unpacker, "unused_data", b"")
            if not rest.startswith(raw[:2]):
                break  # nothing, or padding after the last member
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
        return b"".join(parts), f"the {name} data are damaged: {error}"
    return b"".join(parts), ""


def _unfinished(name: str, left: int, most: int) -> str:
    return f"the {name} data are truncated" if left > 0 else f"the rest is ignored: {too_large(most, 'it unpacks to')}"


def decoded(content: bytes) -> tuple[str, tuple[tuple[int, str], ...]]:
    r"""Text of bytes, with the line of the first byte that is not UTF-8.

    >>> decoded(b"a\r\nb\xff\n")
    ('a\nb\ufffd\n', ((2, 'not UTF-8 (byte 0xff)'),))
    """
    coding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    diagnostics: tuple[tuple[int, str], ...] = ()
    try:
        text = content.decode(coding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        shown = f"byte 0x{content[error.start]:02x}" if error.start < len(content) else "cut off"
        diagnostics = ((line, f"not {'UTF-8' if 'utf-8' in coding else 'UTF-16'} ({shown})"),)
        text = content.decode(coding, errors="replace")
    return (text.replace("\r\n", "\n") if "\r" in text else text), diagnostics
