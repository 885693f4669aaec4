"""Implements the host that is this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts import _commands, _local_files
from dbdyno.hosts._commands import Identity, ProcessContext
from dbdyno.hosts._environment import command_environment
from dbdyno.hosts._files import Files
from dbdyno.hosts._local_files import LocalFiles, LocalWatch
from dbdyno.hosts._process import ForeignProcess, OwnPipedProcess, OwnProcess, find_process
from dbdyno.hosts._process_protocol import NO_LIMITS, Completed, ProcessLimits
from dbdyno.hosts._protocol import Address, ClockReading, Host
from dbdyno.hosts._system import System, io_uring_error, native_io_error, read_system
from dbdyno.hosts.containers import Containers, open_containers

_PEER = struct.Struct("3i")  # struct ucred: pid, uid, gid
_FILES_AT_ONCE = 500
_CONNECT_S = 10.0
_WRITE_BACK_S = 24 * 3600.0


class LocalHost(Host):
    """Offers commands, files and facts of this machine.

    When root, servers run as the user ``dbdyno`` if there is one, else as ``nobody``: database servers refuse
    to run as root, and rightly so. Any other user runs them as itself.
    """

    def __init__(self) -> None:
        self._system = read_system()
        self._files = LocalFiles(self._system.server_user)
        self.files: Files = self._files

    def system(self) -> System:
        """See `Host`."""
        return self._system

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
            context=ProcessContext(
                command_environment(env, is_download=is_download), cwd, self._identity(as_server_user)
            ),
            check=check,
            tick=tick,
        )

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None,
        stderr: Path | None,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        limits: ProcessLimits = NO_LIMITS,
    ) -> OwnProcess:
        """See `Host`. The limit of open files is lowered to the hard limit of this process."""
        return _commands.spawn(
            argv,
            stdout=stdout,
            stderr=stderr,
            context=ProcessContext(command_environment(env), identity=self._identity(as_server_user)),
            limits=limits,
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

    def listener(self, path: Path) -> int | None:
        """See `Host`."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)  # a server that hangs accepts no connection, so its queue fills up
            try:
                probe.connect(str(path))
            except BlockingIOError:
                return 0
            except OSError:
                return None
            pid: int = _PEER.unpack(probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]
            return pid

    def free_port(self) -> int:
        """See `Host`."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
            return port

    def reach(self, address: Address) -> Address:
        """See `Host`."""
        return address

    def reach_through(self, address: tuple[str, int]) -> Address:
        """See `Host`."""
        return address

    def connection_obstacle(self, address: tuple[str, int]) -> str:
        """See `Host`."""
        try:
            socket.create_connection(address, timeout=_CONNECT_S).close()
        except OSError as error:
            return str(error)
        return ""

    def leave(self, address: Address) -> None:
        """See `Host`."""

    def watch(self, period_ns: int) -> LocalWatch:
        """See `Host`."""
        return LocalWatch(self._files)

    def clock(self) -> ClockReading:
        """See `Host`."""
        return ClockReading(time.monotonic_ns(), time.time_ns())

    def here_ns(self, there_ns: int) -> int:
        """See `Host`."""
        return there_ns

    def there_ns(self, here_ns: int) -> int:
        """See `Host`."""
        return here_ns

    def times_reconnected(self) -> int:
        """See `Host`."""
        return 0

    def compare_clocks(self) -> None:
        """See `Host`."""

    def async_io_errors(self) -> tuple[int, int | None]:
        """See `Host`."""
        return io_uring_error(), native_io_error()

    def find_process(self, pid: int, start_ticks: int) -> ForeignProcess | None:
        """See `Host`."""
        return find_process(pid, start_ticks)

    def copy_tree(self, source: Path, destination: Path) -> str:
        """See `Host`. The destination must not exist; a failed copy leaves nothing behind."""
        if destination.exists():
            raise HostError(f"can't copy to {destination}", "it already exists")
        self.make_directory(destination.parent)
        copy_method = "reflink" if _local_files.can_reflink(source, destination.parent) else "copy"
        option = "--reflink=always" if copy_method == "reflink" else "--reflink=auto"
        try:
            self.run(["cp", "-a", option, "--", str(source), str(destination)], timeout_s=24 * 3600)
        except BaseException:
            self.remove_tree(destination)
            raise
        return copy_method

    def write_back(self, directory: Path) -> None:
        """See `Host`. Otherwise the kernel writes a fresh copy out during the window and disturbs it."""
        files = [str(path) for path in _local_files.regular_files(directory)]
        for start in range(0, len(files), _FILES_AT_ONCE):
            self.run(["sync", "--", *files[start : start + _FILES_AT_ONCE]], timeout_s=_WRITE_BACK_S)
        _local_files.forget_pages(files)

    def remove_tree(self, directory: Path) -> None:
        """See `Host`. A copy or a server that was killed a moment ago may still add a file: then once more."""
        _local_files.remove_tree(directory)

    @contextlib.contextmanager
    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> Iterator[None]:
        """See `Host`. The kernel lets go when the process ends, however it ends."""
        self.make_directory(path.parent)
        with _local_files.lock(path, timeout_s, shared=shared):
            yield

    def containers(self) -> Containers:
        """See `Host`."""
        user = self._system.server_user
        return open_containers((user.user_id, user.group_id) if user is not None else (os.getuid(), os.getgid()))

    def _identity(self, as_server_user: bool) -> Identity:
        user = self._system.server_user
        if not as_server_user or user is None:
            return Identity()
        return Identity(user=user.user_id, group=user.group_id, extra_groups=[])
