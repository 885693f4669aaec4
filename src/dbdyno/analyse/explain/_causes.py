"""Reads the causes that a difference is searched for: rows of data in `data/causes.toml`, read and checked once.

>>> cause = next(cause for cause in causes() if cause.cause_id == "slow-flushes")
>>> cause.claims[0], cause.alteration
(PartClaim(part='thread.redo_flush', factor='cost'), 'durability-relaxed')
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dbdyno.core import AnalysisError, decode

FACTORS = (
    "attempts",
    "count",
    "cost",
    "whole",
    "work",
    "neighbours",
    "steal",
    "client",
    "background",
    "sessions",
    "stretch",
)
"""Factors of a part's difference."""


@dataclass(frozen=True, slots=True)
class PartClaim:
    """Describes a part that a cause takes, or one factor of it.

    Parameters
    ----------
    part : its id; a ``*`` stands for any letters
    factor : one of `FACTORS`; empty: all of the part
    """

    part: str
    factor: str = ""

    def takes(self, part_id: str, factor: str) -> bool:
        """Return whether it is about this factor of this part."""
        return self.factor in ("", factor) and fnmatchcase(part_id, self.part)


@dataclass(frozen=True, slots=True)
class Condition:
    """States what must hold of the slower side against the other: exactly one of `grows`, `falls`, `has`, `differs`.

    Parameters
    ----------
    grows : a fact that is `times` as large or more, or larger `by` so much or more
    falls : a fact of which the other side has `times` as much or more, or more `by` so much
    has : a fact that is more than 0
    differs : a neutral setting whose values are known and differ; with `value` the longer side's is of that pattern,
        with `order` both are in it and the longer side's comes later, with `larger` both are numbers and the longer
        side's is the larger one
    """

    grows: str = ""
    falls: str = ""
    has: str = ""
    differs: str = ""
    times: float = 0.0
    by: float = 0.0
    value: str = ""
    order: tuple[str, ...] = ()
    larger: bool = False


@dataclass(frozen=True, slots=True)
class ProcessorWork:
    """Holds processor time that comes with a cause's work.

    Parameters
    ----------
    fact : that the work is counted by
    most_us : processor time of one, at most
    alone : it is the cause also where none of the parts grew that the cause claims
    """

    fact: str
    most_us: float
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Cause:
    """Describes a cause. What each field means, `data/causes.toml` says above the rows.

    Parameters
    ----------
    claims : none where the processor time that its work brings is all that it takes
    claims_of_one_build : those that count in addition between servers of one family, version and storage engine
    conditions : that must all hold
    alternatives : of which one must hold, where there are any
    """

    cause_id: str
    words: str
    claims: tuple[PartClaim, ...]
    remedy: str
    claims_of_one_build: tuple[PartClaim, ...] = ()
    brings: tuple[PartClaim, ...] = ()
    replaces: tuple[PartClaim, ...] = ()
    conditions: tuple[Condition, ...] = ()
    alternatives: tuple[Condition, ...] = ()
    settings: tuple[str, ...] = ()
    alteration: str = ""
    processor: ProcessorWork | None = None

    @property
    def is_work_alone(self) -> bool:
        """Return whether the processor time that its work brings is enough to be the cause."""
        return self.processor is not None and (self.processor.alone or not self.all_claims)

    @property
    def all_claims(self) -> tuple[PartClaim, ...]:
        """Return what it claims between servers of one build."""
        return (*self.claims, *self.claims_of_one_build)


@dataclass(frozen=True, slots=True)
class _Row:
    """Describes a row as written."""

    id: str
    words: str
    claims: tuple[str, ...]
    remedy: str
    claims_of_one_build: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    all: tuple[Mapping[str, Any], ...] = ()
    any: tuple[Mapping[str, Any], ...] = ()
    settings: tuple[str, ...] = ()
    alteration: str = ""
    processor: ProcessorWork | None = None


@functools.cache
def causes() -> tuple[Cause, ...]:
    """Return all causes, in the order in which they take what they claim."""
    text = (Path(__file__).parent / "data" / "causes.toml").read_text(encoding="utf-8")
    return causes_from(text)


def causes_from(text: str) -> tuple[Cause, ...]:
    """Return causes of a table as `data/causes.toml` is one.

    Raises
    ------
    AnalysisError : two rows have one id, or a row has a key, a factor or a condition that means nothing
    DecodeError : a value is of another type than its key has
    """
    rows = [_cause(row) for row in tomllib.loads(text)["cause"]]
    ids = [cause.cause_id for cause in rows]
    if len(set(ids)) < len(ids):
        raise AnalysisError("two causes have the same id", ", ".join(ids))
    return tuple(rows)


def _cause(row: Mapping[str, Any]) -> Cause:
    fields = _Row.__slots__
    if unknown_keys := sorted(set(row) - set(fields)):
        raise AnalysisError(f"cause {row.get('id', '?')} has unknown keys", ", ".join(unknown_keys))
    parsed_row = decode(_Row, row)
    return Cause(
        parsed_row.id,
        parsed_row.words,
        tuple(map(_claim, parsed_row.claims)),
        parsed_row.remedy,
        tuple(map(_claim, parsed_row.claims_of_one_build)),
        tuple(map(_claim, parsed_row.brings)),
        tuple(map(_claim, parsed_row.replaces)),
        tuple(map(_condition, parsed_row.all)),
        tuple(map(_condition, parsed_row.any)),
        parsed_row.settings,
        parsed_row.alteration,
        parsed_row.processor,
    )


def _claim(text: str) -> PartClaim:
    part, _, factor = text.partition("/")
    if factor not in ("", *FACTORS):
        raise AnalysisError(f"'{text}' claims an unknown factor", ", ".join(FACTORS))
    return PartClaim(part, factor)


def _condition(row: Mapping[str, Any]) -> Condition:
    condition = decode(Condition, {"value" if key == "is" else key: value for key, value in row.items()})
    is_known = set(row) <= {"grows", "falls", "has", "differs", "times", "by", "is", "order", "larger"}
    is_whole = sum(map(bool, (condition.grows, condition.falls, condition.has, condition.differs))) == 1
    has_amount = bool(condition.grows or condition.falls)
    if not (
        is_known
        and is_whole
        and has_amount == (bool(condition.times) != bool(condition.by))
        and (has_amount or not (condition.times or condition.by))
        and (bool(condition.differs) or not (condition.value or condition.order or condition.larger))
    ):
        raise AnalysisError("a condition of a cause means nothing", str(dict(row)))
    return condition
