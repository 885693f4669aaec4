"""A network that becomes longer while a load runs is found after the load. The host is a namespace on a cable."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from network_host import inside
from remote_hosts import Cable, RemoteMachine, comes_true, remote_machines
from server.test_network_share import _MAIN, ENGINE, STUDY

pytestmark = pytest.mark.server


def test_a_cable_that_becomes_longer_during_the_load_is_a_caveat(tmp_path: Path) -> None:
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    with remote_machines(tmp_path, "db1", cable=Cable(1.0)) as (machine,):
        text = STUDY.replace("ADDRESS", machine.address).replace('["loopback", "network"]', '"network"')
        (tmp_path / "far.toml").write_text(text.replace('"4s"', '"14s"').replace("repeats = 2", "repeats = 1"))
        words = ["run", str(tmp_path / "far.toml"), "--force", "--no-calibrate", "-o", str(tmp_path / "out")]
        command = [*inside(machine.switch), sys.executable, "-c", _MAIN, *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert comes_true(lambda: _is_driven(machine) or process.poll() is not None, 200)
            time.sleep(4)
            machine.exchange_cable(Cable(10.0))
            printed = process.communicate(timeout=200)[0]
    assert process.returncode == 0, printed
    stored = StoredStudy.open(tmp_path / "out")
    (record,) = stored.records()
    network = stored.document(record.run.run_id, "telemetry")["network"]
    assert network["round_trip_ns"] < 5e6 < 9e6 < network["round_trip_after_ns"], network
    assert "network-changed" in [caveat.code for caveat in record.caveats]


def _is_driven(machine: RemoteMachine) -> bool:
    """Whether the load generator of the study runs: at the switch, as the study does."""
    network = Path(f"/proc/{machine.switch.pid}/ns/net").readlink()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes()
            if b"run\0--order" in words and (process / "ns/net").readlink() == network:
                return True
    return False
