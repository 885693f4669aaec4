"""A machine of paper: engines, servers and a load generator that only say their lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.configure import CrashReport
from dbdyno.core import ConfigureError, Home, Run, StudyError, Target
from dbdyno.hosts import Completed, Host, LocalHost
from dbdyno.lab import Auditor, Event, RetryChoice, RunOptions, StudyOutcome
from dbdyno.lab._study_runner import BenchPlace, run_on_bench
from dbdyno.plan import Plan, make_plan
from dbdyno.populate import Snapshot
from dbdyno.provision import Installation
from dbdyno.provision import Origin as InstallationOrigin
from dbdyno.store import JsonValue, Results, SettingRow
from dbdyno.study import AfterRun, ServerAddress, Study, parse_study, study_text
from encoded_histograms import encoded_counts

SAMPLES = Path(__file__).parents[3] / "contract" / "samples"
STUDY = parse_study(
    """
    targets = ["mariadb:11.8", "mysql:9.7"]
    workload = {name = "oltp_read_write", tables = 1, rows = 50000}
    axes = {tier = "64MB", concurrency = [1, 4]}
    measure = {warm_up = "1s", window = "2s", repeats = 1, seed = 9, equivalence_events = 0}
    """,
    "paper.toml",
)


def load_lines(concurrency: int, *, reports: int = 3) -> list[str]:
    lines = (SAMPLES / "load-records.jsonl").read_text().splitlines()
    of_kind = {json.loads(line)["record"]: line for line in lines}
    start, end, interval = of_kind["start"], of_kind["end"], json.loads(of_kind["interval"])
    encoded = encoded_counts({1_000_000: 1190})
    interval["transactions"]["read_write"] |= {"response": encoded, "service": encoded}
    interval["statements"] = {}
    begin = interval["monotonic_ns"]
    seconds = [
        interval
        | {
            "second": k,
            "phase": "window" if k else "warm-up",
            "monotonic_ns": begin + k * 10**9,
            "realtime_ns": begin + k * 10**9,
            "connections_live": concurrency,
        }
        for k in range(reports)
    ]
    return [start, *map(json.dumps, seconds), end]


class PaperProcess:
    pid, start_ticks = 2**30, 1

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def lines(self, tick: object = None) -> Iterator[str]:
        yield from self._lines

    def interrupt(self) -> None:
        return None

    def kill(self) -> None:
        return None

    def wait(self, timeout_s: float) -> Completed:
        return Completed((), 0, "", "")


class PaperHost(LocalHost):
    """Its load generator answers for the server that `bench` has running."""

    def __init__(self, bench: PaperBench) -> None:
        super().__init__()
        self.bench = bench

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        if "fingerprint" not in argv:
            return super().run(argv, **more)
        answer = self.bench.fingerprint_of(self.bench.target)
        return Completed((), 0 if answer else 3, answer, "" if answer else "error: no ink")

    def spawn_piped(self, argv: Sequence[str], *, stdin: bytes, cpus: object = None, env: object = None) -> Any:
        order = json.loads(stdin)
        if argv[1] == "populate":
            return PaperProcess((SAMPLES / "populate-records.jsonl").read_text().splitlines())
        return PaperProcess(load_lines(order["concurrency"]))

    def free_bytes(self, path: Path) -> int:
        return 1 << 50


class PaperConnection:
    def cursor(self) -> PaperConnection:
        return self

    def __enter__(self) -> PaperConnection:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def execute(self, query: str) -> None:
        return None

    def fetchall(self) -> tuple[()]:
        return ()

    @contextmanager
    def within(self, limit_s: float) -> Iterator[None]:
        yield

    def close(self) -> None:
        return None


@dataclass
class PaperServer:
    """Stands for a fresh server, a server on restored data, and one that is not ours."""

    bench: PaperBench
    name: str
    folder: Path
    dead: str | None = None
    settings: Sequence[SettingRow] = (SettingRow("innodb_buffer_pool_size", "64M", "67108864", "tier"),)
    option_file: str = "[mysqld]\n"
    pid: int | None = None
    schema_charset: str = "CHARACTER SET utf8mb4"

    def __post_init__(self) -> None:
        self.data_directory.mkdir(parents=True, exist_ok=True)
        (self.data_directory / "ibdata1").write_bytes(b"x")
        self.bench.alive.add(self.name)

    @property
    def data_directory(self) -> Path:
        return self.folder / "data"

    def connect(self) -> Any:
        return PaperConnection()

    def order_target(self, database: str) -> Mapping[str, JsonValue]:
        return {"socket": "/tmp/s.sock", "database": database, "password_file": "/tmp/p"}

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None

    def exit_reason(self) -> str | None:
        return self.dead

    def log_tail(self) -> str:
        return "[Note] ready\n[ERROR] out of ink\n"

    def diagnose_exit(self) -> CrashReport | None:
        return CrashReport("killed", self.dead, -9) if self.dead else None

    def life(self) -> Mapping[str, JsonValue]:
        return {"start_ns": 1}

    def end(self, after_run: AfterRun) -> None:
        self.bench.ended.append(after_run)
        if self.bench.refuses_end:
            raise ConfigureError("it did not come back", "[ERROR] out of ink")

    def variables(self) -> Mapping[str, str]:
        return {"version": "1"}

    def status(self) -> Mapping[str, str]:
        return {"Uptime": "1"}

    def schema(self, database: str) -> Mapping[str, JsonValue]:
        return {"ddl": {"sbtest1": f"CREATE TABLE {database}.sbtest1 (id int)"}, "columns": []}

    def process(self) -> Mapping[str, JsonValue]:
        return {"allocator": "libc"}

    def sources(self) -> Sequence[Sequence[Any]]:
        return ()

    def session_waits(self) -> Mapping[str, JsonValue]:
        return {"sessions": [], "lock_waits": 0}

    def recheck_clock(self) -> tuple[()]:
        return ()

    def telemetry_facts(self) -> Mapping[str, JsonValue]:
        return {"absent": []}

    def stop(self) -> None:
        self.bench.alive.discard(self.name)

    def discard(self) -> None:
        self.bench.alive.discard(self.name)


@dataclass
class PaperBench:
    """Counts what it is asked; `on_run` may raise, or change the server it is given."""

    folder: Path
    versions: dict[str, str] = field(default_factory=lambda: {"mariadb": "11.8.6", "mysql": "9.7.4"})
    on_run: Callable[[Run, PaperServer], None] = lambda run, server: None
    alive: set[str] = field(default_factory=set)
    filled: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    leftovers: tuple[str, ...] = ()
    running_beside: tuple[str, ...] = ()
    address: ServerAddress | None = None
    refused: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    obtained: list[str] = field(default_factory=list)
    target: str = ""
    ended: list[str] = field(default_factory=list)
    refuses_end: bool = False
    fingerprint_of: Callable[[str], str] = lambda target: (SAMPLES / "fingerprint-records.jsonl").read_text()

    def clean_up(self) -> tuple[str, ...]:
        self.alive.clear()
        return self.leftovers

    def others(self) -> tuple[str, ...]:
        return self.running_beside

    def check_engine(self, target: Target, progress: Callable[[str], None]) -> None:
        if target.name in self.absent:
            raise StudyError(f"{target.name} is not available")

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        progress("unpacking")
        self.obtained.append(target.name)
        family = target.engine.family
        return Installation(
            family=family,
            version=self.versions[family],
            raw_version=self.versions[family],
            storage_engines=("innodb",),
            origin=InstallationOrigin("package", "trixie"),
            address=self.address,
        )

    def shaping(self, target: Target, installation: Installation) -> Mapping[str, object]:
        return {"version": installation.version, "family": installation.family}

    def fresh_server(self, target: Target, installation: Installation) -> PaperServer:
        if target.name in self.refused:
            raise ConfigureError(f"{target.name} did not start", "[ERROR] no ink")
        self.filled.append(target.name)
        return PaperServer(self, f"fill {target.name}", self.folder / f"fill-{len(self.filled)}")

    def wait_sites(
        self, target: Target, installation: Installation, generator: Path, progress: Callable[[str], None]
    ) -> Path | None:
        progress("learning")
        return self.folder / "sites.json"

    def running_server(self, target: Target, installation: Installation) -> PaperServer:
        return PaperServer(self, "theirs", self.folder / "theirs")

    def run_server(self, run: Run, target: Target, installation: Installation, snapshot: Snapshot) -> PaperServer:
        assert not self.alive, "two servers at once would disturb each other"
        self.ran.append(run.run_id)
        self.target = target.name
        server = PaperServer(self, run.run_id, self.folder / "run")
        try:
            self.on_run(run, server)
        except BaseException:
            server.discard()
            raise
        return server


@dataclass
class Laboratory:
    """Everything a study needs, on paper."""

    folder: Path
    study: Study
    bench: PaperBench
    events: list[Event] = field(default_factory=list)

    @property
    def plan(self) -> Plan:
        return make_plan(self.study)

    @property
    def results(self) -> Results:
        return Results.open_or_create(
            self.folder / "results", study_text(self.study), {}, {}, study_name=self.study.name
        )

    def run_all(
        self, *, retry: RetryChoice | None = None, auditor: Auditor | None = None, machine: str = ""
    ) -> StudyOutcome:
        return run_on_bench(
            self.study,
            self.plan,
            self.results,
            BenchPlace(
                self.bench,
                cast("Host", PaperHost(self.bench)),
                Home(self.folder / "home"),
                Path("/opt/dbdyno-load"),
            ),
            self.events.append,
            RunOptions(("dbdyno", "run", "paper.toml"), retry or RetryChoice(), auditor=auditor, machine=machine),
        )


@pytest.fixture
def laboratory(tmp_path: Path) -> Laboratory:
    return Laboratory(tmp_path, STUDY, PaperBench(tmp_path / "bench"))
