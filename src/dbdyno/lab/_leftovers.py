"""What killed runs have left: servers, their folders, and the small folders with sockets and passwords.

Only what is provably nobody's is touched: folders of sessions whose process is gone, processes that were started
with an option file in (or for a data directory in) such a folder, and private folders that those option files name
or that have been idle for long.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure import remove_noted_containers
from dbdyno.hosts import Home, Host, find_process
from dbdyno.lab._session import OWNER, Session

PRIVATE_ROOT = Path("/tmp")
_KILL_S = 10.0
_IDLE_S = 600.0
_OPTION_FILE_RE = re.compile(r"--defaults-file=(\S+)")
_OPTION_RE = re.compile(r"^(datadir|socket|tmpdir)\s*=\s*\"?([^\"\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _ServerProcess:
    pid: int
    start_ticks: int
    option_file: Path
    paths: tuple[str, ...]

    def belongs_to(self, folder: Path) -> bool:
        return any(Path(path).is_relative_to(folder) for path in (str(self.option_file), *self.paths))


def remove_leftovers(home: Home, host: Host, own: Session, private_root: Path = PRIVATE_ROOT) -> tuple[str, ...]:
    """Stop and remove what is left of dead sessions and of this one; one line for each thing."""
    lines: list[str] = []
    processes = list(_server_processes())
    for folder in sorted(home.run.glob("*-*-*")) if home.run.is_dir() else []:
        session = Session.of_folder(folder, host)
        if session is None or (session.folder != own.folder and session.is_alive()):
            continue
        lines += _remove_session(folder, processes, host, private_root)
    lines += _remove_idle_private_folders(home, host, private_root, processes)
    return tuple(lines)


def _remove_session(folder: Path, processes: list[_ServerProcess], host: Host, private_root: Path) -> list[str]:
    lines = []
    for process in processes:
        if process.belongs_to(folder) and _kill(process):
            lines.append(f"killed a server, process {process.pid}")
    lines += remove_noted_containers(folder, host)
    for private in _private_folders(folder, private_root):
        host.remove_tree(private)
    held = [path.name for path in folder.iterdir()]
    host.remove_tree(folder)
    return lines + [f"removed the data directory {folder.name}/{name}" for name in sorted(held)]


def _kill(process: _ServerProcess) -> bool:
    found = find_process(process.pid, process.start_ticks)
    if found is None:
        return False
    found.kill()
    found.wait(_KILL_S)
    return True


def _server_processes() -> Iterator[_ServerProcess]:
    """Processes that were given an option file of ours, with the paths it names."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        match = _OPTION_FILE_RE.search(words)
        if match:
            start_ticks = int(stat[stat.rindex(")") + 2 :].split()[19])
            option_file = Path(match[1])
            yield _ServerProcess(int(entry.name), start_ticks, option_file, _paths_in(option_file))


def _paths_in(option_file: Path) -> tuple[str, ...]:
    try:
        return tuple(path.strip() for _, path in _OPTION_RE.findall(option_file.read_text(errors="replace")))
    except OSError:
        return ()


def _private_folders(session: Path, root: Path) -> list[Path]:
    """Private folders of a session's servers: their option file names the socket there, or lies there itself."""
    pattern = f"dbdyno-{os.geteuid()}-*"
    named = "\n".join(path for file in session.glob("*/my.cnf") for path in _paths_in(file))
    found = [private for private in root.glob(pattern) if f"{private}/" in named]
    for option_file in root.glob(f"{pattern}/*/my.cnf"):  # of a server that was just being initialised
        if any(Path(path).is_relative_to(session) for path in _paths_in(option_file)):
            found.append(option_file.parents[1])
    return sorted({private for private in found if not session.is_relative_to(private)})


def _remove_idle_private_folders(home: Home, host: Host, root: Path, processes: list[_ServerProcess]) -> list[str]:
    """Private folders whose maker was killed before an option file named them: unused, and old enough to be sure."""
    listening = Path("/proc/net/unix").read_text()
    lines = []
    for folder in sorted(root.glob(f"dbdyno-{os.geteuid()}-*")):
        in_use = home.root.is_relative_to(folder) or f"{folder}/" in listening
        in_use = in_use or any(process.belongs_to(folder) for process in processes)
        try:
            age_s = time.time() - folder.stat().st_mtime
        except FileNotFoundError:
            continue
        owner = _owner_of(folder, host)
        if owner is not None:
            in_use, age_s = owner.is_alive(), _IDLE_S + 1
        if not in_use and age_s > _IDLE_S:
            host.remove_tree(folder)
            lines.append(f"removed {folder}")
    return lines


def _owner_of(folder: Path, host: Host) -> Session | None:
    try:
        return Session.of_folder(folder / (folder / OWNER).read_text(), host)
    except OSError:
        return None
