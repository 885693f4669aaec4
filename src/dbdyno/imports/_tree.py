"""A folder of logs walked once: what kind each file is, told by its name and its first lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dbdyno.core import TreeError
from dbdyno.imports._complaint import Complaint
from dbdyno.imports._file_text import read_head
from dbdyno.imports._pattern import Pattern
from dbdyno.imports.sysbench import is_sysbench

Kind = Literal[
    "sysbench", "iostat", "vmstat", "mpstat", "dstat", "variables", "status", "option-file", "summary", "server-log"
]
TELEMETRY_KINDS: tuple[Kind, ...] = ("iostat", "vmstat", "mpstat", "dstat")
SETTING_KINDS: tuple[Kind, ...] = ("variables", "status", "option-file", "summary", "server-log")
# The word in a name that says what a file is; what stands before it, files of one run or tier have in common.
_NAMES: tuple[tuple[Kind, str], ...] = (
    ("sysbench", r"sysbench"),
    ("iostat", r"iostat"),
    ("vmstat", r"vmstat"),
    ("mpstat", r"mpstat"),
    ("dstat", r"dstat"),
    ("summary", r"pt-mysql-summary"),
    ("variables", r"(?:global[_-]?)?(?:variables|vars)"),
    ("status", r"(?:global[_-]?)?status"),
    ("server-log", r"errlog|error(?:\.log|-log|_log)"),
    ("option-file", r"(?:my)?\.?cnf|my\.ini"),
)
_NAME_RES = tuple((kind, re.compile(rf"(?:^|[._-])(?:{words})(?=[._-]|$)", re.IGNORECASE)) for kind, words in _NAMES)
_HEADS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("iostat", re.compile(r"^Linux \S.*CPU\)\s*$(?:.|\n)*?^Device", re.MULTILINE)),
    ("mpstat", re.compile(r"^Linux \S.*CPU\)\s*$(?:.|\n)*?CPU +%usr", re.MULTILINE)),
    ("vmstat", re.compile(r"^procs -+memory", re.MULTILINE)),
    ("dstat", re.compile(r"^-+(?:system|total-(?:cpu-)?usage|most)-+|^\"[Dp]?s?tat ", re.MULTILINE)),
)
_PACKED = (".gz", ".xz", ".bz2")


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file of the tree.

    Parameters
    ----------
    path : relative to the folder, with slashes
    stem : its path up to the word that says what it is: what files of one run share
    is_named : its own name says what it is
    """

    path: str
    kind: Kind
    stem: str
    is_named: bool

    @property
    def folder(self) -> str:
        """Folder of the file, relative, empty at the top."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Tree:
    """What was found in a folder.

    Parameters
    ----------
    others_count : files that are of no use here
    """

    root: Path
    files: tuple[TreeFile, ...]
    others_count: int
    complaints: tuple[Complaint, ...]

    def of_kind(self, *kinds: Kind) -> list[TreeFile]:
        """Files of some kinds, by path."""
        return [file for file in self.files if file.kind in kinds]


def walk_tree(root: Path, patterns: Sequence[Pattern] = (), leave_out: Path | None = None) -> Tree:
    """Every file of a folder that is of use.

    Parameters
    ----------
    patterns : what fits one of them is taken for a log, whatever its name says
    leave_out : a folder inside, where the results are going to be

    Raises
    ------
    TreeError : there is no such folder
    """
    if not root.is_dir():
        raise TreeError(f"{root} is not a folder", "", "give the folder that holds the logs, unpacked")
    complaints: list[Complaint] = []
    files: list[TreeFile] = []
    others = 0
    for path in _paths(root, complaints, leave_out):
        relative = path.relative_to(root).as_posix()
        found = _kind_of(path, relative, patterns)
        if found is None:
            others += 1
        else:
            files.append(found)
    return Tree(root, tuple(files), others, tuple(complaints))


def _paths(root: Path, complaints: list[Complaint], leave_out: Path | None) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        where = Path(error.filename or root)
        name = where.relative_to(root).as_posix() if where.is_relative_to(root) else str(where)
        complaints.append(Complaint(name, 1, f"the folder can't be read: {error.strerror}"))

    for folder, folders, names in os.walk(root, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and Path(folder, name) != leave_out)
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file():  # no sockets, no pipes, no links that lead nowhere
                yield path


def _kind_of(path: Path, relative: str, patterns: Sequence[Pattern]) -> TreeFile | None:
    name = _unpacked_name(path.name)
    folder = relative[: len(relative) - len(path.name)]
    if any(pattern.match(relative) is not None for pattern in patterns):
        named = _named(name)
        stem = name if named is None or named[0] != "sysbench" else named[1]
        return TreeFile(relative, "sysbench", folder + stem, is_named=True)
    named = _named(name)
    if named is not None:
        return TreeFile(relative, named[0], folder + named[1], is_named=True)
    head = read_head(path)
    if is_sysbench(head):
        return TreeFile(relative, "sysbench", folder + name, is_named=False)
    for kind, pattern in _HEADS:
        if pattern.search(head):
            return TreeFile(relative, kind, folder + name, is_named=False)
    return None


def _named(name: str) -> tuple[Kind, str] | None:
    """Kind and stem that a name tells.

    >>> _named("Tier2G_RW_16th.sysbench.txt"), _named("my.cnf"), _named("res.thr56.txt")
    (('sysbench', 'Tier2G_RW_16th'), ('option-file', ''), None)
    """
    for kind, pattern in _NAME_RES:
        match = pattern.search(name)
        if match:
            return kind, name[: match.start()]
    return None


def _unpacked_name(name: str) -> str:
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name
