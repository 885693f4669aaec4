"""Lists the snapshots that lie in a DBDYNO_HOME for later studies, and removes one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import Home
from dbdyno.hosts import Host
from dbdyno.populate._snapshot import FACTS, USED, read_facts


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """Describes what lies in DBDYNO_HOME for later studies, as its user sees it.

    Parameters
    ----------
    engine, dataset : what was filled by whom; empty for snapshots of earlier versions
    disk_bytes : that it takes
    used_ns : Unix time at which a study last filled or took it
    """

    folder: Path
    engine: str
    dataset: str
    disk_bytes: int
    used_ns: int


def kept_snapshots(home: Home, host: Host) -> tuple[KeptSnapshot, ...]:
    """Return all snapshots of a DBDYNO_HOME, the longest unused first."""
    folders = host.files.entries(home.snapshots) if host.files.stat(home.snapshots) else []
    snapshots = [_kept_snapshot(entry.path, host) for entry in folders if entry.kind == "directory"]
    return tuple(sorted(snapshots, key=lambda snapshot: snapshot.used_ns))


def _kept_snapshot(folder: Path, host: Host) -> KeptSnapshot:
    try:
        facts = read_facts(folder, host)
        engine, dataset = facts.engine, facts.dataset
    except (OSError, ValueError):
        engine = dataset = ""
    entries = host.files.entries(folder, recursive=True)
    marks = [entry.modified_ns for entry in entries if entry.path in (folder / USED, folder / FACTS)]
    return KeptSnapshot(folder, engine, dataset, sum(entry.disk_bytes for entry in entries), max(marks, default=0))


def remove_snapshot(kept: KeptSnapshot, home: Home, host: Host) -> None:
    """Remove a snapshot, unless a study fills it at this moment.

    Raises
    ------
    HostError : it is being filled, or can't be removed
    """
    with host.lock(home.snapshots / f".{kept.folder.name.lstrip('.').removesuffix('.new')}.lock", 1.0):
        host.remove_tree(kept.folder)
