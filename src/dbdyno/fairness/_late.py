"""Differences that came about while servers were driven."""

from __future__ import annotations

from dbdyno.audit import Audit, Finding, audit
from dbdyno.fairness._sets import study_sets
from dbdyno.store import StoredStudy


def late_findings(results: StoredStudy, early: Audit) -> tuple[Finding, ...]:
    """Findings by the variables as they were after the windows that those before them did not give.

    Nothing is audited twice where no variable changed while a server was driven.
    """
    if not any(caveat.code == "variables-changed" for record in results.records() for caveat in record.caveats):
        return ()
    known = {(finding.rule.rule_id, finding.campaign) for finding in early.findings}
    after = audit(study_sets(results, at_end=True)).findings
    return tuple(finding for finding in after if (finding.rule.rule_id, finding.campaign) not in known)
