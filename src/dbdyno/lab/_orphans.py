"""Finds servers, folders and files that killed runs left behind, and removes those that belong to nobody.

Only what belongs to this user, and is provably nobody's, is touched: folders of sessions whose process is gone and
whose lock is free (another machine or container may share the DBDYNO_HOME); servers that were noted there by pid and
start time, or that were started with an option file in (or for a data directory in) such a folder before they could be
noted; and private folders that those option files name or that have been idle for long.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure import end_orphan, read_note, remove_noted_containers
from dbdyno.core import Home, HostError, format_bytes, format_duration
from dbdyno.hosts import TICKS_PER_SECOND, Host, is_own_folder, own_private_folders, read_own_text
from dbdyno.lab._session import OWNER, ServerProcess, Session, boot_name, paths_in, server_processes


@dataclass(frozen=True, slots=True)
class RunningServer:
    """Describes a server that dbdyno has started.

    Parameters
    ----------
    engine : family and version; empty without a note
    age_s : since its process was started
    memory_bytes : resident
    home : the DBDYNO_HOME that it runs in
    study_pid : of the dbdyno that started it; None when that has ended
    is_contained : it runs in a container, with processes and files of its own: whether its study goes on can't be seen
    """

    pid: int
    start_ticks: int
    engine: str
    age_s: float
    memory_bytes: int
    folder: Path
    home: Path
    study_pid: int | None
    is_contained: bool = False

    def __str__(self) -> str:
        """Describe it in one line."""
        ended_words = "of a study in a container" if self.is_contained else "of a study that has ended"
        owner_words = f"of the study in process {self.study_pid}" if self.study_pid else ended_words
        age = format_duration(round(self.age_s) * 10**9)
        facts = [
            f"process {self.pid}",
            f"running for {age}",
            format_bytes(self.memory_bytes),
            owner_words,
            str(self.folder),
        ]
        return f"{self.engine or 'a server'}: {', '.join(facts)}"


@dataclass(frozen=True, slots=True)
class LeftFolder:
    """Holds data of a study that has ended before it could remove it."""

    folder: Path
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Orphans:
    """Describes what was found.

    Parameters
    ----------
    servers : every server that dbdyno started, except those of this process; see `RunningServer.study_pid`
    folders : data directories that nobody owns
    groups : memory groups that nobody owns
    """

    servers: tuple[RunningServer, ...]
    folders: tuple[LeftFolder, ...]
    groups: tuple[Path, ...]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is there that `clean_up` would remove; a server that runs has a folder."""
        return not (self.folders or self.groups)


def find_orphans(home: Home, host: Host) -> Orphans:
    """Find orphans, and touch nothing. Servers are found in any DBDYNO_HOME, the rest in this one."""
    own_pid = Session.own(home, host).pid
    servers = [server for process in server_processes(host) if (server := _running_server(process, host)) is not None]
    left_folders = [session.folder for session in left_sessions(home, host) if is_own_folder(session.folder, host)]
    folders = [folder for session_folder in left_folders for folder in _left_in(session_folder, host)]
    return Orphans(
        tuple(sorted((server for server in servers if server.study_pid != own_pid), key=lambda server: server.pid)),
        tuple(folders),
        tuple(left_groups(home, host, None)),
    )


def _left_in(session_folder: Path, host: Host) -> list[LeftFolder]:
    """Return what is left in a session's folder; nothing of what a study that begins now removes meanwhile."""
    try:
        return [
            LeftFolder(place.path, sum(entry.disk_bytes for entry in host.files.entries(place.path, recursive=True)))
            for place in host.files.entries(session_folder)
        ]
    except FileNotFoundError:
        return []


def clean_up(home: Home, host: Host, private_root: Path | None = None) -> tuple[str, ...]:
    """Stop and remove what belongs to no living study; one line for each thing."""
    return remove_orphans(home, host, Session.own(home, host), private_root)


