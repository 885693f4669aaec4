"""Studies whose load comes from several hosts as one client. The hosts are namespaces, see `remote_hosts`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.report import analyse_study, why_of
from dbdyno.store import StoredStudy
from network_host import inside, processes_in, run
from remote_hosts import RemoteMachine, comes_true, remote_machines, wait_for_sshd
from server.test_remote_study import ENGINE, assert_nothing_is_left, start, write_study

pytestmark = pytest.mark.server
_MOST_APART_NS = 5_000_000


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RemoteMachine]]:
    """A server's host and two hosts of its client."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1", "c1", "c2") as made:
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        yield made


def _study(folder: Path, machines: list[RemoteMachine], routes: tuple[str, ...], window: int) -> Path:
    server, *clients = machines
    path = write_study(folder, server, routes, window=window, is_single=True)
    names = ", ".join(f'"{client.name}"' for client in clients)
    text = path.read_text().replace('server = "db1"\n', f'server = "db1"\nclient = [{names}]\n')
    text = text.replace("concurrency = 2", "concurrency = 5")
    path.write_text(text + "".join(f'[hosts.{client.name}]\nssh = "{client.destination}"\n' for client in clients))
    return path


def test_two_hosts_are_the_client_of_the_network(machines: list[RemoteMachine], tmp_path: Path) -> None:
    study, output = _study(tmp_path, machines, ("loopback", "network"), 4), tmp_path / "out"
    process = start(machines[0], "run", str(study), "--force", "-o", str(output))
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    records = {record.run.cell.route: record for record in stored.records()}
    assert {record.status for record in records.values()} == {"good"}, [record.reason for record in records.values()]
    by_loopback, by_network = (stored.document(records[route].run.run_id, "end") for route in ("loopback", "network"))
    assert "hosts" not in by_loopback
    assert [(host["host"], host["connections"]) for host in by_network["hosts"]] == [("c1", 3), ("c2", 2)]
    skews = [host["start_skew_ns"] for host in by_network["hosts"]]
    assert max(skews) - min(skews) < _MOST_APART_NS
    assert all(host["clock_error_ns"] < _MOST_APART_NS and host["seconds"] == 5 for host in by_network["hosts"])
    assert [host["network"]["connections"] for host in by_network["hosts"]] == [3, 2]
    assert all(host["network"]["median_round_trip_ns"] > 0 for host in by_network["hosts"])
    assert all(host["traffic"]["segments_sent"] > 100 for host in by_network["hosts"])
    assert (
        sum(host["traffic"]["segments_sent"] for host in by_network["hosts"]) == by_network["network"]["segments_sent"]
    )
    seconds = stored.seconds(records["network"].run.run_id)
    assert [second["connections_live"] for second in seconds.rows()] == [5] * 5
    network = stored.document(records["network"].run.run_id, "telemetry")["network"]
    assert list(network["hosts"]) == ["c1", "c2"]
    assert all(host["round_trip_ns"] > 0 for host in network["hosts"].values())
    assert all(host["round_trip_after_ns"] > 0 for host in network["hosts"].values())
    assert all(host["reply_bits_per_s"] > 50e6 for host in network["hosts"].values())
    assert network["reply_bits_per_s"] > 50e6
    assert by_network["completed"] > 100
    assert sorted(stored.host["clients"]) == ["c1", "c2"]
    page = (output / "report.html").read_text()
    assert "c1 (bench@c1)" in page and "c2 (bench@c2)" in page
    for machine in machines:
        assert_nothing_is_left(machine)


def test_each_load_host_measures_the_rate_of_its_own_network(machines: list[RemoteMachine], tmp_path: Path) -> None:
    study, output = _study(tmp_path, machines, ("network",), 3), tmp_path / "out"
    limit = ["root", "tbf", "rate", "20mbit", "burst", "32kb", "latency", "200ms"]
    port = ["dev", f"port{machines[2].number}"]
    run(*inside(machines[2].switch), "tc", "qdisc", "add", *port, *limit)
    try:
        process = start(machines[0], "run", str(study), "--force", "-o", str(output))
        told = process.communicate(timeout=240)
    finally:
        run(*inside(machines[2].switch), "tc", "qdisc", "del", *port, "root")
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    network = stored.document(record.run.run_id, "telemetry")["network"]
    fast, slow = (network["hosts"][name]["reply_bits_per_s"] for name in ("c1", "c2"))
    assert 0.85 < slow / 20e6 < 1.02 and fast > 3 * slow
    assert network["reply_bits_per_s"] == pytest.approx(5 / (3 / fast + 2 / slow), rel=1e-6)  # 3 and 2 connections
    (time,) = why_of(analyse_study(stored)).network
    assert time.transmission_ms is not None and time.transmission_ms > 0
    for machine in machines:
        assert_nothing_is_left(machine)


