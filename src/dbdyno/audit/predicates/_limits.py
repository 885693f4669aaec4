"""Tests caches of handles and limits of the process."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import SourcedValue, known, number
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, grouped, labelled, undecided
from dbdyno.audit.predicates._generic import fact_missing, ratios
from dbdyno.audit.predicates._window import series
from dbdyno.core import format_bytes

_NO_PROCESS_LIMITS = "limits of the servers' processes (host:proc_limits)"


def table_cache(question: Question) -> RuleVerdict:
    """Check that servers may keep about the same number of open tables, and none runs out in the window."""
    verdict = ratios(question, dict.fromkeys(question.rule.inputs, question.rule.threshold["ratio"]))
    growing = [
        (target.name, f"{rate:.1f} a second")
        for target in question.targets
        if (rate := _tables_opened_per_second(target)) > question.rule.threshold["growth_per_second"]
    ]
    if growing:
        return decide({**verdict.values, "table_cache": labelled(growing)}, verdict.lacks, verdict.certainty)
    return decide(verdict.values, verdict.lacks, verdict.certainty, "low") if verdict.values else verdict


def _tables_opened_per_second(target: AuditTarget) -> float:
    """Return tables opened a second: in the window's seconds where they are known, else between two dumps.

    Each connection opens its tables once; where a load begins between the dumps, that counts too.
    """
    names = ("table_cache.opened_tables", "table_cache.overflows")
    sampled = [values for name in names if (values := series(target, name))]
    if sampled:
        return max((values[-1] - values[0]) / max(len(values) - 1, 1) for values in sampled)
    start, end = target.facts.status, target.facts.status_end
    if start is None or end is None:
        return 0.0
    seconds = _status_count(end, "uptime") - _status_count(start, "uptime")
    names = ("opened_tables", "table_open_cache_overflows")
    return (
        max(_status_count(end, name) - _status_count(start, name) for name in names) / seconds if seconds > 0 else 0.0
    )


def _status_count(status: Mapping[str, str], name: str) -> float:
    return float(parse_number(status.get(name, "0")) or 0)


def cache_instances(question: Question) -> RuleVerdict:
    """Check that as many partitions of the table cache are in effect as were asked for, and not one next to several."""
    readings = {t.name: effective(t, "server.table_open_cache_instances") for t in question.targets}
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    lowered_groups = labelled(
        (t.name, words) for t in question.targets if (words := _lowered_limit_words(t, readings[t.name]))
    )
    groups = grouped(readings.items())
    if "1" not in groups or len(groups) < 2:
        groups = {}
    named = {name for names in lowered_groups.values() for name in names}
    other_groups = {
        count: other_names
        for count, names in groups.items()
        if (other_names := tuple(n for n in names if n not in named))
    }
    asked_only = any(reading.certainty == "asked" for reading in readings.values())
    return decide(lowered_groups | other_groups, lacks, "asked" if asked_only else "read")


def _lowered_limit_words(target: AuditTarget, reading: SourcedValue) -> str:
    requested = parse_number(target.asked("table_open_cache_instances") or "")
    if requested is None or reading.state != "known" or reading.certainty == "asked" or number(reading) >= requested:
        return ""
    active = target.status("table_open_cache_active_instances")
    return f"asked {requested}, effective {reading.value}" + (f", active {active}" if active is not None else "")


def limits(question: Question) -> RuleVerdict:
    """Check that limits hold what the largest step needs."""
    if undecided_verdict := fact_missing(question, "max_threads"):
        return undecided_verdict
    words = [(t.name, shortage) for t in question.targets for shortage in _limit_shortages(t, question)]
    lacks = {
        target.name: reading.lacks
        for target in question.targets
        for name in question.rule.inputs[:2]
        if (reading := effective(target, name)).state == "missing"
    }
    return decide(labelled(words), lacks)


def _limit_shortages(target: AuditTarget, question: Question) -> list[str]:
    thresholds = question.rule.threshold
    threads = int(question.study["max_threads"])
    statements = int(question.study.get("prepared_statements") or thresholds["statements_each"])
    files = int(target.fact("schema", "files") or 0)
    requirements = {
        "server.max_connections": threads + thresholds["connections_spare"],
        "server.max_prepared_stmts": threads * statements,
        "server.open_files_limit": threads + files + thresholds["files_spare"],
    }
    shortages = [
        f"{name} {reading.value}, needs {required}"
        for name, required in requirements.items()
        if (reading := effective(target, name)).state == "known" and 0 < number(reading) < required
    ]
    aio_max, aio_used = target.fact("host", "aio_max_nr"), target.fact("host", "aio_nr")
    if aio_max is not None and aio_used is not None:
        io_threads = sum(number(effective(target, name)) for name in ("io.read_threads", "io.write_threads"))
        required = int(thresholds["aio_each"] * io_threads * int(target.fact("host", "servers") or 1))
        if int(aio_max) - int(aio_used) < required:
            shortages.append(f"fs.aio-max-nr leaves {int(aio_max) - int(aio_used)}, needs {required}")
    return shortages


def process_limits(question: Question) -> RuleVerdict:
    """Check that servers run under the same limits; a limit that nobody read is no other one."""
    differences = {}
    lacks = {t.name: _NO_PROCESS_LIMITS for t in question.targets if t.fact("host", "proc_limits") is None}
    for group in ("proc_limits", "cgroup"):
        facts = {t.name: fact for t in question.targets if (fact := t.fact("host", group)) is not None}
        for name in sorted({name for limits in facts.values() for name in limits}):
            if "core" in str(name).lower():  # the size of a core file is no limit of a run
                continue
            values = grouped((target, known(str(limits.get(name, "")))) for target, limits in facts.items())
            if len(values) > 1:
                differences[f"host:{group} {name}"] = values
    if differences or not lacks:
        return decide(differences, lacks)
    files = grouped((target.name, effective(target, "server.open_files_limit")) for target in question.targets)
    if len(files) > 1:
        return decide({"server.open_files_limit": files}, {}, "inferred")
    return undecided(lacks)


def binlog_growth(question: Question) -> RuleVerdict:
    """Check that the binary log fits the disk until it is purged."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        rate = target.fact("run", "binlog_bytes_per_second")
        seconds = target.fact("run", "seconds_until_purge")
        free_bytes = target.fact("host", "free_bytes")
        if rate is None or seconds is None or free_bytes is None:
            lacks[target.name] = "rate of the binary log, time to the next purge, free bytes (run, host)"
        elif rate * seconds > question.rule.threshold * free_bytes:
            sizes = f"{format_bytes(int(rate * seconds))} of binary log, {format_bytes(int(free_bytes))} free"
            words.append((target.name, sizes))
    return decide(labelled(words), lacks)
