"""For one worker and the same seed the server sees what it would see from sysbench 1.0.20, statement by statement."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dbdyno.configure import Server
from recording_proxy import RecordingProxy

ROOT = Path(__file__).parents[2]
LOAD = ROOT / ".venv" / "bin" / "dbdyno-load"
VECTORS = ROOT / "contract" / "vectors" / "sysbench_streams.json"
SCHEMA = "dbdyno_same"
SCRIPTS = ("oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_point_select")
OPTIONS = ("--tables=2", "--table-size=1000")
PROTOCOLS = {"prepared": "auto", "text": "disable"}

pytestmark = pytest.mark.server


@pytest.fixture(scope="module", params=["mariadb:11.8", "mysql:9.7"])
def server(request: pytest.FixtureRequest, laboratory: object) -> Iterator[Server]:
    running: Server = laboratory.start(request.param, route="loopback")  # type: ignore[attr-defined]
    with running.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
    yield running
    running.kill()


@pytest.fixture
def filled(server: Server) -> Iterator[Server]:
    """Tables with the same rows for everyone: ours, filled before anything is recorded."""
    _ours(server, None, "populate", "sysbench/oltp_read_write", *OPTIONS, "--rng=sysbench")
    yield server
    _ours(server, None, "cleanup", "sysbench/oltp_read_write", *OPTIONS)


def _ours(server: Server, proxy: RecordingProxy | None, command: str, *arguments: str) -> str:
    endpoint = server.endpoint
    argv = [str(LOAD), command, *arguments, "--host=127.0.0.1", f"--port={proxy.port if proxy else endpoint.port}"]
    argv += [f"--user={endpoint.user}", f"--password-file={endpoint.password_file}", f"--database={SCHEMA}"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _sysbench(server: Server, proxy: RecordingProxy, script: str, *arguments: str) -> None:
    assert server.endpoint.password_file is not None
    config = server.endpoint.password_file.with_name("sysbench.cnf")  # its own way to keep a password out of argv
    config.write_text(f"mysql-password={server.endpoint.password_file.read_text().strip()}\n")
    config.chmod(0o600)
    argv = ["sysbench", f"--config-file={config}", "--db-driver=mysql", "--mysql-host=127.0.0.1"]
    argv += [f"--mysql-port={proxy.port}", f"--mysql-user={server.endpoint.user}", f"--mysql-db={SCHEMA}"]
    argv += [*arguments, "--threads=1", "--time=0", script, "run"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _load_lines(proxy: RecordingProxy) -> list[str]:
    """What the load sent. Connection set-up and a connection that only asks for session facts are not part of it."""
    recorded = [_without_set_up(recording.lines) for recording in proxy.recordings]
    (lines,) = [lines for lines in recorded if lines]
    return lines


def _without_set_up(lines: list[str]) -> list[str]:
    begins = (index for index, line in enumerate(lines) if line[0] == "P" or "sbtest" in line or line == "Q\tBEGIN")
    first = next(begins, None)
    return [] if first is None else lines[first:]


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


@pytest.fixture
def record(filled: Server) -> Callable[[str, str, int], list[str]]:
    def run(script: str, protocol: str, seed: int) -> list[str]:
        with RecordingProxy(("127.0.0.1", filled.endpoint.port or 0)) as proxy:
            arguments = [*OPTIONS, f"--seed={seed}", "--events=20", f"--protocol={protocol}", "--rng=sysbench"]
            _ours(filled, proxy, "run", f"sysbench/{script}", *arguments)
        return _load_lines(proxy)

    return run


@pytest.mark.skipif(shutil.which("sysbench") is None, reason="needs the reference: apt-get install sysbench")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_recorded_session_equals_sysbench(
    record: Callable[[str, str, int], list[str]], filled: Server, script: str, protocol: str
) -> None:
    with RecordingProxy(("127.0.0.1", filled.endpoint.port or 0)) as proxy:
        _sysbench(
            filled, proxy, script, *OPTIONS, "--rand-seed=7", "--events=20", f"--db-ps-mode={PROTOCOLS[protocol]}"
        )
    assert record(script, protocol, 7) == _load_lines(proxy)


@pytest.mark.skipif(shutil.which("sysbench") is None, reason="needs the reference: apt-get install sysbench")
def test_rows_leave_in_the_statements_in_which_sysbenchs_bulk_insert_sends_them(server: Server) -> None:
    rows = "--events=80000"  # two full statements and a rest
    sent = []
    for _ in range(2):
        _ours(server, None, "cleanup", "sysbench/bulk_insert")
        _ours(server, None, "populate", "sysbench/bulk_insert")
        with RecordingProxy(("127.0.0.1", server.endpoint.port or 0)) as proxy:
            if sent:
                _ours(server, proxy, "run", "sysbench/bulk_insert", rows)
            else:
                _sysbench(server, proxy, "bulk_insert", rows)
        sent.append(_load_lines(proxy))
    _ours(server, None, "cleanup", "sysbench/bulk_insert")
    assert [len(line) for line in sent[0][:2]] == [len("Q\t") + 524_275, len("Q\t") + 524_283]
    assert sent[0] == sent[1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("seed", [1, 42])
def test_a_recorded_session_equals_the_reference_recording(
    record: Callable[[str, str, int], list[str]], filled: Server, script: str, protocol: str, seed: int
) -> None:
    entries = json.loads(VECTORS.read_text())["entries"]
    wanted = next(
        entry["commands"]["run"]
        for entry in entries
        if (entry["script"], entry["seed"], entry["db_ps_mode"]) == (script, seed, PROTOCOLS[protocol])
        and entry["options"] == list(OPTIONS)
        and entry["events"] == 20
    )
    family = filled.installation.family
    digest = wanted.get("sha256_mysql_8_0_31", wanted["sha256"]) if family == "mysql" else wanted["sha256"]
    assert _digest(record(script, protocol, seed)) == digest
