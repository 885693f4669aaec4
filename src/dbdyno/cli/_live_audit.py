"""The audit of a study's servers before its first run: what `dbdyno run` brings to the lab, and its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno import lab
from dbdyno.audit import Finding, audit, what
from dbdyno.cli._words import counted
from dbdyno.core import format_memory
from dbdyno.fairness import inspected_set
from dbdyno.store import Results, StoredRun
from dbdyno.study import AuditStop, Study

_GRAVE = ("critical", "high")
_ABOUT_EVIDENCE = "evidence-captured-too-early"
"""Asks whether dumps saw the load. Before the first run none can have, and that is no difference."""
_STOPPING = {"never": (), "critical": ("critical",), "high": _GRAVE}


def auditor(stop_at: AuditStop) -> lab.Auditor:
    """Judges servers by all rules; findings of `stop_at` and graver ones stop the study."""

    def judge(results: Results, study: Study, looks: Sequence[StoredRun]) -> lab.ServersAudited:
        result = audit([inspected_set(results, study, looks)])
        findings = [finding for finding in result.findings if finding.rule.rule_id != _ABOUT_EVIDENCE]
        cell = looks[0].record.run.cell
        return lab.ServersAudited(
            place=f"{cell.workload}, {format_memory(cell.tier_bytes)}, {cell.route}",
            targets=tuple(look.record.run.cell.target for look in looks),
            findings=tuple(_told(finding) for finding in findings),
            undecided_count=len(result.with_outcome("undecided")),
            stops=any(finding.severity in _STOPPING[stop_at] for finding in findings),
        )

    return judge


def _told(finding: Finding) -> lab.AuditFinding:
    return lab.AuditFinding(finding.rule.rule_id, finding.severity, what(finding), finding.favours)


def audit_lines(told: lab.ServersAudited) -> Iterator[str]:
    """Counts in one line, then each grave finding in one of its own."""
    grave = [finding for finding in told.findings if finding.severity in _GRAVE]
    lesser = len(told.findings) - len(grave)
    counts = [
        f"{number} {severity}" for severity in _GRAVE if (number := sum(f.severity == severity for f in told.findings))
    ]
    words = " and ".join([", ".join(counts) or "nothing grave", *([f"{lesser} lesser"] if lesser else [])])
    open_ones = f", {counted(told.undecided_count, 'rule')} undecided before anything is driven"
    yield f"  {'✘' if grave else '✔'} audit of the servers at {told.place}: {words}{open_ones}"
    for finding in grave:
        yield f"      {finding.severity}: {finding.words}. Favours {finding.favours}  [{finding.rule_id}]"
    if grave and not told.stops:
        yield "      Ctrl-C ends it here; dbdyno audit --fix writes a study without what settings remove"
