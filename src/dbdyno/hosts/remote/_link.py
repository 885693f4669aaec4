"""Keeps the connection to an agent: requests and replies, a heartbeat, and reconnection when the link is lost.

Each request has a number. After a lost link the open ones are sent once more; the agent does each once.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from dbdyno.core import HostError
from dbdyno.hosts.remote._clock import Exchange
from dbdyno.hosts.remote._frames import encode, read_frame, skip_greeting
from dbdyno.hosts.remote._ssh import failure, ssh_command
from dbdyno.hosts.remote._ssh_process import SshProcess

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
    """Describes a request without its reply.

    Parameters
    ----------
    answered : gets one item with the reply. Not a threading.Event: a Ctrl-C while a thread enters wait() leaves the
        event's lock held, and the thread that receives all replies would block on it forever
    """

    number: int
    request: dict[str, object]
    body: bytes
    sent_ns: int = 0
    answered: queue.SimpleQueue[None] = field(default_factory=queue.SimpleQueue)
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
        self._state = threading.RLock()
        self._ssh: SshProcess | None = None
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
        with contextlib.suppress(HostError, queue.Empty):
            self._begin_request("end", b"", {}).answered.get(timeout=_END_S)
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
        try:
            self._send(open_request)
        except BaseException:  # Ctrl-C: after a reconnection it would be sent again although nobody waits for it
            with self._state:
                self._open.pop(open_request.number, None)
            raise
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
        open_request.answered.get()
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
            ssh = self._ssh
        header = {"id": open_request.number, "answered_below": lowest_open, "request": open_request.request}
        frame = encode(header, open_request.body)
        if ssh is None:
            return
        with ssh.writing:
            # Sent again, it may get the reply to the first time: the clock was read at any time since then.
            open_request.sent_ns = open_request.sent_ns or time.monotonic_ns()
            ssh.write(frame)

    def _connect(self, *, resume: bool) -> None:
        command = self._command + (" --resume" if resume else "")
        argv = [*ssh_command(self.destination, connect_s=_RECONNECT_S if resume else 10), command]
        ssh = SshProcess(argv, self._note_activity)
        try:
            self._await_greeting(ssh, resume=resume)
        except BaseException:
            ssh.close()
            raise
        with self._state:
            is_closed = self._closed.is_set()
            if not is_closed:
                self._ssh = ssh
                self._heard = time.monotonic()
                self._lost.clear()
                self.reconnections += resume  # before the replies to what is sent again
            open_numbers = sorted(self._open)
        if is_closed:  # closed while it connected: nobody else would end it
            ssh.close()
            return
        threading.Thread(target=self._read, args=(ssh,), daemon=True, name="dbdyno-frames").start()
        for number in open_numbers:
            open_request = self._open.get(number)
            if open_request is not None:
                self._send(open_request)

    def _await_greeting(self, ssh: SshProcess, *, resume: bool) -> None:
        noise = skip_greeting(lambda count: ssh.read(count, _RECONNECT_S + 2 if resume else _GREETING_S))
        if noise is None:
            return
        code, stderr = ssh.exit_code(), ssh.stderr_text()
        if resume and code == _SESSION_ENDED:
            raise _session_ended_error(self.destination, stderr)
        raise failure(self.destination, code, stderr or noise.decode(errors="replace"))

    def _note_activity(self) -> None:
        self._heard = time.monotonic()

    def _read(self, ssh: SshProcess) -> None:
        with contextlib.suppress(ValueError, OSError):
            while (frame := read_frame(ssh.read)) is not None:
                received_ns = time.monotonic_ns()
                header, body = frame
                with self._state:
                    open_request = self._open.pop(int(header.get("id", 0)), None)
                if open_request is not None:
                    open_request.header, open_request.reply, open_request.received_ns = header, body, received_ns
                    open_request.answered.put(None)
        with self._state:
            if self._ssh is ssh:
                self._lost.set()
        ssh.close()

    def _keep_alive(self) -> None:
        """Keep the connection until it is closed; if that fails for any reason, fail all requests."""
        try:
            self._beat()
        except Exception as error:  # such as no thread left to start: nobody else would end the waiting requests
            why = f"{type(error).__name__}: {error}"
            self._fail_requests(HostError(f"the connection to {self.destination} can't be kept", why, fault="network"))
            self._drop_connection()

    def _beat(self) -> None:
        """Ask for the time each second; connect again when nothing comes."""
        beat: _Open | None = None
        while not self._closed.is_set():
            if self._lost.wait(BEAT_S) or time.monotonic() - self._heard > LOST_S:
                if self._closed.is_set() or not self._reconnect():
                    return
                beat = None
            elif beat is None or not beat.answered.empty():
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
            ssh.end()

    def _fail_requests(self, error: HostError) -> None:
        with self._state:
            self._error = self._error or error
            open_requests, self._open = list(self._open.values()), {}
        for open_request in open_requests:
            open_request.header = {"error": self._error}
            open_request.answered.put(None)


def _session_ended_error(destination: str, stderr: str) -> HostError:
    return HostError(
        f"the session on {destination} has ended",
        stderr.strip(),
        "the host was restarted, or dbdyno was disconnected for longer than the lease; run the same command again",
    )
