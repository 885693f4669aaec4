"""Executes one run from restore to stored value. A failure becomes the run's reason; the study goes on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import pymysql

from dbdyno.core import (
    Caveat,
    ConfigureError,
    DbdynoError,
    HostError,
    MeasureError,
    PopulateError,
    Run,
    RunRecord,
)
from dbdyno.lab import _events as events
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import PreparedTarget, RunContext, UnpreparedTarget
from dbdyno.lab._ladder import LadderServer, RetainedServer
from dbdyno.lab._passwords import remote_private_folder
from dbdyno.lab._path_after import with_path_after
from dbdyno.lab._record import (
    changed_caveats,
    changed_variables,
    failed_run,
    further_caveats,
    record_of,
    standstill_words,
    unbounded_cache,
    with_conditions,
    with_standstill,
    with_waits,
)
from dbdyno.lab._session_waits import SecondReporter, SessionWatch
from dbdyno.lab._shaping import host_may_be_lost, shaped_network
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import (
    LoadGenerator,
    LoadOrder,
    MeasuredRun,
    ServerWatch,
    Standstill,
    WallClock,
    counters_document,
    measure_run,
    standstill,
    worker_count,
)
from dbdyno.measure.client import CostCurve
from dbdyno.measure.telemetry import PerfRecording, ThreadsPlace
from dbdyno.plan import share_server
from dbdyno.populate import Dataset, DatasetOrder, Verified, verify
from dbdyno.stats import ServerFacts, gate_facts, is_flash
from dbdyno.store import JsonValue, StoredRun
from dbdyno.tables import Table

_PERF_BEYOND_S = 30.0
"""After a load's longest time perf ends by itself, should nobody end it."""


