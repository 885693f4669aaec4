"""Tests what else a server does: checksums, caches, pools, logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import known, number, weakest
from dbdyno.audit._verdict import CLEAR, Question, RuleVerdict, decide, grouped, labelled, not_applicable
from dbdyno.audit.predicates._generic import all_equal, compare_inputs
from dbdyno.audit.predicates._schema import plan_changes

_POOL = "POOL-OF-THREADS"
_QUIET = ("", "NONE", "OFF", "FATAL", "ERROR", "WARN", "WARNING")


def checksums(question: Question) -> RuleVerdict:
    """Check that pages carry checksums of one class; a difference of format within it is reported as info."""
    by_class, by_algorithm = question.rule.inputs
    verdict = compare_inputs(question, (by_class,))
    if verdict.outcome == "finding":
        detail = compare_inputs(question, (by_algorithm,))
        return decide({**verdict.values, **detail.values}, verdict.lacks, verdict.certainty)
    readings = {target.name: effective(target, by_algorithm) for target in question.targets}
    formats = {str(r.value).startswith(("FULL", "STRICT_FULL")) for r in readings.values() if r.state == "known"}
    if len(formats) > 1:
        certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
        return decide({by_algorithm: grouped(readings.items())}, verdict.lacks, certainty, "info")
    return verdict


def compiled_out(question: Question) -> RuleVerdict:
    """Check that where the performance schema is off everywhere, it is built in everywhere or nowhere."""
    readings = {target.name: effective(target, question.rule.inputs[0]) for target in question.targets}
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    if any(reading.value == "ON" for reading in readings.values()):
        return CLEAR
    states = labelled((name, "not built in" if r.implied else "OFF") for name, r in readings.items())
    return decide(states if len(states) > 1 and not lacks else {}, lacks)


def query_cache(question: Question) -> RuleVerdict:
    """Check that the query cache is off; ON without memory is reported as low."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    certainties = []
    caching = False
    for target in question.targets:
        kind, size = (effective(target, name) for name in question.rule.inputs)
        if kind.state == "missing":
            lacks[target.name] = kind.lacks
        elif kind.state == "known" and kind.value != "OFF":
            words.append((target.name, f"type {kind.value}, size {size.value or 0}"))
            certainties.append(kind.certainty)
            caching |= number(size) > 0
    return decide(labelled(words), lacks, weakest(*certainties), None if caching else "low")


def thread_models(question: Question) -> RuleVerdict:
    """Check that connections become threads alike; the size of a pool counts among pools."""
    handling, size = question.rule.inputs
    verdict = compare_inputs(question, (handling,))
    if verdict.outcome != "clear":
        return verdict
    pools = all(effective(target, handling).value == _POOL for target in question.targets)
    return compare_inputs(question, (size,)) if pools else verdict


def admission_limits(question: Question) -> RuleVerdict:
    """Check that no target limits the threads inside InnoDB."""
    readings = {target.name: effective(target, question.rule.inputs[0]) for target in question.targets}
    limited = any(number(reading) > 0 for reading in readings.values())
    lacks = {name: reading.lacks for name, reading in readings.items() if reading.state == "missing"}
    certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
    return decide({question.rule.inputs[0]: grouped(readings.items())} if limited else {}, lacks, certainty)


def autoinc_modes(question: Question) -> RuleVerdict:
    """Check that inserts lock AUTO_INCREMENT alike."""
    if question.study.get("auto_increment") is False:
        return not_applicable("the workload inserts into no table with AUTO_INCREMENT")
    return all_equal(question)


def undo_truncation(question: Question) -> RuleVerdict:
    """Undo logs are truncated alike, and where they are, at one size."""
    truncate, size = question.rule.inputs
    verdict = compare_inputs(question, (truncate,))
    truncating = tuple(target for target in question.targets if effective(target, truncate).value == "ON")
    if len(truncating) < 2:
        return verdict
    truncating_question = Question(question.rule, truncating, question.everyone, question.study, question.text)
    sizes = compare_inputs(truncating_question, (size,))
    differences: dict[str, Any] = {**verdict.values, **sizes.values}
    return decide(differences, {**verdict.lacks, **sizes.lacks}, weakest(verdict.certainty, sizes.certainty))


def statistics(question: Question) -> RuleVerdict:
    """Check that the optimiser knows the same, and plans the same."""
    settings = tuple(name for name in question.rule.inputs if not name.startswith("schema:"))
    verdict = compare_inputs(question, settings)
    differences: Mapping[str, Any] = {**verdict.values, **plan_changes(question)}
    return decide(differences, verdict.lacks, verdict.certainty) if differences else verdict


def logging(question: Question) -> RuleVerdict:
    """Check that servers log alike; TidesDB above its quiet level counts as logging."""
    verdict = all_equal(question)
    logging_flags = {
        target.name: target.storage_engine == "tidesdb"
        and (target.variable("tidesdb_log_level") or "").upper() not in _QUIET
        for target in question.targets
    }
    if not any(logging_flags.values()) or all(logging_flags.values()):
        return verdict
    levels = grouped((name, known("ON" if is_logging else "OFF")) for name, is_logging in logging_flags.items())
    return decide({**verdict.values, "tidesdb_log_level": levels}, verdict.lacks, verdict.certainty)
