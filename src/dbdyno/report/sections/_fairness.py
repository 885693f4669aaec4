"""Fairness: shows whether targets were alike in effect: durability, each difference, then what is unknown."""

from __future__ import annotations

from dbdyno.analyse import listed
from dbdyno.audit import Finding, missing_words, spoken_values
from dbdyno.core import counted, target_title
from dbdyno.report._blocks import (
    Block,
    Column,
    Fold,
    Heading,
    ListOf,
    Section,
    Table,
    Terms,
    folded,
    section,
    subtitle,
    to_see,
)
from dbdyno.report._fairness import short_value
from dbdyno.report._html import Html, element, to_html
from dbdyno.report.sections._frame import Page

_NOTHING_READ = (
    "Unknown: whether the targets were configured alike. No variables were read from the servers. If you have dumps "
    "of their variables, run dbdyno audit on them."
)
_OPEN = ("critical", "high", "medium", "low")

_GRAVE = ("critical", "high")
_NONE = "No rule found a difference."
_NONE_GRAVE = "No rule found a critical or high difference."


def fairness_section(page: Page) -> Section:
    """Return durability and encryption, differences that remain, undecided rules, count of clear ones."""
    if not page.analysis.fairness.sets:
        return section("fairness", "Fairness", to_see(_NOTHING_READ))
    findings = page.analysis.fairness.audit.findings
    open_findings = [finding for finding in findings if finding.severity in _OPEN]
    grave_findings = [finding for finding in open_findings if finding.severity in _GRAVE]
    light_findings = [finding for finding in open_findings if finding not in grave_findings]
    information_findings = [finding for finding in findings if finding.severity not in _OPEN]
    return section(
        "fairness",
        "Fairness",
        subtitle("The durability of each target, and the differences between the targets by 99 rules."),
        _durability_block(page),
        Heading(f"{counted(len(open_findings), 'difference')} between the targets" if open_findings else "Differences"),
        *(
            map(_folded_difference, grave_findings)
            if grave_findings
            else [to_see(_NONE_GRAVE if light_findings else _NONE)]
        ),
        folded(f"{counted(len(light_findings), 'less severe difference')}", *map(_difference_html, light_findings))
        if light_findings
        else None,
        *_late_difference_blocks(page),
        folded(
            f"{counted(len(information_findings), 'informational finding')}",
            *map(_difference_html, information_findings),
        )
        if information_findings
        else None,
        _undecided_rules_block(page),
        _clear_rules_fold(page),
    )


def _late_difference_blocks(page: Page) -> list[Block]:
    late_findings = page.analysis.fairness.late
    if not late_findings:
        return []
    return [Heading("Differences that arose under load"), *map(_difference_html, late_findings)]


def _durability_block(page: Page) -> Block:
    """Return what a commit survives on each target; folded where that is alike on all."""
    columns = [Column("target"), Column("durability"), Column("torn pages"), Column("connections")]
    rows = [
        [target_title(target), promise.durability, promise.torn_pages, promise.encryption]
        for target in page.analysis.targets
        for promise in page.analysis.fairness.promises.get(target, ())
    ]
    facets = [
        page.facets.of(targets=[target])
        for target in page.analysis.targets
        for _ in page.analysis.fairness.promises.get(target, ())
    ]
    title = "Durability class, torn pages and encryption of each target"
    table = Table("durability", title, columns, rows, facets=facets)
    is_alike = len({tuple(row[1:]) for row in rows}) == 1 < len(rows)
    return folded("Durability, torn pages and encryption: equal on all targets", table) if is_alike else table


def _folded_difference(finding: Finding) -> Fold:
    """Return one line of what differs and whom it favours; the rest on demand."""
    tiers = f" with {listed(list(finding.tiers))}" if finding.tiers else ""
    words = f"{finding.severity}{tiers}: {finding.rule.title}"
    favour_words = f" (favours {finding.favours})" if finding.favours else ""
    return folded(words + favour_words, _difference_html(finding))


def _difference_html(finding: Finding) -> Html:
    rule = finding.rule
    place_words = "; ".join([*([finding.campaign] if finding.campaign else []), *finding.tiers])
    certainty_words = f"certainty: {finding.certainty}"
    facts = {"favours": finding.favours, "why": rule.reason, "how to remove it": rule.remedy}
    facts |= {"note": finding.remark} if finding.remark else {}
    facts |= {f"not known for {target}": missing_evidence for target, missing_evidence in finding.lacks.items()}
    return element(
        "article",
        element("h4", f"{finding.severity}: {rule.title}"),
        element("p", f"{place_words} · {certainty_words}" if place_words else certainty_words, class_="quiet"),
        to_html([_values_table(finding), Terms(facts.items())]),
        class_="card",
        data_rule=rule.rule_id,
        data_severity=finding.severity,
    )


def _values_table(finding: Finding) -> Table:
    rows = [
        [title or finding.rule.title, short_value(value), ", ".join(map(target_title, names))]
        for title, groups in spoken_values(finding)
        for value, names in groups
    ]
    columns = [Column("quantity"), Column("in effect"), Column("targets")]
    return Table(f"fairness-{finding.rule.rule_id}", f"Values in effect: {finding.rule.title}", columns, rows)


def _undecided_rules_block(page: Page) -> Block:
    decisions = page.analysis.fairness.audit.with_outcome("undecided")
    if not decisions:
        return to_see("No rule is undecided.")
    rows = [[decision.rule.title, decision.rule.severity, missing_words(decision)] for decision in decisions]
    columns = [Column("about"), Column("weight"), Column("what is missing")]
    table = Table("undecided", "Undecided rules and the evidence they lack", columns, rows)
    return folded(f"{counted(len(decisions), 'rule')} undecided for lack of evidence", table)


def _clear_rules_fold(page: Page) -> Fold:
    result = page.analysis.fairness.audit
    titles = [decision.rule.title for decision in result.with_outcome("clear")]
    idle = len(result.with_outcome("not applicable"))
    return folded(f"{counted(len(titles), 'rule')} clear, {idle} with nothing to compare", ListOf(titles))
