"""Plant bottlenecks of known kind into real servers, and hold what `explain` says against them.

    python benches/seeds.py                          every seed on MariaDB and MySQL; prints
    python benches/seeds.py --engine mysql:9.7 row-locks small-redo
    python benches/seeds.py --write                  and writes docs/measurements/explained-seeds.md

A seed is a pair of servers, A without and B with the bottleneck, which are driven in turn, round by round. The part of
a transaction's time that grew most, as the server's session threads show it, must be the one that was planted, and the
first cause the one that it was planted as. One pair is alike: it must have no decided part and no decided cause. Where
two are planted at once, both must be among the first two. Threads, counters and processors are sampled as in any run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planted_bottlenecks import ENGINES, FURTHER_SEEDS, SEEDS, Seed, Side
from real_server import private_server

from dbdyno.analyse.explain import (
    Breakdown,
    CauseRanking,
    Circumstances,
    Gap,
    RunTimes,
    compare_breakdowns,
    processors_used,
    rank_causes,
    split_by_threads,
)
from dbdyno.audit import TargetFacts
from dbdyno.configure import Server
from dbdyno.configure._call_delays import delay_variables
from dbdyno.core import CallDelays, Cell, Run, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.lab._server import LabServer
from dbdyno.lab._wait_sites import LEARNING_REDO_BYTES, learned_sites
from dbdyno.measure.telemetry import ProcessSource, SamplerGroup, SessionThreads, SourceGroup, ThreadsPlace
from dbdyno.report.why._causes import settings_in_effect
from dbdyno.store import TelemetryRow

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "explained-seeds.md"
MIB = 1 << 20
TABLES, ROWS = 4, 50_000
SECONDS = 6
SECOND_NS = 1_000_000_000
UNIFORM = ("--rand-type", "uniform")


def main() -> int:
    """Run the bench; 1 if a seed was not found."""
    every = [*SEEDS, *FURTHER_SEEDS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "seeds", nargs="*", metavar="SEED", choices=["all", *(seed.name for seed in every)], default="all"
    )
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    choices = parser.parse_args()
    chosen = [seed for seed in every if "all" in choices.seeds or seed.name in choices.seeds]
    rows, missed = [], 0
    for engine in choices.engine or ENGINES:
        with tempfile.TemporaryDirectory(prefix="dbdyno-seeds-") as folder:
            sites = _sites(engine, Path(folder))
            for seed in (seed for seed in chosen if engine in seed.engines):
                found = _compare(seed, engine, sites, choices.rounds, Path(folder))
                missed += not (found.is_right and found.is_cause_right)
                rows.append(found.row())
                print(rows[-1], flush=True)
    if choices.write:
        PAGE.write_text(_page(rows, [seed.what for seed in every if seed not in chosen]))
    return int(missed > 0)


@dataclass(frozen=True)
class Found:
    """What was found of a seed on an engine."""

    seed: Seed
    engine: str
    ranking: CauseRanking
    unnamed: float

    @property
    def gap(self) -> Gap:
        """Of which the causes are ranked."""
        return self.ranking.gap

    @property
    def is_right(self) -> bool:
        """Whether the planted part grew most, or nothing is decided where nothing was planted."""
        if not self.seed.expected:
            return not self.gap.with_verdict("decided")
        return max(self.gap.parts, key=lambda part: part.difference.ms).part_id in self.seed.expected

    @property
    def is_cause_right(self) -> bool:
        """Whether the planted causes are the first, or none is decided where nothing was planted."""
        first = self.ranking.causes[: len(self.seed.causes)]
        is_found = {one.cause.cause_id for one in first} == set(self.seed.causes)
        return is_found if self.seed.causes else not self.ranking.decided

    def row(self) -> str:
        """A row of the table."""
        total = self.gap.total
        grown = [part for part in self.gap.parts if part.difference.ms > 0][:3]
        named = ", ".join(f"{part.words} {part.difference.ms:+.2f} ({part.difference.verdict})" for part in grown)
        verdict = "yes" if self.is_right else "**no**"
        times = f"{total.left_ms:.2f} → {total.right_ms:.2f}"
        first = ", ".join(
            f"`{one.cause.cause_id}` {one.difference.ms:+.2f} ({one.difference.verdict})"
            for one in self.ranking.causes[: max(len(self.seed.causes), 1)]
        )
        left = f"{self.ranking.not_explained.ms:+.2f}"
        causes = f"{first} | {left} | {'yes' if self.is_cause_right else '**no**'}"
        unnamed = f"{100 * self.unnamed:.1f} %"
        return f"| {self.seed.what} | {self.engine} | {times} | {named} | {verdict} | {causes} | {unnamed} |"


def _compare(seed: Seed, engine: str, sites: Path, rounds: int, folder: Path) -> Found:
    """Drive both servers in turn."""
    runs: dict[Cell, list[RunTimes]] = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(engine, seed, side, folder)) for side in (seed.a, seed.b)]
        for number in range(rounds):
            for name, side, server in zip("AB", (seed.a, seed.b), servers, strict=True):
                cell = Cell(name, side.tier_mib * MIB, seed.connections, seed.workload, "socket")
                run = Run(cell, number + 1, len(runs), number + 1, "")
                runs.setdefault(cell, []).append(_driven(run, seed, side, server, sites, folder))
        settings = settings_in_effect(*(_facts(server) for server in servers))
    left, right = runs
    split = {cell: tuple(map(_split, own)) for cell, own in runs.items()}
    (gap,) = compare_breakdowns(split, [(left, right)])
    ranking = rank_causes(gap, split, Circumstances.of(runs[left], runs[right], settings))
    assert ranking is not None
    every = [run for own in split.values() for run in own]
    unnamed = [sum(part.ms for part in run.parts if part.part_id == "thread.not_named") / run.total_ms for run in every]
    return Found(seed, engine, ranking, max(unnamed))


def _split(times: RunTimes) -> Breakdown:
    found = split_by_threads(times)
    if found is None or not found.parts:
        raise SystemExit(f"{times.run.cell.target}: {times.threads_missing}")
    return found


def _facts(server: Server) -> TargetFacts:
    """What the server shows of its settings."""
    rows = []
    with server.connect() as connection, connection.cursor() as cursor:
        for what in ("VARIABLES", "STATUS"):
            cursor.execute(f"SHOW GLOBAL {what}")
            rows.append({str(name).lower(): str(value) for name, value in cursor.fetchall()})
    return TargetFacts("", variables=rows[0], status=rows[1], storage_engine="innodb")


@contextmanager
def _server(engine: str, seed: Seed, side: Side, folder: Path) -> Iterator[Server]:
    folder.chmod(0o755)
    variables = delay_variables(CallDelays(1000 * side.flush_us, 1000 * side.read_us), [folder], LocalHost())
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
        if side.table_change:
            with server.connect() as connection, connection.cursor() as cursor:
                cursor.execute("USE dbdyno_sbtest")
                for n in range(1, TABLES + 1):
                    cursor.execute(side.table_change.format(n=n))
        yield server


def _driven(run: Run, seed: Seed, side: Side, server: Server, sites: Path, folder: Path) -> RunTimes:
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
        start_ns = _start_ns(records, process)
        threads.start(start_ns, process.pid)
        samplers = SamplerGroup([*LabServer(server, "innodb", LocalHost(), None).sources(), _client(process)])
        samplers.start(start_ns)
        errors = process.communicate()[1]
    threads.stop(SECONDS + 1)
    telemetry = samplers.stop(SECONDS + 1)
    if process.returncode:
        raise SystemExit(f"{argv}: {errors}")
    intervals = [line for line in _lines(records) if line["record"] == "interval" and line["phase"] == "window"]
    counts = [sum(types["completed"] for types in line["transactions"].values()) for line in intervals]
    means = _means(telemetry.rows) | {f"sessions.{state}": value for state, value in _states(threads).items()}
    means |= _background(threads)
    workers = [worker for line in intervals for worker in line["workers"]]
    return RunTimes(
        run,
        False,
        float(len(counts)),
        sum(counts),
        attempts=sum(map(_attempts, intervals)),
        client_cpu_ms=sum(worker["cpu_ns"] for worker in workers) / 1e6,
        client_wait_ms=_wait_ms(workers) if len(workers) == len(intervals) else None,
        threads=_states(threads),
        threads_missing=str(threads.caveats(SECONDS + 1)),
        counted={name: rate * len(counts) / sum(counts) for name, rate in means.items() if name.startswith("engine.")},
        processors=processors_used(means, is_client_here=True),
    )


def _attempts(interval: Mapping[str, Any]) -> int:
    """Transactions of a second, those included that were repeated or given up."""
    types = interval["transactions"].values()
    return sum(one["completed"] + one["failed"] + sum(one["retries"].values()) for one in types)


def _wait_ms(workers: Sequence[Mapping[str, float]]) -> float:
    return sum(worker["cpu_wait_ns"] for worker in workers) / 1e6


def _client(process: subprocess.Popen[str]) -> SourceGroup:
    watch = LocalHost().watch(SECOND_NS)
    return SourceGroup([ProcessSource(watch.read, "client", process.pid)], watch)


def _means(rows: Iterable[TelemetryRow]) -> dict[str, float]:
    """Metric -> mean over the window's seconds."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.second >= 1:
            found[row.metric].append(row.value)
    return {metric: sum(values) / len(values) for metric, values in found.items()}


