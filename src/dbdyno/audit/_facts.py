"""Holds the facts of compared targets as plain values, from any collector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Row = Mapping[str, str]
Facts = Mapping[str, Any]
_NOTHING: Facts = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """Holds all that was dumped, read or stated of one target; what is not known stays None or empty.

    Names of variables, status rows and options are in lower case with underscores; values are the server's text.

    Parameters
    ----------
    variables : rows of SHOW GLOBAL VARIABLES
    status : rows of SHOW GLOBAL STATUS, the earliest dump there is
    status_end : rows of a dump taken after `status`
    status_each_second : rows of SHOW GLOBAL STATUS in the measured window, one entry a second, in order
    counters_each_second : the same by neutral counter, such as ``redo.checkpoint_age``; those that grow as their sum
    summary : counters since start as pt-mysql-summary prints them (rounded figures per day), taken after a load;
        its lines Hostname and Version as ``hostname``, ``version`` and ``version_comment``
    option_file : what the option files and the command line ask for: ``skip-log-bin`` is ``log_bin`` = ``OFF``; an
        empty mapping says that there is no option file, None that nobody knows
    session, schema, host, run : facts of the laboratory, see docs/guides/audit.md for the names
    version : of the server, where no variables show it
    storage_engine : of the test tables, where that is known
    """

    name: str
    variables: Row | None = None
    status: Row | None = None
    status_end: Row | None = None
    status_each_second: tuple[Row, ...] = ()
    counters_each_second: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    summary: Row | None = None
    option_file: Row | None = None
    session: Facts = field(default_factory=lambda: _NOTHING)
    schema: Facts = field(default_factory=lambda: _NOTHING)
    host: Facts = field(default_factory=lambda: _NOTHING)
    run: Facts = field(default_factory=lambda: _NOTHING)
    version: str = ""
    storage_engine: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonSet:
    """Describes the targets that one table or chart sets side by side: same workload, memory tier and campaign.

    Parameters
    ----------
    study : facts of the study, such as ``driver`` or ``max_threads``
    text : what a person states, such as ``claims``
    """

    targets: tuple[TargetFacts, ...]
    campaign: str = ""
    tier: str = ""
    study: Facts = field(default_factory=lambda: _NOTHING)
    text: Facts = field(default_factory=lambda: _NOTHING)
