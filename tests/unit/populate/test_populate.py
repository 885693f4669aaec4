"""Datasets filled, proven and kept, against a server and a load generator of paper."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import jsonschema
import pymysql
import pytest

from dbdyno.core import Home, HostError, PopulateError
from dbdyno.hosts import Completed, Host, LocalHost
from dbdyno.populate import (
    ConditionWait,
    Dataset,
    DatasetOrder,
    FillProgress,
    FillWait,
    Snapshot,
    TableSums,
    restore,
    snapshot_for,
    snapshot_key,
)
from dbdyno.populate._records import FillEnd, parse_fill_record
from dbdyno.store import JsonValue
from error_codes import raises_code

SAMPLES = Path(__file__).parents[3] / "contract" / "samples"
DATASET = Dataset("sysbench/oltp_read_write", {"tables": 1, "table_size": 50_000})
SUMS = {"sum_k": 1250012345, "sum_crc32_c": 107374182400, "sum_crc32_pad": 107374182401}
SENT = TableSums("sbtest1", 50_000, SUMS)
LINES = (SAMPLES / "populate-records.jsonl").read_text().splitlines()


class FakeLoad:
    pid, start_ticks = 1, 1

    def __init__(self, lines: Sequence[str], exit_code: int = 0, stderr: str = "") -> None:
        self._lines, self._completed = lines, Completed((), exit_code, "", stderr)
        self.killed = False

    def lines(self, tick: object = None) -> Iterator[str]:
        yield from self._lines

    def kill(self) -> None:
        self.killed = True

    def wait(self, timeout_s: float) -> Completed:
        return self._completed


class PaperHost(LocalHost):
    """This machine's files, and a load generator that only says its lines."""

    def __init__(self, load: FakeLoad, free: int = 1 << 50) -> None:
        super().__init__()
        self.load, self.free = load, free
        self.orders: list[dict[str, Any]] = []

    def spawn_piped(self, argv: Sequence[str], *, stdin: bytes, cpus: object = None, env: object = None) -> Any:
        self.orders.append(json.loads(stdin))
        return self.load

    def free_bytes(self, path: Path) -> int:
        return self.free


class FakeCursor:
    def __init__(self, server: FakeServer) -> None:
        self.server = server

    def __enter__(self) -> FakeCursor:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def execute(self, query: str) -> None:
        self.server.queries.append(query)
        if self.server.fails_on and re.search(self.server.fails_on, query):
            raise pymysql.OperationalError(2013, "Lost connection to server")

    def fetchall(self) -> tuple[()]:
        return ()


class FakeConnection:
    def __init__(self, server: FakeServer) -> None:
        self.server = server

    def cursor(self) -> FakeCursor:
        return FakeCursor(self.server)

    @contextmanager
    def within(self, limit_s: float) -> Iterator[None]:
        yield

    def close(self) -> None:
        self.server.calls.append("close")


@dataclass
class FakeServer:
    folder: Path
    fails_on: str = ""
    dead: str | None = None
    queries: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.data_directory.mkdir(parents=True)
        (self.data_directory / "ibdata1").write_bytes(b"x" * 100)
        (self.data_directory / "auto.cnf").write_text("[auto]\nserver-uuid=1\n")
        (self.folder / "data.credentials").write_text("secret")

    @property
    def data_directory(self) -> Path:
        return self.folder / "data"

    schema_charset = "CHARACTER SET latin1"

    def connect(self) -> Any:
        return FakeConnection(self)

    def order_target(self, database: str) -> Mapping[str, JsonValue]:
        return {"socket": "/tmp/s.sock", "database": database, "password_file": "/tmp/p"}

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None

    def exit_reason(self) -> str | None:
        return self.dead

    def log_tail(self) -> str:
        return "[ERROR] InnoDB: out of paper"

    def stop(self) -> None:
        self.calls.append("stop")

    def discard(self) -> None:
        self.calls.append("discard")


