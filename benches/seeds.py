"""Plant bottlenecks of known kind into real servers, and hold what `explain` says against them.

    python benches/seeds.py                          every seed on MariaDB, MySQL and MyRocks; prints
    python benches/seeds.py --engine mysql:9.7 row-locks small-redo
    python benches/seeds.py alike --pairs 20         two servers alike, compared 20 times
    python benches/seeds.py --write                  and writes docs/measurements/explained-seeds.md

A seed is a pair of servers, A without and B with the bottleneck, which are driven in turn, round by round. The part of
a transaction's time that grew most, as the server's session threads show it, must be the one that was planted, and the
first cause the one that it was planted as. One pair is alike: it must have no decided part and no decided cause, with
`--pairs 20` in 19 of 20. Where two are planted at once, both must be among the first two. Where a part's size is known,
it must be found within 10 %. The parts before they are scaled to the time must make the difference within 10 %, too.
Threads, counters and processors are sampled as in any run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from disturbances import disturbed
from found_bottleneck import Found
from planted_bottlenecks import ENGINES, FURTHER_SEEDS, LSM_SEEDS, OTHER_SIZES, SEEDS, TABLES, Seed, Side
from real_server import private_server

from dbdyno.analyse.explain import (
    Breakdown,
    Circumstances,
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
ROWS = 50_000
SECONDS = 6
SECOND_NS = 1_000_000_000
UNIFORM = ("--rand-type", "uniform")
_MOST_WRONG = 0.05
"""Share of the pairs of a seed that may be wrong: 1 of 20."""


def main() -> int:
    """Run the bench; 1 if a seed was not found."""
    every = [*SEEDS, *FURTHER_SEEDS, *OTHER_SIZES, *LSM_SEEDS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "seeds", nargs="*", metavar="SEED", choices=["all", *(seed.name for seed in every)], default="all"
    )
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=1, help="how often the servers of a pair are compared")
    parser.add_argument("--write", action="store_true")
    choices = parser.parse_args()
    chosen = [seed for seed in every if "all" in choices.seeds or seed.name in choices.seeds]
    rows, missed = [], 0
    for engine in choices.engine or ENGINES:
        with tempfile.TemporaryDirectory(prefix="dbdyno-seeds-") as folder:
            sites = _sites(engine, Path(folder))
            for seed in (seed for seed in chosen if engine in seed.engines):
                wrong = 0
                for found in _compare(seed, engine, sites, choices, Path(folder)):
                    wrong += not found.has_all_right
                    rows.append(found.row())
                    print(rows[-1], flush=True)
                missed += wrong > _MOST_WRONG * choices.pairs
                if choices.pairs > 1:
                    print(f"{seed.what}, {engine}: {choices.pairs - wrong} of {choices.pairs} pairs right", flush=True)
    if choices.write:
        PAGE.write_text(_page(rows, [seed.what for seed in every if seed not in chosen]))
    return int(missed > 0)


def _compare(seed: Seed, engine: str, sites: Path, choices: argparse.Namespace, folder: Path) -> Iterator[Found]:
    """Drive both servers in turn, pair by pair."""
    sides = (seed.a, seed.b)
    with ExitStack() as stack:
        servers = [stack.enter_context(_server(engine, seed, side, folder)) for side in sides]
        for _ in range(choices.pairs):
            runs: dict[Cell, list[RunTimes]] = {}
            for number in range(choices.rounds):
                for name, side, server in zip("AB", sides, servers, strict=True):
                    cell = Cell(name, side.tier_mib * MIB, seed.connections, seed.workload, "socket")
                    run = Run(cell, number + 1, len(runs), number + 1, "")
                    times = _driven(run, seed, side, server, engine, sites, folder)
                    times = replace(times, has_whole_lock_times=engine.startswith("mariadb"))
                    runs.setdefault(cell, []).append(times)
            yield _found(seed, engine, runs, settings_in_effect(*(_facts(server, engine) for server in servers)))


def _found(
    seed: Seed, engine: str, runs: Mapping[Cell, Sequence[RunTimes]], settings: Mapping[str, tuple[str, str]]
) -> Found:
    left, right = runs
    split = {cell: tuple(map(_split, own)) for cell, own in runs.items()}
    (gap,) = compare_breakdowns(split, [(left, right)])
    ranking = rank_causes(gap, split, Circumstances.of(runs[left], runs[right], settings))
    assert ranking is not None
    every = [run for own in split.values() for run in own]
    unnamed = [sum(part.ms for part in run.parts if part.part_id == "thread.not_named") / run.total_ms for run in every]
    left_ms, right_ms = (sum(map(_unscaled_ms, own)) / len(own) for own in runs.values())
    for missing in sorted({run.missing for run in every} - {""}):
        print(f"{seed.what}, {engine}: {missing}", file=sys.stderr)
    return Found(seed, engine, ranking, max(unnamed), (left_ms, right_ms))


def _unscaled_ms(times: RunTimes) -> float:
    """What the kernel counts and the samples find together, without scaling the samples to the rest of the time."""
    states = times.threads or {}
    waits = sum(threads for state, threads in states.items() if state.startswith("wait."))
    stolen = times.processors.get("stolen", 0.0)  # the kernel counts it as neither of the two
    return (states["on_cpu"] + states["run_queue"] + stolen + waits) * 1e3 * times.seconds / times.transactions


def _split(times: RunTimes) -> Breakdown:
    found = split_by_threads(times)
    if found is None or not found.parts:
        raise SystemExit(f"{times.run.cell.target}: {times.threads_missing}")
    return found


def _facts(server: Server, engine: str) -> TargetFacts:
    """What the server shows of its settings."""
    rows = []
    with server.connect() as connection, connection.cursor() as cursor:
        for what in ("VARIABLES", "STATUS"):
            cursor.execute(f"SHOW GLOBAL {what}")
            rows.append({str(name).lower(): str(value) for name, value in cursor.fetchall()})
    return TargetFacts("", variables=rows[0], status=rows[1], storage_engine=_storage_engine(engine))


def _storage_engine(engine: str) -> str:
    return parse_engine_name(engine).storage_engine


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
        tables = ["--tables", str(TABLES), "--rows", str(ROWS), "--mysql-storage-engine", _storage_engine(engine)]
        _load(["populate", "sysbench/oltp_read_write", *tables], server)
        if side.table_change:
            with server.connect() as connection, connection.cursor() as cursor:
                cursor.execute("USE dbdyno_sbtest")
                for n in range(1, TABLES + 1):
                    cursor.execute(side.table_change.format(n=n))
        yield server


def _driven(run: Run, seed: Seed, side: Side, server: Server, engine: str, sites: Path, folder: Path) -> RunTimes:
    """One run with its threads watched."""
    records = folder / "records.jsonl"
    size = side.options if "--rows" in side.options else ("--tables", str(TABLES), "--rows", str(ROWS), *side.options)
    argv = ["run", f"sysbench/{seed.workload}", *size, "--threads", str(seed.connections), "--warm-up", "1s"]
    argv += ["--time", f"{SECONDS}s", "--seed", str(run.seed), "--json-lines", str(records)]
    argv += () if "--rows" in side.options else UNIFORM
    assert server.pid is not None
    threads = SessionThreads(ThreadsPlace(LocalHost(), find_generator(), server.pid, sites))
    records.unlink(missing_ok=True)
    with disturbed(side.disturbance, server):
        process = subprocess.Popen(_argv(argv, server), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        start_ns = _start_ns(records, process)
        threads.start(start_ns, process.pid)
        lab = LabServer(server, _storage_engine(engine), LocalHost(), None)
        samplers = SamplerGroup([*lab.sources(), _client(process)])
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
        threads_missing="; ".join(caveat.text for caveat in threads.caveats(SECONDS + 1)),
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
        "and the first cause what was planted. Before the sampled waits are\nscaled to what the kernel leaves of the "
        "time, the parts must make the difference within 10 %. A part of known size must be found within\n10 %. "
        f"{right} of {total} have all of this.\n\n"
        "| planted | server | ms per transaction | grew most, ms | found | first cause, ms | not explained, ms | found "
        "| not named, at most | parts before scaling, of both times | close | known size, ms | found |\n"
        f"|{'---|' * 13}\n"
    )
    foot = f"\nThe bench also plants these, which were left out here: {'; '.join(left_out)}.\n" if left_out else ""
    return head + "".join(f"{row}\n" for row in rows) + foot


if __name__ == "__main__":
    raise SystemExit(main())
