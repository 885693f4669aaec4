"""Builds the record of a run that was driven, or of one that failed, with its caveats and the fault behind it."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.configure import CrashReport, disk_full_line
from dbdyno.connections import PathLostError
from dbdyno.core import (
    NO_DELAYS,
    CallDelays,
    Caveat,
    DbdynoError,
    PacingFigures,
    Run,
    RunRecord,
    RunSpan,
    RunStatus,
    WorldError,
    counted,
    format_duration,
    format_memory,
    percent,
)
from dbdyno.engines import storage_engines
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import PreparedTarget, UnpreparedTarget
from dbdyno.measure import MeasuredRun, Standstill, WallClock
from dbdyno.populate import ConditionAnswer, broken_words, undecided_words
from dbdyno.stats import METHOD
from dbdyno.store import StoredRun
from dbdyno.study import Timeouts, named_quirks

_NAMED = 5
# Positions in the binary log: they move with every transaction and choose nothing.
_POSITIONS = frozenset(
    {
        "gtid_binlog_pos",
        "gtid_binlog_state",
        "gtid_current_pos",
        "gtid_executed",
        "gtid_purged",
        "gtid_slave_pos",
        "timestamp",
    }
)


def changed_variables(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name -> value before and after; empty where one of the two was not read.

    >>> changed_variables({"a": "1", "gtid_executed": ""}, {"a": "2", "gtid_executed": "x:1"})
    {'a': ('1', '2')}
    """
    if not before or not after:
        return {}
    names = sorted((before.keys() & after.keys()) - _POSITIONS)
    return {name: (before[name], after[name]) for name in names if before[name] != after[name]}


def changed_caveats(changed: Mapping[str, tuple[str, str]]) -> tuple[Caveat, ...]:
    """Return a caveat that names them; none where nothing changed."""
    if not changed:
        return ()
    words = [f"{name} from {old or 'empty'} to {new or 'empty'}" for name, (old, new) in changed.items()]
    rest_words = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    text = f"variables of the server changed during the run: {', '.join(words[:_NAMED])}{rest_words}"
    return (Caveat("variables-changed", text),)


_NO_SPACE = frozenset({"28", "1021", "1026", "1114", "3675"})
"""Device full, disk full, error on write, table full, tablespace can't be extended: what servers answer then."""
_EXCERPT_LINES = 12
_LAST_LINES = 5


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """Holds what shows which fault a run had.

    Parameters
    ----------
    crash : how the server ended; None: it did not
    errors : codes that the server answered in the window
    log_tail : end of the server's error log since its start
    measured : the kind of the fault where the load itself showed one, such as ``network``
    hang_reason : why no answer was to be expected of the server although its process was there; None: it answered
    """

    crash: CrashReport | None = None
    errors: Collection[str] = ()
    log_tail: str = ""
    measured: str = ""
    hang_reason: str | None = None


def fault_of(status: RunStatus, reason: str, evidence: FaultEvidence) -> tuple[str, str]:
    """Return the fault's kind and the reason in words, which names it first; an empty kind where there was none.

    >>> fault_of("failed", "the load failed: 1114", FaultEvidence(errors=["1114"]))
    ('disk-full', 'the disk is full: the load failed: 1114')
    >>> fault_of("failed", "network: cut", FaultEvidence(measured="network", hang_reason="far answers nothing"))
    ('network', 'network: cut')
    """
    crash, measured, hang_reason, log_tail = evidence.crash, evidence.measured, evidence.hang_reason, evidence.log_tail
    if crash is not None:
        reason_clause = "" if "server died" in reason or not reason else f"; {reason}"
        headline = f"the server died: {crash.words}{reason_clause}"
        further_lines = [crash.kernel_line, _first_lines(crash.excerpt) or _last_lines(log_tail)]
        return crash.kind, "\n".join([headline, *filter(None, further_lines)])
    if measured == "network":  # no answer could have come, even from a healthy server
        return measured, reason
    if hang_reason is not None and status == "failed":
        return "no-answer", reason if hang_reason in reason else f"{hang_reason}; {reason}"
    if measured:
        return measured, reason
    line = disk_full_line(log_tail)
    if status in ("failed", "suspect") and (line or _NO_SPACE & set(evidence.errors)):
        return "disk-full", f"the disk is full: {reason}" + (f"\n{line}" if line else "")
    return "", reason


