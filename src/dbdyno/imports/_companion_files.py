"""Finds the files that belong to a run: what ran next to it, its server's options and output.

Files of one run share the beginning of their names (``Tier2G_RW_16th.sysbench.txt``, ``Tier2G_RW_16th.iostat.txt``),
those of one server a shorter one (``Tier2G.vars.txt``); a file without such a beginning speaks for its whole folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dbdyno.imports._tree import LOG, SETTING_KINDS, TELEMETRY_KINDS, Kind, LogTree, TreeFile


@dataclass(frozen=True, slots=True)
class CompanionFiles:
    """Describes the files that belong to a log, by kind: paths relative to the tree.

    Parameters
    ----------
    companions : those that its own tool wrote
    """

    telemetry: Mapping[Kind, str]
    settings: Mapping[Kind, str]
    companions: Mapping[Kind, str] = field(default_factory=dict)


class FileIndex:
    """Holds all files of a tree by folder and kind."""

    def __init__(self, tree: LogTree, companions: Sequence[Kind] = ()) -> None:
        self._companions = companions
        self._files: dict[tuple[str, Kind], list[TreeFile]] = defaultdict(list)
        for file in tree.files:
            self._files[file.folder, file.kind].append(file)

    def companion_data(self, log: TreeFile) -> CompanionFiles:
        """Return what belongs to a log."""
        telemetry = {kind: self._run_companion(log, kind) for kind in TELEMETRY_KINDS}
        settings = {kind: self._server_companion(log, kind) for kind in SETTING_KINDS}
        companions = {kind: self._run_companion(log, kind) for kind in self._companions}
        return CompanionFiles(
            *(
                {k: path for k, path in paths_by_kind.items() if path}
                for paths_by_kind in (telemetry, settings, companions)
            )
        )

    def _run_companion(self, log: TreeFile, kind: Kind) -> str:
        folder_files = self._files.get((log.folder, kind), [])
        logs = self._files.get((log.folder, LOG), [])
        same_stem_files = [file for file in folder_files if file.stem == log.stem]
        same_ending_files = [file for file in same_stem_files if _name_ending(file) == _name_ending(log)]
        if same_ending_files:
            return same_ending_files[0].path
        if len(same_stem_files) == 1 and sum(other_log.stem == log.stem for other_log in logs) == 1:
            return same_stem_files[0].path
        return folder_files[0].path if len(folder_files) == 1 and len(logs) == 1 else ""

    def _server_companion(self, log: TreeFile, kind: Kind) -> str:
        folder_files = self._files.get((log.folder, kind), [])
        settings_file = _longest_named([file for file in folder_files if _is_for_log(file, log)])
        if settings_file is None and len(folder_files) == 1:
            logs = self._files.get((log.folder, LOG), [])
            settings_file = (
                folder_files[0] if not any(_is_for_log(folder_files[0], other_log) for other_log in logs) else None
            )
        folder = log.folder
        while settings_file is None and folder:
            folder = folder.rpartition("/")[0]
            folder_wide_files = [file for file in self._files.get((folder, kind), []) if _is_for_all_logs(file)]
            settings_file = folder_wide_files[0] if len(folder_wide_files) == 1 else None
        return settings_file.path if settings_file else ""


def _name_ending(file: TreeFile) -> str:
    """Return what stands behind the word that names the kind, packing aside: ``.txt`` or nothing."""
    name = file.path.rpartition("/")[2].removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2")
    return ".txt" if name.endswith(".txt") else ""


def _is_for_all_logs(file: TreeFile) -> bool:
    return file.is_named and not file.stem.rpartition("/")[2]


def _is_for_log(file: TreeFile, log: TreeFile) -> bool:
    """Return whether the beginning of a log's name is that of the file, as a whole word."""
    if _is_for_all_logs(file):
        return True
    suffix = log.stem.removeprefix(file.stem)
    return file.is_named and log.stem.startswith(file.stem) and not suffix[:1].isalnum()


def _longest_named(files: Sequence[TreeFile]) -> TreeFile | None:
    return max(files, key=lambda file: len(file.stem), default=None)
