"""Leads connections of this process to sockets of a remote host: a socket here stands for one there.

A unix socket stands for a unix socket and a port for a port: clients log in otherwise over the one than over the other.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._local import LocalHost
from dbdyno.hosts._private import make_private_folder
from dbdyno.hosts._protocol import Address
from dbdyno.hosts.remote._link import Link, Refused

_BLOCK_BYTES = 1 << 18
_WAIT_MS = 5000
_RETRY_S = 0.2


class Tunnel:
    """Represents one socket there, reached by any number of connections here.

    Parameters
    ----------
    destination : as the agent's request names it: ``{"unix": PATH}``, ``{"loopback": PORT}`` or ``{"tcp": "IP:PORT"}``
    """

    def __init__(self, link: Link, destination: dict[str, object]) -> None:
        self._link, self._destination = link, destination
        self._folder: Path | None = None
        self._is_closed = False
        self._listener, self.address = self._open_listener("unix" in destination)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True, name="dbdyno-tunnel").start()

    def _open_listener(self, is_unix: bool) -> tuple[socket.socket, Address]:
        if is_unix:
            # Closed to others; what a killed process leaves is removed as any private folder is.
            self._folder = make_private_folder(LocalHost(), 0o700)
            path = self._folder / "s"
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(path))
            return listener, path
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        return listener, ("127.0.0.1", listener.getsockname()[1])

    def close(self) -> None:
        """Take no more connections."""
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                local_socket, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(local_socket,), daemon=True, name="dbdyno-tunnel").start()
            except (OSError, RuntimeError):  # closed; or no descriptor or thread is free now
                time.sleep(_RETRY_S)

    def _serve(self, local_socket: socket.socket) -> None:
        """Serve a connection; it ends at once if the server is not there."""
        with local_socket, contextlib.suppress(HostError, Refused, OSError):
            stream = int(self._link.ask("connect", **self._destination)[0]["stream"])
            threading.Thread(target=self._send, args=(local_socket, stream), daemon=True, name="dbdyno-tunnel").start()
            try:
                self._receive(local_socket, stream)
            finally:
                with contextlib.suppress(OSError):
                    local_socket.shutdown(socket.SHUT_RDWR)  # a sender that waits for more ends

    def _receive(self, local_socket: socket.socket, stream: int) -> None:
        while True:
            value, body = self._link.ask("stream-read", stream=stream, timeout_ms=_WAIT_MS)
            if body:
                local_socket.sendall(body)
            elif value["is_end"]:
                return

    def _send(self, local_socket: socket.socket, stream: int) -> None:
        with contextlib.suppress(HostError, Refused, OSError):
            while block := local_socket.recv(_BLOCK_BYTES):
                self._link.ask("stream-write", block, stream=stream)
        with contextlib.suppress(HostError, Refused):
            self._link.ask("stream-close", stream=stream)
