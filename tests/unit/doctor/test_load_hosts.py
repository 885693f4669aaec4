"""Hosts of a study's clients: what the checks say of them, and of the network between them and the servers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.core import ControlGroup, Disk, Limits, Load, Machine, Memory, Processors
from dbdyno.doctor import Examination, Needs, NetworkReading, NetworkTrial, RemoteAccess, examine, load_host_needs
from dbdyno.study import parse_study

GIB = 1 << 30
ACCESS = RemoteAccess(
    "bench@c1", "/home/bench/.cache/dbdyno", "x86_64", "glibc 2.36", 34, 300_000, 150_000, 0.5, 1.0, True
)
NEEDS = Needs(5_000, 0, 0, ("network",), has_own_servers=False, is_load_host=True)
MACHINE = Machine(
    clock_source="tsc",
    processors=Processors(usable=(0,)),
    memory=Memory(2 * GIB, 1 * GIB, 8 * GIB, 0, None, 60, "always", 0),
    limits=Limits(1_048_576, 300, 128, 28_232),
    disk=Disk("/home", "/dev/vda", "tmpfs", ("rw",), False, "bfq", 4 << 20, 10 * GIB, 9 * GIB),
    load=Load(1.0, 0.0, 0.0, 0.0, ()),
)
STUDY = """
targets = ["mariadb:11.8"]
workload.name = "sysbench/oltp_read_write"
axes = {{tier = "64MB", concurrency = [5, 33], route = {routes}}}
[hosts.db1]
address = "10.1.0.2"
[hosts.c1]
[hosts.c2]
[bench.a]
server = "db1"
client = ["c1", "c2"]
"""


def _found(examination: Examination) -> dict[str, str]:
    return {finding.check_id: finding.severity for finding in examination.findings}


def test_what_only_servers_need_is_not_asked_of_a_load_host() -> None:
    found = examine(MACHINE, NEEDS, access=ACCESS)
    assert _found(found) == {}, "memory, huge pages, file system, backlog and threads are matters of a server's host"
    assert {"processors", "clock-source", "free-space", "open-files", "local-ports", "other-load"} <= {
        outcome.check_id for outcome in found.outcomes
    }


def test_a_load_host_needs_a_file_and_a_port_for_each_of_its_connections() -> None:
    few = replace(MACHINE, limits=replace(MACHINE.limits, open_files=1024, ports=4_000))
    assert _found(examine(few, NEEDS, access=ACCESS)) == {"open-files": "blocker", "local-ports": "blocker"}


def test_a_full_disk_and_other_load_are_found_on_a_load_host() -> None:
    busy = replace(
        MACHINE, disk=replace(MACHINE.disk, free_bytes=1 << 20), load=replace(MACHINE.load, used=0.9, stolen_share=0.2)
    )
    found = _found(examine(busy, NEEDS, access=ACCESS))
    assert found == dict.fromkeys(("free-space", "other-load", "steal"), "weakens")


@pytest.mark.parametrize(
    ("trial", "state"),
    [
        (None, "idle"),
        (NetworkTrial("c1", "db1", "10.1.0.2:20001"), "clear"),
        (NetworkTrial("c1", "db1", "10.1.0.2:20001", "Connection timed out"), "found"),
    ],
)
def test_an_address_that_a_client_does_not_reach_is_a_blocker(trial: NetworkTrial | None, state: str) -> None:
    examination = examine(MACHINE, NEEDS, access=replace(ACCESS, network_trial=trial))
    (outcome,) = (outcome for outcome in examination.outcomes if outcome.check_id == "remote-network")
    assert outcome.state == state
    if state == "found":
        assert outcome.severity == "blocker"
        assert trial is not None
        assert outcome.seen == f"c1 to db1 (10.1.0.2:20001): {trial.obstacle}"


@pytest.mark.parametrize(
    ("packets", "lost_packets", "state"),
    [(4_000, 0, "clear"), (1_000, 2, "clear"), (4_000, 4, "clear"), (4_000, 5, "found")],
)
def test_a_network_that_loses_packets_of_a_light_load_is_found(packets: int, lost_packets: int, state: str) -> None:
    reading = NetworkReading(210_000, 1500, 941_000_000, packets, lost_packets)
    trial = NetworkTrial("c1", "db1", "10.1.0.2:20001", reading=reading)
    examination = examine(MACHINE, NEEDS, access=replace(ACCESS, network_trial=trial))
    outcomes = {outcome.check_id: outcome for outcome in examination.outcomes}
    assert outcomes["remote-network"].state == "clear" and "941 Mbit/s" in outcomes["remote-network"].seen
    assert outcomes["remote-loss"].state == state
    assert outcomes["remote-loss"].severity == ("weakens" if state == "found" else "note")


def test_what_takes_seconds_is_left_to_doctor_where_a_study_begins() -> None:
    brief = replace(ACCESS, drift_ppm=None, drift_bound_ppm=None, outlives_connection=None)
    states = {outcome.check_id: outcome.state for outcome in examine(MACHINE, NEEDS, access=brief).outcomes}
    assert (states["remote-clock-drift"], states["remote-connection"], states["remote-loss"]) == ("idle",) * 3
    assert (states["remote-agent"], states["remote-round-trip"]) == ("clear", "clear")


def test_clocks_that_are_mapped_badly_are_a_matter_of_the_common_start_on_a_load_host() -> None:
    (finding,) = examine(MACHINE, NEEDS, access=replace(ACCESS, clock_bound_ns=3_000_000)).findings
    assert (finding.check_id, finding.severity) == ("remote-round-trip", "weakens")
    on_a_server = examine(MACHINE, replace(NEEDS, is_load_host=False), access=replace(ACCESS, clock_bound_ns=3_000_000))
    effects = {other.check_id: other.effect for other in on_a_server.findings}
    assert finding.effect != effects["remote-round-trip"]


def test_connections_are_divided_among_load_hosts_and_only_the_network_counts() -> None:
    study = parse_study(STUDY.format(routes='["loopback", "network"]'), "far")
    needs = load_host_needs(study, 2)
    assert (needs.concurrency, needs.routes, needs.memory_bytes, needs.disk_bytes) == (17, ("network",), 0, 0)


def test_who_may_make_no_group_on_another_host_is_not_told_to_start_dbdyno_here_otherwise() -> None:
    machine = replace(MACHINE, control_group=ControlGroup(version=2, controllers=("memory",), is_writable=False))
    needs = replace(NEEDS, features=("memory",), is_load_host=False)
    outcomes = {access: examine(machine, needs, access=access).outcomes for access in (ACCESS, None)}
    remedies = {a: next(o.remedy for o in found if o.check_id == "controllers") for a, found in outcomes.items()}
    assert "systemd-run" not in remedies[ACCESS] and "log in as root there" in remedies[ACCESS]
    assert "systemd-run" in remedies[None]
