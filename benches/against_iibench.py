"""dbdyno-load's insert benchmark beside iibench.py, step by step on one real server: statements, rows, rates, CPU.

usage: .venv/bin/python benches/against_iibench.py --iibench FILE [--python PROGRAM] [--rows 400000] [--rounds 3]

iibench.py (mdcallag/mytools, bench/ibench) is not part of dbdyno; its Python needs MySQLdb. Each side has a schema of
its own on the same private server and goes through the same steps with the options that iq.sh gives to np.sh: one
client, three secondary keys, 100, 50 and 5 rows a commit, a row deleted for each row inserted once the table is filled.

Rates are the server's own: its counters are read every 50 ms, from the first insert of a step to the last one. Steps
with queries insert at a rate, and their queries run one after the other on one connection. Before the rounds the
statements are taken from the server's general log, on small tables, and their forms compared. Exit code 1 if rows or
forms differ.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_server import private_server
from throughput import process_ns
from tool_pairs import LOAD

from dbdyno.configure import Server
from dbdyno.connections import ServerConnection

POLL_S = 0.05
SCHEMAS = {"tool": "ib_tool", "dbdyno": "dbdyno_ib"}
STEPS = ("l.i0", "l.x", "l.i1", "l.i2", "qr100", "qp100")
ROWS_AN_INSERT = {"l.i0": 100, "l.x": 100, "l.i1": 50, "l.i2": 5}
_COUNTED = {"Com_insert": "inserts", "Com_delete": "deletes", "Com_select": "selects"}
_TABLE = re.compile(r"\bpi1\b", re.IGNORECASE)
_LITERAL = re.compile(r"'[^']*'|\b\d+(?:\.\d+)?\b")
_ROWS = re.compile(r"(\((?:\?,)*\?\))(?:,\1)+")
_CONDITION = re.compile(r"where\(([^()]*)\)order")
"""Spelled with brackets by the tool."""


@dataclass(frozen=True, slots=True)
class Size:
    """Rows of the load, of the writes after it, and seconds of a step with queries."""

    load: int
    writes: int
    seconds: int


SMALL = Size(2_000, 1_000, 3)
"""For the general log."""


@dataclass(frozen=True, slots=True)
class Statements:
    """What the server has counted so far."""

    inserts: int
    deletes: int
    selects: int


@dataclass(frozen=True, slots=True)
class StepRun:
    """What the server counted in a step, and what it cost."""

    inserts: int
    deletes: int
    queries: int
    insert_seconds: float
    query_seconds: float
    """Between the first and the last of them."""
    client_ms: float
    server_ms: float
    table: tuple[int, int, int]
    """Rows, lowest and highest key afterwards."""

    def count(self, of: str) -> int:
        """Inserts or queries; at least one."""
        return max(1, self.queries if of == "queries" else self.inserts)

    def rate(self, of: str) -> float:
        """Per second of the time in which they were sent."""
        return self.count(of) / (self.query_seconds if of == "queries" else self.insert_seconds)


Argv = Callable[[str, Size], list[str]]
"""The command of a step."""


def main() -> int:
    """Forms first, then the rounds; 1 if the two differ in rows or forms."""
    choices = _choices()
    with private_server(choices.engine, "socket", 64) as server, server.connect() as connection:
        sides = {"tool": _iibench(server, connection, choices), "dbdyno": _dbdyno(server, connection)}
        print(f"{server.installation.title}, one client, {choices.rows:,} rows, {choices.rounds} rounds\n", flush=True)
        same = _compare_forms(connection, sides)
        size = Size(choices.rows, choices.rows // 4, choices.seconds)
        runs: dict[tuple[str, str], list[StepRun]] = {}
        for index in range(choices.rounds):
            for side in list(sides) if index % 2 == 0 else reversed(list(sides)):
                for step in STEPS:
                    runs.setdefault((side, step), []).append(_run(sides[side](step, size), server, connection))
                _ask(connection, f"DROP TABLE {SCHEMAS[side]}.pi1")
        for step in STEPS:
            same &= _print_step(step, runs["tool", step], runs["dbdyno", step])
    return int(not same)


def _iibench(server: Server, connection: ServerConnection, choices: argparse.Namespace) -> Argv:
    """Its password would stand in an argument, so it gets a user without one; the server has a socket only."""
    _ask(connection, "CREATE USER iibench@localhost")
    _ask(connection, "GRANT ALL ON ib_tool.* TO iibench@localhost")

    def argv(step: str, size: Size) -> list[str]:
        rows = {"l.i0": size.load, "l.x": 100, "l.i1": size.writes * 4 // 5, "l.i2": size.writes // 5}
        keys = "0" if step == "l.i0" else "3"
        words = {
            **{
                "dbms": "mysql",
                "db_name": "ib_tool",
                "secs_per_report": 1,
                "db_host": "127.0.0.1",
                "db_user": "iibench",
            },
            **{"db_password": "", "engine": "innodb", "engine_options": "", "unique_checks": 1, "bulk_load": 0},
            **{"db_socket": server.endpoint.socket, "max_rows": rows.get(step, 100 * size.seconds)},
            **{"table_name": "pi1", "num_secondary_indexes": keys, "data_length_min": 10, "data_length_max": 20},
            **{"rows_per_commit": ROWS_AN_INSERT.get(step, 50), "inserts_per_second": 100 if step[0] == "q" else 0},
            **{"query_threads": int(step[0] == "q"), "seed": 1, "dbopt": "none", "my_id": 1},
        }
        flags = {"l.i0": ["--setup"], "l.x": ["--secondary_at_end"], "qp100": ["--query_pk_only"]}.get(step, [])
        flags = [*flags, *([] if step in ("l.i0", "l.x") else ["--delete_per_insert"])]
        return [choices.python, str(choices.iibench), *(f"--{name}={value}" for name, value in words.items()), *flags]

    _ask(connection, "CREATE DATABASE ib_tool")
    return argv


def _dbdyno(server: Server, connection: ServerConnection) -> Argv:
    endpoint = server.endpoint

    def argv(step: str, size: Size) -> list[str]:
        where = [f"--socket={endpoint.socket}", f"--user={endpoint.user}", f"--password-file={endpoint.password_file}"]
        sizes = [f"--nr1={size.load}", f"--nr2={size.writes}", f"--step-seconds={size.seconds}", "--delete-per-insert"]
        return [str(LOAD), "run", "insert-benchmark", f"--step={step}", *where, "--database=dbdyno_ib", *sizes]

    _ask(connection, "CREATE DATABASE dbdyno_ib")
    return argv


def _compare_forms(connection: ServerConnection, commands: dict[str, Argv]) -> bool:
    """Print how often each side sends each form of a statement that names the table; whether the forms are the same."""
    same = True
    for step in STEPS:
        sent: dict[str, Counter[str]] = {}
        for side, argv in commands.items():
            _ask(connection, "SET GLOBAL log_output = 'TABLE', general_log = ON")
            _end_well(subprocess.run(argv(step, SMALL), capture_output=True, text=True, check=False))
            _ask(connection, "SET GLOBAL general_log = OFF")
            sent[side] = Counter(_forms(_ask(connection, "SELECT command_type, argument FROM mysql.general_log")))
            _ask(connection, "TRUNCATE mysql.general_log")
        for form in sorted(sent["tool"] | sent["dbdyno"]):
            print(f"{step:<6}{sent['tool'][form]:>6}{sent['dbdyno'][form]:>6}  {form}", flush=True)
        same &= set(sent["tool"]) == set(sent["dbdyno"])
    for side in commands:
        _ask(connection, f"DROP TABLE {SCHEMAS[side]}.pi1")
    print(f"forms {'the same' if same else 'NOT the same'}\n", flush=True)
    return same


def _forms(log: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    for command, argument in log:
        text = argument.decode() if isinstance(argument, bytes) else str(argument)
        if command in ("Query", "Execute") and _TABLE.search(text):
            form = re.sub(r"\s*([,()=])\s*", r"\1", " ".join(_LITERAL.sub("?", text).lower().split()))
            form = _CONDITION.sub(r"where \1 order", form)
            yield f"{command} {_ROWS.sub(_with_count, form)}"


def _with_count(rows: re.Match[str]) -> str:
    return f"{rows[1]} x {rows[0].count(rows[1])}"


def _run(argv: list[str], server: Server, connection: ServerConnection) -> StepRun:
    """One step to its end, watched from the server."""
    assert server.pid is not None
    server_ns = process_ns(server.pid)
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT)
        ended, seen = 0, [(time.monotonic(), _status(connection))]
        while not ended:
            time.sleep(POLL_S)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            seen.append((time.monotonic(), _status(connection)))
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        _end_well(subprocess.CompletedProcess(argv, process.returncode, output.read(), ""))
    first, last = seen[0][1], seen[-1][1]
    (table,) = _ask(connection, f"SELECT COUNT(*), MIN(transactionid), MAX(transactionid) FROM {_table_of(argv)}")
    return StepRun(
        inserts=last.inserts - first.inserts,
        deletes=last.deletes - first.deletes,
        queries=last.selects - first.selects,
        insert_seconds=_seconds_between(seen, lambda status: status.inserts),
        query_seconds=_seconds_between(seen, lambda status: status.selects),
        client_ms=(usage.ru_utime + usage.ru_stime) * 1e3,
        server_ms=(process_ns(server.pid) - server_ns) / 1e6,
        table=(int(table[0]), int(table[1]), int(table[2])),
    )


def _seconds_between(seen: list[tuple[float, Statements]], count: Callable[[Statements], int]) -> float:
    """From the first time that a count had moved to the last."""
    moved = [at for (_, last), (at, now) in itertools.pairwise(seen) if count(now) != count(last)]
    return max(moved[-1] - moved[0], POLL_S) if moved else POLL_S


def _table_of(argv: list[str]) -> str:
    return f"{SCHEMAS['dbdyno' if argv[0] == str(LOAD) else 'tool']}.pi1"


def _print_step(step: str, tool: list[StepRun], dbdyno: list[StepRun]) -> bool:
    """A line for each figure; whether the rows are the same."""
    rows = {run.table for run in (*tool, *dbdyno)}
    same = len({(count, high - low) for count, low, high in rows}) == 1
    print(
        f"{step}: {tool[0].inserts:,} / {dbdyno[0].inserts:,} inserts, "
        f"{tool[0].deletes:,} / {dbdyno[0].deletes:,} deletes (tool / dbdyno)"
    )
    print(f"  rows, lowest and highest key afterwards {sorted(rows)}: {'the same' if same else 'NOT the same'}")
    counted = "queries" if step[0] == "q" else "inserts"
    figures: list[tuple[str, Callable[[StepRun], float]]] = [
        ("seconds from the first insert to the last", lambda run: run.insert_seconds),
        (f"{counted} per second", lambda run: run.rate(counted)),
        (f"client CPU, µs for one of the {counted}", lambda run: run.client_ms * 1e3 / run.count(counted)),
        (f"server CPU, µs for one of the {counted}", lambda run: run.server_ms * 1e3 / run.count(counted)),
    ]
    for label, of in figures:
        left, right = ([of(run) for run in runs] for runs in (tool, dbdyno))
        ratios = sorted(b / a for a, b in zip(left, right, strict=True))
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"  {label:<44}{statistics.median(left):>12,.1f}{statistics.median(right):>12,.1f}{spread:>24}")
    print(flush=True)
    return same


def _end_well(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        sys.exit(
            f"error: {done.args[0]} ended with exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


def _status(connection: ServerConnection) -> Statements:
    names = "'Com_delete', 'Com_insert', 'Com_select'"
    found = _ask(connection, f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})")
    return Statements(**{_COUNTED[str(name)]: int(str(value)) for name, value in found})


def _ask(connection: ServerConnection, sql: str) -> Sequence[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() or ()


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--engine", default="mariadb:10.11")
    parser.add_argument("--iibench", type=Path, metavar="FILE", required=True)
    parser.add_argument("--python", default="python3", help="a Python that has MySQLdb")
    parser.add_argument("--rows", type=int, default=400_000, help="of the load; writes are a quarter of it")
    parser.add_argument("--seconds", type=int, default=10, help="of a step with queries")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
