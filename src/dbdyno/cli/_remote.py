"""Reaches the host that an option names, looks at it, and lists what dbdyno has there."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dbdyno.cli._network_trial import try_network
from dbdyno.core import HostError, RequestError, format_bytes, is_network_route

if TYPE_CHECKING:
    from dbdyno.doctor import Examination, Needs, NetworkTrial, RemoteAccess
    from dbdyno.hosts.remote import OldProgram, RemoteAgent, RemoteHost
    from dbdyno.lab import ClientHost, Orphans
    from dbdyno.study import BenchChoice, Study

_DRIFT_S = 10.0
_IDLE_S = 15
"""An agent whose lab has said nothing for so long has none; labs say something every second."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a host."""
    parser.add_argument("--host", metavar="USER@HOST", help="work on this host, over ssh, instead of this machine")
    parser.add_argument("--home", metavar="FOLDER", help="with --host: DBDYNO_HOME there (default ~/.cache/dbdyno)")


def check_options(choices: argparse.Namespace) -> None:
    """Refuse a folder without a host.

    Raises
    ------
    RequestError : see above
    """
    if choices.home and not choices.host:
        raise RequestError(
            "--home names a folder of a remote host",
            "--host is missing",
            "add --host; for this machine, set DBDYNO_HOME",
        )
    if choices.home and not choices.home.startswith("/"):
        raise RequestError(
            f"--home {choices.home} is not an absolute path", "", "write an absolute path, such as /data/dbdyno"
        )


def host_options(host: str | None, home: str | None) -> str:
    """Return the options that name a host, for a command to copy: each with a blank before it; empty without a host.

    >>> host_options("bench@db1", "/data/my bench")
    " --host bench@db1 --home '/data/my bench'"
    """
    return "".join(f" {option} {shlex.quote(value)}" for option, value in (("--host", host), ("--home", home)) if value)


@contextlib.contextmanager
def chosen_host(choices: argparse.Namespace) -> Iterator[RemoteHost]:
    """Yield the host that was named, while the block runs."""
    with reached_host(choices.host, choices.home or "") as host:
        yield host


@contextlib.contextmanager
def reached_host(destination: str, home: str) -> Iterator[RemoteHost]:
    """Yield the host at a destination of ssh, while the block runs; without a home its own default."""
    from dbdyno.hosts.remote import connect  # late: see _main
    from dbdyno.lab import find_generator

    with connect(destination, find_generator(), home=home) as host:
        yield host


def examine_there(
    host: RemoteHost, needs: Needs | None = None, network_trial: NetworkTrial | None = None
) -> Examination:
    """Look at a host for some seconds, and judge what is seen.

    Parameters
    ----------
    network_trial : of the network from it, or from the only client to it
    """
    from dbdyno.doctor import examine  # late: see _main
    from dbdyno.hosts import read_machine

    start_s = time.monotonic()
    host.exchange_clocks()
    survives_cut = _can_outlive_connection(host)
    machine = read_machine(host, host.home.root, environ=None)
    if survives_cut:
        time.sleep(max(start_s + _DRIFT_S - time.monotonic(), 0.0))
        survives_cut = _is_same_agent(host)
    return examine(machine, needs, access=_remote_access(host, survives_cut, network_trial), at_ns=time.time_ns())


def examine_bench(
    study: Study, bench: BenchChoice | None, host: RemoteHost, clients: Sequence[ClientHost], needs: Needs
) -> dict[str, Examination]:
    """Look at the host of a study's servers and at those of its clients for a second each, by their names.

    The network is tried by each host that has clients. What takes longer is left to `dbdyno doctor`.

    Parameters
    ----------
    needs : of the servers
    """
    from dbdyno.doctor import load_host_needs  # late: see _main

    assert bench is not None and bench.server is not None, "the host is one of the study's"
    server = bench.server
    uses_network = any(map(is_network_route, study.routes))
    trial = try_network(host, server, None, "this machine") if uses_network and not clients else None
    examinations = {server.name: _examine_briefly(host, needs, trial)}
    client_needs = load_host_needs(study, max(len(clients), 1))
    for client in clients:
        trial = try_network(host, server, client.host, client.choice.name) if uses_network else None
        examinations[client.choice.name] = _examine_briefly(client.host, client_needs, trial)
    return examinations


