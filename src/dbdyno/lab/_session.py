"""The folder of one dbdyno process below ``$DBDYNO_HOME/run``; its name says whose it is.

The name holds pid, start time and boot, and making a folder is one step: there is no moment at which a killed
process leaves a folder that nobody can attribute.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from dbdyno.hosts import Home, Host, find_process

OWNER = "owner"
"""File in a private folder that names the process it belongs to."""
_NAME_RE = re.compile(r"(\d+)-(\d+)-([0-9a-z]{8})")


@dataclass(frozen=True, slots=True)
class Session:
    """Where the servers of one dbdyno process keep their data while they run."""

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
        """Whether its process still runs."""
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
