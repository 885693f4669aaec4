"""Lists what was found of the machine before the runs: a caveat that names it, and rows with details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbdyno.analyse import listed, of_working_benches
from dbdyno.core import Caveat, counted, format_bytes
from dbdyno.doctor import SEVERITIES, CheckOutcome, examination_from_json
from dbdyno.store import StoredStudy, are_alike, gathered_parts

_SPOKEN = 2
"""So many findings are shown in full on the first screen; of more there are the titles."""


@dataclass(frozen=True, slots=True)
class MachineFindings:
    """Holds what was found of the machine at all starts of a study.

    Parameters
    ----------
    times : how often a machine was looked at
    host_count : how many machines were
    found : each finding once, with how many times it was made, the gravest first; its words are the last ones
    examined_times : check -> how often the machines were looked at of which one had its finding
    unknown : checks that the machine did not answer the last time
    machines : facts of those that made the runs, where parts of the study were gathered or it has several benches;
        of a bench with its name (``bench``)
    """

    times: int
    host_count: int
    found: tuple[tuple[CheckOutcome, int], ...]
    examined_times: Mapping[str, int]
    unknown: tuple[CheckOutcome, ...]
    machines: tuple[Mapping[str, Any], ...] = ()

    @property
    def caveats(self) -> list[Caveat]:
        """Return one for machines that differ, one for overruled blockers, one for all that weakens; notes are none."""
        blockers = [finding for finding, _ in self.found if finding.severity == "blocker"]
        weakening_findings = [finding for finding, _ in self.found if finding.severity == "weakens"]
        caveats = []
        if any(not are_alike(self.machines[0], machine) for machine in self.machines[1:]):
            machines = listed([named_machine(machine) for machine in self.machines])
            text = f"The runs were made on machines that differ: {machines}. A comparison of workloads or memory tiers "
            caveats.append(Caveat("host-mismatch", text + "compares machines, too."))
        if blockers:
            text = "The runs were forced on an unsuitable machine"
            caveats.append(Caveat("machine-blocker", f"{text}: {_findings_sentence(blockers)}"))
        if weakening_findings:
            caveats.append(Caveat("machine", f"The machine: {_findings_sentence(weakening_findings)}"))
        return caveats


def machine_words(facts: Mapping[str, Any]) -> str:
    """Return processor and memory of a machine, as far as they are known."""
    processor_count, memory_bytes = facts.get("logical_cpu_count"), facts.get("memory_bytes")
    words = [str(facts.get("cpu_model") or "")]
    words += [counted(processor_count, "processor")] if isinstance(processor_count, int) else []
    words += [format_bytes(memory_bytes)] if isinstance(memory_bytes, int) and memory_bytes else []
    return ", ".join(filter(None, words))


def named_machine(facts: Mapping[str, Any]) -> str:
    """Return the name of a machine, and of its bench, with its processor and memory."""
    name = facts.get("hostname") or "a machine without a name"
    bench_words = f"bench {facts['bench']} on " if "bench" in facts else ""
    return f"{bench_words}{name} ({machine_words(facts) or 'nothing is known of it'})"


def machine_findings(results: StoredStudy) -> MachineFindings:
    """Return what was found before the runs of a study; nothing in folders that were written without."""
    examinations = [(_examined_host(facts), examination_from_json(facts)) for facts in results.examinations()]
    host_times = Counter(host for host, _ in examinations)
    latest_outcomes: dict[str, CheckOutcome] = {}
    hosts: dict[str, list[str]] = {}
    for host, outcome in ((host, outcome) for host, outcomes in examinations for outcome in outcomes):
        if outcome.state == "found":
            latest_outcomes[outcome.check_id] = outcome
            hosts.setdefault(outcome.check_id, []).append(host)
    findings = sorted(latest_outcomes.values(), key=lambda finding: SEVERITIES.index(finding.severity))
    found, examined_times = [], {}
    for finding in findings:
        names = sorted(set(hosts[finding.check_id]))
        named = replace(finding, seen=f"{listed(names)}: {finding.seen}") if len(host_times) > 1 else finding
        examined_times[finding.check_id] = sum(host_times[name] for name in names)
        found.append((named, len(hosts[finding.check_id])))
    last_examinations = dict(examinations)
    unknown = {o.check_id: o for outcomes in last_examinations.values() for o in outcomes if o.state == "unknown"}
    return MachineFindings(
        len(examinations),
        len(host_times),
        tuple(found),
        examined_times,
        tuple(unknown.values()),
        _machines(results),
    )


def _machines(results: StoredStudy) -> tuple[Mapping[str, Any], ...]:
    """Return facts of the machines of gathered parts, else of the benches that made runs; none of a study with one."""
    parts = {str(sorted(part["host"].items())): part["host"] for part in gathered_parts(results)}
    if parts:
        return tuple(parts.values())
    benches: Mapping[str, Mapping[str, Any]] = results.host.get("benches", {})
    names = {record.bench for record in of_working_benches(results.records())}
    return tuple({**benches[name], "bench": name} for name in sorted(names & benches.keys()))


def _examined_host(facts: Mapping[str, Any]) -> str:
    """Return the host or the bench that an examination names; empty where a study has but one machine."""
    return str(facts.get("host") or facts.get("bench") or "")


def _findings_sentence(findings: Sequence[CheckOutcome]) -> str:
    if len(findings) <= _SPOKEN:
        return "; ".join(f"{finding.seen}: {finding.effect}" for finding in findings) + "."
    return f"{listed([finding.title.lower() for finding in findings])} may have moved results; see Machine."
