"""Plant bottlenecks of known kind into real servers, and hold what `explain` says against them.

    python benches/seeds.py                          every seed on MariaDB and MySQL; prints
    python benches/seeds.py --engine mysql:9.7 row-locks small-redo
    python benches/seeds.py --write                  and writes docs/measurements/explained-seeds.md

A seed is a pair of servers, A without and B with the bottleneck, which are driven in turn, round by round. The part of
a transaction's time that grew most, as the server's session threads show it, must be the one that was planted. One pair
is alike: it must have no decided part. The threads are watched as in any run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real_server import private_server

from dbdyno.analyse.explain import Breakdown, Gap, RunTimes, compare_breakdowns, split_by_threads
from dbdyno.configure import Server
from dbdyno.core import Cell, Run, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.lab._server import LabServer
from dbdyno.lab._wait_sites import LEARNING_REDO_BYTES, learned_sites
from dbdyno.measure.telemetry import SessionThreads, ThreadsPlace

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "explained-seeds.md"
ENGINES = ("mariadb:11.8", "mysql:9.7")
MIB = 1 << 20
TABLES, ROWS = 4, 50_000
SECONDS = 6
UNIFORM = ("--rand-type", "uniform")


@dataclass(frozen=True)
class Side:
    """How one of the two servers is set up and driven.

    Parameters
    ----------
    flush_us, read_us : by which flushes and reads take longer
    disturbance : what goes on beside the load: busy loops, or table locks
    """

    tier_mib: int = 256
    redo_mib: int = 512
    raw: tuple[tuple[str, str], ...] = ()
    flush_us: int = 0
    read_us: int = 0
    options: tuple[str, ...] = ()
    disturbance: str = ""


@dataclass(frozen=True)
class Seed:
    """A planted bottleneck.

    Parameters
    ----------
    expected : ids of parts, one of which must have grown most; none: nothing may be decided
    """

    name: str
    what: str
    workload: str
    connections: int
    expected: tuple[str, ...]
    a: Side = field(default_factory=Side)
    b: Side = field(default_factory=Side)


_FEW_ROWS = Side(options=("--rows", "5", "--tables", "1"))
_RELAXED = (("innodb_flush_log_at_trx_commit", "2"),)
_BINLOG = (("log_bin", "binlog"), ("sync_binlog", "1"), ("server_id", "1"))
SEEDS = (
    Seed("alike", "two servers alike", "oltp_read_write", 8, ()),
    Seed(
        "slow-flush",
        "each flush takes 2 ms longer",
        "oltp_update_non_index",
        8,
        ("thread.redo_flush",),
        b=Side(flush_us=2000),
    ),
    Seed(
        "many-commits",
        "a commit for each statement, flushes 1 ms longer on both",
        "oltp_write_only",
        4,
        ("thread.redo_flush",),
        a=Side(flush_us=1000),
        b=Side(flush_us=1000, options=("--skip-trx", "on")),
    ),
    Seed(
        "slow-reads",
        "each read takes 0.5 ms longer, 16 MiB of buffer pool",
        "oltp_read_only",
        8,
        ("thread.data_read",),
        a=Side(tier_mib=16),
        b=Side(tier_mib=16, read_us=500),
    ),
    Seed("row-locks", "five rows of one table", "oltp_write_only", 16, ("thread.row_lock",), b=_FEW_ROWS),
    Seed(
        "small-redo",
        "8 MiB of redo log (MariaDB 4), relaxed durability",
        "oltp_write_only",
        16,
        ("thread.redo_space",),
        a=Side(raw=_RELAXED),
        b=Side(raw=_RELAXED, redo_mib=8),
    ),
    Seed(
        "neighbours",
        "four busy loops next to the server",
        "oltp_read_only",
        8,
        ("thread.run_queue", "thread.client"),
        b=Side(disturbance="busy"),
    ),
    Seed(
        "table-locks",
        "LOCK TABLES 0.3 s of each 0.6 s",
        "oltp_read_write",
        8,
        ("thread.metadata_lock",),
        b=Side(disturbance="locks"),
    ),
    Seed(
        "binlog",
        "binary log, synced; flushes 1 ms longer on both",
        "oltp_update_non_index",
        8,
        ("thread.commit_order", "thread.binlog_flush"),
        a=Side(flush_us=1000),
        b=Side(flush_us=1000, raw=_BINLOG),
    ),
)


def main() -> int:
    """Run the bench; 1 if a seed was not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "seeds", nargs="*", metavar="SEED", choices=["all", *(seed.name for seed in SEEDS)], default="all"
    )
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    choices = parser.parse_args()
    chosen = [seed for seed in SEEDS if "all" in choices.seeds or seed.name in choices.seeds]
    rows, missed = [], 0
    for engine in choices.engine or ENGINES:
        with tempfile.TemporaryDirectory(prefix="dbdyno-seeds-") as folder:
            sites = _sites(engine, Path(folder))
            for seed in chosen:
                found = _compare(seed, engine, sites, choices.rounds, Path(folder))
                missed += not found.is_right
                rows.append(found.row())
                print(rows[-1], flush=True)
    if choices.write:
        PAGE.write_text(_page(rows))
    return int(missed > 0)


