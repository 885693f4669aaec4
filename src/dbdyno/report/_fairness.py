"""Audits whether the targets of a study were alike in effect, and turns the findings into caveats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse import CellJudgement, listed
from dbdyno.audit import (
    SEVERITIES,
    UNKNOWN,
    Audit,
    Durability,
    Finding,
    Severity,
    ValueGroup,
    durability_of,
    spoken_values,
)
from dbdyno.audit.studies import Ranking, audit_study, late_findings, settings_behind, study_sets, weigh_findings
from dbdyno.core import Caveat, Comparison, counted, target_title, verb_for
from dbdyno.store import StoredStudy

_GRAVE: tuple[Severity, ...] = ("critical", "high")
_INFORMATIONAL: Severity = "info"
_LISTED = "the report lists them under Fairness"
_NAMED = 3
"""So many targets, and so many high findings, are named on the first screen; of more there is a count."""
_MOST_VALUES = 4
"""So many values of a difference are listed; of more the least and the most."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """Holds what the audit says of a study.

    Parameters
    ----------
    promises : target -> what it promises in each set, once where all say the same
    sets : how many comparison sets there are
    late : findings by the variables after the windows that those before them do not give
    has_settings : whether the study sets up its servers, so that its file can remove a difference
    """

    audit: Audit
    promises: dict[str, tuple[Durability, ...]]
    sets: int
    late: tuple[Finding, ...] = ()
    has_settings: bool = False

    @property
    def warning(self) -> str:
        """Return the sentence above the answer about open critical findings; empty where there are none."""
        critical = [finding for finding in self.audit.findings if finding.severity == "critical"]
        if not critical:
            return ""
        titles = list(dict.fromkeys(finding.rule.title for finding in critical))
        titles_words = listed(titles[:_NAMED]) + (" and others" if len(titles) > _NAMED else "")
        count = "one critical difference" if len(titles) == 1 else f"{len(titles)} critical differences"
        count_words = f"{count} {verb_for(len(titles), 'remains', 'remain')}"
        return f"Not a like-for-like comparison yet: {count_words} in the configuration ({titles_words}). See Fairness."

    def durability(self, target: str) -> str:
        """Return the durability class of a target, in words; of all its tiers where they differ."""
        return "; ".join(dict.fromkeys(promise.durability for promise in self.promises.get(target, ()))) or UNKNOWN

    @property
    def critical_caveats(self) -> list[Caveat]:
        """Return one for each rule with critical findings."""
        return [*map(self._rule_caveat, self.findings_by_rule("critical"))]

    @property
    def high_caveats(self) -> list[Caveat]:
        """Return one for each rule with high findings, unless there are many."""
        high = self.findings_by_rule("high")
        # A difference between campaigns weakens every comparison of workloads or routes: it is always listed.
        between_rules = [rule for rule in high if any(finding.between for finding in rule)]
        within_rules = [rule for rule in high if rule not in between_rules]
        named_caveats = (
            [_counted_caveat(within_rules)] if len(within_rules) > _NAMED else [*map(self._rule_caveat, within_rules)]
        )
        return [*map(self._rule_caveat, between_rules), *named_caveats, *_late_caveat(self.late)]

    @property
    def counted_rules(self) -> dict[Severity, int]:
        """Count the rules that found something by severity, the gravest first; leave out severities without any."""
        return {severity: len(rules) for severity in SEVERITIES if (rules := self.findings_by_rule(severity))}

    @property
    def difference_count(self) -> int:
        """Count the rules that found a difference that may matter: all but informational ones."""
        return sum(count for severity, count in self.counted_rules.items() if severity != _INFORMATIONAL)

    def findings_by_rule(self, severity: Severity) -> list[list[Finding]]:
        """Return findings of a severity, those of one rule together: it may find another value at each place."""
        rules: dict[str, list[Finding]] = {}
        for finding in self.audit.findings:
            if finding.severity == severity:
                rules.setdefault(finding.rule.rule_id, []).append(finding)
        return list(rules.values())

    def _rule_caveat(self, findings: Sequence[Finding]) -> Caveat:
        first, further_count = findings[0], len(findings) - 1
        text = finding_sentence(first, in_all_sets=self._is_in_all_sets(first))
        places_words = (
            f" At {counted(further_count, 'more place')} the values differ: {_LISTED}." if further_count else ""
        )
        return Caveat(f"audit-{first.rule.rule_id}", f"{text}{places_words} {self._remedy_words(first)}")

    def _remedy_words(self, finding: Finding) -> str:
        """Return what would remove a finding: the settings to write in a study that sets up its servers, if they do."""
        names = settings_behind(finding) if self.has_settings else ()
        return f"In the study: one value for {listed(list(names[:_NAMED]))} in [settings]." if names else finding.remedy

    def _is_in_all_sets(self, finding: Finding) -> bool:
        return self.sets > 1 and len(finding.tiers) == self.sets

    @property
    def lesser(self) -> list[Caveat]:
        """Return one that counts the findings of lower severity; none where there are none."""
        count = self.counted_rules
        words = listed([f"{count[severity]} {severity}" for severity in count if severity not in _GRAVE])
        if not words:
            return []
        return [Caveat("audit-lesser", f"Further audit findings of lower severity: {words}; {_LISTED}.")]


def judge_fairness(
    results: StoredStudy, judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison]
) -> Fairness:
    """Return the audit of a stored study, findings weighed by what they can do to its comparisons."""
    sets = results.once(study_sets)
    promises: dict[str, tuple[Durability, ...]] = {}
    for facts in (facts for target_set in sets for facts in target_set.targets):
        promises[facts.name] = tuple(dict.fromkeys((*promises.get(facts.name, ()), durability_of(facts))))
    study_audit = audit_study(results.study, sets)
    levels: dict[tuple[str, str, str, int], dict[int, float]] = {}
    for cell, tps in ((judgement.cell, judgement.tps_mean) for judgement in judgements if judgement.tps_mean):
        levels.setdefault((cell.target, cell.workload, cell.route, cell.concurrency), {})[cell.tier_bytes] = tps
    ranking = Ranking(comparisons, levels)
    weighed_findings, weighed_late = (
        weigh_findings(findings, results.study, sets, ranking)
        for findings in (study_audit.findings, late_findings(results, study_audit))
    )
    weighed_audit = replace(study_audit, findings=weighed_findings)
    has_settings = results.study.imported is None
    return Fairness(weighed_audit, promises, len(sets), weighed_late, has_settings)


def _late_caveat(late: Sequence[Finding]) -> list[Caveat]:
    if not late:
        return []
    titles = listed([f"{finding.rule.title} ({finding.severity})" for finding in late])
    text = f"At the end of a window the targets differed in more ways than at its start: {titles}."
    return [Caveat("audit-after-window", text)]


def finding_sentence(finding: Finding, *, in_all_sets: bool = False) -> str:
    """Return what differs, by how much and whom it favours; where many targets are meant, how many.

    Parameters
    ----------
    in_all_sets : it does so everywhere, so that places need not be named
    """
    values_words = []
    for title, groups in spoken_values(finding):
        words = _values_words(groups, finding)
        values_words.append(f"{title} {words}" if title else words)
    where = f" with {listed(list(finding.tiers))}" if finding.tiers and not in_all_sets else ""
    where += f" in {finding.campaign}" if finding.campaign else " between campaigns" if finding.between else ""
    text = f"{finding.severity.capitalize()} difference{where}, {finding.rule.title}: {'; '.join(values_words)}."
    favours = finding.favours if len(finding.targets) <= _NAMED else finding.favours.partition(": ")[0]
    remark = f" {finding.remark[0].upper()}{finding.remark[1:]}." if finding.remark else ""
    return f"{text} Favours {favours}.{remark}"


def _values_words(groups: Sequence[ValueGroup], finding: Finding) -> str:
    """Return each value with its targets; of many amounts the least and the most, of many others the first ones."""
    if len(groups) <= _MOST_VALUES:
        return ", ".join(f"{value.words} ({_targets_words(names, finding)})" for value, names in groups)
    sizes = [(value.size_bytes, value.words, names) for value, names in groups if value.size_bytes is not None]
    if len(sizes) == len(groups):
        return " to ".join(
            f"{words} ({target_title(names[0]) if len(names) == 1 else counted(len(names), 'target')})"
            for _, words, names in (min(sizes), max(sizes))
        )
    first_words = ", ".join(value.words for value, _ in groups[: _MOST_VALUES - 1])
    return f"{first_words} and {counted(len(groups) - _MOST_VALUES + 1, 'other value')}"


def _targets_words(names: Sequence[str], finding: Finding) -> str:
    return ", ".join(map(target_title, names)) if len(finding.targets) <= _NAMED else counted(len(names), "target")


def _counted_caveat(rules: Sequence[Sequence[Finding]]) -> Caveat:
    titles = listed([findings[0].rule.title for findings in rules])
    return Caveat("audit-high", f"{counted(len(rules), 'audit finding')} of high severity: {titles}; {_LISTED}.")


def fairness_line(fairness: Fairness) -> str:
    """Return all outcomes in one line."""
    if not fairness.sets:
        return "fairness: unknown, no variables were read from the servers"
    counts = fairness.counted_rules
    information_count = counts.pop(_INFORMATIONAL, 0)
    words = [f"{count} {severity}" for severity, count in counts.items()]
    undecided_count, clear_count = (len(fairness.audit.with_outcome(outcome)) for outcome in ("undecided", "clear"))
    differences_words = (
        f"{counted(fairness.difference_count, 'difference')} ({', '.join(words)})" if words else "no difference"
    )
    information_words = f"; {counted(information_count, 'informational finding')}" if information_count else ""
    evidence_words = (
        f"; {counted(undecided_count, 'rule')} {verb_for(undecided_count, 'lacks', 'lack')} evidence"
        if undecided_count
        else ""
    )
    return f"fairness: {differences_words}{information_words}{evidence_words}; {counted(clear_count, 'rule')} clear"


def policy_remains(fairness: Fairness) -> str:
    """Return what the configuration of the targets still differs in, to stand next to the policy; empty: in nothing."""
    if not fairness.sets:
        return "not checked: no variables were read from the servers"
    count = fairness.difference_count + len({finding.rule.rule_id for finding in fairness.late})
    return f"{counted(count, 'difference')} {verb_for(count, 'remains', 'remain')}, see Fairness" if count else ""
