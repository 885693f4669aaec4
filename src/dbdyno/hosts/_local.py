"""Implements the host that is this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts import _commands, _files
from dbdyno.hosts._commands import Identity
from dbdyno.hosts._facts import HostFacts, meminfo, read_facts
from dbdyno.hosts._home import Home
from dbdyno.hosts._memory_group import MemoryGroup, find_groups, make_memory_group, remove_group
from dbdyno.hosts._oom import OomWatch
from dbdyno.hosts._private import ServerUser, make_private_folder
from dbdyno.hosts._process import ForeignProcess, OwnPipedProcess, OwnProcess, find_process
from dbdyno.hosts._protocol import Completed
from dbdyno.hosts.containers import Containers, open_containers

_FILES_AT_ONCE = 500
_WRITE_BACK_S = 24 * 3600.0


class LocalHost:
    """Commands, files and facts of this machine.

    When root, servers run as the user ``dbdyno`` if there is one, else as ``nobody``: database servers refuse
    to run as root, and rightly so. Any other user runs them as itself.
    """

    def __init__(self) -> None:
        self._server_user = ServerUser.find()

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: str | bytes | Path | None = None,
        timeout_s: float,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
        tick: Callable[[], None] | None = None,
        is_download: bool = False,
    ) -> Completed:
        """See `Host`. The whole process group ends with a timeout or an interrupt, helpers included."""
        return _commands.run(
            argv,
            stdin=stdin,
            timeout_s=timeout_s,
            identity=self._identity(as_server_user),
            env=env,
            cwd=cwd,
            check=check,
            tick=tick,
            is_download=is_download,
        )

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None,
        stderr: Path | None,
        as_server_user: bool = False,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        limit_open_files: int | None = None,
        memory_group: MemoryGroup | None = None,
    ) -> OwnProcess:
        """See `Host`. `limit_open_files` is lowered to the hard limit of this process."""
        return _commands.spawn(
            argv,
            stdout=stdout,
            stderr=stderr,
            identity=self._identity(as_server_user),
            cpus=cpus,
            env=env,
            cwd=cwd,
            limit_open_files=limit_open_files,
            memory_group=memory_group,
        )

    def spawn_piped(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> OwnPipedProcess:
        """See `Host`."""
        return _commands.spawn_piped(argv, stdin=stdin, cpus=cpus, env=env)

    def is_listening(self, path: Path) -> bool:
        """See `Host`."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)  # a server that hangs takes nobody in, and its queue is full one day
            try:
                probe.connect(str(path))
            except BlockingIOError:
                return True
            except OSError:
                return False
        return True

    def find_process(self, pid: int, start_ticks: int) -> ForeignProcess | None:
        """See `Host`."""
        return find_process(pid, start_ticks)

    def watch_oom(self, pid: int) -> OomWatch:
        """See `Host`."""
        return OomWatch.begin(pid)

    def make_memory_group(self, name: str, limit_bytes: int) -> MemoryGroup:
        """See `Host`."""
        return make_memory_group(name, limit_bytes)

    def memory_groups(self) -> list[Path]:
        """See `Host`."""
        return find_groups()

    def remove_memory_group(self, folder: Path) -> None:
        """See `Host`."""
        remove_group(folder)

    def copy_tree(self, source: Path, destination: Path) -> str:
        """See `Host`. The destination must not exist; a failed copy leaves nothing behind."""
        if destination.exists():
            raise HostError(f"can't copy to {destination}", "it is there already")
        self.make_directory(destination.parent)
        how = "reflink" if _files.can_reflink(source, destination.parent) else "copy"
        option = "--reflink=always" if how == "reflink" else "--reflink=auto"
        try:
            self.run(["cp", "-a", option, "--", str(source), str(destination)], timeout_s=24 * 3600)
        except BaseException:
            self.remove_tree(destination)
            raise
        return how

    def write_back(self, directory: Path) -> None:
        """See `Host`. Otherwise the kernel writes a fresh copy out during the window and disturbs it."""
        files = [str(path) for path in _files.regular_files(directory)]
        for first in range(0, len(files), _FILES_AT_ONCE):
            self.run(["sync", "--", *files[first : first + _FILES_AT_ONCE]], timeout_s=_WRITE_BACK_S)
        _files.forget_pages(files)

    def remove_tree(self, directory: Path) -> None:
        """See `Host`. A copy or a server that was killed a moment ago may still add a file: then once more."""
        _files.remove_tree(directory)

    def make_directory(self, path: Path, *, for_server: bool = False) -> None:
        """See `Host`."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if for_server:
                path.chmod(0o700)
                self._give_to_server_user(path)
        except OSError as error:
            raise HostError(
                f"can't make the folder {path}", str(error), "choose another place with DBDYNO_HOME"
            ) from error

    def make_private_directory(self) -> Path:
        """See `Host`."""
        return make_private_folder(0o711 if self._server_user else 0o700)

    def write_private(self, path: Path, text: str, *, for_server: bool = False) -> None:
        """See `Host`. The mode is set at creation, so there is no moment at which others could read."""
        try:
            path.unlink(missing_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(text)
        except OSError as error:
            raise HostError(
                f"can't write {path}", error.strerror or str(error), f"free space in {path.parent}, or mend its rights"
            ) from error
        if for_server:
            self._give_to_server_user(path)

    def read_private(self, path: Path) -> str:
        """See `Host`."""
        return _files.read_text(path)

    @contextlib.contextmanager
    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> Iterator[None]:
        """See `Host`. The kernel lets go when the process ends, however it ends."""
        self.make_directory(path.parent)
        with _files.lock(path, timeout_s, shared=shared):
            yield

    def ensure_reachable(self, path: Path) -> None:
        """See `Host`."""
        if self._server_user is not None:
            self._server_user.check_reach(path)

    def containers(self) -> Containers:
        """See `Host`."""
        user = self._server_user
        return open_containers((user.user_id, user.group_id) if user is not None else (os.getuid(), os.getgid()))

    def facts(self, data_path: Path | None = None) -> HostFacts:
        """See `Host`."""
        return read_facts(_files.existing(data_path or Home.of_user().root))

    def memory_available_bytes(self) -> int:
        """See `Host`."""
        return meminfo().get("MemAvailable", 0)

    def free_bytes(self, path: Path) -> int:
        """See `Host`."""
        return shutil.disk_usage(_files.existing(path)).free

    def _identity(self, as_server_user: bool) -> Identity:
        return self._server_user.identity if as_server_user and self._server_user is not None else Identity()

    def _give_to_server_user(self, path: Path) -> None:
        if self._server_user is not None:
            self._server_user.own(path)
