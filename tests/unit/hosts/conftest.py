"""Every kind of host, for the tests of what all of them promise: this machine by itself, and by an agent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.hosts import Host, LocalHost
from dbdyno.hosts.remote import SSH_VARIABLE, connect
from dbdyno.lab import find_generator

# Stands for ssh: the last word is the command for the shell there.
_HERE = """#!/bin/sh
for word; do :; done
exec sh -c "$word"
"""


@pytest.fixture(scope="session")
def ssh_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A command that stands for ssh, and runs what it is given on this machine."""
    command = tmp_path_factory.mktemp("ssh") / "ssh"
    command.write_text(_HERE)
    command.chmod(0o755)
    return command


@pytest.fixture(scope="session", params=["local", "agent"])
def host(request: pytest.FixtureRequest, ssh_here: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host; the agent's is this machine, too, reached without a network."""
    if request.param == "local":
        yield LocalHost()
        return
    folder = tmp_path_factory.mktemp("agent")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SSH_VARIABLE, str(ssh_here))
        with connect(f"{os.getuid()}@here", find_generator(), home=str(folder / "home")) as remote:
            yield remote
