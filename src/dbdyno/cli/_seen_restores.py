"""Keeps what runs took on this machine beyond warm-up and window, so that plans need not assume it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli._machine_history import MachineKey, entries_of, has_own_servers_here, keep_entry
from dbdyno.plan import SeenRestores

if TYPE_CHECKING:
    from dbdyno.store import StoredStudy
    from dbdyno.study import Study

FILE = "restores.json"


@dataclass(frozen=True, slots=True)
class StudyRestores:
    """Holds what one study showed; see `SeenRestores`."""

    results: str
    machine: MachineKey
    runs: int
    around_ns: int
    snapshot_bytes: int


def keep_restores(results: StoredStudy, root: Path) -> None:
    """Keep what a study showed, if each of its runs had a restore and a known length.

    Raises
    ------
    OSError : the file can't be written
    """
    study = results.study
    times_ns = _times_around_ns(results) if _has_known_lengths(study) and has_own_servers_here(study) else []
    sizes = [size for target in study.targets for size in _snapshot_sizes(results, target.name)]
    if times_ns and sizes:
        around_ns, snapshot_bytes = sum(times_ns) // len(times_ns), sum(sizes) // len(sizes)
        machine = MachineKey.of(results.host)
        entry = StudyRestores(str(results.path.resolve()), machine, len(times_ns), around_ns, snapshot_bytes)
        keep_entry(root / FILE, entry)


def restores_seen_here(study: Study, root: Path) -> SeenRestores | None:
    """Return what the last studies of this machine showed; None where there was none, or servers run elsewhere."""
    if not has_own_servers_here(study):
        return None
    entries = entries_of(root / FILE, StudyRestores, MachineKey.of_this_machine(root))
    runs = sum(entry.runs for entry in entries)
    if not runs:
        return None
    around_ns = sum(entry.runs * entry.around_ns for entry in entries) // runs
    snapshot_bytes = sum(entry.runs * entry.snapshot_bytes for entry in entries) // runs
    return SeenRestores(runs, around_ns, snapshot_bytes)


def _has_known_lengths(study: Study) -> bool:
    return (
        study.restore == "run"
        and study.after_run == "discard"
        and study.pacing.search is None
        and not study.adaptive_length
    )


def _times_around_ns(results: StoredStudy) -> list[int]:
    """Return what each good run of the journal took beyond its idle pause, warm-up and window.

    Runs beside which other programs used the processors do not count: the next study need not have such neighbours.
    """
    study = results.study
    disturbed_ids = {record.run.run_id for record in results.records() if record.is_disturbed}
    driven_ns = study.settle_ns + study.warm_up_ns + study.window_ns
    started_ns: dict[object, int] = {}
    times_ns = []
    for entry in results.journal():
        if entry.event == "run-started":
            started_ns[entry.facts["run_id"]] = entry.at_ns
        elif entry.event == "run-finished" and entry.facts.get("status") != "failed":
            took_ns = entry.at_ns - started_ns.pop(entry.facts["run_id"], entry.at_ns)
            is_counted = took_ns > driven_ns and entry.facts["run_id"] not in disturbed_ids
            times_ns += [took_ns - driven_ns] if is_counted else []
    return times_ns


def _snapshot_sizes(results: StoredStudy, target: str) -> list[int]:
    document = results.dataset(target) or {}
    return [int(row["bytes"]) for row in document.get("datasets", []) if row.get("bytes")]
