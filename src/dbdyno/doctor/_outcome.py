"""Holds what a check of a machine gave, as printed and stored. Who reads results needs this and no check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["blocker", "weakens", "note"]
State = Literal["found", "clear", "unknown", "idle"]
SEVERITIES: tuple[Severity, ...] = ("blocker", "weakens", "note")
"""Blocker: runs would fail or measure something else; weakens: they can be doubted for it; note: worth knowing."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """Holds a check with its answer, as printed and stored."""

    check_id: str
    title: str
    state: State
    severity: Severity
    seen: str
    effect: str = ""
    remedy: str = ""


def examination_from_json(stored: Mapping[str, Any]) -> tuple[CheckOutcome, ...]:
    """Return the outcomes that were stored; the state of the machine stays plain data."""
    return tuple(
        CheckOutcome(
            check_id=str(row["id"]),
            title=str(row["title"]),
            state=row["state"],
            severity=row["severity"],
            seen=str(row["seen"]),
            effect=str(row.get("effect", "")),
            remedy=str(row.get("remedy", "")),
        )
        for row in stored.get("outcomes", ())
    )
