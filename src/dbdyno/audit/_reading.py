"""Holds one value of one target, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Value = str | int | float
Certainty = Literal["read", "derived", "inferred", "asked"]
State = Literal["known", "not offered", "missing"]

_WEAKER: dict[str, int] = {"read": 0, "derived": 1, "inferred": 2, "asked": 3}


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """Describes a value with what it rests on.

    Parameters
    ----------
    state : known; not offered (the server has no such thing); missing (it should be there)
    certainty : read from the server, derived by a formula, inferred from stand-in evidence, asked in an option file
    lacks : the evidence that would settle it; empty unless missing
    implied : the value holds because the server has no such variable
    """

    state: State
    value: Value = ""
    certainty: Certainty = "read"
    lacks: str = ""
    implied: bool = False


NOT_OFFERED = SourcedValue("not offered")


def known(value: Value, certainty: Certainty = "read", *, implied: bool = False) -> SourcedValue:
    """Return a value that is known."""
    return SourcedValue("known", value, certainty, implied=implied)


def missing(lacks: str) -> SourcedValue:
    """Return a value that should be known, and what would show it."""
    return SourcedValue("missing", lacks=lacks)


def weakest(*certainties: Certainty) -> Certainty:
    """Return what a statement rests on that rests on all of these.

    >>> weakest("read", "asked", "derived")
    'asked'
    """
    return max(certainties, key=lambda certainty: _WEAKER[certainty], default="read")


def number(reading: SourcedValue) -> float:
    """Return the value of a known reading as a number; 0 when it is a word."""
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0
