"""What is kept of an attempt: the record of a run that was driven, or of one that could not be."""

from __future__ import annotations

import time
from dataclasses import replace

from dbdyno.configure import CrashReport
from dbdyno.connections import PathLostError
from dbdyno.core import Caveat, DbdynoError, Run, RunRecord, WorldError
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import Prepared, Unprepared
from dbdyno.lab._fault import fault_of
from dbdyno.measure import MeasuredRun, WallClock
from dbdyno.populate import ConditionAnswer, broken_words, undecided_words
from dbdyno.stats import METHOD
from dbdyno.store import StoredRun
from dbdyno.study import Timeouts, named_quirks

_PATIENCE_S = 2.0
_NOT_INDEPENDENT = Caveat(
    "cells-not-independent", "the server ran before and keeps running: each run starts from what the last one left"
)


def record_of(
    run: Run,
    prepared: Prepared,
    measured: MeasuredRun,
    death: CrashReport | None,
    log_tail: str,
    wedged: str | None = None,
) -> RunRecord:
    """The record of a run that was driven. Of a failed one, what the server's log tells is part of the reason."""
    figures, judgement = measured.figures, measured.judgement
    if wedged is not None and judgement.status != "failed":  # it hung before its window was over, or soon after
        judgement = replace(judgement, status="failed", reason=wedged)
    caveats = (*judgement.caveats, _NOT_INDEPENDENT) if prepared.is_running_server else judgement.caveats
    if prepared.target.throttled_share:
        caveats = (
            *caveats,
            Caveat("held", f"its process was held for {prepared.target.throttled_share:.0%} of the time"),
        )
    died = death if judgement.status == "failed" else None
    seen = (judgement.status, judgement.reason, died, figures.errors, log_tail)
    fault, reason = fault_of(*seen, judgement.fault, wedged)
    use = figures.client_use
    return RunRecord(
        run=run,
        family=prepared.installation.family,
        version=prepared.installation.version,
        storage_engine=prepared.target.engine.storage_engine,
        status=judgement.status,
        reason=reason,
        fault=fault,
        window_s=figures.window_s,
        tps_mean=figures.tps_mean,
        tps_half_width=figures.tps_half_width,
        qps_mean=figures.qps_mean,
        latency_ns=figures.latency_ns,
        transactions=figures.transactions,
        statements=figures.statements,
        errors=figures.errors,
        retries=figures.retries,
        client_cpu_ns_per_statement=figures.client_cpu_ns_per_statement,
        server_cpu_ns_per_transaction=figures.server_cpu_ns_per_transaction,
        client_busy_share=figures.client_busy_share,
        client_use_share=use.share if use else None,
        client_use_basis=use.basis if use else "",
        client_cpu_wait_share=use.wait_share if use else None,
        lateness_ns_p99=figures.lateness_ns_p99,
        unsent=measured.unsent,
        outages=measured.outages,
        rate_held_per_s=measured.search.highest_held_per_s if measured.search else None,
        rate_broken_per_s=measured.search.lowest_broken_per_s if measured.search else None,
        types=figures.types,
        orders=measured.orders,
        course=measured.course,
        caveats=caveats,
        settled=measured.settled,
        method=METHOD,
        started_ns=measured.started_ns,
        ended_ns=measured.ended_ns,
    )


def with_conditions(
    record: RunRecord,
    conditions: tuple[ConditionAnswer, ...],
    filled: tuple[ConditionAnswer, ...] = (),
    timeouts: Timeouts | None = None,
) -> RunRecord:
    """Figures of a run that left its tables inconsistent are worth nothing: it is a failed one.

    `filled`: what was undecided after the filling, before any run.
    """
    broken = broken_words(conditions)
    if broken:
        return replace(record, status="failed", reason=f"data: {broken}")
    if open_ones := undecided_words(filled, timeouts):
        caveat = Caveat("condition-undecided", f"after the filling: {open_ones}")
        record = replace(record, caveats=(*record.caveats, caveat))
    if open_ones := undecided_words(conditions, timeouts):
        record = replace(record, caveats=(*record.caveats, Caveat("condition-undecided", open_ones)))
    # Without a quirk it is the run's own nature to break a condition that held after the filling: rows are added.
    told = [answer for answer in conditions if answer.status == "told" and answer.quirks]
    if not told:
        return record
    names = ", ".join(f"{answer.name} ({answer.quirks})" for answer in told)
    effects = " ".join(f"{quirk_id}: {effect}" for quirk_id, effect in named_quirks(names))
    text = f"conditions that the imitated tool breaks, too, are broken after the run: {names}. {effects}".strip()
    return replace(record, caveats=(*record.caveats, Caveat("quirk-broke-condition", text)))


def with_waits(record: RunRecord, words: str) -> RunRecord:
    """A run without a transaction says what its sessions waited for."""
    if record.status != "failed" or record.transactions or not words:
        return record
    return replace(record, reason=f"{record.reason}: {words}")


def failed_run(
    run: Run, prepared: Prepared | Unprepared, error: Exception, clock: WallClock, server: RunServer | None = None
) -> StoredRun:
    """A run that an error ended, with what its server had to say."""
    death, wedged = (_death_of(server), server.wedged()) if server else (None, None)
    log_tail = server.log_tail() if server else ""
    words = str(error) if isinstance(error, DbdynoError) else f"{type(error).__name__}: {error}"
    seen = "network" if _is_path_lost(error) else ""
    words = f"{seen}: {words}" if seen else words
    fault, reason = fault_of("failed", words, death, (), log_tail, seen, wedged)
    record = RunRecord(
        run=run,
        family=prepared.installation.family,
        version=prepared.installation.version,
        storage_engine=prepared.target.engine.storage_engine,
        status="failed",
        reason=reason,
        fault=fault,
        started_ns=clock.unix_ns,
        ended_ns=clock.now_ns(),
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


def _death_of(server: RunServer) -> CrashReport | None:
    """How a server ended that has just failed us: its sockets close before its process is gone."""
    deadline = time.monotonic() + _PATIENCE_S
    while (death := server.autopsy()) is None and server.wedged() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return death
