"""Deals the runs of a study over several machines, so that what is compared is measured on one of them.

A *work unit* is a workload and memory tier, with all its routes, concurrencies, targets and rounds: it stays on one
machine. With more machines than work units its rounds are dealt, whole: the targets of a round are never split.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.core import RequestError, Run
from dbdyno.study import Study

_PART_RE = re.compile(r"(\d{1,4})/(\d{1,4})")


@dataclass(frozen=True, slots=True)
class PartOfStudy:
    """One of so many parts, from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> PartOfStudy:
        """A part as it is written.

        Raises
        ------
        RequestError : it is none

        >>> PartOfStudy.parse("2/3")
        PartOfStudy(number=2, count=3)
        """
        match = _PART_RE.fullmatch(text.strip())
        part = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= part.number <= part.count:
            raise RequestError(f"'{text}' is no part of a study", "", "write for example --part 1/3, 2/3 and 3/3")
        return part

    def __str__(self) -> str:
        return f"{self.number}-of-{self.count}"


def runs_of_part(study: Study, runs: Sequence[Run], part: PartOfStudy) -> tuple[Run, ...]:
    """The runs of a part, in the order of the study; all parts together have every run once.

    Raises
    ------
    RequestError : there are fewer blocks than parts, or what follows depends on runs of all parts
    """
    if study.repeats_max is not None:
        raise RequestError(
            "a study whose repeats are left open can't be run in parts",
            "each further repeat depends on what the runs of all parts have shown",
            "leave repeats_max out, and give as many repeats as are needed",
        )
    units = list(dict.fromkeys((run.cell.workload, run.cell.tier_bytes) for run in runs))
    if part.count <= len(units):
        own = {unit for index, unit in enumerate(units) if index % part.count == part.number - 1}
        return tuple(run for run in runs if (run.cell.workload, run.cell.tier_bytes) in own)
    blocks = list(dict.fromkeys(_block(run) for run in runs if not run.is_sentinel))
    if part.count > len(blocks):
        what = f"the study has {len(blocks)} blocks of work, too few for {part.count} parts"
        raise RequestError(
            what, "a block is all targets of a workload and tier in a round", f"use {len(blocks)} or fewer"
        )
    owner = {block: index % part.count for index, block in enumerate(blocks)}
    return tuple(run for run in runs if owner.get(_block(run), 0) == part.number - 1)


def _block(run: Run) -> tuple[str, int, int]:
    return (run.cell.workload, run.cell.tier_bytes, run.repeat)
