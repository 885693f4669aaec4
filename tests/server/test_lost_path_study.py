"""A real server on a host of its own, whose cable is pulled: under a load of long statements, and under a study."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import RunRecord
from dbdyno.store import StoredStudy
from far_server import FarServer, far_server
from load_runs import LoadRun, RunningLoad

pytestmark = pytest.mark.server
ENGINE = "mariadb:11.8"
STUDY = """
targets = ["mariadb@server:far"]
workload = {{name = "oltp_read_write", tables = 1, rows = 500}}
axes = {{tier = "64MB", concurrency = 2, route = "loopback"}}
pacing = {{rate_per_s = 50}}
measure = {{warm_up = "1s", window = "7s", settle = "0s", repeats = 2, equivalence_events = 0}}

[servers.far]
host = "{host}"
port = 3306
user = "far"
password_file = "{password_file}"
tls = "off"
"""
PONDER = """
description = "Statements that take four seconds"

[transactions.ponder]
statements = ["SELECT SLEEP(4)"]
"""


@pytest.fixture(scope="module")
def far(laboratory: Any) -> Iterator[FarServer]:
    with far_server(laboratory.installation(ENGINE), laboratory.data_directory(ENGINE)) as far:
        yield far


def pondering(far: FarServer, folder: Path, arguments: Sequence[str]) -> RunningLoad:
    """A load of statements that take four seconds: nothing is on the cable meanwhile."""
    (folder / "ponder").mkdir()
    (folder / "ponder" / "workload.toml").write_text(PONDER)
    whole = ["--warm-up", "0s", "--threads", "2", *arguments]
    return RunningLoad(f"sql:{folder / 'ponder'}", far.target, whole, folder, launcher=far.client.command())


def test_a_cable_pulled_while_a_real_server_ponders_is_noticed(far: FarServer, tmp_path: Path) -> None:
    """Every request was acknowledged before: only a question of its own shows that nobody is there any more."""
    with pondering(far, tmp_path, ["--time", "20s", "--path-timeout", "4s", "--database", "mysql"]) as load:
        time.sleep(1.5)
        far.host.cut()
        run: LoadRun = load.finish(30)
    far.host.mend()
    assert (run.exit_code, run.end["status"], run.end["failure_kind"]) == (3, "failed", "network"), run.end
    assert [outage["cause"] for outage in run.end["outages"]] == ["network"]


def test_a_study_fails_the_run_whose_path_was_lost_and_goes_on(far: FarServer, tmp_path: Path) -> None:
    study, results = tmp_path / "study.toml", tmp_path / "results"
    study.write_text(STUDY.format(host=far.host.address, password_file=far.password_file))
    dbdyno = str(Path(sys.executable).with_name("dbdyno"))
    selects = far.status("Com_select")
    argv = far.client.command(dbdyno, "run", str(study), "-o", str(results), "--no-calibrate")
    with (tmp_path / "out").open("wb") as out, subprocess.Popen(argv, stdout=out, stderr=out) as process:
        try:
            _await(lambda: far.status("Com_select") > selects + 500, process, tmp_path / "out")
            time.sleep(1.5)
            far.host.cut()
            time.sleep(5)
            far.host.mend()
            assert process.wait(90) == 1, (tmp_path / "out").read_text()
        finally:
            process.kill()
    lost, next_one = _records(results)
    assert (lost.status, lost.fault) == ("failed", "network"), lost.reason
    assert lost.reason.startswith("network: the path to 10.97.0.2:3306 was lost from second ")
    # On a busy machine the client may have been short of a processor: it was measured, that is the point.
    assert next_one.status in ("good", "suspect") and not next_one.fault, next_one.reason
    end = StoredStudy.open(results).document(lost.run.run_id, "end")
    assert (end["failure_kind"], [outage["cause"] for outage in end["outages"]]) == ("network", ["network"])
    told = (tmp_path / "out").read_text()
    assert "network: the path to" in told


def _await(condition: Any, process: subprocess.Popen[bytes], out: Path) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline, out.read_text()[-3000:]
        time.sleep(0.1)


def _records(results: Path) -> list[RunRecord]:
    return sorted(StoredStudy.open(results).records(), key=lambda record: record.span.started_ns)
