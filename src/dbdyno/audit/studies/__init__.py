"""Audits a stored study: reads each target's facts from the results folder, weighs findings, and aligns the study file.

It judges nothing itself: the rules are in `audit`. See docs/concepts/fairness.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.audit.studies._align import AlignedStudy, FindingOutcome, align_study
    from dbdyno.audit.studies._effect import Ranking, weigh_findings
    from dbdyno.audit.studies._remedies import settings_behind
    from dbdyno.audit.studies._sets import campaign_name, inspected_set, study_sets
    from dbdyno.audit.studies._varied import audit_study, late_findings
else:
    __getattr__ = late_names(
        __name__,
        {
            "_align": "AlignedStudy FindingOutcome align_study",
            "_effect": "Ranking weigh_findings",
            "_remedies": "settings_behind",
            "_sets": "campaign_name inspected_set study_sets",
            "_varied": "audit_study late_findings",
        },
    )

__all__ = [
    "AlignedStudy",
    "FindingOutcome",
    "Ranking",
    "align_study",
    "audit_study",
    "campaign_name",
    "inspected_set",
    "late_findings",
    "settings_behind",
    "study_sets",
    "weigh_findings",
]
