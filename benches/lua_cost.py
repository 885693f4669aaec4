"""What scripts cost the client: CPU a statement and memory a user, beside native events and sysbench 1.0.20.

usage: .venv/bin/python benches/lua_cost.py [--threads 1,8,64,512] [--workloads point_select,read_write] [--pairs 3]
                                            [--users 4096] [--statements 500000]

Everything asks the null server, so the client is all that costs. A pair is one run of each contestant, one right after
the other, so that a drift of the machine hits all; the median of the pairs' ratios is the figure. Client and server
are pinned to two processors. CPU is user + system time of the client process as the kernel accounts it, less that of a
run of one event with as many users. Each user compiles its script and its loops, so short runs tell what that costs:
half a million statements or more, and 2,500 or more of each user. Memory is the highest resident size (VmHWM) with so
many users, less that with one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("client_cost")))
from machine import Machine

LOAD = Path(sys.executable).with_name("dbdyno-load")
ROWS = 10_000
STATEMENTS_AN_EVENT = {"point_select": 1, "read_write": 20}
LIMITS = {1: 1.0, 8: 1.0, 64: 0.6, 512: 0.4}
"""Of the ratio of scripts to sysbench, by users."""
LIMIT_KIB_A_USER = 150.0
LEAST_STATEMENTS, LEAST_OF_A_USER = 500_000, 2_500
CLIENT_CPU, SERVER_CPU = 0, 1


@dataclass(frozen=True, slots=True)
class Contestant:
    """A way to run a bundled script."""

    name: str
    argv: tuple[str, ...]
    cpu: int = CLIENT_CPU

    def run(self, server: Path, workload: str, threads: int, events: int) -> Run:
        """So many events with so many users."""
        argv = ["taskset", "-c", str(self.cpu), *self.argv, f"oltp_{workload}", f"--mysql-socket={server}"]
        argv += ["--mysql-user=root", "--mysql-db=sbtest", f"--table-size={ROWS}", f"--threads={threads}"]
        argv += [f"--events={events}", "--time=0", "--percentile=95", "run"]
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT)
            peak_kib = _peak_kib(process)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read()
        queries = re.search(r"queries: +(\d+)", text)
        if process.returncode or queries is None:
            sys.exit(f"error: exit code {process.returncode} of {' '.join(argv)}\n{text[-2000:]}")
        return Run(int(queries[1]), (usage.ru_utime + usage.ru_stime) * 1e6, peak_kib)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did and cost."""

    statements: int
    cpu_us: float
    peak_kib: int


def main() -> int:
    """Measure, print; 1 if scripts cost more than they may."""
    choices = _choices()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(Machine.now().line(), flush=True)
    with tempfile.TemporaryDirectory(prefix="dbdyno-bench-", dir="/tmp") as scratch:
        contestants = _contestants(Path(scratch), choices.load)
        with _null_server(Path(scratch) / "s", choices.load) as server:
            held = [_cost(contestants, server, workload, choices) for workload in choices.workloads.split(",")]
            held.append(_memory(contestants, server, choices.users))
    return 0 if all(held) else 1


def statements_of(users: int, least: int = LEAST_STATEMENTS) -> int:
    """Return how many statements a run has."""
    return max(least, LEAST_OF_A_USER * users)


def _cost(contestants: list[Contestant], server: Path, workload: str, choices: argparse.Namespace) -> bool:
    """A table of one workload."""
    print(f"\noltp_{workload}, {choices.pairs} pairs, µs a statement")
    print(
        f"{'users':>6}" + "".join(f"{contestant.name:>12}" for contestant in contestants) + _ratio_titles(contestants)
    )
    held = True
    for threads in map(int, choices.threads.split(",")):
        starts = [_start_us(contestant, server, workload, threads) for contestant in contestants]
        events = statements_of(threads, choices.statements) // STATEMENTS_AN_EVENT[workload]
        pairs = []
        for _ in range(choices.pairs):
            runs = [contestant.run(server, workload, threads, events) for contestant in contestants]
            pairs.append([(run.cpu_us - start) / run.statements for run, start in zip(runs, starts, strict=True)])
        medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
        ratios = _ratios(pairs)
        line = f"{threads:>6}" + "".join(f"{median:>12.2f}" for median in medians)
        line += "".join(f"{ratio:>18.2f}" for ratio in ratios)
        limit = LIMITS.get(threads)
        if limit is not None and len(contestants) == 3:
            within = ratios[-1] <= limit
            held &= within
            line += f"   limit {limit:.1f}: {'held' if within else 'MISSED'}"
        print(line, flush=True)
    return held


def _ratios(pairs: list[list[float]]) -> list[float]:
    """Of the first contestant to each of the others: medians over the pairs."""
    return [statistics.median(pair[0] / pair[index] for pair in pairs) for index in range(1, len(pairs[0]))]


def _ratio_titles(contestants: list[Contestant]) -> str:
    return "".join(f"{'lua / ' + contestant.name:>18}" for contestant in contestants[1:])


def _start_us(contestant: Contestant, server: Path, workload: str, threads: int) -> float:
    return statistics.median(contestant.run(server, workload, threads, 1).cpu_us for _ in range(3))


def _memory(contestants: list[Contestant], server: Path, users: int) -> bool:
    """Resident memory a user with oltp_read_write loaded and run once and again."""
    print(f"\noltp_read_write, {users:,} users, KiB resident a user")
    held = True
    for contestant in contestants:
        alone = contestant.run(server, "read_write", 1, 2).peak_kib
        crowd = contestant.run(server, "read_write", users, 2 * users).peak_kib
        kib = (crowd - alone) / (users - 1)
        line = f"  {contestant.name:<10}{kib:>8.1f}   ({crowd / 1024:,.0f} MiB in all)"
        if contestant.name == "lua":
            held = kib <= LIMIT_KIB_A_USER
            line += f"   limit {LIMIT_KIB_A_USER:.0f}: {'held' if held else 'MISSED'}"
        print(line, flush=True)
    return held


def _peak_kib(process: subprocess.Popen[bytes]) -> int:
    """The highest resident size that was seen until the process ended.

    Not the kernel's account at the end, which counts the parent's memory before the exec too.
    """
    peak = 0
    status = Path(f"/proc/{process.pid}/status")
    while True:
        try:
            found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        except (FileNotFoundError, ProcessLookupError):
            return peak
        if found is None:
            return peak
        peak = int(found[1])
        time.sleep(0.02)


def _contestants(scratch: Path, load: Path) -> list[Contestant]:
    """Scripts first: what the ratios are of."""
    link = scratch / "sysbench"
    link.symlink_to(load)
    contestants = [Contestant("lua", (str(link), "--native=off")), Contestant("native", (str(link), "--native=on"))]
    sysbench = shutil.which("sysbench")
    if sysbench:
        contestants.append(Contestant("sysbench", (sysbench, "--db-driver=mysql")))
    else:
        print("sysbench is not installed: apt-get install sysbench")
    return contestants


@contextmanager
def _null_server(path: Path, load: Path) -> Iterator[Path]:
    """Ready when it tells its port."""
    argv: Sequence[str] = ["taskset", "-c", str(SERVER_CPU), str(load), "null-server", f"--socket={path}"]
    with subprocess.Popen([*argv, "--listen=127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            json.loads(process.stdout.readline())
            yield path
        finally:
            process.terminate()


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--threads", default="1,8,64,512")
    parser.add_argument("--workloads", default="point_select,read_write")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--users", type=int, default=4096)
    parser.add_argument("--statements", type=int, default=LEAST_STATEMENTS, help="of a run, at least")
    parser.add_argument("--load", type=Path, default=LOAD)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
