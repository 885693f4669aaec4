"""Processes of this machine that were started with an option file of dbdyno's making.

Anybody can start a process with words like ours. Those of other users are told of, but belong to no folder of ours:
they are not ours to end, and the files that they name not ours to read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.hosts import own_user_ids, read_own_text

_OPTION_FILE = "--defaults-file="
_OPTION_RE = re.compile(r"^(datadir|socket|tmpdir)\s*=\s*\"?([^\"\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A process that was given an option file.

    Parameters
    ----------
    paths : that the option file names; none of another user's process
    is_own : it runs as this user, or as the one that its servers run as
    """

    pid: int
    start_ticks: int
    option_file: Path
    paths: tuple[str, ...]
    is_own: bool

    def belongs_to(self, folder: Path) -> bool:
        """Whether it is ours, and its option file lies in a folder, or names something there."""
        return self.is_own and any(Path(path).is_relative_to(folder) for path in (str(self.option_file), *self.paths))


def server_processes() -> Iterator[ServerProcess]:
    """Processes that were given an option file, with the paths it names."""
    own_users = own_user_ids()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            is_own = entry.stat().st_uid in own_users
            words = os.fsdecode((entry / "cmdline").read_bytes()).split("\0")
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        named = next((word for word in words if word.startswith(_OPTION_FILE)), "")
        if named:
            start_ticks = int(stat[stat.rindex(")") + 2 :].split()[19])
            option_file = Path(named.removeprefix(_OPTION_FILE))
            paths = paths_in(option_file) if is_own else ()
            yield ServerProcess(int(entry.name), start_ticks, option_file, paths, is_own)


def paths_in(option_file: Path) -> tuple[str, ...]:
    """Folders and sockets that an option file names."""
    return tuple(path.strip() for _, path in _OPTION_RE.findall(read_own_text(option_file) or ""))
