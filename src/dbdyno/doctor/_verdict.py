"""What a check says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dbdyno.core import Machine
from dbdyno.doctor._needs import Generator, Needs

Severity = Literal["blocker", "weakens", "note"]
State = Literal["found", "clear", "unknown", "idle"]
SEVERITIES: tuple[Severity, ...] = ("blocker", "weakens", "note")
"""Blocker: runs would fail or measure something else; weakens: they can be doubted for it; note: worth knowing."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined; `needs` and `generator` are None where nobody asked."""

    machine: Machine
    needs: Needs | None = None
    generator: Generator | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one check.

    Parameters
    ----------
    state : found; clear; unknown, because the machine did not tell; idle: nothing here to judge
    seen : what the machine says
    effect : of what was found on results
    remedy : command or change that removes it
    """

    state: State
    seen: str
    severity: Severity = "note"
    effect: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at."""

    check_id: str
    title: str
    judge: Callable[[Subject], Verdict]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A check with its answer, as it is printed and stored."""

    check_id: str
    title: str
    state: State
    severity: Severity
    seen: str
    effect: str = ""
    remedy: str = ""


def blocks(seen: str, effect: str, remedy: str) -> Verdict:
    """Runs would fail, or measure something else."""
    return Verdict("found", seen, "blocker", effect, remedy)


def weakens(seen: str, effect: str, remedy: str) -> Verdict:
    """Results can be doubted for it."""
    return Verdict("found", seen, "weakens", effect, remedy)


def notes(seen: str, effect: str, remedy: str) -> Verdict:
    """Worth knowing beside the results."""
    return Verdict("found", seen, "note", effect, remedy)


def clear(seen: str) -> Verdict:
    """Nothing in the way."""
    return Verdict("clear", seen)


def unknown(why: str) -> Verdict:
    """The machine does not tell."""
    return Verdict("unknown", why)


def idle(why: str) -> Verdict:
    """There is no such thing here, or the study does not ask for it."""
    return Verdict("idle", why)