def _examine_briefly(host: RemoteHost, needs: Needs, network_trial: NetworkTrial | None) -> Examination:
    from dbdyno.doctor import examine  # late: see _main
    from dbdyno.hosts import read_machine

    host.exchange_clocks()
    machine = read_machine(host, host.home.root, environ=None)
    return examine(machine, needs, access=_brief_access(host, network_trial), at_ns=time.time_ns())


def _can_outlive_connection(host: RemoteHost) -> bool:
    host.link.drop_connection()
    return _is_same_agent(host)


def _is_same_agent(host: RemoteHost) -> bool:
    """Return whether the same agent answers: a login manager ends a session's processes after its connection."""
    try:
        host.exchange_clocks()
    except HostError as error:
        if error.fault == "network":
            raise
        return False
    return True


def _remote_access(host: RemoteHost, outlives: bool, network_trial: NetworkTrial | None) -> RemoteAccess:
    from dbdyno.configure import shaping_obstacle  # late: see _main

    clock = host.clock_map()
    span_ns = max(host.link.exchanges[-1].middle_ns - host.link.exchanges[0].middle_ns, 1)
    obstacle, remedy = shaping_obstacle(host)
    return replace(
        _brief_access(host, network_trial),
        drift_ppm=clock.drift_ppm,
        drift_bound_ppm=2e6 * clock.bound_ns / span_ns,
        outlives_connection=outlives,
        shaping_obstacle=obstacle,
        shaping_remedy=remedy,
    )


def _brief_access(host: RemoteHost, network_trial: NetworkTrial | None) -> RemoteAccess:
    """Return what is known of a host at once."""
    from dbdyno.doctor import RemoteAccess  # late: see _main

    clock, program = host.clock_map(), host.program
    return RemoteAccess(
        host.link.destination,
        program.home,
        program.architecture,
        program.libc,
        program.needs_libc,
        clock.round_trip_ns,
        clock.bound_ns,
        network_trial=network_trial,
    )


@dataclass(frozen=True, slots=True)
class RemoteRemains:
    """Holds what dbdyno has on a host: agents of others, what dead ones left, and programs that none of them runs."""

    agents: tuple[RemoteAgent, ...]
    orphans: Orphans
    old_programs: tuple[OldProgram, ...] = ()

    @property
    def left_agents(self) -> tuple[RemoteAgent, ...]:
        """Return agents that are dead, or whose lab has gone."""
        return tuple(agent for agent in self.agents if not agent.is_alive or agent.idle_s >= _IDLE_S)


def find_remains(host: RemoteHost) -> RemoteRemains:
    """Find what is left, and touch nothing."""
    from dbdyno.hosts.remote import find_old_programs  # late: see _main
    from dbdyno.lab import find_orphans

    agents = tuple(agent for agent in host.agents() if agent.session != host.session)
    living_pids = [agent.pid for agent in agents if agent.is_alive]
    old_programs = find_old_programs(host.files, host.program, living_pids, host.clock().unix_ns)
    return RemoteRemains(agents, find_orphans(host.home, host), tuple(old_programs))


def remove_remains(host: RemoteHost, remains: RemoteRemains) -> tuple[str, ...]:
    """End agents without a lab and remove what belongs to nobody; one line for each thing."""
    from dbdyno.lab import clean_up  # late: see _main

    lines = []
    for agent in remains.left_agents:
        host.end_agent(agent.session)
        lines.append(f"ended the agent {agent.session} of {agent.lab}")
    for program in remains.old_programs:
        host.files.remove(program.path)
        lines.append(f"removed the unused agent program {program.path} ({format_bytes(program.size_bytes)})")
    return (*lines, *clean_up(host.home, host))
