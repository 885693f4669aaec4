"""Filling by dbdyno-load beside sysbench 1.0.20's prepare on one real server, in interleaved pairs.

usage: .venv/bin/python benches/populate.py [--engine mariadb:10.11] [--rows 1000000] [--pairs 3]
       .venv/bin/python benches/populate.py --socket /run/mysqld/mysqld.sock --user root --server-pid 4711

Four tables over four connections, and one table over four, with either generator of rows and every way that they go.
sysbench gives each table one thread. Both create the tables, fill them and add the secondary index; the check of the
rows, which sysbench has not, is measured apart. CPU is user + system time, of the client from the kernel's own
accounting when it is reaped, of the server from /proc; on a busy machine it is the figure to trust, wall time is not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pymysql
from real_server import private_server

SCHEMA = "dbdyno_bench"
WORKLOAD = "oltp_read_write"
SHAPES = ((4, 4), (1, 4))
WAYS = {
    "dbdyno-load": ("--rng=sysbench", "--no-check"),
    "dbdyno-load --rng=dbdyno": ("--rng=dbdyno", "--no-check"),
    "as prepared INSERT": ("--rng=dbdyno", "--no-check", "--load-by=prepared"),
    "as a file": ("--rng=dbdyno", "--no-check", "--load-by=infile"),
    "as statements": ("--rng=dbdyno", "--no-check", "--load-by=statements"),
    "as it chooses, checked": ("--rng=dbdyno",),
}


@dataclass(frozen=True, slots=True)
class Target:
    """A server, and the process whose time it is."""

    socket: str
    user: str
    password_file: Path | None
    pid: int

    @property
    def password(self) -> str:
        """What its file says."""
        return self.password_file.read_text().strip() if self.password_file else ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one filling took, in seconds."""

    wall: float
    client: float
    server: float


def main() -> None:
    """Measure each shape and print what sysbench took, and the ratios to it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add_server_arguments(parser)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of all tables together")
    choices = parser.parse_args()
    with target_of(choices) as target:
        for tables, connections in SHAPES:
            _print_shape(target, choices, tables, connections)
        print(f"\nload average at the end: {os.getloadavg()[0]:.1f}")


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Which server, which dbdyno-load, how often."""
    parser.add_argument("--engine", default="mariadb:10.11")
    parser.add_argument("--socket", help="of a server that runs already; needs --server-pid")
    parser.add_argument("--user", default="root")
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--server-pid", type=int)
    parser.add_argument("--generator", type=Path, default=Path(sys.executable).with_name("dbdyno-load"))
    parser.add_argument("--pairs", type=int, default=3)


@contextmanager
def target_of(choices: argparse.Namespace) -> Iterator[Target]:
    """The server that was named, or one of the engine that was, for the time being."""
    if choices.socket:
        yield Target(choices.socket, choices.user, choices.password_file, choices.server_pid)
        return
    with private_server(choices.engine, "socket", 16, tier_bytes=1 << 30, raw={"local_infile": "ON"}) as server:
        endpoint = server.endpoint
        yield Target(str(endpoint.socket), endpoint.user, endpoint.password_file, server.pid)


def _print_shape(target: Target, choices: argparse.Namespace, tables: int, connections: int) -> None:
    rows = choices.rows // tables
    size = [f"--tables={tables}", f"--table-size={rows}", f"--threads={connections}"]
    costs: dict[str, list[Cost]] = {"sysbench": [], **{way: [] for way in WAYS}}
    for _ in range(choices.pairs):
        costs["sysbench"].append(cost_of(target, _sysbench(target, size)))
        for way, options in WAYS.items():
            costs[way].append(cost_of(target, _dbdyno(target, choices.generator, [*size, *options])))
    print(f"\n{tables} x {rows:,} rows over {connections} connections, {choices.pairs} times; µs a row of sysbench's")
    print(f"{'':<28}{'wall':>22}{'client CPU':>22}{'server CPU':>22}")
    for way, measured in costs.items():
        cells = [_cell(measured, costs["sysbench"], field, tables * rows) for field in ("wall", "client", "server")]
        print(f"  {way:<26}" + "".join(f"{cell:>22}" for cell in cells))


def _cell(measured: list[Cost], theirs: list[Cost], field: str, rows: int) -> str:
    """Microseconds a row, and the median of the ratios of pairs."""
    seconds, base = [getattr(cost, field) for cost in measured], [getattr(cost, field) for cost in theirs]
    ratio = statistics.median(a / b for a, b in zip(seconds, base, strict=True))
    return f"{statistics.median(seconds) / rows * 1e6:.2f} ({ratio:.2f})"


def cost_of(target: Target, argv: list[str]) -> Cost:
    """What a program takes to fill an empty schema."""
    _make_schema(target)
    before, began = _cpu_s(target.pid), time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"error: {argv[0]} ended with exit code {process.returncode}")
    wall = time.monotonic() - began
    return Cost(wall, usage.ru_utime + usage.ru_stime, _cpu_s(target.pid) - before)


def _make_schema(target: Target) -> None:
    with pymysql.connect(unix_socket=target.socket, user=target.user, password=target.password) as connection:
        cursor = connection.cursor()
        cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
        cursor.execute(f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    _wait_until_idle(target.pid)


def _wait_until_idle(pid: int) -> None:
    """What the server still does for the filling before isn't this one's."""
    for _ in range(40):
        before = _cpu_s(pid)
        time.sleep(0.25)
        if _cpu_s(pid) - before < 0.02:
            return


def _sysbench(target: Target, size: list[str]) -> list[str]:
    argv = ["sysbench", "--db-driver=mysql", f"--mysql-socket={target.socket}", f"--mysql-user={target.user}"]
    argv += [f"--mysql-db={SCHEMA}", *size]
    if target.password_file:
        config = target.password_file.with_name("sysbench.cnf")
        config.write_text(f"mysql-password={target.password}\n")
        config.chmod(0o600)
        argv.insert(1, f"--config-file={config}")
    return [*argv, WORKLOAD, "prepare"]


def _dbdyno(target: Target, generator: Path, options: list[str]) -> list[str]:
    argv = [str(generator), "populate", f"sysbench/{WORKLOAD}", f"--socket={target.socket}", f"--user={target.user}"]
    if target.password_file:
        argv.append(f"--password-file={target.password_file}")
    return [*argv, f"--database={SCHEMA}", *options]


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
