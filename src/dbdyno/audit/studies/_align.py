"""Writes a study without the differences that settings can remove.

dbdyno's own baseline is equal in effect on all targets, so most differences come from what a study sets on top for one
target: that is taken out. What the baseline does not set, and what the servers' defaults make different, gets one value
on all targets that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbdyno.audit import ComparisonSet, Finding
from dbdyno.audit.studies._draft import Draft
from dbdyno.audit.studies._remedies import inputs_behind, why_held, why_left
from dbdyno.audit.studies._varied import audit_study
from dbdyno.study import Pinning, Study

HELD = "dbdyno's settings keep it equal, and the study does not change it"
_ALIGNED = "policy = aligned"
_GIVEN = "another finding already gave it one value"
_NO_BINLOG = "dbdyno leaves the binary log off on all targets"
_FOREIGN = "dbdyno does not configure running servers: change its option file"
_UNKNOWN = "no setting is known that removes it"


@dataclass(frozen=True, slots=True)
class FindingOutcome:
    """Holds what becomes of one finding.

    Parameters
    ----------
    changes : to the study, in words; empty where nothing had to be changed or nothing can be
    why : the reason why nothing was changed, or why the difference is left
    is_left : the difference will be there again
    """

    finding: Finding
    changes: tuple[str, ...] = ()
    why: str = ""
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class AlignedStudy:
    """Describes a study with other settings, and what was done about each finding."""

    study: Study
    outcomes: tuple[FindingOutcome, ...]


def align_study(study: Study, sets: Sequence[ComparisonSet], findings: Sequence[Finding] | None = None) -> AlignedStudy:
    """Return the study that removes what settings can remove of the differences in these comparison sets.

    Targets are found in the sets by their names, or else by family and version. Findings of rules for completeness
    alone (info) and those that the study asks about are left unchanged; those that count for little only in the ranking
    that was measured are not.

    Parameters
    ----------
    findings : of the audit of these sets, weighed where something was measured; None: as grave as their rules have it
    """
    draft = Draft.of(_aligned_policy(study), sets)
    outcomes = []
    for finding in audit_study(study, sets).findings if findings is None else findings:
        if finding.rule.severity != "info" and not finding.varied_by:
            outcome = _align_finding(finding, draft)
            by_policy = study.policy != "aligned" and outcome.why == HELD
            outcomes.append(
                FindingOutcome(finding, (f"{_ALIGNED} in place of {study.policy}",)) if by_policy else outcome
            )
    return AlignedStudy(draft.written(), tuple(outcomes))


def _aligned_policy(study: Study) -> Study:
    """Return the study at the policy that makes targets equal in effect."""
    if study.policy == "aligned":
        return study
    targets = [replace(t, options_file="", options_sha256="", file_options={}) for t in study.targets]
    return replace(study, policy="aligned", targets=tuple(targets))


def _align_finding(finding: Finding, draft: Draft) -> FindingOutcome:
    if changes := _change_study(finding, draft):
        return FindingOutcome(finding, changes)
    if reason := why_left(finding):
        removals = _remove_overrides(finding, draft) if reason.is_by_settings else ()
        is_left = not removals or reason.stays_without_them
        return FindingOutcome(finding, removals, reason.why if is_left else "", is_left)
    aligned = [] if _is_moot(finding, draft) else _align_settings(finding, draft)
    changes = tuple(dict.fromkeys((*draft.without_named(finding), *aligned)))
    if changes:
        return FindingOutcome(finding, changes)
    if any(not draft.is_ours(target) for target in draft.study.targets):
        return FindingOutcome(finding, why=_FOREIGN, is_left=True)
    if held_reason := why_held(finding):
        return FindingOutcome(finding, why=held_reason)
    if _is_moot(finding, draft):
        return FindingOutcome(finding, why=_NO_BINLOG)
    inputs = inputs_behind(finding)
    held_inputs = [name for name in inputs if draft.is_held(name)]
    open_inputs = [name for name in inputs if name not in held_inputs and draft.differs(name)]
    if open_inputs and set(open_inputs) <= draft.added:
        return FindingOutcome(finding, why=_GIVEN)
    if held_inputs and not open_inputs:
        return FindingOutcome(finding, why=HELD)
    return FindingOutcome(finding, why=_UNKNOWN, is_left=True)


def _is_moot(finding: Finding, draft: Draft) -> bool:
    """Return whether it is about the binary log, which dbdyno leaves off unless the study asks for it."""
    return finding.rule.when.get("binlog.enabled") == "ON" and not draft.sets("log_bin", "binlog.enabled")


def _change_study(finding: Finding, draft: Draft) -> tuple[str, ...]:
    """Return what the study itself can do otherwise: order, repeats, processors."""
    study = draft.study
    if finding.rule.rule_id == "time-order-confound":
        draft.study = replace(study, order="interleaved", repeats=max(study.repeats, 2))
        return (f"order = interleaved, repeats = {draft.study.repeats}",)
    if finding.rule.rule_id == "client-cpu-contention" and not study.pinning.is_apart and (cpus := draft.processors):
        client = max(cpus // 4, 1)
        draft.study = replace(study, pinning=Pinning(tuple(range(cpus - client)), tuple(range(cpus - client, cpus))))
        return (f"[pinning] server: {cpus - client} of {cpus} processors, client: {client}",)
    if finding.rule.rule_id == "aborted-work-counted":
        return draft.at_read_committed()
    return ()


def _remove_overrides(finding: Finding, draft: Draft) -> tuple[str, ...]:
    return tuple(change for name in inputs_behind(finding) for change in draft.without_overrides(name))


def _align_settings(finding: Finding, draft: Draft) -> list[str]:
    changes: list[str] = []
    for name in inputs_behind(finding):
        changes += draft.without_overrides(name)
        if not draft.is_held(name):
            changes += draft.with_one_value(name)
    return changes
