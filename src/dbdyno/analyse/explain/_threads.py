"""Splits the time of a run by what the server's session threads did: on a processor, waiting for one, or blocked.

Each connection is served by one thread, so its time is the thread's time, client included. Processor time and run queue
are exact, as the kernel counts them. What remains of the time is blocked; samples show on what, in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.analyse.explain._part import REST, Breakdown, Part, PartKind, rest_of
from dbdyno.analyse.explain._statements import RunTimes, whole_time_ms

_SAMPLED = "samples of the server's session threads in `telemetry.parquet`"
_COUNTED = "the kernel's account of the server's session threads in `telemetry.parquet`"
ON_CPU, RUN_QUEUE, CLIENT, NOT_NAMED = "thread.on_cpu", "thread.run_queue", "thread.client", "thread.not_named"
ROW_LOCK = "thread.row_lock"
_ROWS = tuple(
    f"engine.handler.{name}" for name in ("read_key", "read_next", "read_rnd_next", "write", "update", "delete")
)
LOG_FLUSHES = "log.flushes"
_REDO_FLUSHES, _WAL_FLUSHES = "engine.redo.fsyncs", "engine.lsm.wal_syncs"
_AT_LEAST_REDO_FLUSHES = ("engine.redo.writes", "engine.io.fsyncs")
_ACCOUNT = ("count", "on_cpu", "run_queue")
STOLEN = "stolen"
_ROW_LOCK_WAITS, _ROW_LOCK_TIME = "engine.rowlock.waits", "engine.rowlock.time"
_NO_ACCOUNT = "the kernel's account of the server's session threads is not stored"
MOST_NOT_NAMED = 0.1
"""Share of the time; beyond it an explanation is called partial."""
_MOST_APART = 0.1
_MOST_APART_OF_LOCKS = 0.15
"""Share of the row lock waits that the server counts."""
_LEAST_LOCKS = 0.1
"""Share of the time from which on row locks are compared; of fewer there are too few samples."""
_LEAST_APART = 0.03
"""Share of the time by which samples and counter may differ in any case, since samples are few."""

THREAD_PARTS: Mapping[str, PartKind] = MappingProxyType(
    {
        ON_CPU: PartKind("processor", "Session threads on a processor.", _COUNTED, "rows", _ROWS),
        RUN_QUEUE: PartKind(
            "wait for a processor",
            "Session threads that could run while other threads had the processors: other sessions, the server's "
            "background threads, the load generator, other programs, the hypervisor.",
            _COUNTED,
        ),
        CLIENT: PartKind(
            "client and wire",
            "Session threads that waited for the next command: time on the wire and in the client.",
            _SAMPLED,
        ),
        "thread.data_read": PartKind(
            "data reads", "Reads of tables, indexes and undo.", _SAMPLED, "pages", ("engine.pages.read",)
        ),
        "thread.data_flush": PartKind(
            "data flushes", "Writes and flushes of tables, indexes, undo and the doublewrite buffer.", _SAMPLED
        ),
        "thread.redo_flush": PartKind(
            "redo flush",
            "Writes and flushes of the redo log (write-ahead log), and waits for those of others.",
            _SAMPLED,
            "flushes",
            (LOG_FLUSHES,),
        ),
        "thread.binlog_flush": PartKind("binary log flush", "Writes and flushes of the binary log.", _SAMPLED),
        "thread.other_file": PartKind(
            "other files", "Reads and writes of other files: sort files, temporary tables, logs of text.", _SAMPLED
        ),
        ROW_LOCK: PartKind(
            "row locks", "Waits for row locks of other transactions.", _SAMPLED, "waits", (_ROW_LOCK_WAITS,)
        ),
        "thread.latch": PartKind("latches", "Waits for mutexes and read-write locks in the server's memory.", _SAMPLED),
        "thread.metadata_lock": PartKind(
            "metadata locks",
            "Waits for metadata locks and table locks, also for FLUSH TABLES WITH READ LOCK of others.",
            _SAMPLED,
        ),
        "thread.user_lock": PartKind(
            "user locks",
            "Waits in GET_LOCK(), and in a FLUSH TABLES WITH READ LOCK of the session itself.",
            _SAMPLED,
        ),
        "thread.commit_order": PartKind("commit order", "Waits for their turn in the group commit.", _SAMPLED),
        "thread.redo_space": PartKind(
            "room in the redo log", "Waits for a checkpoint, because the redo log is full.", _SAMPLED
        ),
        "thread.free_page": PartKind("free pages", "Waits for a free page of the buffer pool.", _SAMPLED),
        "thread.write_stall": PartKind(
            "write stalls", "Waits of an LSM engine for its flushes and compactions.", _SAMPLED
        ),
        "thread.admission": PartKind(
            "admission", "Waits for admission to the storage engine, such as innodb_thread_concurrency.", _SAMPLED
        ),
        "thread.sleep": PartKind("SLEEP()", "Sleeps that a statement asked for.", _SAMPLED),
        "thread.delay": PartKind(
            "delays",
            "Sleeps of the server itself, such as the delay of changes while purge lags (innodb_max_purge_lag).",
            _SAMPLED,
        ),
        "thread.network_send": PartKind("sending", "Waits for room in the socket to the client.", _SAMPLED),
        "thread.page_fault": PartKind("page faults", "Memory that was swapped out or not yet mapped.", _SAMPLED),
        "thread.stopped": PartKind(
            "stopped server",
            "The server's process was stopped, by a signal, a debugger or `throttled_share`.",
            _SAMPLED,
        ),
        NOT_NAMED: PartKind("not named", "Waits without a known function on the stack.", _SAMPLED),
    }
)
"""The parts of the split by the server's threads, by their ids."""


