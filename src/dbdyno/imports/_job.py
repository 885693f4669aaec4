"""Prepares one run for the store: reads, judges and packs its log and companion files. Runs in any process."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import Caveat, Run, RunRecord, SettledPart, ToolFigures, counted
from dbdyno.imports._companion_files import CompanionFiles
from dbdyno.imports._diagnostic import Diagnostic, stored_path
from dbdyno.imports._fields import TargetIdentity
from dbdyno.imports._file_text import FileText, read_file_text
from dbdyno.imports._run import RunInput, ToolRun
from dbdyno.imports._server_facts import SettingsFile, read_settings, server_files_of
from dbdyno.imports._study import workload_name
from dbdyno.imports._tools import TOOLS
from dbdyno.imports._tree import SETTING_KINDS, Kind
from dbdyno.imports.telemetry import ToolReports, align, read_dstat, read_iostat, read_mpstat, read_vmstat
from dbdyno.stats import METHOD, settled_part
from dbdyno.store import JsonValue, PackedRun, StoredRun, pack_run, printed_tps
from dbdyno.tables import Table, concatenate

_READERS = {"iostat": read_iostat, "vmstat": read_vmstat, "mpstat": read_mpstat, "dstat": read_dstat}
_MOST_COMPLAINTS = 20
_OFFSET = Caveat(
    "telemetry-offset",
    "the log and the telemetry share no clock: dbdyno puts the first reading at the start of the load, so "
    "readings may be off by the time that the tools ran before the load",
)


@dataclass(frozen=True, slots=True)
class Job:
    """Describes one run to be made ready.

    Parameters
    ----------
    tool : name of the one that wrote the log
    part_index : which run of its log; None: there is none, and `why_none` says why
    """

    tool: str
    root: Path
    log_path: str
    part_index: int | None
    run: Run
    target: TargetIdentity
    companion_data: CompanionFiles
    why_none: str = ""
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """Describes a run ready for the store, what was wrong with its files, and what they say of the machine."""

    packed: PackedRun
    record: RunRecord
    diagnostics: tuple[Diagnostic, ...]
    machine: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(slots=True)
class _Telemetry:
    """Holds what came of the files next to a run."""

    tables: list[Table] = field(default_factory=list)
    caveats: list[Caveat] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    origin: list[JsonValue] = field(default_factory=list)
    machine: dict[str, str | int] = field(default_factory=dict)


def make_run(job: Job) -> PreparedRun:
    """Read everything of one run."""
    log = job.root / job.log_path
    facts = log.stat()
    content = _log_text(log, (facts.st_mtime_ns, facts.st_size, facts.st_ino))
    settings = {
        kind: read_settings(job.root, path, kind)
        for kind in SETTING_KINDS
        if (path := job.companion_data.settings.get(kind))
    }
    companions = _read_companions(job)
    diagnostics = [diagnostic for file in settings.values() for diagnostic in file.diagnostics]
    log_origin = _origin_facts(f"{TOOLS[job.tool].title} log", job.log_path, content.sha256, content.size)
    # A log that was compressed for archiving is still the published one.
    origin: list[JsonValue] = [
        {**log_origin, "unpacked_sha256": content.unpacked_sha256} if content.unpacked_sha256 else log_origin
    ]
    origin += [
        _origin_facts(kind, job.companion_data.companions[kind], c.sha256, c.size) for kind, c in companions.items()
    ]
    origin += [_origin_facts(kind, file.path, file.sha256, file.size) for kind, file in settings.items()]
    run = _read_run(job, content, companions)
    if run is not None:
        diagnostics += _log_diagnostics(job, content, run) + _companion_diagnostics(job, companions, run)
    companion_data = _read_telemetry(job, run)
    machine = {name: companion_data.machine[name] for name in ("hostname",) if name in companion_data.machine}
    record = _run_record(job, run, (*job.caveats, *_status_caveats(settings), *companion_data.caveats))
    stored_run = StoredRun(
        record,
        seconds=run.seconds if run else (),
        intervals=run.intervals if run else (),
        telemetry=concatenate(companion_data.tables) if companion_data.tables else (),
        start={"imported": True, "tool": job.tool, "machine": machine, **run.start} if run else {},
        end=run.end if run else {},
        origin=[*origin, *companion_data.origin],
    )
    shared = server_files_of(job.root, tuple(sorted(job.companion_data.settings.items())))
    return PreparedRun(
        pack_run(stored_run, shared), record, tuple(diagnostics + companion_data.diagnostics), companion_data.machine
    )


@functools.lru_cache(maxsize=1)  # several runs of one log come one after the other
def _log_text(path: Path, stamp: tuple[int, ...]) -> FileText:
    return read_file_text(path)


def _read_run(job: Job, content: FileText, companions: Mapping[Kind, FileText]) -> ToolRun | None:
    if job.part_index is None:
        return None
    texts = {kind: file.text for kind, file in companions.items()}
    cell = job.run.cell
    return TOOLS[job.tool].read(
        RunInput(content.text, job.part_index, cell.concurrency, texts, workload_name(cell.workload))
    )


def _read_companions(job: Job) -> dict[Kind, FileText]:
    """Read the tool's own files next to the log; one that can't be read is a diagnostic, with no text."""
    texts = {}
    for kind, path in job.companion_data.companions.items():
        try:
            texts[kind] = read_file_text(job.root / path)
        except OSError as error:
            texts[kind] = FileText("", "", 0, ((1, f"can't be read: {error.strerror or error}"),))
    return texts


def _companion_diagnostics(job: Job, companions: Mapping[Kind, FileText], run: ToolRun) -> list[Diagnostic]:
    diagnostics = []
    for kind, file in companions.items():
        problems = [*file.diagnostics, *run.companions_wrong.get(kind, ())]
        if not file.text.strip() and not problems:
            problems.append((1, "the file is empty"))
        diagnostics += [
            Diagnostic(job.companion_data.companions[kind], line, words) for line, words in problems[:_MOST_COMPLAINTS]
        ]
    return diagnostics


def _run_record(job: Job, run: ToolRun | None, caveats: tuple[Caveat, ...]) -> RunRecord:
    target = job.target
    if run is None:
        return RunRecord(
            job.run,
            target.family,
            target.version,
            target.storage_engine,
            "failed",
            job.why_none,
            imported=ToolFigures(TOOLS[job.tool].title),
            caveats=caveats,
        )
    settled = _settled_part_of(run)
    return RunRecord(
        run=job.run,
        family=target.family,
        version=target.version,
        storage_engine=target.storage_engine,
        status=run.judgement.status,
        reason=run.judgement.reason,
        figures=run.figures,
        types=run.types,
        orders=run.orders,
        imported=run.tool,
        caveats=(*run.judgement.caveats, *_quantile_caveats(run, settled), *caveats),
        settled=settled,
        method=METHOD,
    )


def _settled_part_of(run: ToolRun) -> SettledPart | None:
    """Return what the seconds of the log say of its level; None where there are none, or intervals are longer."""
    if not run.figures.tps_mean or not isinstance(run.seconds, Table):
        return None
    return settled_part(printed_tps(run.seconds))


def _quantile_caveats(run: ToolRun, settled: SettledPart | None) -> tuple[Caveat, ...]:
    """Return whether response times are of other seconds than the level: tools print them for the whole run."""
    if settled is None or not settled.is_accepted or not settled.start_s or run.figures.latency_ns is None:
        return ()
    text = (
        f"response times cover the whole run, including its first {settled.start_s} s, which had not settled "
        "and do not count for throughput"
    )
    return (Caveat("whole-run-quantiles", text),)


def _read_telemetry(job: Job, run: ToolRun | None) -> _Telemetry:
    telemetry = _Telemetry()
    seconds_count = round(run.figures.window_s) if run else 0
    lead_s = run.head.lead_s if run else 0
    for kind, path in sorted(job.companion_data.telemetry.items()):
        try:
            content = read_file_text(job.root / path)
        except OSError as error:
            telemetry.diagnostics.append(Diagnostic(path, 1, f"can't be read: {error.strerror or error}"))
            continue
        reports = _READERS[kind](content.text)
        telemetry.origin.append(_origin_facts(kind, path, content.sha256, content.size))
        telemetry.machine |= reports.facts
        problems = [*content.diagnostics, *reports.diagnostics]
        if not reports.count and not problems:
            problems.append((1, "the file is empty" if not content.text.strip() else f"no report of {kind} in it"))
        # A bad line costs one second of a curve; a file without any report is a lost file.
        is_minor = bool(reports.count)
        telemetry.diagnostics += [
            Diagnostic(path, line, words, is_minor) for line, words in problems[:_MOST_COMPLAINTS]
        ]
        if reports.count and seconds_count:
            _place_readings(telemetry, kind, reports, seconds_count, lead_s)
    if telemetry.tables:
        telemetry.caveats.append(_OFFSET)
    return telemetry


def _place_readings(telemetry: _Telemetry, kind: Kind, reports: ToolReports, seconds_count: int, lead_s: int) -> None:
    aligned = align(reports, seconds_count, lead_s)
    if aligned.table is None:
        telemetry.caveats.append(Caveat("telemetry-left-out", f"{kind} left out: {aligned.problem}"))
        return
    telemetry.tables.append(aligned.table)


def _log_diagnostics(job: Job, content: FileText, run: ToolRun) -> list[Diagnostic]:
    """Return what is wrong with the log inside of this run; the first run also has what concerns the whole file."""
    problems = [pair for pair in content.diagnostics if job.part_index == 0]
    problems += run.wrong[:_MOST_COMPLAINTS]
    if len(run.wrong) > _MOST_COMPLAINTS:
        omitted_problems = run.wrong[_MOST_COMPLAINTS:]
        problems.append((omitted_problems[0][0], f"and {counted(len(omitted_problems), 'more line')}"))
    return [Diagnostic(job.log_path, line, text) for line, text in problems]


def _status_caveats(settings: Mapping[Kind, SettingsFile]) -> tuple[Caveat, ...]:
    if "status" not in settings:
        return ()
    text = "the SHOW STATUS dump has no time: it may not be from around the load"
    return (Caveat("status-undated", text),)


def _origin_facts(role: str, path: str, sha256: str, size: int) -> dict[str, JsonValue]:
    return {"role": role, "path": stored_path(path), "bytes": size, "sha256": sha256}
