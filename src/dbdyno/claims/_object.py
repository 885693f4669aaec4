"""`dbdyno claims --json`: judged claims as one object for programs."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence

from dbdyno.claims._catalogue import Published
from dbdyno.claims._judge import JudgedClaim
from dbdyno.stats import METHOD

SCHEMA_VERSION = 1


def claims_object(report: Published, judged: Sequence[JudgedClaim]) -> dict[str, object]:
    """All claims with print, own figure, interval, verdict and reason; values in each claim's unit."""
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "report": report.report_id,
        "title": report.title,
        "counts": Counter(row.told.outcome for row in judged),
        "claims": [_row(row) for row in judged],
    }


def _row(row: JudgedClaim) -> dict[str, object]:
    claim, told = row.claim, row.told
    return {
        "id": claim.claim_id,
        "kind": claim.kind,
        "words": claim.words,
        "at": dataclasses.asdict(claim.at),
        "against": dataclasses.asdict(claim.against),
        "unit": claim.unit,
        "printed": list(claim.values),
        "rounding": claim.rounding,
        "own": told.own,
        "low": told.low,
        "high": told.high if told.high is None or math.isfinite(told.high) else None,
        "outcome": told.outcome,
        "reason": told.reason,
    }
