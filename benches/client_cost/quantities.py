"""The quantities: how each is measured, its target, and the limit above which it fails."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from programs import Clients, Run
from servers import NullServer


@dataclass(frozen=True, slots=True)
class Bench:
    """What a measurement needs."""

    clients: Clients
    server: NullServer
    pairs: int
    seconds: int

    def dbdyno_us(self, workload: str, route: str, connections: int) -> Callable[[], float]:
        """CPU time a statement of dbdyno-load without its start-up, which is measured now."""

        def run(*limit: str) -> Run:
            return self.clients.dbdyno(self.server, workload, route, connections, *limit)

        start_up_us = statistics.median(run("--events=1").cpu_us for _ in range(3))

        def once() -> float:
            whole = run(f"--time={self.seconds}s")
            _demand(whole, "dbdyno-load")
            return (whole.cpu_us - start_up_us) / whole.statements

        return once

    def floors_us(self, workload: str, route: str, connections: int) -> tuple[float, float | None]:
        """CPU time a statement of our floor, and of the reference where it is there."""
        where = (self.server, workload, route, connections, self.seconds)
        own, reference = self.clients.own_floor(*where), self.clients.reference_floor(*where)
        _demand(own, "the floor")
        if reference is not None:
            _demand(reference, "the reference floor")
        return own.us_a_statement, reference.us_a_statement if reference else None

    def sysbench_us(self, workload: str, route: str, threads: int, statements: int) -> Callable[[], float | None]:
        """CPU time a statement of sysbench without its start-up, which is measured now."""

        def run(count: int) -> Run | None:
            return self.clients.run_sysbench(self.server, workload, route, threads, count)

        starts = [start.cpu_us for start in (run(1) for _ in range(3)) if start]

        def once() -> float | None:
            whole = run(statements)
            return (whole.cpu_us - statistics.median(starts)) / whole.statements if whole else None

        return once


@dataclass(frozen=True, slots=True)
class Quantity:
    """A row of the table."""

    key: str
    title: str
    unit: str
    target: float
    limit: float
    taken: Callable[[Bench], tuple[list[float], str]]
    """Gives a figure a pair, and what to say beside them."""

    def measure(self, bench: Bench) -> Finding:
        """Take it now."""
        figures, beside = self.taken(bench)
        return Finding(self, tuple(figures), beside)


@dataclass(frozen=True, slots=True)
class Finding:
    """A quantity that was measured. No figures: it could not be measured here."""

    quantity: Quantity
    figures: tuple[float, ...]
    beside: str

    @property
    def median(self) -> float:
        """The figure that is judged."""
        return statistics.median(self.figures)

    @property
    def verdict(self) -> str:
        """Held against target and limit."""
        if not self.figures:
            return "not measured"
        if self.median <= self.quantity.target:
            return "reached"
        return "missed, within its limit" if self.median <= self.quantity.limit else "above its limit"


def _against_floor(workload: str, route: str, connections: int) -> Callable[[Bench], tuple[list[float], str]]:
    def taken(bench: Bench) -> tuple[list[float], str]:
        dbdyno_us = bench.dbdyno_us(workload, route, connections)
        sysbench_us = bench.sysbench_us(workload, route, connections, 40_000 * bench.seconds)
        ours, own, reference, sysbench = [], [], [], []
        for _ in range(bench.pairs):
            ours.append(dbdyno_us())
            floors = bench.floors_us(workload, route, connections)
            own.append(floors[0])
            reference.append(floors[1])
            sysbench.append(sysbench_us())
        floor = _present(reference) or own
        beside = f"{_us(ours)} µs; floor {_us(floor)}, benches/floor {_us(own)}, sysbench {_us(_present(sysbench))}"
        return [a / b for a, b in zip(ours, floor, strict=True)], beside

    return taken


def _growth(fewer: int, more: int) -> Callable[[Bench], tuple[list[float], str]]:
    def taken(bench: Bench) -> tuple[list[float], str]:
        few_us, many_us = (bench.dbdyno_us("point_select", "socket", count) for count in (fewer, more))
        ours, floor = [], []
        for _ in range(bench.pairs):
            ours.append((many_us(), few_us()))
            own = [bench.floors_us("point_select", "socket", count) for count in (more, fewer)]
            floor.append([reference or mine for mine, reference in own])
        many, few = zip(*ours, strict=True)
        floor_growth = statistics.median(more_us / fewer_us for more_us, fewer_us in floor)
        beside = f"{_us(many)} µs against {_us(few)}; the floor grows {floor_growth:.2f} times"
        return [a / b for a, b in ours], beside

    return taken


def _against_sysbench(connections: int) -> Callable[[Bench], tuple[list[float], str]]:
    def taken(bench: Bench) -> tuple[list[float], str]:
        dbdyno_us = bench.dbdyno_us("read_write", "socket", connections)
        # Each thread of sysbench compiles its script first: short runs overstate its cost.
        statements = (300 * connections + 40_000) * bench.seconds
        sysbench_us = bench.sysbench_us("read_write", "socket", connections, statements)
        pairs = [(dbdyno_us(), sysbench_us()) for _ in range(bench.pairs)]
        present = [(ours, theirs) for ours, theirs in pairs if theirs is not None]
        if not present:
            return [], "sysbench is not installed"
        ours, theirs = zip(*present, strict=True)
        return [a / b for a, b in present], f"{_us(ours)} µs; sysbench {_us(theirs)}"

    return taken


def _memory(bench: Bench) -> tuple[list[float], str]:
    def peak(connections: int) -> int:
        limit = f"--time={bench.seconds}s"
        run = bench.clients.dbdyno(bench.server, "read_write", "socket", connections, limit)
        return run.peak_rss_bytes

    pairs = [(peak(4096), peak(64)) for _ in range(bench.pairs)]
    many = statistics.median(most for most, _ in pairs) / 2**20
    return [(most - least) / (4096 - 64) / 1024 for most, least in pairs], f"{many:.0f} MiB with 4,096 connections"


def _log_in(bench: Bench) -> tuple[list[float], str]:
    def cpu_ms(connections: int) -> float:
        return bench.clients.dbdyno(bench.server, "read_write", "socket", connections, "--events=1").cpu_us / 1e3

    pairs = [(cpu_ms(4096), cpu_ms(1)) for _ in range(bench.pairs)]
    whole = statistics.median(most for most, _ in pairs)
    beside = f"{whole:.0f} ms in all: connecting, log-in, preparing 11 statements, closing"
    return [(most - least) / 4095 for most, least in pairs], beside


def _many(bench: Bench) -> tuple[list[float], str]:
    run = bench.clients.dbdyno(bench.server, "point_select", "socket", 8192, f"--time={bench.seconds}s")
    beside = f"{run.statements:,} statements, {run.errors} errors, {run.peak_rss_bytes / 2**20:.0f} MiB"
    return [float(run.errors)], beside


def _rows(whose: str) -> Callable[[Bench], tuple[list[float], str]]:
    def taken(bench: Bench) -> tuple[list[float], str]:
        return [bench.clients.part("rows", whose) / 1e3 for _ in range(bench.pairs)], "benches/parts: see below"

    return taken


def _quantiles(bench: Bench) -> tuple[list[float], str]:
    return [bench.clients.part("quantiles") * 100], "largest of nine quantiles, three laws, each second and merged"


def _record(bench: Bench) -> tuple[list[float], str]:
    return [bench.clients.part("record") / 1e3 for _ in range(bench.pairs)], "benches/parts: see below"


def _demand(run: Run, who: str) -> None:
    if run.statements == 0 or run.errors:
        raise SystemExit(f"error: {who}: {run.statements} statements, {run.errors} errors")


def _present(figures: list[float | None]) -> list[float]:
    return [figure for figure in figures if figure is not None]


def _us(figures: list[float] | tuple[float, ...]) -> str:
    return f"{statistics.median(figures):.2f}" if figures else "not here"


QUANTITIES = (
    Quantity(
        "point",
        "point select, socket, 64 connections",
        "x floor",
        1.25,
        1.5,
        _against_floor("point_select", "socket", 64),
    ),
    Quantity(
        "tcp", "point select, TCP loopback, 64", "x floor", 1.15, 1.3, _against_floor("point_select", "loopback", 64)
    ),
    Quantity(
        "rw",
        "read-write with 100-row results, socket, 64",
        "x floor",
        1.3,
        1.6,
        _against_floor("read_write", "socket", 64),
    ),
    Quantity("grow512", "512 connections against 64", "x", 1.15, 1.3, _growth(64, 512)),
    Quantity("grow4096", "4,096 connections against 512", "x", 1.5, 2.0, _growth(512, 4096)),
    Quantity(
        "one",
        "point select, socket, one connection",
        "x blocking floor",
        1.15,
        1.3,
        _against_floor("point_select", "socket", 1),
    ),
    Quantity("sysbench64", "read-write against sysbench, socket, 64", "x sysbench", 0.30, 0.40, _against_sysbench(64)),
    Quantity(
        "sysbench512", "read-write against sysbench, socket, 512", "x sysbench", 0.15, 0.25, _against_sysbench(512)
    ),
    Quantity("memory", "memory a connection, read-write", "KiB", 8, 16, _memory),
    Quantity("login", "a connection of 4,096, read-write prepared", "ms CPU", 0.25, 0.5, _log_in),
    Quantity("many", "8,192 connections", "errors", 0, 0, _many),
    Quantity("rows", "a row for populate, dbdyno's numbers", "µs CPU", 0.3, 0.6, _rows("dbdyno")),
    Quantity("rows-sysbench", "a row for populate, sysbench's numbers", "µs CPU", 0.3, 0.6, _rows("sysbench")),
    Quantity("quantiles", "a told percentile against the exact one", "% off", 0.1, 0.5, _quantiles),
    Quantity("record", "timing and histograms, a statement", "µs CPU", 0.1, 0.2, _record),
)
