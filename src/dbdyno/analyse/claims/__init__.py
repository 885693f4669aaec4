"""Checks what published reports claim against your own results: a rule per kind of claim, a data file per report."""

from dbdyno.analyse.claims._catalogue import REPORTS, CellSelector, Claim, Kind, Published, original_logs, published
from dbdyno.analyse.claims._cell_index import (
    CellIndex,
    MeasuredLevel,
    NotSettled,
    ResultsOrigin,
    Undecidable,
)
from dbdyno.analyse.claims._judge import JudgedClaim, judge_claims
from dbdyno.analyse.claims._object import claims_object
from dbdyno.analyse.claims._result import ClaimResult, Outcome
from dbdyno.analyse.claims._words import (
    MARKS,
    about,
    arithmetic_words,
    claim_scope,
    is_of_cells,
    own_words,
    printed_words,
    tally,
)

__all__ = [
    "MARKS",
    "REPORTS",
    "CellIndex",
    "CellSelector",
    "Claim",
    "ClaimResult",
    "JudgedClaim",
    "Kind",
    "MeasuredLevel",
    "NotSettled",
    "Outcome",
    "Published",
    "ResultsOrigin",
    "Undecidable",
    "about",
    "arithmetic_words",
    "claim_scope",
    "claims_object",
    "is_of_cells",
    "judge_claims",
    "original_logs",
    "own_words",
    "printed_words",
    "published",
    "tally",
]
