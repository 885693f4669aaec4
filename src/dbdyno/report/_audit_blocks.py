"""Shows an audit in the terminal: each finding with its values, undecided rules, then how many rules ended how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from dbdyno.audit import Audit, Decision, Finding, Outcome, missing_words, spoken_values
from dbdyno.core import counted
from dbdyno.report._blocks import Block, Heading, Paragraph, Terms
from dbdyno.report._fairness_blocks import finding_facts
from dbdyno.report._terminal_text import to_terminal

_UNDECIDED = "UNDECIDED: evidence is missing, so these rules are neither findings nor clear"
_WITHOUT_FINDING: tuple[Outcome, ...] = ("clear", "not applicable")


def print_audit(result: Audit, late_findings: Sequence[Finding], console: Console, *, has_all: bool = False) -> None:
    """Print findings, and what came to differ while servers were driven; `has_all`: rules without a finding, too."""
    console.print(to_terminal(_audit_blocks(result, late_findings, has_all=has_all)))


def _audit_blocks(result: Audit, late_findings: Sequence[Finding], *, has_all: bool) -> Iterator[Block]:
    has_campaigns = len({decision.campaign for decision in result.decisions}) > 1
    yield Paragraph(f"{counted(len(result.targets), 'target')}: {', '.join(result.targets)}")
    for finding in result.findings:
        yield from _finding_blocks(finding, has_campaigns)
    if late_findings:
        yield Heading("SINCE THE SERVERS WERE DRIVEN")
    for finding in late_findings:
        yield from _finding_blocks(finding, has_campaigns)
    if undecided := result.with_outcome("undecided"):
        yield Heading(_UNDECIDED)
        ids = [f"{_rule_with_campaign(decision, has_campaigns)} ({decision.rule.severity})" for decision in undecided]
        yield Terms(list(zip(ids, map(missing_words, undecided), strict=True)))
    if has_all:
        yield Heading("WITHOUT A FINDING")
        yield Terms([(outcome, _ids_words(result, outcome, has_campaigns)) for outcome in _WITHOUT_FINDING])
    yield Paragraph(_summary_line(result))


def _finding_blocks(finding: Finding, has_campaigns: bool) -> list[Block]:
    rule = finding.rule
    places = ["between campaigns"] if finding.between else [finding.campaign] if has_campaigns else []
    certainty_words = "; ".join(filter(None, [finding.certainty, ", ".join((*places, *finding.tiers))]))
    values: list[tuple[str, str | Terms]] = []
    for title, groups in spoken_values(finding):
        terms = [(value.exact_words, ", ".join(names)) for value, names in groups]
        values += [(title, Terms(terms))] if title else terms
    return [
        Heading(f"{finding.severity.upper()}  {rule.title}  [{rule.rule_id}]  {certainty_words}"),
        Terms([*values, *finding_facts(finding, "remedy").items()]),
    ]


def _ids_words(result: Audit, outcome: Outcome, has_campaigns: bool) -> str:
    return (
        ", ".join(_rule_with_campaign(decision, has_campaigns) for decision in result.with_outcome(outcome)) or "none"
    )


def _rule_with_campaign(decision: Decision, has_campaigns: bool) -> str:
    return f"{decision.campaign or '.'}: {decision.rule.rule_id}" if has_campaigns else decision.rule.rule_id


def _summary_line(result: Audit) -> str:
    findings_count = len({(finding.campaign, finding.rule.rule_id) for finding in result.findings})
    outcomes: tuple[Outcome, ...] = ("undecided", *_WITHOUT_FINDING)
    counts_words = [f"{len(result.with_outcome(outcome))} {outcome}" for outcome in outcomes]
    return ", ".join([f"{counted(findings_count, 'rule')} with findings", *counts_words])
