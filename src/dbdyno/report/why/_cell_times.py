"""Reads where the time of each cell's runs went; what is concluded from it is `dbdyno.analyse.explain`'s."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dbdyno.analyse import CellJudgement
from dbdyno.analyse.explain import (
    LEVELS,
    NetworkUse,
    PinnedServer,
    RunTimes,
    StatementTimes,
    noise_share_of_time,
    processors_used,
)
from dbdyno.core import IDLE_TIMES, PROCESSOR_TIMES, Cell, RunRecord, is_network_route
from dbdyno.report._counters import each_transaction, mean_levels
from dbdyno.report._statement_sums import StatementSums
from dbdyno.store import StoredStudy
from dbdyno.study import Study
from dbdyno.tables import Table

_SECONDS = (
    *("second", "phase", "tps", "duration_ns", "client_cpu_ns_per_statement", "client_cpu_wait_share"),
    *("bytes_sent", "bytes_received"),
)
_NO_STATEMENTS = "its log has no times for single statements"
_SESSIONS, _BACKGROUND = "sessions.", "background."
_OLD = "no histograms are stored for its statements"


Times = Mapping[Cell, Sequence[RunTimes]]


def study_times(
    results: StoredStudy, judgements: Sequence[CellJudgement], statements: Mapping[Cell, Sequence[StatementSums]]
) -> Times | None:
    """Return where the time of each cell's runs went; None of a search for a rate, whose runs have no one time."""
    if results.study.pacing.search is not None:
        return None
    return {
        group.cell: [
            _run_times(results, record, sums) for record, sums in zip(group.judged, statements[group.cell], strict=True)
        ]
        for group in judgements
        if group.judged
    }


def _run_times(results: StoredStudy, record: RunRecord, sums: StatementSums) -> RunTimes:
    table = results.seconds(record.run.run_id, _SECONDS)
    settled_table = table.at(table.texts("phase").among(["window"]) & (table.numbers("second") >= sums.first))
    duration_ns = settled_table.numbers("duration_ns")
    transaction_count = sums.transactions or round(sum((settled_table.numbers("tps") * duration_ns / 1e9).tolist()))
    statements = {
        name: StatementTimes(counts, sums.sums_ns[name] / 1e6) for name, counts in sums.counts.items() if counts.any()
    }
    has_rests = _has_rests(results, record)
    means = _telemetry_means(results, record, settled_table.numbers("second"))
    pinned = pinned_server(results.study, record.run.cell)
    counters = results.optional_document(record.run.run_id, "counters")
    return RunTimes(
        record.run,
        rests=has_rests,
        seconds=sum(duration_ns.tolist()) / 1e9,
        transactions=transaction_count,
        attempts=sums.attempts,
        transaction_sum_ms=float(sums.transaction_sums_ns.sum()) / 1e6 or None,
        statements=statements or None,
        client_cpu_ms=_client_cpu_ms(settled_table, sums),
        client_wait_ms=_client_wait_ms(results, record, settled_table),
        noise_share=noise_share_of_time(record, sums.transaction_sums_ns if has_rests else None),
        missing="" if statements else _NO_STATEMENTS if record.imported is not None else _OLD,
        threads=(threads := _thread_states(means)),
        threads_missing="" if threads else _missing_threads_words(record),
        counted=each_transaction(counters),
        has_whole_lock_times=record.family == "mariadb",
        levels=mean_levels(counters, LEVELS),
        processors=processors_used(means, pinned, is_client_here=record.is_client_here),
        pinned=pinned,
        is_client_here=record.is_client_here,
        bench=record.bench,
        network=_network_use(results, record, settled_table, transaction_count),
    )


def pinned_server(study: Study, cell: Cell) -> PinnedServer | None:
    """Return the processors that a cell's server may use; None where these are all, or dbdyno did not start it."""
    server, client = study.pinning.server, study.pinning.client
    if not server or study.target(cell.target).engine.source_kind == "server":
        return None
    if study.pinning.is_apart:
        return PinnedServer(len(server), "other")
    return PinnedServer(len(server), "same" if client and set(client) <= set(server) else "any")


