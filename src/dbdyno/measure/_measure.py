"""Measures one run: drives the load, records everything, and reads the window's figures off.

>>> from dbdyno.measure import measure_run  # measured = measure_run(order, server, LoadGenerator(host, program), print)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dbdyno.core import (
    ONE_MACHINE,
    Caveat,
    DbdynoError,
    HostError,
    OrderRates,
    RunCourse,
    SettledPart,
    is_network_route,
)
from dbdyno.engines import conflicts_of
from dbdyno.hosts import Host
from dbdyno.measure._collect import Collector, LiveLength, MeasuredServer, course_caveats, with_course
from dbdyno.measure._counters import CounterDelta, window_counters
from dbdyno.measure._drive import RunWatch, end_process, load_process, read_records
from dbdyno.measure._figures import (
    WHOLE_SECOND_NS,
    WindowFigures,
    settled_latency,
    telling_probe,
    window_figures,
    with_search,
    with_window,
)
from dbdyno.measure._judge import CONFLICTS, Judgement, judge
from dbdyno.measure._load_order import LoadOrder
from dbdyno.measure._new_orders import ServerCounts, disagreement_caveats, order_caveats, order_rates
from dbdyno.measure._other_load import other_load_caveats
from dbdyno.measure._records import (
    EndRecord,
    IntervalRecord,
    MessageRecord,
    ProbeRecord,
    SearchAnswer,
)
from dbdyno.measure._rows import interval_rows
from dbdyno.measure._wall_clock import WallClock
from dbdyno.measure.client._calibration import CostCurve
from dbdyno.measure.client._use import ClientCapacity
from dbdyno.measure.telemetry import (
    SECOND_NS,
    PerfRecording,
    ProcessSource,
    ProfiledWindow,
    QuotaSource,
    SamplerGroup,
    SessionThreads,
    SourceGroup,
    ThreadsPlace,
    stack_profile,
)
from dbdyno.stats import Course, ServerFacts, run_course, settled_part
from dbdyno.store import IntervalRow, JsonValue, SecondRow, StackProfile, TelemetryRow, window_tps

_HURRIED_S = 1.0


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """Holds everything seen of a run.

    Parameters
    ----------
    judgement : status, reason and caveats, those of the samplers included
    messages : the load generator's own words
    started_ns, ended_ns : Unix time
    counters : what counters of server and disk grew by over the window
    settled : what the window's seconds say of its level; None where the study itself varies the rate
    threads : what is known of the server's session threads in addition to their rows
    profile : of the server's threads in the window; None where it was not asked for, or there is no window
    """

    figures: WindowFigures
    judgement: Judgement
    seconds: tuple[SecondRow, ...]
    intervals: tuple[IntervalRow, ...]
    telemetry: tuple[TelemetryRow, ...]
    start: Mapping[str, JsonValue]
    end: Mapping[str, JsonValue]
    messages: tuple[MessageRecord, ...]
    started_ns: int
    ended_ns: int
    unsent: int | None = None
    outages: int = 0
    search: SearchAnswer | None = None
    orders: OrderRates | None = None
    counters: tuple[CounterDelta, ...] = ()
    course: RunCourse | None = None
    settled: SettledPart | None = None
    threads: Mapping[str, JsonValue] = field(default_factory=dict)
    profile: StackProfile | None = None


@dataclass(frozen=True, slots=True)
class LoadGenerator:
    """Describes the program that drives a run.

    Parameters
    ----------
    host, program : where ``dbdyno-load`` runs, and its path there
    curve : of its calibration; None: the busy share stands for its use
    lead : the client host whose clock counts the seconds; None: `host`
    """

    host: Host
    program: Path
    curve: CostCurve | None = None
    lead: Host | None = None


@dataclass(frozen=True, slots=True)
class ServerWatch:
    """States how a run's server is watched.

    Parameters
    ----------
    sources : telemetry, in groups that are read by one thread each
    facts : of the server, for its gates; None: its own state is not asked
    threads_place : where the server's session threads are watched; None: they are not
    recording : of the server's stacks; None: it is not profiled
    exit_timeout_s : how long the end of a server may show later than the end of the load that it broke
    """

    sources: Sequence[SourceGroup] = ()
    facts: ServerFacts | None = None
    threads_place: ThreadsPlace | None = None
    recording: PerfRecording | None = None
    exit_timeout_s: float = 2.0


_NO_SOURCES = ServerWatch()
_ONE_MACHINE = (
    ONE_MACHINE,
    "the load generator's host and the server's are one machine (they have one kernel): the load generator takes "
    "processor time from the server, and no wire is between them",
)


def measure_run(
    order: LoadOrder,
    server: MeasuredServer,
    generator: LoadGenerator,
    on_second: Callable[[SecondRow], None],
    server_watch: ServerWatch = _NO_SOURCES,
    on_course: Callable[[Course], None] | None = None,
) -> MeasuredRun:
    """Drive one run and record it.

    Parameters
    ----------
    on_second : receives every second as it is reported
    on_course : receives, before that, the state of the run, if its length is adaptive

    Returns
    -------
    The run, failed ones included: a load that ended badly or a server that died is a result, not an error.
    """
    clock, host = WallClock.start(), generator.host
    cpus = order.study.pinning.client
    with load_process(host, generator.program, order.to_json(), cpus, order.longest_s) as process:
        watch = host.watch(SECOND_NS)
        client = SourceGroup(
            [ProcessSource(watch.read, "client", process.pid), QuotaSource(watch.read, "client", process.pid)], watch
        )
        samplers = SamplerGroup(
            [*server_watch.sources, *([] if order.agents else [client])]
        )  # that process only merges
        here_ns = (generator.lead or host).here_ns
        capacity = ClientCapacity(generator.curve, order.client_has_own_cpus)
        collector = Collector(process, server, samplers, on_second, capacity, here_ns)
        threads_place = server_watch.threads_place
        collector.threads = None if threads_place is None else SessionThreads(threads_place)
        collector.recording = server_watch.recording
        if order.adaptive_length_rule.is_open:
            collector.live, collector.on_course = LiveLength(order.adaptive_length_rule, server_watch.facts), on_course
        try:
            read_records(process, collector.take, RunWatch.of(process, server, host, order.longest_s))
        except DbdynoError as error:
            if isinstance(error, HostError) and error.fault == "network":  # no process can say how the server ended
                collector.stop_sampling(0.0)
                raise
            collector.failure = error
            end_process(process)
            collector.stop_sampling(_HURRIED_S)  # a sampler may wait for the same server
        except BaseException:
            collector.stop_sampling(0.0)
            raise
        else:
            collector.stop_sampling()
    is_incomplete = collector.end is None or (collector.end.status != "complete" and not collector.is_ended_in_order)
    exit_reason = _await_server_exit(server, server_watch.exit_timeout_s if is_incomplete else 0.0)
    return _measured_run(order, collector, exit_reason, clock)


def _await_server_exit(server: MeasuredServer, timeout_s: float) -> str | None:
    """Return how the server ended. Its sockets close before its process is gone, so a broken load waits a moment."""
    deadline = time.monotonic() + timeout_s
    while (exit_reason := server.exit_reason()) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return exit_reason


def _measured_run(order: LoadOrder, collector: Collector, server_exit: str | None, clock: WallClock) -> MeasuredRun:
    telemetry, end_record = collector.telemetry, _final_record(collector)
    intervals, first_second, ordered_count = _window_of(order, collector)
    driven_count = _driven_seconds(intervals, end_record, first_second, ordered_count)
    count = driven_count or ordered_count
    figures = window_figures(
        intervals,
        telemetry.rows,
        first_second=first_second,
        seconds_count=count,
        open_loop=collector.open_loop,
        capacity=collector.capacity,
    )
    seconds = tuple(collector.row(interval) for interval in intervals)
    settled = None if _is_rate_varied(order) else settled_part(window_tps(seconds))
    latency_ns = settled_latency(intervals, settled, figures.total.latency_ns, open_loop=collector.open_loop)
    figures = with_search(replace(figures, total=replace(figures.total, latency_ns=latency_ns)), end_record)
    judgement = judge(
        intervals,
        figures,
        end_record or _failure_end_record(collector.failure),
        concurrency=order.run.cell.concurrency,
        server_exit=server_exit,
        conflicts=CONFLICTS | {str(error.code) for error in conflicts_of(order.storage_engine)},
    )
    if driven_count < ordered_count and not server_exit:
        judgement = _judge_early_end(judgement, driven_count, ordered_count)
    start: Mapping[str, Any] = collector.start.raw if collector.start else {}
    server_counts = ServerCounts(start.get("server_counts"), collector.counters, first_second, first_second + count)
    orders = order_rates(figures.types, figures.statements, figures.rated_s, server_counts)
    course = None if collector.live is None else run_course(collector.live.course, order.adaptive_length_rule)
    caveats = (
        *judgement.caveats,
        *order_caveats(orders, figures.rated_s),
        *disagreement_caveats(intervals, server_counts),
        *course_caveats(course, order.adaptive_length_rule, asked=collector.asks_server),
        *telemetry.caveats,
        *_other_load_caveats(order, telemetry.rows, first_second, count),
        *_one_machine_caveats(order),
        *_warning_caveats(collector.messages),
        *(
            candidate
            for candidate in clock.caveats()
            if candidate.code not in {caveat.code for caveat in judgement.caveats}
        ),
    )
    return MeasuredRun(
        figures=figures,
        orders=orders,
        counters=window_counters(telemetry.rows, first_second, count),
        judgement=replace(judgement, caveats=caveats),
        course=course,
        settled=None if judgement.fault else settled,
        seconds=seconds,
        intervals=tuple(row for interval in intervals for row in interval_rows(interval)),
        telemetry=telemetry.rows,
        start=start,
        end=_end_facts(end_record, collector.probes),
        messages=tuple(collector.messages),
        started_ns=clock.unix_ns,
        ended_ns=clock.now_ns(),
        unsent=end_record.unsent if end_record else None,
        outages=end_record.outages if end_record else 0,
        search=end_record.search if end_record else None,
        threads=collector.threads.facts() if collector.threads is not None else {},
        profile=_profile(collector, first_second, count, figures.total.transactions),
    )


def _other_load_caveats(order: LoadOrder, rows: Sequence[TelemetryRow], first_second: int, count: int) -> list[Caveat]:
    """Name what others used of the host; what they use of other processors than a pinned server's is no matter."""
    if order.study.pinning.server:
        return []
    is_client_here = order.is_on_server_machine or not is_network_route(order.run.cell.route)
    return other_load_caveats(rows, first_second, count, is_client_here=is_client_here)


