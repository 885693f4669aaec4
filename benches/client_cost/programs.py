"""The clients and what a run of each of them costs."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from servers import NullServer

ROWS = 10_000
SCHEMA = "sbtest"
SYSBENCH_SCRIPT = {"point_select": "oltp_point_select", "read_write": "oltp_read_write"}
STATEMENTS_A_TRANSACTION = {"point_select": 1, "read_write": 20}


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of one client did and cost."""

    statements: int
    errors: int
    cpu_us: float
    peak_rss_bytes: int = 0
    bytes_received: int = 0

    @property
    def us_a_statement(self) -> float:
        """CPU time a statement, µs."""
        return self.cpu_us / self.statements


@dataclass(frozen=True, slots=True)
class Clients:
    """Programs under comparison."""

    load: Path
    floor: Path
    parts: Path
    reference: Path | None
    """Folder of rawclient and nullserver, the reference in C, where their sources are beside the project."""
    sysbench: str | None
    cpu: int

    @classmethod
    def build(cls, root: Path, scratch: Path, *, client_cpu: int, load: Path) -> Clients:
        """Build the floors; allow as many open files as the system grants, for thousands of connections."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        packages = ["--package=dbdyno-bench-floor", "--package=dbdyno-bench-parts"]
        subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", *packages], cwd=root, check=True)
        built = Path(os.environ.get("CARGO_TARGET_DIR", root / "target")) / "release"
        return cls(
            load=load,
            floor=built / "dbdyno-bench-floor",
            parts=built / "dbdyno-bench-parts",
            reference=_reference(root.parent / "shared/bench", scratch / "reference"),
            sysbench=shutil.which("sysbench"),
            cpu=client_cpu,
        )

    def line(self) -> str:
        """One line for the screen."""
        floor = "rawclient --mode epoll" if self.reference else "benches/floor (rawclient's sources are not here)"
        sysbench = self.sysbench_version or "sysbench is not installed"
        return f"clients on processor {self.cpu}: {self.version}; floor: {floor}; {sysbench}"

    @property
    def version(self) -> str:
        """Name and version of dbdyno-load."""
        return _version(str(self.load))

    @property
    def sysbench_version(self) -> str | None:
        """Name and version of sysbench, if it is there."""
        return _version(self.sysbench) if self.sysbench else None

    def dbdyno(self, server: NullServer, workload: str, route: str, connections: int, *limit: str) -> Run:
        """A run of dbdyno-load with a sysbench workload, start-up included."""
        return self.drive(
            server, [f"sysbench/oltp_{workload}", f"--table-size={ROWS}"], route, f"--concurrency={connections}", *limit
        )

    def drive(self, server: NullServer, workload: Sequence[str], route: str, *how: str) -> Run:
        """A run of dbdyno-load with any workload and its options, start-up included."""
        argv = [str(self.load), "run", *workload, *server.reach(route), "--user=root", "--tls=off"]
        argv += ["--no-password", f"--database={SCHEMA}", "--workers=1", "--warm-up=0s", "--json-lines=-", *how]
        output, usage = self._reap(argv)
        records = [json.loads(line) for line in output.splitlines()]
        intervals = [record for record in records if record["record"] == "interval"]
        kinds = [kind for record in intervals for kind in record["statements"].values()]
        if records[-1]["status"] != "complete":
            sys.exit(f"error: dbdyno-load did not complete: {records[-1]['reason']}")
        return Run(
            statements=sum(kind["completed"] for kind in kinds),
            errors=sum(sum(kind["errors"].values()) for kind in kinds),
            cpu_us=_cpu_us(usage),
            bytes_received=sum(record["bytes_received"] for record in intervals),
            # Not the kernel's account at the end, which counts the parent's memory before the exec too.
            peak_rss_bytes=records[-1]["peak_rss_bytes"],
        )

    def own_floor(self, server: NullServer, workload: str, route: str, connections: int, seconds: float) -> Run:
        """The floor of benches/floor, after its start-up; one connection blocks."""
        where = ["--socket", str(server.socket)] if route == "socket" else ["--port", str(server.port)]
        blocking = ["--blocking"] if connections == 1 else []
        words = ["--workload", workload, "--connections", str(connections), "--seconds", str(seconds), *blocking]
        return self._floor(*where, *words)

    def replay_floor(self, server: NullServer, script: Path, connections: int, seconds: float) -> Run:
        """The floor of benches/floor with statements from a file, after its start-up."""
        where = ["--socket", str(server.socket), "--connections", str(connections)]
        return self._floor(*where, "--script", str(script), "--seconds", str(seconds))

    def _floor(self, *words: str) -> Run:
        output, _ = self._reap([str(self.floor), *words])
        told = json.loads(output)
        return Run(told["statements"], told["errors"], told["cpu_ns"] / 1e3, bytes_received=int(told["bytes_received"]))

    def sample(self, workload: Sequence[str], events: int) -> list[str]:
        """The statements of so many events of one user, values written in."""
        argv = [str(self.load), "sample", *workload, f"--events={events}", "--protocol=text", "--json"]
        return [statement["sql"] for statement in json.loads(self._reap(argv)[0])]

    def reference_floor(
        self, server: NullServer, workload: str, route: str, connections: int, seconds: float
    ) -> Run | None:
        """The floor of rawclient, after its start-up; one connection blocks. `None` without its sources."""
        if self.reference is None:
            return None
        where = ["--socket", str(server.socket)] if route == "socket" else ["--port", str(server.port)]
        argv = [str(self.reference / "rawclient"), *where, "--conns", str(connections), "--seconds", str(seconds)]
        argv += ["--mode", "threads" if connections == 1 else "epoll", "--table-size", str(ROWS)]
        argv += ["--workload", {"point_select": "point", "read_write": "rw"}[workload]]
        output, _ = self._reap(argv)
        told = dict(pair.split("=") for pair in output.split())
        cpu_us = (float(told["user"]) + float(told["sys"])) * 1e6
        return Run(int(told["queries"]), int(told["errors"]), cpu_us)

    def run_sysbench(self, server: NullServer, workload: str, route: str, threads: int, statements: int) -> Run | None:
        """A run of sysbench with prepared statements, start-up included. `None` where it is not installed."""
        if self.sysbench is None:
            return None
        events = max(1, statements // STATEMENTS_A_TRANSACTION[workload])
        where = [f"--mysql-socket={server.socket}"]
        if route != "socket":
            where = ["--mysql-host=127.0.0.1", f"--mysql-port={server.port}"]
        argv = [self.sysbench, SYSBENCH_SCRIPT[workload], "--db-driver=mysql", *where, "--mysql-user=root"]
        argv += ["--mysql-db=sbtest", f"--table-size={ROWS}", f"--threads={threads}", "--time=0", f"--events={events}"]
        output, usage = self._reap([*argv, "run"])
        queries = re.search(r"queries:\s+(\d+)", output)
        errors = re.search(r"ignored errors:\s+(\d+)", output)
        if queries is None or errors is None:
            sys.exit(f"error: sysbench printed no account:\n{output}")
        return Run(int(queries[1]), int(errors[1]), _cpu_us(usage))

    def part(self, *words: str) -> float:
        """The one figure of a part by itself."""
        return float(self._reap([str(self.parts), *words])[0])

    def _reap(self, argv: Sequence[str]) -> tuple[str, resource.struct_rusage]:
        """Standard output and the kernel's account of a command run on the clients' processor."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(["taskset", "-c", str(self.cpu), *argv], stdout=output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"error: exit code {process.returncode} of {' '.join(argv)}")
            output.seek(0)
            return output.read(), usage


def _reference(sources: Path, build: Path) -> Path | None:
    if not (sources / "rawclient.c").exists():
        return None
    made: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["make", "-C", str(sources), f"BUILD={build}", "URING=0"], **made)
    return build


def _cpu_us(usage: resource.struct_rusage) -> float:
    return (usage.ru_utime + usage.ru_stime) * 1e6


@cache
def _version(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