def _first_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[:_EXCERPT_LINES])


def _last_lines(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-_LAST_LINES:])


def unbounded_cache(
    storage_engine: str, variables: Mapping[str, str], tier_bytes: int, available_bytes: int
) -> Caveat | None:
    """Return the caveat of a run whose server nothing bounds; None where its engine reads past the page cache.

    Parameters
    ----------
    variables : of the server, names in lower case
    available_bytes : memory of the machine that can be had without swapping

    >>> unbounded_cache("rocksdb", {"rocksdb_use_direct_reads": "OFF"}, 1 << 26, 1 << 34).code
    'page-cache-unbounded'
    >>> unbounded_cache("rocksdb", {"rocksdb_use_direct_reads": "ON"}, 1 << 26, 1 << 34)
    """
    engine = storage_engines().get(storage_engine)
    if engine is None or not engine.page_cache or available_bytes <= tier_bytes:
        return None
    if engine.direct_reads and variables.get(engine.direct_reads, "").upper() in ("ON", "1"):
        return None
    text = (
        f"{engine.title} reads its files through the unlimited page cache: besides its tier of "
        f"{format_memory(tier_bytes)} it could use all free memory of the machine; [limits] memory limits it"
    )
    return Caveat("page-cache-unbounded", text)


_EXIT_TIMEOUT_S = 2.0
_NOT_INDEPENDENT = Caveat(
    "cells-not-independent",
    "the server keeps running between runs: each run starts with the state that the previous one left",
)


def _delay_words(delays: CallDelays) -> str:
    named_delays = ((delays.flush_ns, "flushes"), (delays.read_ns, "reads"))
    return " and ".join(f"{calls} took {format_duration(ns)} longer" for ns, calls in named_delays if ns)


def record_of(
    run: Run,
    prepared: PreparedTarget,
    measured: MeasuredRun,
    crash: CrashReport | None,
    log_tail: str,
    hang_reason: str | None = None,
) -> RunRecord:
    """Return the record of a run that was driven. If it failed, the server's log is part of the reason."""
    figures, judgement = measured.figures, measured.judgement
    if hang_reason is not None and judgement.status != "failed":  # it hung before the window ended, or soon after
        judgement = replace(judgement, status="failed", reason=hang_reason)
    caveats = (*judgement.caveats, _NOT_INDEPENDENT) if prepared.is_running_server else judgement.caveats
    if prepared.target.throttled_share:
        caveats = (
            *caveats,
            Caveat("held", f"its process was stopped for {percent(prepared.target.throttled_share)} of the time"),
        )
    if prepared.target.delays != NO_DELAYS:
        caveats = (*caveats, Caveat("held", f"its {_delay_words(prepared.target.delays)}, on purpose"))
    own_crash = crash if judgement.status == "failed" else None
    evidence = FaultEvidence(own_crash, figures.total.errors, log_tail, judgement.fault, hang_reason)
    fault, reason = fault_of(judgement.status, judgement.reason, evidence)
    return RunRecord(
        run=run,
        family=prepared.installation.family,
        version=prepared.installation.version,
        storage_engine=prepared.target.engine.storage_engine,
        status=judgement.status,
        reason=reason,
        fault=fault,
        figures=figures.total,
        cpu=figures.cpu,
        pacing=_pacing_figures(measured),
        types=figures.types,
        orders=measured.orders,
        course=measured.course,
        caveats=caveats,
        settled=measured.settled,
        method=METHOD,
        span=RunSpan(measured.started_ns, measured.ended_ns),
    )


def _pacing_figures(measured: MeasuredRun) -> PacingFigures:
    search = measured.search
    return PacingFigures(
        lateness_ns_p99=measured.figures.lateness_ns_p99,
        unsent=measured.unsent,
        outages=measured.outages,
        rate_held_per_s=search.highest_held_per_s if search else None,
        rate_broken_per_s=search.lowest_broken_per_s if search else None,
    )


