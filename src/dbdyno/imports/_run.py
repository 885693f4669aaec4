"""Defines what a log holds, whichever tool wrote it: where its runs stand, and what each says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbdyno.core import Caveat, OrderRates, RunStatus, ToolFigures, TotalFigures, TypeFigures
from dbdyno.store import JsonValue
from dbdyno.tables import Table

Wrong = tuple[tuple[int, str], ...]
"""Line from 1, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class RunHeader:
    """Holds what a run says of itself before it begins. None, or empty: it does not say.

    Parameters
    ----------
    version : the tool's, such as ``1.0.20``
    test : name of the workload: of the script, or the full one where dbdyno has the same
    options : of an echoed command, names with underscores, passwords left out
    lead_s : seconds that the tool drove before those that it counts
    family, server_version : of the server, where the tool asked it
    """

    version: str = ""
    threads: int | None = None
    interval_s: int | None = None
    rate_per_s: int | None = None
    warm_up_s: int | None = None
    test: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    lead_s: int = 0
    family: str = ""
    server_version: str = ""


@dataclass(frozen=True, slots=True)
class LogPart:
    """Holds where one run stands in the text of a log.

    Parameters
    ----------
    start, end : characters
    first_line : from 1
    """

    head: RunHeader
    start: int
    end: int
    first_line: int

    def last_line(self, part_text: str) -> int:
        """Return its last line that is not empty, from 1; `part_text` is its text."""
        return self.first_line + part_text.rstrip("\n").count("\n")


@dataclass(frozen=True, slots=True)
class PartFacts:
    """Describes one run in a log, as a first look finds it.

    Parameters
    ----------
    threads : None if unknown
    first_line : from 1
    duration_s : what is going to be its window, rounded; 0 if unknown
    is_whole : whether that is the length that was ordered: the log names it, or goes to the end of the run
    """

    head: RunHeader
    threads: int | None
    first_line: int
    duration_s: int
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """Holds a run's status, the reason in one line (empty when good) and its caveats."""

    status: RunStatus
    reason: str
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True)
class RunInput:
    """Describes one run to be read.

    Parameters
    ----------
    part_index : which run of the log
    threads, workload : of its cell, the workload without the rate and length that its label may hold
    companions : texts of the tool's own files next to the log, by kind
    """

    text: str
    part_index: int
    threads: int
    companions: Mapping[str, str] = field(default_factory=dict)
    workload: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """Holds what came of a run; see `dbdyno.core.RunRecord` for its figures. None means that the log does not say.

    Parameters
    ----------
    seconds : rows of `dbdyno.store.SecondRow`, as far as they are known; empty without intervals
    intervals : a histogram of the whole run as one row of `dbdyno.store.IntervalRow`; empty without
    start, end : facts of the run before it began and after it ended, as they are stored
    wrong : what is wrong in the log
    companions_wrong : in the files next to it, by kind
    """

    head: RunHeader
    judgement: RunVerdict
    tool: ToolFigures
    figures: TotalFigures = field(default_factory=TotalFigures)
    types: tuple[TypeFigures, ...] = ()
    orders: OrderRates | None = None
    seconds: Table | tuple[()] = ()
    intervals: Table | tuple[()] = ()
    start: Mapping[str, JsonValue] = field(default_factory=dict)
    end: Mapping[str, JsonValue] = field(default_factory=dict)
    wrong: Wrong = ()
    companions_wrong: Mapping[str, Wrong] = field(default_factory=dict)
