"""Before the first run: one server of each target is started as it will be measured, looked at, and thrown away.

What is seen goes to an auditor that the caller brings: the lab knows no rules and no words of theirs. It is told
whether the study should stop there, before hours go into a comparison that nobody will believe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pymysql

from dbdyno.core import ConfigureError, MeasureError, Run, RunRecord
from dbdyno.hosts import Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, RunServer
from dbdyno.lab._prepare import Prepared
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder, load_sessions, worker_count
from dbdyno.plan import Plan
from dbdyno.populate import Dataset
from dbdyno.store import JsonValue, Results, ResultsWriter, StoredRun
from dbdyno.study import Study

Auditor: TypeAlias = Callable[[Results, Study, Sequence[StoredRun]], events.ServersAudited]
"""Judges servers by what was seen of them: runs without a load, one a target."""


@dataclass(frozen=True, slots=True)
class PreflightInspection:
    """Looks at the servers of a study where its first run will be: same workload, route and tier for all."""

    study: Study
    plan: Plan
    results: Results
    bench: Bench
    host: Host
    generator: Path
    logical_cpu_count: int
    writer: ResultsWriter
    on_event: events.OnEvent
    auditor: Auditor

    def is_refused(self, targets: Sequence[Prepared]) -> bool:
        """Tell what the auditor says of these targets; whether the study asks to be stopped by it."""
        seen = [looked for prepared in targets if (looked := self._seen(prepared)) is not None]
        if not seen:
            return False
        for look in seen:
            self.writer.write_look(look)
        told = self.auditor(self.results, self.study, seen)
        findings: list[JsonValue] = [
            {"id": finding.rule_id, "severity": finding.severity, "what": finding.words, "favours": finding.favours}
            for finding in told.findings
        ]
        self.writer.append("servers-audited", place=told.place, stopped=told.stops, findings=findings)
        self.on_event(told)
        return told.stops

    def _seen(self, prepared: Prepared) -> StoredRun | None:
        """None where it can't be looked at: its runs will tell why."""
        run = self._run(prepared.target.name)
        self.on_event(events.ServerLookedAt(prepared.target.name))
        try:
            dataset = Dataset.of_study(self.study, self.study.workload_of(prepared.target.name, run.cell.workload))
            server = self._server(prepared, run, dataset)
            try:
                return self._look(prepared, run, server, dataset)
            finally:
                with uninterrupted():
                    server.discard()
        except (ConfigureError, MeasureError, pymysql.MySQLError) as error:
            self.writer.append("server-not-audited", target=prepared.target.name, reason=str(error))
            return None

    def _run(self, target: str) -> Run:
        """Its run with the most connections at the place of the study's first run."""
        first = self.plan.runs[0].cell
        place = (first.workload, first.route, first.tier_bytes)
        own = [
            run
            for run in self.plan.runs
            if (run.cell.workload, run.cell.route, run.cell.tier_bytes) == place
            and run.cell.target == target
            and not run.is_sentinel
        ]
        return max(own, key=lambda run: run.cell.concurrency)

    def _server(self, prepared: Prepared, run: Run, dataset: Dataset) -> RunServer:
        if prepared.is_running_server:
            return self.bench.running_server(prepared.target, prepared.installation)
        return self.bench.run_server(run, prepared.target, prepared.installation, prepared.snapshots[dataset.digest])

    def _look(self, prepared: Prepared, run: Run, server: RunServer, dataset: Dataset) -> StoredRun:
        variables, schema, process = server.variables(), server.schema(dataset.schema), server.process()
        workers = worker_count(run.cell.concurrency, self.study.pinning.client, self.logical_cpu_count)
        order = LoadOrder(run, self.study, server.order_target(dataset.schema), workers)
        installation = prepared.installation
        return StoredRun(
            RunRecord(run, installation.family, installation.version, prepared.target.engine.storage_engine, "missing"),
            variables=variables,
            settings=server.settings,
            status_before=server.status(),
            schema=schema,
            process=process,
            start=load_sessions(order, server, self.host, self.generator),
            server_cnf=server.option_file,
        )
