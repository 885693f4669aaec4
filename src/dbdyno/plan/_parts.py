"""Deals the runs of a study over several machines, so that what is compared is measured on one of them.

A *work unit* is a workload and memory tier, with all its routes, concurrencies, targets and rounds: it stays on one
machine. With more machines than work units its rounds are dealt, whole: the targets of a round are never split.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.core import RequestError, Run
from dbdyno.plan._budget import Budget
from dbdyno.study import Study

_PART_RE = re.compile(r"(\d{1,4})/(\d{1,4})")


@dataclass(frozen=True, slots=True)
class PartOfStudy:
    """Describes one of so many parts, from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> PartOfStudy:
        """Return a part as it is written.

        Raises
        ------
        RequestError : it is none

        >>> PartOfStudy.parse("2/3")
        PartOfStudy(number=2, count=3)
        """
        match = _PART_RE.fullmatch(text.strip())
        part = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= part.number <= part.count:
            raise RequestError(f"'{text}' is not a part of a study", "", "write for example --part 1/3, 2/3 and 3/3")
        return part

    def __str__(self) -> str:
        return f"{self.number}-of-{self.count}"


@dataclass(frozen=True, slots=True)
class Dealt:
    """Describes what a study takes when it is dealt over so many machines that are alike.

    Parameters
    ----------
    makespan_ns : until the last machine is done; each fetches its engines and fills its data first
    idle_share : of all machines' time until then, in which those that are done wait for the last
    machine_ns : all machines' time together, each given back when it is done
    """

    machines: int
    makespan_ns: int
    idle_share: float
    machine_ns: int


def dealt_over(study: Study, runs: Sequence[Run], budget: Budget, counts: Sequence[int] = (1, 2, 4, 8)) -> list[Dealt]:
    """Return the study over each count of machines for which it has blocks; empty where it can't be dealt.

    Every run is taken to last as long as the average one.
    """
    deals = []
    for count in counts:
        try:
            parts = [runs_of_part(study, runs, PartOfStudy(number, count)) for number in range(1, count + 1)]
        except RequestError:
            break
        times = [budget.prepare_ns + budget.runs.expected_ns * len(part) // len(runs) for part in parts]
        idle_share = 1 - sum(times) / (count * max(times))
        deals.append(Dealt(count, max(times), idle_share, sum(times)))
    return deals


def runs_of_part(study: Study, runs: Sequence[Run], part: PartOfStudy) -> tuple[Run, ...]:
    """Return the runs of a part, in the order of the study; all parts together have every run once.

    Raises
    ------
    RequestError : there are fewer blocks than parts, or what follows depends on runs of several parts
    """
    units = list(dict.fromkeys(map(work_unit, runs)))
    if part.count <= len(units):
        own_units = {unit for index, unit in enumerate(units) if index % part.count == part.number - 1}
        return tuple(run for run in runs if work_unit(run) in own_units)
    if study.repeats_max is not None:
        raise RequestError(
            f"a study with repeats_max can run in at most {len(units)} parts here",
            "whether a cell is repeated depends on all runs of its workload and memory tier, so those stay together",
            f"use {len(units)} or fewer, or remove repeats_max",
        )
    blocks = list(dict.fromkeys(block(run) for run in runs if not run.is_sentinel))
    if part.count > len(blocks):
        what = f"the study has {len(blocks)} blocks of work, too few for {part.count} parts"
        raise RequestError(
            what, "a block is one round of all targets at one workload and tier", f"use {len(blocks)} or fewer"
        )
    owner = {block: index % part.count for index, block in enumerate(blocks)}
    return tuple(run for run in runs if (0 if run.is_sentinel else owner[block(run)]) == part.number - 1)


def work_unit(run: Run) -> tuple[str, int]:
    """Return workload and memory tier of a run, whose runs stay on one machine while there are enough of them."""
    return (run.cell.workload, run.cell.tier_bytes)


def block(run: Run) -> tuple[str, int, int]:
    """Work unit and round of a run, whose targets are never divided between machines."""
    return (run.cell.workload, run.cell.tier_bytes, run.repeat)
