"""Declares what the import needs of a tool: how its files are recognised, and what reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.imports._run import PartFacts, RunInput, ToolRun


@dataclass(frozen=True, slots=True)
class Companion:
    """Describes a kind of file that a tool writes next to its log.

    Parameters
    ----------
    names : words in the file's name that identify it
    heads : what its first lines look like
    """

    kind: str
    names: str
    heads: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Tool:
    """Describes a tool whose logs are imported. Its functions take text and touch no file.

    Parameters
    ----------
    name : as the command line calls it
    title : as it calls itself
    names : words in the name of a log that identify it, as an expression
    is_log : whether a text shows traces of the tool
    survey : the runs of a log, without reading all of it
    why_none : why a log without a run has none, and the line that says so
    read : one run, read and judged
    versions_differ : what is different between its versions, to end a caveat
    """

    name: str
    title: str
    names: str
    is_log: Callable[[str], bool]
    survey: Callable[[str], tuple[PartFacts, ...]]
    why_none: Callable[[str], tuple[str, int]]
    read: Callable[[RunInput], ToolRun]
    versions_differ: str
    companions: tuple[Companion, ...] = ()


def no_run(text: str, what: str) -> tuple[str, int]:
    """Return the usual answer to why a log has no run.

    >>> no_run(" ", "x"), no_run("a", "no run of x in it")
    (('the log is empty', 1), ('no run of x in it', 1))
    """
    return ("the log is empty", 1) if not text.strip() else (what, 1)