@dataclass(frozen=True)
class Found:
    """What was found of a seed on an engine."""

    seed: Seed
    engine: str
    gap: Gap
    unnamed: float

    @property
    def is_right(self) -> bool:
        """Whether the planted part grew most, or nothing is decided where nothing was planted."""
        if not self.seed.expected:
            return not self.gap.with_verdict("decided")
        return max(self.gap.parts, key=lambda part: part.difference.ms).part_id in self.seed.expected

    def row(self) -> str:
        """A row of the table."""
        total = self.gap.total
        grown = [part for part in self.gap.parts if part.difference.ms > 0][:3]
        named = ", ".join(f"{part.words} {part.difference.ms:+.2f} ({part.difference.verdict})" for part in grown)
        verdict = "yes" if self.is_right else "**no**"
        times = f"{total.left_ms:.2f} → {total.right_ms:.2f}"
        return f"| {self.seed.what} | {self.engine} | {times} | {named} | {verdict} | {100 * self.unnamed:.1f} % |"


def _compare(seed: Seed, engine: str, sites: Path, rounds: int, folder: Path) -> Found:
    """Drive both servers in turn."""
    runs: dict[Cell, list[Breakdown]] = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(engine, seed, side, folder)) for side in (seed.a, seed.b)]
        for number in range(rounds):
            for name, side, server in zip("AB", (seed.a, seed.b), servers, strict=True):
                cell = Cell(name, side.tier_mib * MIB, seed.connections, seed.workload, "socket")
                run = Run(cell, number + 1, len(runs), number + 1, "")
                runs.setdefault(cell, []).append(_driven(run, seed, side, server, sites, folder))
    left, right = runs
    (gap,) = compare_breakdowns({cell: tuple(own) for cell, own in runs.items()}, [(left, right)])
    every = [run for own in runs.values() for run in own]
    unnamed = [sum(part.ms for part in run.parts if part.part_id == "thread.not_named") / run.total_ms for run in every]
    return Found(seed, engine, gap, max(unnamed))


@contextmanager
def _server(engine: str, seed: Seed, side: Side, folder: Path) -> Iterator[Server]:
    variables = {"LD_PRELOAD": str(_slow_calls(folder))} if side.flush_us or side.read_us else {}
    variables |= {"SLOW_FLUSH_US": str(side.flush_us)} if side.flush_us else {}
    variables |= {"SLOW_READ_US": str(side.read_us)} if side.read_us else {}
    redo = {"redo.capacity": side.redo_mib * MIB}
    if engine.startswith("mariadb") and side.redo_mib == 8:
        redo = {"redo.capacity": 4 * MIB}
    with private_server(
        engine,
        "socket",
        seed.connections,
        tier_bytes=side.tier_mib * MIB,
        raw=dict(side.raw),
        parameters=redo,
        environment=variables,
    ) as server:
        _load(["populate", "sysbench/oltp_read_write", "--tables", str(TABLES), "--rows", str(ROWS)], server)
        yield server


