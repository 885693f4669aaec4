"""Tracks open connections, until when each may stay, and which one makes room when there are too many.

A visitor who sends nothing, or a byte now and then, holds a thread. So a request has to be there in full within
seconds, and where all places are taken, the connection that has waited longest without a whole request gives way.
One that is being answered never does.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Holds how many connections there may be, and how long.

    Parameters
    ----------
    most : open at once
    request_s : until the whole request must be there, from when the connection was taken
    reply_s : until a reply must have been read, from its first byte on
    """

    most: int = 64
    request_s: float = 10.0
    reply_s: float = 120.0


@dataclass(slots=True)
class _Open:
    """Describes a connection; `deadline` is None while its reply is being made, which takes what it takes."""

    opened: float
    deadline: float | None
    is_waiting: bool = True


class OpenConnections:
    """Counts and ends connections; asked from many threads."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._open: dict[socket.socket, _Open] = {}

    def admit(self, connection: socket.socket) -> bool:
        """Take a new connection; False when every place is taken by one that is being answered."""
        now_s = time.monotonic()
        with self._lock:
            if len(self._open) >= self._limits.most:
                waiting_connections = [candidate for candidate, facts in self._open.items() if facts.is_waiting]
                if not waiting_connections:
                    return False
                oldest = min(waiting_connections, key=lambda candidate: self._open[candidate].opened)
                del self._open[oldest]
                _shut_down(oldest)
            self._open[connection] = _Open(now_s, now_s + self._limits.request_s)
            return True

    def answering(self, connection: socket.socket) -> None:
        """Note that its request is there and its reply is being made."""
        self._set_deadline(connection, None)

    def replying(self, connection: socket.socket) -> None:
        """Note that its reply is made and goes out."""
        self._set_deadline(connection, time.monotonic() + self._limits.reply_s)

    def drop(self, connection: socket.socket) -> None:
        """Forget a closed connection."""
        with self._lock:
            self._open.pop(connection, None)

    def end_overdue(self) -> None:
        """End those whose time is up; each one's own thread then closes it."""
        now_s = time.monotonic()
        with self._lock:
            overdue_connections = [
                c for c, facts in self._open.items() if facts.deadline is not None and facts.deadline < now_s
            ]
            for connection in overdue_connections:
                del self._open[connection]
                _shut_down(connection)

    def _set_deadline(self, connection: socket.socket, deadline: float | None) -> None:
        with self._lock:
            if connection in self._open:
                self._open[connection].deadline = deadline
                self._open[connection].is_waiting = False


def _shut_down(connection: socket.socket) -> None:
    """Wake the thread that reads or writes it, which closes it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
