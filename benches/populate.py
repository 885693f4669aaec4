"""Filling by dbdyno-load beside sysbench 1.0.20's prepare on one real server, in interleaved pairs.

usage: .venv/bin/python benches/populate.py [--engine mariadb:10.11] [--rows 1000000] [--pairs 3]
       .venv/bin/python benches/populate.py --socket /run/mysqld/mysqld.sock --user root --server-pid 4711

Four tables over four connections, and one table over four, with either generator of rows and every way that they go.
sysbench gives each table one thread. Both create the tables, fill them and add the secondary index; the check of the
rows, which sysbench has not, is measured apart. The floor is a client that makes nothing and sums up nothing: it sends
one batch of such rows, encoded beforehand, again and again. CPU is user + system time, of the client from the kernel's
own accounting when it is reaped, of the server from /proc; on a busy machine it is the figure to trust, wall time is
not.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

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

FLOOR_ROWS = 1000
FLOOR_TABLE = (
    f"CREATE TABLE {SCHEMA}.sbtest{{}} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0,"
    " c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '')"
)
STATEMENT_PREPARE = 0x16


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
        assert server.pid is not None, "a server of ours has a process"
        yield Target(str(endpoint.socket), endpoint.user, endpoint.password_file, server.pid)


def _print_shape(target: Target, choices: argparse.Namespace, tables: int, connections: int) -> None:
    rows = choices.rows // tables
    size = [f"--tables={tables}", f"--table-size={rows}", f"--threads={connections}"]
    costs: dict[str, list[Cost]] = {"sysbench": [], "floor": [], **{way: [] for way in WAYS}}
    for _ in range(choices.pairs):
        costs["sysbench"].append(cost_of(target, _sysbench(target, size)))
        costs["floor"].append(floor_of(target, tables, connections, rows * tables // connections))
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


def floor_of(target: Target, tables: int, connections: int, rows: int) -> Cost:
    """What it takes only to send rows and to read replies, once the connections have prepared their INSERT."""
    _make_schema(target)
    ready, done = Barrier(connections + 1), Barrier(connections + 1)
    senders = [
        Thread(target=_send_batches, args=(target, number % tables + 1, rows // FLOOR_ROWS, ready, done), daemon=True)
        for number in range(connections)
    ]
    with _connect(target) as connection:
        for number in range(1, tables + 1):
            connection.cursor().execute(FLOOR_TABLE.format(number))
    for sender in senders:
        sender.start()
    ready.wait(60)
    server, client, began = _cpu_s(target.pid), time.process_time(), time.monotonic()
    done.wait(600)
    return Cost(time.monotonic() - began, time.process_time() - client, _cpu_s(target.pid) - server)


def _send_batches(target: Target, table: int, batches: int, ready: Barrier, done: Barrier) -> None:
    """Prepared statements are unknown to pymysql: its connection carries packets of ours."""
    places = ",".join(["(?,?,?)"] * FLOOR_ROWS)
    with _connect(target) as connection:
        connection.select_db(SCHEMA)
        packets: Any = connection
        packets._execute_command(STATEMENT_PREPARE, f"INSERT INTO sbtest{table}(k, c, pad) VALUES {places}")
        statement = packets._read_packet().get_all_data()[1:5]
        for _ in range(3 * FLOOR_ROWS + 1):  # the places, and the end of their list
            packets._read_packet()
        request = _batch_request(statement)
        connection.begin()
        ready.wait(60)
        for _ in range(batches):
            packets._sock.sendall(request)
            packets._next_seq_id = 1
            packets._read_packet()
        connection.commit()
        done.wait(600)


def _batch_request(statement: bytes) -> bytes:
    """Execute a prepared INSERT of k, c and pad: no NULLs, the types of the values, the values."""
    row = struct.pack("<I", 500_000) + b"\x77" + b"0" * 119 + b"\x3b" + b"0" * 59
    types = struct.pack("<BBBBBB", 3, 0x80, 252, 0, 252, 0)  # a number without sign, two texts as bytes
    nulls = bytes((3 * FLOOR_ROWS + 7) // 8)
    payload = b"\x17" + statement + b"\x00\x01\x00\x00\x00" + nulls + b"\x01" + types * FLOOR_ROWS + row * FLOOR_ROWS
    return struct.pack("<I", len(payload)) + payload


def _connect(target: Target) -> pymysql.connections.Connection[pymysql.cursors.Cursor]:
    return pymysql.connect(unix_socket=target.socket, user=target.user, password=target.password)


def _make_schema(target: Target) -> None:
    with _connect(target) as connection:
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
