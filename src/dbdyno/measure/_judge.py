"""Judges whether a run can be trusted, and what limits it. Pure; the one place where the limits stand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dbdyno.core import CLIENT_BOUND, Caveat, RunStatus, format_duration, percent
from dbdyno.measure._figures import WINDOW, WindowFigures
from dbdyno.measure._records import NETWORK, NO_ANSWER, EndRecord, IntervalRecord
from dbdyno.measure._wall_clock import CLOCK_JUMP, CLOCK_JUMP_LIMIT_NS
from dbdyno.measure.client._use import CLIENT_USE_LIMIT, CLIENT_WAIT_LIMIT
from dbdyno.stats import SHORTEST_JUDGED_S

FAILED_SHARE_LIMIT = 0.01
CONFLICT_SHARE_LIMIT = 0.10
CONFLICTS = frozenset({"1020", "1205", "1213"})
"""Record changed, lock wait timeout, deadlock or write conflict: what servers answer to transactions that meet."""
START_SKEW_LIMIT_NS = 5_000_000
"""Client hosts that begin further apart than this did not drive the same second."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Holds a run's status, the reason in one line (empty if good), caveats, and the kind of a fault below the load."""

    status: RunStatus
    reason: str
    caveats: tuple[Caveat, ...]
    fault: str = ""


def judge(
    intervals: Sequence[IntervalRecord],
    figures: WindowFigures,
    end: EndRecord | None,
    *,
    concurrency: int,
    server_exit: str | None = None,
    conflicts: Collection[str] = CONFLICTS,
) -> Judgement:
    """Return failed when there is no window to speak of, suspect when something in it makes it doubtful, else good.

    Parameters
    ----------
    server_exit : how the server ended, when it did
    conflicts : codes by which its storage engine says that a transaction met another
    """
    lost_path = "" if server_exit else _lost_path_words(end)
    failure = lost_path or _failure_words(figures, end, server_exit)
    doubts = [] if failure else _suspect_caveats(intervals, figures, end, concurrency, conflicts)
    caveats = [*doubts, *_minor_caveats(figures, conflicts), *_host_caveats(end)]
    if failure:
        return Judgement(
            "failed", failure, tuple(caveats), NETWORK if lost_path else _no_answer_fault(end, server_exit)
        )
    status: RunStatus = "suspect" if doubts else "good"
    return Judgement(status, "; ".join(doubt.text for doubt in doubts), tuple(caveats))


def _lost_path_words(end_record: EndRecord | None) -> str:
    """Say that a run shows nothing of its server, because for a while nobody reached it."""
    if end_record is None or not (end_record.failure_kind == NETWORK or end_record.paths_lost):
        return ""
    if end_record.status == "failed":
        return end_record.reason if end_record.reason.startswith(NETWORK) else f"{NETWORK}: {end_record.reason}"
    durations = ", ".join(
        "to the end" if end_ns is None else f"{(end_ns - start_ns) / 1e9:.1f} s"
        for start_ns, end_ns in end_record.paths_lost
    )
    return f"{NETWORK}: the path to the server was lost ({durations}): no byte arrived and nothing was acknowledged"


def _no_answer_fault(end_record: EndRecord | None, server_exit: str | None) -> str:
    """Return the fault of a server that is there and gave a statement no answer in its time."""
    return NO_ANSWER if end_record is not None and end_record.failure_kind == NO_ANSWER and not server_exit else ""


def _failure_words(figures: WindowFigures, end_record: EndRecord | None, server_exit: str | None) -> str:
    if server_exit:
        return f"the server died: {server_exit}"
    if end_record is None:
        return "the load generator ended without a final record"
    if end_record.status != "complete":
        return (
            f"the load {end_record.status}: {end_record.reason}"
            if end_record.reason
            else f"the load {end_record.status}"
        )
    if end_record.search is not None and end_record.search.highest_held_per_s is None:
        return "no rate met the objective"
    if figures.total.transactions == 0:
        return "no transaction completed in the window"
    return ""


def _suspect_caveats(
    intervals: Sequence[IntervalRecord],
    figures: WindowFigures,
    end_record: EndRecord | None,
    concurrency: int,
    conflicts: Collection[str],
) -> list[Caveat]:
    doubts = (
        _missing_seconds_caveat(figures),
        _client_bound_caveat(figures) or _client_bound_search_caveat(end_record),
        _unfinished_search_caveat(end_record),
        _clock_jump_caveat(intervals),
        _lost_connections_caveat(intervals, concurrency),
        _failures_caveat(figures, conflicts),
    )
    return [caveat for caveat in doubts if caveat]


def _missing_seconds_caveat(figures: WindowFigures) -> Caveat | None:
    count = len(figures.missing_seconds)
    return (
        Caveat("missing-seconds", f"{count} s of the window are missing in the report of the load generator")
        if count
        else None
    )


