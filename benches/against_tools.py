"""dbdyno-load's TPC-C and LinkBench beside the tools that they imitate, on one real server, in pairs.

usage: .venv/bin/python benches/against_tools.py [--throughput] [--sysbench-tpcc DIR] [--hammerdb DIR]
                                                 [--go-tpc PROGRAM] [--linkbench DIR --connector JAR]

None of the tools comes with dbdyno; what is not named is skipped, and the output says so. sysbench-tpcc: a checkout of
Percona-Lab's scripts, with sysbench installed. HammerDB: a checkout; tclsh with the packages Thread and mysqltcl.
go-tpc: the program, built from pingcap's sources. LinkBench: a checkout of facebookarchive's in which `mvn package` has
run, and the JAR of Connector/J 8, since the one that it names can't log in to MariaDB.

Both sides of a pair run one after the other against the same private server.

Without --throughput it is the client's CPU time: user + system time of the client process as the kernel accounts it;
start-up is left out, measured by a run of one event. LinkBench's JVM compiles while it runs, so there are two lines
for LinkBench: a whole run with the start of the JVM, and the last three quarters of it alone, by the difference to a
shorter run. Exit code 1 if a ratio is above its limit.

With --throughput it is events per second, in the order tool, dbdyno, dbdyno, tool, ...: on the processors that client
and server share, and with each of them on a processor of its own (throughput.py has the arithmetic). Exit code 1 if the
clients' cost leaves more than 5 % unexplained where both send the same statements.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import throughput
from real_server import private_server
from throughput import Explained, Quartiles, Schedule
from tool_pairs import Bench, Client, LinkBench, ToolPair, go_tpc, hammerdb, sysbench_tpcc

REQUESTS = 4_000
"""Of each requester of LinkBench."""
UNEXPLAINED = 0.05
TIER_BYTES = 2 << 30
"""The tables of all tools fit into it."""

Once = Callable[[], float]
"""A run; its CPU time an event, in µs."""


class Comparison(Protocol):
    """A tool next to dbdyno-load."""

    @property
    def title(self) -> str:
        """The tool, and how it connects."""

    @property
    def missing(self) -> str | None:
        """Why it can't be compared here."""

    def prepare(self, bench: Bench, schedule: Schedule) -> Callable[[], bool]:
        """Fill the tables; what is returned measures, prints, and says whether the limit holds."""


@dataclass(frozen=True, slots=True)
class CpuComparison:
    """A tool beside ours: the limit of the ratio, and a run of either, or why there is none."""

    title: str
    limit: float
    missing: str | None
    runs: Callable[[Bench, int], tuple[Once, Once]]
    """Of the tool and of dbdyno-load, for so many seconds."""

    def prepare(self, bench: Bench, schedule: Schedule) -> Callable[[], bool]:
        """Fill the tables; measuring prints a line."""
        theirs, ours = self.runs(bench, schedule.window)
        return lambda: self._passes([(theirs(), ours()) for _ in range(schedule.pairs)])

    def _passes(self, taken: list[tuple[float, float]]) -> bool:
        ratios = [b / a for a, b in taken]
        tool_us, our_us = (statistics.median(column) for column in zip(*taken, strict=True))
        ratio = statistics.median(ratios)
        spread = f"{ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), limit {self.limit}"
        print(f"{self.title:<36} tool {tool_us:,.0f} µs, dbdyno-load {our_us:,.0f} µs: {spread}", flush=True)
        return ratio <= self.limit


@dataclass(frozen=True, slots=True)
class ThroughputComparison:
    """A tool beside ours, and whether both send the same statements."""

    title: str
    same_statements: bool
    missing: str | None
    pair: Callable[[Bench], ToolPair]

    def prepare(self, bench: Bench, schedule: Schedule) -> Callable[[], bool]:
        """Fill the tables; measuring prints both ways, shared and pinned."""
        pair = self.pair(bench)
        return lambda: self._passes(
            [throughput.compare(self.title, pair, bench.server, schedule, pinned=pinned) for pinned in (False, True)]
        )

    def _passes(self, explained: list[list[Explained]]) -> bool:
        unexplained = [Quartiles.of([pair.unexplained for pair in pairs]).median for pairs in explained]
        return not self.same_statements or all(abs(factor - 1) <= UNEXPLAINED for factor in unexplained)


def main() -> int:
    """Start the server, compare what is there; 1 if a limit is broken."""
    choices = _choices()
    comparisons = _throughputs(choices) if choices.throughput else _cpu_times(choices)
    for comparison in comparisons:
        if comparison.missing:
            print(f"{comparison.title:<36} skipped: {comparison.missing}", flush=True)
    present = [comparison for comparison in comparisons if not comparison.missing]
    return _compare(present, choices) if present else 0


def _compare(comparisons: Sequence[Comparison], choices: argparse.Namespace) -> int:
    with (
        private_server(choices.engine, "loopback", 4 * choices.connections, tier_bytes=TIER_BYTES) as server,
        tempfile.TemporaryDirectory(prefix="dbdyno-bench-") as scratch,
    ):
        bench = Bench(server, choices.connections, choices.warehouses, Path(scratch), choices.throughput)
        title = f"{server.installation.title}, {choices.connections} connections, {choices.warehouses} warehouses"
        print(f"{title}, {choices.pairs} pairs\n", flush=True)
        schedule = Schedule(choices.ramp, choices.seconds, choices.pairs, choices.others)
        prepared = [comparison.prepare(bench, schedule) for comparison in comparisons]
        if choices.wait:
            throughput.wait_for_idle_machine(choices.others)
        return int(not all([measure() for measure in prepared]))


