"""The insert benchmark on real servers: each step does what it says, and leaves the tables as it should."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator
from error_codes import load_codes

ENGINES = ("mariadb:11.8", "mysql:9.7")
SIZE = ("--clients=2", "--nr1=2000", "--nr2=2500", "--fidelity=fixed")
DELETES = "--delete-per-insert"
PASSWORD = "only-for-this-test"
ROWS = 2 * (1000 + 100)
ROW_SUM = (
    "SELECT COUNT(*), SUM(CRC32(CONCAT_WS(',', dateandtime, cashregisterid, customerid, productid, price, data)))"
    " FROM {}"
)

pytestmark = pytest.mark.server


@dataclass(frozen=True)
class Bench:
    """A server with a schema of its own."""

    server: Server
    password_file: Path

    def load(self, command: str, *words: str) -> subprocess.CompletedProcess[str]:
        where = ["--host=127.0.0.1", f"--port={self.server.endpoint.port}", "--user=tester", "--database=ib"]
        where += [f"--password-file={self.password_file}"]
        argv = [str(find_generator()), command, "insert-benchmark", *where, *SIZE, *words]
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)

    def step(self, name: str, *words: str) -> dict[str, Any]:
        """The last record of a step, with its figures by name, and the events by type."""
        done = self.load("run", f"--step={name}", "--json-lines=-", *words)
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        (end,) = [record for record in records if record["record"] == "end"]
        seconds = [record for record in records if record["record"] == "interval"]
        assert end["status"] == "complete", end
        types = records[0]["transaction_types"]
        completed = {kind: sum(second["transactions"][kind]["completed"] for second in seconds) for kind in types}
        values = {figure["name"]: figure["value"] for figure in end["figures"]}
        return {**end, **values, "completed_by_type": completed}

    def ask(self, sql: str) -> tuple[Any, ...]:
        with self.server.connect("ib") as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            row = cursor.fetchone()
        assert row is not None
        return tuple(row)

    def change(self, sql: str) -> None:
        with self.server.connect("ib") as connection, connection.cursor() as cursor:
            cursor.execute(sql)


@pytest.fixture(scope="module", params=ENGINES)
def bench(laboratory: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    server = laboratory.start(request.param, route="loopback", without=["tls.available"])
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE ib")
        cursor.execute(f"CREATE USER tester@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
        cursor.execute("GRANT ALL ON *.* TO tester@'127.0.0.1'")  # settling sets what holds for all
    password_file = tmp_path_factory.mktemp("ib") / "password"
    password_file.write_text(PASSWORD)
    password_file.chmod(0o600)
    return Bench(server, password_file)


@pytest.fixture
def filled(bench: Bench) -> Callable[[], Bench]:
    """The tables as they are after the load."""

    def fill() -> Bench:
        bench.load("cleanup")
        done = bench.load("populate", "--connections=2")
        assert done.returncode == 0, done.stderr
        return bench

    return fill


def test_the_steps_of_the_load_leave_the_rows_that_populate_does(filled: Callable[[], Bench]) -> None:
    bench = filled()
    populated = [bench.ask(ROW_SUM.format(table)) for table in ("pi1", "pi2")]
    load, keys = bench.step("l.i0"), bench.step("l.x")
    assert [bench.ask(ROW_SUM.format(table)) for table in ("pi1", "pi2")] == populated
    assert (load["inserted_rows"], keys["inserted_rows"]) == (2000, 200)
    assert (load["completed_by_type"]["create_table"], keys["completed_by_type"]["add_keys"]) == (2, 2)
    assert bench.load("verify", "--after=load").returncode == 0


def test_with_deletes_the_count_stays_and_the_lowest_rows_go(filled: Callable[[], Bench]) -> None:
    bench = filled()
    big, small = bench.step("l.i1", DELETES), bench.step("l.i2", DELETES)
    assert (big["inserted_rows"], big["deleted_rows"]) == (2000, 2000)
    assert (small["inserted_rows"], small["deleted_rows"]) == (500, 500)
    assert small["completed_by_type"]["insert"] == 100
    assert small["completed_by_type"]["find_min"] == 2
    assert bench.ask("SELECT COUNT(*), MIN(transactionid) FROM pi1") == (ROWS // 2, 1251)
    assert bench.load("verify", DELETES, "--after=run").returncode == 0


def test_a_table_that_lost_a_key_or_a_row_is_told(filled: Callable[[], Bench]) -> None:
    bench = filled()
    bench.change("DELETE FROM pi1 LIMIT 1")
    told = bench.load("verify", "--after=load")
    assert told.returncode == 1
    assert "pi1.count        BROKEN" in told.stdout
    bench.change("ALTER TABLE pi2 DROP INDEX pi2_pdc")
    told = bench.load("verify", "--after=run")
    assert told.returncode == 3
    assert load_codes(told.stderr) == ["condition-unchecked", "server-error"]
    assert "pi2_pdc" in told.stderr


@pytest.mark.parametrize(("step", "kind"), [("qr200", "range_query"), ("qp200", "point_query")])
def test_queries_run_beside_a_rate_that_is_held(filled: Callable[[], Bench], step: str, kind: str) -> None:
    bench = filled()
    end = bench.step(step, "--step-seconds=3", "--query-threads=2")
    assert end["inserted_rows"] == 2 * 3 * 200
    assert end["insert_rate_share"] > 0.95
    assert end["completed_by_type"][kind] % 16 == 0
    assert 9 < end["rows_per_query"] <= 10


def test_reads_without_writes_are_the_same_each_time(filled: Callable[[], Bench]) -> None:
    bench = filled()
    before, after = (bench.step("qr0", "--step-seconds=1", "--digest=16") for _ in range(2))
    assert "insert" not in before["completed_by_type"]
    assert [digest["events"] for digest in before["digests"]] == [16, 16]
    assert before["digests"] == after["digests"]


def test_settling_puts_the_settings_back(filled: Callable[[], Bench]) -> None:
    bench = filled()
    ask = "SELECT @@innodb_max_dirty_pages_pct, @@innodb_max_dirty_pages_pct_lwm"
    before = bench.ask(ask)
    bench.step("settle", "--settle-seconds=1")
    assert bench.ask(ask) == before


def test_too_few_connections_are_refused_with_the_right_number(bench: Bench) -> None:
    done = bench.load("run", "--step=qr100", DELETES, "--threads=3")
    assert done.returncode == 2
    assert load_codes(done.stderr) == ["wrong-connections"]
    assert " 8 " in done.stderr
