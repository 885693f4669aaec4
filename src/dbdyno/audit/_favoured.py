"""Which targets a difference helps, where their value tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dbdyno.audit._normalise import parse_number
from dbdyno.audit._rules import Rule


def favours(rule: Rule, values: Mapping[str, Any]) -> str:
    """The rule's words, and the targets it points at.

    >>> from dbdyno.audit._rules import rules
    >>> redo = next(rule for rule in rules() if rule.rule_id == "redo-capacity-mismatch")
    >>> favours(redo, {"derived:redo_capacity": {"2147483648": ["a"], "4294967296": ["b", "c"]}})
    'the larger log, in writes: b, c'
    """
    names = _chosen(rule.favoured, values) if rule.favoured else []
    return f"{rule.favours}: {', '.join(names)}" if names else rule.favours


def _chosen(favoured: str, values: Mapping[str, Any]) -> list[str]:
    groups = _first_groups(values)
    if favoured in ("largest", "smallest"):
        sizes = {label: size for label in groups if (size := parse_number(label)) is not None}
        if len(sizes) < 2:
            return []
        pick = max if favoured == "largest" else min
        return list(groups[pick(sizes, key=lambda label: sizes[label])])
    return list(groups.get(favoured, groups.get(favoured.upper(), ())))


def _first_groups(values: Mapping[str, Any]) -> Mapping[str, Any]:
    first = next(iter(values.values()), ())
    return first if isinstance(first, Mapping) else values