@dataclass(frozen=True, slots=True)
class RunExecutor:
    """Makes runs of one study.

    Parameters
    ----------
    retained : keeps a server from one run to the next, where these share it; its owner discards it
    """

    context: RunContext
    retained: RetainedServer

    def make(self, run: Run, prepared: PreparedTarget | UnpreparedTarget, next_run: Run | None = None) -> StoredRun:
        """Attempt a run. A server that does not start or dies is a failed run, not an error.

        Parameters
        ----------
        next_run : the run that is made next; where both share a server, it is kept for that one
        """
        clock = WallClock.start()
        if isinstance(prepared, UnpreparedTarget):
            return failed_run(run, prepared, prepared.error, clock)
        try:
            ladder_server = self._ladder_server(run, prepared)
        except ConfigureError as error:  # a full disk would fail every run alike: that stops the study instead
            return failed_run(run, prepared, error, clock)
        stored_run = None
        try:
            stored_run = self._attempt_run(run, prepared, ladder_server, clock)
        except HostError as error:
            if error.fault != "network":
                raise
            return failed_run(run, prepared, error, clock)
        finally:
            with uninterrupted(), host_may_be_lost():
                self._release_server(run, ladder_server, stored_run, next_run)
        return stored_run

    def _attempt_run(
        self, run: Run, prepared: PreparedTarget, ladder_server: LadderServer, clock: WallClock
    ) -> StoredRun:
        try:
            return self._run_on_server(run, prepared, ladder_server)
        except (ConfigureError, MeasureError, PopulateError, pymysql.MySQLError) as error:
            return failed_run(run, prepared, error, clock, ladder_server.server)

    def _ladder_server(self, run: Run, prepared: PreparedTarget) -> LadderServer:
        if prepared.is_running_server:
            return LadderServer(self.context.run_server(run, prepared))
        retained_server = self.retained.take(run)
        if retained_server is not None:
            return retained_server
        self.context.emit(events.RunPhaseEntered(run, "restore"))
        return self.retained.first(run, self.context.run_server(run, prepared))

    def _release_server(
        self, run: Run, ladder_server: LadderServer, stored_run: StoredRun | None, next_run: Run | None
    ) -> None:
        """Keep a server that did its work for the run that goes on with it; stop any other."""
        did_its_work = stored_run is not None and stored_run.record.status != "failed"
        if stored_run and did_its_work and next_run and share_server(self.context.study, run, next_run):
            telemetry = stored_run.telemetry
            assert not isinstance(telemetry, Table), "tables are of imported runs"
            self.retained.keep(run, ladder_server.after(telemetry))
            return
        self.context.emit(events.RunPhaseEntered(run, "stop"))
        ladder_server.server.discard()

    def _dataset(self, run: Run) -> Dataset:
        return self.context.dataset(run.cell.target, run.cell.workload)

    def _run_on_server(self, run: Run, prepared: PreparedTarget, ladder_server: LadderServer) -> StoredRun:
        server = ladder_server.server
        state_before = _ServerBefore.read(server, self._dataset(run).schema)
        order = self._load_order(run, ladder_server)
        session_watch = SessionWatch(order, server, SecondReporter(run, order, self.context.emit))
        reconnected = self.context.host.times_reconnected()
        client = self.context.client(run.cell.route)
        with shaped_network(self.context.study, order, server, self.context.host, client) as shape:
            measured = self._measure(order, prepared, ladder_server, state_before, session_watch)
            shape = with_path_after(shape, order, server, client)
        host_standstill = self._host_standstill(measured, reconnected)
        clock_caveats = server.recheck_clock()
        status_after, variables_after = _ask_if_alive(server, server.status), _ask_if_alive(server, server.variables)
        verification = self._verify_tables(run, prepared, server, measured)
        log_tail = server.log_tail()
        record = record_of(run, prepared, measured, server.diagnose_exit(), log_tail, server.hang_reason())
        record = with_waits(record, session_watch.words())
        record = replace(
            record,
            caveats=(
                *record.caveats,
                *further_caveats(record, clock_caveats),
                *self._control_caveats(reconnected),
                *shape.caveats,
            ),
        )
        record = with_standstill(record, host_standstill)
        variable_caveats = changed_caveats(changed_variables(state_before.variables, variables_after))
        record = replace(
            record,
            step=ladder_server.step,
            caveats=(*record.caveats, *ladder_server.caveats, *variable_caveats),
        )
        undecided_conditions, timeouts = (
            prepared.undecided.get(self._dataset(run).digest, ()),
            self.context.study.timeouts,
        )
        record = with_conditions(
            self._with_cache_caveat(record, state_before.variables),
            verification.answers,
            undecided_conditions,
            timeouts,
        )
        record = self._end_server(record, server)
        return StoredRun(
            record=record,
            seconds=measured.seconds,
            intervals=measured.intervals,
            telemetry=measured.telemetry,
            variables=state_before.variables,
            variables_after=variables_after,
            settings=server.settings,
            status_before=state_before.status,
            status_after=status_after,
            conditions=[answer.to_json() for answer in verification.answers],
            space=[table.to_json() for table in verification.space],
            schema=state_before.schema,
            process=state_before.process,
            order=order.to_json(),
            start=measured.start,
            end=measured.end,
            counters=_counter_document(measured, server.telemetry_facts()),
            telemetry_facts={
                **server.telemetry_facts(),
                "client_use": self._client_facts(run, order),
                **shape.facts,
                **({"session_threads": measured.threads} if measured.threads else {}),
                **({"session_waits": session_watch.samples} if session_watch.samples else {}),
            },
            life=server.life(),
            server_cnf=server.option_file,
            server_log=log_tail,
            profile=measured.profile,
        )

    def _load_order(self, run: Run, ladder_server: LadderServer) -> LoadOrder:
        cpus = self.context.study.pinning.client
        client = self.context.client(run.cell.route)
        workers = worker_count(run.cell.concurrency, cpus, client.logical_cpu_count)
        target = ladder_server.server.order_target(self._dataset(run).schema)
        return LoadOrder(
            run,
            self.context.study,
            target,
            workers,
            is_step=ladder_server.is_used,
            agents=client.agents,
            folders=client.order_folders,
            is_on_server_machine=client.is_on_server_machine,
        )

    def _measure(
        self,
        order: LoadOrder,
        prepared: PreparedTarget,
        ladder_server: LadderServer,
        state_before: _ServerBefore,
        session_watch: SessionWatch,
    ) -> MeasuredRun:
        """Let the server settle, then drive it."""
        run, server = order.run, ladder_server.server
        if self.context.study.settle_ns:
            self.context.emit(events.RunPhaseEntered(run, "settle"))
            time.sleep(self.context.study.settle_ns / 1e9)
        self.context.emit(events.RunPhaseEntered(run, "load"))
        client = self.context.client(run.cell.route)
        with self._recording(order, server) as recording:
            generator = LoadGenerator(
                client.lab or client.host,
                client.lab_generator or client.generator,
                self._cost_curve(run),
                client.host,
            )
            server_watch = ServerWatch(
                server.sources(),
                self._gate_facts(prepared, state_before, ladder_server),
                self._threads_place(run, prepared, server),
                recording,
            )
            reporter = session_watch.reporter
            return measure_run(order, server, generator, session_watch.take, server_watch, reporter.follow)

    @contextlib.contextmanager
    def _recording(self, order: LoadOrder, server: RunServer) -> Iterator[PerfRecording | None]:
        """Record the server's stacks, where they are asked for; the file is removed in the end."""
        profiler, host = self.context.options.profiler, self.context.host
        if profiler is None or server.pid is None:
            yield None
            return
        with remote_private_folder(host) as folder:  # marked as this study's: others do not remove it
            longest_s = order.longest_s + _PERF_BEYOND_S
            recording = PerfRecording(host, folder, server.pid, longest_s, profiler.version, profiler.sees_kernel)
            try:
                yield recording
            finally:
                recording.stop()

    def _threads_place(self, run: Run, prepared: PreparedTarget, server: RunServer) -> ThreadsPlace | None:
        """Say where the server's threads are watched; None where its process is not seen."""
        if server.pid is None:
            return None
        host = self.context.host
        has_client = self.context.client(run.cell.route).host is host
        return ThreadsPlace(host, self.context.generator, server.pid, prepared.wait_sites, has_client=has_client)

    def _host_standstill(self, measured: MeasuredRun, reconnected: int) -> Standstill:
        """Return how long the server's host stood still: its silent seconds are not the server's.

        Parameters
        ----------
        reconnected : as counted before the load

        Raises
        ------
        HostError : for so long that the way to it was lost
        """
        was_out_of_reach = self.context.host.times_reconnected() != reconnected
        host_standstill = standstill(measured.seconds, measured.telemetry, was_out_of_reach=was_out_of_reach)
        if host_standstill.seconds and was_out_of_reach:
            remedy = "find out what suspends it, such as the hypervisor of a virtual machine"
            raise HostError("the server's host stood still", standstill_words(host_standstill), remedy, fault="network")
        return host_standstill

    def _control_caveats(self, reconnected: int) -> tuple[Caveat, ...]:
        """Return the caveat of a lost way to the server's host; `reconnected`: as counted before the load."""
        if self.context.host.times_reconnected() == reconnected:
            return ()
        text = "the control connection to the host was lost for some seconds: the server's counters lack them"
        return (Caveat("control-lost", text),)

    def _with_cache_caveat(self, record: RunRecord, variables: Mapping[str, str]) -> RunRecord:
        """Add a caveat where the memory tier does not bind what the storage engine keeps in memory."""
        is_running_server = self.context.study.target(record.run.cell.target).engine.source_kind == "server"
        if self.context.study.limits.memory is not None or is_running_server:
            return record
        available = self.context.host.memory_available_bytes()
        caveat = unbounded_cache(record.storage_engine, variables, record.run.cell.tier_bytes, available)
        return record if caveat is None else replace(record, caveats=(*record.caveats, caveat))

    def _end_server(self, record: RunRecord, server: RunServer) -> RunRecord:
        """End the server as the study asks. What goes wrong with that weakens the run and does not undo it."""
        after_run = self.context.study.after_run
        if after_run == "discard" or record.status == "failed":
            return record
        self.context.emit(events.RunPhaseEntered(record.run, "stop" if after_run == "stop" else "recover"))
        try:
            server.end(after_run)
        except DbdynoError as error:
            reason = next(iter(error.why.splitlines()), "")
            text = f"after the window: {error.what}" + (f": {reason}" if reason and reason not in error.what else "")
            caveat = Caveat("ending-failed", text)
            return replace(record, caveats=(*record.caveats, caveat))
        return record

    def _verify_tables(self, run: Run, prepared: PreparedTarget, server: RunServer, measured: MeasuredRun) -> Verified:
        """Return whether the tables are consistent after the run; not asked of a run that failed anyway."""
        workload = self.context.workload(run.cell.target, run.cell.workload)
        if workload is None or not workload.conditions or measured.judgement.status == "failed":
            return Verified()
        self.context.emit(events.RunPhaseEntered(run, "verify"))
        client = self.context.client(run.cell.route)
        dataset = self._dataset(run).on_host(client.folders)
        storage_engine, timeouts = prepared.target.engine.storage_engine, self.context.study.timeouts
        order = DatasetOrder(dataset, storage_engine, client.host, client.generator, timeouts)
        return verify(order, server, "run", lambda wait: self.context.emit(events.awaited(run.cell.target, wait)))

    def _cost_curve(self, run: Run) -> CostCurve | None:
        if (calibration := self.context.options.calibration) is None:
            return None
        return calibration.curve(run.cell.route, self.context.study.workload(run.cell.workload).name)

    def _client_facts(self, run: Run, order: LoadOrder) -> dict[str, JsonValue]:
        """Return what the client's use was read off: with it anyone can do the sum again."""
        curve = self._cost_curve(run)
        points: JsonValue = None if curve is None else {"busy": list(curve.busy), "used": list(curve.used)}
        return {"cost_curve": points, "client_has_own_cpus": order.client_has_own_cpus}

    def _gate_facts(
        self, prepared: PreparedTarget, state_before: _ServerBefore, ladder_server: LadderServer
    ) -> ServerFacts | None:
        """Return what the server's gates are read with; None: the study does not ask them."""
        if not self.context.study.adaptive_length.gates:
            return None
        on_flash = None if prepared.is_running_server else is_flash(self.context.machine.rotational)
        engine = prepared.target.engine.storage_engine
        return gate_facts(
            engine, state_before.variables, state_before.schema, is_flash=on_flash, step=ladder_server.step
        )


@dataclass(frozen=True, slots=True)
class _ServerBefore:
    """Describes what a server says of itself before the load."""

    variables: Mapping[str, str]
    status: Mapping[str, str]
    schema: Mapping[str, JsonValue]
    process: Mapping[str, JsonValue]

    @classmethod
    def read(cls, server: RunServer, schema: str) -> _ServerBefore:
        return cls(server.variables(), server.status(), server.schema(schema), server.process())


def _ask_if_alive(server: RunServer, ask: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    if server.exit_reason() or server.hang_reason():
        return {}
    try:
        return dict(ask())
    except (pymysql.MySQLError, ConfigureError):
        return {}


def _counter_document(measured: MeasuredRun, telemetry_facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return deltas over the window; what the server does not show stands there by name."""
    if not measured.counters:
        return {}
    absent_names = telemetry_facts.get("absent_counters")
    names = [str(name) for name in absent_names] if isinstance(absent_names, list) else []
    total = measured.figures.total
    return counters_document(measured.counters, total.window_s, total.transactions, names)