INNODB_COUNTERS = ("engine.pages.", "engine.redo.", "engine.io.", "engine.rowlock.")
"""Begin counters of InnoDB: where the tables are in an LSM tree they stay near 0, regardless of reads and flushes."""


def with_log_flushes(counted: Mapping[str, float]) -> Mapping[str, float]:
    """Return counters with flushes of the log that makes commits durable: of an LSM tree, else InnoDB's redo log.

    MariaDB counts those of InnoDB no more since 10.11. Each follows a write of the log, and is one of InnoDB's flushes,
    most of which may be of data files. So there are no more than the fewer of these two, and about as many: of the
    writes if each commit is flushed, else of the flushes.

    >>> with_log_flushes({"engine.redo.writes": 0.4, "engine.io.fsyncs": 3.0})["log.flushes"]
    0.4
    >>> with_log_flushes({"engine.lsm.wal_syncs": 0.5, "engine.redo.writes": 0.01})["log.flushes"]
    0.5
    """
    if _has_lsm_tree(counted):
        names: tuple[str, ...] = (_WAL_FLUSHES,)
    else:
        names = (_REDO_FLUSHES,) if _REDO_FLUSHES in counted else _AT_LEAST_REDO_FLUSHES
    bounds = [counted[name] for name in names if name in counted]
    return {**counted, LOG_FLUSHES: min(bounds)} if bounds else counted


def split_by_threads(run: RunTimes) -> Breakdown | None:
    """Return the breakdown of a run; None where nothing was committed. Without the kernel's account it has no parts.

    Where connections also rest, or a user has several sessions and one of them at work (LinkBench), the rest is within
    the wait for the client: that part is what all others leave of T.
    """
    total_ms = whole_time_ms(run)
    if total_ms is None:
        return None
    states, counted = _with_stolen_time(run.threads or {}, run.processors), with_log_flushes(run.counted)
    has_account = all(name in states for name in _ACCOUNT)
    parts = _parts(states, 1e3 * run.seconds / run.transactions, counted) if has_account else ()
    if parts and (run.rests or _has_idle_sessions(states, run.run.cell.concurrency)):
        other_parts = tuple(part for part in parts if part.part_id != CLIENT)
        left_ms = max(total_ms - sum(part.ms for part in other_parts), 0.0)
        parts = (*other_parts, _part(CLIENT, left_ms, counted))
    if parts:
        parts = (*parts, rest_of(total_ms, parts))
    if states:
        failed_checks = _failed_checks_words(run, states, parts, total_ms) if has_account else _NO_ACCOUNT
        missing_reason = "; ".join(filter(None, (failed_checks, run.threads_missing)))
    else:
        missing_reason = run.threads_missing
    served_ms = None if run.transaction_sum_ms is None else run.transaction_sum_ms / run.transactions
    return Breakdown(
        run.run,
        "threads",
        total_ms,
        parts,
        run.transactions,
        served_ms,
        run.noise_share,
        missing_reason,
        _unsampled_work(counted, parts),
        run.bench,
    )


def _with_stolen_time(states: Mapping[str, float], processors: Mapping[str, float]) -> Mapping[str, float]:
    """Return the states with what the hypervisor took from session threads as time on the run queue.

    The thread had a processor and could run, but another machine ran. The kernel of a virtual machine counts such time
    neither as time on the processor nor as time on the run queue.
    """
    if not all(name in states for name in _ACCOUNT):
        return states
    blocked_threads = max(states["count"] - states["on_cpu"] - states["run_queue"], 0.0)
    return {**states, "run_queue": states["run_queue"] + min(processors.get(STOLEN, 0.0), blocked_threads)}


