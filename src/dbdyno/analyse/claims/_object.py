"""`dbdyno claims --json`: returns judged claims as one object for programs."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence

from dbdyno.analyse.claims._catalogue import Published
from dbdyno.analyse.claims._judge import JudgedClaim
from dbdyno.stats import METHOD

SCHEMA_VERSION = 2


def claims_object(report: Published, judged: Sequence[JudgedClaim]) -> dict[str, object]:
    """Return all claims with print, recomputed figure, interval, verdict and reason; values in each claim's unit."""
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "report": report.report_id,
        "title": report.title,
        "counts": Counter(row.result.outcome for row in judged),
        "claims": [_claim_object(row) for row in judged],
    }


def _claim_object(row: JudgedClaim) -> dict[str, object]:
    claim, result = row.claim, row.result
    return {
        "id": claim.claim_id,
        "kind": claim.kind,
        "words": claim.words,
        "sentence": claim.sentence,
        "at": dataclasses.asdict(claim.at),
        "against": dataclasses.asdict(claim.against),
        "unit": claim.unit,
        "printed": list(claim.values),
        "rounding": claim.rounding,
        "own": result.own,
        "low": result.low,
        "high": result.high if result.high is None or math.isfinite(result.high) else None,
        "outcome": result.outcome,
        "reason": result.reason,
        "counted": result.counted,
        "figures": list(result.figures),
        "gives_print": result.gives_print,
        "caveats": [dataclasses.asdict(caveat) for caveat in result.caveats],
    }
