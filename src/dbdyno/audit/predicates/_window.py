"""Tests the measured window, from the status of each second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import number
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, labelled, undecided
from dbdyno.audit.predicates._generic import on_some
from dbdyno.core import format_bytes, short_percent
from dbdyno.engines import CounterSource, counter_sources

_NO_SECONDS = "status of each second of the window"
_NO_PENDING_BYTES = "bytes of compaction that waited at the end of the window"
_SHORT = "a window of ten seconds or more"


def redo_saturated(question: Question) -> RuleVerdict:
    """Check that no target alone is at the wall of its redo log."""
    limits = question.rule.threshold

    def saturated(target: AuditTarget) -> tuple[bool, str] | None:
        ages, limit_bytes = series(target, "redo.checkpoint_age"), series(target, "redo.checkpoint_limit")
        waits = series(target, "redo.waits")
        if not (ages and limit_bytes) and not waits:
            return None
        seconds_over_limit = (
            sum(a > limits["age_share"] * m for a, m in zip(ages, limit_bytes, strict=True))
            if ages and limit_bytes
            else 0
        )
        share = seconds_over_limit / len(ages) if ages else 0.0
        wait_growth = waits[-1] - waits[0] if waits else 0
        return share > limits[
            "seconds_share"
        ] or wait_growth > 0, f"{short_percent(share)} of the seconds, {int(wait_growth)} waits"

    return _judge_targets(question, saturated)


def flush_debt(question: Question) -> RuleVerdict:
    """Check that no target alone puts page writes off beyond the window."""

    def indebted(target: AuditTarget) -> tuple[bool, str] | None:
        dirty, ages = series(target, "bytes.dirty"), series(target, "redo.checkpoint_age")
        limit_bytes, pool = series(target, "redo.checkpoint_limit"), number(effective(target, "memory.buffer_pool"))
        shares = []
        if dirty and pool > 0:
            shares.append((dirty[-1] - dirty[0]) / pool)
        if ages and limit_bytes and limit_bytes[-1] > 0:
            shares.append((ages[-1] - ages[0]) / limit_bytes[-1])
        if not shares:
            return None
        growth = max(*shares, 0.0)
        return growth > question.rule.threshold, f"debt grew by {short_percent(growth)} of its limit"

    return _judge_targets(question, indebted)


def warm_up(question: Question) -> RuleVerdict:
    """Check that no target alone is still warming up in the window."""

    def warming(target: AuditTarget) -> tuple[bool, str] | None:
        misses = series(target, "pool.misses")
        fifth = len(misses) // 5
        if fifth < 2:
            return None
        transactions = target.fact("run", "transactions_each_second") or [1.0] * len(misses)
        first_rate = (misses[fifth - 1] - misses[0]) / max(sum(transactions[1:fifth]), 1.0)
        last_rate = (misses[-1] - misses[-fifth]) / max(sum(transactions[len(misses) - fifth + 1 : len(misses)]), 1.0)
        change = abs(first_rate - last_rate) / max(first_rate, last_rate) if max(first_rate, last_rate) > 0 else 0.0
        return change > question.rule.threshold, f"misses changed by {short_percent(change)}"

    verdict = _judge_targets(question, warming)
    sampled = {target.name for target in question.targets if series(target, "pool.misses")}
    return replace(verdict, lacks={n: _SHORT if n in sampled else words for n, words in verdict.lacks.items()})


def compaction_debt(question: Question) -> RuleVerdict:
    """Check that no LSM target puts compaction off beyond the window."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        memtables = series(target, "lsm.memtable_bytes")
        pending = _counter_values(target, "rocksdb_estimate_pending_compaction_bytes")
        buffer = number(effective(target, "flush.write_buffer")) or 64 << 20
        if not memtables and not pending:
            lacks[target.name] = _NO_SECONDS
            continue
        debt = sum(values[-1] - values[0] for values in (memtables, pending) if values)
        if debt > question.rule.threshold * buffer:
            sizes = f"{format_bytes(int(debt))} of pending work, write buffer {format_bytes(int(buffer))}"
            words.append((target.name, sizes))
        elif not pending and _may_compaction_wait(target):
            lacks[target.name] = _NO_PENDING_BYTES
    return decide(labelled(words), lacks)


def _may_compaction_wait(target: AuditTarget) -> bool:
    """Return whether more compactions may wait at the end of the window than at its beginning: memtables do not say."""
    queue = series(target, "lsm.compaction_queue")
    return not queue or queue[-1] > queue[0]


def _judge_targets(question: Question, judge: Callable[[AuditTarget], tuple[bool, str] | None]) -> RuleVerdict:
    verdicts = {target.name: judge(target) for target in question.targets}
    lacks = {name: _NO_SECONDS for name, verdict in verdicts.items() if verdict is None}
    known_verdicts = {name: verdict for name, verdict in verdicts.items() if verdict is not None}
    if lacks and len(known_verdicts) < 2:
        return undecided(lacks)
    verdict = on_some(
        question, {n: v[0] for n, v in known_verdicts.items()}, {n: v[1] for n, v in known_verdicts.items()}
    )
    return decide(verdict.values, lacks) if lacks else verdict


def series(target: AuditTarget, counter_id: str) -> list[float]:
    """Return a counter over the seconds of the window; empty when a second lacks it."""
    if sampled := target.facts.counters_each_second.get(counter_id):
        return list(sampled)
    source = _counter_source(target, counter_id)
    if source is None:
        return []
    values = [source.value(row) for row in target.facts.status_each_second]
    return [value for value in values if value is not None] if None not in values else []


def _counter_source(target: AuditTarget, counter_id: str) -> CounterSource | None:
    if not target.family or not target.facts.status_each_second:
        return None
    sources = counter_sources(target.family, target.version, (target.storage_engine,))
    return next((source for source in sources if source.counter_id == counter_id), None)


def _counter_values(target: AuditTarget, name: str) -> list[float]:
    values = [row.get(name) for row in target.facts.status_each_second]
    return [] if None in values else [float(value) for value in values if value is not None]