def _background(threads: SessionThreads) -> dict[str, float]:
    """Processors that the server's other threads used."""
    found: dict[str, float] = defaultdict(float)
    for row in threads.rows(SECONDS + 1):
        if row.second >= 1 and row.metric.startswith("background."):
            found[row.metric] += row.value / SECONDS
    return dict(found)


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
    """What goes on beside the load while the block runs."""
    disturbances = {
        "busy": _busy,
        "locks": lambda: _locks(server),
        "stops": lambda: _stops(server),
        "one-processor": lambda: _one_processor(server),
    }
    with disturbances.get(kind, nullcontext)():
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
def _stops(server: Server) -> Iterator[None]:
    over = threading.Event()
    assert server.pid is not None
    pid = server.pid

    def stop() -> None:
        while not over.wait(0.3):
            os.kill(pid, signal.SIGSTOP)
            over.wait(0.3)
            os.kill(pid, signal.SIGCONT)

    with _thread(stop, over):
        yield


@contextmanager
def _one_processor(server: Server) -> Iterator[None]:
    every = os.sched_getaffinity(0)
    _pin(server, {min(every)})
    try:
        yield
    finally:
        _pin(server, every)


def _pin(server: Server, processors: set[int]) -> None:
    for thread in Path(f"/proc/{server.pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), processors)


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

    with _thread(lock, over):
        yield


@contextmanager
def _thread(work: Callable[[], None], over: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _argv(arguments: Sequence[str], server: Server) -> list[str]:
    target = server.endpoint.order_target("dbdyno_sbtest")
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


def _sites(engine: str, folder: Path) -> Path:
    """Learn what the threads of this build wait for."""
    path = folder / "sites.json"
    name = parse_engine_name(engine)
    with private_server(engine, "socket", 8, parameters={"redo.capacity": LEARNING_REDO_BYTES}) as server:
        lab = LabServer(server, name.storage_engine, LocalHost(), None)
        path.write_text(json.dumps(learned_sites(lab, name.storage_engine, LocalHost(), find_generator())))
    return path


def _page(rows: Sequence[str], left_out: Sequence[str]) -> str:
    right, total = sum("**no**" not in row for row in rows), len(rows)
    head = (
        "# Planted bottlenecks\n\n"
        f"Written by `python benches/seeds.py --write` on {datetime.date.today()}, on a machine with {os.cpu_count()} "
        f"processors (load average {os.getloadavg()[0]:.0f}). Each bottleneck was planted into a real server. The part "
        "of a transaction's time that\ngrew most, as the server's session threads show it, must be the planted one, "
        f"and the first cause what was planted: {right} of {total} have both.\n\n"
        "| planted | server | ms per transaction | grew most, ms | found | first cause, ms | not explained, ms | found "
        "| not named, at most |\n|---|---|---|---|---|---|---|---|---|\n"
    )
    foot = f"\nThe bench also plants these, which were left out here: {'; '.join(left_out)}.\n" if left_out else ""
    return head + "".join(f"{row}\n" for row in rows) + foot


if __name__ == "__main__":
    raise SystemExit(main())
