"""Runs a study's plan, from the first run that is not yet stored to the last.

``kill -9`` at any moment loses at most the run under way: the folder is the memory, and the same command goes on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dbdyno.core import Caveat, DbdynoError, Home, HostError, Run
from dbdyno.hosts import Host
from dbdyno.lab import _events as events
from dbdyno.lab._bench import Bench, LocalBench
from dbdyno.lab._context import LoadClient, PreparedTarget, RunContext, RunOptions, UnpreparedTarget
from dbdyno.lab._generator import find_generator
from dbdyno.lab._ladder import RetainedServer
from dbdyno.lab._outcome import StudyOutcome, study_outcome
from dbdyno.lab._passwords import exposed_passwords, password_files
from dbdyno.lab._prepare import Preparation
from dbdyno.lab._remote_bench import RemoteBench, StudyHosts, network_access, network_client
from dbdyno.lab._retry import set_aside
from dbdyno.lab._run_executor import RunExecutor
from dbdyno.lab._signals import OverdueError, interruptible, uninterrupted
from dbdyno.lab._sinks import event_stream, watched_folder
from dbdyno.lab._target_checks import PreflightInspection, compare_results
from dbdyno.lab._workload_folders import folders_here, pushed_folders, read_workload_folders
from dbdyno.plan import FurtherRound, Plan, further_rounds, wanted_runs
from dbdyno.store import Results, StoredRun
from dbdyno.study import Study, WorkloadFolders


def run_study(
    study: Study,
    plan: Plan,
    results: Results,
    hosts: StudyHosts,
    on_event: events.OnEvent,
    options: RunOptions | None = None,
) -> StudyOutcome:
    """Make every run of the plan that is not yet stored in the results folder.

    Parameters
    ----------
    on_event : called with every event as it happens; an error it raises stops the study

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
    host, home, program = hosts.host, hosts.home, hosts.generator or find_generator()
    with password_files(study, host) as running, contextlib.ExitStack() as exit_stack:
        options = options or RunOptions()
        if hosts.server_host is None:
            place = BenchPlace(LocalBench(running, host, home, exit_stack), host, home, program)
            return run_on_bench(running, plan, results, place, on_event, options)
        remote_host = hosts.server_host
        folders = read_workload_folders(running, plan.workloads)
        server_folders, *client_folders = [
            exit_stack.enter_context(pushed_folders(folders, machine))
            for machine in (remote_host, *(client.host for client in hosts.clients))
        ]
        network = exit_stack.enter_context(network_access(running, host, hosts.clients))
        bench = RemoteBench(
            running, remote_host, remote_host.home, exit_stack, network, there=remote_host, lab=host, lab_home=home
        )
        client = network_client(network, hosts, program, folders_here(folders), client_folders)
        place = BenchPlace(bench, remote_host, remote_host.home, Path(remote_host.program.path), client, server_folders)
        return run_on_bench(running, plan, results, place, on_event, options)


@dataclass(frozen=True, slots=True)
class BenchPlace:
    """Describes a bench and where it is.

    Parameters
    ----------
    host, home : of its servers
    generator : path of ``dbdyno-load`` there
    network_client : where the clients of the route network run; None: the study has none
    folders : where workloads in a folder are on that host; empty: where the study says
    """

    bench: Bench
    host: Host
    home: Home
    generator: Path
    network_client: LoadClient | None = None
    folders: WorkloadFolders = field(default_factory=dict)


def run_on_bench(
    study: Study,
    plan: Plan,
    results: Results,
    place: BenchPlace,
    on_event: events.OnEvent,
    options: RunOptions,
) -> StudyOutcome:
    """Run a study on a given bench; see `run_study`."""
    with results.writing(options.command_line) as writer, event_stream(writer, on_event) as emit:
        context = RunContext(
            study=study,
            plan=plan,
            results=results,
            bench=place.bench,
            host=place.host,
            home=place.home,
            generator=place.generator,
            machine=place.host.facts(place.home.root),
            options=options,
            writer=writer,
            emit=emit,
            network_client=place.network_client,
            folders=place.folders,
        )
        return StudyRunner(context).run()


