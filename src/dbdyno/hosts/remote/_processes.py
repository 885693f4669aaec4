"""Controls processes of a remote host by their pid and start time."""

from __future__ import annotations

import codecs
import contextlib
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from dbdyno.core import HostError
from dbdyno.hosts._process import EXIT_UNKNOWN, still_running
from dbdyno.hosts._process_protocol import Completed, PipedProcess, Process
from dbdyno.hosts.remote._link import Link, Refused

_LOOK_S = 1.0
_STDERR_WAIT_S = 5.0
_STDERR_KEPT_BYTES = 64 * 1024


class RemoteProcess(Process):
    """Represents a process there: started by the agent, or by an earlier one."""

    def __init__(self, link: Link, pid: int, start_ticks: int, words: Sequence[str] = ()) -> None:
        self._link, self._pid, self._start_ticks, self._words = link, pid, start_ticks, tuple(words)

    @property
    def pid(self) -> int:
        """See `Process`."""
        return self._pid

    @property
    def start_ticks(self) -> int:
        """See `Process`."""
        return self._start_ticks

    @property
    def handle(self) -> dict[str, int]:
        """As a request names it."""
        return {"pid": self._pid, "start_ticks": self._start_ticks}

    def poll(self) -> int | None:
        """See `Process`."""
        return self.wait_until(0.0)

    def signal(self, number: int) -> None:
        """See `Process`."""
        self._signal(number, to_group=False)

    def terminate(self) -> None:
        """See `Process`."""
        self.signal(signal.SIGTERM)

    def kill(self) -> None:
        """See `Process`."""
        self.signal(signal.SIGKILL)

    def kill_group(self) -> None:
        """End it with its helpers."""
        self._signal(signal.SIGKILL, to_group=True)

    def wait(self, timeout_s: float) -> int:
        """See `Process`."""
        code = self.wait_until(timeout_s)
        if code is None:
            what = f"process {self._pid} on {self._link.destination}"
            raise still_running(what, timeout_s, " ".join(self._words)[:200])
        return code

    def wait_until(self, timeout_s: float) -> int | None:
        """Return its exit code; None when it still runs after `timeout_s`."""
        value, _ = self._link.ask("wait", process=self.handle, timeout_ms=max(round(timeout_s * 1000), 0))
        if not value["has_ended"]:
            return None
        return EXIT_UNKNOWN if value["exit"] is None else int(value["exit"])

    def _signal(self, number: int, *, to_group: bool) -> None:
        try:
            self._link.ask("signal", process=self.handle, signal=int(number), to_group=to_group)
        except Refused as refused:
            if refused.code != "no-process":
                raise HostError(f"process {self._pid} can't be signalled", refused.text) from None


class Output:
    """Holds what a process prints, in order, even if the connection is lost meanwhile."""

    def __init__(self, link: Link, process: RemoteProcess, stream: str) -> None:
        self._link, self._process, self._stream = link, process, stream
        self._offset = 0
        self.is_end = False

    def read(self, timeout_s: float) -> bytes:
        """Return what has come since; empty when nothing comes in time, or at the end."""
        value, body = self._link.ask(
            "output",
            process=self._process.handle,
            stream=self._stream,
            offset=self._offset,
            timeout_ms=max(round(timeout_s * 1000), 0),
        )
        self._offset = int(value["offset"]) + len(body)
        self.is_end = bool(value["is_end"])
        return body


class RemotePipedProcess(PipedProcess):
    """Represents a process there that is read line by line."""

    def __init__(self, link: Link, process: RemoteProcess, argv: Sequence[str]) -> None:
        self._process, self._argv = process, tuple(argv)
        self._out, self._err = Output(link, process, "stdout"), Output(link, process, "stderr")
        self._lines: deque[str] = deque()
        self._rest, self._stderr = "", b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._next_tick = time.monotonic() + _LOOK_S

    @property
    def pid(self) -> int:
        """See `PipedProcess`."""
        return self._process.pid

    @property
    def start_ticks(self) -> int:
        """See `PipedProcess`."""
        return self._process.start_ticks

    def lines(self, tick: Callable[[], None] | None = None) -> Iterator[str]:
        """See `PipedProcess`."""
        while True:
            while self._lines:
                yield self._lines.popleft()
            if self._out.is_end:
                break
            if tick is not None and time.monotonic() >= self._next_tick:
                self._next_tick = time.monotonic() + _LOOK_S
                tick()
            *whole_lines, self._rest = (self._rest + self._decoder.decode(self._out.read(_LOOK_S))).split("\n")
            self._lines.extend(whole_lines)
        if self._rest:
            last_line, self._rest = self._rest, ""
            yield last_line

    def interrupt(self) -> None:
        """See `PipedProcess`."""
        self._process.signal(signal.SIGINT)

    def kill(self) -> None:
        """See `PipedProcess`."""
        self._process.kill()

    def wait(self, timeout_s: float) -> Completed:
        """See `PipedProcess`."""
        code = self._process.wait(timeout_s)
        deadline = time.monotonic() + _STDERR_WAIT_S  # a helper may live on and hold the stream open
        with contextlib.suppress(Refused):
            while not self._err.is_end and time.monotonic() < deadline:
                self._stderr = (self._stderr + self._err.read(_LOOK_S))[-_STDERR_KEPT_BYTES:]
        return Completed(self._argv, code, "", self._stderr.decode(errors="replace"))
