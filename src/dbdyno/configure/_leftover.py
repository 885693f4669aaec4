"""What a killed run leaves behind: a server that still runs, its folder of passwords and sockets.

Each start writes a note beside the option file at once, so that the next command can put an end to it: only to
the process of that pid, that start time and that boot.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from dbdyno.hosts import Host, MemoryGroup, Process

_NOTE = "server.json"
_KILL_WAIT_S = 30


def write_note(
    run_directory: Path,
    process: Process,
    private_directory: Path,
    host: Host,
    title: str = "",
    memory_group: MemoryGroup | None = None,
) -> None:
    """Say which process runs on this folder."""
    note = {
        "pid": process.pid,
        "start_ticks": process.start_ticks,
        "boot_id": host.facts().boot_id,
        "private_directory": str(private_directory),
        "engine": title,
        "memory_group": str(memory_group.folder) if memory_group is not None else None,
        "started_ns": time.time_ns(),
    }
    host.write_private(run_directory / _NOTE, json.dumps(note) + "\n")


def remove_note(run_directory: Path) -> None:
    """The server has ended as it should."""
    (run_directory / _NOTE).unlink(missing_ok=True)


def end_leftover(run_directory: Path, host: Host) -> str:
    """End the server that an earlier, killed run has left on a run directory, and remove its private folder.

    Returns
    -------
    What was done, in words; empty when there was nothing to do. The run directory itself is the caller's.
    """
    try:
        note = json.loads((run_directory / _NOTE).read_text())
        pid, ticks, boot_id = int(note["pid"]), int(note["start_ticks"]), str(note["boot_id"])
        private = Path(note["private_directory"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    process = host.find_process(pid, ticks) if boot_id == host.facts().boot_id else None
    if process is not None:
        process.kill()
        process.wait(_KILL_WAIT_S)
    if private.name.startswith("dbdyno-") and private.parent == Path("/tmp"):
        host.remove_tree(private)
    remove_note(run_directory)
    return f"ended the server of a killed run (pid {pid})" if process is not None else "removed a killed run's files"
