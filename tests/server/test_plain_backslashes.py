"""Rows and statements are the same on a server that takes backslashes in literals for themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dbdyno.configure import Server

LOAD = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno-load"
GRAPH = ("linkbench", "--maxid1=500")
SCHEMA = "dbdyno_graph"

pytestmark = pytest.mark.server


def answer(server: Server, command: str, *options: str) -> str:
    endpoint = server.endpoint
    argv = [str(LOAD), command, *GRAPH, *options, "--host=127.0.0.1", f"--port={endpoint.port}"]
    argv += [f"--user={endpoint.user}", f"--password-file={endpoint.password_file}", f"--database={SCHEMA}"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", ["statements", "infile"])
@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_the_same_events_leave_the_same_rows(engine: str, method: str, start: Callable[..., Server]) -> None:
    """LinkBench's node data holds every byte; its links are written as literals with escapes."""
    checksums = []
    for mode in ("STRICT_TRANS_TABLES", "STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES,ANSI_QUOTES"):
        raw = {"sql_mode": mode, "local_infile": "ON", "innodb_flush_log_at_trx_commit": "0"}  # no power is lost here
        server = start(engine, route="loopback", raw=raw)
        answer(server, "populate", f"--load-by={method}")
        checksums.append(answer(server, "fingerprint", "--events=400"))
    assert checksums[0] == checksums[1]