def _has_idle_sessions(states: Mapping[str, float], users: int) -> bool:
    """Return whether there is a session more than users, on average of the seconds."""
    return states["count"] > users + 0.5


def _parts(states: Mapping[str, float], ms: float, counters: Mapping[str, float]) -> tuple[Part, ...]:
    """Return parts in milliseconds per transaction.

    Parameters
    ----------
    states : state -> threads in it on average; ``count`` are all
    ms : of one thread per transaction
    """
    waits = {
        state.removeprefix("wait."): value for state, value in states.items() if state.startswith("wait.") and value
    }
    blocked_threads = max(states["count"] - states["on_cpu"] - states["run_queue"], 0.0)
    sampled_threads = sum(waits.values())
    exact_ms = {ON_CPU: states["on_cpu"] * ms, RUN_QUEUE: states["run_queue"] * ms}
    parts = [_part(name, value, counters) for name, value in exact_ms.items()]
    if sampled_threads:
        parts += [
            _part(f"thread.{name}", value / sampled_threads * blocked_threads * ms, counters)
            for name, value in waits.items()
        ]
    return tuple(parts)


def _unsampled_work(counted: Mapping[str, float], parts: tuple[Part, ...]) -> dict[str, float]:
    """Return the work that the server counted of waits that no sample found; none where nothing was sampled."""
    found_ids = {part.part_id for part in parts}
    if not found_ids - {ON_CPU, RUN_QUEUE, REST}:
        return {}
    return {
        name: work
        for name in THREAD_PARTS
        if name not in found_ids and (work := _part(name, 0.0, counted).work) is not None
    }


def _part(part_id: str, ms: float, counters: Mapping[str, float]) -> Part:
    kind = THREAD_PARTS.get(part_id, THREAD_PARTS[NOT_NAMED])
    has_work = bool(kind.counters) and all(_is_known(name, counters) for name in kind.counters)
    work = sum(counters[name] for name in kind.counters) if has_work else None
    return Part(part_id, kind.words, ms, kind.source, work, kind.unit if has_work else "")


def _is_known(name: str, counters: Mapping[str, float]) -> bool:
    return name in counters and not (name.startswith(INNODB_COUNTERS) and _has_lsm_tree(counters))


def _has_lsm_tree(counters: Mapping[str, float]) -> bool:
    return any(counter.startswith("engine.lsm.") for counter in counters)


def _failed_checks_words(run: RunTimes, states: Mapping[str, float], parts: tuple[Part, ...], total_ms: float) -> str:
    """Return closing checks that do not hold."""
    part_ms = {part.part_id: part.ms for part in parts}
    checks = (
        _unnamed_words(part_ms, total_ms),
        _running_words(states),
        _row_lock_words(run, part_ms.get(ROW_LOCK, 0.0), total_ms) if parts else "",
    )
    return "; ".join(filter(None, checks))


def _unnamed_words(part_ms: Mapping[str, float], total_ms: float) -> str:
    unnamed_ms = part_ms.get(NOT_NAMED, 0.0)
    if unnamed_ms <= MOST_NOT_NAMED * total_ms:
        return ""
    return f"partial, {100 * unnamed_ms / total_ms:.0f} % of the time has no name"


def _running_words(states: Mapping[str, float]) -> str:
    kernel_running = states["on_cpu"] + states["run_queue"]
    sampled_running = states.get("running", kernel_running)
    if abs(sampled_running - kernel_running) <= _MOST_APART * states["count"]:
        return ""
    sampled_percent, kernel_percent = (100 * threads / states["count"] for threads in (sampled_running, kernel_running))
    return f"samples find {sampled_percent:.0f} % of the threads running, the kernel counts {kernel_percent:.0f} %"


def _row_lock_words(run: RunTimes, sampled_ms: float, total_ms: float) -> str:
    """Compare row locks with the server's own counter, where they are a tenth of the time by either.

    MariaDB's counter lacks up to a millisecond of each wait.
    """
    if not all(_is_known(name, run.counted) for name in (_ROW_LOCK_TIME, _ROW_LOCK_WAITS)):
        return ""
    low_ms = run.counted[_ROW_LOCK_TIME]
    high_ms = low_ms + (run.counted[_ROW_LOCK_WAITS] if run.has_whole_lock_times else 0.0)
    counted_ms = min(max(sampled_ms, low_ms), high_ms)
    most_apart_ms = max(_MOST_APART_OF_LOCKS * counted_ms, _LEAST_APART * total_ms)
    if max(sampled_ms, low_ms) < _LEAST_LOCKS * total_ms or abs(sampled_ms - counted_ms) <= most_apart_ms:
        return ""
    return f"samples find {sampled_ms:.2f} ms of waits for row locks, the server counts {counted_ms:.2f}"
