"""What dbdyno has running and lying about on this machine: of this study, of others, and of those that were killed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure import read_note
from dbdyno.core import format_bytes, format_duration
from dbdyno.hosts import Home, Host
from dbdyno.lab._orphan_cleanup import left_groups, left_sessions, remove_orphans
from dbdyno.lab._server_processes import ServerProcess, server_processes
from dbdyno.lab._session import Session, boot_name

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that dbdyno has started.

    Parameters
    ----------
    engine : family and version; empty where no note tells
    age_s : since its process was started
    memory_bytes : resident
    home : the DBDYNO_HOME that it runs in
    study_pid : of the dbdyno that started it; None when that has ended
    """

    pid: int
    start_ticks: int
    engine: str
    age_s: float
    memory_bytes: int
    folder: Path
    home: Path
    study_pid: int | None

    def __str__(self) -> str:
        """In one line."""
        whose = f"of the study in process {self.study_pid}" if self.study_pid else "of a study that has ended"
        age = format_duration(round(self.age_s) * 10**9)
        facts = [f"process {self.pid}", f"since {age}", format_bytes(self.memory_bytes), whose, str(self.folder)]
        return f"{self.engine or 'a server'}: {', '.join(facts)}"


@dataclass(frozen=True, slots=True)
class LeftFolder:
    """Data of a study that has ended before it could remove it."""

    folder: Path
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Orphans:
    """What was found.

    Parameters
    ----------
    servers : every server of ours but those of this process; see `RunningServer.study_pid`
    folders : data directories that nobody owns
    groups : memory groups that nobody owns
    """

    servers: tuple[RunningServer, ...]
    folders: tuple[LeftFolder, ...]
    groups: tuple[Path, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is there that `clean_up` would remove; a server that runs has a folder."""
        return not (self.folders or self.groups)


def find_orphans(home: Home, host: Host) -> Orphans:
    """Look, and touch nothing. Servers are found in whatever DBDYNO_HOME they run, the rest in this one."""
    own = os.getpid()
    servers = [server for process in server_processes() if (server := _described(process, host)) is not None]
    folders = [
        LeftFolder(place, _disk_bytes(place))
        for session in left_sessions(home, host, None)
        for place in sorted(session.iterdir())
    ]
    return Orphans(
        tuple(sorted((server for server in servers if server.study_pid != own), key=lambda server: server.pid)),
        tuple(folders),
        tuple(left_groups(home, host, None)),
    )


def clean_up(home: Home, host: Host, private_root: Path | None = None) -> tuple[str, ...]:
    """Stop and remove what belongs to no living study; one line for each thing."""
    return remove_orphans(home, host, Session.own(home, host), private_root)


def _described(process: ServerProcess, host: Host) -> RunningServer | None:
    """A server below the folder of a session; None for processes that only bear a similar option."""
    folder = process.option_file.parent
    session = Session.of_folder(folder.parent, host)
    if session is None or folder.parent.parent.name != "run":
        return None
    note = read_note(folder) if process.is_own else None
    noted = note is not None and (note.pid, note.start_ticks) == (process.pid, process.start_ticks)
    return RunningServer(
        process.pid,
        process.start_ticks,
        note.engine if note is not None and noted else "",
        time.clock_gettime(time.CLOCK_BOOTTIME) - process.start_ticks / _TICKS,
        _resident_bytes(process.pid),
        folder,
        folder.parents[2],
        session.pid if session.boot == boot_name() and session.is_alive() else None,
    )


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def _disk_bytes(folder: Path) -> int:
    """Blocks that the files below a folder take."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).lstat().st_blocks * 512
            except FileNotFoundError:  # a server still works there
                continue
    return total
