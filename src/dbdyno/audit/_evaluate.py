"""Applies every rule to every comparison set, and joins equal findings of several tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from dbdyno.audit._facts import ComparisonSet
from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import Certainty
from dbdyno.audit._rules import SEVERITIES, Rule, Severity, rules
from dbdyno.audit._target import LSM_ENGINES, AuditTarget, recognise
from dbdyno.audit._verdict import Outcome, Question, RuleVerdict, finding, labelled, not_applicable, undecided
from dbdyno.audit.predicates import MEETING, PREDICATES
from dbdyno.audit.predicates._generic import read_input
from dbdyno.core import target_title


@dataclass(frozen=True, slots=True)
class Finding:
    """Describes a rule that fires, in all tiers of a campaign where it says the same.

    Parameters
    ----------
    targets : those named in the values
    values : effective value -> targets; several inputs: input -> value -> targets; about options: target -> options
    favours : whom the difference helps
    between : campaigns differ, each alike in itself; then `values` names campaigns instead of targets
    varied_by : settings and options that the study varies to see their effect, if nothing else makes the difference
    lacks : targets that could not be judged, with the evidence that is missing
    asked_and_effective : target -> the amount that it asked for and the one in effect, of rules about one amount
    """

    rule: Rule
    severity: Severity
    campaign: str
    tiers: tuple[str, ...]
    targets: tuple[str, ...]
    values: Mapping[str, Any]
    certainty: Certainty
    favours: str
    remark: str
    lacks: Mapping[str, str]
    not_offered: Mapping[str, tuple[str, ...]]
    between: bool = False
    varied_by: tuple[str, ...] = ()
    asked_and_effective: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def remedy(self) -> str:
        """What to do about it, in words."""
        varied_words = f"Nothing: the study varies {' and '.join(self.varied_by)} to see what that changes."
        return varied_words if self.varied_by else self.rule.remedy


@dataclass(frozen=True, slots=True)
class Decision:
    """Holds what became of a rule that did not fire in a campaign.

    Parameters
    ----------
    lacks : for undecided ones: target -> missing evidence; the empty name stands for all
    """

    rule: Rule
    campaign: str
    outcome: Outcome
    tiers: tuple[str, ...]
    lacks: Mapping[str, str]
    remark: str


@dataclass(frozen=True, slots=True)
class Audit:
    """Holds all outcomes, worst finding first.

    Parameters
    ----------
    decisions : of rules without a finding, in the order of the rules
    """

    findings: tuple[Finding, ...]
    decisions: tuple[Decision, ...]
    targets: tuple[str, ...]

    def with_outcome(self, outcome: Outcome) -> tuple[Decision, ...]:
        """Return decisions of one kind."""
        return tuple(decision for decision in self.decisions if decision.outcome == outcome)


def audit(sets: Iterable[ComparisonSet]) -> Audit:
    """Return what the fairness rules say about comparison sets.

    Equal findings of several tiers of a campaign are one; different ones stand apart.
    """
    sets = tuple(sets)
    findings: list[Finding] = []
    decisions: list[Decision] = []
    for campaign in dict.fromkeys(s.campaign for s in sets):
        names = {facts.name for s in sets if s.campaign == campaign for facts in s.targets}
        tiers = [(s.tier, s, tuple(recognise(facts) for facts in s.targets)) for s in sets if s.campaign == campaign]
        for rule in rules():
            verdicts = [(tier, evaluate_rule(rule, comparison, targets)) for tier, comparison, targets in tiers]
            rule_findings = _join_tiers(rule, campaign, names, verdicts)
            findings += rule_findings
            if not rule_findings:
                decisions.append(_decision(rule, campaign, names, verdicts))
    campaign_findings = [
        campaign_finding for rule in rules() if (campaign_finding := _campaign_finding(rule, sets)) is not None
    ]
    findings += campaign_findings
    # A difference between campaigns stays a finding, even if each campaign is uniform.
    found_rule_ids = {campaign_finding.rule.rule_id for campaign_finding in campaign_findings}
    decisions = [row for row in decisions if row.outcome != "clear" or row.rule.rule_id not in found_rule_ids]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    target_names = sorted({facts.name for comparison in sets for facts in comparison.targets})
    return Audit(tuple(findings), tuple(decisions), tuple(target_names))


def _campaign_finding(rule: Rule, sets: Sequence[ComparisonSet]) -> Finding | None:
    """Return what differs from campaign to campaign, for rules of what a comparison of campaigns rests on."""
    reader = MEETING.get(rule.test)
    if reader is None:
        return None
    of_campaign: dict[str, set[str]] = {}
    for comparison in sets:
        readings = [reader(recognise(facts)) for facts in comparison.targets]
        known_values = {str(reading.value) for reading in readings if reading.state == "known"}
        of_campaign.setdefault(comparison.campaign, set()).update(known_values)
    values_by_campaign = {campaign: values for campaign, values in of_campaign.items() if values}
    if len({frozenset(values) for values in values_by_campaign.values()}) < 2:
        return None
    groups = labelled((campaign, value) for campaign, values in values_by_campaign.items() for value in values)
    return replace(_finding(rule, "", set(), finding(groups), []), between=True)


def is_found_among(rule: Rule, comparison: ComparisonSet) -> bool:
    """Return whether a rule fires on the targets of a comparison set."""
    return evaluate_rule(rule, comparison, tuple(map(recognise, comparison.targets))).outcome == "finding"


def evaluate_rule(rule: Rule, comparison: ComparisonSet, targets: tuple[AuditTarget, ...]) -> RuleVerdict:
    """Return the verdict of one rule on one comparison set."""
    participants, lacks = _participants(rule, targets)
    verdict = _too_few_targets_verdict(rule, targets, participants, lacks)
    if verdict is None:
        question = Question(rule, participants, targets, comparison.study, comparison.text)
        verdict = PREDICATES[rule.test](question)
    if lacks and verdict.outcome in ("clear", "not applicable"):
        return undecided(lacks)
    return verdict


def _participants(rule: Rule, targets: tuple[AuditTarget, ...]) -> tuple[tuple[AuditTarget, ...], dict[str, str]]:
    """Return the targets that the rule concerns, and those of which that is unknown."""
    participants = []
    lacks: dict[str, str] = {}
    for target in targets:
        if not _has_engine(rule, target):
            continue
        if not target.family:
            lacks |= {target.name: "which server and version it is"} if rule.families else {}
            if rule.families or rule.when:
                continue
        elif rule.families and not target.is_family(rule.families, rule.since):
            continue
        conditions = {name: read_input(target, name) for name in rule.when}
        unknown = [reading.lacks for reading in conditions.values() if reading.state == "missing"]
        if unknown:
            lacks[target.name] = unknown[0]
        elif all(str(conditions[name].value) == required_value for name, required_value in rule.when.items()):
            participants.append(target)
    return tuple(participants), lacks


def _has_engine(rule: Rule, target: AuditTarget) -> bool:
    if rule.storage_engine == "lsm":
        return target.storage_engine in LSM_ENGINES
    return rule.storage_engine in ("", target.storage_engine)


def _too_few_targets_verdict(
    rule: Rule, targets: tuple[AuditTarget, ...], participants: tuple[AuditTarget, ...], lacks: Mapping[str, str]
) -> RuleVerdict | None:
    """Return the verdict where too few targets take part; None when there are enough."""
    if len(participants) >= (2 if rule.scope == "across" and rule.storage_engine != "lsm" else 1):
        return None
    about_lsm = rule.storage_engine in ("lsm", *LSM_ENGINES)
    if about_lsm and not all(target.engine_stated for target in targets):
        return undecided("storage engine of the test tables; " + ", ".join(rule.evidence))
    return undecided(lacks) if lacks else not_applicable("too few targets that it concerns")


def _join_tiers(rule: Rule, campaign: str, names: set[str], verdicts: list[tuple[str, RuleVerdict]]) -> list[Finding]:
    tiers_by_verdict: list[tuple[RuleVerdict, list[str]]] = []
    for tier, verdict in verdicts:
        if verdict.outcome != "finding":
            continue
        equal_entry = next((entry for entry in tiers_by_verdict if _is_same_verdict(entry[0], verdict)), None)
        if equal_entry is not None:
            equal_entry[1].append(tier)
        else:
            tiers_by_verdict.append((verdict, [tier]))
    return [_finding(rule, campaign, names, verdict, tiers) for verdict, tiers in tiers_by_verdict]


def _is_same_verdict(left: RuleVerdict, right: RuleVerdict) -> bool:
    return (left.values, left.severity, left.certainty) == (right.values, right.severity, right.certainty)


def _finding(rule: Rule, campaign: str, names: set[str], verdict: RuleVerdict, tiers: list[str]) -> Finding:
    return Finding(
        rule=rule,
        severity=verdict.severity or rule.severity,
        campaign=campaign,
        tiers=tuple(tier for tier in tiers if tier),
        targets=tuple(sorted(_names_in_values(verdict.values) & names)),
        values=verdict.values,
        certainty=verdict.certainty,
        favours=favours(rule, verdict.values),
        remark=verdict.remark,
        lacks=verdict.lacks,
        not_offered=verdict.not_offered,
        asked_and_effective=verdict.asked_and_effective,
    )


def _names_in_values(values: Mapping[str, Any]) -> set[str]:
    """Return every name that stands in the values: of inputs, values, options and targets."""
    words = set(values)
    for value in values.values():
        words |= _names_in_values(value) if isinstance(value, Mapping) else set(value)
    return words


def _decision(rule: Rule, campaign: str, target_names: set[str], verdicts: list[tuple[str, RuleVerdict]]) -> Decision:
    """Return the decision over all tiers: undecided in any comes before clear in any."""
    for outcome in ("undecided", "clear", "not applicable"):
        tiers = [(tier, verdict) for tier, verdict in verdicts if verdict.outcome == outcome]
        if tiers:
            lacks: dict[str, str] = {}
            for _, verdict in tiers:
                lacks |= verdict.lacks
            if set(lacks) == target_names and len(set(lacks.values())) == 1:
                lacks = {"": next(iter(lacks.values()))}
            names = tuple(tier for tier, _ in tiers if tier)
            return Decision(rule, campaign, tiers[0][1].outcome, names, lacks, tiers[0][1].remark)
    return Decision(rule, campaign, "not applicable", (), {}, "no comparison set")


def favours(rule: Rule, values: Mapping[str, Any]) -> str:
    """Return the rule's words, and the targets it points at.

    >>> from dbdyno.audit._rules import rules
    >>> redo = next(rule for rule in rules() if rule.rule_id == "redo-capacity-mismatch")
    >>> favours(redo, {"derived:redo_capacity": {"2147483648": ["a"], "4294967296": ["b", "c"]}})
    'the larger log, in writes: b, c'
    """
    names = _favoured_targets(rule.favoured, values) if rule.favoured else []
    return f"{rule.favours}: {', '.join(map(target_title, names))}" if names else rule.favours


def _favoured_targets(favoured: str, values: Mapping[str, Any]) -> list[str]:
    groups = _first_groups(values)
    if favoured in ("largest", "smallest"):
        sizes = {label: size for label in groups if (size := parse_number(label)) is not None}
        if len(sizes) < 2:
            return []
        choose = max if favoured == "largest" else min
        return list(groups[choose(sizes, key=lambda label: sizes[label])])
    return list(groups.get(favoured, groups.get(favoured.upper(), ())))


def _first_groups(values: Mapping[str, Any]) -> Mapping[str, Any]:
    first_value = next(iter(values.values()), ())
    return first_value if isinstance(first_value, Mapping) else values