@dataclass
class Bench:
    home: Home
    host: PaperHost
    server: FakeServer
    started: int = 0
    seen: list[FillProgress | FillWait | ConditionWait] = field(default_factory=list)

    def start(self) -> FakeServer:
        self.started += 1
        return self.server

    def snapshot(self, key: str = "k1") -> Snapshot:
        return snapshot_for(
            key,
            "mysql 9.7.4 innodb",
            DatasetOrder(DATASET, "innodb", cast("Host", self.host), Path("load"), rows_total=50_000),
            self.start,
            self.home,
            self.seen.append,
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Home(tmp_path / "home"), PaperHost(FakeLoad(LINES)), FakeServer(tmp_path / "run"))


def test_the_samples_of_the_contract_are_read() -> None:
    records = [parse_fill_record(line) for line in LINES]
    assert [type(record) for record in records] == [type(None), FillProgress, FillProgress, FillEnd]
    assert isinstance(records[3], FillEnd)
    assert records[3].tables == (SENT,)


def test_the_order_keeps_to_the_contract() -> None:
    sample = json.loads((SAMPLES / "populate-order.json").read_text())
    order = Dataset(sample["workload"]["name"], sample["workload"]["options"], "dbdyno", 1).order(
        sample["target"], "innodb", 4
    )
    assert order == sample


def test_tables_of_an_engine_that_bounds_its_transactions_are_filled_in_portions() -> None:
    order = Dataset("tpcc/hammerdb", {"warehouses": 2}).order({"user": "u", "database": "d"}, "tidesdb", 4)
    assert order["transaction_rows"] == 25_000
    schema = json.loads((SAMPLES.parent / "populate-order.schema.json").read_text())
    jsonschema.validate(order["transaction_rows"], schema["properties"]["transaction_rows"])
    assert "transaction_rows" not in Dataset("tpcc/hammerdb").order({}, "rocksdb", 4)


def test_a_fresh_snapshot_is_filled_proven_stopped_and_kept(bench: Bench) -> None:
    snapshot = bench.snapshot()
    assert not snapshot.reused
    assert snapshot.tables == (SENT,)
    assert snapshot.rows_total == 50_000
    assert bench.server.calls == ["close", "close", "stop", "discard"]
    assert [progress.phase for progress in bench.seen if isinstance(progress, FillProgress)] == ["load", "index"]
    assert bench.host.orders[0]["target"]["database"] == "dbdyno_sbtest"
    queries = bench.server.queries
    assert queries[1] == "CREATE DATABASE `dbdyno_sbtest` CHARACTER SET latin1"
    assert queries[-1] == "ANALYZE TABLE `dbdyno_sbtest`.`sbtest1`"


def test_a_snapshot_keeps_its_passwords_and_loses_its_identity(bench: Bench) -> None:
    snapshot = bench.snapshot()
    assert (snapshot.folder / "data.credentials").read_text() == "secret"
    assert sorted(path.name for path in snapshot.data_directory.iterdir()) == ["ibdata1"]


def test_a_snapshot_that_is_there_is_used_again(bench: Bench) -> None:
    first = bench.snapshot()
    second = bench.snapshot()
    assert bench.started == 1
    assert second == replace(first, reused=True)


def test_a_snapshot_whose_files_changed_is_made_anew(bench: Bench, tmp_path: Path) -> None:
    snapshot = bench.snapshot()
    (snapshot.data_directory / "ibdata1").write_bytes(b"x" * 99)
    bench.server = FakeServer(tmp_path / "run2")
    assert not bench.snapshot().reused
    assert bench.started == 2


def test_a_half_made_snapshot_is_made_anew(bench: Bench) -> None:
    (bench.home.snapshots / "k1" / "data").mkdir(parents=True)
    (bench.home.snapshots / ".k1.new").mkdir()
    assert not bench.snapshot().reused


def test_a_load_that_failed_tells_its_reason(bench: Bench) -> None:
    end = json.loads(LINES[-1]) | {"status": "failed", "reason": "error 1114: table is full"}
    bench.host.load = FakeLoad([*LINES[:-1], json.dumps(end)])
    with pytest.raises(PopulateError) as error:
        bench.snapshot()
    assert error.value.why == "error 1114: table is full"


