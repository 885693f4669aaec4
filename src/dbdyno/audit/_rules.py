"""Reads the fairness rules: rows of data, one file per category, evaluated by named predicates."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dbdyno.core import decode

Severity = Literal["critical", "high", "medium", "low", "info"]
Scope = Literal["across", "target", "study"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
CATEGORIES = (
    "transport", "schema", "redo", "durability", "memory", "flushing", "features", "semantics", "limits", "hygiene",
    "environment",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Describes one check.

    Parameters
    ----------
    severity : critical can decide the outcome alone; high can change a ranking; medium moves numbers; low is rarely
        seen; info is disclosure
    title : what differs, in words
    inputs : ids of neutral parameters and counters, or ``derived:``, ``variables:``, ``status:``, ``option_file:``,
        ``session:``, ``schema:``, ``host:``, ``run:``, ``study:``, ``text:`` and a name
    stand_in : input that is looked at where a fact of the load's sessions is not known; then inferred
    test : name of the predicate
    threshold : what the predicate compares with; its form is the predicate's
    scope : compares targets, judges each alone, or once a study
    evidence : what must be at hand to decide it
    when : values that a target must have in effect to take part
    families, since, storage_engine : of the targets that take part; empty for all
    condition : the test in words
    missing : what happens without evidence
    favours : whom a difference helps; `favoured` is the value they have, or ``largest`` or ``smallest``
    """

    rule_id: str
    severity: Severity
    category: str
    title: str
    inputs: tuple[str, ...]
    stand_in: str = ""
    test: str
    threshold: Any = None
    scope: Scope
    evidence: tuple[str, ...]
    when: Mapping[str, str] = field(default_factory=dict)
    families: tuple[str, ...] = ()
    since: str = ""
    storage_engine: str = ""
    condition: str
    missing: str = ""
    favours: str
    favoured: str = ""
    reason: str
    remedy: str
    source: str
    aliases: tuple[str, ...] = ()


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Return all rules, by category.

    >>> len(rules()), rules()[0].rule_id
    (99, 'tls-effective-mismatch')
    """
    return tuple(_parse_rule(category, row) for category in CATEGORIES for row in _read_rows(category))


def _read_rows(category: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "data" / "rules" / f"{category}.toml").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = tomllib.loads(text)["rule"]
    return rows


def _parse_rule(category: str, row: Mapping[str, Any]) -> Rule:
    return decode(Rule, {**row, "rule_id": row["id"], "category": category})
