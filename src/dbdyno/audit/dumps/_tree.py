"""Reads a folder of dumps as comparison sets."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from dbdyno.audit import ComparisonSet
from dbdyno.audit.dumps._location import DumpLocation, dump_location
from dbdyno.audit.dumps._parse import Document, parse_document
from dbdyno.audit.dumps._sets import sets_of
from dbdyno.core import (
    LIMIT_VARIABLE,
    RequestError,
    format_bytes,
    input_limit,
    read_input,
    unpacked_gzip,
    words_of,
)

_LARGEST_BYTES = 16 << 20
_MOST_FILES = 100_000
_TELLING = re.compile(
    r"var|status|\.cnf|\.ini|summary|facts|config|option|show|global|mysql|mariadb|percona|my\b", re.IGNORECASE
)
_OTHER_FILES = re.compile(
    r"sysbench|vmstat|iostat|dstat|mpstat|\.(png|svg|html|md|sh|py|sql|pdf|xz|zst|bz2)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """Describes a file that should hold something and does not."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Dumps:
    """Holds what a folder holds.

    Parameters
    ----------
    sets : comparison sets by campaign and tier, tiers from small to large
    unread : files that look like dumps and could not be read
    """

    sets: tuple[ComparisonSet, ...]
    unread: tuple[UnreadableFile, ...]


def read_dumps(folder: Path) -> Dumps:
    """Return every dump below a folder, put to its target, tier and campaign.

    Files are known by what stands in them. One that cannot be read is named, and the rest is read.

    Raises
    ------
    RequestError : no such folder, or no dump in it
    """
    if not folder.is_dir():
        remedy = "name a results folder, or a folder with dumps of SHOW VARIABLES"
        raise RequestError(f"the folder {folder} does not exist", "", remedy)
    documents: list[tuple[DumpLocation, Document]] = []
    unreadable_files: list[UnreadableFile] = []
    remaining_chars = input_limit()
    for path in _dump_paths(folder):
        if not path.is_file() or _OTHER_FILES.search(path.name) or path.name.startswith("."):
            continue
        try:
            text = _read_text(path)
            document = parse_document(text)
        except (OSError, ValueError) as error:
            unreadable_files.append(UnreadableFile(path, words_of(error)))
            continue
        remaining_chars -= len(text)
        if remaining_chars < 0:
            raise _too_large_error(folder)
        if document.kind != "unknown":
            documents.append((dump_location(path.relative_to(folder)), document))
        elif _TELLING.search(path.name):
            unreadable_files.append(
                UnreadableFile(path, "no rows of SHOW VARIABLES or STATUS, no option file, no summary, no facts")
            )
    sets = sets_of(documents)
    if not sets:
        raise RequestError(
            f"{folder} holds no dumps of a server",
            "\n".join(f"{entry.path}: {entry.why}" for entry in unreadable_files[:10]),
            "put SHOW GLOBAL VARIABLES, SHOW GLOBAL STATUS and the option file of each target into its own folder",
        )
    return Dumps(sets, tuple(unreadable_files))


def _dump_paths(folder: Path) -> list[Path]:
    paths = list(itertools.islice(folder.rglob("*"), _MOST_FILES + 1))
    if len(paths) > _MOST_FILES:
        reason = f"it has more than {_MOST_FILES:,} files and folders below it"
        raise RequestError(f"{folder} can't be audited", reason, "name the folder that contains only the dumps")
    return sorted(paths)


def _too_large_error(folder: Path) -> RequestError:
    limit_bytes = input_limit()
    reason = f"the files that look like dumps hold more than {format_bytes(limit_bytes)}"
    remedy = f"name the folder that contains only the dumps, or raise the limit: {LIMIT_VARIABLE}={2 * limit_bytes}"
    return RequestError(f"{folder} can't be audited", reason, remedy)


def _read_text(path: Path) -> str:
    raw = read_input(path, _LARGEST_BYTES, is_fixed=True)
    if raw[:2] == b"\x1f\x8b":
        raw = unpacked_gzip(raw, _LARGEST_BYTES, is_fixed=True)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16")
    if b"\0" in raw[:4096]:
        raise ValueError("not a text")
    return raw.decode("utf-8-sig", errors="replace")
