"""The load generator calibrated on this machine, against its own null server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.measure.client import calibration_key, read_calibration

pytestmark = pytest.mark.server


def test_a_quick_calibration_is_made_once_kept_and_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path))
    assert main(["calibrate", "--quick", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    ceilings = {row["route"]: row["statements_per_s"] for row in made["ceilings"]}
    assert min(ceilings["socket"], ceilings["loopback"]) > 1_000
    kept = read_calibration(tmp_path, calibration_key(LocalHost(), find_generator()))
    assert kept is not None
    for route in ("socket", "loopback"):
        full, part, *_ = [point for point in kept.points if point.route == route]
        assert part.cpu_ns_per_statement > 2 * full.cpu_ns_per_statement  # a sleep and a wake-up for each
        curve = kept.curve(route, "sysbench/oltp_point_select")
        assert curve is not None
        assert curve.used_share(1.0) == 1.0
    assert main(["calibrate", "--quick"]) == 0
    printed = capsys.readouterr()
    assert "--redo measures again" in printed.out
    assert printed.err == ""  # nothing was driven a second time
