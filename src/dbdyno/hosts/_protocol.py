"""Declares what every kind of host answers, and what follows from its answers: this machine and remote ones alike.

The first methods of `Host` are primitives, which each kind of host implements; the others are written once, above them.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from dbdyno.core import Home, HostError, format_bytes
from dbdyno.hosts._facts import HostFacts, read_facts, read_meminfo
from dbdyno.hosts._files import Files, FileWatch
from dbdyno.hosts._memory_group import MemoryGroup, find_groups, make_memory_group, remove_group
from dbdyno.hosts._oom import OomWatch
from dbdyno.hosts._private import make_private_folder
from dbdyno.hosts._process_protocol import NO_LIMITS, Completed, PipedProcess, Process, ProcessLimits
from dbdyno.hosts._system import System
from dbdyno.hosts._tree import Tree

if TYPE_CHECKING:
    from dbdyno.hosts.containers import Containers

Address: TypeAlias = Path | tuple[str, int]
"""A unix socket, or a name or number of a host with a TCP port."""
_PRIVATE_MOST_BYTES = 64 << 10
_KIND_WORDS = {"directory": "it is a folder", "socket": "it is a socket", "other": "it is a device or a named pipe"}


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks of a machine, read at one moment: nanoseconds since its boot, and Unix time."""

    monotonic_ns: int
    unix_ns: int


@dataclass(frozen=True, slots=True)
class ClockAccuracy:
    """States how well a machine's clock is known on that of this process.

    Parameters
    ----------
    bound_ns : most by which an instant may be off
    drift_ppm : by how much it is faster, in millionths; None: not known yet
    round_trip_ns : shortest
    ahead_ns : by how much it is ahead of that of this process
    exchanges : how many were used
    """

    bound_ns: int
    drift_ppm: float | None
    round_trip_ns: int
    ahead_ns: int
    exchanges: int

    def worse(self, later: ClockAccuracy) -> ClockAccuracy:
        """Return the larger bound and round trip of two; the rest as known later."""
        bound_ns, round_trip_ns = max(self.bound_ns, later.bound_ns), max(self.round_trip_ns, later.round_trip_ns)
        return replace(later, bound_ns=bound_ns, round_trip_ns=round_trip_ns)


