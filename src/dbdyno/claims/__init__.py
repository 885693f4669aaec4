"""What published reports print, held against results of one's own: rules a kind of claim, rows of data a report."""

from dbdyno.claims._catalogue import REPORTS, CellSelector, Claim, Kind, Published, original_logs, published
from dbdyno.claims._cell_index import CellIndex, MeasuredLevel, NotSettled, ResultsOrigin, Undecidable, is_engine
from dbdyno.claims._judge import JudgedClaim, judge_claims
from dbdyno.claims._object import claims_object
from dbdyno.claims._result import ClaimResult, Outcome
from dbdyno.claims._words import (
    MARKS,
    about,
    arithmetic_words,
    is_of_cells,
    own_words,
    place_of,
    print_claims,
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
    "claims_object",
    "is_engine",
    "is_of_cells",
    "judge_claims",
    "original_logs",
    "own_words",
    "place_of",
    "print_claims",
    "printed_words",
    "published",
    "tally",
]
