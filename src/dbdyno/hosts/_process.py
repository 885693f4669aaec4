"""Controls processes: ours by Popen, those of an earlier, killed run by pid and start time; throttles one."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._process_facts import parse_stat
from dbdyno.hosts._process_protocol import Completed, Process

EXIT_UNKNOWN = -1000
"""Exit code of a process that has ended but was not our child: only its parent receives it."""
_THREAD_ID_ERRORS = (errno.EINVAL, errno.ENOENT)
"""Errors of opening the id of a thread instead of a process; which of the two depends on the kernel's version."""
_TICK_S = 1.0
_BLOCK_BYTES = 1 << 16
_STDERR_KEPT_BYTES = 64 * 1024


def start_ticks_of(pid: int) -> int | None:
    """Return clock ticks from boot to the start of a process; None when there is none (a zombie counts as none)."""
    try:
        letter, start_ticks = parse_stat(Path(f"/proc/{pid}/stat").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if letter in "ZX" else start_ticks


class OwnProcess:
    """Represents a child of this process, running on its own."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self.pid = popen.pid
        self.start_ticks = start_ticks_of(popen.pid) or 0

    def poll(self) -> int | None:
        """See `Process`."""
        return self._popen.poll()

    def signal(self, number: int) -> None:
        """See `Process`."""
        self._popen.send_signal(number)

    def terminate(self) -> None:
        """See `Process`."""
        self._popen.terminate()

    def kill(self) -> None:
        """See `Process`."""
        self._popen.kill()

    def wait(self, timeout_s: float) -> int:
        """See `Process`."""
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise still_running(f"process {self.pid}", timeout_s, _short_command(self._popen.args)) from error


class ForeignProcess:
    """Represents a process of an earlier run, held by a pidfd so that a reused pid is never signalled."""

    def __init__(self, pid: int, start_ticks: int, pidfd: int) -> None:
        self.pid = pid
        self.start_ticks = start_ticks
        self._pidfd = pidfd

    def __del__(self) -> None:
        """Give the handle back."""
        with contextlib.suppress(OSError):
            os.close(self._pidfd)

    def poll(self) -> int | None:
        """See `Process`; its exit code is not known to us."""
        return None if start_ticks_of(self.pid) == self.start_ticks else EXIT_UNKNOWN

    def terminate(self) -> None:
        """See `Process`."""
        self.signal(signal.SIGTERM)

    def kill(self) -> None:
        """See `Process`."""
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """See `Process`."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    def wait(self, timeout_s: float) -> int:
        """See `Process`."""
        ready, _, _ = select.select([self._pidfd], [], [], timeout_s)  # a pidfd turns readable at the end
        if not ready:
            raise still_running(f"process {self.pid}", timeout_s)
        return EXIT_UNKNOWN


def find_process(pid: int, start_ticks: int) -> ForeignProcess | None:
    """Return the process of that pid and that start time, if it still runs.

    The start time counts from boot: callers who keep it over a reboot must keep the boot id with it.
    """
    try:
        pidfd = os.pidfd_open(pid)
    except (ProcessLookupError, ValueError):
        return None
    except OSError as error:
        if error.errno in _THREAD_ID_ERRORS:
            return None
        raise
    process = ForeignProcess(pid, start_ticks, pidfd)
    return process if process.poll() is None else None


class OwnPipedProcess:
    """Represents a child whose standard output is read as it comes; standard error is collected separately."""

    def __init__(self, popen: subprocess.Popen[bytes], stdin: bytes) -> None:
        self._popen = popen
        self.pid = popen.pid
        self.start_ticks = start_ticks_of(popen.pid) or 0
        self._stderr = bytearray()
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._next_tick, self._was_read = 0.0, False
        self._ready = select.poll()
        if popen.stdout is not None:
            self._ready.register(popen.stdout, select.POLLIN)
        self._threads = [
            threading.Thread(target=self._write_stdin, args=(stdin,), daemon=True),
            threading.Thread(target=self._collect_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _write_stdin(self, stdin: bytes) -> None:
        pipe = self._popen.stdin
        if pipe is not None:
            with contextlib.suppress(OSError), pipe:  # a child that ends early breaks the pipe: its exit code says why
                pipe.write(stdin)

    def _collect_stderr(self) -> None:
        pipe = self._popen.stderr
        if pipe is not None:
            with pipe:
                for line in pipe:
                    self._stderr += line
                    del self._stderr[:-_STDERR_KEPT_BYTES]

    def lines(self, tick: Callable[[], None] | None = None) -> Iterator[str]:
        """See `PipedProcess`."""
        while (line := self._next_line(tick)) is not None:
            yield line.decode(errors="replace")

    def _next_line(self, tick: Callable[[], None] | None) -> bytes | None:
        """Return a line without its end; None when no more comes."""
        pipe = self._popen.stdout
        while not self._lines:
            if pipe is None or pipe.closed:
                return None
            is_due = tick is not None and time.monotonic() >= self._next_tick
            # What has come is read before: if this process was stopped, it shows that the child was not.
            if tick is not None and is_due and (self._was_read or not self._ready.poll(0)):
                self._next_tick, self._was_read = time.monotonic() + _TICK_S, False
                tick()
            if not self._ready.poll(_TICK_S * 1000):
                continue
            block = os.read(pipe.fileno(), _BLOCK_BYTES)
            self._was_read = is_due
            if not block:
                last_line, self._rest = self._rest, b""
                return last_line or None
            *whole_lines, self._rest = (self._rest + block).split(b"\n")
            self._lines.extend(whole_lines)
        return self._lines.popleft()

    def interrupt(self) -> None:
        """See `PipedProcess`."""
        self._popen.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """See `PipedProcess`."""
        self._popen.kill()

    def wait(self, timeout_s: float) -> Completed:
        """See `PipedProcess`."""
        try:
            code = self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise still_running(f"process {self.pid}", timeout_s, _short_command(self._popen.args)) from error
        for thread in self._threads:
            thread.join(timeout=5)
        if self._popen.stdout is not None:
            self._popen.stdout.close()
        argv = tuple(str(word) for word in self._popen.args) if isinstance(self._popen.args, list) else ()
        return Completed(argv, code, "", self._stderr.decode(errors="replace"))


def still_running(what: str, timeout_s: float, why: str = "") -> HostError:
    """Return the error of a process that was waited for and has not ended."""
    return HostError(f"{what} still runs after {timeout_s:g} s", why, code="still-running")


def _short_command(args: object) -> str:
    return " ".join(map(str, args))[:200] if isinstance(args, list | tuple) else str(args)[:200]


_PERIOD_S = 0.05


@dataclass(slots=True)
class Throttle:
    """Stops and continues a process in turns until it is ended.

    What was really held is added up, and the next stop is made shorter or longer by it: a busy machine wakes late.

    Parameters
    ----------
    share : of the time, above 0 and below 1
    """

    process: Process
    share: float
    held_s: float = 0.0
    elapsed_s: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a separate thread."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="dbdyno-hold")
        self._thread.start()

    def end(self) -> None:
        """Let the process go on; nothing happens when it is gone."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        began_s = time.monotonic()
        while not self._ended.is_set() and self.process.poll() is None:
            self._throttle_once(began_s)

    def _throttle_once(self, began_s: float) -> None:
        turn_s = time.monotonic()
        due_s = self.share * (turn_s - began_s + _PERIOD_S) - self.held_s
        if due_s > 0:
            try:
                self.process.signal(signal.SIGSTOP)
                stopped_s = time.monotonic()
                time.sleep(min(due_s, _PERIOD_S))
            finally:
                self.process.signal(signal.SIGCONT)
            self.held_s += time.monotonic() - stopped_s
        self._ended.wait(max(turn_s + _PERIOD_S - time.monotonic(), 0.0))
        self.elapsed_s = time.monotonic() - began_s
