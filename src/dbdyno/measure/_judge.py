"""Judges whether a run can be trusted, and what limits it. Pure; the one place where the limits stand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dbdyno.core import CLIENT_BOUND, Caveat, RunStatus
from dbdyno.measure._figures import WINDOW, WindowFigures
from dbdyno.measure._records import NETWORK, NO_ANSWER, EndRecord, IntervalRecord
from dbdyno.measure._wall_clock import CLOCK_JUMP, CLOCK_JUMP_LIMIT_NS
from dbdyno.measure.client._use import CLIENT_USE_LIMIT, CLIENT_WAIT_LIMIT

FAILED_SHARE_LIMIT = 0.01
CONFLICT_SHARE_LIMIT = 0.10
CONFLICTS = frozenset({"1020", "1205", "1213"})
"""Record changed, lock wait timeout, deadlock or write conflict: what servers answer to transactions that meet."""
SHORT_WINDOW_S = 60
START_SKEW_LIMIT_NS = 5_000_000
"""Client hosts that begin further apart than this did not drive the same second."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A run's status, the reason in one line (empty when good), its caveats, and the kind of a fault below the load."""

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
    server_death: str | None = None,
    conflicts: Collection[str] = CONFLICTS,
) -> Judgement:
    """Failed when there is no window to speak of, suspect when something in it makes it doubtful, else good.

    Parameters
    ----------
    server_death : how the server ended, when it did
    conflicts : codes by which its storage engine says that a transaction met another
    """
    lost = "" if server_death else _lost_path(end)
    failure = lost or _failure(figures, end, server_death)
    doubts = [] if failure else _doubts(intervals, figures, end, concurrency, conflicts)
    caveats = [*doubts, *_remarks(figures, conflicts), *_host_remarks(end)]
    if failure:
        return Judgement("failed", failure, tuple(caveats), NETWORK if lost else _silence(end, server_death))
    status: RunStatus = "suspect" if doubts else "good"
    return Judgement(status, "; ".join(doubt.text for doubt in doubts), tuple(caveats))


def _lost_path(end: EndRecord | None) -> str:
    """Say that a run tells nothing of its server, because for a while nobody reached it."""
    if end is None or not (end.failure_kind == NETWORK or end.paths_lost):
        return ""
    if end.status == "failed":
        return end.reason if end.reason.startswith(NETWORK) else f"{NETWORK}: {end.reason}"
    lasted = ", ".join(
        "to the end" if until is None else f"{(until - began) / 1e9:.1f} s" for began, until in end.paths_lost
    )
    return f"{NETWORK}: the path to the server was lost ({lasted}): no byte arrived and nothing was acknowledged"


def _silence(end: EndRecord | None, server_death: str | None) -> str:
    """The fault of a server that is there and gave a statement no answer in its time."""
    return NO_ANSWER if end is not None and end.failure_kind == NO_ANSWER and not server_death else ""


def _failure(figures: WindowFigures, end: EndRecord | None, server_death: str | None) -> str:
    if server_death:
        return f"the server died: {server_death}"
    if end is None:
        return "the load generator ended without a final record"
    if end.status != "complete":
        return f"the load {end.status}: {end.reason}" if end.reason else f"the load {end.status}"
    if end.search is not None and end.search.highest_held_per_s is None:
        return "no rate met the objective"
    if figures.transactions == 0:
        return "no transaction completed in the window"
    return ""


def _doubts(
    intervals: Sequence[IntervalRecord],
    figures: WindowFigures,
    end: EndRecord | None,
    concurrency: int,
    conflicts: Collection[str],
) -> list[Caveat]:
    doubts = (
        _missing_seconds(figures),
        _client_bound(figures) or _client_bound_search(end),
        _unfinished_search(end),
        _clock_jump(intervals),
        _lost_connections(intervals, concurrency),
        _failures(figures, conflicts),
    )
    return [caveat for caveat in doubts if caveat]


def _missing_seconds(figures: WindowFigures) -> Caveat | None:
    count = len(figures.missing_seconds)
    return (
        Caveat("missing-seconds", f"{count} s of the window are missing in the report of the load generator")
        if count
        else None
    )


def _client_bound(figures: WindowFigures) -> Caveat | None:
    use = figures.client_use
    return Caveat(CLIENT_BOUND, use.reason) if use is not None and use.is_bound else None


