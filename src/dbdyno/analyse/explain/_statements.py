"""Splits the time of a run by statement type: what the client waited for.

A statement's service time holds the client's own work on it. Processor time and run delay of the client are known of
all statements together, so each statement carries an equal share of them, which is taken out and shown as parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse.explain._part import PARTS, Breakdown, FloatArray, Part, rest_of
from dbdyno.core import Run, RunRecord
from dbdyno.stats import noise_interval

_CAPITALS = frozenset({"begin", "commit", "rollback"})


@dataclass(frozen=True, slots=True)
class StatementTimes:
    """Holds one statement type, second by second.

    Parameters
    ----------
    counts : how many were answered, with an error or without, shape (seconds,)
    sums_ms : their service times together, shape (seconds,)
    """

    counts: NDArray[np.int64]
    sums_ms: FloatArray


@dataclass(frozen=True, slots=True)
class NetworkUse:
    """Holds what a run stores of the network between client and server.

    Parameters
    ----------
    round_trip_ns : of the network alone, before the load; of several load hosts the longest
    bytes_per_transaction : sent and received, per committed transaction; on a route whose rate is shaped only received,
        since the rate holds back replies alone
    bits_per_s : of a large reply before the load; None where that was not measured
    hosts : connections and round trip in nanoseconds of each of several load hosts; empty where there is one
    """

    round_trip_ns: int
    bytes_per_transaction: float
    bits_per_s: float | None
    hosts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PinnedServer:
    """Describes a server that may use some of its host's processors only.

    Parameters
    ----------
    processors : how many
    client : the load generator may use none of these (``other``), no others (``same``), or some of both (``any``)
    """

    processors: int
    client: Literal["other", "same", "any"] = "any"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Holds what a run stores of where its connections' time went, of the seconds that count.

    Parameters
    ----------
    rests : connections also rest (think time, open loop), so T is the mean service time of a transaction
    seconds : length of these seconds together
    transactions : committed
    attempts : of transactions, with those that were repeated or given up
    transaction_sum_ms : service times of committed transactions together; None where only rates are known
    client_cpu_ms, client_wait_ms : of the load generator; None where not known
    noise_share : half-width of T at 95 % from the seconds, relative
    missing : why statements are not known; empty where they are
    threads : state -> session threads of the server in it on average, ``count`` are all; None where not watched
    threads_missing : why not; empty where they were
    counted : counter of the server -> its growth per transaction over the window; empty where not stored
    has_whole_lock_times : the server rounds each wait for a row lock down to whole milliseconds before it counts it
    levels : level of the server -> its mean over the seconds, or of a whole window, of its first and last value
    processors : who -> processors used on average: ``sessions``, ``background``, ``client``, ``neighbours``,
        ``steal`` (the hypervisor), of that ``stolen`` (from the session threads: their share of what was not stolen),
        and ``background.NAME`` of each group of the server's other threads, ``busy`` and ``idle`` of those that the
        server may use; who is not known is not there
    pinned : None where the server may use all processors of its host
    network : between client and server; None where there is none, or where its round trip is not stored
    is_client_here : the load generator runs on the server's machine
    bench : that made it; empty where a study has one
    """

    run: Run
    rests: bool
    seconds: float
    transactions: int
    attempts: int = 0
    transaction_sum_ms: float | None = None
    statements: Mapping[str, StatementTimes] | None = None
    client_cpu_ms: float | None = None
    client_wait_ms: float | None = None
    noise_share: float = 0.0
    missing: str = ""
    threads: Mapping[str, float] | None = None
    threads_missing: str = ""
    counted: Mapping[str, float] = field(default_factory=dict)
    has_whole_lock_times: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    processors: Mapping[str, float] = field(default_factory=dict)
    pinned: PinnedServer | None = None
    network: NetworkUse | None = None
    is_client_here: bool = True
    bench: str = ""

    @property
    def thrown_away(self) -> int:
        """Return attempts that did not end in a commit."""
        return max(self.attempts - self.transactions, 0)


def statement_mix(runs: Iterable[RunTimes]) -> dict[str, float]:
    """Return the statements of each type per committed transaction, of runs that threw no attempt away; else empty.

    The mix is the workload's: the same for every target, since all are sent the same transactions.
    """
    clean_runs = [run for run in runs if run.statements and not run.thrown_away]
    transactions = sum(run.transactions for run in clean_runs)
    counts: dict[str, int] = {}
    for run in clean_runs:
        for name, times in (run.statements or {}).items():
            counts[name] = counts.get(name, 0) + int(times.counts.sum())
    return {name: count / transactions for name, count in counts.items()} if transactions else {}


