"""What is kept of an attempt: the record of a run that was driven, or of one that could not be."""

from __future__ import annotations

import time
from dataclasses import replace

from dbdyno.configure import Death
from dbdyno.core import Caveat, DbdynoError, Run, RunRecord
from dbdyno.lab._bench import RunServer
from dbdyno.lab._fault import fault_of
from dbdyno.lab._prepare import Prepared, Unprepared
from dbdyno.measure import MeasuredRun
from dbdyno.populate import ConditionAnswer, broken_words
from dbdyno.store import StoredRun

_NOT_INDEPENDENT = Caveat(
    "cells-not-independent", "the server ran before and keeps running: each run starts from what the last one left"
)


def record_of(run: Run, prepared: Prepared, measured: MeasuredRun, death: Death | None, log_tail: str) -> RunRecord:
    """The record of a run that was driven. Of a failed one, what the server's log tells is part of the reason."""
    figures, judgement = measured.figures, measured.judgement
    caveats = (*judgement.caveats, _NOT_INDEPENDENT) if prepared.is_running_server else judgement.caveats
    if prepared.target.held_share:
        caveats = (*caveats, Caveat("held", f"its process was held for {prepared.target.held_share:.0%} of the time"))
    died = death if judgement.status == "failed" else None
    fault, reason = fault_of(judgement.status, judgement.reason, died, figures.errors, log_tail)
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
        started_ns=measured.started_ns,
        ended_ns=measured.ended_ns,
    )


def with_conditions(record: RunRecord, conditions: tuple[ConditionAnswer, ...]) -> RunRecord:
    """Figures of a run that left its tables inconsistent are worth nothing: it is a failed one."""
    broken = broken_words(conditions)
    if broken:
        return replace(record, status="failed", reason=f"data: {broken}")
    # Without a quirk it is the run's own nature to break a condition that held after the filling: rows are added.
    told = [answer for answer in conditions if answer.status == "told" and answer.quirks]
    if not told:
        return record
    names = ", ".join(f"{answer.name} ({answer.quirks})" for answer in told)
    text = f"conditions that the imitated tool breaks, too, are broken after the run: {names}"
    return replace(record, caveats=(*record.caveats, Caveat("quirk-broke-condition", text)))


def failed_run(
    run: Run, prepared: Prepared | Unprepared, error: Exception, started_ns: int, server: RunServer | None = None
) -> StoredRun:
    """A run that an error ended, with what its server had to say."""
    log_tail = server.log_tail() if server else ""
    words = str(error) if isinstance(error, DbdynoError) else f"{type(error).__name__}: {error}"
    fault, reason = fault_of("failed", words, server.autopsy() if server else None, (), log_tail)
    record = RunRecord(
        run=run,
        family=prepared.installation.family,
        version=prepared.installation.version,
        storage_engine=prepared.target.engine.storage_engine,
        status="failed",
        reason=reason,
        fault=fault,
        started_ns=started_ns,
        ended_ns=time.time_ns(),
    )
    return StoredRun(
        record,
        life=server.life() if server else {},
        settings=server.settings if server else (),
        server_cnf=server.option_file if server else "",
        server_log=log_tail,
    )
