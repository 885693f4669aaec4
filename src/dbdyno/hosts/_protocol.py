"""Declares what every kind of host answers: this machine now, containers and remote ones alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dbdyno.hosts._facts import HostFacts
from dbdyno.hosts._memory_group import MemoryGroup
from dbdyno.hosts._oom import OomWatch

if TYPE_CHECKING:
    from dbdyno.hosts.containers import Containers


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that has ended."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str


class Process(Protocol):
    """A long-lived process, known by pid and start time: a pid alone may be another process tomorrow."""

    @property
    def pid(self) -> int:
        """Process id."""

    @property
    def start_ticks(self) -> int:
        """Field 22 of ``/proc/PID/stat``: clock ticks from boot to start."""

    def poll(self) -> int | None:
        """Return None while it runs, else its exit code (negative: the signal that ended it)."""

    def terminate(self) -> None:
        """Ask it to end (SIGTERM); nothing happens when it has ended."""

    def kill(self) -> None:
        """End it now (SIGKILL); nothing happens when it has ended."""

    def wait(self, timeout_s: float) -> int:
        """Its exit code; HostError when it still runs after `timeout_s`."""


class PipedProcess(Protocol):
    """A process that is read line by line while it runs."""

    @property
    def pid(self) -> int:
        """Process id."""

    @property
    def start_ticks(self) -> int:
        """As in `Process`."""

    def lines(self, tick: Callable[[], None] | None = None) -> Iterator[str]:
        """Lines of standard output without their ends, as they come.

        Parameters
        ----------
        tick : called about once a second, whether lines come or not; what it raises ends the reading
        """

    def interrupt(self) -> None:
        """Ask it to stop early and still report (SIGINT)."""

    def kill(self) -> None:
        """End it now."""

    def wait(self, timeout_s: float) -> Completed:
        """Exit code and standard error, once `lines` is read; HostError when it still runs after `timeout_s`."""


class Host(Protocol):
    """A machine on which commands run."""

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
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        limit_open_files: int | None = None,
        memory_group: MemoryGroup | None = None,
    ) -> Process:
        """Start and leave running, in its own session: a Ctrl-C at the terminal does not reach it.

        `memory_group`: it is in the group before its program begins, so all its memory is counted there.
        """

    def spawn_piped(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> PipedProcess:
        """Start, feed `stdin`, and read while it runs. Own session, as `spawn`."""

    def is_listening(self, path: Path) -> bool:
        """Return whether a process accepts connections on a unix socket."""

    def find_process(self, pid: int, start_ticks: int) -> Process | None:
        """A process of an earlier run by pid and start time; None when it has ended or another bears its pid."""

    def watch_oom(self, pid: int) -> OomWatch:
        """Note what the kernel has killed so far, to tell later whether it killed this process."""

    def make_memory_group(self, name: str, limit_bytes: int) -> MemoryGroup:
        """A control group of bounded memory; HostError where there is no controller or no right to it."""

    def memory_groups(self) -> Sequence[Path]:
        """Groups that dbdyno has made on this machine and that are still there, whoever made them."""

    def remove_memory_group(self, folder: Path) -> None:
        """Remove a group that an earlier run has made; one that is gone is fine."""

    def copy_tree(self, source: Path, destination: Path) -> str:
        """Copy a directory with owners, modes and holes; ``reflink`` or ``copy``, whichever was possible."""

    def write_back(self, directory: Path) -> None:
        """Wait until a directory's files are on the device, and forget their cached pages."""

    def remove_tree(self, directory: Path) -> None:
        """Remove a directory and what is in it; a missing one is fine."""

    def make_directory(self, path: Path, *, for_server: bool = False) -> None:
        """Make a directory and its parents; `for_server`: owned by the server user, closed to others."""

    def make_private_directory(self) -> Path:
        """A new directory with a short path, for sockets and passwords: ``dbdyno-UID-XXXXXXXX``, see `private_roots`.

        Closed to others; where servers run as another user, that user may pass through it and not list it.
        """

    def write_private(self, path: Path, text: str, *, for_server: bool = False) -> None:
        """Write a file that only its owner can read; `for_server`: the owner is the server user."""

    def read_private(self, path: Path) -> str:
        """Text of a file, such as a password's; HostError when it can't be read. Its content is never in an error."""

    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> AbstractContextManager[None]:
        """Hold a lock file while the block runs; HostError when another process holds it after `timeout_s`.

        `shared`: with others who hold it so, but not with one who holds it alone.
        """

    def ensure_reachable(self, path: Path) -> None:
        """HostError when the server user can't pass through one of the parents of `path`."""

    def containers(self) -> Containers:
        """The container engine of this machine; HostError when none answers."""

    def facts(self, data_path: Path | None = None) -> HostFacts:
        """Return what the machine is; `data_path` says which disk is meant."""

    def memory_available_bytes(self) -> int:
        """Memory that can be had without swapping."""

    def free_bytes(self, path: Path) -> int:
        """Free space where `path` (or its nearest existing parent) lies."""
