"""docs/reference/fairness-rules.md is written from the rules."""

from __future__ import annotations

import os
from pathlib import Path

from dbdyno.audit import Rule, rules

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "fairness-rules.md"
HEAD = """\
# Fairness rules

What `dbdyno audit` asks of every comparison; see [the guide](../guides/audit.md). Written from the rules by
`DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/audit/test_reference_page.py`.
"""


def section(category: str, of_it: list[Rule]) -> str:
    rows = [f"| `{r.rule_id}` | {r.severity} | {r.title}: {r.condition} | {r.missing} |" for r in of_it]
    return "\n".join(
        (f"## {category}", "", "| rule | severity | fires when | without evidence |", "|---|---|---|---|", *rows)
    )


def test_the_page_lists_the_rules_as_they_are() -> None:
    categories = dict.fromkeys(rule.category for rule in rules())
    sections = [section(name, [rule for rule in rules() if rule.category == name]) for name in categories]
    text = "\n\n".join((HEAD.rstrip(), *sections)) + "\n"
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text
