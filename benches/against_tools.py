"""dbdyno-load's TPC-C and LinkBench beside the tools that they imitate, on one real server: client CPU, in pairs.

usage: .venv/bin/python benches/against_tools.py [--sysbench-tpcc DIR] [--go-tpc PROGRAM]
                                                 [--linkbench DIR --connector JAR]

None of the tools comes with dbdyno; what is not named is skipped and said. sysbench-tpcc: a checkout of Percona-Lab's
scripts, with sysbench installed. go-tpc: the program, built from pingcap's sources. LinkBench: a checkout of
facebookarchive's in which `mvn package` has run, and the JAR of Connector/J 8, since the one that it names can't log in
to MariaDB.

Both sides of a pair run one after the other against the same private server. CPU is user + system time of the client
process as the kernel accounts it; start-up is left out, measured by a run of one event. LinkBench's JVM compiles while
it runs, so LinkBench is told twice: a whole run with the start of the JVM, and the last three quarters of it alone, by
the difference to a shorter run. Exit code 1 if a ratio is above its limit.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from real_server import private_server, reap

from dbdyno.configure import Server

LOAD = Path(sys.executable).with_name("dbdyno-load")
WAREHOUSES = 2
NODES = 50_000
REQUESTS = 4_000
"""Of each requester of LinkBench."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a comparison needs."""

    server: Server
    socket: str
    connections: int
    seconds: int
    scratch: Path

    @property
    def password(self) -> str:
        """Of the load's own user."""
        assert self.server.endpoint.password_file is not None
        return self.server.endpoint.password_file.read_text().strip()

    def make_schema(self, schema: str) -> bool:
        """An empty one; false if it is there already, with what it holds."""
        with self.server.connect() as connection, connection.cursor() as cursor:
            return bool(cursor.execute(f"CREATE DATABASE IF NOT EXISTS {schema}"))

    def load(self, command: str, workload: list[str], schema: str, where: list[str], *how: str) -> tuple[int, int]:
        """A command of dbdyno-load: events and CPU nanoseconds."""
        endpoint = self.server.endpoint
        argv = [str(LOAD), command, *workload, *where, f"--user={endpoint.user}", f"--database={schema}", "--tls=off"]
        output, cpu_ns = reap([*argv, f"--password-file={endpoint.password_file}", *how])
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        return (lines[-1].get("completed", 0) if lines else 0), cpu_ns

    def ours(self, workload: list[str], schema: str, where: list[str]) -> Callable[[], float]:
        """CPU time of dbdyno-load an event, in µs, without its start-up, which is measured now."""
        how = [f"--concurrency={self.connections}", "--warm-up=0s", "--json-lines=-"]
        start_ns = self.load("run", workload, schema, where, *how, "--events=1")[1]

        def once() -> float:
            events, cpu_ns = self.load("run", workload, schema, where, *how, f"--time={self.seconds}s")
            return (cpu_ns - start_ns) / events / 1e3

        return once

    @property
    def over_tcp(self) -> list[str]:
        """Arguments that take dbdyno-load to the server's port."""
        return ["--host=127.0.0.1", f"--port={self.server.endpoint.port}"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A tool beside ours: the limit of the ratio, and a run of either, or why there is none."""

    title: str
    limit: float
    missing: str | None
    sides: Callable[[Bench], tuple[Callable[[], float], Callable[[], float]]]

    def held(self, bench: Bench, pairs: int) -> bool:
        """Measure, print a line, and say whether the limit holds."""
        ours, theirs = self.sides(bench)
        taken = [(theirs(), ours()) for _ in range(pairs)]
        ratios = [b / a for a, b in taken]
        tool_us, our_us = (statistics.median(column) for column in zip(*taken, strict=True))
        ratio = statistics.median(ratios)
        spread = f"{ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), limit {self.limit}"
        print(f"{self.title:<36} tool {tool_us:,.0f} µs, dbdyno-load {our_us:,.0f} µs: {spread}", flush=True)
        return ratio <= self.limit


def main() -> int:
    """Start the server, compare what is there; 1 if a limit is broken."""
    choices = _choices()
    comparisons = _comparisons(choices)
    for comparison in comparisons:
        if comparison.missing:
            print(f"{comparison.title:<36} skipped: {comparison.missing}", flush=True)
    present = [comparison for comparison in comparisons if not comparison.missing]
    return _compared(present, choices) if present else 0


def _compared(comparisons: Sequence[Comparison], choices: argparse.Namespace) -> int:
    with (
        private_server(choices.engine, "loopback", 4 * choices.connections) as server,
        tempfile.TemporaryDirectory(prefix="dbdyno-bench-") as scratch,
    ):
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@socket")
            (socket,) = cursor.fetchone() or ("",)
        bench = Bench(server, str(socket), choices.connections, choices.seconds, Path(scratch))
        print(f"{server.installation.title}, {choices.connections} connections, {choices.pairs} pairs; µs an event\n")
        held = [comparison.held(bench, choices.pairs) for comparison in comparisons]
    return int(not all(held))


def _comparisons(choices: argparse.Namespace) -> list[Comparison]:
    no_scripts = None if choices.sysbench_tpcc else "no --sysbench-tpcc"
    no_sysbench = None if shutil.which("sysbench") else "sysbench is not installed"
    no_go_tpc = None if choices.go_tpc else "no --go-tpc"
    no_java = None if shutil.which("java") else "java is not installed"
    no_linkbench = None if choices.linkbench and choices.connector else "no --linkbench and --connector"
    return [
        Comparison(
            "sysbench-tpcc (socket)", 0.6, no_scripts or no_sysbench, lambda bench: _lua(bench, choices.sysbench_tpcc)
        ),
        Comparison("go-tpc (TCP)", 0.7, no_go_tpc, lambda bench: _go_tpc(bench, choices.go_tpc)),
        Comparison(
            "LinkBench (TCP), whole run",
            0.3,
            no_linkbench or no_java,
            lambda bench: _java(bench, choices.linkbench, choices.connector, few=0),
        ),
        Comparison(
            "LinkBench (TCP), JVM warm",
            0.5,
            no_linkbench or no_java,
            lambda bench: _java(bench, choices.linkbench, choices.connector, few=1_000),
        ),
    ]


def _lua(bench: Bench, scripts: Path) -> tuple[Callable[[], float], Callable[[], float]]:
    schema, workload = "dbdyno_lua", ["tpcc/sysbench-tpcc", f"--scale={WAREHOUSES}"]
    where = [f"--socket={bench.socket}"]
    bench.make_schema(schema)
    bench.load("populate", workload, schema, where)
    config = bench.scratch / "sysbench.cnf"
    config.write_text(f"mysql-password={bench.password}\n")
    config.chmod(0o600)
    argv = ["sysbench", f"--config-file={config}", "tpcc.lua", "--db-driver=mysql", f"--mysql-socket={bench.socket}"]
    argv += [f"--mysql-user={bench.server.endpoint.user}", f"--mysql-db={schema}", "--tables=1"]
    argv += [f"--scale={WAREHOUSES}", f"--threads={bench.connections}"]

    def run(*limit: str) -> tuple[int, int]:
        output, cpu_ns = reap([*argv, *limit, "run"], cwd=scripts)
        return int(_figure(r"transactions:\s+(\d+)", output)), cpu_ns

    start_ns = run("--time=0", "--events=1")[1]

    def theirs() -> float:
        events, cpu_ns = run(f"--time={bench.seconds}")
        return (cpu_ns - start_ns) / events / 1e3

    return bench.ours(workload, schema, where), theirs


def _go_tpc(bench: Bench, program: Path) -> tuple[Callable[[], float], Callable[[], float]]:
    """Its password would stand in an argument, so it gets a user without one; the server listens on loopback alone."""
    schema, workload = "dbdyno_standard", ["tpcc/standard", f"--warehouses={WAREHOUSES}", "--keyandthink=off"]
    workload += ["--mix=weights"]
    bench.make_schema(schema)
    bench.load("populate", workload, schema, bench.over_tcp)
    bench.make_schema("go_tpc")
    with bench.server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE USER go_tpc@'127.0.0.1'")
        cursor.execute("GRANT ALL ON go_tpc.* TO go_tpc@'127.0.0.1'")
    argv = [str(program), "tpcc", "-H", "127.0.0.1", "-P", str(bench.server.endpoint.port), "-U", "go_tpc"]
    argv += ["-D", "go_tpc", "--warehouses", str(WAREHOUSES)]
    reap([*argv, "-T", "4", "prepare"])
    run = [*argv, "-T", str(bench.connections), "--ignore-error", "--silence"]
    start_ns = reap([*run, "--count", str(bench.connections), "run"])[1]  # one event each

    def theirs() -> float:
        output, cpu_ns = reap([*run, "--time", f"{bench.seconds}s", "run"])
        counts = re.findall(r"^\[Summary\] (\w+) - .*?Count: (\d+)", output, re.MULTILINE)
        events = sum(int(count) for name, count in counts if not name.endswith("_ERR"))
        return (cpu_ns - start_ns) / events / 1e3

    return bench.ours(workload, schema, bench.over_tcp), theirs


def _java(bench: Bench, folder: Path, connector: Path, few: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Without what a run of `few` requests of each requester costs."""
    schema, data = "dbdyno_linkbench", folder / "config" / "Distribution.dat"
    workload = ["linkbench", f"--maxid1={NODES + 1}", f"--data-file={data}"]
    if bench.make_schema(schema):
        bench.load("populate", workload, schema, bench.over_tcp)
    endpoint = bench.server.endpoint
    settings = {
        **{"linkstore": "com.facebook.LinkBench.LinkStoreMysql", "nodestore": "com.facebook.LinkBench.LinkStoreMysql"},
        **{"workload_file": folder / "config" / "FBWorkload.properties", "data_file": data, "maxid1": NODES + 1},
        **{"host": "127.0.0.1", "port": endpoint.port, "user": endpoint.user, "password": bench.password},
        **{"dbid": schema, "linktable": "linktable", "counttable": "counttable", "nodetable": "nodetable"},
        **{"debuglevel": "WARN", "progressfreq": 300, "displayfreq": 1800, "maxsamples": 10_000, "loaders": 1},
        **{"load_progress_interval": 50_000, "req_progress_interval": 100_000, "generate_nodes": "true"},
        **{"loader_chunk_size": 2048, "requestrate": 0, "maxtime": 100_000, "warmup_time": 0},
        **{"max_failed_requests": 100, "requesters": bench.connections},
    }
    config = bench.scratch / "linkbench.properties"
    config.touch(mode=0o600)
    argv = ["java", "-Xmx1000m", "-cp", f"{connector}:{folder / 'target' / 'FacebookLinkBench.jar'}"]
    argv += ["com.facebook.LinkBench.LinkBenchDriver", "-c", str(config), "-r"]

    def cpu_ns(requests: int) -> int:
        lines = {**settings, "requests": requests}.items()
        config.write_text("".join(f"{name} = {value}\n" for name, value in lines))
        return reap(argv, cwd=folder, environment={"LINKBENCH_HOME": str(folder)})[1]

    def theirs() -> float:
        before_ns = cpu_ns(few) if few else 0
        return (cpu_ns(REQUESTS) - before_ns) / ((REQUESTS - few) * bench.connections) / 1e3

    return bench.ours(workload, schema, bench.over_tcp), theirs


def _figure(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"error: no '{pattern}' in:\n{text}")
    return float(found[1])


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--engine", default="mariadb:10.11")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--sysbench-tpcc", type=Path, metavar="DIR")
    parser.add_argument("--go-tpc", type=Path, metavar="PROGRAM")
    parser.add_argument("--linkbench", type=Path, metavar="DIR")
    parser.add_argument("--connector", type=Path, metavar="JAR")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
