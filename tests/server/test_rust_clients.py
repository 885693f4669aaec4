"""The Rust crates' own tests against real servers: log-in by every method, statements, load, faults."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ENGINES = ("mariadb:11.8", "mysql:9.7")
CRATES = {"servers": 2, "populate": 1}
"""How many crates have tests of a name: the wire client and the load generator, and the latter."""
PASSWORD = "only-for-this-test"

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo"),
]


@pytest.fixture(scope="module")
def servers(laboratory: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The servers as the crates' tests want them told: JSON, with an account that may do everything."""
    password_file = tmp_path_factory.mktemp("rust") / "password"
    password_file.write_text(PASSWORD)
    password_file.chmod(0o600)
    told = []
    for engine in ENGINES:
        server = laboratory.start(engine, route="loopback", raw={"max_connections": "400"}, without=["tls.available"])
        with server.connect() as connection, connection.cursor() as cursor:
            for host in ("localhost", "127.0.0.1"):
                cursor.execute(f"CREATE USER tester@'{host}' IDENTIFIED BY '{PASSWORD}'")
                cursor.execute(f"GRANT ALL ON *.* TO tester@'{host}' WITH GRANT OPTION")
            cursor.execute("CREATE DATABASE IF NOT EXISTS dbdyno_dev")
            cursor.execute("SELECT @@socket")
            (socket,) = cursor.fetchone() or ("",)
        told.append(
            {
                "name": engine,
                "socket": socket,
                "host": "127.0.0.1",
                "port": server.endpoint.port,
                "user": "tester",
                "password_file": str(password_file),
            }
        )
    return json.dumps(told)


@pytest.mark.parametrize("tests", CRATES)
def test_the_crates_own_server_tests_pass(tests: str, servers: str) -> None:
    environment = {**os.environ, "DBDYNO_TEST_SERVERS": servers}
    # Of one crate alone cargo would choose other features and build it and what it needs once more.
    argv = ["cargo", "test", "--locked", "--workspace", "--test", tests, "--", "--include-ignored", "--test-threads=1"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.count("test result: ok.") == CRATES[tests]
    assert done.stdout.count("; 0 ignored;") == CRATES[tests]
