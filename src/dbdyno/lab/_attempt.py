"""One run from restore to stored value. Whatever goes wrong with it becomes its reason; the study goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pymysql

from dbdyno.configure import Death
from dbdyno.core import Caveat, ConfigureError, DbdynoError, MeasureError, PopulateError, Run, RunRecord
from dbdyno.gates import ServerFacts, gate_facts
from dbdyno.hosts import Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, RunServer
from dbdyno.lab._changed import changed_caveats, changed_variables
from dbdyno.lab._fault import fault_of
from dbdyno.lab._live import Telling
from dbdyno.lab._page_cache import unbounded_cache
from dbdyno.lab._prepare import Prepared, Unprepared
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder, MeasuredRun, counters_document, measure_run, worker_count
from dbdyno.measure.client import Calibration, CostCurve
from dbdyno.plan import Told
from dbdyno.populate import ConditionAnswer, Dataset, Verified, broken_words, verify
from dbdyno.store import JsonValue, StoredRun
from dbdyno.study import Study

_NOT_INDEPENDENT = Caveat(
    "cells-not-independent", "the server ran before and keeps running: each run starts from what the last one left"
)


@dataclass(frozen=True, slots=True)
class Attempts:
    """Makes runs of one study.

    Parameters
    ----------
    logical_cpu_count : of the client's machine
    calibration : of the load generator on this machine; None: not known
    told : of each workload, by target and label
    pause : waits for seconds; tests don't
    is_flash : whether data lies on a device without turning parts; None: not known
    """

    study: Study
    bench: Bench
    host: Host
    generator: Path
    logical_cpu_count: int
    on_event: events.OnEvent
    calibration: Calibration | None = None
    told: Told = field(default_factory=dict)
    pause: Callable[[float], None] = time.sleep
    is_flash: bool | None = None

    def make(self, run: Run, prepared: Prepared | Unprepared) -> StoredRun:
        """Attempt a run. A server that does not start or dies is a failed run, not an error."""
        started_ns = time.time_ns()
        if isinstance(prepared, Unprepared):
            return _failed(run, prepared, prepared.error, started_ns)
        try:
            server = self._server(run, prepared)
        except ConfigureError as error:  # a full disk would fail every run alike: that stops the study instead
            return _failed(run, prepared, error, started_ns)
        try:
            return self._with_server(run, prepared, server)
        except (ConfigureError, MeasureError, PopulateError, pymysql.MySQLError) as error:
            return _failed(run, prepared, error, started_ns, server)
        finally:
            with uninterrupted():
                self.on_event(events.RunPhaseEntered(run, "stop"))
                server.discard()

    def _server(self, run: Run, prepared: Prepared) -> RunServer:
        if prepared.is_running_server:
            return self.bench.running_server(prepared.target, prepared.installation)
        self.on_event(events.RunPhaseEntered(run, "restore"))
        snapshot = prepared.snapshots[self._dataset(run).digest]
        return self.bench.run_server(run, prepared.target, prepared.installation, snapshot)

    def _dataset(self, run: Run) -> Dataset:
        return Dataset.of_study(self.study, self.study.workload_of(run.cell.target, run.cell.workload))

    def _with_server(self, run: Run, prepared: Prepared, server: RunServer) -> StoredRun:
        variables, status_before = server.variables(), server.status()
        schema, process = server.schema(self._dataset(run).schema), server.process()
        client = self.study.pinning.client
        workers = worker_count(run.cell.concurrency, client, self.logical_cpu_count)
        order = LoadOrder(run, self.study, server.order_target(self._dataset(run).schema), workers)
        if self.study.settle_ns:
            self.on_event(events.RunPhaseEntered(run, "settle"))
            self.pause(self.study.settle_ns / 1e9)
        self.on_event(events.RunPhaseEntered(run, "load"))
        told = Telling(run, order, self.on_event)
        measured = measure_run(
            order,
            server,
            self.host,
            self.generator,
            server.sources(),
            told.take,
            on_course=told.follow,
            facts=self._gate_facts(prepared, variables, schema),
            curve=self._curve(run),
        )
        status_after, variables_after = _if_alive(server, server.status), _if_alive(server, server.variables)
        verified = self._verified(run, prepared, server, measured)
        log_tail = server.log_tail()
        record = record_of(run, prepared, measured, server.autopsy(), log_tail)
        changed = changed_caveats(changed_variables(variables, variables_after))
        record = replace(record, caveats=(*record.caveats, *changed))
        record = self._ended(_with_conditions(self._bounded(record, variables), verified.answers), server)
        return StoredRun(
            record=record,
            seconds=measured.seconds,
            intervals=measured.intervals,
            telemetry=measured.telemetry,
            variables=variables,
            variables_after=variables_after,
            settings=server.settings,
            status_before=status_before,
            status_after=status_after,
            conditions=[answer.to_json() for answer in verified.answers],
            space=[table.to_json() for table in verified.space],
            schema=schema,
            process=process,
            order=order.to_json(),
            start=measured.start,
            end=measured.end,
            counters=_counters(measured, server.telemetry_facts()),
            telemetry_facts={**server.telemetry_facts(), "client_use": self._client_facts(run, order)},
            life=server.life(),
            server_cnf=server.option_file,
            server_log=log_tail,
        )

    def _bounded(self, record: RunRecord, variables: Mapping[str, str]) -> RunRecord:
        """With a caveat where the memory tier does not bind what the storage engine keeps in memory."""
        is_theirs = self.study.target(record.run.cell.target).engine.source_kind == "server"
        if self.study.limits.memory is not None or is_theirs:
            return record
        available = self.host.memory_available_bytes()
        caveat = unbounded_cache(record.storage_engine, variables, record.run.cell.tier_bytes, available)
        return record if caveat is None else replace(record, caveats=(*record.caveats, caveat))

    def _ended(self, record: RunRecord, server: RunServer) -> RunRecord:
        """End the server as the study asks. What goes wrong with that weakens the run and does not undo it."""
        if self.study.ending == "discard" or record.status == "failed":
            return record
        self.on_event(events.RunPhaseEntered(record.run, "stop" if self.study.ending == "stop" else "recover"))
        try:
            server.end(self.study.ending)
        except DbdynoError as error:
            caveat = Caveat("ending-failed", f"after the window: {error.what}")
            return replace(record, caveats=(*record.caveats, caveat))
        return record

    def _verified(self, run: Run, prepared: Prepared, server: RunServer, measured: MeasuredRun) -> Verified:
        """Whether the tables are consistent after the run; not asked of a run that failed anyway."""
        told = self.told.get((run.cell.target, run.cell.workload))
        if told is None or not told.conditions or measured.judgement.status == "failed":
            return Verified()
        self.on_event(events.RunPhaseEntered(run, "verify"))
        dataset = self._dataset(run)
        target, storage_engine = server.order_target(dataset.schema), prepared.target.engine.storage_engine
        return verify(dataset, target, storage_engine, "run", self.host, self.generator)

    def _curve(self, run: Run) -> CostCurve | None:
        if self.calibration is None:
            return None
        return self.calibration.curve(run.cell.route, self.study.workload(run.cell.workload).name)

    def _client_facts(self, run: Run, order: LoadOrder) -> dict[str, JsonValue]:
        """What the client's use was read off: with it anyone can do the sum again."""
        curve = self._curve(run)
        points: JsonValue = None if curve is None else {"busy": list(curve.busy), "used": list(curve.used)}
        return {"cost_curve": points, "client_has_own_cpus": order.client_has_own_cpus}

    def _gate_facts(
        self, prepared: Prepared, variables: Mapping[str, str], schema: Mapping[str, JsonValue]
    ) -> ServerFacts | None:
        """What the server's gates are read with; None: the study does not ask them."""
        if not self.study.open_ends.gates:
            return None
        is_flash = None if prepared.is_running_server else self.is_flash
        return gate_facts(prepared.target.engine.storage_engine, variables, schema, is_flash=is_flash)


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


def _with_conditions(record: RunRecord, conditions: tuple[ConditionAnswer, ...]) -> RunRecord:
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


def _failed(
    run: Run, prepared: Prepared | Unprepared, error: Exception, started_ns: int, server: RunServer | None = None
) -> StoredRun:
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


def _if_alive(server: RunServer, ask: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    if server.death():
        return {}
    try:
        return dict(ask())
    except (pymysql.MySQLError, ConfigureError):
        return {}


def _counters(measured: MeasuredRun, lacking: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Deltas over the window; what the server does not show stands there by name."""
    if not measured.counters:
        return {}
    absent = lacking.get("absent_counters")
    names = [str(name) for name in absent] if isinstance(absent, list) else []
    return counters_document(measured.counters, measured.figures.window_s, measured.figures.transactions, names)
