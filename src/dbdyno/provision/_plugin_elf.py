"""Reads the versions that a plug-in declares out of its ELF file; loads nothing.

MariaDB's plug-ins export the array ``_maria_plugin_declarations_`` (`st_maria_plugin` in its include/mysql/plugin.h).
Each entry holds pointers to a name and a version text. Relocations fill these pointers when the file is loaded, so the
relocations are read: their addends, or the words in place where the linker put the addends there.
"""

from __future__ import annotations

import contextlib
import mmap
import re
import struct
from collections.abc import Iterator
from pathlib import Path

_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_DYNAMIC_ENTRY = struct.Struct("<qQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_LOAD, _DYNAMIC = 1, 2
_STRTAB, _SYMTAB, _RELA, _RELASZ = 5, 6, 7, 8
_DECLARATIONS = b"_maria_plugin_declarations_"
# struct st_maria_plugin of a 64-bit build: where its name and its version text are, and its size.
_NAME_AT, _VERSION_INFO_AT, _ENTRY_SIZE = 16, 88, 104
_TEXT_MAX = 200
_VERSION_RE = re.compile(r"\d+(?:\.\d+)+")


def declared_versions(path: Path) -> dict[str, str]:
    """Return plug-in's name, lower case -> version, for each plug-in of a file with a version of numbers and dots.

    What can't be read is left out: a version is then not known, and that is no error. Only 64-bit little-endian files
    are understood: all platforms that dbdyno measures on.
    """
    try:
        with map_file(path) as content:
            return _Elf(content).versions()
    except (struct.error, KeyError, IndexError, ValueError):
        return {}


@contextlib.contextmanager
def map_file(path: Path) -> Iterator[mmap.mmap]:
    """Map a file that is not empty: a library may take gigabytes with its debug information, and little is read."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


class _Elf:
    """Represents the parts of a shared library that its loader uses: segments and the dynamic table."""

    def __init__(self, content: bytes | mmap.mmap) -> None:
        if content[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self._content = content
        table = int.from_bytes(content[32:40], "little")
        entry_size, count = struct.unpack_from("<HH", content, 54)
        headers = [_PROGRAM_HEADER.unpack_from(content, table + entry_size * index) for index in range(count)]
        self._segments = [
            (header[3], header[2], header[5]) for header in headers if header[0] == _LOAD
        ]  # address, offset, bytes in the file
        place, size = next((header[2], header[5]) for header in headers if header[0] == _DYNAMIC) if headers else (0, 0)
        entries = _DYNAMIC_ENTRY.iter_unpack(content[place : place + size // _DYNAMIC_ENTRY.size * _DYNAMIC_ENTRY.size])
        self._dynamic: list[tuple[int, int]] = []
        for tag, value in entries:
            if tag == 0:
                break
            self._dynamic.append((int(tag), int(value)))

    def versions(self) -> dict[str, str]:
        place = self._symbol(_DECLARATIONS)
        if place is None:
            return {}
        address, size = place
        pointers = self._relocations(address, address + size)
        symbols = {}
        for entry in range(address, address + size - _ENTRY_SIZE + 1, _ENTRY_SIZE):
            name, version = (self._pointed_text(entry + offset, pointers) for offset in (_NAME_AT, _VERSION_INFO_AT))
            match = _VERSION_RE.match(version)
            if name and match:
                symbols[name.lower()] = match[0]
        return symbols

    def _pointed_text(self, address: int, pointers: dict[int, int]) -> str:
        """Return the text that a pointer of the loaded file will point to; empty for a null pointer."""
        place = self._file_offset(address)
        target = pointers.get(address) or int.from_bytes(self._content[place : place + 8], "little")
        return self._text_at(target) if target else ""

    def _relocations(self, first_address: int, end_address: int) -> dict[int, int]:
        """Return the address -> addend of the relocations of a range."""
        size = self._dynamic_value(_RELASZ, 0)
        start = self._file_offset(self._dynamic_value(_RELA)) if size else 0
        table = self._content[start : start + size // _RELOCATION.size * _RELOCATION.size]
        return {
            place: addend for place, _, addend in _RELOCATION.iter_unpack(table) if first_address <= place < end_address
        }

    def _symbol(self, name: bytes) -> tuple[int, int] | None:
        """Return address and size of an exported object; symbols lie before their names in every linker's output."""
        symbols, strings = self._file_offset(self._dynamic_value(_SYMTAB)), self._dynamic_value(_STRTAB)
        names = self._file_offset(strings)
        symbols_end = names if names > symbols else len(self._content)
        for place in range(symbols, symbols_end - _SYMBOL.size + 1, _SYMBOL.size):
            label, _, _, section, value, size = _SYMBOL.unpack_from(self._content, place)
            start = names + label
            if section and self._content[start : start + len(name) + 1] == name + b"\0":
                return int(value), int(size)
        return None

    def _dynamic_value(self, wanted_tag: int, default: int | None = None) -> int:
        for tag, value in self._dynamic:
            if tag == wanted_tag:
                return value
        if default is None:
            raise KeyError(wanted_tag)
        return default

    def _file_offset(self, address: int) -> int:
        for start, offset, size in self._segments:
            if start <= address < start + size:
                return int(offset + address - start)
        raise ValueError("an address outside the file")

    def _text_at(self, address: int) -> str:
        start = self._file_offset(address)
        text_end = self._content.find(b"\0", start, start + _TEXT_MAX)
        return self._content[start : text_end if text_end >= 0 else start].decode("utf-8", "replace")
