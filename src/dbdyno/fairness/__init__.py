"""The audit of one's own study: what its results folder holds of each target, and a study without what was found.

Reads the store, judges nothing itself: the rules are in `audit`. See docs/concepts/fairness.md.
"""

from dbdyno.fairness._late import late_findings
from dbdyno.fairness._mend import Mended, Outcome, mend
from dbdyno.fairness._sets import looked_set, study_sets

__all__ = ["Mended", "Outcome", "late_findings", "looked_set", "mend", "study_sets"]
