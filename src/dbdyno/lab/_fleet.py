"""Runs a study on several benches at once: deals its runs, and adds those that are made to the results folder.

A `Fleet` drives the benches. This process is the one writer: it hands a bench the runs of a piece, stores each run as
it comes, and gives what a lost bench has not made to the others. Nothing is remembered but the results folder: after a
kill, the same command deals what is missing.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from dbdyno.core import DbdynoError, HostError, Run, RunRecord, json_value, percent
from dbdyno.lab import _events as events
from dbdyno.lab._outcome import StudyOutcome, study_outcome
from dbdyno.lab._remote_bench import check_separate_machines
from dbdyno.lab._retry import NO_RETRY, RetryChoice, set_aside
from dbdyno.lab._signals import OverdueError, interruptible, uninterrupted
from dbdyno.lab._sinks import LiveSink, journal_entry, watched_folder
from dbdyno.plan import Piece, Plan, benches_apart, next_piece, pieces, pieces_left, wanted_runs
from dbdyno.store import JsonValue, Results, ResultsWriter, check_alike, check_same_engine, check_same_rows
from dbdyno.study import Study


@dataclass(frozen=True, slots=True)
class TargetFiles:
    """Holds what a bench has stored of the targets, before its first run: see `Results.target_files`."""

    units: Mapping[str, Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class RunMade:
    """Describes a run that a bench has made, with the files that it is stored as."""

    finished: events.RunFinished
    files: Mapping[str, bytes]


BenchMessage: TypeAlias = events.Event | TargetFiles | RunMade
OnBenchEvent: TypeAlias = Callable[[str, events.Event], None]
"""Called with the name of a bench, empty for the study as a whole, and what happened there."""


class Fleet(Protocol):
    """Drives benches side by side, each by one order at a time."""

    def submit(self, bench: str, runs: Sequence[Run]) -> Iterator[BenchMessage]:
        """Make these runs on a bench, which reports what happens until all are made; without runs, get ready.

        Raises
        ------
        DbdynoError : the bench is lost, or can't make them
        """

    def close(self) -> None:
        """Have all benches stop what they do and clean up."""


@dataclass(frozen=True, slots=True)
class _OrderEnded:
    error: DbdynoError | None


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """Holds choices of the caller that are not part of the study.

    Parameters
    ----------
    command_line : how dbdyno was called, for the manifest
    retry : stored runs that are made again
    allow_unlike : use benches that differ in processors or memory
    """

    command_line: Sequence[str] = ()
    retry: RetryChoice = NO_RETRY
    allow_unlike: bool = False


_DEFAULT_OPTIONS = FleetOptions()


def run_fleet(
    study: Study,
    plan: Plan,
    fleet: Fleet,
    open_results: Callable[[Mapping[str, JsonValue]], Results],
    on_event: OnBenchEvent,
    options: FleetOptions = _DEFAULT_OPTIONS,
) -> StudyOutcome:
    """Make every run of the plan that is not yet stored, on the study's benches.

    Parameters
    ----------
    open_results : opens the results folder, or makes it with the facts of the machines
    on_event : as in `run_study`

    Raises
    ------
    HostError : two benches are one machine; or no bench is left, and runs are missing
    StoreError : the machines differ, or another dbdyno writes to the folder
    """
    orders = _Orders(fleet)
    with interruptible(), contextlib.closing(fleet):
        early_events: list[tuple[str, events.Event]] = []

        def report(bench: str, event: events.Event) -> None:
            early_events.append((bench, event))
            on_event(bench, event)

        facts = _reachable_benches(study, orders, report)
        check_separate_machines(study, facts)
        if not options.allow_unlike:
            check_alike({f"bench {name}": machine_facts for name, machine_facts in facts.items()})
        results = open_results({**next(iter(facts.values())), "benches": facts})
        machines = {**results.host.get("benches", {}), **facts}  # an earlier session may have had other benches
        if not options.allow_unlike:
            check_alike({f"bench {name}": machine_facts for name, machine_facts in machines.items()})
        with results.writing(options.command_line) as writer, watched_folder(writer):
            if machines.keys() != results.host.get("benches", {}).keys():
                writer.write_host({**results.host, "benches": machines})
            store = _FleetStore(study, plan, results, writer)
            runner = _FleetRunner(store, orders, on_event, list(facts), allow_unlike=options.allow_unlike)
            for bench, event in early_events:
                runner.note(bench, event)
            return runner.run(options.retry)


@dataclass(slots=True)
class _Orders:
    """Holds the orders of benches; their messages come in one queue.

    Parameters
    ----------
    under_way : bench -> its order
    """

    fleet: Fleet
    inbox: queue.SimpleQueue[tuple[str, BenchMessage | _OrderEnded]] = field(default_factory=queue.SimpleQueue)
    under_way: dict[str, Piece] = field(default_factory=dict)

    def give(self, bench: str, piece: Piece) -> None:
        """Have a bench make the runs of a piece."""
        self.under_way[bench] = piece
        threading.Thread(
            target=self._forward_messages, args=(bench, piece.runs), name=f"bench-{bench}", daemon=True
        ).start()

    def messages(self) -> Iterator[tuple[str, BenchMessage | _OrderEnded]]:
        """Yield the messages of benches until none has an order."""
        while self.under_way:
            bench, message = self.inbox.get()
            if isinstance(message, _OrderEnded):
                del self.under_way[bench]
            yield bench, message

    def _forward_messages(self, bench: str, runs: Sequence[Run]) -> None:
        error = None
        try:
            for message in self.fleet.submit(bench, runs):
                self.inbox.put((bench, message))
        except DbdynoError as lost:
            error = lost
        except Exception as failed:
            error = HostError(f"bench {bench} failed", f"{type(failed).__name__}: {failed}")
        self.inbox.put((bench, _OrderEnded(error)))


def _reachable_benches(study: Study, orders: _Orders, on_event: OnBenchEvent) -> dict[str, Mapping[str, JsonValue]]:
    """Return facts of the benches that can be reached, in the order of the study.

    Raises
    ------
    DbdynoError : that of the first bench, where none can be
    """
    facts: dict[str, Mapping[str, JsonValue]] = {}
    errors: dict[str, DbdynoError] = {}
    for bench in study.benches:
        orders.give(bench.name, Piece("", (), ""))
    for name, message in orders.messages():
        if isinstance(message, events.BenchReady):
            facts[name] = message.facts
            on_event(name, message)
        elif isinstance(message, _OrderEnded) and message.error is not None:
            errors[name] = message.error
            on_event(name, events.BenchLost(_error_words(message.error)))
    if not facts:
        raise errors[study.benches[0].name]
    return {bench.name: facts[bench.name] for bench in study.benches if bench.name in facts}


def _error_words(error: DbdynoError) -> str:
    return ": ".join(filter(None, (error.what, error.why)))


@dataclass(frozen=True, slots=True)
class _FleetStore:
    """Holds a study with its plan, and the folder that its runs are stored in."""

    study: Study
    plan: Plan
    results: Results
    writer: ResultsWriter


class _FleetRunner:
    """Runs what a study lacks; see `run_fleet`."""

    def __init__(
        self,
        store: _FleetStore,
        orders: _Orders,
        on_event: OnBenchEvent,
        benches: Sequence[str],
        *,
        allow_unlike: bool,
    ) -> None:
        self._study, self._plan, self._results, self._writer = store.study, store.plan, store.results, store.writer
        self._orders, self._on_event, self._benches = orders, on_event, list(benches)
        self._pieces = pieces(store.study, store.plan.runs, len(store.study.benches))
        self._records: dict[str, RunRecord] = {}
        self._errors: dict[str, DbdynoError] = {}
        self._sentinel_benches: set[str] = set()
        self._is_console_lost = False
        self._live: dict[str, LiveSink] = {}
        self._audits: list[events.ServersAudited] = []
        self._allow_unlike, self._is_refused = allow_unlike, False

    def run(self, retry: RetryChoice) -> StudyOutcome:
        """Make the runs that are missing, and say how the study ended."""
        for event in set_aside(retry, self._results, self._writer):
            self._emit("", event)
        self._records = {record.run.run_id: record for record in self._results.records()}
        self._sentinel_benches = {record.bench for record in self._records.values() if record.run.is_sentinel}
        stored_count = sum(run.run_id in self._records for run in self._plan.runs)
        total, targets = len(self._plan.runs), len(self._study.targets)
        start_event = events.StudyStarted(self._study.name, targets, total, stored_count)
        logs = self._writer.live_of_benches(len(self._benches))
        self._live = {bench: LiveSink(log, bench) for bench, log in zip(self._benches, logs, strict=True)}
        for sink in self._live.values():
            sink.take(start_event)
        self._emit("", start_event)
        is_interrupted = False
        try:
            self._make_all_runs()
        except KeyboardInterrupt:
            is_interrupted = True
            self._stop_benches()
        finally:
            for sink in self._live.values():
                sink.close()
        if (folder_error := self._writer.folder_problem()) is not None:
            self._emit("", events.FolderLost(str(folder_error)))
            raise folder_error
        outcome = self._outcome(interrupted=is_interrupted)
        self._emit("", events.StudyFinished(outcome))
        if outcome.missing and self._errors and not self._benches:
            reasons = "; ".join(f"{name}: {_error_words(error)}" for name, error in self._errors.items())
            raise HostError(
                "no bench is left, and runs are missing", reasons, "run the same command to resume", code="no-bench"
            )
        return outcome

    def _make_all_runs(self) -> None:
        self._assign_pieces()
        for bench, message in self._orders.messages():
            if not isinstance(message, _OrderEnded):
                self._handle_message(bench, message)
                continue
            if message.error is not None:
                self._drop_bench(bench, message.error)
            self._assign_pieces()

    def _stop_benches(self) -> None:
        """Have the benches stop what they do."""
        try:
            self._orders.fleet.close()
        except OverdueError:
            self._emit("", events.OrphansRemain())

    def _assign_pieces(self) -> None:
        """Give each bench that has nothing to do a piece that nobody makes, as long as there is one."""
        if self._is_refused or not pieces_left(self._study, self._pieces, self._records) or not self._run_sentinels():
            return
        for bench in self._idle_benches():
            if (piece := self._next_piece(bench)) is not None:
                self._orders.give(bench, piece)

    def _run_sentinels(self) -> bool:
        """Have each bench make a run of the sentinel first; whether all have, when those that are too unlike are gone.

        What later runs of a sentinel show counts as well.
        """
        if not self._study.sentinel or self._allow_unlike:
            return True
        for bench in self._idle_benches():
            piece = self._next_piece(bench) if bench not in self._sentinel_benches else None
            sentinel = next((run for run in piece.runs if run.is_sentinel), None) if piece is not None else None
            if piece is not None and sentinel is not None:
                self._orders.give(bench, replace(piece, runs=(sentinel,)))
            self._sentinel_benches.add(bench)
        if any(all(run.is_sentinel for run in piece.runs) for piece in self._orders.under_way.values()):
            return False
        for bench, share in benches_apart(self._records.values(), self._benches).items():
            words = (
                f"its sentinel is {percent(abs(share))} {'faster' if share > 0 else 'slower'} than that of the others"
            )
            self._drop_bench(bench, HostError(words, "", "--allow-unlike uses it anyway"))
        return True

    def _idle_benches(self) -> list[str]:
        return [bench for bench in self._benches if bench not in self._orders.under_way]

    def _next_piece(self, bench: str) -> Piece | None:
        assigned_keys = {piece.key for piece in self._orders.under_way.values()}
        missing_pieces = [
            piece for piece in pieces_left(self._study, self._pieces, self._records) if piece.key not in assigned_keys
        ]
        return next_piece(missing_pieces, bench, [other for other in self._benches if other != bench])

    def _handle_message(self, bench: str, message: BenchMessage) -> None:
        match message:
            case TargetFiles(units):
                self._check_targets(bench, units)
                self._writer.add_target_files(units)
            case RunMade(finished, files):
                with uninterrupted():
                    self._writer.add_run_files(finished.record.run.run_id, files)
                    self._records[finished.record.run.run_id] = finished.record
                    self._emit(bench, finished)
            case events.ServersAudited():
                self._is_refused |= message.stops
                if message not in self._audits:  # the same servers on another bench
                    self._emit(bench, message)
                self._audits.append(message)
            case _:
                self._emit(bench, message)

    def _check_targets(self, bench: str, units: Mapping[str, Mapping[str, bytes]]) -> None:
        """Refuse a bench that has other engines or other rows than those that were measured.

        Raises
        ------
        StoreError : a study must not mix runs of two servers, or on two datasets
        """
        for unit, contents in units.items():
            kind = unit.partition("/")[0]
            if kind not in ("engines", "datasets"):
                continue
            facts = json_value(contents[""].decode())
            target, place = facts["target"], f"on bench {bench}"
            if kind == "engines" and (stored_engine := self._results.engine(target)) is not None:
                check_same_engine(facts, place, stored_engine, "elsewhere", "name the version in full")
            elif kind == "datasets" and (stored_rows := self._results.dataset(target)) is not None:
                remedy = f"dbdyno clean --host HOST removes the snapshots of bench {bench}; run the study again"
                check_same_rows(facts, place, stored_rows, "elsewhere", remedy)

    def _drop_bench(self, bench: str, error: DbdynoError) -> None:
        if bench not in self._benches:
            return
        self._benches.remove(bench)
        self._errors[bench] = error
        self._emit(bench, events.BenchLost(_error_words(error)))
        self._live[bench].close()

    def _emit(self, bench: str, event: events.Event) -> None:
        self.note(bench, event)
        if bench in self._live:
            self._live[bench].take(event)
        if self._is_console_lost:
            return
        try:
            self._on_event(bench, event)
        except OSError as error:  # nobody reads the progress any more: handled as an interruption, see `event_stream`
            self._is_console_lost = True
            self.note("", events.OutputLost(error.strerror or str(error)))
            os.kill(os.getpid(), signal.SIGINT)

    def note(self, bench: str, event: events.Event) -> None:
        """Keep in the journal what happened on a bench."""
        if (entry := journal_entry(event)) is not None:
            name, facts = entry
            self._writer.append(name, **facts, **({"bench": bench} if bench else {}))

    def _outcome(self, *, interrupted: bool) -> StudyOutcome:
        records = self._records.values()
        runs = [run for piece in self._pieces for run in wanted_runs(self._study, piece, records)]
        return study_outcome(
            self._study, self._results, runs, records, interrupted=interrupted, refused=self._is_refused
        )
