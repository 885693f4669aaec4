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
    """Durability and encryption, differences that remain, undecided rules, count of clear ones."""
    if not page.analysis.fairness.sets:
        return section("fairness", "Fairness", to_see(_NOTHING_READ))
    found = page.analysis.fairness.audit.findings
    open_ones = [finding for finding in found if finding.severity in _OPEN]
    grave = [finding for finding in open_ones if finding.severity in _GRAVE]
    light = [finding for finding in open_ones if finding not in grave]
    told = [finding for finding in found if finding.severity not in _OPEN]
    return section(
        "fairness",
        "Fairness",
        subtitle("The durability of each target, and the differences between the targets by 99 rules."),
        _promises(page),
        Heading(f"{counted(len(open_ones), 'difference')} between the targets" if open_ones else "Differences"),
        *(map(_folded_difference, grave) if grave else [to_see(_NONE_GRAVE if light else _NONE)]),
        folded(f"{counted(len(light), 'less severe difference')}", *map(_difference, light)) if light else None,
        *_late(page),
        folded(f"{counted(len(told), 'informational finding')}", *map(_difference, told)) if told else None,
        _undecided(page),
        _clear(page),
    )


def _late(page: Page) -> list[Block]:
    late = page.analysis.fairness.late
    if not late:
        return []
    return [Heading("Differences that arose under load"), *map(_difference, late)]


def _promises(page: Page) -> Block:
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
    """One line of what differs and whom it favours; the rest on demand."""
    tiers = f" with {listed(list(finding.tiers))}" if finding.tiers else ""
    words = f"{finding.severity}{tiers}: {finding.rule.title}"
    favours = f" (favours {finding.favours})" if finding.favours else ""
    return folded(words + favours, _difference(finding))


def _difference(finding: Finding) -> Html:
    rule = finding.rule
    where = "; ".join([*([finding.campaign] if finding.campaign else []), *finding.tiers])
    certain = f"certainty: {finding.certainty}"
    facts = {"favours": finding.favours, "why": rule.reason, "how to remove it": rule.remedy}
    facts |= {"note": finding.remark} if finding.remark else {}
    facts |= {f"not known for {target}": lacks for target, lacks in finding.lacks.items()}
    return element(
        "article",
        element("h4", f"{finding.severity}: {rule.title}"),
        element("p", f"{where} · {certain}" if where else certain, class_="quiet"),
        to_html([_values(finding), Terms(facts.items())]),
        class_="card",
        data_rule=rule.rule_id,
        data_severity=finding.severity,
    )


def _values(finding: Finding) -> Table:
    rows = [
        [title or finding.rule.title, short_value(value), ", ".join(map(target_title, names))]
        for title, groups in spoken_values(finding)
        for value, names in groups
    ]
    columns = [Column("quantity"), Column("in effect"), Column("targets")]
    return Table(f"fairness-{finding.rule.rule_id}", f"Values in effect: {finding.rule.title}", columns, rows)


def _undecided(page: Page) -> Block:
    undecided = page.analysis.fairness.audit.with_outcome("undecided")
    if not undecided:
        return to_see("No rule is undecided.")
    rows = [[decision.rule.title, decision.rule.severity, missing_words(decision)] for decision in undecided]
    columns = [Column("about"), Column("weight"), Column("what is missing")]
    inner = Table("undecided", "Undecided rules and the evidence they lack", columns, rows)
    return folded(f"{counted(len(undecided), 'rule')} undecided for lack of evidence", inner)


def _clear(page: Page) -> Fold:
    result = page.analysis.fairness.audit
    titles = [decision.rule.title for decision in result.with_outcome("clear")]
    idle = len(result.with_outcome("not applicable"))
    return folded(f"{counted(len(titles), 'rule')} clear, {idle} with nothing to compare", ListOf(titles))
