"""Lists the snapshots that lie in a DBDYNO_HOME for later studies, and removes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import EngineName, Home
from dbdyno.engines import matches
from dbdyno.hosts import Host
from dbdyno.populate._dataset import Dataset
from dbdyno.populate._snapshot import FACTS, USED, read_facts
from dbdyno.study import Study


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
    found = [_kept_snapshot(entry.path, host) for entry in folders if entry.kind == "directory"]
    snapshots = [snapshot for snapshot in found if snapshot is not None]
    return tuple(sorted(snapshots, key=lambda snapshot: snapshot.used_ns))


def _kept_snapshot(folder: Path, host: Host) -> KeptSnapshot | None:
    """Return a snapshot; None where it is gone: another study gives it its name, or removes it, meanwhile."""
    try:
        facts = read_facts(folder, host)
        engine, dataset = facts.engine, facts.dataset
    except (OSError, ValueError):
        engine = dataset = ""
    try:
        entries = host.files.entries(folder, recursive=True)
    except FileNotFoundError:
        return None
    marks = [entry.modified_ns for entry in entries if entry.path in (folder / USED, folder / FACTS)]
    return KeptSnapshot(folder, engine, dataset, sum(entry.disk_bytes for entry in entries), max(marks, default=0))


def kept_bytes(study: Study, snapshots: Sequence[KeptSnapshot]) -> int:
    """Return what the datasets of a study take already, as far as the engines and titles of snapshots say.

    A setting or a seed may still need another snapshot: the space for it is checked before it is filled.
    """
    return sum(
        max((kept.disk_bytes for kept in snapshots if kept.dataset == title and _is_of(kept, target.engine)), default=0)
        for target in study.targets
        if target.engine.source_kind != "server"
        for title in {
            Dataset.of_study(study, study.workload_of(target.name, choice.label)).title for choice in study.workloads
        }
    )


def _is_of(kept: KeptSnapshot, engine: EngineName) -> bool:
    """Return whether an engine of that name has filled it."""
    family, version, storage_engine = (*kept.engine.split(), "", "", "")[:3]
    is_of_version = not engine.version or (bool(version) and matches(version, engine.version))
    return is_of_version and (family, storage_engine) == (engine.family, engine.storage_engine)


def remove_snapshot(kept: KeptSnapshot, home: Home, host: Host) -> None:
    """Remove a snapshot, unless a study fills it at this moment.

    Raises
    ------
    HostError : it is being filled, or can't be removed
    """
    with host.lock(home.snapshots / f".{kept.folder.name.lstrip('.').removesuffix('.new')}.lock", 1.0):
        host.remove_tree(kept.folder)
