"""Notes and ends what a killed run leaves behind: a running server, its private folder, its memory group.

Each start writes a note next to the option file at once, so that the next command can put an end to it: only to
the process of that pid, that start time and that boot.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from dbdyno.core import decode, json_value
from dbdyno.hosts import Host, MemoryGroup, Process, is_own_private_folder, read_own_text

_NOTE = "server.json"
_KILL_WAIT_S = 30


@dataclass(frozen=True, slots=True)
class ServerNote:
    """Describes which process runs on a folder.

    Parameters
    ----------
    engine : its family and version
    started_ns : Unix time
    memory_group : folder of its control group; None without a memory limit
    """

    pid: int
    start_ticks: int
    boot_id: str
    private_directory: str
    engine: str = ""
    started_ns: int = 0
    memory_group: str | None = None

    def process(self, host: Host) -> Process | None:
        """Return that process, if it still runs; never another that has come by its pid."""
        return host.find_process(self.pid, self.start_ticks) if self.boot_id == host.boot_id() else None


def write_note(
    run_directory: Path,
    process: Process,
    private_directory: Path,
    host: Host,
    engine: str,
    memory_group: MemoryGroup | None,
) -> None:
    """Say which process runs on this folder."""
    group = None if memory_group is None else str(memory_group.folder)
    boot_id, private_path = host.boot_id(), str(private_directory)
    note = ServerNote(process.pid, process.start_ticks, boot_id, private_path, engine, time.time_ns(), group)
    host.write_private(run_directory / _NOTE, json.dumps(asdict(note)) + "\n")


def read_note(run_directory: Path, host: Host) -> ServerNote | None:
    """Return the note on a folder; None where none was written, or none that can be read."""
    try:
        return decode(ServerNote, json_value(read_own_text(run_directory / _NOTE, host) or "null"))
    except ValueError:
        return None


def remove_note(run_directory: Path, host: Host) -> None:
    """Remove the note: the server has ended as it should."""
    host.files.remove(run_directory / _NOTE)


def end_orphan(run_directory: Path, host: Host) -> str:
    """End the server that an earlier, killed run has left on a run directory, and remove its private folder.

    Returns
    -------
    What was done, in words; empty when there was nothing to do. The run directory itself is the caller's.
    """
    note = read_note(run_directory, host)
    if note is None:
        return ""
    process = note.process(host)
    if process is not None:
        process.kill()
        process.wait(_KILL_WAIT_S)
    if note.memory_group is not None:
        host.remove_memory_group(Path(note.memory_group))
    private_folder = Path(note.private_directory)
    if is_own_private_folder(private_folder, host):
        host.remove_tree(private_folder)
    remove_note(run_directory, host)
    return f"killed a server, process {note.pid}" if process is not None else "removed a killed run's files"