def _client_bound_search(end: EndRecord | None) -> Caveat | None:
    if end is None or end.search is None or not end.search.client_bound:
        return None
    return Caveat(CLIENT_BOUND, f"the search reached the client's limit: {end.search.reason}")


def _unfinished_search(end: EndRecord | None) -> Caveat | None:
    if end is None or end.search is None or end.search.complete:
        return None
    return Caveat("unfinished-search", f"the search ended before its answer was certain: {end.search.reason}")


def clock_jump_ns(intervals: Sequence[IntervalRecord]) -> int:
    """Return how far the wall clock moved against the monotonic clock during the run."""
    offsets = [interval.realtime_ns - interval.monotonic_ns for interval in intervals]
    return max(offsets) - min(offsets) if offsets else 0


def _clock_jump(intervals: Sequence[IntervalRecord]) -> Caveat | None:
    jump_ns = clock_jump_ns(intervals)
    if jump_ns <= CLOCK_JUMP_LIMIT_NS:
        return None
    return Caveat(CLOCK_JUMP, f"the wall clock was set during the run, by {jump_ns / 1e6:.0f} ms")


def _lost_connections(intervals: Sequence[IntervalRecord], concurrency: int) -> Caveat | None:
    window = [interval for interval in intervals if interval.phase == WINDOW]
    fewest = min((interval.connections_live for interval in window), default=concurrency)
    reconnects = sum(interval.reconnects for interval in window)
    if fewest >= concurrency and not reconnects:
        return None
    return Caveat("connections-lost", f"{fewest} of {concurrency} connections lived, {reconnects} were opened again")


def _failures(figures: WindowFigures, conflicts: Collection[str]) -> Caveat | None:
    """Failed transactions make a run doubtful; a few conflicts, given up as the imitated tool does, only weaken it."""
    share = _failed_share(figures)
    limit = CONFLICT_SHARE_LIMIT if _is_conflict_only(figures, conflicts) else FAILED_SHARE_LIMIT
    if share <= limit:
        return None
    return Caveat("failed-transactions", f"{share:.1%} of the transactions failed: {_codes(figures)}")


def _conflicts(figures: WindowFigures, conflicts: Collection[str]) -> Caveat | None:
    share = _failed_share(figures)
    if not (_is_conflict_only(figures, conflicts) and FAILED_SHARE_LIMIT < share <= CONFLICT_SHARE_LIMIT):
        return None
    text = f"{share:.1%} of the transactions were aborted by a conflict and are not counted: {_codes(figures)}"
    return Caveat("conflicts-given-up", text)


def _failed_share(figures: WindowFigures) -> float:
    return figures.failed / max(figures.failed + figures.transactions, 1)


def _is_conflict_only(figures: WindowFigures, conflicts: Collection[str]) -> bool:
    return bool(figures.errors) and figures.errors.keys() <= set(conflicts)


def _codes(figures: WindowFigures) -> str:
    return ", ".join(f"{code} ({count}×)" for code, count in list(figures.errors.items())[:3]) or "no code given"


def _remarks(figures: WindowFigures, conflicts: Collection[str]) -> list[Caveat]:
    caveats = [_conflicts(figures, conflicts)]
    if 0 < figures.window_s < SHORT_WINDOW_S:
        text = f"the window lasted {figures.window_s:.0f} s: below {SHORT_WINDOW_S} s steadiness can't be judged"
        caveats.append(Caveat("short-window", text))
    return [caveat for caveat in caveats if caveat]


def _host_remarks(end: EndRecord | None) -> list[Caveat]:
    """Name client hosts that limit the client, and those that did not begin with the others."""
    hosts = end.hosts if end is not None else ()
    caveats = []
    for host in hosts:
        if host.busiest_worker_share > CLIENT_USE_LIMIT or host.cpu_wait_share > CLIENT_WAIT_LIMIT:
            text = (
                f"{host.host} limits the client: its busiest worker was busy {host.busiest_worker_share:.0%} "
                f"of the time and waited {host.cpu_wait_share:.0%} for a processor"
            )
            caveats.append(Caveat("client-host-bound", text))
    starts = sorted(hosts, key=lambda host: host.start_skew_ns)
    if starts and (apart_ns := starts[-1].start_skew_ns - starts[0].start_skew_ns) > START_SKEW_LIMIT_NS:
        text = f"{starts[-1].host} began {apart_ns / 1e6:.1f} ms after {starts[0].host}"
        caveats.append(Caveat("start-skew", text))
    return caveats
