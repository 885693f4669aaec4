"""Differences that came about while servers were driven."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.audit import Audit, Finding, audit
from dbdyno.core import RunRecord
from dbdyno.fairness._sets import study_sets
from dbdyno.store import Results


def late_findings(results: Results, early: Audit, records: Sequence[RunRecord] | None = None) -> tuple[Finding, ...]:
    """Findings by the variables as they were after the windows that those before them did not give.

    Nothing is audited twice where no variable changed while a server was driven.

    Parameters
    ----------
    records : every stored run, where they are read already
    """
    stored = results.records() if records is None else records
    if not any(caveat.code == "variables-changed" for record in stored for caveat in record.caveats):
        return ()
    known = {(finding.rule.rule_id, finding.campaign) for finding in early.findings}
    after = audit(study_sets(results, stored, at_end=True)).findings
    return tuple(finding for finding in after if (finding.rule.rule_id, finding.campaign) not in known)
