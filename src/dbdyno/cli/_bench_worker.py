"""Drives one bench of a study that has several: what each process of a fleet does."""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

from dbdyno import lab
from dbdyno.cli._machine import calibration_for_study, examinations_to_json, examine_study_hosts
from dbdyno.cli._plan import full_plan, plan_object
from dbdyno.cli._progress import auditor
from dbdyno.core import Home, Run
from dbdyno.doctor import Examination
from dbdyno.hosts import LocalHost
from dbdyno.measure.client import Calibration
from dbdyno.plan import Plan
from dbdyno.store import Results
from dbdyno.study import AuditStop, FleetChoice, Study, parse_study, study_text

_TOLD_ONCE = (lab.EngineReady, lab.DatasetReady, lab.DatasetsEqual, lab.ResultsCompared)


def drive_bench(
    start: lab.BenchStart, orders: Iterator[Sequence[Run]], tell: Callable[[lab.BenchMessage | None], None]
) -> None:
    """Drive one bench; see `BenchWork`. The first order, without runs, asks whether it is ready."""
    whole_study = parse_study(start.study_text, "study.toml")
    own_benches = tuple(bench for bench in whole_study.benches if bench.name == start.bench)
    study = replace(
        whole_study, benches=own_benches, fleet=FleetChoice(), repeats_max=None
    )  # the coordinating process decides on further repeats
    host, home = LocalHost(), Home.of_user()
    home.check()
    plan = full_plan(whole_study, host)
    with (
        lab.connected_bench(study, study.bench, host) as remote_host,
        lab.connected_clients(study, study.bench, remote_host) as clients,
    ):
        hosts = lab.StudyHosts(host, home, server_host=remote_host, clients=clients)
        worker = _BenchWorker(study, plan, start, hosts, tell)
        next(orders)
        worker.get_ready()
        tell(None)
        first_runs = next(orders)
        if start.scratch is not None:  # next to the results folder, which is there now
            start.scratch.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="dbdyno-bench-", dir=start.scratch) as scratch:
            results = worker.new_results(Path(scratch))
            for runs in itertools.chain([first_runs], orders):
                worker.make(runs, results)
                tell(None)


@dataclass(slots=True)
class _BenchWorker:
    study: Study
    plan: Plan
    start: lab.BenchStart
    hosts: lab.StudyHosts
    tell: Callable[[lab.BenchMessage | None], None]
    examinations: dict[str, Examination] = field(default_factory=dict)
    is_new: bool = True
    has_told_targets: bool = False

    def get_ready(self) -> None:
        """Check whether the bench's machines are fit for the study, and report their facts."""
        facts, self.examinations = examine_study_hosts(
            self.study, self.plan, self.hosts, force=self.start.is_forced, quiet=True
        )
        self.tell(lab.BenchReady(facts))

    def new_results(self, folder: Path) -> Results:
        """Return a folder for what is measured, until it is handed over."""
        text, plan = study_text(self.study), plan_object(self.study, self.plan)
        return Results.create(folder / "results", text, plan, {}, study_name=self.study.name)

    def make(self, runs: Sequence[Run], results: Results) -> None:
        """Make runs, and hand each over when it is stored.

        Raises
        ------
        KeyboardInterrupt : that was interrupted
        """
        planned_ids = {run.run_id for run in self.plan.runs}
        further_runs = tuple(run for run in runs if run.run_id not in planned_ids)
        is_watching = all(run.is_sentinel for run in runs)  # of one target: the others are prepared for the next order
        is_first, self.has_told_targets = self.is_new and not is_watching, False
        options = lab.RunOptions(
            calibration=self._own_calibration(),
            examined=examinations_to_json(self.examinations),
            auditor=auditor(cast("AuditStop", self.start.audit_stop)) if is_first else None,
            only=frozenset(run.run_id for run in runs),
        )
        plan = replace(self.plan, runs=(*self.plan.runs, *further_runs))
        on_event = partial(self._on_event, results)
        outcome = lab.run_study(self.study, plan, results, self.hosts, on_event, options)
        if outcome.interrupted:
            raise KeyboardInterrupt
        self.examinations, self.is_new = {}, self.is_new and is_watching

    def _own_calibration(self) -> Calibration | None:
        choices = argparse.Namespace(no_calibrate=not self.start.is_calibrating, quiet=True)
        return calibration_for_study(choices, self.study, self.hosts.server_host)

    def _on_event(self, results: Results, event: lab.Event) -> None:
        match event:
            case lab.StudyStarted() | lab.StudyFinished():
                return
            case lab.RunStarted() if not self.has_told_targets:
                self.has_told_targets = True
                self.tell(lab.TargetFiles(results.target_files()))
                self.tell(event)
            case lab.RunFinished():
                self.tell(lab.RunMade(event, results.run_files(event.record.run.run_id)))
            case _ if self.is_new or not isinstance(event, _TOLD_ONCE):
                self.tell(event)
