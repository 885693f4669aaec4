"""Studies with shaped routes, end to end. The host is a namespace, see `remote_hosts`.

A rate is tried for real; a delay only where the kernel has netem, elsewhere its refusal.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.configure import Interface, find_shaper
from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.hosts.remote import connect
from dbdyno.lab import find_generator
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from dbdyno.study import HostChoice, RouteChoice
from network_host import inside
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines

pytestmark = pytest.mark.server
ENGINE = "mariadb:11.8"
RATE = 8e6
LEASE = "from dbdyno.hosts.remote import connect; connect.__kwdefaults__['lease_s'] = 4; "
_MAIN = "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
STUDY = f"""\
name = "shaped"
targets = ["{ENGINE}"]
[workload]
name = "sysbench/oltp_read_only"
tables = 1
table_size = 2000
[axes]
tier = "64MB"
concurrency = 8
route = [ROUTES]
PACING[measure]
warm_up = "0s"
window = "WINDOWs"
repeats = 1
equivalence_events = 0
[hosts.db1]
ssh = "bench@db1"
address = "ADDRESS"
SUDO
[bench.a]
server = "db1"
"""
SLOW = '[routes.slow]\nrate = "8Mbit"\n'
PAUSES = '[pacing]\nthink = "20ms"\n'
WAN = '[routes.wan]\nrtt = "10ms"\nrate = "1Gbit"\n'


def write_study(
    folder: Path,
    machine: RemoteMachine,
    routes: str,
    shapes: str,
    *,
    window: int = 3,
    sudo: str = 'sudo = ["shape"]',
    pacing: str = PAUSES,
) -> Path:
    words = {"ROUTES": routes, "WINDOW": str(window), "SUDO": sudo, "PACING": pacing, "ADDRESS": machine.address}
    text = STUDY
    for name, value in words.items():
        text = text.replace(name, value)
    (folder / "shaped.toml").write_text(text + shapes)
    return folder / "shaped.toml"


def start(machine: RemoteMachine, *words: str, before: str = "") -> subprocess.Popen[str]:
    """The program, on the network that the host hangs on."""
    argv = [*inside(machine.switch), sys.executable, "-c", before + _MAIN, *words]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def is_unshaped(machine: RemoteMachine) -> bool:
    return machine.tc("qdisc", "show", "dev", "eth0").split()[:3] == ["qdisc", "noqueue", "0:"]


def has_netem(machine: RemoteMachine) -> bool:
    """Whether the kernel can delay packets."""
    try:
        machine.tc("qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")
    except subprocess.CalledProcessError:
        return False
    machine.tc("qdisc", "del", "dev", "lo", "root")
    return True


def refusal(machine: RemoteMachine, study: Path) -> str:
    """What a study is refused with, before anything of it was made."""
    process = start(machine, "run", str(study), "--force", "-o", str(study.parent / "out"))
    _, told = process.communicate(timeout=60)
    assert process.returncode == 3, told
    assert not (study.parent / "out").exists()
    return told


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteMachine]:
    """A host whose user may run `tc` by sudo."""
    if shutil.which("tc") is None:
        pytest.skip("tc is not installed (package iproute2)")
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1") as (made,):
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        made.allow_sudo()
        yield made


def test_a_study_that_can_not_be_shaped_is_refused_with_the_reason(machine: RemoteMachine, tmp_path: Path) -> None:
    study = write_study(tmp_path, machine, '"slow"', SLOW, sudo="")
    told = refusal(machine, study)
    assert "db1" in told and 'sudo = ["shape"]' in told
    assert "bench ALL=(root) NOPASSWD: /usr/sbin/tc" in told
    study = write_study(tmp_path, machine, '"slow"', SLOW)
    machine.allow_sudo(asks_for_password=True)
    try:
        told = refusal(machine, study)
    finally:
        machine.allow_sudo()
    assert "sudo: " in told and "bench ALL=(root) NOPASSWD: /usr/sbin/tc" in told
    machine.tc("qdisc", "add", "dev", "eth0", "root", "handle", "1:", "htb")
    try:
        told = refusal(machine, study)
    finally:
        machine.tc("qdisc", "del", "dev", "eth0", "root")
    assert "somebody has configured" in told and "qdisc htb 1: root" in told
    assert is_unshaped(machine)


def test_without_netem_a_delayed_route_is_refused_in_the_kernel_s_words(machine: RemoteMachine, tmp_path: Path) -> None:
    if has_netem(machine):
        pytest.skip("this kernel has netem")
    told = refusal(machine, write_study(tmp_path, machine, '"wan"', WAN))
    assert "'wan'" in told and "modprobe -a sch_netem" in told
    assert "sudo modprobe -a sch_netem" in told
    assert is_unshaped(machine)


def test_a_rate_limits_the_shaped_route_and_no_other(machine: RemoteMachine, tmp_path: Path) -> None:
    study = write_study(tmp_path, machine, '"loopback", "network", "slow"', SLOW, pacing="")
    process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "out"))
    told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert is_unshaped(machine)
    stored = StoredStudy.open(tmp_path / "out")
    records = {record.run.cell.route: record for record in stored.records()}
    assert {route: record.status for route, record in records.items()} == dict.fromkeys(records, "good")
    received = {}
    for route, record in records.items():
        rows = [row for row in stored.seconds(record.run.run_id).rows() if row["phase"] == "window"]
        # On a busy machine the load leaves the network idle in some seconds; no second may exceed the rate.
        received[route] = max(8 * row["bytes_received"] for row in rows)
    assert 0.85 * RATE < received["slow"] < 1.02 * RATE
    assert min(received["loopback"], received["network"]) > 2 * RATE
    shaping = stored.document(records["slow"].run.run_id, "telemetry")["shaping"]
    assert 0.85 * RATE < shaping["reply_bits_per_s"] < 1.1 * RATE
    assert any("tbf rate 8000000bit" in words for words in shaping["commands"])
    assert "shaping" not in stored.document(records["network"].run.run_id, "telemetry")
    assert "slow: network with 8 Mbit/s" in (tmp_path / "out/report.html").read_text()


def test_a_user_that_is_root_needs_no_sudo_and_the_end_of_the_session_undoes(machine: RemoteMachine) -> None:
    with connect(f"root@{machine.name}", find_generator()) as host:
        shaper = find_shaper(host, HostChoice("db1", "root@db1", machine.address))
        assert shaper.tc == ("/usr/sbin/tc",) and shaper.interface == Interface("eth0", 1500)
        shaper.apply(RouteChoice("slow", rate_bits_per_s=round(RATE)), 21000, ["10.98.0.1"])
        assert "qdisc htb dbd0: root" in machine.tc("qdisc", "show", "dev", "eth0")
    assert comes_true(lambda: is_unshaped(machine), 5)


def run_shaped(machine: RemoteMachine, folder: Path, *, before: str = "") -> subprocess.Popen[str]:
    """A study whose load is driven over the shaped route now."""
    study = write_study(folder, machine, '"slow"', SLOW, window=60)
    process = start(machine, "run", str(study), "--force", "-o", str(folder / "out"), before=before)
    assert comes_true(lambda: load_is_driven(machine, "network") or process.poll() is not None, 60)
    time.sleep(0.5)
    assert "qdisc htb dbd0: root" in machine.tc("qdisc", "show", "dev", "eth0"), process.poll()
    return process


def test_an_interrupted_study_leaves_the_network_as_it_was(machine: RemoteMachine, tmp_path: Path) -> None:
    process = run_shaped(machine, tmp_path)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)
    assert process.returncode == 1, told
    assert is_unshaped(machine)


def test_a_killed_lab_s_shaping_is_undone_with_the_lease(machine: RemoteMachine, tmp_path: Path) -> None:
    process = run_shaped(machine, tmp_path, before=LEASE)
    process.kill()
    process.communicate(timeout=30)
    assert comes_true(lambda: is_unshaped(machine), 20)
    assert comes_true(lambda: not machine.processes(), 10)


def test_what_a_killed_lab_and_a_killed_agent_left_is_undone_by_the_next_study(
    machine: RemoteMachine, tmp_path: Path
) -> None:
    process = run_shaped(machine, tmp_path)
    process.kill()
    process.communicate(timeout=30)
    for pid in machine.processes():
        os.kill(pid, signal.SIGKILL)
    assert not is_unshaped(machine)
    (tmp_path / "next").mkdir()
    study = write_study(tmp_path / "next", machine, '"slow"', SLOW, window=2)
    process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "next/out"))
    told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert is_unshaped(machine)
