"""Throughput of two clients on one server, and how much of the difference is the clients' own cost.

Each run has a window: the server's own counters, the CPU time of server and client, and that of all processes are read
at its start and its end, so both sides are measured by the same clock and the same counters, whatever they print.

On processors that both share, each event costs client time C and server time S. If B processors are busy with the two,
throughput is B / (C + S). The ratio of two throughputs is therefore a product of three factors, each of them measured:

    client's cost    (C_tool + S) / (C_dbdyno + S), with S the mean of both sides: what the tool takes from the server
    server's cost    what remains of (C_tool + S_tool) / (C_dbdyno + S_dbdyno): 1 if the server does the same work
    processors busy  B_dbdyno / B_tool: 1 if neither side leaves the processors idle, or loses them to other processes

What the client's cost does not explain is the product of the other two. Pinned to different processors, neither takes
time from the other, and the first factor is 1 as long as the server is the slower of the two.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tool_pairs import Client, Command, ToolPair

from dbdyno.configure import Server
from dbdyno.connections import ServerConnection

CLIENT_CPU, SERVER_CPU = 0, 1
"""Where they run when they are pinned."""
ENDS_WITHIN_S = 120
IDLE_FOR_S = 4
BEGUN = 5
"""Units in a tenth of a second that only a client under way causes."""
_TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Schedule:
    """How runs are timed: seconds until the window, seconds of the window, and pairs of runs.

    A pair in whose windows other processes used more than `others` processors is measured again, at most as often as
    there are pairs.
    """

    ramp: int
    window: int
    pairs: int
    others: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The window of one run, per second and per event."""

    tps: float
    client_us: float
    server_us: float
    busy: float
    """Processors that client and server used."""
    others: float
    """Processors that all other processes used."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The counters at one moment."""

    at_ns: int
    units: int
    server_ns: int
    client_ns: int
    machine_ns: int


@dataclass(frozen=True, slots=True)
class Quartiles:
    """Median and the quartiles around it."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Quartiles:
        """Quartiles of two values or more; the range of them is not exceeded."""
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(low, median, high)

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Explained:
    """One pair: the ratio of throughputs (dbdyno / tool), and the part of it that the clients' cost explains."""

    ratio: float
    client: float
    server: float
    processors: float

    @classmethod
    def of(cls, tool: Sample, dbdyno: Sample, *, pinned: bool) -> Explained:
        """The factors; their product is the ratio."""
        server_us = (tool.server_us + dbdyno.server_us) / 2
        if pinned:
            client = max(tool.client_us, server_us) / max(dbdyno.client_us, server_us)
            cost = max(tool.client_us, tool.server_us) / max(dbdyno.client_us, dbdyno.server_us)
        else:
            client = (tool.client_us + server_us) / (dbdyno.client_us + server_us)
            cost = (tool.client_us + tool.server_us) / (dbdyno.client_us + dbdyno.server_us)
        ratio = dbdyno.tps / tool.tps
        return cls(ratio, client, cost / client, ratio / cost)

    @property
    def unexplained(self) -> float:
        """The ratio without the clients' part."""
        return self.ratio / self.client


def compare(title: str, pair: ToolPair, server: Server, schedule: Schedule, *, pinned: bool) -> list[Explained]:
    """Run the pairs in the order tool, dbdyno, dbdyno, tool, ..., print the figures of both, and return the factors."""
    allowed = {SERVER_CPU} if pinned else set(range(os.cpu_count() or 1))
    _restrict(server, allowed)
    runs: dict[str, list[Sample]] = {"tool": [], "dbdyno": []}
    disturbed = 0
    while len(runs["tool"]) < schedule.pairs:
        sides = [("tool", pair.tool), ("dbdyno", pair.dbdyno)]
        ordered = sides if len(runs["tool"]) % 2 == 0 else sides[::-1]
        taken = {name: _run(client, pair.counters, server, schedule, pinned=pinned) for name, client in ordered}
        if max(sample.others for sample in taken.values()) > schedule.others and disturbed < schedule.pairs:
            disturbed += 1
            continue
        for name, sample in taken.items():
            runs[name].append(sample)
    factors = [Explained.of(*both, pinned=pinned) for both in zip(runs["tool"], runs["dbdyno"], strict=True)]
    where = f"client on processor {CLIENT_CPU}, server on {SERVER_CPU}" if pinned else "processors shared"
    print(
        f"{title}: {where}; {schedule.pairs} pairs, windows of {schedule.window} s, "
        f"{disturbed} disturbed pairs measured again"
    )
    for name, samples in runs.items():
        print(f"  {name:<7}{_median_line(samples)}")
    for label, of in _LINES:
        print(f"  {label:<48}{Quartiles.of([of(pair) for pair in factors])}")
    print(flush=True)
    return factors