def test_doctor_checks_load_hosts_and_connects_from_them_to_the_address_of_the_server(
    machines: list[RemoteMachine],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = _study(tmp_path, machines, ("loopback", "network"), 4)
    code, printed = main(["doctor", str(study), "--json"]), capsys.readouterr()
    assert code in (0, 1), printed.err
    hosts = json.loads(printed.out)["hosts"]
    assert list(hosts) == ["db1", "c1", "c2"]
    for name, states in {"db1": ("idle",), "c1": ("clear",), "c2": ("clear",)}.items():
        outcomes = {outcome["id"]: outcome for outcome in hosts[name]["outcomes"]}
        assert outcomes["remote-network"]["state"] in states, outcomes["remote-network"]
        assert outcomes["remote-agent"]["state"] == outcomes["free-space"]["state"] == "clear"
        assert ("memory" in outcomes) == (name == "db1")
    wrong = study.with_name("wrong.toml")
    wrong.write_text(study.read_text().replace(f'address = "{machines[0].address}"', 'address = "10.98.0.99"'))
    monkeypatch.setattr("dbdyno.cli._remote._DRIFT_S", 1.0)  # clocks were looked at for ten seconds a host above
    assert main(["doctor", str(wrong), "--json"]) == 1
    hosts = json.loads(capsys.readouterr().out)["hosts"]
    for name in ("c1", "c2"):
        outcomes = {outcome["id"]: outcome for outcome in hosts[name]["outcomes"]}
        assert (outcomes["remote-network"]["state"], outcomes["remote-network"]["severity"]) == ("found", "blocker")
        assert "10.98.0.99" in outcomes["remote-network"]["seen"]
    for machine in machines:
        assert_nothing_is_left(machine)


def _run_refused(machines: list[RemoteMachine], study: Path, output: Path) -> str:
    """What a study says that is refused before anything is copied or filled."""
    snapshots = machines[0].home / ".cache/dbdyno/snapshots"
    before = sorted(snapshots.glob("*"))
    process = start(machines[0], "run", str(study), "-o", str(output))
    began = time.monotonic()
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 3, told
    assert time.monotonic() - began < 40, told
    assert sorted(snapshots.glob("*")) == before
    assert not (output / "journal.jsonl").exists()
    for machine in machines:
        assert_nothing_is_left(machine)
    return told


def test_a_study_does_not_begin_where_a_load_host_does_not_reach_the_server(
    machines: list[RemoteMachine], tmp_path: Path
) -> None:
    study = _study(tmp_path, machines, ("loopback", "network"), 4)
    network = ["nsenter", f"--net=/proc/{machines[2].init}/ns/net", "--"]
    route = ["ip", "route", "add", "unreachable", f"{machines[0].address}/32"]
    run(*network, *route)
    try:
        told = _run_refused(machines, study, tmp_path / "out")
    finally:
        run(*network, "ip", "route", "del", *route[3:])
    assert "error: c2 " in told and "c2 to db1 (10.98.0.2:21" in told
    assert "no run over the network can start" in told
    assert "hint: check `address`" in told


def test_a_study_does_not_begin_where_a_load_host_may_not_open_its_connections(
    machines: list[RemoteMachine], tmp_path: Path
) -> None:
    study = _study(tmp_path, machines, ("network",), 4)
    for pid in processes_in(machines[1].init):
        if Path(f"/proc/{pid}/comm").read_text() == "sshd\n":
            run("prlimit", "--pid", str(pid), "--nofile=90")
    try:
        told = _run_refused(machines, study, tmp_path / "out")
    finally:
        machines[1].power_off()  # not everyone may raise a limit again
        machines[1].boot()
        wait_for_sshd(machines[1])
    assert re.search(r"error: c1 .*: 90 .* 3 connections", told)
    assert re.search(r"hint: .*\b103\b", told)


def _share_is_driven(machine: RemoteMachine) -> bool:
    return any(" run --order -" in words for words in machine.processes().values())


def test_a_client_host_without_power_fails_its_run_by_name(machines: list[RemoteMachine], tmp_path: Path) -> None:
    study, output = _study(tmp_path, machines, ("network",), 30), tmp_path / "out"
    process = start(machines[0], "run", str(study), "--force", "-o", str(output))
    lost = machines[2]
    assert comes_true(lambda: _share_is_driven(lost) or process.poll() is not None, 120)
    assert process.poll() is None, process.communicate()  # else it ends with 3 as well, and leaves no folder
    time.sleep(4)
    lost.power_off()
    lost_ns, began = time.time_ns(), time.monotonic()
    try:
        told = process.communicate(timeout=120)
    finally:
        lost.boot()  # for a repetition of this test
        wait_for_sshd(lost)
    assert process.returncode == 3, told
    assert time.monotonic() - began < 60
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert (record.status, record.fault) == ("failed", "network"), record.reason
    lost_in = re.search(r"\bc2 ended in second (\d+): c2 was silent for 5 s", record.reason)
    assert lost_in, record.reason
    # The seconds before the loss are kept; the run does not go on with the other host's connections until its end.
    seconds = list(stored.seconds(record.run.run_id).rows())
    assert int(lost_in[1]) - 2 <= len(seconds) <= int(lost_in[1]) <= 6
    begin_ns = stored.document(record.run.run_id, "start")["realtime_ns"]
    assert abs((lost_ns - begin_ns) / 1e9 - int(lost_in[1])) < 2  # the second of the loss, not that of noticing it
    assert {row["connections_live"] for row in seconds} == {5}
    assert 5e9 < record.span.ended_ns - lost_ns < 20e9
    for machine in machines[:2]:
        assert_nothing_is_left(machine)