def _client_bound_caveat(figures: WindowFigures) -> Caveat | None:
    use = figures.client_use
    return Caveat(CLIENT_BOUND, use.reason) if use is not None and use.is_bound else None


def _client_bound_search_caveat(end_record: EndRecord | None) -> Caveat | None:
    if end_record is None or end_record.search is None or not end_record.search.client_bound:
        return None
    return Caveat(CLIENT_BOUND, f"the search reached the client's limit: {end_record.search.reason}")


def _unfinished_search_caveat(end_record: EndRecord | None) -> Caveat | None:
    if end_record is None or end_record.search is None or end_record.search.complete:
        return None
    return Caveat("unfinished-search", f"the search ended before its answer was certain: {end_record.search.reason}")


def clock_jump_ns(intervals: Sequence[IntervalRecord]) -> int:
    """Return how far the wall clock moved against the monotonic clock during the run."""
    offsets = [interval.realtime_ns - interval.monotonic_ns for interval in intervals]
    return max(offsets) - min(offsets) if offsets else 0


def _clock_jump_caveat(intervals: Sequence[IntervalRecord]) -> Caveat | None:
    jump_ns = clock_jump_ns(intervals)
    if jump_ns <= CLOCK_JUMP_LIMIT_NS:
        return None
    return Caveat(CLOCK_JUMP, f"the wall clock was set during the run, by {format_duration(jump_ns)}")


def _lost_connections_caveat(intervals: Sequence[IntervalRecord], concurrency: int) -> Caveat | None:
    window = [interval for interval in intervals if interval.phase == WINDOW]
    fewest = min((interval.connections_live for interval in window), default=concurrency)
    reconnects = sum(interval.reconnects for interval in window)
    if fewest >= concurrency and not reconnects:
        return None
    words = f"at times only {fewest} of {concurrency} connections were open; {reconnects} were opened again"
    return Caveat("connections-lost", words)


def _failures_caveat(figures: WindowFigures, conflicts: Collection[str]) -> Caveat | None:
    """Failed transactions make a run doubtful; a few conflicts, given up as the imitated tool does, only weaken it."""
    share = _failed_share(figures)
    limit = CONFLICT_SHARE_LIMIT if _is_conflict_only(figures, conflicts) else FAILED_SHARE_LIMIT
    if share <= limit:
        return None
    return Caveat(
        "failed-transactions", f"{percent(share, 1)} of the transactions failed: {_error_code_words(figures)}"
    )


def _conflicts_caveat(figures: WindowFigures, conflicts: Collection[str]) -> Caveat | None:
    share = _failed_share(figures)
    if not (_is_conflict_only(figures, conflicts) and FAILED_SHARE_LIMIT < share <= CONFLICT_SHARE_LIMIT):
        return None
    codes = _error_code_words(figures)
    text = f"{percent(share, 1)} of the transactions were aborted by a conflict and are not counted: {codes}"
    return Caveat("conflicts-given-up", text)


def _failed_share(figures: WindowFigures) -> float:
    return figures.failed / max(figures.failed + figures.total.transactions, 1)


def _is_conflict_only(figures: WindowFigures, conflicts: Collection[str]) -> bool:
    return bool(figures.total.errors) and figures.total.errors.keys() <= set(conflicts)


def _error_code_words(figures: WindowFigures) -> str:
    return ", ".join(f"{code} ({count}×)" for code, count in list(figures.total.errors.items())[:3]) or "no code given"


def _minor_caveats(figures: WindowFigures, conflicts: Collection[str]) -> list[Caveat]:
    caveats = [_conflicts_caveat(figures, conflicts)]
    if figures.total.window_s and (window_s := round(figures.rated_s)) < SHORTEST_JUDGED_S:
        reason = f"below {SHORTEST_JUDGED_S} s nothing shows whether throughput had settled"
        caveats.append(Caveat("short-window", f"the window lasted {window_s} s: {reason}"))
    return [caveat for caveat in caveats if caveat]


def _host_caveats(end_record: EndRecord | None) -> list[Caveat]:
    """Name client hosts that limit the client, and those that did not begin with the others."""
    hosts = end_record.hosts if end_record is not None else ()
    caveats = []
    for host in hosts:
        if host.busiest_worker_share > CLIENT_USE_LIMIT or host.cpu_wait_share > CLIENT_WAIT_LIMIT:
            text = (
                f"{host.host} limits the client: its busiest worker was busy {percent(host.busiest_worker_share)} "
                f"of the time and waited {percent(host.cpu_wait_share)} for a processor"
            )
            caveats.append(Caveat("client-host-bound", text))
    starts = sorted(hosts, key=lambda host: host.start_skew_ns)
    if starts and (apart_ns := starts[-1].start_skew_ns - starts[0].start_skew_ns) > START_SKEW_LIMIT_NS:
        text = f"{starts[-1].host} began {apart_ns / 1e6:.1f} ms after {starts[0].host}"
        caveats.append(Caveat("start-skew", text))
    return caveats
