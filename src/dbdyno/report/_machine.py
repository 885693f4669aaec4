"""Lists what was found of the machine before the runs: a caveat that names it, and rows with details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analyse import listed
from dbdyno.core import Caveat
from dbdyno.doctor import SEVERITIES, Outcome, examination_from_json
from dbdyno.store import StoredStudy

_SPOKEN = 2
"""So many findings are told in full on the first screen; of more there are the titles."""


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
    found: tuple[tuple[Outcome, int], ...]
    unknown: tuple[Outcome, ...]

    @property
    def caveats(self) -> list[Caveat]:
        """One for blockers that were overruled, one for all that weakens; notes are none."""
        blockers = [finding for finding, _ in self.found if finding.severity == "blocker"]
        weak = [finding for finding, _ in self.found if finding.severity == "weakens"]
        found = []
        if blockers:
            text = "The runs were forced on an unsuitable machine"
            found.append(Caveat("machine-blocker", f"{text}: {_sentence(blockers)}"))
        if weak:
            found.append(Caveat("machine", f"The machine: {_sentence(weak)}"))
        return found


def machine_findings(results: StoredStudy) -> MachineFindings:
    """Return what was found before the runs of a study; nothing in folders that were written without."""
    looks = [examination_from_json(stored) for stored in results.examinations()]
    last: dict[str, Outcome] = {}
    times: dict[str, int] = {}
    for outcome in (outcome for look in looks for outcome in look if outcome.state == "found"):
        last[outcome.check_id] = outcome
        times[outcome.check_id] = times.get(outcome.check_id, 0) + 1
    ordered = sorted(last.values(), key=lambda finding: SEVERITIES.index(finding.severity))
    unknown = [outcome for outcome in looks[-1] if outcome.state == "unknown"] if looks else []
    return MachineFindings(len(looks), tuple((o, times[o.check_id]) for o in ordered), tuple(unknown))


def _sentence(findings: Sequence[Outcome]) -> str:
    if len(findings) <= _SPOKEN:
        return "; ".join(f"{finding.seen}: {finding.effect}" for finding in findings) + "."
    return f"{listed([finding.title.lower() for finding in findings])} may have moved results; see Machine."
