"""Each tool that dbdyno-load imitates, and dbdyno-load as that tool: tables filled, ready to run on one server.

The tools are not part of dbdyno: whoever runs a bench names a checkout or a program. sysbench-tpcc and HammerDB run on
the tables that dbdyno-load filled for both sides. LinkBench does, too. go-tpc has tables of its own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from real_server import reap

from dbdyno.configure import Server

LOAD = Path(sys.executable).with_name("dbdyno-load")
NODES = 50_000
UNLIMITED = 10**9
JVM_WARM_UP = 6
"""Seconds."""
COMMITS = ("Com_commit", "Com_rollback")
STATEMENTS = ("Questions",)


@dataclass(frozen=True, slots=True)
class Command:
    """A process to start."""

    argv: list[str]
    cwd: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def reap(self) -> tuple[str, int]:
        """Standard output and CPU nanoseconds of a whole run."""
        return reap(self.argv, cwd=self.cwd, environment=self.environment)


@dataclass(frozen=True, slots=True)
class Client:
    """A program that loads the server: for so many seconds, or for one event (its start-up alone)."""

    timed: Callable[[int], Command]
    single: Callable[[], Command]
    events: Callable[[str], int]
    """How many events it did, from its standard output."""
    warm_up: int = 0
    """Seconds under load until it is up to speed."""


@dataclass(frozen=True, slots=True)
class ToolPair:
    """A tool and dbdyno-load as that tool."""

    tool: Client
    dbdyno: Client
    counters: tuple[str, ...]
    """Counters of the server whose sum grows by the same number on both sides for an event."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What both sides of a pair need."""

    server: Server
    connections: int
    warehouses: int
    scratch: Path
    uses_protocol_of_tool: bool

    @property
    def socket(self) -> str:
        """Path of the server's socket, whatever its route."""
        with self.server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT @@socket")
            (path,) = cursor.fetchone() or ("",)
        return str(path)

    @property
    def over_socket(self) -> list[str]:
        """Arguments that take dbdyno-load to the server's socket."""
        return [f"--socket={self.socket}"]

    @property
    def over_tcp(self) -> list[str]:
        """Arguments that take dbdyno-load to the server's port."""
        return ["--host=127.0.0.1", f"--port={self.server.endpoint.port}"]

    @property
    def password_file(self) -> Path:
        """Of the load's own user."""
        assert self.server.endpoint.password_file is not None
        return self.server.endpoint.password_file

    def make_schema(self, schema: str) -> bool:
        """An empty one; false if it is there already, with what it holds."""
        with self.server.connect() as connection, connection.cursor() as cursor:
            return bool(cursor.execute(f"CREATE DATABASE IF NOT EXISTS {schema}"))

    def make_user_without_password(self, user: str, host: str, schema: str) -> None:
        """For a tool that takes its password from an argument; the server listens on loopback and its socket alone."""
        with self.server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE USER {user}@'{host}'")
            cursor.execute(f"GRANT ALL ON {schema}.* TO {user}@'{host}'")

    def load(self, command: str, workload: list[str], schema: str, where: list[str], *options: str) -> Command:
        """A command of dbdyno-load."""
        argv = [str(LOAD), command, *workload, *where, f"--user={self.server.endpoint.user}", f"--database={schema}"]
        return Command([*argv, "--tls=off", f"--password-file={self.password_file}", *options])

    def dbdyno(self, workload: list[str], schema: str, where: list[str], protocol: str) -> Client:
        """dbdyno-load on a schema; its tables are filled if the schema was not there.

        The protocol is the tool's if the bench compares throughput, since a server that parses each statement again has
        more to do; otherwise dbdyno-load's default.
        """
        if self.make_schema(schema):
            self.load("populate", workload, schema, where).reap()
        options = [f"--concurrency={self.connections}", "--warm-up=0s", "--json-lines=-"]
        if self.uses_protocol_of_tool:
            options.append(f"--protocol={protocol}")
        return Client(
            timed=lambda seconds: self.load("run", workload, schema, where, *options, f"--time={seconds}s"),
            single=lambda: self.load("run", workload, schema, where, *options, "--events=1"),
            events=_completed,
        )


def sysbench_tpcc(bench: Bench, scripts: Path) -> ToolPair:
    """Percona-Lab's scripts, over the socket."""
    schema, workload = "dbdyno_lua", ["tpcc/sysbench-tpcc", f"--scale={bench.warehouses}"]
    dbdyno = bench.dbdyno(workload, schema, bench.over_socket, "text")
    config = bench.scratch / "sysbench.cnf"
    config.touch(mode=0o600)
    config.write_text(f"mysql-password={bench.password_file.read_text().strip()}\n")
    argv = ["sysbench", f"--config-file={config}", "tpcc.lua", "--db-driver=mysql", f"--mysql-socket={bench.socket}"]
    argv += [f"--mysql-user={bench.server.endpoint.user}", f"--mysql-db={schema}", "--tables=1"]
    argv += [f"--scale={bench.warehouses}", f"--threads={bench.connections}"]
    tool = Client(
        timed=lambda seconds: Command([*argv, f"--time={seconds}", "run"], scripts),
        single=lambda: Command([*argv, "--time=0", "--events=1", "run"], scripts),
        events=lambda output: int(figure(r"transactions:\s+(\d+)", output)),
    )
    return ToolPair(tool, dbdyno, COMMITS)


