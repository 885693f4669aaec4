"""What tests on real servers share: a host reached by SSH, and an end to what the servers of a file wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab import find_generator
from laboratory import remove_ended_folders
from remote_hosts import RemoteMachine, remote_machines


@pytest.fixture(scope="module", autouse=True)
def folders_go_with_their_file() -> Iterator[None]:
    """By the end of all files they would be gigabytes."""
    yield
    remove_ended_folders()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteMachine]:
    """A host that stays on."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1") as (made,):
        yield made


@pytest.fixture
def host(machine: RemoteMachine) -> Iterator[RemoteHost]:
    """A session on it."""
    with connect(machine.destination, find_generator()) as connected:
        yield connected