def test_a_load_that_crashed_tells_its_last_words(bench: Bench) -> None:
    bench.host.load = FakeLoad(LINES[:1], exit_code=101, stderr="thread panicked")
    with pytest.raises(PopulateError) as error:
        bench.snapshot()
    assert "101" in error.value.why
    assert "thread panicked" in error.value.why


def test_a_server_that_died_shows_its_log(bench: Bench) -> None:
    bench.server.fails_on, bench.server.dead = "ANALYZE", "signal 9"
    with pytest.raises(PopulateError) as error:
        bench.snapshot()
    assert "signal 9" in error.value.why
    assert "out of paper" in error.value.why
    assert "discard" in bench.server.calls


def test_a_small_disk_is_refused_before_a_server_starts(bench: Bench) -> None:
    bench.host.free = 1 << 30
    with raises_code(HostError, "disk-exceeded") as error:
        bench.snapshot()
    assert "1 GiB free" in error.value.why
    assert bench.started == 0


def test_a_restored_copy_stands_alone(bench: Bench, tmp_path: Path) -> None:
    snapshot = bench.snapshot()
    data = tmp_path / "r1" / "data"
    assert restore(snapshot, data, cast("Host", bench.host)) in ("copy", "reflink")
    (data / "ibdata1").write_bytes(b"changed")
    assert (snapshot.data_directory / "ibdata1").read_bytes() == b"x" * 100
    assert (tmp_path / "r1" / "data.credentials").read_text() == "secret"


def test_the_key_knows_all_that_shapes_the_files() -> None:
    engine = {"version": "9.7.4", "settings": {"innodb_redo_log_capacity": "1G"}}
    key = snapshot_key(engine, "innodb", DATASET)
    assert key == snapshot_key(dict(reversed(engine.items())), "innodb", DATASET)
    others = {
        snapshot_key({**engine, "version": "9.7.5"}, "innodb", DATASET),
        snapshot_key({**engine, "settings": {}}, "innodb", DATASET),
        snapshot_key(engine, "rocksdb", DATASET),
        snapshot_key(engine, "innodb", replace(DATASET, seed=2)),
        snapshot_key(engine, "innodb", replace(DATASET, rng="dbdyno")),
        snapshot_key(engine, "innodb", replace(DATASET, options={"tables": 2, "table_size": 50_000})),
    }
    assert len(others | {key}) == 7


def test_workloads_of_a_family_share_their_dataset() -> None:
    assert replace(DATASET, workload="sysbench/oltp_read_only").digest == DATASET.digest


def test_dialects_with_tables_of_their_own_do_not() -> None:
    hammerdb = Dataset("tpcc/hammerdb", {"warehouses": 2})
    assert hammerdb.digest != replace(hammerdb, workload="tpcc/standard").digest
    assert hammerdb.title == "tpcc/hammerdb, warehouses 2"
    assert hammerdb.schema == "dbdyno_tpcc"


def test_the_files_of_a_workload_are_part_of_its_dataset(tmp_path: Path) -> None:
    (tmp_path / "setup.sql").write_text("CREATE TABLE a (x INT)")
    before = Dataset(f"sql:{tmp_path}").digest
    assert Dataset(f"sql:{tmp_path}").digest == before
    (tmp_path / "setup.sql").write_text("CREATE TABLE b (x INT)")
    assert Dataset(f"sql:{tmp_path}").digest != before


def test_another_study_that_fills_the_same_is_waited_for_and_told(bench: Bench) -> None:
    bench.home.snapshots.mkdir(parents=True)
    held, freed = threading.Event(), threading.Event()

    def hold() -> None:
        with LocalHost().lock(bench.home.snapshots / ".k1.lock", 1):
            held.set()
            freed.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(20)
    threading.Timer(3.0, freed.set).start()
    snapshot = bench.snapshot()
    holder.join()
    assert snapshot.rows_total == 50_000
    assert bench.seen[0] == FillWait()