def hammerdb(bench: Bench, checkout: Path, *, procedures: bool = True) -> ToolPair:
    """HammerDB's timed driver without its windows (hammerdb.tcl), over the socket."""
    schema, workload = "dbdyno_hammerdb", ["tpcc/hammerdb", f"--warehouses={bench.warehouses}", "--keyandthink=off"]
    workload += [] if procedures else ["--no-stored-procs=on"]
    dbdyno = bench.dbdyno(workload, schema, bench.over_socket, "text")
    options = {
        **{"mysql_socket": bench.socket, "mysql_user": bench.server.endpoint.user, "mysql_dbase": schema},
        **{"mysql_password_file": bench.password_file, "mysql_no_stored_procs": str(not procedures).lower()},
    }
    words = [str(word) for option in options.items() for word in option]
    script = Path(__file__).with_name("hammerdb.tcl")

    def timed(seconds: int) -> Command:
        return Command(["tclsh", str(script), str(checkout), str(bench.connections), str(seconds), *words])

    events = r"events: (\d+)"
    tool = Client(timed, single=lambda: timed(0), events=lambda output: int(figure(events, output)))
    return ToolPair(tool, dbdyno, COMMITS)


def go_tpc(bench: Bench, program: Path, *, payments_only: bool = False) -> ToolPair:
    """go-tpc beside the dialect `standard`, over TCP; for payments alone both send the same packets."""
    schema, workload = "dbdyno_standard", ["tpcc/standard", f"--warehouses={bench.warehouses}", "--keyandthink=off"]
    workload += ["--mix=weights", *(["--weights=0,100,0,0,0"] if payments_only else [])]
    dbdyno = bench.dbdyno(workload, schema, bench.over_tcp, "prepared")
    argv = [str(program), "tpcc", "-H", "127.0.0.1", "-P", str(bench.server.endpoint.port), "-U", "go_tpc"]
    argv += ["-D", "go_tpc", "--warehouses", str(bench.warehouses)]
    if bench.make_schema("go_tpc"):
        bench.make_user_without_password("go_tpc", "127.0.0.1", "go_tpc")
        reap([*argv, "-T", "4", "prepare", "--no-check"])  # its checks take minutes on MariaDB
    run = [*argv, "-T", str(bench.connections), "--ignore-error", "--silence"]
    weights = ["--weight", "0,100,0,0,0"] if payments_only else []
    tool = Client(
        timed=lambda seconds: Command([*run, "--time", f"{seconds}s", "run", *weights]),
        single=lambda: Command([*run, "--count", str(bench.connections), "run", *weights]),
        events=_summary_counts,
    )
    return ToolPair(tool, dbdyno, COMMITS)


@dataclass(frozen=True, slots=True)
class LinkBench:
    """LinkBench's driver on the tables of dbdyno-load, over TCP."""

    bench: Bench
    checkout: Path
    connector: Path
    schema: str = "dbdyno_linkbench"

    def dbdyno(self) -> Client:
        """dbdyno-load on the same tables."""
        workload = ["linkbench", f"--maxid1={NODES + 1}", f"--data-file={self._distribution}"]
        return self.bench.dbdyno(workload, self.schema, self.bench.over_tcp, "text")

    def command(self, *, requests: int, seconds: int) -> Command:
        """Until each requester has done its requests, or the seconds are over."""
        config = self.bench.scratch / "linkbench.properties"
        config.touch(mode=0o600)
        settings = {**self._settings(), "requests": requests, "maxtime": seconds}
        if requests < UNLIMITED:
            settings["debuglevel"] = "WARN"  # nobody counts the requests in its log
        config.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
        jars = f"{self.connector}:{self.checkout / 'target' / 'FacebookLinkBench.jar'}"
        argv = ["java", "-Xmx1000m", "-cp", jars, "com.facebook.LinkBench.LinkBenchDriver", "-c", str(config), "-r"]
        return Command(argv, self.checkout, {"LINKBENCH_HOME": str(self.checkout)})

    def pair(self) -> ToolPair:
        """Both sides for so many seconds."""
        tool = Client(
            timed=lambda seconds: self.command(requests=UNLIMITED, seconds=seconds),
            single=lambda: self.command(requests=1, seconds=100_000),
            events=lambda output: int(figure(r"REQUEST PHASE COMPLETED\. (\d+)", output)),
            warm_up=JVM_WARM_UP,
        )
        return ToolPair(tool, self.dbdyno(), STATEMENTS)

    @property
    def _distribution(self) -> Path:
        return self.checkout / "config" / "Distribution.dat"

    def _settings(self) -> dict[str, object]:
        endpoint, store = self.bench.server.endpoint, "com.facebook.LinkBench.LinkStoreMysql"
        password = self.bench.password_file.read_text().strip()
        return {
            **{"linkstore": store, "nodestore": store, "data_file": self._distribution, "maxid1": NODES + 1},
            **{"workload_file": self.checkout / "config" / "FBWorkload.properties"},
            **{"host": "127.0.0.1", "port": endpoint.port, "user": endpoint.user, "password": password},
            **{"dbid": self.schema, "linktable": "linktable", "counttable": "counttable", "nodetable": "nodetable"},
            **{"debuglevel": "INFO", "progressfreq": 300, "displayfreq": 1800, "maxsamples": 10_000, "loaders": 1},
            **{"load_progress_interval": 50_000, "req_progress_interval": 100_000_000, "generate_nodes": "true"},
            **{"loader_chunk_size": 2048, "requestrate": 0, "warmup_time": 0, "max_failed_requests": 100},
            **{"requesters": self.bench.connections},
        }


def figure(pattern: str, text: str) -> float:
    """The number that a pattern finds in a program's output; a text without it ends the bench."""
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"error: no '{pattern}' in:\n{text[-2000:]}")
    return float(found[1])


def _completed(output: str) -> int:
    records = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return int(records[-1]["completed"])


def _summary_counts(output: str) -> int:
    counts = re.findall(r"^\[Summary\] (\w+) - .*?Count: (\d+)", output, re.MULTILINE)
    return sum(int(count) for name, count in counts if not name.endswith("_ERR"))
