"""Every family of workloads on real servers: filled, consistent, driven, and consistent still."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from dbdyno.lab import find_generator
from recording_proxy import RecordingProxy

ENGINES = ("mariadb:11.8", "mysql:9.7")
USERS = 4
SECONDS = 2
EVENTS_AT_LEAST = 20
"""On the slowest machine; a family whose every event failed has none."""

ONE_WAREHOUSE = "--warehouses=1"
TPCC = {"mariadb": ("tpcc/standard", ONE_WAREHOUSE, "--keyandthink=off"), "mysql": ("tpcc/hammerdb", ONE_WAREHOUSE)}
"""A warehouse takes seconds to fill, so each server has one dialect: single statements here, procedures there."""
TPCC_TYPES = {"new_order", "payment", "order_status", "delivery", "stock_level"}
DAMAGES = (
    ("district SET d_ytd = d_ytd {} 1 WHERE d_id = 3", {"3.3.2.1", "3.3.2.9"}),
    ("orders SET o_ol_cnt = o_ol_cnt {} 1 WHERE o_d_id = 2 AND o_id = 5", {"3.3.2.4", "3.3.2.6"}),
    ("customer SET c_balance = c_balance {} 1 WHERE c_d_id = 4 AND c_id = 7", {"3.3.2.10", "3.3.2.12"}),
)
"""Rows that are changed and changed back, and the conditions that this breaks, as far as the dialect keeps them."""
LINKS_OF_A_NODE = "nlinks\n0 50\n2 90\n40 100\n"
SHOP_TOML = """
description = "A shop of one item's rows"

[parameters]
item = { zipf = [1, 500] }

[transactions.look]
weight = 3
statements = ["SELECT price FROM item WHERE id = :item"]

[transactions.buy]
statements = ["BEGIN", "UPDATE item SET stock = stock - 1 WHERE id = :item", "COMMIT"]

