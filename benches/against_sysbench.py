"""dbdyno-load beside sysbench 1.0.20 on one real server: throughput and client CPU, in interleaved pairs.

usage: .venv/bin/python benches/against_sysbench.py [--engine mariadb:11.8] [--connections 16,64] [--pairs 5]

Both send the same statements to the same tables of the same private server, one after the other, so a drift of the
machine hits both. CPU is user + system time of the client process, from the kernel's own accounting when it is reaped.
sysbench comes from the distribution (apt-get install sysbench); short runs of it overstate its cost, because each of
its threads compiles its script first: 10 s or more.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from real_server import private_server, reap

from dbdyno.configure import Server

LOAD = Path(sys.executable).with_name("dbdyno-load")
SCHEMA = "dbdyno_bench"
TABLES = ["--tables=4", "--table-size=50000"]
WORKLOAD = "oltp_read_write"


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of one client."""

    tps: float
    client_us_per_statement: float
    server_us_per_transaction: float


def main() -> None:
    """Start a server, fill it, run the pairs, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--engine", default="mariadb:11.8")
    parser.add_argument("--connections", default="16,64")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    choices = parser.parse_args()
    with private_server(choices.engine, "socket", 128) as server:
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {SCHEMA}")
        reap(_load_argv(server, "populate"))
        print(f"{server.installation.title}, {WORKLOAD}, 4 x 50,000 rows, unix socket, prepared statements")
        for connections in map(int, choices.connections.split(",")):
            _print_pairs(connections, *_pairs(server, connections, choices.pairs, choices.seconds))


def _pairs(server: Server, connections: int, pairs: int, seconds: int) -> tuple[list[Sample], list[Sample]]:
    ours, theirs = [], []
    for seed in range(1, pairs + 1):
        ours.append(_dbdyno(server, connections, seconds, seed))
        theirs.append(_sysbench(server, connections, seconds, seed))
    return ours, theirs


def _dbdyno(server: Server, connections: int, seconds: int, seed: int) -> Sample:
    run = [f"--threads={connections}", f"--time={seconds}s", "--warm-up=0s", f"--seed={seed}", "--json-lines=-"]
    before = _cpu_ns(server)
    output, client_ns = reap([*_load_argv(server, "run"), *run])
    server_ns = _cpu_ns(server) - before
    records = [json.loads(line) for line in output.splitlines()]
    intervals = [record for record in records if record["record"] == "interval"]
    transactions = sum(t["completed"] for r in intervals for t in r["transactions"].values())
    statements = sum(s["completed"] for r in intervals for s in r["statements"].values())
    return Sample(transactions / seconds, client_ns / statements / 1e3, server_ns / transactions / 1e3)


def _sysbench(server: Server, connections: int, seconds: int, seed: int) -> Sample:
    endpoint = server.endpoint
    assert endpoint.password_file is not None
    config = endpoint.password_file.with_name("sysbench.cnf")
    config.write_text(f"mysql-password={endpoint.password_file.read_text().strip()}\n")
    config.chmod(0o600)
    argv = ["sysbench", f"--config-file={config}", "--db-driver=mysql", f"--mysql-socket={endpoint.socket}"]
    argv += [f"--mysql-user={endpoint.user}", f"--mysql-db={SCHEMA}", *TABLES, f"--threads={connections}"]
    argv += [f"--time={seconds}", f"--rand-seed={seed}", WORKLOAD, "run"]
    before = _cpu_ns(server)
    output, client_ns = reap(argv)
    server_ns = _cpu_ns(server) - before
    transactions = int(_figure(r"transactions:\s+(\d+)", output))
    statements = int(_figure(r"queries:\s+(\d+)", output))
    tps = _figure(r"transactions:\s+\d+\s+\(([\d.]+) per sec", output)
    return Sample(tps, client_ns / statements / 1e3, server_ns / transactions / 1e3)


def _load_argv(server: Server, command: str) -> list[str]:
    endpoint = server.endpoint
    argv = [str(LOAD), command, f"sysbench/{WORKLOAD}", *TABLES, f"--socket={endpoint.socket}"]
    return [*argv, f"--user={endpoint.user}", f"--password-file={endpoint.password_file}", f"--database={SCHEMA}"]


def _cpu_ns(server: Server) -> int:
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 10**9 // os.sysconf("SC_CLK_TCK")


def _figure(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"error: sysbench printed no '{pattern}':\n{text}")
    return float(found[1])


def _print_pairs(connections: int, ours: list[Sample], theirs: list[Sample]) -> None:
    title = f"{connections} connections, {len(ours)} pairs"
    print(f"\n{title:<34}{'dbdyno-load':>14}{'sysbench':>14}{'ratio of pairs':>24}")
    for name, label in (
        ("tps", "transactions/s"),
        ("client_us_per_statement", "client CPU, µs a statement"),
        ("server_us_per_transaction", "server CPU, µs a transaction"),
    ):
        left, right = [getattr(s, name) for s in ours], [getattr(s, name) for s in theirs]
        ratios = sorted(a / b for a, b in zip(left, right, strict=True))
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"  {label:<32}{statistics.median(left):>14,.1f}{statistics.median(right):>14,.1f}{spread:>24}")


if __name__ == "__main__":
    main()
