"""Decides what a change must not do, for an exit code: no cell slower, no quantile longer, none missing.

Each cell of a rule ends in one of three ways. It FAILs where it is worse by more than allowed and the change is beyond
chance. It PASSes where its 95 % interval excludes that it is. All else is NOT SHOWN, with what would decide it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from dbdyno.analyse._diff import QUANTILE_OF, CellChange, Measure
from dbdyno.core import RequestError
from dbdyno.stats import repeats_to_exclude

GateOutcome = Literal["FAIL", "NOT SHOWN", "PASS"]
_RE = re.compile(r"(\S+?)\s*:\s*(\d+(?:\.\d+)?)\s*%")
_OTHER_WORDS = {"faster": "slower", "tps": "slower", "throughput": "slower", "latency": "p99", "response": "p99"}
_FORMS = "slower:3%, p99:10% (also p50, p95, p999), or missing"


@dataclass(frozen=True, slots=True)
class Criterion:
    """Describes one rule of a build.

    Parameters
    ----------
    text : as requested
    measure : None for the rule that no cell may be missing
    allowed : share by which a cell may be worse, 0 to 1
    """

    text: str
    measure: Measure | None
    allowed: float

    def outcome_of(self, change: CellChange) -> GateOutcome:
        """Return what a cell's change means for the rule.

        No allowance is made for many cells where one PASSes: all have to, so each is held to the whole of its interval.
        """
        if change.verdict == "not settled":
            return "NOT SHOWN"
        if change.is_significant and self._is_beyond(change.ratio):
            return "FAIL"
        return "NOT SHOWN" if self._is_beyond(change.low if self.measure == "tps" else change.high) else "PASS"

    def repeats_for(self, change: CellChange, family: int) -> int | None:
        """Return repeats with which the cell would FAIL or PASS, with power 0.8; None where a hundred would not do.

        Parameters
        ----------
        family : cells of the measure that were tested together, among which a change has to be beyond chance
        """
        sign = 1 if self.measure == "tps" else -1
        worst = math.log1p(-sign * self.allowed)
        repeats = repeats_to_exclude(sign * math.log(change.ratio), sign * worst, change.sd, 0.05 / max(family, 1))
        return None if repeats is None else max(repeats, change.runs + 1)

    def _is_beyond(self, ratio: float) -> bool:
        return ratio < 1 - self.allowed if self.measure == "tps" else ratio > 1 + self.allowed


def parse_criterion(text: str) -> Criterion:
    """Return a rule from its spelling on the command line.

    Raises
    ------
    RequestError : none of the forms

    >>> parse_criterion("slower:3%"), parse_criterion("p99:10%").measure, parse_criterion("missing").measure
    (Criterion(text='slower:3%', measure='tps', allowed=0.03), 'p99', None)
    """
    if text.strip() == "missing":
        return Criterion(text, None, 0.0)
    match = _RE.fullmatch(text.strip())
    measure: Measure | None = None
    if match is not None:
        measure = "tps" if match[1] == "slower" else QUANTILE_OF.get(match[1])
    if match is None or measure is None:
        raise RequestError(f"'{text}' is not a rule of --fail-on", "", _spelling_remedy(text.strip()))
    allowed_share = float(match[2]) / 100
    if measure == "tps" and allowed_share >= 1:
        raise RequestError(f"'{text}' can't be broken", "nothing is slower by 100 % or more", f"write {_FORMS}")
    return Criterion(text, measure, allowed_share)


def _spelling_remedy(text: str) -> str:
    name, colon, share = text.partition(":")
    suggestion = f"{_OTHER_WORDS.get(name.strip().lower(), name)}{colon}{share}"
    for form in (suggestion, f"{suggestion}%"):
        if form != text and (match := _RE.fullmatch(form)) and (match[1] == "slower" or match[1] in QUANTILE_OF):
            return f"did you mean {form}?"
    return f"write {_FORMS}"
