"""Names labs to the agents of a host, and reads which agents are there, living and dead."""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class RemoteAgent:
    """Describes an agent of a home, of this lab or of another.

    Parameters
    ----------
    lab : who started it
    idle_s : since its lab was heard, to within five seconds
    temporary : folders and control groups that go with it
    """

    session: str
    pid: int
    is_alive: bool
    idle_s: int
    lab: str
    lease_s: int
    temporary: tuple[str, ...]
    process_count: int


def lab_name() -> str:
    """Return how this lab is named to its agents: user, machine, boot and process."""
    return f"{_lab_name_prefix()}{os.getpid()}"


def read_agents(rows: Iterable[Mapping[str, Any]]) -> list[RemoteAgent]:
    """Return agents as the agent of a session lists them."""
    return [
        RemoteAgent(
            row["session"],
            int(row["pid"]),
            bool(row["is_alive"]),
            int(row["idle_s"]),
            row["lab"],
            int(row["lease_s"]),
            tuple(row["temporary"]),
            len(row["children"]),
        )
        for row in rows
    ]


def agents_of_dead_labs(agents: Iterable[RemoteAgent]) -> list[RemoteAgent]:
    """Return the agents whose lab was a process of this boot of this machine and is gone."""
    prefix = _lab_name_prefix()
    numbers = [(agent, agent.lab.removeprefix(prefix)) for agent in agents if agent.lab.startswith(prefix)]
    return [agent for agent, number in numbers if number.isdigit() and not Path(f"/proc/{number}").exists()]


def _lab_name_prefix() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return f"{getpass.getuser()}@{platform.node()} boot {boot} process "