def _one_machine_caveats(order: LoadOrder) -> list[Caveat]:
    """Say that a network does not leave the server's machine."""
    is_within = order.is_on_server_machine and is_network_route(order.run.cell.route)
    return [Caveat(*_ONE_MACHINE)] if is_within else []


def _driven_seconds(
    intervals: Sequence[IntervalRecord], end_record: EndRecord | None, first_second: int, count: int
) -> int:
    """Return the seconds of the window, fewer than ordered where a workload had no work left before it was over."""
    if end_record is None or end_record.status != "complete" or end_record.search is not None:
        return count
    end_second = max((i.second + 1 for i in intervals if i.duration_ns >= WHOLE_SECOND_NS), default=0)
    return max(min(end_second - first_second, count), 0)


def _judge_early_end(judgement: Judgement, driven_count: int, ordered_count: int) -> Judgement:
    """Add that the workload ended early: its figures are of the seconds until then; without any the run is failed."""
    text = f"the workload ended after {driven_count} s of a window of {ordered_count} s: it had no work left"
    reason = text if not driven_count else "; ".join(filter(None, (judgement.reason, text)))
    return replace(
        judgement,
        status="failed" if judgement.status == "failed" or not driven_count else "suspect",
        reason=judgement.reason if judgement.fault else reason,
        caveats=(*judgement.caveats, Caveat("workload-ended", text)),
    )


