"""Tests what the servers' answers guarantee: conflicts, aborts, SQL modes."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, missing
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, grouped, labelled
from dbdyno.audit.predicates._generic import on_some, spoken_differences
from dbdyno.core import short_percent
from dbdyno.engines import conflicts_of

# Flags that one vendor dropped; others still print them, without an effect on what is checked.
_DROPPED_FLAGS = frozenset(
    {
        "NO_AUTO_CREATE_USER", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS", "DB2", "MAXDB", "MSSQL",
        "MYSQL323", "MYSQL40", "ORACLE", "POSTGRESQL",
    }
)  # fmt: skip
# Changed row, lock wait timeout, deadlock; most engines report their own write conflicts as one of these.
_CONFLICTS = ("1020", "1205", "1213", "conflicts")


def snapshot_defects(question: Question) -> RuleVerdict:
    """Check that no release with open defects of snapshot isolation has it on."""
    fixed = {*question.rule.threshold, *question.text.get("fixed_releases", ())}
    readings = {t.name: effective(t, question.rule.inputs[0]) for t in question.targets if t.version not in fixed}
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    affected = {name: reading for name, reading in readings.items() if reading.value == "ON"}
    is_from_option_file = any(reading.certainty == "asked" for reading in affected.values())
    return decide(grouped(affected.items()), lacks, "asked" if is_from_option_file else "read")


def aborted_work(question: Question) -> RuleVerdict:
    """Check that aborted transactions are few, or the same matter on all targets and counted."""
    shares: dict[str, float] = {}
    lacks: dict[str, str] = {}
    dropped_errors: list[tuple[str, str]] = []
    for target in question.targets:
        errors, transactions = target.fact("run", "errors"), target.fact("run", "transactions")
        if errors is None or not transactions:
            lacks[target.name] = "errors by code and transactions of the window (run:errors, run:transactions)"
            continue
        codes = {*_CONFLICTS, *(str(error.code) for error in conflicts_of(target.storage_engine))}
        share = sum(float(errors.get(code, 0)) for code in codes) / float(transactions)
        shares[target.name] = share
        if share > question.rule.threshold and target.fact("run", "drops_errors"):
            dropped_errors.append((target.name, f"{short_percent(share)} of the transactions, dropped by the driver"))
    if dropped_errors:
        return decide(labelled(dropped_errors), lacks)
    flags = {name: share > question.rule.threshold for name, share in shares.items()}
    words = {name: f"{short_percent(share)} of the transactions" for name, share in shares.items()}
    verdict = on_some(question, flags, words)
    return decide(verdict.values, lacks) if lacks else verdict


def sql_modes(question: Question) -> RuleVerdict:
    """Check that sessions check alike."""
    return spoken_differences({target.name: _sql_mode_flags(target) for target in question.targets})


def _sql_mode_flags(target: AuditTarget) -> SourcedValue:
    session_mode = target.fact("session", "sql_mode")
    text = session_mode if session_mode is not None else target.variable("sql_mode")
    if text is None and target.asked("sql_mode") is not None:
        text = target.asked("sql_mode")
    if text is None:
        return missing("sql_mode of the load's sessions")
    flags = {flag.strip().upper() for flag in str(text).split(",")} - _DROPPED_FLAGS - {""}
    return known(",".join(sorted(flags)), "read" if session_mode is not None else "inferred")
