"""Starts from cold, several at once: none is ready before it is, none takes another's port, nothing is left behind."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.configure._readiness import check_listener
from dbdyno.core import ConfigureError
from error_codes import raises_code

pytestmark = pytest.mark.server
Start = Callable[..., Server]
AT_ONCE = 3


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7"])
def test_servers_started_at_once_serve_on_ports_of_their_own_and_leave_nothing(
    engine: str, start: Start, laboratory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    make = laboratory.host.make_private_directory
    monkeypatch.setattr(laboratory.host, "make_private_directory", lambda: made.append(make()) or made[-1])
    data = [laboratory.data_directory(engine) for _ in range(AT_ONCE)]
    for directory in data:
        laboratory.host.write_back(directory)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        servers = list(pool.map(lambda place: start(engine, place, route="loopback"), data))
    assert len({server.endpoint.port for server in servers}) == AT_ONCE
    for server, place in zip(servers, data, strict=True):
        with server.connect(as_load_user=True) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@datadir")
            assert Path((cursor.fetchone() or ("",))[0]) == place
        assert server.start_ns > 0
        server.stop()
        assert server.stop_ns
        assert not Path(f"/proc/{server.pid}").exists()
        assert sorted(path.name for path in (place.parent / "run").iterdir()) == ["my.cnf", "server.out", "tmp"]
    assert len(made) >= AT_ONCE
    assert not any(private.exists() for private in made)


def test_another_servers_answer_is_not_taken_for_the_started_ones(tmp_path: Path) -> None:
    """This process listens where a server was to; the kernel tells its pid."""

    class Order:
        class installation:
            title = "mariadb 11.8.6"

    class Started:
        pid = 1

    class Connection:
        def __init__(self, sock: socket.socket) -> None:
            self._sock = sock

    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s.sock"))
        server.listen()
        client.connect(str(tmp_path / "s.sock"))  # queued: nobody need accept it
        connection: Any = Connection(client)
        with raises_code(ConfigureError, "other-server"):
            check_listener(connection, Started(), Order())  # type: ignore[arg-type]