def _driven(run: Run, seed: Seed, side: Side, server: Server, sites: Path, folder: Path) -> Breakdown:
    """One run with its threads watched."""
    records = folder / "records.jsonl"
    size = side.options if "--rows" in side.options else ("--tables", str(TABLES), "--rows", str(ROWS), *side.options)
    argv = ["run", f"sysbench/{seed.workload}", *size, "--threads", str(seed.connections), "--warm-up", "1s"]
    argv += ["--time", f"{SECONDS}s", "--seed", str(run.seed), "--json-lines", str(records)]
    argv += () if "--rows" in side.options else UNIFORM
    assert server.pid is not None
    threads = SessionThreads(ThreadsPlace(LocalHost(), find_generator(), server.pid, sites))
    records.unlink(missing_ok=True)
    with _disturbed(side.disturbance, server):
        process = subprocess.Popen(_argv(argv, server), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threads.start(_start_ns(records, process), process.pid)
        errors = process.communicate()[1]
    threads.stop(SECONDS + 1)
    if process.returncode:
        raise SystemExit(f"{argv}: {errors}")
    intervals = [line for line in _lines(records) if line["record"] == "interval" and line["phase"] == "window"]
    counts = [sum(types["completed"] for types in line["transactions"].values()) for line in intervals]
    times = RunTimes(run, False, float(len(counts)), sum(counts), threads=_states(threads), threads_missing="none")
    found = split_by_threads(times)
    if found is None or not found.parts:
        raise SystemExit(f"{seed.name}: {threads.caveats(SECONDS + 1)}")
    return found


def _states(threads: SessionThreads) -> dict[str, float]:
    """State -> threads on average over the window."""
    states: dict[str, float] = defaultdict(float)
    for row in threads.rows(SECONDS + 1):
        if row.second >= 1 and row.metric.startswith("sessions."):
            states[row.metric.removeprefix("sessions.")] += row.value / SECONDS
    return dict(states)


def _start_ns(records: Path, process: subprocess.Popen[str]) -> int:
    """Wait for the start record: the connections are open and idle then."""
    while process.poll() is None:
        for line in _lines(records):
            if line["record"] == "start":
                return int(line["monotonic_ns"])
        time.sleep(0.005)
    raise SystemExit(f"the load ended: {process.communicate()[1]}")


def _lines(path: Path) -> list[dict[str, Any]]:
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


@contextmanager
def _disturbed(kind: str, server: Server) -> Iterator[None]:
    """Busy loops, or table locks, while the block runs."""
    with {"busy": _busy, "locks": lambda: _locks(server)}.get(kind, nullcontext)():
        yield


@contextmanager
def _busy() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextmanager
def _locks(server: Server) -> Iterator[None]:
    over = threading.Event()

    def lock() -> None:
        with server.connect() as connection, connection.cursor() as cursor:
            tables = ", ".join(f"dbdyno_sbtest.sbtest{number} WRITE" for number in range(1, TABLES + 1))
            while not over.wait(0.3):
                cursor.execute(f"LOCK TABLES {tables}")
                over.wait(0.3)
                cursor.execute("UNLOCK TABLES")

    thread = threading.Thread(target=lock)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _argv(arguments: Sequence[str], server: Server) -> list[str]:
    target = server.order_target("dbdyno_sbtest")
    place = ["--socket", str(target["socket"]), "--user", str(target["user"])]
    return [
        str(find_generator()),
        *arguments,
        *place,
        "--password-file",
        str(target["password_file"]),
        "--database",
        "dbdyno_sbtest",
    ]


def _load(arguments: Sequence[str], server: Server) -> None:
    completed = subprocess.run(_argv(arguments, server), capture_output=True, text=True)
    if completed.returncode:
        raise SystemExit(f"{arguments}: {completed.stderr}")


def _slow_calls(folder: Path) -> Path:
    library = folder / "slow_calls.so"
    if not library.exists():
        source = Path(__file__).with_name("slow_calls.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source)], check=True)
        folder.chmod(0o755)
        library.chmod(0o755)
    return library


def _sites(engine: str, folder: Path) -> Path:
    """Learn what the threads of this build wait for."""
    path = folder / "sites.json"
    name = parse_engine_name(engine)
    with private_server(engine, "socket", 8, parameters={"redo.capacity": LEARNING_REDO_BYTES}) as server:
        lab = LabServer(server, name.storage_engine, LocalHost(), None)
        path.write_text(json.dumps(learned_sites(lab, name.storage_engine, LocalHost(), find_generator())))
    return path


def _page(rows: Sequence[str]) -> str:
    right, total = sum("| yes |" in row for row in rows), len(rows)
    head = (
        "# Planted bottlenecks\n\n"
        f"Written by `python benches/seeds.py --write` on {datetime.date.today()}, on a machine with {os.cpu_count()} "
        f"processors (load average {os.getloadavg()[0]:.0f}). Each bottleneck was planted into a real server. The part "
        "of a transaction's time that\ngrew most, as the server's session threads show it, must be the planted one: "
        f"{right} of {total} are.\n\n"
        "| planted | server | ms per transaction | grew most, ms | found | not named, at most |\n"
        "|---|---|---|---|---|---|\n"
    )
    return head + "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    raise SystemExit(main())