@dataclass(frozen=True, slots=True)
class StudyRunner:
    """Runs what a study lacks."""

    context: RunContext

    def run(self) -> StudyOutcome:
        """Make the runs that are missing, clean up, and say how the study ended."""
        is_interrupted = is_refused = False
        try:
            with interruptible():
                is_interrupted, is_refused = self._run_and_clean_up()
        except OverdueError:
            is_interrupted = True
            self.context.emit(events.OrphansRemain())
        self._check_folder()
        outcome = self._outcome(interrupted=is_interrupted, refused=is_refused)
        self.context.emit(events.StudyFinished(outcome))
        return outcome

    def _run_and_clean_up(self) -> tuple[bool, bool]:
        """Make all runs, and clean up; whether that was interrupted, and whether the audit refused it."""
        is_interrupted = is_refused = False
        try:
            with watched_folder(self.context.writer):
                self._begin_study()
                is_refused = not self._make_missing_runs()
        except OverdueError:
            raise
        except KeyboardInterrupt:
            is_interrupted = True
        except BaseException as error:
            self.context.bench.clean_up()
            folder_error = self.context.writer.folder_problem() if isinstance(error, DbdynoError | OSError) else None
            if folder_error is not None:
                raise folder_error from error
            raise
        self.context.bench.clean_up()
        return is_interrupted, is_refused

    def _check_folder(self) -> None:
        """Fail where the folder is not where it was, and note that in the journal, wherever that is now."""
        folder_error = self.context.writer.folder_problem()
        if folder_error is not None:
            with contextlib.suppress(HostError):
                self.context.emit(events.FolderLost(str(folder_error)))
            raise folder_error

    def _begin_study(self) -> None:
        context, plan, emit = self.context, self.context.plan, self.context.emit
        for event in set_aside(context.options.retry, context.results, context.writer, context.options.only):
            emit(event)
        stored_run_ids = context.results.run_ids()
        self._note_missing_finishes()
        stored_count = sum(run.run_id in stored_run_ids for run in plan.runs)
        emit(events.StudyStarted(context.study.name, len(context.study.targets), len(plan.runs), stored_count))
        for facts in context.options.examined:
            emit(events.MachineExamined(facts))

    def _note_missing_finishes(self) -> None:
        """Complete the journal where a kill came between storing a run and noting it."""
        journal = self.context.results.journal()
        noted_run_ids = {entry.facts.get("run_id") for entry in journal if entry.event == "run-finished"}
        for record in self.context.results.records():
            if record.run.run_id not in noted_run_ids:
                self.context.emit(events.MissingFinishNoted(record))

    def _make_missing_runs(self) -> bool:
        """Make the runs that are missing; whether the audit allowed it."""
        context = self.context
        self._remove_orphans_and_warn()
        missing_runs = self._missing_runs(self._further_rounds())
        if not missing_runs:
            return True
        may_follow = context.study.repeats_max is not None  # then any target may have further runs
        names = {run.cell.target for _, run in missing_runs}
        targets = [target for target in context.study.targets if may_follow or target.name in names]
        outcomes = Preparation(context).all_targets(targets)
        prepared = [outcome for outcome in outcomes.values() if isinstance(outcome, PreparedTarget)]
        if self._is_refused(prepared):
            return False
        compare_results(context, prepared)
        retained_server = RetainedServer(context.study)
        try:
            while missing_runs:
                self._make_runs(missing_runs, outcomes, RunExecutor(context, retained_server))
                missing_runs = self._next_round_runs()
        finally:
            with uninterrupted():
                retained_server.discard()
        return True

    def _remove_orphans_and_warn(self) -> None:
        """Remove orphans of earlier studies; warn of exposed passwords and of other servers."""
        context = self.context
        if removed_orphans := context.bench.clean_up():
            context.emit(events.OrphansRemoved(removed_orphans))
        for exposed in exposed_passwords(context.study):
            context.emit(exposed)
        if other_servers := context.bench.others():
            context.emit(events.OthersRunning(other_servers))

    def _further_rounds(self) -> Sequence[FurtherRound]:
        return further_rounds(self.context.study, self.context.plan.runs, self.context.results.records())

    def _missing_runs(self, rounds: Sequence[FurtherRound]) -> list[tuple[int, Run]]:
        """Runs to make now, with their numbers: those of the plan, then of one further round after another."""
        stored_run_ids = self.context.results.run_ids()
        runs = [*self.context.plan.runs, *(run for further_round in rounds for run in further_round.runs)]
        selected_run_ids = self.context.options.only
        selected_runs = [run for run in runs if selected_run_ids is None or run.run_id in selected_run_ids]
        numbers = {run.run_id: number for number, run in enumerate(runs, 1)}
        return [(numbers[run.run_id], run) for run in selected_runs if run.run_id not in stored_run_ids]

    def _next_round_runs(self) -> list[tuple[int, Run]]:
        """Runs that are left after a round; emits what the round has shown."""
        rounds = self._further_rounds()
        missing_runs = self._missing_runs(rounds)
        if rounds and (missing_runs or not rounds[-1].runs):
            last_round = rounds[-1]
            self.context.emit(
                events.FurtherRepeats(
                    last_round.repeat, len(last_round.runs), last_round.sure_count, last_round.cell_count
                )
            )
        return missing_runs

    def _is_refused(self, prepared: Sequence[PreparedTarget]) -> bool:
        """Return whether the audit of the servers, as they will be measured, stops the study."""
        auditor = self.context.options.auditor
        if auditor is None or len(self.context.study.targets) < 2:
            return False
        return PreflightInspection(self.context, auditor).is_refused(prepared)

    def _make_runs(
        self,
        missing_runs: Sequence[tuple[int, Run]],
        outcomes: Mapping[str, PreparedTarget | UnpreparedTarget],
        executor: RunExecutor,
    ) -> None:
        context = self.context
        for place, (number, run) in enumerate(missing_runs):
            next_run = missing_runs[place + 1][1] if place + 1 < len(missing_runs) else None
            total = max(len(context.plan.runs), number)
            context.emit(events.RunStarted(run, number, total))
            stored_run = executor.make(run, outcomes[run.cell.target], next_run)
            bench = context.study.bench
            if stored_run.record.fault == "network" and bench is not None and bench.server is not None:
                stored_run = self._repeat_lost_run(stored_run, outcomes[run.cell.target], next_run, executor)
            if name := context.options.machine or (bench.name if bench is not None else ""):
                stored_run = replace(stored_run, record=replace(stored_run.record, bench=name))
            with uninterrupted():
                context.writer.add_run(stored_run)
                context.emit(events.RunFinished(stored_run.record, number, total))

    def _repeat_lost_run(
        self,
        lost_run: StoredRun,
        prepared: PreparedTarget | UnpreparedTarget,
        next_run: Run | None,
        executor: RunExecutor,
    ) -> StoredRun:
        """Make a run once more that lost the way to its host; where that is still lost, the run is stored as failed."""
        try:
            stored_run = executor.make(lost_run.record.run, prepared, next_run)
        except HostError:
            with uninterrupted():
                self.context.writer.add_run(lost_run)
            raise
        caveat = Caveat("made-again", "the first attempt lost the connection to the host")
        return replace(stored_run, record=replace(stored_run.record, caveats=(*stored_run.record.caveats, caveat)))

    def _outcome(self, *, interrupted: bool, refused: bool) -> StudyOutcome:
        study, results, records = self.context.study, self.context.results, self.context.results.records()
        runs = wanted_runs(study, self.context.plan.runs, records)
        return study_outcome(study, results, runs, records, interrupted=interrupted, refused=refused)
