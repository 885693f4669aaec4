"""An examination as JSON, as it is printed for programs and kept with results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from dbdyno.doctor._examine import Examination
from dbdyno.doctor._verdict import Outcome


def examination_to_json(examination: Examination) -> dict[str, Any]:
    """Plain data: the state of the machine, and all outcomes with ``id``."""
    rows = []
    for outcome in examination.outcomes:
        row = dataclasses.asdict(outcome)
        rows.append({"id": row.pop("check_id"), **row})
    return {"at_ns": examination.at_ns, "machine": dataclasses.asdict(examination.machine), "outcomes": rows}


def examination_from_json(stored: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """The outcomes that were stored; the state of the machine stays plain data."""
    return tuple(
        Outcome(
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