def _running_server(process: ServerProcess, host: Host) -> RunningServer | None:
    """Return a server below the folder of a session; None for processes that only bear a similar option."""
    folder = process.option_file.parent
    session = Session.of_folder(folder.parent, host)
    if session is None or folder.parent.parent.name != "run":
        return None
    note = read_note(folder, host) if process.is_own else None
    is_noted = note is not None and (note.pid, note.start_ticks) == (process.pid, process.start_ticks)
    study_pid = session.pid if session.boot == boot_name(host) and session.is_alive() else None
    return RunningServer(
        process.pid,
        process.start_ticks,
        note.engine if note is not None and is_noted else "",
        _uptime_s(host) - process.start_ticks / TICKS_PER_SECOND,
        _resident_bytes(process.pid, host),
        folder,
        folder.parents[2],
        study_pid,
        is_contained=study_pid is None and host.files.stat(folder) is None and _has_own_pids(process.pid, host),
    )


def _has_own_pids(pid: int, host: Host) -> bool:
    """Return whether a process lives in another process namespace than ours: the kernel then gives several pids."""
    with contextlib.suppress(OSError):  # it has ended
        match = _PIDS_RE.search(host.files.read_text(Path(f"/proc/{pid}/status")))
        return match is not None and len(match[1].split()) > 1
    return False


def _uptime_s(host: Host) -> float:
    return float(host.files.read_text(Path("/proc/uptime")).split()[0])


def _resident_bytes(pid: int, host: Host) -> int:
    try:
        pages = int(host.files.read_bytes(Path(f"/proc/{pid}/statm")).split()[1])
    except OSError:
        return 0
    return pages * host.system().page_bytes


_KILL_S = 10.0
_IDLE_S = 600.0
_PIDS_RE = re.compile(r"^NSpid:(.*)$", re.MULTILINE)
_GROUP_RE = re.compile(r"dbdyno-(\d+-\d+-[0-9a-z]{8})-")


def remove_orphans(home: Home, host: Host, own: Session, private_root: Path | None = None) -> tuple[str, ...]:
    """Stop and remove what is left of dead sessions and of this one; one line for each thing."""
    lines: list[str] = []
    processes = list(server_processes(host))
    if is_own_folder(own.folder, host):
        lines += _remove_session(own.folder, processes, host, private_root)
    for session in left_sessions(home, host):
        with contextlib.ExitStack() as lock:
            try:
                lock.enter_context(session.hold(0.0))
            except HostError:  # another study cleans it up
                continue
            if is_own_folder(session.folder, host):
                lines += _remove_session(session.folder, processes, host, private_root)
    lines += _remove_idle_private_folders(home, host, private_root, processes)
    lines += _remove_groups(home, host, own)
    return tuple(lines)


def left_sessions(home: Home, host: Host) -> list[Session]:
    """Return sessions whose process is gone; some have only a lock file left."""
    return [session for session in Session.all_of(home, host) if session.is_over()]


def living_studies(home: Home, host: Host) -> tuple[int, ...]:
    """Return processes of the studies that are under way in a DBDYNO_HOME, also on machines that share it."""
    return tuple(session.pid for session in Session.all_of(home, host) if session.is_alive())


def left_groups(home: Home, host: Host, own: Session | None) -> list[Path]:
    """Return memory groups of sessions whose process is gone, and of this one.

    Hosts that share a kernel, such as containers, may see each other's groups, but not the processes.
    """
    orphans = []
    for group in host.memory_groups():
        match = _GROUP_RE.match(group.name)
        session = Session.of_folder(home.run / match[1], host) if match else None
        is_own = session is not None and own is not None and session.folder.name == own.folder.name
        if session is not None and (is_own or session.is_over()):
            orphans.append(group)
    return orphans