def noise_share_of_time(record: RunRecord, served_ns: FloatArray | None) -> float:
    """Return the half-width of T from the seconds, relative: that of throughput, or with rests, of service times."""
    if served_ns is not None and len(served_ns) > 1 and served_ns.any():
        return noise_interval(served_ns).half_width / float(served_ns.mean())
    level, half_width = record.level_tps, record.level_half_width
    return half_width / level if level and half_width else 0.0


def split_by_statement(run: RunTimes, mix: Mapping[str, float]) -> Breakdown | None:
    """Return the breakdown of a run; None where nothing was committed.

    Parameters
    ----------
    mix : of the workload, by `statement_mix`; empty where every run threw attempts away
    """
    total_ms = whole_time_ms(run)
    if total_ms is None:
        return None
    served_ms = None if run.transaction_sum_ms is None else run.transaction_sum_ms / run.transactions
    parts, missing_reason = _statement_parts(run, mix) if run.statements else ((), run.missing)
    if parts:
        parts = (*parts, rest_of(total_ms, parts))
    return Breakdown(
        run.run,
        "statements",
        total_ms,
        parts,
        run.transactions,
        served_ms,
        run.noise_share,
        missing_reason,
        bench=run.bench,
    )


def whole_time_ms(run: RunTimes) -> float | None:
    """Return T of a run; None where nothing was committed, or where connections rest and no service times are known."""
    if run.transactions == 0:
        return None
    if run.rests:
        return None if run.transaction_sum_ms is None else run.transaction_sum_ms / run.transactions
    return 1e3 * run.run.cell.concurrency * run.seconds / run.transactions


def _statement_parts(run: RunTimes, mix: Mapping[str, float]) -> tuple[tuple[Part, ...], str]:
    statements = run.statements or {}
    count = sum(int(times.counts.sum()) for times in statements.values())
    shares_ms = [
        0.0 if client_ms is None or not count else client_ms / count
        for client_ms in (run.client_cpu_ms, run.client_wait_ms)
    ]
    shares_ms = _cap_client_times(shares_ms, statements)
    parts, thrown_ms = [], 0.0
    for name, times in statements.items():
        part, beyond_ms = _statement(run, name, times, mix.get(name), sum(shares_ms))
        thrown_ms += beyond_ms
        parts += [part] if part is not None else []
    if thrown_ms > 0:
        parts.append(_part("thrown-away", thrown_ms, run.thrown_away / run.transactions))
    work = count / run.transactions
    clients = zip(("client.cpu", "client.run-delay"), shares_ms, strict=True)
    parts += [_part(part_id, share * work, work) for part_id, share in clients if share > 0]
    return tuple(parts), _missing_words(run, mix)


def _cap_client_times(shares_ms: list[float], statements: Mapping[str, StatementTimes]) -> list[float]:
    """Return the client's times per statement, cut where the quickest statement type would be left with none."""
    means = [times.sums_ms.sum() / times.counts.sum() for times in statements.values() if times.counts.any()]
    most_ms, total_ms = float(min(means, default=0.0)), sum(shares_ms)
    return [share * most_ms / total_ms for share in shares_ms] if total_ms > most_ms else shares_ms


def _statement(
    run: RunTimes, name: str, times: StatementTimes, usual: float | None, client_ms: float
) -> tuple[Part | None, float]:
    """Return the part of a statement type, and what attempts that were thrown away took of its time."""
    count, sum_ms = int(times.counts.sum()), float(times.sums_ms.sum())
    if not count:
        return None, 0.0
    cost_ms, work = sum_ms / count - client_ms, count / run.transactions
    thrown_work = 0.0
    if usual is not None and run.thrown_away:  # an attempt has at most what a whole transaction has
        thrown_work = min(max(work - usual, 0.0), work * run.thrown_away / run.attempts)
    committed_work = work - thrown_work
    series = times.sums_ms * (committed_work * cost_ms / sum_ms * len(times.sums_ms)) if sum_ms else None
    words = ".".join([*name.split(".")[:-1], _last_word(name)])
    kind = PARTS["statement"]
    part = Part(
        f"statement.{name}", words, committed_work * cost_ms, kind.source, committed_work, kind.unit, series_ms=series
    )
    return part, thrown_work * cost_ms


def _last_word(name: str) -> str:
    last = name.rpartition(".")[2]
    return last.upper() if last in _CAPITALS else last


def _part(part_id: str, ms: float, work: float) -> Part:
    kind = PARTS[part_id]
    return Part(part_id, kind.words, ms, kind.source, work, kind.unit)


def _missing_words(run: RunTimes, mix: Mapping[str, float]) -> str:
    if run.thrown_away and not mix:
        return (
            f"{run.thrown_away:,} attempts were lost to errors; every run of the workload had some, so their "
            "time can't be separated and stays in the statements"
        )
    return ""
