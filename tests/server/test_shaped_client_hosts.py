"""Shaped routes that several load hosts drive as one client. The hosts are namespaces, see `remote_hosts`.

A rate is tried for real; a delay only where the kernel has netem, elsewhere its refusal.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.configure import find_shaper
from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.hosts.remote import connect
from dbdyno.lab import find_generator
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from dbdyno.study import HostChoice, RouteChoice
from network_host import inside
from remote_hosts import RemoteMachine, comes_true, remote_machines, wait_for_sshd
from server.test_remote_study import assert_nothing_is_left
from server.test_shaped_routes import (
    ENGINE,
    LEASE,
    RATE,
    SLOW,
    WAN,
    has_netem,
    is_unshaped,
    refusal,
    start,
    write_study,
)

pytestmark = pytest.mark.server
_PORT = 21000
_SENT_BYTES = 2_500_000
_SEND = """
import socket, sys
listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(bytes(int(sys.argv[3])))
    connection.close()
"""
_RECEIVE = """
import socket, sys, time
began = time.time()
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
    received = 0
    while piece := connection.recv(1 << 20):
        received += len(piece)
print(began, time.time(), received)
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RemoteMachine]]:
    """A server's host whose user may run `tc` by sudo, and two hosts of its client."""
    if shutil.which("tc") is None:
        pytest.skip("tc is not installed (package iproute2)")
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1", "c1", "c2") as made:
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        made[0].allow_sudo()
        yield made


def _study(
    folder: Path, machines: list[RemoteMachine], routes: str, shapes: str, *, window: int = 3, pacing: str = ""
) -> Path:
    server, *clients = machines
    path = write_study(folder, server, routes, shapes, window=window, pacing=pacing)
    names = ", ".join(f'"{client.name}"' for client in clients)
    text = path.read_text().replace('server = "db1"\n', f'server = "db1"\nclient = [{names}]\n')
    text = text.replace("concurrency = 8", "concurrency = 5").replace(
        "[hosts.db1]", '[timeouts]\npath = "2s"\n[hosts.db1]'
    )
    path.write_text(text + "".join(f'[hosts.{client.name}]\nssh = "{client.destination}"\n' for client in clients))
    return path


def _in_network_of(machine: RemoteMachine) -> list[str]:
    return ["nsenter", f"--net=/proc/{machine.init}/ns/net", "--"]


def test_only_what_a_port_sends_to_the_named_addresses_is_held_back(machines: list[RemoteMachine]) -> None:
    server, first, second = machines
    send = [*_in_network_of(server), sys.executable, "-c", _SEND, server.address, str(_PORT), str(_SENT_BYTES)]
    receive = [sys.executable, "-c", _RECEIVE, server.address, str(_PORT)]

    def rate(*networks: list[str]) -> float:
        """Bits per second that receivers get together."""
        receivers = [subprocess.Popen([*words, *receive], stdout=subprocess.PIPE) for words in networks]
        lines = [receiver.communicate(timeout=60)[0].split() for receiver in receivers]
        began, ended = min(float(line[0]) for line in lines), max(float(line[1]) for line in lines)
        return sum(8 * int(line[2]) for line in lines) / (ended - began)

    with subprocess.Popen(send, stdout=subprocess.PIPE) as sender, connect("root@db1", find_generator()) as host:
        try:
            assert sender.stdout is not None and sender.stdout.readline() == b"ready\n"
            shaper = find_shaper(host, HostChoice("db1", "root@db1", server.address))
            shaper.apply(RouteChoice("slow", rate_bits_per_s=round(RATE)), _PORT, [first.address])
            to_first, to_second = rate(_in_network_of(first)), rate(_in_network_of(second))
            to_lab = rate(inside(server.switch))
            shaper.undo()
            shaper.apply(RouteChoice("slow", rate_bits_per_s=round(RATE)), _PORT, [first.address, second.address])
            to_both = rate(_in_network_of(first), _in_network_of(second))
        finally:
            sender.kill()
    assert 0.85 * RATE < to_first < 1.02 * RATE
    assert min(to_second, to_lab) > 3 * RATE
    assert 0.5 * RATE < to_both < 1.02 * RATE
    assert comes_true(lambda: is_unshaped(server), 5)


