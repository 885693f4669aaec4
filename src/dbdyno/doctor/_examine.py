"""Every check put to a machine."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.core import Machine
from dbdyno.doctor._needs import Generator, Needs
from dbdyno.doctor._verdict import SEVERITIES, Check, Outcome, Subject
from dbdyno.doctor.checks import CHECKS


@dataclass(frozen=True, slots=True)
class Examination:
    """What was seen of a machine, and what every check says of it.

    Parameters
    ----------
    at_ns : Unix time; 0 where it is not known
    """

    machine: Machine
    outcomes: tuple[Outcome, ...]
    at_ns: int = 0

    @property
    def findings(self) -> tuple[Outcome, ...]:
        """What was found, the gravest first."""
        found = [outcome for outcome in self.outcomes if outcome.state == "found"]
        return tuple(sorted(found, key=lambda outcome: SEVERITIES.index(outcome.severity)))

    def of_severity(self, severity: str) -> tuple[Outcome, ...]:
        """Findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)


def examine(
    machine: Machine, needs: Needs | None = None, generator: Generator | None = None, *, at_ns: int = 0
) -> Examination:
    """Judge a machine: for any study, or for what one needs."""
    subject = Subject(machine, needs, generator)
    return Examination(machine, tuple(_outcome(check, subject) for check in CHECKS), at_ns)


def _outcome(check: Check, subject: Subject) -> Outcome:
    said = check.judge(subject)
    return Outcome(check.check_id, check.title, said.state, said.severity, said.seen, said.effect, said.remedy)
