"""The audit of one's own study: what its results folder holds of each target, and a study without what was found.

Reads the store, judges nothing itself: the rules are in `audit`. See docs/concepts/fairness.md.
"""

from dbdyno.fairness._align import AlignedStudy, FindingOutcome, align_study
from dbdyno.fairness._effect import Ranking, weigh_findings
from dbdyno.fairness._sets import campaign_name, inspected_set, late_findings, study_sets

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
