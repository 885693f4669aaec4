"""A plan walked from the first run that is not yet stored to the last.

``kill -9`` at any moment loses at most the run under way: the folder is the memory, and the same command goes on.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.core import DbdynoError, HostError, ResultComparison, Run
from dbdyno.gates import is_flash
from dbdyno.hosts import Home, Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench
from dbdyno.lab._equivalence import Equivalence
from dbdyno.lab._ladder import HeldServer
from dbdyno.lab._passwords import exposed_passwords
from dbdyno.lab._preflight import Auditor, PreflightInspection
from dbdyno.lab._prepare import Preparation, Prepared, Unprepared
from dbdyno.lab._publish_live import publish_live, stopping_without_folder, stopping_without_output
from dbdyno.lab._run_executor import RunExecutor
from dbdyno.lab._signals import OverdueError, interruptible, uninterrupted
from dbdyno.measure.client import Calibration
from dbdyno.plan import Plan, further_rounds
from dbdyno.store import MACHINE_EXAMINED, JsonValue, Results, ResultsWriter
from dbdyno.study import Study


@dataclass(frozen=True, slots=True)
class StudyRunner:
    """A study on a machine.

    Parameters
    ----------
    command_line : how dbdyno was called, for the manifest
    retry_failed : set failed runs aside and make them again
    calibration : of the load generator on this machine; None: not known
    examined : state of the machine and what was found of it; None: nobody looked
    auditor : judges the servers before the first run; None: nobody does
    """

    study: Study
    plan: Plan
    results: Results
    bench: Bench
    host: Host
    home: Home
    generator: Path
    on_event: events.OnEvent
    command_line: Sequence[str] = ()
    retry_failed: bool = False
    calibration: Calibration | None = None
    examined: Mapping[str, JsonValue] | None = None
    auditor: Auditor | None = None

    def run(self) -> events.Outcome:
        """Make every run of the plan that is not yet stored.

        Raises
        ------
        StoreError : another dbdyno is writing to the folder
        ProvisionError, PopulateError, HostError : an engine or a dataset can't be had
        HostError : the results folder was moved or removed
        """
        with (
            self.results.writing(self.command_line) as writer,
            publish_live(writer.live, stopping_without_output(self.on_event, writer)) as on_event,
        ):
            return replace(self, on_event=on_event)._walked(writer)

    def _walked(self, writer: ResultsWriter) -> events.Outcome:
        interrupted = refused = False
        try:
            with interruptible():
                interrupted, refused = self._as_far_as_possible(writer)
        except OverdueError:
            interrupted = True
            writer.append("leftovers-remain")
            self.on_event(events.OrphansRemain())
        self._check_folder(writer)
        outcome = replace(self._outcome(interrupted=interrupted), refused=refused)
        ending = "interrupted" if interrupted else "refused" if refused else "finished"
        writer.append(f"study-{ending}", missing=outcome.missing)
        self.on_event(events.StudyFinished(outcome))
        return outcome

    def _as_far_as_possible(self, writer: ResultsWriter) -> tuple[bool, bool]:
        """Make all runs, and clean up; whether that was interrupted, and whether the audit refused it."""
        interrupted = refused = False
        try:
            with stopping_without_folder(writer):
                self._begin(writer)
                refused = not self._all_runs(writer)
        except OverdueError:
            raise
        except KeyboardInterrupt:
            interrupted = True
        except BaseException as error:
            self.bench.clean_up()
            lost = writer.folder_problem() if isinstance(error, DbdynoError | OSError) else None
            if lost is not None:
                raise lost from error
            raise
        self.bench.clean_up()
        return interrupted, refused

    def _check_folder(self, writer: ResultsWriter) -> None:
        """Say in the journal, wherever that is now, and to the user that the folder is not where it was."""
        lost = writer.folder_problem()
        if lost is not None:
            with contextlib.suppress(HostError):
                writer.append("study-interrupted", reason=str(lost))
            raise lost

    def _begin(self, writer: ResultsWriter) -> None:
        if self.retry_failed:
            writer.append("failed-runs-set-aside", run_ids=list(writer.set_aside_failed()))
        done = self.results.run_ids()
        already = sum(run.run_id in done for run in self.plan.runs)
        _journal_stored_runs(self.results, writer)
        writer.append("study-started", runs_total=len(self.plan.runs), runs_done=already)
        self.on_event(events.StudyStarted(self.study.name, len(self.study.targets), len(self.plan.runs), already))
        if self.examined is not None:
            writer.append(MACHINE_EXAMINED, **self.examined)

    def _all_runs(self, writer: ResultsWriter) -> bool:
        """Make what is left to be made; whether the audit let it."""
        removed = self.bench.clean_up()
        if removed:
            writer.append("leftovers-removed", what=list(removed))
            self.on_event(events.OrphansRemoved(removed))
        for exposed in exposed_passwords(self.study):
            writer.append("password-exposed", server=exposed.server, file=exposed.file, mode=f"{exposed.mode:04o}")
            self.on_event(exposed)
        others = self.bench.others()
        if others:
            writer.append("others-running", what=list(others))
            self.on_event(events.OthersRunning(others))
        left = self._left()
        if not left:
            return True
        may_follow = self.study.repeats_max is not None  # then any target may have further runs
        names = {run.cell.target for _, run in left}
        prepared = self._prepare(writer, {target.name for target in self.study.targets} if may_follow else names)
        facts = self.host.facts(self.home.root)
        if self._is_refused(writer, prepared, facts.logical_cpu_count):
            return False
        self._compare_results(writer, prepared)
        held = HeldServer(self.study)
        executor = RunExecutor(
            self.study,
            self.bench,
            self.host,
            self.generator,
            facts.logical_cpu_count,
            self.on_event,
            held,
            self.calibration,
            self.plan.told,
            is_flash=is_flash(facts.rotational),
        )
        try:
            while left:
                for place, (number, run) in enumerate(left):
                    following = left[place + 1][1] if place + 1 < len(left) else None
                    self._one_run(run, number, prepared[run.cell.target], executor, writer, following)
                left = self._left(writer)
        finally:
            with uninterrupted():
                held.discard()
        return True

    def _left(self, writer: ResultsWriter | None = None) -> list[tuple[int, Run]]:
        """Runs that are to be made now, with their numbers: those of the plan, then of one further round after another.

        With a writer a further round that begins is told.
        """
        done = self.results.run_ids()
        further = further_rounds(self.study, self.results.records())
        runs = [*self.plan.runs, *(run for one in further for run in one.runs)]
        left = [(number, run) for number, run in enumerate(runs, 1) if run.run_id not in done]
        if further and writer is not None and (left or not further[-1].runs):
            last = further[-1]
            facts = {"repeat": last.repeat, "runs": len(last.runs), "sure": last.sure_count, "cells": last.cell_count}
            writer.append("further-repeats", **facts)
            self.on_event(events.FurtherRepeats(last.repeat, len(last.runs), last.sure_count, last.cell_count))
        return left

    def _is_refused(
        self, writer: ResultsWriter, prepared: Mapping[str, Prepared | Unprepared], logical_cpu_count: int
    ) -> bool:
        """Whether the audit of the servers, as they will be measured, stops the study."""
        if self.auditor is None or len(self.study.targets) < 2:
            return False
        inspection = PreflightInspection(
            self.study,
            self.plan,
            self.results,
            self.bench,
            self.host,
            self.generator,
            logical_cpu_count,
            writer,
            self.on_event,
            self.auditor,
        )
        return inspection.is_refused([target for target in prepared.values() if isinstance(target, Prepared)])

    def _prepare(self, writer: ResultsWriter, names: set[str]) -> dict[str, Prepared | Unprepared]:
        preparation = Preparation(
            self.study, self.plan.told, self.bench, self.host, self.home, self.generator, writer, self.on_event
        )
        return preparation.all_targets(self.results, [t for t in self.study.targets if t.name in names])

    def _compare_results(self, writer: ResultsWriter, prepared: Mapping[str, Prepared | Unprepared]) -> None:
        equivalence = Equivalence(
            self.study, self.plan, self.results, self.bench, self.host, self.generator, writer, self.on_event
        )
        equivalence.check([target for target in prepared.values() if isinstance(target, Prepared)])

    def _one_run(
        self,
        run: Run,
        number: int,
        prepared: Prepared | Unprepared,
        executor: RunExecutor,
        writer: ResultsWriter,
        following: Run | None,
    ) -> None:
        total = max(len(self.plan.runs), number)
        self.on_event(events.RunStarted(run, number, total))
        writer.append("run-started", run_id=run.run_id, order_index=run.order_index)
        stored = executor.make(run, prepared, following)
        with uninterrupted():
            writer.add_run(stored)
            writer.append("run-finished", run_id=run.run_id, status=stored.record.status)
        self.on_event(events.RunFinished(stored.record, number, total))

    def _compared(self) -> list[ResultComparison]:
        labels = [choice.label for choice in self.study.workloads]
        return self.results.compared([target.name for target in self.study.targets], labels)

    def _outcome(self, *, interrupted: bool) -> events.Outcome:
        statuses = {record.run.run_id: record.status for record in self.results.records()}
        further = [run for one in further_rounds(self.study, self.results.records()) for run in one.runs]
        counts = Counter(statuses.get(run.run_id, "missing") for run in (*self.plan.runs, *further))
        return events.Outcome(
            interrupted,
            counts["good"],
            counts["suspect"],
            counts["failed"],
            counts["missing"],
            results_differ=any(comparison.unlike for comparison in self._compared()),
        )


def _journal_stored_runs(results: Results, writer: ResultsWriter) -> None:
    """A kill between storing a run and noting it leaves the journal short of a line: it is added here."""
    noted = {entry.facts.get("run_id") for entry in results.journal() if entry.event == "run-finished"}
    for record in results.records():
        if record.run.run_id not in noted:
            writer.append("run-finished", run_id=record.run.run_id, status=record.status, noted_later=True)