def _network_use(
    results: StoredStudy, record: RunRecord, settled_table: Table, transaction_count: int
) -> NetworkUse | None:
    """Return what is stored of the network; runs of former versions did not ask the kernel for its round trip."""
    if record.imported is not None or not is_network_route(record.run.cell.route) or not transaction_count:
        return None
    path = results.optional_document(record.run.run_id, "start").get("network")
    if not path:
        return None
    route = results.study.shaped_route(record.run.cell.route)
    is_rate_of_replies = route is not None and route.rate_bits_per_s is not None  # requests have no such limit
    names = ("bytes_received",) if is_rate_of_replies else ("bytes_sent", "bytes_received")
    bytes_count = sum(float(np.nansum(settled_table.numbers(name))) for name in names)
    measured_path = results.optional_document(record.run.run_id, "telemetry").get("network") or {}
    rows = results.optional_document(record.run.run_id, "end").get("hosts") or []
    hosts = tuple((row["connections"], row["network"]["median_round_trip_ns"]) for row in rows if row.get("network"))
    return NetworkUse(
        path["median_round_trip_ns"],
        bytes_count / transaction_count,
        measured_path.get("reply_bits_per_s"),
        hosts if len(hosts) == len(rows) else (),
    )


def _thread_states(means: Mapping[str, float]) -> dict[str, float] | None:
    """Map each state to the session threads in it on average; None where they were not watched."""
    states = {name.removeprefix(_SESSIONS): value for name, value in means.items() if name.startswith(_SESSIONS)}
    return states if states.get("count") else None


def _telemetry_means(results: StoredStudy, record: RunRecord, seconds: NDArray[np.int64]) -> dict[str, float]:
    """Map each metric of session threads and processors to its mean over these seconds; a missing thread used none."""
    if record.imported is not None:
        return {}
    table = results.telemetry(record.run.run_id, ("second", "metric", "value"))
    metrics = table.texts("metric")
    wanted_metrics = {*itertools.chain.from_iterable(PROCESSOR_TIMES.values()), *IDLE_TIMES}
    names = [name for name in metrics.names if name in wanted_metrics or name.startswith((_SESSIONS, _BACKGROUND))]
    rows = metrics.among(names) & np.isin(table.numbers("second"), seconds)
    metric_rows = metrics.at(rows)
    sums = np.bincount(metric_rows.codes, weights=table.numbers("value")[rows], minlength=len(metrics.names))
    counts = np.bincount(metric_rows.codes, minlength=len(metrics.names))
    watched_count = counts[metrics.names.index(f"{_SESSIONS}count")] if f"{_SESSIONS}count" in names else 0
    means: dict[str, float] = {}
    for name in names:
        index = metrics.names.index(name)
        count = counts[index] if name in wanted_metrics else watched_count
        means |= {name: float(sums[index] / count)} if count else {}
    return means


def _missing_threads_words(record: RunRecord) -> str:
    caveats = [caveat.text for caveat in record.caveats if caveat.code == "session-threads"]
    return caveats[0] if caveats else "the server's threads were not sampled"


def _has_rests(results: StoredStudy, record: RunRecord) -> bool:
    """Return whether connections rest between transactions: open loop, think time, or TPC-C's keying and thinking."""
    pacing = results.study.pacing
    if record.imported is not None:
        return record.imported.rate_per_s is not None
    if not pacing.is_closed or pacing.think is not None:
        return True
    workload = results.optional_document(record.run.run_id, "start").get("workload") or {}
    return (workload.get("options") or {}).get("keyandthink") in ("yes", "on", "true")


def _client_cpu_ms(settled_table: Table, sums: StatementSums) -> float | None:
    each_ns, index = settled_table.numbers("client_cpu_ns_per_statement"), settled_table.numbers("second") - sums.first
    if not sums.counts or np.isnan(each_ns).any():
        return None
    counts = np.sum(list(sums.counts.values()), axis=0)
    is_counted = index < len(counts)
    return float(sum((each_ns[is_counted] * counts[index[is_counted]]).tolist())) / 1e6


def _client_wait_ms(results: StoredStudy, record: RunRecord, settled_table: Table) -> float | None:
    """Return the wait of a load generator with one worker; of several only the worst-off one's is stored."""
    shares = settled_table.numbers("client_cpu_wait_share")
    is_one = results.optional_document(record.run.run_id, "order").get("workers") == 1
    if np.isnan(shares).any() or not is_one:
        return None
    return float(sum((shares * settled_table.numbers("duration_ns") / 1e6).tolist()))
