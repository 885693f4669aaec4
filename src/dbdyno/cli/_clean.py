"""`dbdyno clean`: lists servers and data that dbdyno has left on this machine, and removes them on request."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import sys
from typing import TYPE_CHECKING, Any, Literal

from rich.table import Table

from dbdyno.cli._clean_datasets import clean_datasets, print_datasets_hint
from dbdyno.cli._console import PlainConsole
from dbdyno.cli._help import add_command as add
from dbdyno.cli._remote import (
    RemoteRemains,
    add_options,
    check_options,
    chosen_host,
    find_remains,
    host_options,
    remove_remains,
)
from dbdyno.core import format_bytes, format_duration

if TYPE_CHECKING:
    from dbdyno.core import Home
    from dbdyno.lab import Orphans, RunningServer

_STORY = """\
Lists what killed studies left on this machine: servers with process, age, memory and folder, data directories and
memory groups. Also lists what running studies use. Changes nothing without --remove.

  dbdyno clean
  dbdyno clean --remove
  dbdyno clean --datasets 7d               datasets unused for a week; add --remove to remove them
  dbdyno clean --host bench@db1            on that host, over ssh, with the agents there

Datasets are filled once and kept for later studies; they take most of the disk space that dbdyno uses. A study that
needs a removed one fills it again.

--remove stops servers of studies that have ended and removes their data. It stops a server only if process id, start
time and boot of the machine match those noted at its start. It never touches running studies, servers that somebody
else started, engines and results; datasets only with --datasets. A server "in a container" belongs to a study there:
this machine does not see whether it goes on, so clean up in the container. Each new study cleans up its own
DBDYNO_HOME in the same way, and names other dbdyno servers on the machine.
"""
_ANY_WIDTH = 10_000
_LEFT, _BUSY, _ELSEWHERE, _CONTAINED = "left over", "in use", "left over elsewhere", "in a container"


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "clean", _STORY, _clean)
    parser.one_more = "clean takes no names; dbdyno engines remove removes engines"
    parser.add_argument("--remove", action="store_true", help="stop and remove everything that is left over")
    parser.add_argument("--datasets", metavar="AGE", help="list datasets unused for this long: 7d, 12h, 0s for all")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _clean(choices: argparse.Namespace) -> int:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost  # late: see _main
    from dbdyno.lab import clean_up, find_orphans

    check_options(choices)
    if choices.datasets is not None:
        return clean_datasets(choices)
    if choices.host:
        return _clean_remote_host(choices)
    host, home = LocalHost(), Home.of_user()
    orphans = find_orphans(home, host)
    removals = clean_up(home, host) if choices.remove else ()
    if choices.json:
        print(json.dumps({**_orphans_object(orphans, home), "removed": list(removals)}, indent=1))
    elif choices.remove:
        print("\n".join(removals) or "nothing was left over")
    else:
        _print_remains(choices, orphans, home)
        print_datasets_hint(home, host)
    return 0


def _clean_remote_host(choices: argparse.Namespace) -> int:
    with chosen_host(choices) as host:
        remote_orphans = find_remains(host)
        removals = remove_remains(host, remote_orphans) if choices.remove else ()
        if choices.json:
            agents = [dataclasses.asdict(agent) for agent in remote_orphans.agents]
            programs = [dataclasses.asdict(one) | {"path": str(one.path)} for one in remote_orphans.old_programs]
            found = {**_orphans_object(remote_orphans.orphans, host.home), "agents": agents, "old_programs": programs}
            print(json.dumps({**found, "removed": list(removals)}, indent=1))
        elif choices.remove:
            print("\n".join(removals) or "nothing was left over")
        else:
            _print_remains(choices, remote_orphans.orphans, host.home, remote_orphans)
    return 0


def _print_remains(
    choices: argparse.Namespace, orphans: Orphans, home: Home, remote: RemoteRemains | None = None
) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("what", "process", "age", "size", "state", "where"):
        justify: Literal["left", "right"] = "right" if title in ("process", "size") else "left"
        table.add_column(title, justify=justify, no_wrap=True)
    for agent in () if remote is None else remote.agents:
        silent = f"{_LEFT} by {agent.lab}, silent for {format_duration(agent.idle_s * 10**9)}"
        state = silent if remote is not None and agent in remote.left_agents else f"{_BUSY} by {agent.lab}"
        table.add_row("agent", str(agent.pid), "", "", state, agent.session)
    for program in () if remote is None else remote.old_programs:
        size, unused = format_bytes(program.size_bytes), f"unused for {format_duration(program.unused_ns)}"
        table.add_row("agent program", "", "", size, unused, str(program.path))
    for server in orphans.servers:
        age, size = format_duration(round(server.age_s) * 10**9), format_bytes(server.memory_bytes)
        state = _server_state(server, home) + (f" by process {server.study_pid}" if server.study_pid else "")
        table.add_row(server.engine or "server", str(server.pid), age, size, state, str(server.folder))
    for orphan_folder in orphans.folders:
        table.add_row(
            "data directory", "", "", format_bytes(orphan_folder.disk_bytes), _LEFT, str(orphan_folder.folder)
        )
    for group in orphans.groups:
        table.add_row("memory group", "", "", "", _LEFT, str(group))
    if table.row_count:
        PlainConsole(width=_ANY_WIDTH).print(table)  # a path is copied whole or not at all
    else:
        print("no server is running, and nothing was left over")
    homes = sorted({str(server.home) for server in orphans.servers if _server_state(server, home) == _ELSEWHERE})
    for other_home in homes:
        options = host_options(choices.host, other_home)
        command = f"dbdyno clean{options}" if choices.host else f"DBDYNO_HOME={shlex.quote(other_home)} dbdyno clean"
        print(f"{command} --remove removes what is left over there", file=sys.stderr)
    if not orphans.is_empty or (remote is not None and (remote.left_agents or remote.old_programs)):
        options, place = host_options(choices.host, choices.home), "there" if choices.host else "here"
        print(f"dbdyno clean{options} --remove removes what is left over {place}", file=sys.stderr)


def _server_state(server: RunningServer, home: Home) -> str:
    if server.study_pid is not None:
        return _BUSY
    if server.is_contained:
        return _CONTAINED
    return _LEFT if server.home == home.root else _ELSEWHERE


def _orphans_object(orphans: Orphans, home: Home) -> dict[str, object]:
    servers = [
        {
            "engine": server.engine,
            "pid": server.pid,
            "start_ticks": server.start_ticks,
            "age_s": round(server.age_s, 1),
            "memory_bytes": server.memory_bytes,
            "folder": str(server.folder),
            "home": str(server.home),
            "study_pid": server.study_pid,
            "state": _server_state(server, home),
        }
        for server in orphans.servers
    ]
    folders = [
        {"folder": str(orphan_folder.folder), "disk_bytes": orphan_folder.disk_bytes}
        for orphan_folder in orphans.folders
    ]
    return {"servers": servers, "folders": folders, "groups": [str(group) for group in orphans.groups]}
