"""Lists the studies below a folder with state, question and answer; reads again what has changed."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dbdyno.analyse import CellJudgement
from dbdyno.core import DbdynoError, RunRecord, format_memory
from dbdyno.report import altered_caveats, analyse_study
from dbdyno.store import (
    PARTS_GATHERED,
    QUICK_CHECK,
    FolderCheck,
    JournalEntry,
    LiveReader,
    StoredStudy,
    find_results,
    is_being_written,
)
from dbdyno.study import Study, question_words

State = Literal["reading", "running", "finished", "interrupted", "refused", "imported", "unreadable"]
_LOOKED_FOR_S = 2.0
_LIST_TIMEOUT_S = 0.5
"""How long a list waits for folders that are being read: a study of thousands of runs takes several seconds."""
_STAMPED = ("manifest.json", "journal.jsonl", "study.toml", "runs")
_SHOWN_BELOW = ("proofs", "deep")
_STARTS_AND_ENDS = ("study-started", "study-finished", "study-interrupted", "study-refused", PARTS_GATHERED)


@dataclass(frozen=True, slots=True)
class StoredFolder:
    """Holds what a folder's files say; the same while its stamp is.

    Parameters
    ----------
    statuses : how many runs are good, suspect, failed
    run_ns : what a run took so far, from start to stored; None before the first
    is_refused : the audit of the servers let no run begin
    is_complete : no run is missing, by the end of the study where the journal has it
    runs_planned : of the plan, of a part of a study those of the part
    runs_total : the same with further rounds, as far as they are known
    problem : why the folder can't be read; empty when it can
    """

    name: str = ""
    question: str = ""
    targets: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    is_imported: bool = False
    is_refused: bool = False
    is_complete: bool = False
    runs_planned: int = 0
    runs_total: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    began_ns: int = 0
    ended_ns: int = 0
    run_ns: int | None = None
    headline: str = ""
    sentences: tuple[str, ...] = ()
    cells: tuple[CellJudgement, ...] = ()
    problem: str = ""

    @property
    def runs_done(self) -> int:
        """Return stored runs, good or not."""
        return sum(self.statuses.values())


class StudyFolder:
    """Describes one results folder; asked from many threads, read by one at a time."""

    def __init__(self, path: Path, label: str, check: FolderCheck = QUICK_CHECK) -> None:
        self.path, self.label, self._check = path, label, check
        self.key = hashlib.sha256(label.encode(errors="surrogateescape")).hexdigest()[:12]
        self._lock, self._live_lock = threading.Lock(), threading.Lock()
        self._live_reader = LiveReader(path)
        self._stamp: object = None
        self._stored: StoredFolder | None = None

    def stamp(self) -> tuple[int, ...]:
        """Return a stamp that changes whenever something is stored."""
        return _stamp_of(self.path / name for name in _STAMPED)

    def report_stamp(self) -> tuple[object, ...]:
        """Return a stamp that changes whenever a report would, also by proofs and profiles, which are folders below."""
        below = sorted(path for name in _SHOWN_BELOW for path in (self.path / name).glob("*"))
        stamped_paths = [[path / name for name in _STAMPED] if path.is_dir() else [path] for path in below]
        return (self.stamp(), *map(str, below), *map(_stamp_of, stamped_paths))

    def stored(self) -> StoredFolder:
        """Return what its files say now."""
        with self._lock:
            stamp = self.stamp()
            if self._stored is None or stamp != self._stamp:
                self._stored, self._stamp = self._read(), stamp
            return self._stored

    def last_stored(self) -> StoredFolder | None:
        """Return what its files said when they were last read, without waiting; None before the first time."""
        return self._stored

    def _read(self) -> StoredFolder:
        try:
            return _stored_folder(self.checked())
        except DbdynoError as error:
            return StoredFolder(name=self.path.name, problem=str(error))
        except (OSError, ValueError, KeyError, TypeError) as error:
            return StoredFolder(name=self.path.name, problem=f"{type(error).__name__}: {error}")

    def checked(self) -> StoredStudy:
        """Return the folder, opened anew and held against its checksums, as before a report is made of it.

        Raises
        ------
        StoreError : it can't be read, or is not as dbdyno wrote it
        """
        return StoredStudy.open(self.path, check=self._check)

    def is_running(self) -> bool:
        """Return whether a study writes to it."""
        return is_being_written(self.path)

    def state(self) -> State:
        """Return what became of the study."""
        return self.state_of(self.stored())

    def state_of(self, stored_folder: StoredFolder | None) -> State:
        """Return what became of the study by what its files said; None before they were read.

        A study that has just ended has a new file that says how: it is read before anything is said of its end.
        """
        if stored_folder is None:
            return "reading"
        if stored_folder.problem:
            return "unreadable"
        if self.is_running():
            return "running"
        if self.stamp() != self._stamp:
            return "reading"
        if stored_folder.is_imported:
            return "imported"
        if stored_folder.is_refused:
            return "refused"
        return "finished" if stored_folder.is_complete else "interrupted"

    def live(self) -> list[tuple[JournalEntry, ...]]:
        """Return what is reported of the run under way, of each bench of several; nothing when nobody writes."""
        with self._live_lock:
            if self.is_running():
                return self._live_reader.read()
            self._live_reader = LiveReader(self.path)
            return []


class Studies:
    """Holds all results folders at or below one; looked for again every other second."""

    def __init__(self, top: Path, check: FolderCheck = QUICK_CHECK) -> None:
        self.top, self._check = top, check
        self._lock = threading.Lock()
        self._known: dict[str, StudyFolder] = {}
        self._looked_at = -_LOOKED_FOR_S
        self._reader: threading.Thread | None = None

    def all(self) -> Sequence[StudyFolder]:
        """Return them by name."""
        with self._lock:
            if time.monotonic() - self._looked_at >= _LOOKED_FOR_S:
                self._scan_folders()
            return list(self._known.values())

    def listed(self, timeout_s: float = _LIST_TIMEOUT_S) -> list[tuple[StudyFolder, StoredFolder | None]]:
        """Return each with what its files say; after a moment with what they said last, while they are being read."""
        folders = self.all()
        with self._lock:
            if self._reader is None or not self._reader.is_alive():
                self._reader = threading.Thread(target=_read_all, args=(folders,), name="dbdyno-reader", daemon=True)
                self._reader.start()
            reader = self._reader
        reader.join(timeout_s)
        return [(folder, folder.last_stored()) for folder in folders]

    def of(self, key: str) -> StudyFolder | None:
        """Return the folder of a key. No address ever becomes a path: only what was found can be asked for."""
        return next((folder for folder in self.all() if folder.key == key), None)

    def _scan_folders(self) -> None:
        study_folders = [
            StudyFolder(path, _folder_label(path, self.top), self._check) for path in find_results(self.top)
        ]
        self._known = {folder.key: self._known.get(folder.key, folder) for folder in study_folders}
        self._looked_at = time.monotonic()


def _read_all(folders: Sequence[StudyFolder]) -> None:
    for folder in folders:
        folder.stored()


def _stamp_of(paths: Iterable[Path]) -> tuple[int, ...]:
    stamp_values = []
    for path in paths:
        try:
            facts = path.stat()
            stamp_values += [facts.st_mtime_ns, facts.st_size]
        except OSError:
            stamp_values += [0, 0]
    return tuple(stamp_values)


def _folder_label(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path != root else path.resolve().name


def _stored_folder(results: StoredStudy) -> StoredFolder:
    analysis = analyse_study(results)
    study, records, journal = results.study, analysis.stored, results.journal()
    planned = len(records) if study.imported is not None else _planned_count(results)
    total = max(planned + _further_count(journal), len(records))
    statuses: dict[str, int] = {}
    for record in records:
        statuses[record.status] = statuses.get(record.status, 0) + 1
    return StoredFolder(
        name=study.name,
        question=question_words(study),
        targets=tuple(target.name for target in study.targets),
        workloads=tuple(choice.label for choice in study.workloads),
        is_imported=study.imported is not None,
        is_refused=bool(journal) and journal[-1].event == "study-refused",
        is_complete=_is_complete(study, journal, planned, len(records)),
        runs_planned=planned,
        runs_total=total,
        statuses=statuses,
        began_ns=min((r.span.started_ns for r in records if r.span.started_ns), default=results.manifest.created_ns),
        ended_ns=max((record.span.ended_ns for record in records), default=0),
        run_ns=_typical_run_ns(journal, records),
        headline=analysis.answer.headline if records and len(study.targets) > 1 else "",
        sentences=(*(c.text for c in altered_caveats(results)), *(analysis.answer.sentences if records else ())),
        cells=tuple(group for group in analysis.judgements if any(run.status != "missing" for run in group.runs)),
    )


def _last_plan(journal: Sequence[JournalEntry]) -> JournalEntry | None:
    """Return the last entry that says which runs belong here: a start of the study, or parts that were gathered."""
    return next((entry for entry in reversed(journal) if entry.event in ("study-started", PARTS_GATHERED)), None)


def _planned_count(results: StoredStudy) -> int:
    """Return how many runs are planned: as the last start noted it, which of a part is fewer than the plan has."""
    plan_entry = _last_plan(results.journal())
    runs_total = None if plan_entry is None else plan_entry.facts.get("runs_total")
    return runs_total if isinstance(runs_total, int) else len(results.planned_runs)


def _further_count(journal: Sequence[JournalEntry]) -> int:
    """Return how many runs the further rounds have that were begun so far."""
    rounds = {
        (entry.facts.get("bench"), entry.facts.get("repeat")): runs
        for entry in journal
        if entry.event == "further-repeats" and isinstance(runs := entry.facts.get("runs"), int)
    }
    return sum(rounds.values())


def _is_complete(study: Study, journal: Sequence[JournalEntry], planned: int, stored: int) -> bool:
    """Return whether no run is missing: as the study noted it at its end, else by the number of runs."""
    end = next((entry for entry in reversed(journal) if entry.event in _STARTS_AND_ENDS), None)
    if end is not None and isinstance(missing := end.facts.get("missing"), int):
        return missing == 0 and stored >= planned
    is_killed_in_rounds = study.repeats_max is not None and end is not None and end.event == "study-started"
    return stored >= planned and not is_killed_in_rounds


def _typical_run_ns(journal: Sequence[JournalEntry], records: Sequence[RunRecord]) -> int | None:
    """Return the mean time from the start of a run to the start of the next, of the runs of the last session."""
    start_by_run: dict[object, int] = {}
    durations_ns: list[int] = []
    for entry in journal:
        if entry.event == "study-started":
            durations_ns = []
        elif entry.event == "run-started":
            start_by_run[entry.facts.get("run_id")] = entry.at_ns
        elif entry.event == "run-finished" and entry.facts.get("run_id") in start_by_run:
            durations_ns.append(entry.at_ns - start_by_run[entry.facts.get("run_id")])
    if not durations_ns:
        durations_ns = [
            record.span.ended_ns - record.span.started_ns
            for record in records
            if record.span.ended_ns > record.span.started_ns > 0
        ]
    return sum(durations_ns) // len(durations_ns) if durations_ns else None


def cell_rows(stored: StoredFolder) -> list[dict[str, object]]:
    """Return the judged cells as the page shows them."""
    return [
        {
            "target": group.cell.target,
            "workload": group.cell.workload,
            "memory": format_memory(group.cell.tier_bytes),
            "connections": group.cell.concurrency,
            "route": group.cell.route,
            "tps": group.tps_mean,
            "low": None if group.is_vague else group.tps_low,
            "high": None if group.is_vague else group.tps_high,
            "is_settled": group.is_settled,
            "runs": len(group.judged),
            "statuses": [run.status for run in group.runs],
        }
        for group in sorted(stored.cells, key=_cell_sort_key)
    ]


def _cell_sort_key(group: CellJudgement) -> tuple[str, str, int, int]:
    """Return a key that sorts cells that are compared together, for any order of the runs."""
    cell = group.cell
    return cell.workload, cell.route, cell.tier_bytes, cell.concurrency