def _profile(collector: Collector, first_second: int, count: int, transactions: int | None) -> StackProfile | None:
    if collector.recording is None or collector.start is None or not transactions:
        return None
    host = collector.recording.host
    clock, start_ns = host.clock(), host.there_ns(collector.here_ns(collector.start.monotonic_ns))
    window = ProfiledWindow(start_ns + clock.unix_ns - clock.monotonic_ns, first_second, count, transactions)
    return stack_profile(collector.recording, collector.threads, window)


def _is_rate_varied(order: LoadOrder) -> bool:
    """Return whether the study itself varies the rate, so that no level is to be expected."""
    return bool(order.study.pacing.stretches) or order.study.pacing.search is not None


def _final_record(collector: Collector) -> EndRecord | None:
    """Return the last record; a load that was interrupted because its run was over is complete."""
    end_record = collector.end
    if end_record is not None and end_record.status == "interrupted" and collector.is_ended_in_order:
        return replace(end_record, status="complete", reason="")
    return end_record


def _window_of(order: LoadOrder, collector: Collector) -> tuple[list[IntervalRecord], int, int]:
    """Return all seconds by their phases; where the window begins and how long it is."""
    if collector.live is not None:
        course = collector.live.course
        first_second = order.first_window_second if course.window_first_s is None else course.window_first_s
        end_second = first_second + order.window_seconds if course.window_end_s is None else course.window_end_s
        return with_course(collector.intervals, course), first_second, end_second - first_second
    probe = telling_probe(collector.probes)
    if probe is None:
        return collector.intervals, order.first_window_second, order.window_seconds
    return with_window(collector.intervals, probe), probe.first_second, probe.seconds


def _end_facts(end_record: EndRecord | None, probes: Sequence[ProbeRecord]) -> dict[str, Any]:
    if end_record is None:
        return {}
    return {**end_record.raw, "probes": [probe.raw for probe in probes]} if probes else dict(end_record.raw)


def _failure_end_record(failure: DbdynoError | None) -> EndRecord | None:
    return None if failure is None else EndRecord("failed", str(failure), None)


def _warning_caveats(messages: Sequence[MessageRecord]) -> list[Caveat]:
    warnings = [message.text for message in messages if message.level in ("warning", "error")]
    return [Caveat("load-message", text) for text in dict.fromkeys(warnings)]
