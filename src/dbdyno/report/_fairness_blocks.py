"""Shows whether targets were alike in effect: durability, each difference, then what is unknown.

The page, its Markdown and the terminal render the same blocks; the terminal names the differences only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dbdyno.analyse import listed
from dbdyno.audit import Finding, Severity, missing_words, rules, spoken_values
from dbdyno.core import counted, target_title
from dbdyno.report._blocks import (
    Block,
    Column,
    Fold,
    Heading,
    ListOf,
    Paragraph,
    Table,
    Terms,
    folded,
    subtitle,
    there,
    to_see,
)
from dbdyno.report._study_analysis import StudyAnalysis

ShowDifference = Callable[[Finding], Sequence[Block]]
_NOTHING_READ = (
    "Unknown: whether the targets were configured alike. No variables were read from the servers. If you have dumps "
    "of their variables, run dbdyno audit on them."
)
_GRAVE: tuple[Severity, ...] = ("critical", "high")
_LIGHT: tuple[Severity, ...] = ("medium", "low")
_INFORMATIONAL: tuple[Severity, ...] = ("info",)
_NONE = "No rule found a difference."
_NONE_GRAVE = "No rule found a critical or high difference."
_MOST_NAMED = 8
"""Differences that a terminal names."""


def fairness_blocks(
    analysis: StudyAnalysis,
    show_difference: ShowDifference | None = None,
    facets_of: Callable[[str], str] | None = None,
) -> tuple[Block, ...]:
    """Return durability and encryption, differences that remain, undecided rules, count of clear ones.

    Parameters
    ----------
    show_difference : a page's way to show a difference; without one, as `difference_blocks` has it
    facets_of : tokens of a target, as a table has them
    """
    if not analysis.fairness.sets:
        return (to_see(_NOTHING_READ),)
    show = show_difference or difference_blocks
    fairness = analysis.fairness
    grave_rules, light_rules, information_rules = (
        [rule for severity in severities for rule in fairness.findings_by_rule(severity)]
        for severities in (_GRAVE, _LIGHT, _INFORMATIONAL)
    )
    none_words = [] if grave_rules else [to_see(_NONE_GRAVE if light_rules else _NONE)]
    count_words = f"{counted(fairness.difference_count, 'difference')} between the targets"
    return there(
        [
            subtitle(
                f"The durability of each target, and the differences between the targets by {len(rules())} rules."
            ),
            _durability_block(analysis, facets_of),
            Heading(count_words if fairness.difference_count else "Differences"),
            *(folded(_title_words(rule), *_rule_blocks(rule, show)) for rule in grave_rules),
            *none_words,
            _differences_fold("less severe difference", light_rules, show),
            *_late_difference_blocks(analysis, show),
            _differences_fold("informational finding", information_rules, show),
            _undecided_rules_block(analysis),
            _clear_rules_fold(analysis),
        ]
    )


def difference_blocks(finding: Finding) -> list[Block]:
    """Return what differs, the values with their targets, whom it favours, why and what would remove it."""
    rule = finding.rule
    place_words = "; ".join([*([finding.campaign] if finding.campaign else []), *finding.tiers])
    certainty_words = f"certainty: {finding.certainty}"
    return [
        Heading(f"{finding.severity}: {rule.title}", 4),
        Paragraph(f"{place_words} · {certainty_words}" if place_words else certainty_words, "quiet"),
        _values_table(finding),
        Terms(finding_facts(finding, "how to remove it").items()),
    ]


def finding_facts(finding: Finding, remedy_title: str) -> dict[str, str]:
    """Return whom a difference favours, why, what would remove it, and what is not known."""
    facts = {"favours": finding.favours, "why": finding.rule.reason, remedy_title: finding.remedy}
    facts |= {"note": finding.remark} if finding.remark else {}
    return facts | {f"not known for {target}": missing_evidence for target, missing_evidence in finding.lacks.items()}


def difference_lines(analysis: StudyAnalysis) -> list[str]:
    """Return each open difference in a line, the gravest first; of many, how many more there are."""
    fairness = analysis.fairness
    lines = [_title_words(rule) for severity in (*_GRAVE, *_LIGHT) for rule in fairness.findings_by_rule(severity)]
    further_count = len(lines) - _MOST_NAMED
    return [*lines[:_MOST_NAMED], f"{further_count:,} more"] if further_count > 1 else lines


def _rule_blocks(findings: Sequence[Finding], show: ShowDifference) -> list[Block]:
    """Return what one rule found, at each place where the values differ from those of the others."""
    return [block for finding in findings for block in show(finding)]


def _differences_fold(noun: str, found_rules: Sequence[Sequence[Finding]], show: ShowDifference) -> Fold | None:
    """Return differences of which few readers want to know more; None where there are none."""
    if not found_rules:
        return None
    return folded(
        counted(len(found_rules), noun), *(block for rule in found_rules for block in _rule_blocks(rule, show))
    )


def _late_difference_blocks(analysis: StudyAnalysis, show: ShowDifference) -> list[Block]:
    late_findings = analysis.fairness.late
    if not late_findings:
        return []
    heading = Heading("Differences that arose under load")
    return [heading, *(block for finding in late_findings for block in show(finding))]


def _durability_block(analysis: StudyAnalysis, facets_of: Callable[[str], str] | None) -> Block:
    """Return what a commit survives on each target; folded where that is alike on all."""
    columns = [Column("target"), Column("durability"), Column("torn pages"), Column("connections")]
    promises = [
        (target, promise) for target in analysis.targets for promise in analysis.fairness.promises.get(target, ())
    ]
    rows = [
        [target_title(target), promise.durability, promise.torn_pages, promise.encryption]
        for target, promise in promises
    ]
    facets = [facets_of(target) for target, _ in promises] if facets_of else ()
    title = "Durability class, torn pages and encryption of each target"
    table = Table("durability", title, columns, rows, facets=facets)
    is_alike = len({tuple(row[1:]) for row in rows}) == 1 < len(rows)
    return folded("Durability, torn pages and encryption: equal on all targets", table) if is_alike else table


def _title_words(findings: Sequence[Finding]) -> str:
    """Return in one line what a rule found, where, and whom it favours."""
    places = dict.fromkeys(tier for finding in findings for tier in finding.tiers)
    favoured = dict.fromkeys(finding.favours for finding in findings if finding.favours)
    tiers = f" with {listed(list(places))}" if places else ""
    favour_words = f" (favours {' or '.join(favoured)})" if favoured else ""
    return f"{findings[0].severity}{tiers}: {findings[0].rule.title}{favour_words}"


def _values_table(finding: Finding) -> Table:
    rows = [
        [title or finding.rule.title, value.words, ", ".join(map(target_title, names))]
        for title, groups in spoken_values(finding)
        for value, names in groups
    ]
    columns = [Column("quantity"), Column("in effect"), Column("targets")]
    return Table(f"fairness-{finding.rule.rule_id}", f"Values in effect: {finding.rule.title}", columns, rows)


def _undecided_rules_block(analysis: StudyAnalysis) -> Block:
    decisions = analysis.fairness.audit.with_outcome("undecided")
    if not decisions:
        return to_see("No rule is undecided.")
    rows = [[decision.rule.title, decision.rule.severity, missing_words(decision)] for decision in decisions]
    columns = [Column("about"), Column("weight"), Column("what is missing")]
    table = Table("undecided", "Undecided rules and the evidence they lack", columns, rows)
    return folded(f"{counted(len(decisions), 'rule')} undecided for lack of evidence", table)


def _clear_rules_fold(analysis: StudyAnalysis) -> Fold:
    result = analysis.fairness.audit
    titles = [decision.rule.title for decision in result.with_outcome("clear")]
    idle = len(result.with_outcome("not applicable"))
    return folded(f"{counted(len(titles), 'rule')} clear, {idle} with nothing to compare", ListOf(titles))
