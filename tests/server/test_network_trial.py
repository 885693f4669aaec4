"""What doctor measures of the network between two hosts. These are namespaces with slow cables, see `remote_hosts`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.cli._network_trial import try_network
from dbdyno.doctor import NetworkReading
from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab import find_generator
from dbdyno.study import HostChoice
from remote_hosts import Cable, RemoteMachine, remote_machines, wait_for_sshd

pytestmark = pytest.mark.server
_ROUND_TRIP_MS, _RATE_MBIT = 2.0, 50.0


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[RemoteMachine]]:
    with remote_machines(tmp_path, "db1", "c1", cable=Cable(_ROUND_TRIP_MS, _RATE_MBIT)) as made:
        yield made


def _read(hosts: tuple[RemoteHost, RemoteHost], address: str) -> NetworkReading:
    server, client = hosts
    trial = try_network(server, HostChoice("db1", ssh="db1", address=address), client, "c1", is_measured=True)
    assert trial is not None and not trial.obstacle and trial.reading is not None
    return trial.reading


def test_rate_round_trip_and_losses_of_a_known_network_are_measured(machines: list[RemoteMachine]) -> None:
    with contextlib.ExitStack() as stack:
        server, client = (stack.enter_context(connect(machine.destination, find_generator())) for machine in machines)
        sound = _read((server, client), machines[0].address)
        machines[1].exchange_cable(Cable(_ROUND_TRIP_MS, _RATE_MBIT, lost_share=0.03))
        wait_for_sshd(machines[1])
        lossy = _read((server, client), machines[0].address)
    assert 0.7 * _RATE_MBIT < sound.bits_per_s / 1e6 < _RATE_MBIT
    assert 2 * _ROUND_TRIP_MS < sound.round_trip_ns / 1e6 < 4 * _ROUND_TRIP_MS
    assert sound.mtu_bytes == 1500
    assert sound.packets > 1000 and sound.lost_packets < 0.001 * sound.packets
    assert 0.005 < lossy.lost_packets / lossy.packets < 0.12
