"""Fairness: shows each difference between the targets as a card of the page."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.audit import Finding
from dbdyno.report._blocks import Block, Section, section
from dbdyno.report._fairness_blocks import difference_blocks, fairness_blocks
from dbdyno.report._html import element, to_html
from dbdyno.report.sections._frame import Page


def fairness_section(page: Page) -> Section:
    """Return durability and encryption, differences that remain, undecided rules, count of clear ones."""

    def facets_of(target: str) -> str:
        return page.facets.of(targets=[target])

    return section("fairness", "Fairness", *fairness_blocks(page.analysis, _difference_card, facets_of))


def _difference_card(finding: Finding) -> Sequence[Block]:
    card = element(
        "article",
        to_html(difference_blocks(finding)),
        class_="card",
        data_rule=finding.rule.rule_id,
        data_severity=finding.severity,
    )
    return [card]