def _cpu_times(choices: argparse.Namespace) -> list[Comparison]:
    missing = _missing(choices)

    def linkbench(few: int) -> Callable[[Bench, int], tuple[Once, Once]]:
        return lambda bench, seconds: _java(LinkBench(bench, choices.linkbench, choices.connector), seconds, few=few)

    return [
        CpuComparison(
            "sysbench-tpcc (socket)",
            0.6,
            missing["sysbench-tpcc"],
            lambda bench, seconds: _both(sysbench_tpcc(bench, choices.sysbench_tpcc), seconds),
        ),
        CpuComparison(
            "HammerDB, procedures (socket)",
            0.6,
            missing["hammerdb"],
            lambda bench, seconds: _both(hammerdb(bench, choices.hammerdb), seconds),
        ),
        CpuComparison(
            "go-tpc (TCP)", 0.7, missing["go-tpc"], lambda bench, seconds: _both(go_tpc(bench, choices.go_tpc), seconds)
        ),
        CpuComparison("LinkBench (TCP), whole run", 0.3, missing["linkbench"], linkbench(few=0)),
        CpuComparison("LinkBench (TCP), JVM warm", 0.5, missing["linkbench"], linkbench(few=1_000)),
    ]


def _throughputs(choices: argparse.Namespace) -> list[Comparison]:
    missing = _missing(choices)
    return [
        ThroughputComparison(
            "sysbench-tpcc (socket)",
            True,
            missing["sysbench-tpcc"],
            partial(sysbench_tpcc, scripts=choices.sysbench_tpcc),
        ),
        ThroughputComparison(
            "HammerDB, procedures (socket)", True, missing["hammerdb"], partial(hammerdb, checkout=choices.hammerdb)
        ),
        ThroughputComparison(
            "go-tpc, payments (TCP)",
            True,
            missing["go-tpc"],
            partial(go_tpc, program=choices.go_tpc, payments_only=True),
        ),
        ThroughputComparison(
            "go-tpc, all types (TCP)", False, missing["go-tpc"], partial(go_tpc, program=choices.go_tpc)
        ),
        ThroughputComparison(
            "LinkBench (TCP)",
            True,
            missing["linkbench"],
            lambda bench: LinkBench(bench, choices.linkbench, choices.connector).pair(),
        ),
    ]


def _missing(choices: argparse.Namespace) -> dict[str, str | None]:
    """Why a tool can't be run, by its option."""

    def lacks(given: object, option: str, program: str | None = None) -> str | None:
        if not given:
            return f"no {option}"
        return f"{program} is not installed" if program and not shutil.which(program) else None

    return {
        "sysbench-tpcc": lacks(choices.sysbench_tpcc, "--sysbench-tpcc", "sysbench"),
        "hammerdb": lacks(choices.hammerdb, "--hammerdb", "tclsh"),
        "go-tpc": lacks(choices.go_tpc, "--go-tpc"),
        "linkbench": lacks(choices.linkbench and choices.connector, "--linkbench and --connector", "java"),
    }


def _both(pair: ToolPair, seconds: int) -> tuple[Once, Once]:
    return _cpu_an_event(pair.tool, seconds), _cpu_an_event(pair.dbdyno, seconds)


def _cpu_an_event(client: Client, seconds: int) -> Once:
    """Without its start-up, which is measured now."""
    start_ns = client.single().reap()[1]

    def once() -> float:
        output, cpu_ns = client.timed(seconds).reap()
        return (cpu_ns - start_ns) / client.events(output) / 1e3

    return once


def _java(linkbench: LinkBench, seconds: int, few: int) -> tuple[Once, Once]:
    """Without what a run of `few` requests of each requester costs."""
    ours = _cpu_an_event(linkbench.dbdyno(), seconds)

    def cpu_ns(requests: int) -> int:
        return linkbench.command(requests=requests, seconds=100_000).reap()[1]

    def theirs() -> float:
        before_ns = cpu_ns(few) if few else 0
        return (cpu_ns(REQUESTS) - before_ns) / ((REQUESTS - few) * linkbench.bench.connections) / 1e3

    return theirs, ours


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--engine", default="mariadb:10.11")
    parser.add_argument("--throughput", action="store_true")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--warehouses", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="of a run; with --throughput of a window")
    parser.add_argument("--others", type=float, default=0.2, help="processors that others may use in a window")
    parser.add_argument("--wait", action="store_true", help="fill first, then wait until others use less than that")
    parser.add_argument("--ramp", type=int, default=4, help="seconds before a window of --throughput")
    parser.add_argument("--sysbench-tpcc", type=Path, metavar="DIR")
    parser.add_argument("--hammerdb", type=Path, metavar="DIR")
    parser.add_argument("--go-tpc", type=Path, metavar="PROGRAM")
    parser.add_argument("--linkbench", type=Path, metavar="DIR")
    parser.add_argument("--connector", type=Path, metavar="JAR")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
