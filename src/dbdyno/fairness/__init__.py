"""The audit of one's own study: what its results folder holds of each target, in the audit's words.

Reads the store, judges nothing itself: the rules are in `audit`. See docs/concepts/fairness.md.
"""

from dbdyno.fairness._sets import study_sets

__all__ = ["study_sets"]