def wait_for_idle_machine(processors: float) -> None:
    """Return when all processes together used less than so many processors for some seconds."""
    used = processors + 1
    while used > processors:
        before_ns, began_ns = _machine_ns(), time.monotonic_ns()
        time.sleep(IDLE_FOR_S)
        used = (_machine_ns() - before_ns) / (time.monotonic_ns() - began_ns)


_LINES: list[tuple[str, Callable[[Explained], float]]] = [
    ("throughput, dbdyno / tool", lambda pair: pair.ratio),
    ("explained by the clients' cost", lambda pair: pair.client),
    ("not explained by it", lambda pair: pair.unexplained),
    ("  of that: server time an event", lambda pair: pair.server),
    ("  of that: processors busy", lambda pair: pair.processors),
]


def _median_line(samples: list[Sample]) -> str:
    tps, client, server, busy, others = (
        statistics.median(getattr(sample, name) for sample in samples) for name in Sample.__slots__
    )
    return (
        f"{tps:>9,.0f} events/s; an event costs the client {client:,.0f} µs, the server {server:,.0f} µs; "
        f"both use {busy:.2f} processors, others {others:.2f}"
    )


def _restrict(server: Server, processors: set[int]) -> None:
    """All threads of the server, and so those that they start."""
    for task in Path(f"/proc/{server.pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), processors)


def _run(client: Client, counters: tuple[str, ...], server: Server, schedule: Schedule, *, pinned: bool) -> Sample:
    ramp = schedule.ramp + client.warm_up
    command = client.timed(ramp + schedule.window + 1)
    with tempfile.TemporaryFile("w+") as output, server.connect() as connection:
        before = _units(connection, counters)
        process = _start(command, output.fileno(), pinned=pinned)
        try:
            _wait_for_load(connection, counters, process)
            time.sleep(ramp)
            first = _read(connection, counters, server, process.pid)
            time.sleep(schedule.window)
            last = _read(connection, counters, server, process.pid)
            code = process.wait(ENDS_WITHIN_S)
        except FileNotFoundError:  # no such process any more
            code = process.wait() or 1
        finally:
            process.kill()
        units = _units(connection, counters) - before
        output.seek(0)
        text = output.read()
    if code:
        sys.exit(f"error: {command.argv[0]} ended with exit code {code}\n{text[-2000:]}")
    return _sample(first, last, units_per_event=units / client.events(text))


def _wait_for_load(connection: ServerConnection, counters: tuple[str, ...], process: subprocess.Popen[bytes]) -> None:
    """Return when a client has started, logged in and begun, or has ended already."""
    last = _units(connection, counters)
    while process.poll() is None:
        time.sleep(0.1)
        units = _units(connection, counters)
        if units - last >= BEGUN:
            return
        last = units


def _start(command: Command, output: int, *, pinned: bool) -> subprocess.Popen[bytes]:
    argv = ["taskset", "--cpu-list", str(CLIENT_CPU), *command.argv] if pinned else command.argv
    environment = {**os.environ, **command.environment}
    return subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT, cwd=command.cwd, env=environment)


def _sample(first: Reading, last: Reading, *, units_per_event: float) -> Sample:
    window_ns = last.at_ns - first.at_ns
    events = (last.units - first.units) / units_per_event
    client_ns, server_ns = last.client_ns - first.client_ns, last.server_ns - first.server_ns
    return Sample(
        tps=events / (window_ns / 1e9),
        client_us=client_ns / events / 1e3,
        server_us=server_ns / events / 1e3,
        busy=(client_ns + server_ns) / window_ns,
        others=(last.machine_ns - first.machine_ns - client_ns - server_ns) / window_ns,
    )


def _read(connection: ServerConnection, counters: tuple[str, ...], server: Server, client: int) -> Reading:
    units = _units(connection, counters)
    assert server.pid is not None
    return Reading(time.monotonic_ns(), units, process_ns(server.pid), process_ns(client), _machine_ns())


def _units(connection: ServerConnection, counters: tuple[str, ...]) -> int:
    names = ", ".join(f"'{name}'" for name in counters)
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW GLOBAL STATUS WHERE Variable_name IN ({names})")
        return sum(int(str(value)) for _, value in cursor.fetchall())


def process_ns(pid: int) -> int:
    """User and system time of a process with all its threads, those that have ended, too."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_NS


def _machine_ns() -> int:
    """Time of all processors that was not idle, waited for a disk, or taken by the hypervisor."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:8])
    return (user + nice + system + irq + softirq) * _TICK_NS
