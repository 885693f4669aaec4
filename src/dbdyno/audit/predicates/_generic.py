"""Tests what many rules ask: one value for all, a ratio within bounds, facts of the load's sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbdyno.audit._effective import effective, variable
from dbdyno.audit._normalise import switch
from dbdyno.audit._reading import Certainty, SourcedValue, known, missing, number, weakest
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Groups, Question, RuleVerdict, decide, grouped, labelled, not_applicable, undecided
from dbdyno.audit.quantities import derived


def read_input(target: AuditTarget, name: str) -> SourcedValue:
    """Read one input of a rule: a neutral parameter, ``derived:``, ``variables:``, or a fact with one plain value."""
    group, colon, input_name = name.partition(":")
    if not colon:
        return effective(target, name)
    if group == "derived":
        return derived(target, input_name)
    if group == "variables":
        return variable(target, input_name)
    if group == "status":
        text = target.status(input_name)
        return missing(f"status {input_name}") if text is None else known(switch(text), "inferred")
    value = target.fact(group, input_name)
    return missing(name) if value is None else known(_plain_value(value))


def _plain_value(value: Any) -> str | int | float:  # noqa: ANN401 - facts are foreign data
    if isinstance(value, bool):
        return "ON" if value else "OFF"
    return value if isinstance(value, int | float) else str(value)


def compare_inputs(question: Question, inputs: tuple[str, ...]) -> RuleVerdict:
    """Check that all targets have one value of each input; inputs are compared one by one."""
    differences: dict[str, Groups] = {}
    lacks: dict[str, str] = {}
    not_offered: dict[str, tuple[str, ...]] = {}
    certainties: list[Certainty] = []
    comparable = False
    for name in inputs:
        readings = {target.name: read_input(target, name) for target in question.targets}
        groups = grouped(readings.items())
        lacks |= {target: reading.lacks for target, reading in readings.items() if reading.state == "missing"}
        without_input = tuple(sorted(t for t, reading in readings.items() if reading.state == "not offered"))
        if without_input:
            not_offered[name] = without_input
        comparable |= sum(len(targets) for targets in groups.values()) > 1
        if len(groups) > 1:
            differences[name] = groups
            certainties += [reading.certainty for reading in readings.values() if reading.state == "known"]
    if not differences and not lacks and not comparable:
        return not_applicable("fewer than two targets have it")
    return decide(differences, lacks, weakest(*certainties), not_offered=not_offered)


def all_equal(question: Question) -> RuleVerdict:
    """Check that each input of the rule has one value on all targets."""
    return compare_inputs(question, question.rule.inputs)


def ratio_within(question: Question) -> RuleVerdict:
    """Check that largest through smallest value of the inputs stays within the threshold."""
    return ratios(question, dict.fromkeys(question.rule.inputs, question.rule.threshold))


def any_ratio_within(question: Question) -> RuleVerdict:
    """Check as `ratio_within`, with a threshold for each input."""
    return ratios(question, question.rule.threshold)


def ratios(question: Question, thresholds: Mapping[str, float]) -> RuleVerdict:
    """Return inputs whose largest through smallest value exceeds its threshold; zero and less are left out."""
    differences: dict[str, Groups] = {}
    lacks: dict[str, str] = {}
    certainties: list[Certainty] = []
    comparable = False
    for name, threshold in thresholds.items():
        readings = {target.name: read_input(target, name) for target in question.targets}
        lacks |= {target: reading.lacks for target, reading in readings.items() if reading.state == "missing"}
        positive = {t: reading for t, reading in readings.items() if reading.state == "known" and number(reading) > 0}
        comparable |= len(positive) > 1
        if exceeds([number(reading) for reading in positive.values()], threshold):
            differences[name] = grouped(positive.items())
            certainties += [reading.certainty for reading in positive.values()]
    if not differences and not lacks and not comparable:
        return not_applicable("fewer than two targets have it")
    return decide(differences, lacks, weakest("derived", *certainties))


def exceeds(values: list[float], ratio: float) -> bool:
    """Return whether the largest of positive values is more than `ratio` times the smallest.

    >>> exceeds([2.0, 4.0], 2.0), exceeds([2.0, 4.1], 2.0), exceeds([], 1.0)
    (False, True, False)
    """
    return len(values) > 1 and max(values) / min(values) > ratio


def equal_where_known(question: Question) -> RuleVerdict:
    """Check as `all_equal`; facts of the host that nobody collected are no missing evidence."""
    known_inputs = [
        name
        for name in question.rule.inputs
        if not name.startswith("host:") or any(read_input(t, name).state == "known" for t in question.targets)
    ]
    return compare_inputs(question, tuple(known_inputs))


def switched(question: Question) -> RuleVerdict:
    """Check that no target has the value of the threshold."""
    return flag(question, lambda reading: reading.value == question.rule.threshold)


def flag(question: Question, fires: Any, name: str = "") -> RuleVerdict:  # noqa: ANN401 - a predicate of readings
    """Return targets on which the first input makes `fires` true."""
    readings = {target.name: read_input(target, name or question.rule.inputs[0]) for target in question.targets}
    lacks = {target: reading.lacks for target, reading in readings.items() if reading.state == "missing"}
    matching_readings = {target: r for target, r in readings.items() if r.state == "known" and fires(r)}
    return decide(
        grouped(matching_readings.items()), lacks, weakest(*(r.certainty for r in matching_readings.values()))
    )


def session_fact(question: Question) -> RuleVerdict:
    """Check that a fact of the load's sessions is one for all; where it is unknown, check the rule's stand-in."""
    name = question.rule.inputs[0]
    readings = {target.name: session_reading(target, name, question.rule.stand_in) for target in question.targets}
    return spoken_differences(readings)


def session_reading(target: AuditTarget, name: str, stand_in: str) -> SourcedValue:
    """Return what the load's sessions say, folded; else what stands in for it, inferred."""
    group, _, fact_name = name.partition(":")
    value = target.fact(group, fact_name)
    if value is not None:
        words = value if isinstance(value, list) else [value]
        return known(" and ".join(sorted({_fold_value(word) for word in words})))
    if not stand_in:
        return missing(name)
    reading = read_input(target, stand_in)
    if reading.state != "known":
        return missing(reading.lacks or name)
    return known(reading.value, weakest("inferred", reading.certainty))


def _fold_value(value: Any) -> str:  # noqa: ANN401 - facts are foreign data
    return str(_plain_value(value)).strip().upper().replace(" ", "-")


def spoken_differences(readings: Mapping[str, SourcedValue]) -> RuleVerdict:
    """Return a finding where readings that are known differ."""
    lacks = {target: reading.lacks for target, reading in readings.items() if reading.state == "missing"}
    groups = grouped(readings.items())
    certainty = weakest(*(reading.certainty for reading in readings.values() if reading.state == "known"))
    return decide(groups if len(groups) > 1 else {}, lacks, certainty)


def fact_missing(question: Question, *names: str) -> RuleVerdict | None:
    """Return undecided, naming the facts of the study that are not known; None when all are."""
    missing_names = [name for name in names if question.study.get(name) is None]
    return undecided(" and ".join(f"study:{name}" for name in missing_names)) if missing_names else None


def on_some(question: Question, flags: Mapping[str, bool], words: Mapping[str, str]) -> RuleVerdict:
    """Return a finding where a flag holds on some targets and not on all; `words` say what was seen of each."""
    if len(flags) < 2:
        return not_applicable("fewer than two targets can be judged")
    if any(flags.values()) and not all(flags.values()):
        return decide(labelled((name, words[name]) for name in flags), {})
    return decide({}, {})
