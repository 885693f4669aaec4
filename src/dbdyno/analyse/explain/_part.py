"""Defines a part of the time and a run's breakdown: what every explanation is made of.

**T** is the milliseconds of a connection per committed transaction: connections / TPS in a closed loop, the mean
service time of a transaction where connections also rest (think time, open loop). A `Breakdown` splits one run's T
into `Part`s that add up to it. The same T can be split in more than one way: by what the client waited for
(``statements``), by what the server's threads did meanwhile (``threads``), or by whose work the processors did
(``processors``). Comparison, words and charts know only this module, so another way of splitting needs nothing but a
function that returns breakdowns.

>>> commit = Part("statement.commit", "COMMIT", 2.0, "service histograms", 1.0, "statements")
>>> reads = Part("statement.point_select", "point_select", 5.0, "service histograms", 10.0, "statements")
>>> breakdown = Breakdown(None, "statements", 7.1, (commit, reads, rest_of(7.1, (commit, reads))), 1000)
>>> round(breakdown.named_share, 3), round(sum(part.ms for part in breakdown.parts), 3)
(0.986, 7.1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import Run

FloatArray = NDArray[np.float64]
Split = Literal["statements", "threads", "processors"]
REST = "rest"
"""Id of the part that no source accounts for: T less all others, unrescaled, so it can be negative."""
_NO_WORK_IF_ABSENT = ("statement.", "thrown-away")
"""Begin ids of parts that bring their own count: one that is not there did no work."""


@dataclass(frozen=True, slots=True)
class PartKind:
    """Describes one kind of part: what it is called, what it holds and where it comes from.

    Parameters
    ----------
    words : for people; of a statement type its own name stands there
    meaning : which time it holds
    source : the stored record that it is read from
    unit : what its work is counted in; empty where it has none
    counters : of the server, whose growth together is that work; empty where the part brings its own count
    """

    words: str
    meaning: str
    source: str
    unit: str = ""
    counters: tuple[str, ...] = ()


PARTS: Mapping[str, PartKind] = MappingProxyType(
    {
        "statement": PartKind(
            "statements",
            "From sending a statement of one type until its whole reply was read, without the client's share and "
            "without attempts that were thrown away. One part for each statement type.",
            "service histograms of statement types in `intervals.parquet`",
            "statements",
        ),
        "thrown-away": PartKind(
            "attempts thrown away",
            "Statements of attempts that ended in a retryable error (1213, 1020, 1205) or were given up: those beyond "
            "what a committed transaction has in runs without such errors. Missing where every run had some.",
            "counts of statement types and retries in `intervals.parquet`",
            "attempts",
        ),
        "client.cpu": PartKind(
            "client's processor time",
            "Processor time of the load generator, divided equally among all statements.",
            "`client_cpu_ns_per_statement` in `seconds.parquet`",
            "statements",
        ),
        "client.run-delay": PartKind(
            "client's wait for a processor",
            "Time in which the load generator was ready to run but got no processor, counted once and divided "
            "equally among all statements. Known if the client has one worker.",
            "`client_cpu_wait_share` in `seconds.parquet`",
            "statements",
        ),
        REST: PartKind(
            "outside statements",
            "T less all other parts: gaps between statements, and what began or ended outside the seconds that count. "
            "It can be negative.",
            "the difference",
        ),
    }
)
"""The parts of the split by statement, by the first word of their ids."""


@dataclass(frozen=True, slots=True)
class Part:
    """Describes a share of the time of one run, in milliseconds per committed transaction.

    Parameters
    ----------
    part_id : stable and the same for every target, such as ``statement.commit``
    words : for people
    ms : per committed transaction
    source : what it was read from
    work : how much of `unit` a committed transaction took; `ms` / `work` is the cost of one. None without
    children : finer parts that add up to this one; empty where it is not split further
    series_ms : the part second by second, its mean being `ms`: for the noise of one run; None where not known
    """

    part_id: str
    words: str
    ms: float
    source: str
    work: float | None = None
    unit: str = ""
    children: tuple[Part, ...] = ()
    series_ms: FloatArray | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Describes the time of one run, split into parts that add up to it.

    Parameters
    ----------
    run : which; None in examples
    total_ms : T
    parts : at the top level; the last is `REST`, also where it is 0. Empty where nothing but T is known
    transactions : committed, in the seconds that count
    transaction_ms : mean service time of a transaction by its own histogram: in a closed loop a second way to T
    noise_share : half-width of T at 95 % from the seconds of the run, relative
    missing : why there are no parts, or why one is missing; empty where all are there
    unsampled_work : part that no sample found -> its work, which was counted all the same
    bench : that made it; empty where a study has one
    """

    run: Run | None
    split: Split
    total_ms: float
    parts: tuple[Part, ...]
    transactions: int
    transaction_ms: float | None = None
    noise_share: float = 0.0
    missing: str = ""
    unsampled_work: Mapping[str, float] = field(default_factory=dict)
    bench: str = ""

    @property
    def named_ms(self) -> float:
        """Return the sum of all parts but the rest."""
        return sum(part.ms for part in self.parts if part.part_id != REST)

    @property
    def named_share(self) -> float:
        """Return the closing check: sum of the parts that were measured over T, unrescaled; 1 is perfect."""
        return self.named_ms / self.total_ms

    def by_id(self) -> dict[str, Part]:
        """Return top-level parts by their ids."""
        return {part.part_id: part for part in self.parts}

    def work_of(self, part_id: str) -> float | None:
        """Return a part's work per transaction, 0 of a statement type that was not sent; None where it is unknown."""
        part = self.by_id().get(part_id)
        if part is not None:
            return part.work
        return 0.0 if part_id.startswith(_NO_WORK_IF_ABSENT) else self.unsampled_work.get(part_id)

    def leaves(self) -> Iterator[Part]:
        """Yield the finest parts."""
        pending = list(reversed(self.parts))
        while pending:
            part = pending.pop()
            if not part.children:
                yield part
            pending += reversed(part.children)


def rest_of(total_ms: float, parts: Sequence[Part]) -> Part:
    """Return what the parts leave of T."""
    kind = PARTS[REST]
    return Part(REST, kind.words, total_ms - sum(part.ms for part in parts), kind.source)


def mean_parts(members: Sequence[Breakdown]) -> dict[str, Part]:
    """Return parts of a cell with the mean of their milliseconds and work over its runs."""
    parts_by_id: dict[str, list[Part]] = {}
    for run in members:
        for part in run.parts:
            parts_by_id.setdefault(part.part_id, []).append(part)
    return {
        name: replace(
            parts[0],
            ms=sum(part.ms for part in parts) / len(members),
            work=mean_work(members, name),
            children=(),
            series_ms=None,
        )
        for name, parts in parts_by_id.items()
    }


def mean_work(members: Sequence[Breakdown], part_id: str) -> float | None:
    """Return the mean of a part's work over the runs of a cell; None where one run does not know it."""
    works = [work for run in members if (work := run.work_of(part_id)) is not None]
    return sum(works) / len(works) if works and len(works) == len(members) else None
