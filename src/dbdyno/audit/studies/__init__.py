"""Audits a stored study: reads each target's facts from the results folder, weighs findings, and aligns the study file.

It judges nothing itself: the rules are in `audit`. See docs/concepts/fairness.md.
"""

from dbdyno.audit.studies._align import AlignedStudy, FindingOutcome, align_study
from dbdyno.audit.studies._effect import Ranking, weigh_findings
from dbdyno.audit.studies._sets import campaign_name, inspected_set, late_findings, study_sets

__all__ = [
    "AlignedStudy",
    "FindingOutcome",
    "Ranking",
    "align_study",
    "campaign_name",
    "inspected_set",
    "late_findings",
    "study_sets",
    "weigh_findings",
]
