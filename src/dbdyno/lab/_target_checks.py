"""Inspects and compares the targets before the first run: settings by an audit, results by the same events.

An auditor that the caller passes receives what was read: the lab knows no rules and none of their words. The auditor
says whether the study should stop, before hours go into a comparison that nobody will believe.

A database that answers differently is not faster or slower at the same work, but does other work. The events are the
first of the workload itself, on a copy of the dataset that is thrown away. A server that is not ours keeps what they
changed: there no run starts from untouched tables anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pymysql

from dbdyno.core import ConfigureError, Fingerprint, MeasureError, PopulateError, Run, RunRecord
from dbdyno.lab import _events as events
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import Auditor, PreparedTarget, RunContext
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder, load_sessions, worker_count
from dbdyno.plan import ordered_runs
from dbdyno.populate import DatasetOrder, fingerprint
from dbdyno.store import StoredFingerprint, StoredRun


@dataclass(frozen=True, slots=True)
class PreflightInspection:
    """Looks at the servers of a study where its first run will be: same workload, route and tier for all."""

    context: RunContext
    auditor: Auditor

    def is_refused(self, targets: Sequence[PreparedTarget]) -> bool:
        """Emit the auditor's findings on these targets; whether they stop the study, as it asks."""
        inspections = [inspection for prepared in targets if (inspection := self._inspect(prepared)) is not None]
        if not inspections:
            return False
        for inspection in inspections:
            self.context.writer.write_inspection(inspection)
        audit = self.auditor(self.context.results, self.context.study, inspections)
        self.context.emit(audit)
        return audit.stops

    def _inspect(self, prepared: PreparedTarget) -> StoredRun | None:
        """Inspect one target's server; None where that fails: its runs will fail with the reason."""
        run = self._inspection_run(prepared.target.name)
        self.context.emit(events.ServerInspected(prepared.target.name))
        try:
            server = self.context.run_server(run, prepared)
            try:
                return self._stored_inspection(prepared, run, server)
            except (ConfigureError, MeasureError, pymysql.MySQLError) as error:
                if (exit_reason := server.exit_reason()) is None:
                    raise
                raise ConfigureError(f"the server died: {exit_reason}", str(error)) from error
            finally:
                with uninterrupted():
                    server.discard()
        except (ConfigureError, MeasureError, pymysql.MySQLError) as error:
            self.context.emit(events.ServerNotAudited(prepared.target.name, str(error)))
            return None

    def _inspection_run(self, target: str) -> Run:
        """Return its run with the most connections at the place of the study's first run.

        A sentinel's place does not count: a part of a study may hold no other run there.
        """
        first_cell = next(run.cell for run in self.context.plan.runs if not run.is_sentinel)
        place = (first_cell.workload, first_cell.route, first_cell.tier_bytes)
        target_runs = [
            run
            for run in self.context.plan.runs
            if (run.cell.workload, run.cell.route, run.cell.tier_bytes) == place
            and run.cell.target == target
            and not run.is_sentinel
        ]
        return max(target_runs, key=lambda run: run.cell.concurrency)

    def _stored_inspection(self, prepared: PreparedTarget, run: Run, server: RunServer) -> StoredRun:
        study, dataset = self.context.study, self.context.dataset(run.cell.target, run.cell.workload)
        variables, schema, process = server.variables(), server.schema(dataset.schema), server.process()
        client = self.context.client(run.cell.route)
        workers = worker_count(run.cell.concurrency, study.pinning.client, client.logical_cpu_count)
        order = LoadOrder(run, study, server.order_target(dataset.schema), workers, folders=client.folders)
        installation = prepared.installation
        return StoredRun(
            RunRecord(run, installation.family, installation.version, prepared.target.engine.storage_engine, "missing"),
            variables=variables,
            settings=server.settings,
            status_before=server.status(),
            schema=schema,
            process=process,
            start=load_sessions(order, server, client.host, client.generator),
            server_cnf=server.option_file,
        )


def compare_results(context: RunContext, targets: Sequence[PreparedTarget]) -> None:
    """Send the events to the targets that have no fingerprint yet, and emit how all targets compare."""
    study = context.study
    if study.equivalence_events == 0 or len(study.targets) < 2:
        return
    labels = [choice.label for choice in study.workloads]
    for prepared in targets:
        stored_fingerprints = context.results.fingerprints(prepared.target.name)
        fingerprints = [
            _target_fingerprint(context, prepared, label, stored_fingerprints.get(label)) for label in labels
        ]
        context.writer.write_fingerprints(prepared.target.name, fingerprints)
    for comparison in context.results.compared([target.name for target in study.targets], labels):
        context.emit(events.ResultsCompared(comparison))


def _target_fingerprint(
    context: RunContext, prepared: PreparedTarget, label: str, stored_fingerprint: StoredFingerprint | None
) -> StoredFingerprint:
    """Keep the known one if it is of the same dataset and events and did not fail; else make it."""
    target, events_count = prepared.target.name, context.study.equivalence_events
    digest = context.dataset(target, label).digest
    is_same = stored_fingerprint is not None and (stored_fingerprint.dataset, stored_fingerprint.events_asked) == (
        digest,
        events_count,
    )
    if stored_fingerprint is not None and is_same and not isinstance(stored_fingerprint.made, str):
        return stored_fingerprint
    context.emit(events.ResultsComparing(target, label))
    outcome: Fingerprint | str
    try:
        outcome = _send_events(context, prepared, label)
    except (ConfigureError, PopulateError) as error:
        outcome = str(error)
    return StoredFingerprint(label, digest, events_count, outcome)


def _send_events(context: RunContext, prepared: PreparedTarget, label: str) -> Fingerprint:
    """Start a server as for the first of the target's runs, and send it the events."""
    target = prepared.target.name
    # Counted over the whole study: a part may have no run of this workload, but is compared in it all the same.
    runs = ordered_runs(context.study)
    run = next(run for run in runs if (run.cell.target, run.cell.workload) == (target, label))
    server = context.run_server(run, prepared)
    try:
        choice, client = context.study.workload_of(target, label), context.client(run.cell.route)
        storage_engine = prepared.target.engine.storage_engine
        order = DatasetOrder(context.dataset(target, label), storage_engine, client.host, client.generator)
        return fingerprint(context.study, choice, server, order, client.folders)
    finally:
        with uninterrupted():
            server.discard()