def with_conditions(
    record: RunRecord,
    conditions: tuple[ConditionAnswer, ...],
    filled: tuple[ConditionAnswer, ...] = (),
    timeouts: Timeouts | None = None,
) -> RunRecord:
    """Mark a run that left its tables inconsistent as failed: its figures are worth nothing.

    `filled`: what was undecided after the filling, before any run.
    """
    violations = broken_words(conditions)
    if violations:
        return replace(record, status="failed", reason=f"data: {violations}")
    if open_ones := undecided_words(filled, timeouts):
        caveat = Caveat("condition-undecided", f"after the filling: {open_ones}")
        record = replace(record, caveats=(*record.caveats, caveat))
    if open_ones := undecided_words(conditions, timeouts):
        record = replace(record, caveats=(*record.caveats, Caveat("condition-undecided", open_ones)))
    # Without a quirk, this run itself breaks a condition that held after the filling, because it adds rows.
    by_quirk = [answer for answer in conditions if answer.status == "told" and answer.quirks]
    if not by_quirk:
        return record
    names = ", ".join(f"{answer.name} ({answer.quirks})" for answer in by_quirk)
    effects = " ".join(f"{quirk_id}: {effect}" for quirk_id, effect in named_quirks(names))
    text = f"after the run, some conditions do not hold, as with the imitated tool: {names}. {effects}".strip()
    return replace(record, caveats=(*record.caveats, Caveat("quirk-broke-condition", text)))


def further_caveats(record: RunRecord, caveats: Sequence[Caveat]) -> tuple[Caveat, ...]:
    """Return the caveats whose code a record does not have: clients on the server's host report the same clock."""
    codes = {caveat.code for caveat in record.caveats}
    return tuple(caveat for caveat in caveats if caveat.code not in codes)


def standstill_words(standstill: Standstill) -> str:
    """Say for how long a host stood still, and what shows it."""
    return f"for {counted(standstill.seconds, 'second')}, neither the load nor the telemetry of the host went on"


def with_standstill(record: RunRecord, standstill: Standstill) -> RunRecord:
    """Say that the server's host stood still; a run whose figures have such seconds is suspect.

    They look like a stall and lower the throughput, and the server has no part in that.
    """
    if not standstill.seconds:
        return record
    text = f"the server's host stood still: {standstill_words(standstill)}"
    record = replace(record, caveats=(*record.caveats, Caveat("host-standstill", text)))
    if not standstill.judged_seconds or record.status == "failed":
        return record
    return replace(record, status="suspect", reason="; ".join(filter(None, (record.reason, text))))


def with_waits(record: RunRecord, words: str) -> RunRecord:
    """Say what the sessions of a run without a transaction waited for."""
    if record.status != "failed" or record.figures.transactions or not words:
        return record
    return replace(record, reason=f"{record.reason}: {words}")


def failed_run(
    run: Run,
    prepared: PreparedTarget | UnpreparedTarget,
    error: Exception,
    clock: WallClock,
    server: RunServer | None = None,
) -> StoredRun:
    """Return a run that an error ended, with what its server had to say."""
    crash, hang_reason = (_await_crash_report(server), server.hang_reason()) if server else (None, None)
    log_tail = server.log_tail() if server else ""
    words = str(error) if isinstance(error, DbdynoError) else f"{type(error).__name__}: {error}"
    lost_path = "network" if _is_path_lost(error) else ""
    words = f"{lost_path}: {words}" if lost_path else words
    fault, reason = fault_of("failed", words, FaultEvidence(crash, (), log_tail, lost_path, hang_reason))
    record = RunRecord(
        run=run,
        family=prepared.installation.family,
        version=prepared.installation.version,
        storage_engine=prepared.target.engine.storage_engine,
        status="failed",
        reason=reason,
        fault=fault,
        span=RunSpan(clock.unix_ns, clock.now_ns()),
        caveats=clock.caveats(),
    )
    return StoredRun(
        record,
        life=server.life() if server else {},
        settings=server.settings if server else (),
        server_cnf=server.option_file if server else "",
        server_log=log_tail,
    )


def _is_path_lost(error: Exception) -> bool:
    return isinstance(error, PathLostError) or (isinstance(error, WorldError) and error.fault == "network")


def _await_crash_report(server: RunServer) -> CrashReport | None:
    """Return how a server ended that has just failed us: its sockets close before its process is gone."""
    deadline = time.monotonic() + _EXIT_TIMEOUT_S
    while (crash := server.diagnose_exit()) is None and server.hang_reason() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return crash
