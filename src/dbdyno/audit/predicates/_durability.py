"""Tests the binary log and TidesDB's two sync modes."""

from __future__ import annotations

from dbdyno.audit._normalise import switch
from dbdyno.audit._reading import number
from dbdyno.audit._rules import Severity
from dbdyno.audit._verdict import CLEAR, Question, RuleVerdict, decide, labelled
from dbdyno.audit.predicates._generic import all_equal
from dbdyno.audit.quantities import derived

_ROW_METADATA = "variables:binlog_row_metadata"


def binlog_content(question: Question) -> RuleVerdict:
    """Check that events of the binary log hold the same; metadata alone is a few bytes."""
    verdict = all_equal(question)
    if verdict.outcome != "finding":
        return verdict
    severity: Severity | None = "low" if set(verdict.values) == {_ROW_METADATA} else None
    return decide(verdict.values, verdict.lacks, verdict.certainty, severity, not_offered=verdict.not_offered)


def group_commit_delay(question: Question) -> RuleVerdict:
    """Check that nobody delays commits, or all do alike."""
    delays = [derived(target, "group_commit_delay_us") for target in question.targets]
    unknown = any(delay.state == "missing" for delay in delays)
    if not unknown and not any(number(delay) > 0 for delay in delays):
        return CLEAR
    return all_equal(question)


def binlog_storage(question: Question) -> RuleVerdict:
    """Check that the binary log is kept in files everywhere, or in a storage engine everywhere."""
    verdict = all_equal(question)
    groups = verdict.values.get(question.rule.inputs[0], {})
    is_difference = verdict.outcome == "finding" and "" in groups
    return verdict if is_difference or verdict.outcome != "finding" else CLEAR


def tidesdb_sync_knob(question: Question) -> RuleVerdict:
    """Check that TidesDB's sync mode is set where it acts."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        if switch(target.variable("tidesdb_unified_memtable") or "ON") != "ON":
            continue
        acting_name, ignored_name = "tidesdb_unified_memtable_sync_mode", "tidesdb_default_sync_mode"
        if target.asked(ignored_name) is not None and target.asked(acting_name) is None:
            words.append((target.name, f"{ignored_name}={target.asked(ignored_name)}, {acting_name} not set"))
        elif (target.variable(ignored_name) or "").upper() != (target.variable(acting_name) or "").upper():
            words.append(
                (
                    target.name,
                    f"{ignored_name}={target.variable(ignored_name)}, {acting_name}={target.variable(acting_name)}",
                )
            )
        elif target.facts.variables is None and target.facts.option_file is None:
            lacks[target.name] = "variables or option file"
    return decide(labelled(words), lacks)
