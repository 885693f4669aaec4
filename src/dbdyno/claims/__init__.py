"""What published reports print, held against results of one's own: rules a kind of claim, rows of data a report."""

from dbdyno.claims._book import Book, CannotTell, Reading, is_engine
from dbdyno.claims._catalogue import REPORTS, Claim, Kind, Published, Spot, published
from dbdyno.claims._judge import JudgedClaim, judge_claims
from dbdyno.claims._object import claims_object
from dbdyno.claims._outcome import Outcome, Told
from dbdyno.claims._words import MARKS, is_of_cells, own_words, place_of, print_claims, printed_words, tally

__all__ = [
    "MARKS",
    "REPORTS",
    "Book",
    "CannotTell",
    "Claim",
    "JudgedClaim",
    "Kind",
    "Outcome",
    "Published",
    "Reading",
    "Spot",
    "Told",
    "claims_object",
    "is_engine",
    "is_of_cells",
    "judge_claims",
    "own_words",
    "place_of",
    "print_claims",
    "printed_words",
    "published",
    "tally",
]
