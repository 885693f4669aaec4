"""The null server: answers at once with results of the right shape, so that the client's cost is all there is."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs import Clients

START_S = 10.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the server is to be."""

    socket: Path
    cpu: int


@dataclass(frozen=True, slots=True)
class NullServer:
    """A running null server."""

    name: str
    socket: Path
    port: int
    cpu: int

    @classmethod
    @contextmanager
    def start(cls, which: str, clients: Clients, place: Place) -> Iterator[NullServer]:
        """Start the chosen one; `auto`: our own where it exists, else the reference in C."""
        if which == "auto":
            which = "own" if _has_null_server(clients.load) else "reference"
        argv, name, port = _own(clients, place) if which == "own" else _reference(clients, place)
        with subprocess.Popen(["taskset", "-c", str(place.cpu), *argv], stdout=subprocess.PIPE, text=True) as process:
            try:
                if which == "own":
                    assert process.stdout is not None
                    port = json.loads(process.stdout.readline())["port"]
                _await(place.socket, process)
                yield cls(name, place.socket, port, place.cpu)
            finally:
                process.terminate()

    def line(self) -> str:
        """One line for the screen."""
        return f"null server: {self.name}, on processor {self.cpu}"

    def reach(self, route: str) -> list[str]:
        """Arguments that take dbdyno-load there."""
        return [f"--socket={self.socket}"] if route == "socket" else ["--host=127.0.0.1", f"--port={self.port}"]


def _own(clients: Clients, place: Place) -> tuple[list[str], str, int]:
    argv = [str(clients.load), "null-server", f"--socket={place.socket}", "--listen=127.0.0.1:0"]
    return argv, "dbdyno-load null-server, one worker", 0


def _reference(clients: Clients, place: Place) -> tuple[list[str], str, int]:
    if clients.reference is None:
        sys.exit("error: neither dbdyno-load null-server nor the reference null server is there")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    argv = [str(clients.reference / "nullserver"), "--socket", str(place.socket), "--port", str(port)]
    return [*argv, "--deprecate-eof"], "the reference null server in C", port


def _has_null_server(load: Path) -> bool:
    return subprocess.run([load, "null-server", "--help"], capture_output=True).returncode == 0


def _await(path: Path, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                return
        time.sleep(0.02)
    sys.exit("error: the null server did not start")