[tables.item]
rows = 500
[tables.item.columns]
id = { sequence = 1 }
price = { uniform = [1, 99] }
stock = { uniform = [1000, 2000] }
"""
SHOP_SETUP = "CREATE TABLE item (id INT PRIMARY KEY, price INT NOT NULL, stock INT NOT NULL);\n"

pytestmark = pytest.mark.server


@dataclass(frozen=True)
class Program:
    """``dbdyno-load`` against one server and schema."""

    where: tuple[str, ...]

    def __call__(self, command: str, workload: str, *options: str, exits: int = 0) -> list[dict[str, Any]]:
        argv = [str(find_generator()), command, workload, *self.where, *options]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == exits, done.stdout[-2000:] + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def fill(self, workload: str, *options: str) -> dict[str, Any]:
        """The record of a filling that is complete; an earlier one is taken away."""
        self("cleanup", workload, *options)
        end = self("populate", workload, *options, "--json")[-1]
        assert end["status"] == "complete"
        return end

    def conditions(self, moment: str, workload: str, *options: str, exits: int = 0) -> dict[str, str]:
        """What became of each condition."""
        rows = self("verify", workload, *options, f"--after={moment}", "--json", exits=exits)
        return {row["name"]: row["status"] for row in rows if row["record"] == "condition"}

    def space(self, workload: str, *options: str) -> dict[str, dict[str, Any]]:
        """What each table takes."""
        rows = self("verify", workload, *options, "--after=load", "--json")
        (space,) = (row for row in rows if row["record"] == "space")
        return {table["name"]: table for table in space["tables"]}

    def records(self, workload: str, *options: str) -> list[dict[str, Any]]:
        """Of a run that met no error it did not repeat or give up as its tool does."""
        pace = (f"--threads={USERS}", f"--time={SECONDS}s", "--warm-up=0s", "--json-lines=-")
        records = self("run", workload, *options, *pace)
        assert records[-1]["status"] == "complete"
        assert records[-1]["completed"] >= EVENTS_AT_LEAST
        return records

    def drive(self, workload: str, *options: str) -> dict[str, int]:
        """Events by type."""
        return events_by_type(self.records(workload, *options))


def events_by_type(records: list[dict[str, Any]], ended: str = "completed") -> dict[str, int]:
    """Sums over the seconds."""
    counts: dict[str, int] = {}
    for second in (record for record in records if record["record"] == "interval"):
        for name, counted in second["transactions"].items():
            counts[name] = counts.get(name, 0) + counted[ended]
    return counts


@pytest.fixture(scope="module", params=ENGINES)
def server(request: pytest.FixtureRequest, laboratory: Any) -> Iterator[Server]:
    started = laboratory.start(request.param, route="loopback", tier=256 << 20)
    yield started
    started.kill()


@pytest.fixture(scope="module")
def program(server: Server) -> Program:
    schema = "dbdyno_families"
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {schema}")
    endpoint = server.endpoint
    return Program(
        (
            "--host=127.0.0.1",
            f"--port={endpoint.port}",
            f"--user={endpoint.user}",
            f"--password-file={endpoint.password_file}",
            f"--database={schema}",
        )
    )


def test_a_fingerprint_sees_one_changed_row_and_two_of_the_same_are_equal(program: Program, server: Server) -> None:
    workload, *options = "sysbench/oltp_read_write", "--tables=1", "--rows=500"

    def fingerprint(events: int) -> dict[str, Any]:
        return program("fingerprint", workload, *options, f"--events={events}", "--json")[0]

    filled = program.fill(workload, *options)
    before = fingerprint(0)
    assert before["content_sha256"] == filled["content_sha256"]
    assert before["statements_sha256"] is None
    first = fingerprint(50)
    assert (first["events"], first["failed"]) == (50, 0)
    assert first["content_sha256"] != before["content_sha256"]
    program.fill(workload, *options)
    second = fingerprint(50)
    assert {**second, "elapsed_ns": 0} == {**first, "elapsed_ns": 0}
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("UPDATE dbdyno_families.sbtest1 SET k = k + 1 WHERE id = 7")
        cursor.execute("COMMIT")
    assert fingerprint(0)["content_sha256"] != second["content_sha256"]
    program("cleanup", workload, *options)


def test_tpcc_stays_consistent_and_what_is_not_is_found(program: Program, server: Server) -> None:
    workload, *options = TPCC[server.installation.family]
    program.fill(workload, *options)
    filled = program.conditions("load", workload, *options)
    assert set(filled.values()) == {"holds"}
    assert {"3.3.2.1", "3.3.2.6", "rows_stock"} <= filled.keys()
    records = program.records(workload, *options)
    counts = events_by_type(records)
    assert counts.keys() == TPCC_TYPES
    assert_server_counted_alike(records)
    assert counts["new_order"] > 0 < counts["payment"]
    driven = program.conditions("run", workload, *options)
    assert "broken" not in driven.values()
    assert driven["rows_orders"] == "told"  # there are more: new orders were placed
    for damage, conditions in DAMAGES:
        change_row(server, damage.format("+"))
        expected = conditions & driven.keys()
        answers = program.conditions("run", workload, *options, exits=1 if expected else 0)
        assert {name for name, status in answers.items() if status == "broken"} == expected
        change_row(server, damage.format("-"))
    assert "broken" not in program.conditions("run", workload, *options).values()
    program("cleanup", workload, *options)


def change_row(server: Server, change: str) -> None:
    with server.connect() as connection, connection.cursor() as cursor:
        assert cursor.execute(f"UPDATE dbdyno_families.{change}") == 1
        cursor.execute("COMMIT")


def assert_server_counted_alike(records: list[dict[str, Any]]) -> None:
    """New orders by the server's own number, beside those that the client was told of."""
    begin, end = (record for record in records if record["record"] == "counters")
    assert (begin["second"], end["second"]) == (0, SECONDS)
    grown = {name: value - begin["values"][name] for name, value in end["values"].items()}
    completed, rolled_back = (events_by_type(records, ended)["new_order"] for ended in ("completed", "rolled_back"))
    # The second reading comes a moment after the window, with events under way at its end among it.
    assert completed - rolled_back - USERS <= grown["sum_d_next_o_id"] <= 1.2 * completed + 20 * USERS
    assert grown["com_commit_and_rollback"] >= sum(events_by_type(records).values()) - USERS


def test_more_warehouses_than_were_filled_are_refused(program: Program, server: Server) -> None:
    workload = TPCC[server.installation.family][0]
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE dbdyno_families.warehouse (w_id INT PRIMARY KEY)")
        cursor.execute("INSERT INTO dbdyno_families.warehouse VALUES (1), (2)")
        cursor.execute("COMMIT")
    options = ("--warehouses=3", "--keyandthink=off", "--threads=1", "--time=1s", "--json-lines=-")
    (end,) = program("run", workload, *options, exits=2)
    assert end["status"] == "failed"
    assert "warehouse 3 is not in warehouse" in end["reason"]
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE dbdyno_families.warehouse")


