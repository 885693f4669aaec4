"""Audits the servers of a study: a difference that the study asks about informs, and is no unfairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.audit import SEVERITIES, Audit, ComparisonSet, Finding, Rule, TargetFacts, audit, is_found_among
from dbdyno.audit.studies._remedies import baseline_id, inputs_behind, is_about_tables
from dbdyno.audit.studies._sets import study_sets
from dbdyno.core import Target
from dbdyno.engines import parameters_of_option
from dbdyno.store import StoredStudy
from dbdyno.study import Study


def audit_study(study: Study, sets: Sequence[ComparisonSet]) -> Audit:
    """Return what the fairness rules say about the study's servers.

    A finding counts as information, and names what the study varies, where the study gives one engine several values of
    that and targets with the same value do not differ: the difference is what the study asks about.
    """
    result = audit(sets)
    axes = _Axes.of(study)
    if not axes.names:
        return result
    findings = [_as_asked(finding, sets, axes) for finding in result.findings]
    return replace(result, findings=tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))))


def late_findings(results: StoredStudy, early: Audit) -> tuple[Finding, ...]:
    """Return findings by the variables as they were after the windows that those before them did not give.

    Nothing is audited twice where no variable changed while a server was driven.
    """
    if not any(caveat.code == "variables-changed" for record in results.records() for caveat in record.caveats):
        return ()
    early_keys = {(finding.rule.rule_id, finding.campaign) for finding in early.findings}
    findings_after = audit_study(results.study, study_sets(results, at_end=True)).findings
    return tuple(finding for finding in findings_after if (finding.rule.rule_id, finding.campaign) not in early_keys)


@dataclass(frozen=True, slots=True)
class _Axes:
    """Holds what a study varies on one engine.

    Parameters
    ----------
    values : target -> name -> value: settings by their ids in the baseline, and options of the workload
    names : those of which several targets of one engine have different values
    varied_targets : targets of such engines
    """

    values: Mapping[str, Mapping[str, str]]
    names: frozenset[str]
    varied_targets: frozenset[str]

    @classmethod
    def of(cls, study: Study) -> _Axes:
        values = {target.name: _values_of(target) for target in study.targets}
        names: set[str] = set()
        varied_targets: set[str] = set()
        for engine in {target.engine for target in study.targets}:
            variants = [target.name for target in study.targets if target.engine == engine]
            engine_names = {
                name
                for variant in variants
                for name in values[variant]
                if len({values[other].get(name) for other in variants}) > 1
            }
            names |= engine_names
            varied_targets |= set(variants) if engine_names else set()
        return cls(values, frozenset(names), frozenset(varied_targets))

    def explain(self, rule: Rule, names: Sequence[str], target_set: ComparisonSet) -> bool:
        """Return whether targets that have the same values of these names are alike in what a rule is about.

        Engines of which the study has one variant must be like the variants of one value.
        """
        variants: dict[tuple[str | None, ...], list[TargetFacts]] = {}
        others: list[TargetFacts] = []
        for facts in target_set.targets:
            key = tuple(self.values.get(facts.name, {}).get(name) for name in names)
            (variants.setdefault(key, []) if facts.name in self.varied_targets else others).append(facts)

        def are_alike(targets: Sequence[TargetFacts]) -> bool:
            return not is_found_among(rule, replace(target_set, targets=tuple(targets)))

        groups = list(variants.values())
        return all(map(are_alike, groups)) and (not others or any(are_alike([*group, *others]) for group in groups))


def _as_asked(finding: Finding, sets: Sequence[ComparisonSet], axes: _Axes) -> Finding:
    """Return a finding as information if nothing but what the study varies makes it."""
    candidates = {baseline_id(name) for name in inputs_behind(finding)}
    names = sorted(name for name in axes.names if name in candidates or (is_about_tables(finding) and "." not in name))
    affected_sets = [
        target_set
        for target_set in sets
        if target_set.campaign == finding.campaign and target_set.tier in (finding.tiers or (target_set.tier,))
    ]
    if finding.between or not names or not affected_sets:
        return finding
    is_asked = all(axes.explain(finding.rule, names, target_set) for target_set in affected_sets)
    return replace(finding, severity="info", varied_by=tuple(names)) if is_asked else finding


def _values_of(target: Target) -> dict[str, str]:
    """Return what the study sets for this target alone. Names of settings have two parts, those of options one."""
    by_option = {name: value for option, value in target.options.items() for name in parameters_of_option(option)}
    by_id = {baseline_id(name): str(value) for name, value in (*by_option.items(), *target.settings.items())}
    return {name: str(value) for name, value in target.workload_options.items()} | by_id
