"""A real server behind a relay that answers some statements by OK packets in its place.

SELECTs that are answered so look neither right nor wrong: damaged and whole tables give the same answer, so nothing may
be called consistent or equal. INSERTs that are answered so are rows that a server acknowledged and lost, without an
error: a version of a storage engine did that with half of a table.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator
from error_codes import load_codes
from recording_proxy import Recording, RecordingProxy
from rogue_server import OK_PACKET

pytestmark = pytest.mark.server
PASSWORD = "only-for-this-test"
WORKLOADS = {
    "insert-benchmark": ("--clients=2", "--nr1=2000", "--nr2=2500"),
    "tpcc/standard": ("--warehouses=1",),
}
SYSBENCH = ("--tables=2", "--rows=20000")
_QUERY, _EXECUTE = 0x03, 0x17


class OkRelay(RecordingProxy):
    """Forwards all but SELECTs, of which it answers those that match a pattern."""

    pattern = "."

    def reply_to(self, payload: bytes, recording: Recording) -> bytes:
        statement = payload[1:].decode(errors="replace") if payload[:1] == bytes([_QUERY]) else ""
        if payload[:1] == bytes([_EXECUTE]):
            statement = recording.statements[int.from_bytes(payload[1:5], "little")][0]
        is_answered = re.match(r"\s*\(?SELECT\b", statement, re.IGNORECASE) and re.search(self.pattern, statement)
        return OK_PACKET if is_answered else b""


class LossyRelay(RecordingProxy):
    """Acknowledges every second INSERT that is sent as text, and keeps it."""

    def __init__(self, server: str | tuple[str, int]) -> None:
        super().__init__(server)
        self.inserts = 0

    def reply_to(self, payload: bytes, recording: Recording) -> bytes:
        if not payload.startswith(bytes([_QUERY]) + b"INSERT INTO sbtest"):
            return b""
        self.inserts += 1
        rows = payload.count(b"),(") + 1
        return b"\x00\xfc" + rows.to_bytes(2, "little") + b"\x00\x02\x00\x00\x00" if self.inserts % 2 == 0 else b""


@dataclass(frozen=True)
class Tables:
    """A schema of a real server, filled once, and its workload."""

    server: Server
    workload: str
    password_file: Path

    def load(self, command: str, *options: str, port: int | None = None) -> subprocess.CompletedProcess[str]:
        where = ["--host=127.0.0.1", f"--port={port or self.server.endpoint.port}", "--user=tester", "--tls=off"]
        where += [f"--password-file={self.password_file}", "--database=checked"]
        argv = [
            str(find_generator()),
            command,
            self.workload,
            *where,
            *WORKLOADS.get(self.workload, SYSBENCH),
            *options,
        ]
        return subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def empty(laboratory: Any, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    server = laboratory.start("mariadb:11.8", route="loopback", without=["tls.available"])
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE checked")
        cursor.execute(f"CREATE USER tester@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
        cursor.execute("GRANT ALL ON *.* TO tester@'127.0.0.1'")
    password_file = tmp_path_factory.mktemp("checked") / "password"
    password_file.write_text(PASSWORD)
    password_file.chmod(0o600)
    return Tables(server, "sysbench/oltp_read_write", password_file)


@pytest.fixture(scope="module", params=WORKLOADS)
def tables(empty: Tables, request: pytest.FixtureRequest) -> Tables:
    made = replace(empty, workload=request.param)
    filled = made.load("populate")
    assert filled.returncode == 0, filled.stderr
    return made


@pytest.fixture
def relay(tables: Tables) -> Iterator[OkRelay]:
    assert tables.server.endpoint.port is not None
    with OkRelay(("127.0.0.1", tables.server.endpoint.port)) as relay:
        yield relay


def test_tables_that_are_whole_are_consistent_also_through_a_relay_that_changes_nothing(
    tables: Tables, relay: OkRelay
) -> None:
    relay.pattern = "never"
    done = tables.load("verify", "--after=load", port=relay.port)
    assert done.returncode == 0 and "consistent:" in done.stdout, (done.stdout, done.stderr)


@pytest.mark.parametrize("pattern", [".", r"COUNT|SUM|MAX|MIN"])
def test_verify_proves_nothing_by_ok_packets(tables: Tables, relay: OkRelay, pattern: str) -> None:
    """Also where what the server says of itself is well answered, and only the conditions are not."""
    relay.pattern = pattern
    done = tables.load("verify", "--after=load", port=relay.port)
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert load_codes(done.stderr)[-1] == "protocol-broken" and f"127.0.0.1:{relay.port}" in done.stderr
    assert "consistent:" not in done.stdout.replace("inconsistent:", "")


def test_fingerprints_prove_nothing_by_ok_packets(tables: Tables, relay: OkRelay) -> None:
    done = tables.load("fingerprint", "--events=0", port=relay.port)
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert load_codes(done.stderr) == ["checksums-unreadable", "protocol-broken"]


def test_rows_that_a_server_acknowledged_and_lost_are_its_own_loss(empty: Tables) -> None:
    """Neither the rows nor the words are taken for granted: the table is named, and nothing calls it a bug of ours."""
    port = empty.server.endpoint.port
    assert port is not None
    with LossyRelay(("127.0.0.1", port)) as relay:
        done = empty.load("populate", "--load-by", "statements", port=relay.port)
    assert relay.inserts > 3
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert load_codes(done.stderr) == ["rows-differ"], done.stderr
    assert re.search(r"\bsbtest\d\b", done.stderr), done.stderr
