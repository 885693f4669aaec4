"""Before the first run: one server of each target is started as it will be measured, looked at, and thrown away.

What is seen goes to an auditor that the caller brings: the lab knows no rules and no words of theirs. It is told
whether the study should stop there, before hours go into a comparison that nobody will believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pymysql

from dbdyno.core import ConfigureError, MeasureError, Run, RunRecord
from dbdyno.lab import _events as events
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import Auditor, Prepared, RunContext
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder, load_sessions, worker_count
from dbdyno.store import StoredRun


@dataclass(frozen=True, slots=True)
class PreflightInspection:
    """Looks at the servers of a study where its first run will be: same workload, route and tier for all."""

    context: RunContext
    auditor: Auditor

    def is_refused(self, targets: Sequence[Prepared]) -> bool:
        """Emit the auditor's findings on these targets; whether they stop the study, as it asks."""
        inspections = [inspection for prepared in targets if (inspection := self._inspect(prepared)) is not None]
        if not inspections:
            return False
        for inspection in inspections:
            self.context.writer.write_look(inspection)
        audit = self.auditor(self.context.results, self.context.study, inspections)
        self.context.emit(audit)
        return audit.stops

    def _inspect(self, prepared: Prepared) -> StoredRun | None:
        """Inspect one target's server; None where that fails: its runs will fail with the reason."""
        run = self._run(prepared.target.name)
        self.context.emit(events.ServerLookedAt(prepared.target.name))
        try:
            server = self.context.run_server(run, prepared)
            try:
                return self._inspection(prepared, run, server)
            finally:
                with uninterrupted():
                    server.discard()
        except (ConfigureError, MeasureError, pymysql.MySQLError) as error:
            self.context.emit(events.ServerNotAudited(prepared.target.name, str(error)))
            return None

    def _run(self, target: str) -> Run:
        """Its run with the most connections at the place of the study's first run."""
        first = self.context.plan.runs[0].cell
        place = (first.workload, first.route, first.tier_bytes)
        own = [
            run
            for run in self.context.plan.runs
            if (run.cell.workload, run.cell.route, run.cell.tier_bytes) == place
            and run.cell.target == target
            and not run.is_sentinel
        ]
        return max(own, key=lambda run: run.cell.concurrency)

    def _inspection(self, prepared: Prepared, run: Run, server: RunServer) -> StoredRun:
        study, dataset = self.context.study, self.context.dataset(run.cell.target, run.cell.workload)
        variables, schema, process = server.variables(), server.schema(dataset.schema), server.process()
        workers = worker_count(run.cell.concurrency, study.pinning.client, self.context.machine.logical_cpu_count)
        order = LoadOrder(run, study, server.order_target(dataset.schema), workers)
        installation = prepared.installation
        return StoredRun(
            RunRecord(run, installation.family, installation.version, prepared.target.engine.storage_engine, "missing"),
            variables=variables,
            settings=server.settings,
            status_before=server.status(),
            schema=schema,
            process=process,
            start=load_sessions(order, server, self.context.host, self.context.generator),
            server_cnf=server.option_file,
        )
