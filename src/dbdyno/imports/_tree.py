"""Walks a folder of logs once, and finds what kind each file is by its name and its first lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import TreeError
from dbdyno.imports._diagnostic import Diagnostic
from dbdyno.imports._file_text import read_head
from dbdyno.imports._pattern import Pattern
from dbdyno.imports._tool import Tool

Kind = str
"""``log`` of the tool whose runs are imported; a kind of its companions; a kind of telemetry or of settings."""
LOG: Kind = "log"
TELEMETRY_KINDS: tuple[Kind, ...] = ("iostat", "vmstat", "mpstat", "dstat")
SETTING_KINDS: tuple[Kind, ...] = ("variables", "status", "option-file", "summary", "server-log")
# The part of a file name that says what the file is; files of one run or tier share what stands before it.
_NAMES: tuple[tuple[Kind, str], ...] = (
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
_HEADS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("iostat", re.compile(r"^Linux \S.*CPU\)\s*$(?:.|\n)*?^Device", re.MULTILINE)),
    ("mpstat", re.compile(r"^Linux \S.*CPU\)\s*$(?:.|\n)*?CPU +%usr", re.MULTILINE)),
    ("vmstat", re.compile(r"^procs -+memory", re.MULTILINE)),
    ("dstat", re.compile(r"^-+(?:system|total-(?:cpu-)?usage|most)-+|^\"[Dp]?s?tat ", re.MULTILINE)),
)
_PACKED = (".gz", ".xz", ".bz2")


@dataclass(frozen=True, slots=True)
class TreeFile:
    """Describes one file of the tree.

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
class LogTree:
    """Holds what was found in a folder.

    Parameters
    ----------
    name : of the folder, or of the single log that was named
    others_count : files that are of no use here
    """

    root: Path
    name: str
    files: tuple[TreeFile, ...]
    others_count: int
    diagnostics: tuple[Diagnostic, ...]

    def of_kind(self, *kinds: Kind) -> list[TreeFile]:
        """Return files of some kinds, by path."""
        return [file for file in self.files if file.kind in kinds]


def scan_tree(root: Path, tool: Tool, patterns: Sequence[Pattern] = (), leave_out: Path | None = None) -> LogTree:
    """Return every file of a folder that is of use, or the one file that is named.

    Parameters
    ----------
    root : the folder, or a single log
    tool : whose logs are looked for
    patterns : what fits one of them is taken for a log, despite its name
    leave_out : a folder inside, where the results are going to be

    Raises
    ------
    TreeError : there is no such folder or file
    """
    if not root.exists():
        remedy = "name a log, or the unpacked folder with the logs"
        raise TreeError(f"{root} does not exist", "", remedy, code="missing")
    name = root.resolve().name
    single_file, root = (root, root.parent) if root.is_file() else (None, root)
    diagnostics: list[Diagnostic] = []
    files: list[TreeFile] = []
    others_count = 0
    sorter = _Sorter(tool, patterns)
    for path in _walk_files(root, diagnostics, leave_out) if single_file is None else (single_file,):
        relative = path.relative_to(root).as_posix()
        tree_file = sorter.sorted(path, relative)
        if tree_file is None:
            others_count += 1
        else:
            files.append(tree_file)
    return LogTree(root, name, tuple(files), others_count, tuple(diagnostics))


def _walk_files(root: Path, diagnostics: list[Diagnostic], leave_out: Path | None) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        folder_path = Path(error.filename or root)
        name = folder_path.relative_to(root).as_posix() if folder_path.is_relative_to(root) else str(folder_path)
        diagnostics.append(Diagnostic(name, 1, f"the folder can't be read: {error.strerror}"))

    for folder, folders, names in os.walk(root, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and Path(folder, name) != leave_out)
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file():  # no sockets, pipes or broken links
                yield path


class _Sorter:
    """Finds the kind of each file, by its name or else by its first lines."""

    def __init__(self, tool: Tool, patterns: Sequence[Pattern]) -> None:
        self._tool = tool
        self._patterns = patterns
        companion_names = [(companion.kind, companion.names) for companion in tool.companions]
        self._names = name_expressions([*companion_names, (LOG, tool.names), *_NAMES])

    def sorted(self, path: Path, relative: str) -> TreeFile | None:
        """Return the file with its kind; None when it is of no use here."""
        name = _unpacked_name(path.name)
        folder = relative[: len(relative) - len(path.name)]
        named = kind_and_stem(name, self._names)
        if any(pattern.match(relative) is not None for pattern in self._patterns):
            stem = name if named is None or named[0] != LOG else named[1]
            return TreeFile(relative, LOG, folder + stem, is_named=True)
        companion = self._companion_kind(path) if named is None or named[0] == LOG else None
        if companion is not None:
            return TreeFile(relative, companion, folder + (named[1] if named else name), is_named=named is not None)
        if named is not None:
            return TreeFile(relative, named[0], folder + named[1], is_named=True)
        kind = self._kind_by_head(read_head(path))
        return None if kind is None else TreeFile(relative, kind, folder + name, is_named=False)

    def _companion_kind(self, path: Path) -> Kind | None:
        if not self._tool.companions:
            return None
        head = read_head(path)
        return next((companion.kind for companion in self._tool.companions if companion.heads.search(head)), None)

    def _kind_by_head(self, head: str) -> Kind | None:
        if self._tool.is_log(head):
            return LOG
        return next((kind for kind, pattern in _HEADS if pattern.search(head)), None)


def name_expressions(words: Sequence[tuple[Kind, str]]) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    """Return expressions that find a kind's words in a name, where they stand as separate words."""
    return tuple((kind, re.compile(rf"(?:^|[._-])(?:{text})(?=[._-]|$)", re.IGNORECASE)) for kind, text in words)


def kind_and_stem(name: str, expressions: Sequence[tuple[Kind, re.Pattern[str]]]) -> tuple[Kind, str] | None:
    """Return the kind and stem that a name gives.

    >>> known = name_expressions([("log", "sysbench"), *_NAMES])
    >>> [kind_and_stem(name, known) for name in ("Tier2G_16th.sysbench.txt", "my.cnf", "res.thr56.txt")]
    [('log', 'Tier2G_16th'), ('option-file', ''), None]
    """
    for kind, pattern in expressions:
        match = pattern.search(name)
        if match:
            return kind, name[: match.start()]
    return None


def _unpacked_name(name: str) -> str:
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name
