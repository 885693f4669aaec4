"""Tests the tables: collations, definitions, size, compression."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, weakest
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, grouped, labelled, undecided
from dbdyno.audit.predicates._generic import exceeds, spoken_differences
from dbdyno.audit.quantities import derived
from dbdyno.engines import fold_charsets

_COLLATE_RE = re.compile(r"\bCOLLATE\s*=?\s*(\w+)", re.IGNORECASE)
_CHARSET_RE = re.compile(r"\b(?:CHARSET|CHARACTER SET)\s*=?\s*(\w+)", re.IGNORECASE)


def table_collations(question: Question) -> RuleVerdict:
    """Check that string columns have one collation on all targets."""
    return spoken_differences({target.name: collation(target) for target in question.targets})


def table_charsets(question: Question) -> RuleVerdict:
    """Check that string columns have one character set on all targets."""
    return spoken_differences({target.name: _charset(target) for target in question.targets})


def collation(target: AuditTarget) -> SourcedValue:
    """Return the collation of the string columns, in upper case; several are listed."""
    return _read_column_property(target, 3, _COLLATE_RE, "charset.collation")


def _charset(target: AuditTarget) -> SourcedValue:
    return _read_column_property(target, 2, _CHARSET_RE, "charset.server")


def _read_column_property(
    target: AuditTarget, position: int, ddl_words: re.Pattern[str], stand_in: str
) -> SourcedValue:
    columns = target.fact("schema", "columns")
    if columns:
        return known("+".join(sorted({_folded(column[position]) for column in columns if column[position]})))
    named = {_folded(word) for text in target.definitions.values() for word in ddl_words.findall(text)}
    if named:
        return known("+".join(sorted(named)))
    reading = effective(target, stand_in)
    return known(reading.value, weakest("inferred", reading.certainty)) if reading.state == "known" else reading


def _folded(word: object) -> str:
    return fold_charsets(str(word)).upper()


def collation_conversions(question: Question) -> RuleVerdict:
    """Check that connections need no conversion to the columns' collation, or all do."""
    words: dict[str, str] = {}
    flags: dict[str, bool] = {}
    lacks: dict[str, str] = {}
    inferred = False
    for target in question.targets:
        session_collation = target.fact("session", "collation_connection")
        connection = session_collation or target.variable("collation_connection")
        columns = collation(target)
        if not connection or columns.state != "known":
            lacks[target.name] = columns.lacks or "collation of the load's connections"
            continue
        inferred |= session_collation is None or columns.certainty != "read"
        flags[target.name] = _folded(connection) not in str(columns.value).split("+")
        words[target.name] = f"{_folded(connection).lower()} on {str(columns.value).lower()}"
    if any(flags.values()) and not all(flags.values()):
        return decide(labelled(words.items()), lacks, "inferred" if inferred else "read")
    return decide({}, lacks)


def data_volumes(question: Question) -> RuleVerdict:
    """Check that the same rows take about the same bytes."""
    facts = {t.name: (t.fact("schema", "data_bytes"), t.fact("schema", "row_count")) for t in question.targets}
    lacks = {name: "bytes on disk and rows of the test schema" for name, pair in facts.items() if None in pair}
    known_volumes = {name: pair for name, pair in facts.items() if None not in pair}
    same_rows = len({rows for _, rows in known_volumes.values()}) == 1
    different = same_rows and exceeds([float(size) for size, _ in known_volumes.values()], question.rule.threshold)
    return decide(
        grouped((name, known(int(size))) for name, (size, _) in known_volumes.items()) if different else {}, lacks
    )


def table_compression(question: Question) -> RuleVerdict:
    """Check that tables are compressed alike."""
    readings = {target.name: derived(target, "table_compression") for target in question.targets}
    groups = grouped(readings.items())
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
    if len(groups) > 1:
        return decide(groups, lacks, certainty)
    lacks |= {target.name: "DDL of the test tables" for target in question.targets if not target.definitions}
    return undecided(lacks) if lacks else decide({}, {})


def plan_changes(question: Question) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Find statements whose plan differs between targets of one vendor, or within one target's window."""
    changes: dict[str, Mapping[str, tuple[str, ...]]] = {}
    plans = {t.name: (t.family, t.fact("schema", "plan_fingerprints") or {}) for t in question.targets}
    for name, (family, statements) in plans.items():
        for statement, plan in statements.items():
            if isinstance(plan, list) and len(set(plan)) > 1:
                changes[f"{statement} within the window"] = {" then ".join(plan): (name,)}
            rivals = [(n, str(s[statement])) for n, (f, s) in plans.items() if f == family and statement in s]
            if len(groups := labelled(rivals)) > 1:
                changes[statement] = groups
    return changes
