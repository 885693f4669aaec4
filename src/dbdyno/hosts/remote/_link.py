"""Keeps the connection to an agent: requests and replies, a heartbeat, and reconnection when the link is lost.

Each request has a number. After a lost link the open ones are sent once more; the agent does each once.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

from dbdyno.core import HostError
from dbdyno.hosts.remote._clock import Exchange
from dbdyno.hosts.remote._frames import encode, read_frame, skip_greeting
from dbdyno.hosts.remote._ssh import failure, ssh_command, ssh_environment

BEAT_S = 1.0
LOST_S = 5.0
"""Without a byte from the agent for so long, the link is lost."""
RECONNECT_TIMEOUT_S = 6.0
"""How long a lost link is tried again before requests fail."""
_GREETING_S = 15.0
_END_S = 3.0
"""For an agent to clean up; where it is not reached, its lease does."""
_RETRY_S = 0.5
_RECONNECT_S = 2  # a single attempt
_EXCHANGES = 600
_SESSION_ENDED = 3  # exit code of a relay without an agent


class Refused(Exception):
    """The agent did not do what was asked."""

    def __init__(self, code: str, path: str, errno: int, text: str) -> None:
        super().__init__(f"{path}: {text} ({code})")
        self.code, self.path, self.errno, self.text = code, path, errno, text


@dataclass(slots=True)
class _Open:
    """Describes a request without its reply."""

    number: int
    request: dict[str, object]
    body: bytes
    sent_ns: int = 0
    answered: threading.Event = field(default_factory=threading.Event)
    header: dict[str, Any] = field(default_factory=dict)
    reply: bytes = b""
    received_ns: int = 0


class Link:
    """Represents one session of one agent. Any thread may ask; replies come in any order.

    Parameters
    ----------
    command : of the relay on the host, without ``--resume``
    """

    def __init__(self, destination: str, command: str, *, reconnect_timeout_s: float = RECONNECT_TIMEOUT_S) -> None:
        self.destination = destination
        self._command, self._reconnect_timeout_s = command, reconnect_timeout_s
        self._numbers = itertools.count(1)
        self._open: dict[int, _Open] = {}
        self._state, self._sending = threading.RLock(), threading.Lock()
        self._ssh: subprocess.Popen[bytes] | None = None
        self._heard = time.monotonic()
        self._lost, self._closed = threading.Event(), threading.Event()
        self._error: HostError | None = None
        self.exchanges: deque[Exchange] = deque(maxlen=_EXCHANGES)
        self.reconnections = 0
        self._connect(resume=False)
        threading.Thread(target=self._keep_alive, daemon=True, name=f"dbdyno-link-{destination}").start()

    def ask(self, what: str, body: bytes = b"", /, **arguments: object) -> tuple[dict[str, Any], bytes]:
        """Ask for one thing and wait for the reply.

        Raises
        ------
        Refused : the agent did not do it
        HostError : the link is lost, and the host did not come back in time
        """
        return self._await_result(self._begin_request(what, body, arguments))

    def exchange(self) -> Exchange:
        """Read the host's clock once."""
        open_request = self._begin_request("clock", b"", {})
        value, _ = self._await_result(open_request)
        return Exchange(open_request.sent_ns, int(value["monotonic_ns"]), open_request.received_ns)

    def end(self) -> None:
        """End the session: the agent kills what it started and removes what it made."""
        with contextlib.suppress(HostError):
            self._begin_request("end", b"", {}).answered.wait(_END_S)
        self.close()

    def close(self) -> None:
        """Leave; the session goes on until its lease ends or somebody resumes it."""
        self._closed.set()
        self._drop_connection()
        self._fail_requests(HostError(f"the connection to {self.destination} was closed"))

    def drop_connection(self) -> None:
        """Cut the connection, as a lost one would be; the link makes another."""
        self._drop_connection()

    def _begin_request(self, what: str, body: bytes, arguments: dict[str, object]) -> _Open:
        with self._state:
            if self._error is not None:
                raise self._error
            open_request = self._new_request({"do": what, **arguments}, body)
        self._send(open_request)
        return open_request

    def _new_request(self, request: dict[str, object], body: bytes = b"") -> _Open:
        """Number a request and keep it open, in one step.

        With a step between them, a request of another thread could tell the agent that all below its own number are
        answered, and the agent would ignore this one for good.
        """
        with self._state:
            open_request = _Open(next(self._numbers), request, body)
            self._open[open_request.number] = open_request
        return open_request

    def _await_result(self, open_request: _Open) -> tuple[dict[str, Any], bytes]:
        open_request.answered.wait()
        error = open_request.header.get("error")
        if isinstance(error, HostError):
            raise error
        if error is not None:
            raise Refused(str(error["code"]), str(error["path"]), int(error["errno"]), str(error["text"]))
        return open_request.header["ok"], open_request.reply

    def _send(self, open_request: _Open) -> None:
        """Send; where that fails, the reader sees the end of the connection, and all open requests go once more."""
        with self._state:
            lowest_open = min(self._open, default=open_request.number)
        header = {"id": open_request.number, "answered_below": lowest_open, "request": open_request.request}
        frame = memoryview(encode(header, open_request.body))
        with self._sending:
            ssh = self._ssh
            if ssh is None or ssh.stdin is None:
                return
            # Sent again, it may get the reply to the first time: the clock was read at any time since then.
            open_request.sent_ns = open_request.sent_ns or time.monotonic_ns()
            with contextlib.suppress(OSError, ValueError):
                while frame:
                    frame = frame[os.write(ssh.stdin.fileno(), frame) :]

    def _connect(self, *, resume: bool) -> None:
        ssh = subprocess.Popen(
            [
                *ssh_command(self.destination, connect_s=_RECONNECT_S if resume else 10),
                self._command + (" --resume" if resume else ""),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=ssh_environment(),
            start_new_session=True,  # a Ctrl-C at the terminal is for the lab, which ends its session in order
        )
        reader = _Reader(ssh.stdout, self._note_activity)
        noise = skip_greeting(lambda count: reader.read(count, _RECONNECT_S + 2 if resume else _GREETING_S))
        if noise is not None:
            code = _exit_code(ssh)
            _, stderr_bytes = ssh.communicate()
            stderr = stderr_bytes.decode(errors="replace")
            if resume and code == _SESSION_ENDED:
                raise _session_ended_error(self.destination, stderr)
            raise failure(self.destination, code, stderr or noise.decode(errors="replace"))
        with self._state:
            self._ssh = ssh
            self._heard = time.monotonic()
            self._lost.clear()
            self.reconnections += resume  # before the replies to what is sent again
            open_numbers = sorted(self._open)
        threading.Thread(target=self._read, args=(ssh, reader), daemon=True, name="dbdyno-frames").start()
        for number in open_numbers:
            open_request = self._open.get(number)
            if open_request is not None:
                self._send(open_request)

    def _note_activity(self) -> None:
        self._heard = time.monotonic()

    def _read(self, ssh: subprocess.Popen[bytes], reader: _Reader) -> None:
        with contextlib.suppress(ValueError, OSError):
            while (frame := read_frame(reader.read)) is not None:
                received_ns = time.monotonic_ns()
                header, body = frame
                with self._state:
                    open_request = self._open.pop(int(header.get("id", 0)), None)
                if open_request is not None:
                    open_request.header, open_request.reply, open_request.received_ns = header, body, received_ns
                    open_request.answered.set()
        with self._state:
            if self._ssh is ssh:
                self._lost.set()
        ssh.kill()
        ssh.wait()
        with self._sending:
            for pipe in (ssh.stdin, ssh.stdout, ssh.stderr):
                if pipe is not None:
                    pipe.close()

    def _keep_alive(self) -> None:
        """Ask for the time each second; connect again when nothing comes."""
        beat: _Open | None = None
        while not self._closed.is_set():
            if self._lost.wait(BEAT_S) or time.monotonic() - self._heard > LOST_S:
                if self._closed.is_set() or not self._reconnect():
                    return
                beat = None
            elif beat is None or beat.answered.is_set():
                self._note_exchange(beat)
                threading.Thread(
                    target=self._send, args=(beat := self._new_request({"do": "clock"}),), daemon=True
                ).start()

    def _note_exchange(self, beat: _Open | None) -> None:
        if beat is not None and "ok" in beat.header:
            there_ns = int(beat.header["ok"]["monotonic_ns"])
            self.exchanges.append(Exchange(beat.sent_ns, there_ns, beat.received_ns))

    def _reconnect(self) -> bool:
        deadline = time.monotonic() + self._reconnect_timeout_s
        self._drop_connection()
        last_error: HostError | None = None
        while time.monotonic() < deadline and not self._closed.is_set():
            try:
                self._connect(resume=True)
            except HostError as error:
                last_error = error
                if error.fault != "network":
                    break
                self._closed.wait(_RETRY_S)
            else:
                return True
        why = str(last_error) if last_error is not None else "it does not answer"
        path_error = HostError(
            f"the connection to {self.destination} is lost",
            why,
            "check that the host runs and its network is up, then run the same command again",
            fault="network",
        )
        self._fail_requests(last_error if last_error is not None and last_error.fault != "network" else path_error)
        return False

    def _drop_connection(self) -> None:
        with self._state:
            ssh = self._ssh
        if ssh is not None:
            ssh.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                ssh.wait(2)

    def _fail_requests(self, error: HostError) -> None:
        with self._state:
            self._error = self._error or error
            open_requests, self._open = list(self._open.values()), {}
        for open_request in open_requests:
            open_request.header = {"error": self._error}
            open_request.answered.set()


def _exit_code(ssh: subprocess.Popen[bytes]) -> int:
    """Return the exit code of ssh, which has closed its output or is stuck; 255 if stuck, as when it can't connect."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        return ssh.wait(0.5)
    ssh.kill()
    return 255


def _session_ended_error(destination: str, stderr: str) -> HostError:
    return HostError(
        f"the session on {destination} has ended",
        stderr.strip(),
        "the host was restarted, or no client was connected for the time of the lease; run the same command again",
    )


class _Reader:
    """Reads a pipe in large pieces and gives them out in small ones."""

    def __init__(self, pipe: IO[bytes] | None, heard: Callable[[], None]) -> None:
        if pipe is None:
            raise HostError("ssh has no output")
        self._pipe, self._heard = pipe, heard
        self._held = bytearray()

    def read(self, count: int, timeout_s: float | None = None) -> bytes:
        """Return as many bytes as asked for; fewer at the end, or when nothing comes for `timeout_s`."""
        while len(self._held) < count:
            if timeout_s is not None and not select.select([self._pipe], [], [], timeout_s)[0]:
                break
            piece = os.read(self._pipe.fileno(), 1 << 18)
            if not piece:
                break
            self._heard()
            self._held += piece
        content = bytes(self._held[:count])
        del self._held[:count]
        return content
