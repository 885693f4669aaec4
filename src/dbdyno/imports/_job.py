"""One run made ready for the store: its log and the files beside it read, judged and packed. Runs in any process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from dbdyno.core import Caveat, Run, RunRecord, ToolFigures
from dbdyno.imports._beside import Beside
from dbdyno.imports._complaint import Complaint, stored_path
from dbdyno.imports._fields import TargetFacts
from dbdyno.imports._file_text import FileText, read_file_text
from dbdyno.imports._server_facts import SettingsFile, read_settings, setting_rows
from dbdyno.imports._tree import SETTING_KINDS, Kind
from dbdyno.imports.sysbench import (
    COUNTS,
    RunFigures,
    SysbenchRun,
    judge,
    log_parts,
    percentile_of,
    read_run,
    run_figures,
    seconds_table,
)
from dbdyno.imports.telemetry import Reports, place, read_dstat, read_iostat, read_mpstat, read_vmstat
from dbdyno.store import JsonValue, PackedRun, SettingRow, StoredRun, pack_run

_READERS = {"iostat": read_iostat, "vmstat": read_vmstat, "mpstat": read_mpstat, "dstat": read_dstat}
_MOST_COMPLAINTS = 20
_LOG_TAIL = 64 * 1024
_OFFSET = Caveat(
    "telemetry-offset",
    "a sysbench log has no clock: the first reading beside it stands at second 0, so readings may be off by as long as "
    "the tools ran before the load",
)


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be made ready.

    Parameters
    ----------
    part_index : which run of its log; None: there is none, and `why_none` says why
    """

    root: Path
    log_path: str
    part_index: int | None
    run: Run
    target: TargetFacts
    beside: Beside
    why_none: str = ""
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A run ready for the store, what was wrong with its files, and what they say of the machine."""

    packed: PackedRun
    record: RunRecord
    complaints: tuple[Complaint, ...]
    machine: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(slots=True)
class _Telemetry:
    """What came of the files beside a run."""

    tables: list[pa.Table] = field(default_factory=list)
    caveats: list[Caveat] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)
    origin: list[JsonValue] = field(default_factory=list)
    machine: dict[str, str | int] = field(default_factory=dict)


def make_run(job: Job) -> Made:
    """Read everything of one run."""
    content = read_file_text(job.root / job.log_path)
    settings = {
        kind: read_settings(job.root, path, kind) for kind in SETTING_KINDS if (path := job.beside.settings.get(kind))
    }
    complaints = [complaint for file in settings.values() for complaint in file.complaints]
    origin: list[JsonValue] = [_origin("sysbench log", job.log_path, content.sha256, content.size)]
    origin += [_origin(kind, file.path, file.sha256, file.size) for kind, file in settings.items()]
    log = None
    if job.part_index is not None:
        parts = log_parts(content.text)
        log = read_run(content.text, parts[job.part_index])
        complaints += _log_complaints(job, content, log)
    figures = run_figures(log) if log else None
    beside = _telemetry(job, figures)
    record = _record(job, log, figures, (*job.caveats, *_about_status(settings), *beside.caveats))
    stored = StoredRun(
        record,
        seconds=_seconds(log, figures),
        intervals=_intervals(log, figures),
        telemetry=pa.concat_tables(beside.tables) if beside.tables else (),
        variables=_values(settings, "variables"),
        settings=_settings(settings),
        status_before=_values(settings, "status"),
        start=_start(log, figures),
        end=_end(log),
        server_cnf=settings["option-file"].text if "option-file" in settings else "",
        server_log=settings["server-log"].text[-_LOG_TAIL:] if "server-log" in settings else "",
        origin=[*origin, *beside.origin],
    )
    return Made(pack_run(stored), record, tuple(complaints + beside.complaints), beside.machine)


def _record(job: Job, log: SysbenchRun | None, figures: RunFigures | None, caveats: tuple[Caveat, ...]) -> RunRecord:
    target = job.target
    if log is None or figures is None:
        return RunRecord(
            job.run,
            target.family,
            target.version,
            target.storage_engine,
            "failed",
            job.why_none,
            imported=ToolFigures("sysbench"),
            caveats=caveats,
        )
    judgement = judge(log, figures, job.run.cell.concurrency)
    return RunRecord(
        run=job.run,
        family=target.family,
        version=target.version,
        storage_engine=target.storage_engine,
        status=judgement.status,
        reason=judgement.reason,
        window_s=figures.window_s,
        tps_mean=figures.tps_mean if judgement.status != "failed" else None,
        tps_half_width=figures.tps_half_width if judgement.status != "failed" else None,
        qps_mean=figures.qps_mean,
        latency_ns=figures.latency_ns,
        transactions=figures.transactions,
        statements=figures.statements,
        errors=figures.errors,
        imported=figures.tool,
        caveats=(*judgement.caveats, *caveats),
    )


def _seconds(log: SysbenchRun | None, figures: RunFigures | None) -> pa.Table | tuple[()]:
    if log is None or figures is None or not len(log.intervals):
        return ()
    return seconds_table(log.intervals, figures.interval_s, percentile_of(log))


def _intervals(log: SysbenchRun | None, figures: RunFigures | None) -> pa.Table | tuple[()]:
    """The histogram of the whole run as one row: the log has none of its seconds."""
    if log is None or figures is None or figures.histogram is None:
        return ()
    clock = "response_histogram" if log.head.rate_per_s else "service_histogram"
    row = {"second": [0], "phase": ["window"], "kind": ["transaction"], "type": ["all, whole run"]}
    counts = {"completed": [figures.transactions], "failed": [0], "retries_json": ["{}"], "errors_json": ["{}"]}
    return pa.table({**row, **counts, clock: [figures.histogram], "rolled_back": [0]})


def _telemetry(job: Job, figures: RunFigures | None) -> _Telemetry:
    found = _Telemetry()
    seconds_count = round(figures.window_s) if figures else 0
    for kind, path in sorted(job.beside.telemetry.items()):
        try:
            content = read_file_text(job.root / path)
        except OSError as error:
            found.complaints.append(Complaint(path, 1, f"can't be read: {error.strerror or error}"))
            continue
        reports = _READERS[kind](content.text)
        found.origin.append(_origin(kind, path, content.sha256, content.size))
        found.machine |= reports.facts
        wrong = [*content.complaints, *reports.complaints]
        if not reports.count and not wrong:
            wrong.append((1, "the file is empty" if not content.text.strip() else f"no report of {kind} in it"))
        found.complaints += [Complaint(path, line, words) for line, words in wrong[:_MOST_COMPLAINTS]]
        if reports.count and seconds_count:
            _place(found, kind, reports, seconds_count)
    if found.tables:
        found.caveats.append(_OFFSET)
    return found


def _place(found: _Telemetry, kind: Kind, reports: Reports, seconds_count: int) -> None:
    placed = place(reports, seconds_count)
    if placed.table is None:
        found.caveats.append(Caveat("telemetry-left-out", f"{kind} left out: {placed.problem}"))
        return
    found.tables.append(placed.table)


def _log_complaints(job: Job, content: FileText, log: SysbenchRun) -> list[Complaint]:
    """What is wrong with the log inside of this run; what is wrong with the whole file belongs to its first run."""
    wrong = [pair for pair in content.complaints if job.part_index == 0]
    wrong += log.complaints[:_MOST_COMPLAINTS]
    if len(log.complaints) > _MOST_COMPLAINTS:
        wrong.append(
            (log.complaints[_MOST_COMPLAINTS][0], f"and {len(log.complaints) - _MOST_COMPLAINTS:,} lines more")
        )
    if log.fatal:
        wrong.append((log.fatal[0][0], f"FATAL: {log.fatal[0][1][:200]}"))
    elif not log.is_complete:
        wrong.append((log.last_line, "the log ends here, without a whole last report"))
    return [Complaint(job.log_path, line, text) for line, text in wrong]


def _about_status(settings: Mapping[Kind, SettingsFile]) -> tuple[Caveat, ...]:
    if "status" not in settings:
        return ()
    text = "when SHOW STATUS was asked is not in its dump: it need not be around the load"
    return (Caveat("status-undated", text),)


def _settings(settings: Mapping[Kind, SettingsFile]) -> Sequence[SettingRow]:
    file = settings.get("option-file")
    return setting_rows(file.options, _values(settings, "variables")) if file else ()


def _values(settings: Mapping[Kind, SettingsFile], kind: Kind) -> Mapping[str, str]:
    file = settings.get(kind)
    return (file.values or {}) if file else {}


def _start(log: SysbenchRun | None, figures: RunFigures | None) -> dict[str, JsonValue]:
    """What the log says of the run before it begins."""
    if log is None or figures is None:
        return {}
    head = log.head
    told = {"threads": head.threads, "interval_s": head.interval_s, "rate_per_s": head.rate_per_s}
    more = {"warm_up_s": head.warm_up_s, "test": head.test or None, "options": dict(head.options)}
    lines = {"first_line": log.first_line, "last_line": log.last_line}
    return {"imported": True, "tool": "sysbench", "version": head.version or None, **told, **more, **lines}


def _end(log: SysbenchRun | None) -> dict[str, JsonValue]:
    """The tool's own reports, as printed."""
    if log is None or not log.reports:
        return {}
    reports: list[JsonValue] = [
        {
            **{name: int(value) if name in COUNTS else value for name, value in report.values.items()},
            "rates_per_s": dict(report.rates),
            "standard_deviations": dict(report.deviations),
            "percentile": report.percentile,
            "percentile_ms": report.percentile_ms,
            "is_whole": report.is_whole,
        }
        for report in log.reports
    ]
    return {"reports": reports, "unfinished": log.unfinished}


def _origin(role: str, path: str, sha256: str, size: int) -> JsonValue:
    return {"role": role, "path": stored_path(path), "bytes": size, "sha256": sha256}
