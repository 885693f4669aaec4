"""Reads files that people name: never waits for a writer, and never takes more than a stated amount.

Problems are `OSError` and `ValueError` with words for people, which the caller puts to what the file was for.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from pathlib import Path

from dbdyno.core._errors import RequestError
from dbdyno.core._units import format_bytes

MOST_BYTES = 256 << 20
LIMIT_VARIABLE = "DBDYNO_INPUT_LIMIT"
"""Environment variable that raises, or lowers, how much of one file is taken, unpacked."""
_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a named pipe, which could block forever"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)
_GZIP = b"\x1f\x8b"
_PIPES_OF_SHELLS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")


def input_limit(default: int = MOST_BYTES) -> int:
    """Return how many bytes of one file are taken: `default`, or what `LIMIT_VARIABLE` says.

    Raises
    ------
    RequestError : the variable holds no number of bytes, or one that is not positive
    """
    text = os.environ.get(LIMIT_VARIABLE, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        what = f"the environment variable {LIMIT_VARIABLE} holds {text[:40]!r}, not a number of bytes"
        raise RequestError(what, "", f"write for example {LIMIT_VARIABLE}=1000000000, or unset it")
    return int(text)


def too_large(most: int, what: str = "it holds", *, is_fixed: bool = False) -> str:
    """Return words for a file of which more is there than is taken.

    Parameters
    ----------
    is_fixed : `LIMIT_VARIABLE` does not change this limit

    >>> too_large(256 << 20)
    'it holds more than 256 MiB, the limit for one file; DBDYNO_INPUT_LIMIT=536870912 raises this limit'
    >>> too_large(4 << 20, is_fixed=True)
    'it holds more than 4 MiB, the limit for such a file'
    """
    if is_fixed:
        return f"{what} more than {format_bytes(most)}, the limit for such a file"
    return (
        f"{what} more than {format_bytes(most)}, the limit for one file; {LIMIT_VARIABLE}={2 * most} raises this limit"
    )


def read_input(path: Path, most: int | None = None, *, is_fixed: bool = False) -> bytes:
    """Return contents of a regular file, at most so many bytes; `most` is `input_limit` where it is not given.

    A pipe that a shell has made for the command (``<(zcat x.gz)``) is read as well: its writer is there.

    Parameters
    ----------
    is_fixed : `most` does not come from `input_limit`, so `LIMIT_VARIABLE` does not change it

    Raises
    ------
    OSError : it can't be read, is no regular file, or is larger
    """
    limit = input_limit() if most is None else most
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        facts = os.fstat(descriptor)
        mode = facts.st_mode
        if not stat.S_ISREG(mode):
            if not (stat.S_ISFIFO(mode) and str(path).startswith(_PIPES_OF_SHELLS)):
                raise _not_a_file_error(path, mode)
            os.set_blocking(descriptor, True)
        # Python allocates all that may be read: with the limit, that takes four times as long as reading the file.
        content = _read_bytes(descriptor, min(facts.st_size, limit) + 1)
        if len(content) > facts.st_size:  # it grows, is a pipe, or reports no size, as files of /proc do
            content += _read_bytes(descriptor, limit + 1 - len(content))
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise OSError(errno.EFBIG, too_large(limit, is_fixed=is_fixed), str(path))
    return content


def _read_bytes(descriptor: int, most: int) -> bytes:
    """Return so many bytes of an open file, or all that are left; a study's thousands of files need no buffer."""
    parts = []
    while most > 0 and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def read_input_text(path: Path, most: int | None = None, *, is_fixed: bool = False) -> str:
    r"""Return the text of a regular file in UTF-8, in any locale, as `read_input`; line ends are line feeds.

    Raises
    ------
    OSError : as `read_input`
    ValueError : it is not UTF-8, with line and byte
    """
    return utf8_text(read_input(path, most, is_fixed=is_fixed))


def utf8_text(content: bytes) -> str:
    r"""Return text of bytes in UTF-8; line ends are line feeds, as in any file that Python reads as text.

    Raises
    ------
    ValueError : they are not, with line and byte

    >>> utf8_text(b"a\r\nb")
    'a\nb'
    >>> utf8_text(b"a\n\xff")
    Traceback (most recent call last):
    ValueError: line 2: byte 0xff is not UTF-8
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: byte 0x{content[error.start]:02x} is not UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unpacked_gzip(content: bytes, most: int, *, is_fixed: bool = False) -> bytes:
    """Return what a gzip file holds, of one member or several; at most so many bytes, as `read_input`.

    Raises
    ------
    ValueError : it holds more, is damaged, or ends early

    >>> import gzip
    >>> unpacked_gzip(gzip.compress(b"abc") + gzip.compress(b"d"), 10)
    b'abcd'
    """
    parts: list[bytes] = []
    bytes_left, packed = most + 1, content
    while packed.startswith(_GZIP) or not parts:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            parts.append(unpacker.decompress(packed, bytes_left))
        except zlib.error as error:
            raise ValueError(f"gzip: {error}") from error
        bytes_left -= len(parts[-1])
        if bytes_left <= 0:
            raise ValueError(too_large(most, "it unpacks to", is_fixed=is_fixed))
        if not unpacker.eof:
            raise ValueError("gzip: the data end early")
        packed = unpacker.unused_data
    return b"".join(parts)


def words_of(error: Exception) -> str:
    """Return why a file can't be read, for a message that names the file already."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def _not_a_file_error(path: Path, mode: int) -> OSError:
    words = next((words for is_kind, words in _KINDS if is_kind(mode)), "it is not a file")
    if stat.S_ISDIR(mode):
        return IsADirectoryError(errno.EISDIR, words, str(path))
    return OSError(errno.EINVAL, words, str(path))
