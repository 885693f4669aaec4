"""Applies every check to a machine; an examination is JSON for programs and for results."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from dbdyno.core import Machine
from dbdyno.doctor._outcome import SEVERITIES, CheckOutcome
from dbdyno.doctor._verdict import (
    Generator,
    MachineCheck,
    Needs,
    RemoteAccess,
    RepeatSpread,
    Subject,
)
from dbdyno.doctor.checks import CHECKS, LOAD_HOST_CHECKS, REMOTE_CHECKS


@dataclass(frozen=True, slots=True)
class Examination:
    """Describes what was seen of a machine, and what every check says of it.

    Parameters
    ----------
    at_ns : Unix time; 0 where it is not known
    """

    machine: Machine
    outcomes: tuple[CheckOutcome, ...]
    at_ns: int = 0

    @property
    def findings(self) -> tuple[CheckOutcome, ...]:
        """Return what was found, the gravest first."""
        outcomes = [outcome for outcome in self.outcomes if outcome.state == "found"]
        return tuple(sorted(outcomes, key=lambda outcome: SEVERITIES.index(outcome.severity)))

    def of_severity(self, severity: str) -> tuple[CheckOutcome, ...]:
        """Return findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)


def examine(
    machine: Machine,
    needs: Needs | None = None,
    generator: Generator | None = None,
    access: RemoteAccess | None = None,
    *,
    spread: RepeatSpread | None = None,
    at_ns: int = 0,
) -> Examination:
    """Judge a machine: for any study, or for what one needs; a remote one by how it is reached, too."""
    subject = Subject(machine, needs, generator, access, spread)
    checks = CHECKS if access is None else (*CHECKS, *REMOTE_CHECKS)
    if subject.is_load_host:
        checks = LOAD_HOST_CHECKS
    return Examination(machine, tuple(_check_outcome(check, subject) for check in checks), at_ns)


def _check_outcome(check: MachineCheck, subject: Subject) -> CheckOutcome:
    verdict = check.judge(subject)
    return CheckOutcome(
        check.check_id, check.title, verdict.state, verdict.severity, verdict.seen, verdict.effect, verdict.remedy
    )


def examination_to_json(examination: Examination) -> dict[str, Any]:
    """Return plain data: the state of the machine, and all outcomes with ``id``."""
    rows = []
    for outcome in examination.outcomes:
        row = dataclasses.asdict(outcome)
        rows.append({"id": row.pop("check_id"), **row})
    return {"at_ns": examination.at_ns, "machine": dataclasses.asdict(examination.machine), "outcomes": rows}
