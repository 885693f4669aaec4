"""What is known of a server's process: it is asked for seldom, as each time is a request to another machine; and how
one that dies while a connection is opened is named.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbdyno.configure import Server
from dbdyno.core import ConfigureError
from dbdyno.hosts import LocalHost
from dbdyno.hosts._process import OwnProcess

HALTED_S = 10.0


class CountedHost:
    """A host with one process: counts how often it is looked for."""

    pid, start_ticks = 7, 4711

    def __init__(self) -> None:
        self.files = self
        self.state, self.code = "S", None
        self.requests = 0

    def read_bytes(self, path: Path) -> bytes:
        """Return the process's state, as the kernel does."""
        assert path == Path(f"/proc/{self.pid}/stat")
        self.requests += 1
        return f"7 (mysqld) {self.state} 0 0 0 0 0 0 0 0 3 0 250 50 0 0 0 0 0 0 4711".encode()

    def poll(self) -> int | None:
        """Return the process's exit code."""
        self.requests += 1
        return self.code

    def watch_oom(self, pid: int) -> None:
        """See nothing."""
        assert pid == self.pid


@pytest.fixture
def host() -> CountedHost:
    return CountedHost()


@pytest.fixture
def server(host: CountedHost) -> Server:
    order = SimpleNamespace(data_directory=Path("/data"))
    launch = SimpleNamespace(process=host, order=order, memory_group=None)
    installation, endpoint = SimpleNamespace(title="MySQL 9.7"), SimpleNamespace(socket=None, host="10.1.0.2", port=1)
    return Server(*cast("tuple[Any, Any, Any, Any]", (installation, endpoint, host, launch)))


def test_one_request_a_second_says_that_a_server_which_answers_still_runs(host: CountedHost, server: Server) -> None:
    assert server.exit_reason() is None
    assert server.hang_reason(0.9) is None
    assert host.requests == 1


def test_a_server_that_answers_nobody_is_found_halted(
    host: CountedHost, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = time.monotonic()
    assert server._watch is not None
    monkeypatch.setattr(server._watch, "_clock", lambda: now_s)
    host.state = "T"
    assert server.hang_reason(3.0) is None
    now_s += 100.0
    assert server.hang_reason(0.5) is None, "it has answered meanwhile"
    assert server.hang_reason(3.0) is None, "a halt before the last answer is over"
    now_s += HALTED_S
    assert "MySQL 9.7 has answered nothing for 10 s" in str(server.hang_reason(13.0))


def test_a_server_that_has_ended_is_not_said_to_hang(host: CountedHost, server: Server) -> None:
    host.state, host.code = "T", 0
    server._is_ending = True
    assert server.hang_reason(100.0) is None
    assert server.diagnose_exit() is None
    assert server.exit_reason() == "exit code 0"


_DIES_SLOWLY = """
import os, socket, sys, time
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    print("ready", flush=True)
    for _ in "listener", "log-in":
        listener.accept()[0].close()
time.sleep(0.3)
os.kill(os.getpid(), 9)
"""


def test_a_server_that_loses_a_connection_because_it_is_killed_is_not_said_to_refuse_it(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    with subprocess.Popen([sys.executable, "-c", _DIES_SLOWLY, str(path)], stdout=subprocess.PIPE) as popen:
        assert popen.stdout is not None and popen.stdout.readline() == b"ready\n"
        order = SimpleNamespace(data_directory=tmp_path, error_log=tmp_path / "log", output=tmp_path / "out")
        launch = SimpleNamespace(
            process=OwnProcess(popen),
            order=order,
            memory_group=None,
            admin_socket=path,
            credentials=SimpleNamespace(admin_password="x"),
            load_host=None,
        )
        installation = SimpleNamespace(title="MySQL 9.7", address=None)
        endpoint = SimpleNamespace(socket=None, host="127.0.0.1", port=1, user="load", path_s=5.0)
        server = Server(*cast("tuple[Any, Any, Any, Any]", (installation, endpoint, LocalHost(), launch)))
        server._has_let_in = True
        with pytest.raises(ConfigureError) as caught:
            server.connect()
    assert caught.value.code == "ended"
    assert caught.value.what.startswith("MySQL 9.7 has ended: killed") and "signal 9" in caught.value.what
