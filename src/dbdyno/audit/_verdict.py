"""Defines what a rule says about one comparison set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from dbdyno.audit._normalise import value_text
from dbdyno.audit._reading import Certainty, SourcedValue
from dbdyno.audit._rules import Rule, Severity
from dbdyno.audit._target import AuditTarget

Outcome = Literal["finding", "clear", "undecided", "not applicable"]
Groups = dict[str, tuple[str, ...]]
Values = Mapping[str, Any]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Question:
    """Describes a rule, and the part of a comparison set that it is put to.

    Parameters
    ----------
    targets : those that take part
    everyone : all of the set
    """

    rule: Rule
    targets: tuple[AuditTarget, ...]
    everyone: tuple[AuditTarget, ...]
    study: Mapping[str, Any]
    text: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """Describes the outcome of one rule on one comparison set.

    Parameters
    ----------
    values : effective value -> targets; with several inputs: input -> value -> targets; for rules about options:
        target -> options
    severity : where it is not the rule's
    lacks : target -> evidence that is missing for it; the empty name stands for all
    not_offered : input -> targets that have no such thing and were left out
    remark : what else belongs to the finding
    asked_and_effective : target -> the amount that it asked for and the one in effect, of rules about one amount
    """

    outcome: Outcome
    values: Values = field(default_factory=lambda: _NOTHING)
    certainty: Certainty = "read"
    severity: Severity | None = None
    lacks: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    not_offered: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NOTHING)
    remark: str = ""
    asked_and_effective: Mapping[str, tuple[float, float]] = field(default_factory=lambda: _NOTHING)


CLEAR = RuleVerdict("clear")


def not_applicable(why: str) -> RuleVerdict:
    """Say that the rule has nothing to compare here."""
    return RuleVerdict("not applicable", remark=why)


def undecided(lacks: str | Mapping[str, str]) -> RuleVerdict:
    """Say that evidence is missing: of all targets, or of those named."""
    return RuleVerdict("undecided", lacks={"": lacks} if isinstance(lacks, str) else lacks)


def finding(
    values: Values,
    certainty: Certainty = "read",
    severity: Severity | None = None,
    *,
    lacks: Mapping[str, str] = _NOTHING,
    not_offered: Mapping[str, tuple[str, ...]] = _NOTHING,
    remark: str = "",
) -> RuleVerdict:
    """Say that the rule fires."""
    return RuleVerdict("finding", values, certainty, severity, lacks, not_offered, remark)


def grouped(pairs: Iterable[tuple[str, SourcedValue]]) -> Groups:
    """Return known values with the targets that have them, smallest value first.

    >>> from dbdyno.audit._reading import known
    >>> grouped([("b", known(128)), ("a", known(4)), ("c", known(4))])
    {'4': ('a', 'c'), '128': ('b',)}
    """
    groups: dict[Any, list[str]] = {}
    for name, reading in pairs:
        if reading.state == "known":
            groups.setdefault(reading.value, []).append(name)
    sorted_values = sorted(groups, key=lambda value: (isinstance(value, str), value))
    return {value_text(value): tuple(sorted(groups[value])) for value in sorted_values}


def labelled(pairs: Iterable[tuple[str, str]]) -> Groups:
    """Return labels with the targets that have them.

    >>> labelled([("b", "plain"), ("a", "plain")])
    {'plain': ('a', 'b')}
    """
    groups: dict[str, list[str]] = {}
    for name, label in pairs:
        groups.setdefault(label, []).append(name)
    return {label: tuple(sorted(groups[label])) for label in sorted(groups)}


def decide(
    fired: Values,
    lacks: Mapping[str, str],
    certainty: Certainty = "read",
    severity: Severity | None = None,
    *,
    not_offered: Mapping[str, tuple[str, ...]] = _NOTHING,
    remark: str = "",
) -> RuleVerdict:
    """Return a finding if anything fired, else undecided if anything is missing, else clear."""
    if fired:
        return finding(fired, certainty, severity, lacks=lacks, not_offered=not_offered, remark=remark)
    return undecided(lacks) if lacks else RuleVerdict("clear", not_offered=not_offered)
