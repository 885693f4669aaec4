"""Lists what was found of the machine before the runs: a caveat that names it, and rows with details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import listed
from dbdyno.core import Caveat
from dbdyno.doctor import SEVERITIES, CheckOutcome, examination_from_json
from dbdyno.store import StoredStudy

_SPOKEN = 2
"""So many findings are shown in full on the first screen; of more there are the titles."""


@dataclass(frozen=True, slots=True)
class MachineFindings:
    """Holds what was found of the machine at all starts of a study.

    Parameters
    ----------
    times : how often the machine was looked at
    found : each finding once, with how many times it was made, the gravest first; its words are the last ones
    unknown : checks that the machine did not answer the last time
    """

    times: int
    found: tuple[tuple[CheckOutcome, int], ...]
    unknown: tuple[CheckOutcome, ...]

    @property
    def caveats(self) -> list[Caveat]:
        """Return one for blockers that were overruled, one for all that weakens; notes are none."""
        blockers = [finding for finding, _ in self.found if finding.severity == "blocker"]
        weakening_findings = [finding for finding, _ in self.found if finding.severity == "weakens"]
        caveats = []
        if blockers:
            text = "The runs were forced on an unsuitable machine"
            caveats.append(Caveat("machine-blocker", f"{text}: {_findings_sentence(blockers)}"))
        if weakening_findings:
            caveats.append(Caveat("machine", f"The machine: {_findings_sentence(weakening_findings)}"))
        return caveats


def machine_findings(results: StoredStudy) -> MachineFindings:
    """Return what was found before the runs of a study; nothing in folders that were written without."""
    examinations = [examination_from_json(document) for document in results.examinations()]
    latest_outcomes: dict[str, CheckOutcome] = {}
    times: dict[str, int] = {}
    for outcome in (outcome for examination in examinations for outcome in examination if outcome.state == "found"):
        latest_outcomes[outcome.check_id] = outcome
        times[outcome.check_id] = times.get(outcome.check_id, 0) + 1
    findings = sorted(latest_outcomes.values(), key=lambda finding: SEVERITIES.index(finding.severity))
    unknown_outcomes = [outcome for outcome in examinations[-1] if outcome.state == "unknown"] if examinations else []
    return MachineFindings(len(examinations), tuple((o, times[o.check_id]) for o in findings), tuple(unknown_outcomes))


def _findings_sentence(findings: Sequence[CheckOutcome]) -> str:
    if len(findings) <= _SPOKEN:
        return "; ".join(f"{finding.seen}: {finding.effect}" for finding in findings) + "."
    return f"{listed([finding.title.lower() for finding in findings])} may have moved results; see Machine."