def _remove_session(
    folder: Path, processes: Sequence[ServerProcess], host: Host, private_root: Path | None
) -> list[str]:
    private_folders = _private_folders(folder, host, private_root)
    lines = [line for place in host.files.entries(folder) for line in _end_server(place.path, processes, host)]
    lines += remove_noted_containers(folder, host)
    foreign_processes = [process for process in server_processes(host) if process.belongs_to(folder)]
    if foreign_processes:  # somebody looks at the data with another server
        return lines + [
            f"left {folder} to process {process.pid}, which somebody started there" for process in foreign_processes
        ]
    for private_folder in private_folders:
        host.remove_tree(private_folder)
    data_directory_names = [entry.path.name for entry in host.files.entries(folder)]
    host.remove_tree(folder)
    return lines + [f"removed the data directory {folder.name}/{name}" for name in data_directory_names]


def _end_server(place: Path, processes: Sequence[ServerProcess], host: Host) -> list[str]:
    """End the noted server of a folder; without a note, every process that was started for the folder."""
    if read_note(place, host) is not None:
        outcome = end_orphan(place, host)
        return [outcome] if outcome.startswith("killed") else []
    folder_processes = [process for process in processes if process.belongs_to(place)]
    return [f"killed a server, process {process.pid}" for process in folder_processes if _kill_process(process, host)]


def _kill_process(process: ServerProcess, host: Host) -> bool:
    live_process = host.find_process(process.pid, process.start_ticks)
    if live_process is None:
        return False
    live_process.kill()
    live_process.wait(_KILL_S)
    return True


def _remove_groups(home: Home, host: Host, session: Session) -> list[str]:
    lines = []
    for group in left_groups(home, host, session):
        with contextlib.suppress(HostError):  # another process runs in it
            host.remove_memory_group(group)
            lines.append(f"removed the memory group {group.name}")
    return lines


def _private_folders(session: Path, host: Host, root: Path | None) -> list[Path]:
    """Return private folders of a session's servers: their option file names the socket there, or lies there itself."""
    private_folders = _own_private_folders(host, root)
    named_paths = "\n".join(path for file in _option_files(session, host) for path in paths_in(file, host))
    folders = [private_folder for private_folder in private_folders if f"{private_folder}/" in named_paths]
    # Left by a server that was being initialised.
    for option_file in (
        option_file for private_folder in private_folders for option_file in _option_files(private_folder, host)
    ):
        if any(Path(path).is_relative_to(session) for path in paths_in(option_file, host)):
            folders.append(option_file.parents[1])
    return sorted({private_folder for private_folder in folders if not session.is_relative_to(private_folder)})


def _option_files(folder: Path, host: Host) -> list[Path]:
    """Return option files of servers below a folder; none if it is gone: other studies remove theirs meanwhile."""
    try:
        entries = host.files.entries(folder)
    except FileNotFoundError:
        return []
    return [entry.path / "my.cnf" for entry in entries if entry.kind == "directory"]


def _remove_idle_private_folders(
    home: Home, host: Host, root: Path | None, processes: Sequence[ServerProcess]
) -> list[str]:
    """Remove private folders whose maker was killed before an option file named them: unused, and old enough."""
    listening = host.files.read_text(Path("/proc/net/unix"))
    lines = []
    for folder in _own_private_folders(host, root):
        is_in_use = home.root.is_relative_to(folder) or f"{folder}/" in listening
        is_in_use = is_in_use or any(process.belongs_to(folder) for process in processes)
        facts = host.files.stat(folder, follow=False)
        if facts is None:
            continue
        age_s = (host.clock().unix_ns - facts.modified_ns) / 1e9
        owner = _owning_session(folder, host)
        if owner is not None:
            is_in_use, age_s = owner.is_alive(), _IDLE_S + 1
        if not is_in_use and age_s > _IDLE_S:
            host.remove_tree(folder)
            lines.append(f"removed {folder}")
    return lines


def _own_private_folders(host: Host, root: Path | None) -> list[Path]:
    return own_private_folders(host, None if root is None else [root])


def _owning_session(folder: Path, host: Host) -> Session | None:
    name = read_own_text(folder / OWNER, host)
    return None if name is None else Session.of_folder(folder / name, host)
