"""Marks a study's folders as its own, so that orphans are known; finds server processes by their option file.

The name holds pid, start time and boot, and making a folder is one step: there is no moment at which a killed
process leaves a folder that nobody can attribute.

Anybody can start a process with words like ours. Those of other users are told of, but belong to no folder of ours:
they are not ours to end, and the files that they name not ours to read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.hosts import Home, Host, find_process, own_user_ids, read_own_text

OWNER = "owner"
"""File in a private folder that names the process it belongs to."""
_NAME_RE = re.compile(r"(\d+)-(\d+)-([0-9a-z]{8})")


@dataclass(frozen=True, slots=True)
class Session:
    """Describes where the servers of one dbdyno process keep their data while they run."""

    folder: Path
    pid: int
    start_ticks: int
    boot: str
    host: Host

    @classmethod
    def own(cls, home: Home, host: Host) -> Session:
        """The session of this process."""
        pid, start_ticks, boot = os.getpid(), _own_start_ticks(), boot_name()
        return cls(home.run / own_name(), pid, start_ticks, boot, host)

    @classmethod
    def of_folder(cls, folder: Path, host: Host) -> Session | None:
        """The session that made a folder; None when it is no session's."""
        match = _NAME_RE.fullmatch(folder.name)
        return cls(folder, int(match[1]), int(match[2]), match[3], host) if match else None

    def is_alive(self) -> bool:
        """Return whether its process still runs."""
        return self.boot == boot_name() and find_process(self.pid, self.start_ticks) is not None

    def new_directory(self) -> Path:
        """A folder for one server, not yet made into anything."""
        taken = {path.name for path in self.folder.iterdir()} if self.folder.is_dir() else set()
        number = next(n for n in range(1, len(taken) + 2) if f"s{n}" not in taken)
        directory = self.folder / f"s{number}"
        self.host.make_directory(directory)
        return directory


def own_name() -> str:
    """Names this process for ever: pid, start time, boot."""
    return f"{os.getpid()}-{_own_start_ticks()}-{boot_name()}"


def boot_name() -> str:
    """Names this boot of the machine: pids and start times begin anew with the next."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().replace("-", "")[:8]


def _own_start_ticks() -> int:
    stat = Path("/proc/self/stat").read_text()
    return int(stat[stat.rindex(")") + 2 :].split()[19])


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
        """Return whether it is ours, and its option file lies in a folder, or names something there."""
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
