"""Finds the files that belong to a run: what ran next to it, its server's options and output.

Files of one run share the beginning of their names (``Tier2G_RW_16th.sysbench.txt``, ``Tier2G_RW_16th.iostat.txt``),
those of one server a shorter one (``Tier2G.vars.txt``); a file without such a beginning speaks for its whole folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.imports._tree import LOG, SETTING_KINDS, TELEMETRY_KINDS, Kind, Tree, TreeFile


@dataclass(frozen=True, slots=True)
class CompanionFiles:
    """The files that belong to a log, by kind: paths relative to the tree.

    Parameters
    ----------
    companions : those that its own tool wrote
    """

    telemetry: Mapping[Kind, str]
    settings: Mapping[Kind, str]
    companions: Mapping[Kind, str] = field(default_factory=dict)


class FileIndex:
    """All files of a tree by folder and kind."""

    def __init__(self, tree: Tree, companions: Sequence[Kind] = ()) -> None:
        self._companions = companions
        self._files: dict[tuple[str, Kind], list[TreeFile]] = defaultdict(list)
        for file in tree.files:
            self._files[file.folder, file.kind].append(file)

    def companion_data(self, log: TreeFile) -> CompanionFiles:
        """Return what belongs to a log."""
        telemetry = {kind: self._of_run(log, kind) for kind in TELEMETRY_KINDS}
        settings = {kind: self._of_server(log, kind) for kind in SETTING_KINDS}
        companions = {kind: self._of_run(log, kind) for kind in self._companions}
        return CompanionFiles(
            *({k: path for k, path in found.items() if path} for found in (telemetry, settings, companions))
        )

    def _of_run(self, log: TreeFile, kind: Kind) -> str:
        here = self._files.get((log.folder, kind), [])
        logs = self._files.get((log.folder, LOG), [])
        alike = [file for file in here if file.stem == log.stem]
        same_ending = [file for file in alike if _ending(file) == _ending(log)]
        if same_ending:
            return same_ending[0].path
        if len(alike) == 1 and sum(other.stem == log.stem for other in logs) == 1:
            return alike[0].path
        return here[0].path if len(here) == 1 and len(logs) == 1 else ""

    def _of_server(self, log: TreeFile, kind: Kind) -> str:
        here = self._files.get((log.folder, kind), [])
        found = _longest([file for file in here if _speaks_for(file, log)])
        if found is None and len(here) == 1:
            logs = self._files.get((log.folder, LOG), [])
            found = here[0] if not any(_speaks_for(here[0], other) for other in logs) else None
        folder = log.folder
        while found is None and folder:
            folder = folder.rpartition("/")[0]
            whole = [file for file in self._files.get((folder, kind), []) if _speaks_for_all(file)]
            found = whole[0] if len(whole) == 1 else None
        return found.path if found else ""


def _ending(file: TreeFile) -> str:
    """Return what stands behind the word that tells the kind, packing aside: ``.txt`` or nothing."""
    name = file.path.rpartition("/")[2].removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2")
    return ".txt" if name.endswith(".txt") else ""


def _speaks_for_all(file: TreeFile) -> bool:
    return file.is_named and not file.stem.rpartition("/")[2]


def _speaks_for(file: TreeFile, log: TreeFile) -> bool:
    """Return whether the beginning of a log's name is that of the file, as a whole word."""
    if _speaks_for_all(file):
        return True
    rest = log.stem.removeprefix(file.stem)
    return file.is_named and log.stem.startswith(file.stem) and not rest[:1].isalnum()


def _longest(files: Sequence[TreeFile]) -> TreeFile | None:
    return max(files, key=lambda file: len(file.stem), default=None)
