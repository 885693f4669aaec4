"""The quantities of sysbench's form: scripts beside sysbench itself, native events beside `dbdyno-load run`."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path

from quantities import Bench, Quantity

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lua_cost import LIMIT_KIB_A_USER, LIMITS, STATEMENTS_AN_EVENT, Contestant, statements_of

CROWD = 4096
Taken = Callable[[Bench], tuple[list[float], str]]


def _scripts(bench: Bench) -> Contestant:
    return Contestant("scripts", (str(bench.clients.load), "--native=off"), bench.clients.cpu)


def _native(bench: Bench) -> Contestant:
    return Contestant("native", (str(bench.clients.load), "--native=on"), bench.clients.cpu)


def _sysbench(bench: Bench) -> Contestant | None:
    found = bench.clients.sysbench
    return Contestant("sysbench", (found, "--db-driver=mysql"), bench.clients.cpu) if found else None


def _us(bench: Bench, who: Contestant, workload: str, users: int, statements: int) -> Callable[[], float]:
    """CPU time a statement without the start-up, which is measured now."""
    server = bench.server.socket
    start_us = statistics.median(who.run(server, workload, users, 1).cpu_us for _ in range(3))

    def once() -> float:
        run = who.run(server, workload, users, statements // STATEMENTS_AN_EVENT[workload])
        return (run.cpu_us - start_us) / run.statements

    return once


def _pairs(bench: Bench, ours: Callable[[], float], theirs: Callable[[], float], whose: str) -> tuple[list[float], str]:
    pairs = [(ours(), theirs()) for _ in range(bench.pairs)]
    medians = [statistics.median(column) for column in zip(*pairs, strict=True)]
    return [a / b for a, b in pairs], f"{medians[0]:.2f} µs; {whose} {medians[1]:.2f}"


def _scripts_against_sysbench(workload: str, users: int) -> Taken:
    def taken(bench: Bench) -> tuple[list[float], str]:
        sysbench = _sysbench(bench)
        if sysbench is None:
            return [], "sysbench is not installed"
        ours, theirs = (_us(bench, who, workload, users, statements_of(users)) for who in (_scripts(bench), sysbench))
        return _pairs(bench, ours, theirs, "sysbench")

    return taken


def _native_against_run(users: int) -> Taken:
    def taken(bench: Bench) -> tuple[list[float], str]:
        ours = _us(bench, _native(bench), "point_select", users, 60_000 * bench.seconds)
        return _pairs(bench, ours, bench.dbdyno_us("point_select", "socket", users), "dbdyno-load run")

    return taken


def _memory(bench: Bench) -> tuple[list[float], str]:
    def kib_a_user(who: Contestant) -> float:
        alone = who.run(bench.server.socket, "read_write", 1, 2).peak_kib
        crowd = who.run(bench.server.socket, "read_write", CROWD, 2 * CROWD).peak_kib
        return (crowd - alone) / (CROWD - 1)

    sysbench = _sysbench(bench)
    beside = f"sysbench {kib_a_user(sysbench):.0f}" if sysbench else "sysbench is not installed"
    return [kib_a_user(_scripts(bench))], beside


def _event(bench: Bench) -> tuple[list[float], str]:
    return [bench.clients.part("event") / 1e3 for _ in range(bench.pairs)], "benches/parts: two clock reads are in it"


def _script_quantity(workload: str, users: int) -> Quantity:
    title = f"scripts, {workload.replace('_', ' ')}, {users} users, against sysbench"
    taken = _scripts_against_sysbench(workload, users)
    return Quantity(f"lua-{workload}-{users}", title, "x sysbench", LIMITS[users], LIMITS[users], taken)


FORM = (
    Quantity("event", "around an event of sysbench's form", "µs CPU", 0.1, 0.2, _event),
    *(
        Quantity(
            f"native-{users}",
            f"native point select in sysbench's form, {users} users, against run",
            "x run",
            1.1,
            1.3,
            _native_against_run(users),
        )
        for users in (1, 64, 512)
    ),
    *(_script_quantity("point_select", users) for users in LIMITS),
    *(_script_quantity("read_write", users) for users in LIMITS),
    Quantity(
        "lua-memory",
        f"memory a user of a script, read-write, {CROWD:,} users",
        "KiB",
        LIMIT_KIB_A_USER,
        LIMIT_KIB_A_USER,
        _memory,
    ),
)
"""All of them; `--only` names them one by one."""