def test_a_rate_limits_all_load_hosts_together_and_is_measured_from_each(
    machines: list[RemoteMachine], tmp_path: Path
) -> None:
    study = _study(tmp_path, machines, '"loopback", "network", "slow"', SLOW)
    process = start(machines[0], "run", str(study), "--force", "-o", str(tmp_path / "out"))
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(tmp_path / "out")
    records = {record.run.cell.route: record for record in stored.records()}
    # Without pauses, hosts that share the processors of one machine may limit the client of the fast routes.
    assert {record.status for record in records.values()} <= {"good", "suspect"}
    received = {}
    for route, record in records.items():
        rows = [row for row in stored.seconds(record.run.run_id).rows() if row["phase"] == "window"]
        # On a busy machine the load leaves the network idle in some seconds; no second may exceed the rate.
        received[route] = max(8 * row["bytes_received"] for row in rows)
    assert 0.85 * RATE < received["slow"] < 1.02 * RATE
    assert received["network"] > 2 * RATE
    telemetry = stored.document(records["slow"].run.run_id, "telemetry")
    shaping, network = telemetry["shaping"], telemetry["network"]
    filters = [words for words in shaping["commands"] if " filter " in words]
    assert [words.split("ip dst ")[1].split()[0] for words in filters] == [
        f"{client.address}/32" for client in machines[1:]
    ]
    assert list(shaping["hosts"]) == list(network["hosts"]) == ["c1", "c2"]
    for row in shaping["hosts"].values():
        assert 0.85 * RATE < row["reply_bits_per_s"] < 1.1 * RATE
        assert 0 < row["round_trip_unshaped_ns"] < 5_000_000 and row["round_trip_ns"] > 0
    assert 0.85 * RATE < network["reply_bits_per_s"] < 1.1 * RATE
    hosts = stored.document(records["slow"].run.run_id, "end")["hosts"]
    assert [(host["host"], host["connections"]) for host in hosts] == [("c1", 3), ("c2", 2)]
    assert "shaping" not in stored.document(records["network"].run.run_id, "telemetry")
    page = (tmp_path / "out/report.html").read_text()
    assert "round trips before the load" in page and " unshaped)" in page
    assert is_unshaped(machines[0])
    for machine in machines:
        assert_nothing_is_left(machine)


def test_a_delay_is_added_to_each_load_host_or_refused_in_the_kernel_s_words(
    machines: list[RemoteMachine], tmp_path: Path
) -> None:
    study = _study(tmp_path, machines, '"network", "wan"', WAN, pacing='[pacing]\nthink = "20ms"\n')
    if not has_netem(machines[0]):
        told = refusal(machines[0], study)
        assert "can't shape the route 'wan'" in told and "qdisc kind is unknown" in told
        assert "sudo modprobe -a sch_netem" in told
    else:  # pragma: no cover - a kernel with netem
        process = start(machines[0], "run", str(study), "--force", "-o", str(tmp_path / "out"))
        told_streams = process.communicate(timeout=240)
        assert process.returncode == 0, told_streams
        stored = StoredStudy.open(tmp_path / "out")
        (record,) = [record for record in stored.records() if record.run.cell.route == "wan"]
        for row in stored.document(record.run.run_id, "telemetry")["shaping"]["hosts"].values():
            assert 9e6 < row["round_trip_ns"] - row["round_trip_unshaped_ns"] < 11e6
    assert is_unshaped(machines[0])
    for machine in machines:
        assert_nothing_is_left(machine)


def _run_shaped(machines: list[RemoteMachine], folder: Path, *, before: str = "") -> subprocess.Popen[str]:
    """A study whose load is driven over the shaped route now."""
    study = _study(folder, machines, '"slow"', SLOW, window=60, pacing='[pacing]\nthink = "20ms"\n')
    process = start(machines[0], "run", str(study), "--force", "-o", str(folder / "out"), before=before)

    def is_driven() -> bool:
        return any(" run --order -" in words for words in machines[2].processes().values())

    assert comes_true(lambda: is_driven() or process.poll() is not None, 120)
    time.sleep(1)
    assert "qdisc htb dbd0: root" in machines[0].tc("qdisc", "show", "dev", "eth0"), process.poll()
    return process


def test_an_interrupted_study_leaves_the_network_as_it_was(machines: list[RemoteMachine], tmp_path: Path) -> None:
    process = _run_shaped(machines, tmp_path)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)
    assert process.returncode == 1, told
    assert is_unshaped(machines[0])
    for machine in machines:
        assert_nothing_is_left(machine)


def test_a_load_host_without_power_leaves_the_network_as_it_was(machines: list[RemoteMachine], tmp_path: Path) -> None:
    process, lost = _run_shaped(machines, tmp_path), machines[2]
    lost.power_off()
    try:
        told = process.communicate(timeout=120)
    finally:
        lost.boot()
        wait_for_sshd(lost)
    assert process.returncode == 3, told
    (record,) = StoredStudy.open(tmp_path / "out").records()
    assert (record.status, record.fault) == ("failed", "network"), record.reason
    assert "c2 was silent" in (record.reason or "")
    assert is_unshaped(machines[0])
    for machine in machines[:2]:
        assert_nothing_is_left(machine)


def test_a_killed_lab_s_shaping_is_undone_with_the_lease(machines: list[RemoteMachine], tmp_path: Path) -> None:
    process = _run_shaped(machines, tmp_path, before=LEASE)
    process.kill()
    process.communicate(timeout=30)
    assert comes_true(lambda: is_unshaped(machines[0]), 20)
    for machine in machines:
        assert comes_true(lambda: not machine.processes(), 15), machine.processes()  # noqa: B023
