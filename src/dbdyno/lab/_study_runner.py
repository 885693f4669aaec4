"""Runs a study's plan, from the first run that is not yet stored to the last.

``kill -9`` at any moment loses at most the run under way: the folder is the memory, and the same command goes on.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.core import Caveat, DbdynoError, Home, HostError, ResultComparison, Run
from dbdyno.hosts import Host
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, LocalBench
from dbdyno.lab._context import LoadClient, PreparedTarget, RunContext, RunOptions, UnpreparedTarget
from dbdyno.lab._generator import find_generator
from dbdyno.lab._ladder import HeldServer
from dbdyno.lab._passwords import exposed_passwords, password_files
from dbdyno.lab._prepare import Preparation
from dbdyno.lab._remote_bench import ClientHost, RemoteBench, network_access, network_client
from dbdyno.lab._run_executor import RunExecutor
from dbdyno.lab._signals import OverdueError, interruptible, uninterrupted
from dbdyno.lab._sinks import event_stream, watched_folder
from dbdyno.lab._target_checks import PreflightInspection, compare_results
from dbdyno.plan import FurtherRound, Plan, further_rounds
from dbdyno.store import Results, StoredRun
from dbdyno.study import Study


def run_study(
    study: Study,
    plan: Plan,
    results: Results,
    host: Host,
    home: Home,
    on_event: events.OnEvent,
    options: RunOptions | None = None,
    *,
    generator: Path | None = None,
    server_host: RemoteHost | None = None,
    clients: Sequence[ClientHost] = (),
) -> events.Outcome:
    """Make every run of the plan that is not yet stored in the results folder.

    Parameters
    ----------
    host, home : of this machine
    on_event : called with every event as it happens; an error it raises stops the study
    generator : path of ``dbdyno-load``; looked for when not given
    server_host : where the servers run, of a study with a bench; see `connected_bench`
    clients : where the clients of the route network run; see `connected_clients`

    Returns
    -------
    How it ended. Ctrl-C and SIGTERM end it in order: servers stopped, journal consistent, `Outcome.interrupted`.

    Raises
    ------
    StoreError : another dbdyno writes to the folder, or an engine is not the one earlier runs have measured
    StudyError : a setting of a target is not for its version
    ProvisionError, PopulateError, HostError : an engine or a dataset can't be had; nothing stored is lost
    HostError : the results folder was moved or removed
    MeasureError : there is no load generator
    """
    program = generator or find_generator()
    with password_files(study, host) as running, contextlib.ExitStack() as held:
        options = options or RunOptions()
        if server_host is None:
            bench = LocalBench(running, host, home, held)
            return run_on_bench(running, plan, results, bench, host, home, program, on_event, options)
        there, place = server_host, server_host.home
        network = held.enter_context(network_access(running, host, clients))
        remote = RemoteBench(running, there, place, held, network, there=there, lab=host, lab_home=home)
        client = network_client(network, host, home, program, clients)
        agent = Path(there.program.path)
        return run_on_bench(running, plan, results, remote, there, place, agent, on_event, options, client)


def run_on_bench(
    study: Study,
    plan: Plan,
    results: Results,
    bench: Bench,
    host: Host,
    home: Home,
    generator: Path,
    on_event: events.OnEvent,
    options: RunOptions,
    network_client: LoadClient | None = None,
) -> events.Outcome:
    """Run a study on a given bench, whose host is given; see `run_study`."""
    with results.writing(options.command_line) as writer, event_stream(writer, on_event) as emit:
        machine = host.facts(home.root)
        context = RunContext(
            study, plan, results, bench, host, home, generator, machine, options, writer, emit, network_client
        )
        return StudyRunner(context).run()


@dataclass(frozen=True, slots=True)
class StudyRunner:
    """Runs what a study lacks."""

    context: RunContext

    def run(self) -> events.Outcome:
        """Make the runs that are missing, clean up, and say how the study ended."""
        interrupted = refused = False
        try:
            with interruptible():
                interrupted, refused = self._as_far_as_possible()
        except OverdueError:
            interrupted = True
            self.context.emit(events.OrphansRemain())
        self._check_folder()
        outcome = replace(self._outcome(interrupted=interrupted), refused=refused)
        self.context.emit(events.StudyFinished(outcome))
        return outcome

    def _as_far_as_possible(self) -> tuple[bool, bool]:
        """Make all runs, and clean up; whether that was interrupted, and whether the audit refused it."""
        interrupted = refused = False
        try:
            with watched_folder(self.context.writer):
                self._begin()
                refused = not self._all_runs()
        except OverdueError:
            raise
        except KeyboardInterrupt:
            interrupted = True
        except BaseException as error:
            self.context.bench.clean_up()
            lost = self.context.writer.folder_problem() if isinstance(error, DbdynoError | OSError) else None
            if lost is not None:
                raise lost from error
            raise
        self.context.bench.clean_up()
        return interrupted, refused

    def _check_folder(self) -> None:
        """Fail where the folder is not where it was, and note that in the journal, wherever that is now."""
        lost = self.context.writer.folder_problem()
        if lost is not None:
            with contextlib.suppress(HostError):
                self.context.emit(events.FolderLost(str(lost)))
            raise lost

    def _begin(self) -> None:
        context, plan, emit = self.context, self.context.plan, self.context.emit
        if context.options.retry_failed:
            emit(events.FailedRunsSetAside(context.writer.set_aside_failed()))
        done = context.results.run_ids()
        self._note_missing_finishes()
        already = sum(run.run_id in done for run in plan.runs)
        emit(events.StudyStarted(context.study.name, len(context.study.targets), len(plan.runs), already))
        if context.options.examined is not None:
            emit(events.MachineExamined(context.options.examined))

    def _note_missing_finishes(self) -> None:
        """Complete the journal where a kill came between storing a run and noting it."""
        journal = self.context.results.journal()
        noted = {entry.facts.get("run_id") for entry in journal if entry.event == "run-finished"}
        for record in self.context.results.records():
            if record.run.run_id not in noted:
                self.context.emit(events.MissingFinishNoted(record))

    def _all_runs(self) -> bool:
        """Make the runs that are missing; whether the audit allowed it."""
        context = self.context
        self._look_around()
        left = self._left(self._further_rounds())
        if not left:
            return True
        may_follow = context.study.repeats_max is not None  # then any target may have further runs
        names = {run.cell.target for _, run in left}
        targets = [target for target in context.study.targets if may_follow or target.name in names]
        outcomes = Preparation(context).all_targets(targets)
        prepared = [outcome for outcome in outcomes.values() if isinstance(outcome, PreparedTarget)]
        if self._is_refused(prepared):
            return False
        compare_results(context, prepared)
        held = HeldServer(context.study)
        try:
            while left:
                self._make(left, outcomes, RunExecutor(context, held))
                left = self._next_round()
        finally:
            with uninterrupted():
                held.discard()
        return True

    def _look_around(self) -> None:
        """Remove orphans of earlier studies; warn of exposed passwords and of other servers."""
        context = self.context
        if removed := context.bench.clean_up():
            context.emit(events.OrphansRemoved(removed))
        for exposed in exposed_passwords(context.study):
            context.emit(exposed)
        if others := context.bench.others():
            context.emit(events.OthersRunning(others))

    def _further_rounds(self) -> Sequence[FurtherRound]:
        return further_rounds(self.context.study, self.context.plan.runs, self.context.results.records())

    def _left(self, further: Sequence[FurtherRound]) -> list[tuple[int, Run]]:
        """Runs to make now, with their numbers: those of the plan, then of one further round after another."""
        done = self.context.results.run_ids()
        runs = [*self.context.plan.runs, *(run for one in further for run in one.runs)]
        only = self.context.options.only
        wanted = [run for run in runs if only is None or run.run_id in only]
        numbers = {run.run_id: number for number, run in enumerate(runs, 1)}
        return [(numbers[run.run_id], run) for run in wanted if run.run_id not in done]

    def _next_round(self) -> list[tuple[int, Run]]:
        """Runs that are left after a round; emits what the round has shown."""
        further = self._further_rounds()
        left = self._left(further)
        if further and (left or not further[-1].runs):
            last = further[-1]
            self.context.emit(events.FurtherRepeats(last.repeat, len(last.runs), last.sure_count, last.cell_count))
        return left

    def _is_refused(self, prepared: Sequence[PreparedTarget]) -> bool:
        """Return whether the audit of the servers, as they will be measured, stops the study."""
        auditor = self.context.options.auditor
        if auditor is None or len(self.context.study.targets) < 2:
            return False
        return PreflightInspection(self.context, auditor).is_refused(prepared)

    def _make(
        self,
        left: Sequence[tuple[int, Run]],
        outcomes: Mapping[str, PreparedTarget | UnpreparedTarget],
        executor: RunExecutor,
    ) -> None:
        context = self.context
        for place, (number, run) in enumerate(left):
            following = left[place + 1][1] if place + 1 < len(left) else None
            total = max(len(context.plan.runs), number)
            context.emit(events.RunStarted(run, number, total))
            stored = executor.make(run, outcomes[run.cell.target], following)
            bench = context.study.bench
            if stored.record.fault == "network" and bench is not None and bench.server is not None:
                stored = self._made_again(stored, outcomes[run.cell.target], following, executor)
            if bench is not None:
                stored = replace(stored, record=replace(stored.record, bench=bench.name))
            with uninterrupted():
                context.writer.add_run(stored)
                context.emit(events.RunFinished(stored.record, number, total))

    def _made_again(
        self,
        lost: StoredRun,
        prepared: PreparedTarget | UnpreparedTarget,
        following: Run | None,
        executor: RunExecutor,
    ) -> StoredRun:
        """Make a run once more that lost the way to its host; where that is still lost, the run is stored as failed."""
        try:
            stored = executor.make(lost.record.run, prepared, following)
        except HostError:
            with uninterrupted():
                self.context.writer.add_run(lost)
            raise
        caveat = Caveat("made-again", "the first attempt lost the connection to the host")
        return replace(stored, record=replace(stored.record, caveats=(*stored.record.caveats, caveat)))

    def _compared(self) -> list[ResultComparison]:
        labels = [choice.label for choice in self.context.study.workloads]
        return self.context.results.compared([target.name for target in self.context.study.targets], labels)

    def _outcome(self, *, interrupted: bool) -> events.Outcome:
        records = self.context.results.records()
        statuses = {record.run.run_id: record.status for record in records}
        further = [
            run for one in further_rounds(self.context.study, self.context.plan.runs, records) for run in one.runs
        ]
        counts = Counter(statuses.get(run.run_id, "missing") for run in (*self.context.plan.runs, *further))
        return events.Outcome(
            interrupted,
            counts["good"],
            counts["suspect"],
            counts["failed"],
            counts["missing"],
            results_differ=any(comparison.unlike for comparison in self._compared()),
        )
