"""Declares commands and processes of a machine: ended, left running, read while they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from dbdyno.hosts._memory_group import MemoryGroup


@dataclass(frozen=True, slots=True)
class Completed:
    """Describes a command that has ended."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """States what a process may use of its machine.

    Parameters
    ----------
    cpus : processors that it runs on; None: all
    open_files : as its soft limit, or the hard limit where that is lower; None: as this process
    memory_group : it is in the group before its program begins, so all its memory is counted there
    """

    cpus: Sequence[int] | None = None
    open_files: int | None = None
    memory_group: MemoryGroup | None = None


NO_LIMITS = ProcessLimits()


class Process(Protocol):
    """Represents a long-lived process, known by pid and start time: a pid alone may be another process tomorrow."""

    @property
    def pid(self) -> int:
        """Process id."""

    @property
    def start_ticks(self) -> int:
        """Field 22 of ``/proc/PID/stat``: clock ticks from boot to start."""

    def poll(self) -> int | None:
        """Return None while it runs, else its exit code (negative: the signal that ended it)."""

    def signal(self, number: int) -> None:
        """Send a signal; nothing happens when it has ended."""

    def terminate(self) -> None:
        """Ask it to end (SIGTERM); nothing happens when it has ended."""

    def kill(self) -> None:
        """End it now (SIGKILL); nothing happens when it has ended."""

    def wait(self, timeout_s: float) -> int:
        """Return its exit code; HostError when it still runs after `timeout_s`."""


class PipedProcess(Protocol):
    """Represents a process that is read line by line while it runs."""

    @property
    def pid(self) -> int:
        """Process id."""

    @property
    def start_ticks(self) -> int:
        """As in `Process`."""

    def lines(self, tick: Callable[[], None] | None = None) -> Iterator[str]:
        """Yield lines of standard output without their ends, as they come.

        Parameters
        ----------
        tick : called about once a second, whether lines come or not; what it raises ends the reading
        """

    def interrupt(self) -> None:
        """Ask it to stop early and still report (SIGINT)."""

    def kill(self) -> None:
        """End it now."""

    def wait(self, timeout_s: float) -> Completed:
        """Return exit code and standard error, once `lines` is read; HostError when it still runs after `timeout_s`."""
