"""Marks a study's folders as its own, so that orphans are known; finds server processes by their option file.

The name holds pid, start time and boot, and making a folder is one step: there is no moment at which a killed
process leaves a folder that nobody can attribute. The process also holds a lock file next to the folder: other machines
and containers that share the folder can't see the process, but they see the lock, and the kernel drops it at any end.

Anybody can start a process with words like ours. Those of other users are reported, but belong to none of our folders:
we must not end them, nor read the files that they name.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import Home, HostError
from dbdyno.hosts import Host, parse_stat, read_own_text

OWNER = "owner"
"""File in a private folder that names the process it belongs to."""
_NAME_RE = re.compile(r"(\d+)-(\d+)-([0-9a-z]{8})")
_LOCK_SUFFIX = ".lock"
_LOCK_S = 10.0


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
        """Return the session of this process."""
        pid, start_ticks = own_process(host)
        return cls(home.run / own_name(host), pid, start_ticks, boot_name(host), host)

    @classmethod
    def of_folder(cls, folder: Path, host: Host) -> Session | None:
        """Return the session that made a folder; None when it is no session's."""
        match = _NAME_RE.fullmatch(folder.name)
        return cls(folder, int(match[1]), int(match[2]), match[3], host) if match else None

    @classmethod
    def all_of(cls, home: Home, host: Host) -> list[Session]:
        """Return the sessions that have a folder or a lock file in a DBDYNO_HOME."""
        entries = host.files.entries(home.run) if host.files.stat(home.run) else []
        folders = sorted({home.run / entry.path.name.removesuffix(_LOCK_SUFFIX) for entry in entries})
        return [session for folder in folders if (session := cls.of_folder(folder, host)) is not None]

    @property
    def _lock_file(self) -> Path:
        return self.folder.with_name(self.folder.name + _LOCK_SUFFIX)

    @contextlib.contextmanager
    def hold(self, timeout_s: float = _LOCK_S) -> Iterator[None]:
        """Lock it while the block runs; HostError when another process holds it after `timeout_s`."""
        is_held = False
        while not is_held:
            with self.host.lock(self._lock_file, timeout_s):
                is_held = self.host.files.stat(self._lock_file) is not None  # else another process removed it
                if is_held:
                    try:
                        yield
                    finally:
                        with contextlib.suppress(HostError, OSError):  # a host that is lost
                            if self.host.files.stat(self.folder) is None:
                                self.host.files.remove(self._lock_file)

    def is_alive(self) -> bool:
        """Return whether its process holds its lock, or runs on this machine."""
        if self._has_lock_file():
            try:
                with self.host.lock(self._lock_file, 0.0):
                    pass
            except (HostError, OSError):
                return True
        return self._is_of_this_boot() and self.host.find_process(self.pid, self.start_ticks) is not None

    def is_over(self) -> bool:
        """Return whether its process is known to have ended; of another boot without a lock file nobody knows."""
        return not self.is_alive() and (self._is_of_this_boot() or self._has_lock_file())

    def _has_lock_file(self) -> bool:
        return self.host.files.stat(self._lock_file) is not None

    def _is_of_this_boot(self) -> bool:
        return self.boot == boot_name(self.host)

    def new_directory(self) -> Path:
        """Return a folder for one server, not yet made into anything."""
        files = self.host.files
        taken_names = {entry.path.name for entry in files.entries(self.folder)} if files.stat(self.folder) else set()
        number = next(n for n in range(1, len(taken_names) + 2) if f"s{n}" not in taken_names)
        directory = self.folder / f"s{number}"
        self.host.make_directory(directory)
        return directory


def own_name(host: Host) -> str:
    """Names for ever the process that works for us there, on this machine this one: pid, start time, boot."""
    pid, start_ticks = own_process(host)
    return f"{pid}-{start_ticks}-{boot_name(host)}"


def boot_name(host: Host) -> str:
    """Names this boot of the machine: pids and start times begin anew with the next."""
    return host.boot_id().replace("-", "")[:8]


def own_process(host: Host) -> tuple[int, int]:
    """Return the pid and start time of the process that reads files there."""
    stat = host.files.read_bytes(Path("/proc/self/stat"))
    return int(stat.split()[0]), parse_stat(stat)[1]


_OPTION_FILE = "--defaults-file="
_OPTION_RE = re.compile(r"^(datadir|socket|tmpdir)\s*=\s*\"?([^\"\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """Describes a process that was given an option file.

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


def server_processes(host: Host) -> Iterator[ServerProcess]:
    """Yield processes that were given an option file, with the paths it names."""
    own_users = host.system().own_user_ids
    folders = [entry for entry in host.files.entries(Path("/proc")) if entry.path.name.isdigit()]
    commands = host.files.read_many([entry.path / "cmdline" for entry in folders])
    for entry, command in zip(folders, commands, strict=True):
        words = os.fsdecode(command or b"").split("\0")
        option_argument = next((word for word in words if word.startswith(_OPTION_FILE)), "")
        (stat,) = host.files.read_many([entry.path / "stat"]) if option_argument else [None]
        if stat is not None:
            is_own = entry.user_id in own_users
            option_file = Path(option_argument.removeprefix(_OPTION_FILE))
            paths = paths_in(option_file, host) if is_own else ()
            yield ServerProcess(int(entry.path.name), parse_stat(stat)[1], option_file, paths, is_own)


def paths_in(option_file: Path, host: Host) -> tuple[str, ...]:
    """Return folders and sockets that an option file names."""
    return tuple(path.strip() for _, path in _OPTION_RE.findall(read_own_text(option_file, host) or ""))