def test_linkbench_keeps_its_counts_and_its_small_pages(program: Program, server: Server, tmp_path: Path) -> None:
    law = tmp_path / "Distribution.dat"  # the published one has a node with a million links
    law.write_text(LINKS_OF_A_NODE)
    graph = ("--maxid1=5001", "--dbid=dbdyno_families", f"--data-file={law}", "--table-compression=row-compressed")
    end = program.fill("linkbench", *graph)
    assert {table["name"] for table in end["tables"]} == {"nodetable", "linktable", "counttable"}
    assert set(program.conditions("load", "linkbench", *graph).values()) == {"holds"}
    assert {table["page_bytes"] for table in program.space("linkbench", *graph).values()} == {8192}
    counts = program.drive("linkbench", *graph)
    assert counts["get_link_list"] > 0 < counts["add_link"]
    assert "broken" not in program.conditions("run", "linkbench", *graph).values()
    change_row(server, "counttable SET count = count + 1 ORDER BY id LIMIT 1")
    answers = program.conditions("run", "linkbench", *graph, "--fidelity=fixed", exits=1)
    assert {name for name, status in answers.items() if status == "broken"} == {"counts"}
    program("cleanup", "linkbench", *graph)


def test_files_of_sql_change_what_they_say(program: Program, server: Server, tmp_path: Path) -> None:
    (tmp_path / "workload.toml").write_text(SHOP_TOML)
    (tmp_path / "setup.sql").write_text(SHOP_SETUP)
    workload = f"sql:{tmp_path}"
    program.fill(workload)
    stock = "SELECT SUM(stock) FROM dbdyno_families.item"
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(stock)
        before = int(cursor.fetchone()[0])
    counts = program.drive(workload)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(stock)
        sold = before - int(cursor.fetchone()[0])
    # Events under way at the end are finished and not counted, one a user at most.
    assert counts["buy"] <= sold <= counts["buy"] + USERS
    program("cleanup", workload)


def test_transactions_with_a_role_go_to_its_server_and_the_others_do_not(
    program: Program, server: Server, tmp_path: Path
) -> None:
    look = "[transactions.look]\n"
    assert look in SHOP_TOML
    (tmp_path / "workload.toml").write_text(SHOP_TOML.replace(look, look + 'role = "reader"\n'))
    (tmp_path / "setup.sql").write_text(SHOP_SETUP)
    workload = f"sql:{tmp_path}"
    program.fill(workload)
    with RecordingProxy(("127.0.0.1", server.endpoint.port or 0)) as reader:
        records = program.records(workload, f"--target=reader=127.0.0.1:{reader.port}")
    counts = events_by_type(records)
    assert counts["look"] > 0 < counts["buy"]
    assert records[0]["role"]["name"] == "reader"
    assert records[0]["role"]["session"]["server_version"] == records[0]["session"]["server_version"]
    executed = [line for recording in reader.recordings for line in recording.lines if line[0] == "E"]
    assert {line.split("\t")[1] for line in executed} == {"SELECT price FROM item WHERE id = ?"}
    assert counts["look"] <= len(executed) <= counts["look"] + USERS
    assert program("run", workload, "--time=1s", exits=2) == []  # nobody says which server the reader is
    program("cleanup", workload)


@pytest.mark.parametrize("law", ["special", "zipfian"])
def test_oltp_keeps_its_rows(program: Program, server: Server, law: str) -> None:
    options = ("--tables=2", "--rows=500", f"--rand-type={law}")
    program.fill("sysbench/oltp_read_write", *options)
    counts = program.drive("sysbench/oltp_read_write", *options)
    assert counts["read_write"] >= EVENTS_AT_LEAST
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*), MIN(id), MAX(id) FROM dbdyno_families.sbtest2")
        assert cursor.fetchone() == (500, 1, 500)
    program("cleanup", "sysbench/oltp_read_write", *options)


def test_every_row_that_bulk_insert_counted_is_there(program: Program, server: Server) -> None:
    options = (f"--tables={USERS}",)
    program.fill("sysbench/bulk_insert", *options)
    end = program.records("sysbench/bulk_insert", *options)[-1]
    tables = " UNION ALL ".join(
        f"SELECT COUNT(*) AS n FROM dbdyno_families.sbtest{number}" for number in range(1, USERS + 1)
    )
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT SUM(n) FROM ({tables}) AS counted")
        assert int(cursor.fetchone()[0]) == end["completed"]
    assert set(program.conditions("run", "sysbench/bulk_insert", *options).values()) == {"holds"}
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM dbdyno_families.sbtest2 WHERE id = 5")
        cursor.execute("COMMIT")
    answers = program.conditions("run", "sysbench/bulk_insert", *options, exits=1)
    assert [name for name, status in answers.items() if status == "broken"] == ["sbtest2.complete"]
    program("cleanup", "sysbench/bulk_insert", *options)
