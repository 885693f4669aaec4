"""Declares the options that say where a study's servers and clients run, and reads them as tables of a study file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dbdyno.core import StudyError

if TYPE_CHECKING:
    from dbdyno.study import Study


def add_bench_options(group: argparse._ArgumentGroup) -> None:
    """Add the options."""
    group.add_argument("--host", metavar="USER@HOST", help="run the servers on this host, over ssh")
    group.add_argument("--host-address", metavar="A", help="with --host: IP address of its interface for route network")
    group.add_argument("--host-home", metavar="DIR", help="with --host: DBDYNO_HOME there (default ~/.cache/dbdyno)")
    group.add_argument(
        "--client", metavar="HOST,..", help="with --host: drive route network from these hosts, as one client"
    )


def chosen_places(choices: argparse.Namespace) -> dict[str, Any]:
    """Return the tables ``hosts`` and ``bench`` that the options mean; empty without ``--host``.

    Raises
    ------
    StudyError : another option without it, or a number where hosts belong
    """
    host_values = {"address": choices.host_address, "home": choices.host_home}
    if (choices.client or "").isdigit():
        option = "--concurrency " if "concurrency" in choices else "--where connections="
        raise StudyError(f"--client {choices.client} names no host", "", f"did you mean {option}{choices.client}?")
    if choices.host is None:
        dependent_options = [f"--host-{key}" for key, value in host_values.items() if value is not None]
        for option in [*dependent_options, *(["--client"] if choices.client is not None else [])]:
            raise StudyError(f"{option} needs --host", "", "add --host USER@HOST")
        return {}
    server, values = _host_name(choices.host), {key: value for key, value in host_values.items() if value is not None}
    clients = [word.strip() for word in (choices.client or "").split(",") if word.strip()]
    hosts = {_host_name(client): {"ssh": client} for client in clients} | {server: {"ssh": choices.host, **values}}
    client = {"client": [_host_name(client) for client in clients]} if clients else {}
    return {"hosts": hosts, "bench": {"a": {"server": server, **client}}}


def check_hosts_named(study: Study) -> None:
    """Check that no host of a study is still the placeholder of a file that others wrote.

    Raises
    ------
    StudyError : one is
    """
    benches = study.benches
    hosts = [host for bench in benches for host in (bench.server, *bench.clients) if host is not None]
    for host in hosts:
        if host.is_placeholder:
            address = f" at {host.address}" if host.address else ""
            raise StudyError(
                f"the study's host {host.words}{address} is a placeholder",
                "only you know your host, and the address of its interface",
                "add --host USER@HOST --host-address ADDRESS to dbdyno run, "
                f"or change ssh and address in [hosts.{host.name}] in a copy of the file",
            )


def _host_name(ssh: str) -> str:
    return ssh.removeprefix("ssh://").rpartition("@")[2]
