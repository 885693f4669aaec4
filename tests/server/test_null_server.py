"""Other people's clients against the null server: sysbench 1.0.20, the Go driver, Connector/J."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from null_server import NullServer

CLIENTS = Path(__file__).parents[1] / "clients"
CONNECTOR_J = "com.mysql:mysql-connector-j:8.4.0"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
TABLES = 2
THREADS = 4

# What both client programs do in their 50 transactions.
SEEN = {"version": "8.0.99-dbdyno-null", "points": 50, "rows": 50 * 102, "changed": 50, "commits": 50}

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder with a short name, because a socket lies in it; skips where the null server is not built."""
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    path = Path(tempfile.mkdtemp(prefix="dbdyno-", dir="/tmp"))
    yield path
    LocalHost().remove_tree(path)


@pytest.fixture(params=["old end of rows", "new end of rows"])
def server(folder: Path, request: pytest.FixtureRequest) -> Iterator[NullServer]:
    """A null server that does and one that does not offer results without EOF packets."""
    options = ["--listen", "127.0.0.1:0"]
    if request.param == "old end of rows":
        options.append("--no-deprecate-eof")
    with NullServer(folder, *options) as server:
        yield server


def run(argv: list[str], what: str, **more: Any) -> str:
    """What a program says, once it has ended well."""
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False, **more)
    assert done.returncode == 0, f"{what}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def sysbench(server: NullServer, script: str, mode: str, events: int) -> dict[str, int]:
    """Counts of a run of sysbench, which ends itself at the first error."""
    argv = ["sysbench", script, "--db-driver=mysql", f"--mysql-socket={server.socket}", "--mysql-user=any"]
    argv += ["--mysql-password=anything", f"--tables={TABLES}", "--table-size=1000", f"--threads={THREADS}"]
    argv += [f"--db-ps-mode={mode}", f"--events={events}", "--time=0", "run"]
    out = run(argv, f"sysbench {script}")
    names = ("read", "write", "other", "transactions", "ignored errors")
    found = {name: re.search(rf"^ +{name}: +(\d+)", out, re.MULTILINE) for name in names}
    return {name: int(match[1]) for name, match in found.items() if match}


@pytest.mark.skipif(shutil.which("sysbench") is None, reason="needs sysbench 1.0.20")
class TestSysbench:
    """The reference tool reads every row, so a wrong shape would end it."""

    @pytest.mark.parametrize("mode", ["auto", "disable"])
    def test_reads_and_writes_and_the_counts_of_both_sides_are_equal(self, server: NullServer, mode: str) -> None:
        counts = sysbench(server, "oltp_read_write", mode, events=200)
        statistics = server.stop()
        assert counts == {"read": 2800, "write": 800, "other": 400, "transactions": 200, "ignored errors": 0}
        statements = statistics["statements"]
        assert statements["point_select"] == 2000
        once = ("begin", "commit", "simple_range", "sum_range", "order_range", "distinct_range", "index_update")
        for kind in (*once, "non_index_update", "delete", "insert"):
            assert statements[kind] == 200, kind
        assert statements.get("prepare", 0) == (0 if mode == "disable" else THREADS * (2 + 9 * TABLES))
        assert statistics["errors"] == {}

    @pytest.mark.parametrize("mode", ["auto", "disable"])
    def test_selects_points(self, server: NullServer, mode: str) -> None:
        counts = sysbench(server, "oltp_point_select", mode, events=5000)
        assert counts == {"read": 5000, "write": 0, "other": 0, "transactions": 5000, "ignored errors": 0}
        assert server.stop()["statements"]["point_select"] == 5000

    @pytest.mark.parametrize("script", ["select_random_points", "select_random_ranges"])
    def test_selects_lists_and_ranges(self, folder: Path, script: str) -> None:
        with NullServer(folder) as server:
            argv = ["sysbench", script, "--db-driver=mysql", f"--mysql-socket={server.socket}", "--mysql-user=any"]
            run([*argv, "--table-size=1000", "--events=100", "--time=0", "run"], script)
            kind = script.removeprefix("select_")
            assert server.stop()["statements"][kind] == 100

    def test_its_tables_can_be_prepared(self, folder: Path) -> None:
        with NullServer(folder) as server:
            argv = ["sysbench", "oltp_read_write", "--db-driver=mysql", f"--mysql-socket={server.socket}"]
            run([*argv, "--mysql-user=any", "--table-size=20000", "prepare"], "sysbench prepare")
            assert server.stop()["bytes_received"] > 20000 * 180

    def test_ignores_the_errors_that_it_is_meant_to_ignore(self, folder: Path) -> None:
        with NullServer(folder, "--errors", "1213:every=10", "--errors-on", "commit") as server:
            counts = sysbench(server, "oltp_read_write", "auto", events=90)
            statistics = server.stop()
        assert counts["transactions"] == 90
        assert counts["ignored errors"] == statistics["errors"]["1213"]
        assert statistics["statements"]["commit"] == 90 + counts["ignored errors"]


@pytest.fixture(scope="module")
def go_client(folder: Path) -> Path:
    """The Go program, built with the modules of the cache or of the module proxy."""
    if shutil.which("go") is None:
        pytest.skip("needs go")
    program = folder / "goclient"
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false"}
    source = CLIENTS / "go"
    fetched = subprocess.run(
        ["go", "mod", "download"], cwd=source, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    if fetched.returncode != 0:
        pytest.skip(f"the Go driver can't be had here: {fetched.stderr[-300:]}")
    run(["go", "build", "-o", str(program), "."], "go build", cwd=source, env=environment)
    return program


@pytest.mark.parametrize("parameters", ["", "?interpolateParams=true"])
@pytest.mark.parametrize("route", ["socket", "loopback"])
def test_the_go_driver_sees_what_was_answered(server: NullServer, go_client: Path, route: str, parameters: str) -> None:
    address = f"unix({server.socket})" if route == "socket" else f"tcp(127.0.0.1:{server.ready['port']})"
    out = run([str(go_client), f"any:anything@{address}/sbtest{parameters}"], "the Go client")
    assert json.loads(out) == SEEN
    statements = server.stop()["statements"]
    assert (statements["point_select"], statements["order_range"]) == (50, 50)


@pytest.fixture(scope="module")
def connector_j(folder: Path) -> Path:
    """The driver's archive, from Maven's own store or from the central one."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    argv = ["mvn", "-q", "-B", COPY, f"-Dartifact={CONNECTOR_J}", f"-DoutputDirectory={folder}"]
    # Offline first: a store that holds the archive needs no network.
    for offline in (["-o"], []):
        got = subprocess.run([*argv, *offline], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        if got.returncode == 0:
            break
    else:
        pytest.skip(f"Connector/J can't be had here: {got.stdout[-300:]}")
    run(["javac", "-d", str(folder), str(CLIENTS / "java" / "NullClient.java")], "javac")
    return next(folder.glob("mysql-connector-j-*.jar"))


@pytest.mark.parametrize("prepared", [False, True])
def test_connector_j_sees_what_was_answered(server: NullServer, connector_j: Path, prepared: bool) -> None:
    options = f"sslMode=DISABLED&useServerPrepStmts={str(prepared).lower()}"
    address = f"jdbc:mysql://127.0.0.1:{server.ready['port']}/sbtest?{options}"
    path = f"{connector_j}:{connector_j.parent}"
    out = run(["java", "-Xshare:auto", "-cp", path, "NullClient", address], "the Java client")
    assert json.loads(out) == SEEN
    statements = server.stop()["statements"]
    assert statements["point_select"] == 50
    assert (statements.get("prepare", 0) > 0) is prepared
