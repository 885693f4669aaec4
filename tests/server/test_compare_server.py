"""`dbdyno compare --server`: a server that runs already, reached by its address, its password out of sight."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server

pytestmark = pytest.mark.server

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"
SHORT = "--tables 1 --rows 1000 --concurrency 1 --warm-up 1s --window 5s --repeats 1".split()


def compare(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "compare", *words, *SHORT],
        env={**os.environ, "DBDYNO_NO_CALIBRATION": "1", **environ},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("route", ["socket", "loopback"])
def test_a_running_server_is_driven_and_left_running(
    start: Callable[..., Server], laboratory: Any, tmp_path: Path, route: str
) -> None:
    server = start("mariadb:11.8", route=route)
    endpoint = server.endpoint
    where = f"socket:{endpoint.socket}" if route == "socket" else f"{endpoint.host}:{endpoint.port}"
    password = Path(endpoint.password_file or os.devnull).read_text().strip()
    output = tmp_path / "results"
    words = ["--server", f"{endpoint.user}@{where}", "--server-tls", "off", "-o", str(output)]
    done = compare(*words, DBDYNO_SERVER_PASSWORD=password, DBDYNO_HOME=str(laboratory.home.root))
    assert done.returncode == 0, done.stderr
    assert server.is_alive()
    shown = subprocess.run([PROGRAM, "show", output, "--json"], capture_output=True, check=True, timeout=60)
    (cell,) = json.loads(shown.stdout)["cells"]
    assert cell["tier_bytes"] == 64 << 20, "its buffer pool, not the default of servers that dbdyno starts"
    label = Path(endpoint.socket).name if endpoint.socket else where
    assert cell["target"].startswith("mariadb:11.8") and cell["target"].endswith(f" ({label})")
    written = b"".join(path.read_bytes() for path in output.rglob("*") if path.is_file())
    assert not password or password.encode() not in written


@pytest.mark.parametrize("words", ["--set redo.capacity=1GB", "--vary redo.capacity=1GB,2GB", "--tier 64MB,1GB"])
def test_what_it_does_not_get_is_not_compared(start: Callable[..., Server], tmp_path: Path, words: str) -> None:
    endpoint = start("mariadb:11.8").endpoint
    login = ["--server", f"{endpoint.user}@socket:{endpoint.socket}", "--server-tls", "off"]
    done = compare(
        *login, "--server-password-file", str(endpoint.password_file), *words.split(), "-o", str(tmp_path / "r")
    )
    assert done.returncode == 2, done.stderr
    assert not (tmp_path / "r").exists()


def test_each_server_has_its_own_password(start: Callable[..., Server], laboratory: Any, tmp_path: Path) -> None:
    endpoints = [start(name).endpoint for name in ("mariadb:11.8", "mysql:9.7")]
    files = [Path(endpoint.password_file or os.devnull) for endpoint in endpoints]
    assert files[0].read_text() != files[1].read_text()
    words = ["--server-tls", "off", "-o", str(tmp_path / "r"), "--equivalence-events", "0"]
    for endpoint, file in zip(endpoints, files, strict=True):
        words += ["--server", f"{endpoint.user}@socket:{endpoint.socket}", "--server-password-file", str(file)]
    done = compare(*words, DBDYNO_HOME=str(laboratory.home.root))
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([PROGRAM, "show", tmp_path / "r", "--json"], capture_output=True, check=True, timeout=60)
    targets = [cell["target"] for cell in json.loads(shown.stdout)["cells"]]
    assert [target.partition(".")[0] for target in sorted(targets)] == ["mariadb:11", "mysql:9"]


def test_a_server_that_lets_nobody_in_is_the_worlds_fault(tmp_path: Path) -> None:
    done = compare("--server", "socket:/nonexistent/mysqld.sock", "-o", str(tmp_path / "r"))
    assert done.returncode == 3
    assert "/nonexistent/mysqld.sock" in done.stderr and "hint:" in done.stderr
    assert not (tmp_path / "r").exists()