_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Host(Protocol):
    """Represents a machine on which commands run."""

    files: Files

    def system(self) -> System:
        """Return what does not change while we work there."""

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
        """Run to its end. A non-zero exit code raises HostError unless `check` is off.

        Parameters
        ----------
        stdin : text or bytes to feed, or a file to read from
        tick : called about once a second meanwhile; what it raises ends the command
        env : variables added to (or, by the same name, replacing) the few that a command gets of this process's
        is_download : it fetches from a network, and so gets proxies and settings of package clients, too
        """

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None,
        stderr: Path | None,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        limits: ProcessLimits = NO_LIMITS,
    ) -> Process:
        """Start and leave running, in its own session: a Ctrl-C at the terminal does not reach it."""

    def spawn_piped(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> PipedProcess:
        """Start, feed `stdin`, and read while it runs. Own session, as `spawn`."""

    def find_process(self, pid: int, start_ticks: int) -> Process | None:
        """Return a process of an earlier run by pid and start time; None when it has ended or another bears its pid."""

    def listener(self, path: Path) -> int | None:
        """Return the pid of the process that accepts connections on a unix socket; None: none; 0: it can't be seen."""

    def free_port(self) -> int:
        """Return a TCP port that nobody there listens on now."""

    def reach(self, address: Address) -> Address:
        """Return the address by which this process reaches a socket of that machine, perhaps a tunnel's."""

    def reach_through(self, address: tuple[str, int]) -> Address:
        """Return the address by which this process reaches another host's IP address and port as that machine does."""

    def connection_obstacle(self, address: tuple[str, int]) -> str:
        """Return why that machine can't connect to another host's IP address and port; empty: it can."""

    def leave(self, address: Address) -> None:
        """Close what `reach` and `reach_through` opened for an address that nobody will reach any more."""

    def watch(self, period_ns: int) -> FileWatch:
        """Read files again and again, every `period_ns`."""

    def clock(self) -> ClockReading:
        """Read both clocks."""

    def here_ns(self, there_ns: int) -> int:
        """Return an instant of that machine's monotonic clock, on that of this process."""

    def there_ns(self, here_ns: int) -> int:
        """Return an instant of this process's monotonic clock, on that of that machine."""

    def times_reconnected(self) -> int:
        """Return how often the way to that machine was lost and found again."""

    def compare_clocks(self) -> ClockAccuracy | None:
        """Read that machine's monotonic clock some times in a row; None: it is this process's clock."""

    def async_io_errors(self) -> tuple[int, int | None]:
        """Return error numbers of asking for an io_uring and for native asynchronous I/O, 0: granted; None: unknown."""

    def copy_tree(self, source: Path, destination: Path) -> str:
        """Copy a directory with owners, modes and holes; ``reflink`` or ``copy``, whichever was possible."""

    def write_back(self, directory: Path) -> None:
        """Wait until a directory's files are on the device, and forget their cached pages."""

    def remove_tree(self, directory: Path) -> None:
        """Remove a directory and what is in it; a missing one is fine."""

    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> AbstractContextManager[None]:
        """Hold a lock file while the block runs; HostError when another process holds it after `timeout_s`.

        `shared`: with others who hold it so, but not with one who holds it alone.
        """

    def containers(self) -> Containers:
        """Return the container engine of this machine; HostError when none answers."""

    def boot_id(self) -> str:
        """Names this boot of the machine: pids, start times and the monotonic clock begin anew with the next."""
        return self.files.read_text(_BOOT_ID).strip()

    def facts(self, data_path: Path | None = None) -> HostFacts:
        """Return what the machine is; `data_path` says which disk is meant, by itself or its nearest parent there."""
        return read_facts(self, data_path or Home.of_user().root)

    def memory_available_bytes(self) -> int:
        """Return the memory that is available without swapping."""
        return read_meminfo(Tree(self.files)).get("MemAvailable", 0)

    def free_bytes(self, path: Path) -> int:
        """Free space where `path` (or its nearest existing parent) lies."""
        return self.files.space(path).free_bytes

    def watch_oom(self, pid: int) -> OomWatch:
        """Note what the kernel has killed so far, to know later whether it killed this process."""
        return OomWatch.begin(self, pid)

    def make_memory_group(self, name: str, limit_bytes: int) -> MemoryGroup:
        """Return a control group of bounded memory; HostError where there is no controller or no right to it."""
        return make_memory_group(self.files, name, limit_bytes)

    def memory_groups(self) -> Sequence[Path]:
        """Return the groups that dbdyno has made on this machine and that are still there, of all users."""
        return find_groups(self.files)

    def remove_memory_group(self, folder: Path) -> None:
        """Remove a group that an earlier run has made; one that is gone is fine."""
        remove_group(self.files, folder)

    def make_directory(self, path: Path, *, for_server: bool = False) -> None:
        """Make a directory and its parents; `for_server`: owned by the server user, closed to others."""
        try:
            self.files.make_directory(path, mode=0o700 if for_server else None, for_server=for_server)
        except OSError as error:
            raise HostError(
                f"can't create the folder {path}", error.strerror or str(error), "set DBDYNO_HOME to another folder"
            ) from error

    def make_private_directory(self) -> Path:
        """Make a directory with a short path, for sockets and passwords: ``dbdyno-UID-XXXXXXXX``, see `private_roots`.

        Closed to others; where servers run as another user, that user may pass through it and not list it.
        """
        return make_private_folder(self, 0o711 if self.system().server_user else 0o700)

    def write_private(self, path: Path, text: str, *, for_server: bool = False) -> None:
        """Write a file that only its owner can read; `for_server`: the owner is the server user."""
        try:
            self.files.write(path, text.encode(), mode=0o600, for_server=for_server)
        except OSError as error:
            raise HostError(
                f"can't write {path}",
                error.strerror or str(error),
                f"free space in {path.parent}, or correct its permissions",
            ) from error

    def read_private(self, path: Path) -> str:
        """Read a file, such as a password's; HostError when it can't be read. Its content is never in an error."""
        try:
            content = self._bounded_content(path.expanduser())
            return content.decode()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise HostError(f"the file {path} can't be read", str(why), "correct its path or its permissions") from None

    def _bounded_content(self, path: Path) -> bytes:
        """Return content of a small file; neither waits for a pipe's writer nor reads a device, which has no end."""
        facts = self.files.stat(path)
        if facts is not None and facts.kind != "file":
            raise OSError(errno.EINVAL, _KIND_WORDS.get(facts.kind, "it is not a file"), str(path))
        content = self.files.read_bytes(path, limit_bytes=_PRIVATE_MOST_BYTES + 1)
        if len(content) > _PRIVATE_MOST_BYTES:
            raise OSError(errno.EFBIG, f"it holds more than {format_bytes(_PRIVATE_MOST_BYTES)}", str(path))
        return content

    def ensure_reachable(self, path: Path) -> None:
        """Raise HostError when the server user can't pass through one of the parents of `path`."""
        user = self.system().server_user
        for parent in reversed(path.absolute().parents) if user is not None else ():
            facts = self.files.stat(parent)
            if user is not None and facts is not None and not facts.mode & 0o001 and facts.user_id != user.user_id:
                raise HostError(
                    f"the user {user.name}, who runs the servers, can't enter {parent}",
                    f"{path} lies below it",
                    "set DBDYNO_HOME to a folder that all users can enter, such as /var/cache/dbdyno",
                    code="unreachable-folder",
                )
