"""Reads the proofs that lie next to a study, judges them, and gives them as rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.analyse.explain import (
    Cause,
    Claim,
    Effect,
    Gap,
    Proof,
    ProofTimes,
    ProofVerdict,
    RunTimes,
    causes,
    judge_proof,
    ms_words,
)
from dbdyno.core import DamageError, StudyError
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.report.why._cell_times import pinned_server
from dbdyno.store import FolderCheck, ProofNote, StoredStudy, is_results_folder, proof_notes

ABOUT_PROOFS = (
    "A proof runs one target unchanged and with one alteration, in separate interleaved rounds. Predicted and "
    "observed are milliseconds per transaction; below 0 is time saved. Predicted: the time of the parts that the "
    "alteration removes, or the share of them that its cause claims, as far as the processors allow; or the time that "
    "a slow-down adds. Proved: the observed "
    "change is significant, and three quarters of the predicted one or more, or its interval reaches it. Refuted: its "
    "whole interval stays below half of the predicted change, or below what counts. Undecided: neither is shown."
)
_MOST_ALSO = 2
_STRONGEST: tuple[ProofVerdict, ...] = ("proved", "refuted", "undecided")


@dataclass(frozen=True, slots=True)
class StoredProof:
    """Describes a proof, and what it is of."""

    note: ProofNote
    proof: Proof


def stored_proofs(analysis: StudyAnalysis, gap: Gap) -> tuple[StoredProof, ...]:
    """Return the proofs of a difference, by the time that came back, the most first."""
    pair, check = {gap.left, gap.right}, analysis.results.check
    proofs = [
        StoredProof(note, _judge_folder(note, folder, check))
        for folder, note in proof_notes(analysis.results.path, check).items()
        if {note.left, note.right} == pair and is_results_folder(folder)
    ]
    return tuple(sorted(proofs, key=lambda proof: proof.proof.observed.ms if proof.proof.observed else math.inf))


def proved_causes(proofs: Sequence[StoredProof], gap: Gap) -> dict[tuple[str, bool], ProofVerdict]:
    """Map each cause, and whether it makes the left side take longer, to what the proofs on that side say of it."""
    return {
        (cause.cause_id, is_against): min(verdicts, key=_STRONGEST.index)
        for cause in causes()
        for is_against, control in ((False, gap.right), (True, gap.left))
        if (
            verdicts := [
                stored_proof.proof.verdict
                for stored_proof in proofs
                if stored_proof.note.control == control and _is_about(stored_proof, cause)
            ]
        )
    }


def _is_about(stored_proof: StoredProof, cause: Cause) -> bool:
    """Return whether a proof says something of a cause: of its row's alteration, or of exactly its parts.

    An alteration that removes several parts proves no cause whose own part kept its time, such as a queue of commits
    where the flush alone went. Fewer calls that win time back do not prove dearer calls, nor do slower calls that are
    waited for prove more calls.
    """
    note, proof, parts = stored_proof.note, stored_proof.proof, {claim.part for claim in cause.all_claims}
    if note.claimed is not None:
        return cause.alteration == note.alteration and (proof.verdict != "proved" or bool(proof.changed))
    if cause.alteration != note.alteration and (not parts or parts != set(note.removes)):
        return False
    if proof.verdict != "proved":
        return True
    is_by_thread = any(part.startswith("thread.") for part in parts)
    if is_by_thread and note.removes and not parts & set(proof.changed):
        return False
    unaltered_factor = "count" if note.slows_ms else "cost"
    return {claim.factor for claim in cause.all_claims} != {unaltered_factor}


def _judge_folder(note: ProofNote, folder: Path, check: FolderCheck) -> Proof:
    """Judge a proof; one that can't be read decides nothing, and says so."""
    try:
        return _judge_note(note, analyse_study(StoredStudy.open(folder, check=check)))
    except (StudyError, DamageError) as error:
        place = f"{folder.parent.name}/{folder.name}"
        reason = f"it can't be read: {error.what}; remove {place} and {place}.json, or prove it again"
        return Proof("undecided", math.nan, math.nan, None, None, reason)


def _judge_note(note: ProofNote, analysis: StudyAnalysis) -> Proof:
    by_threads, by_statement = analysis.thread_explanation, analysis.explanation
    explanation = by_threads or by_statement
    cores, pinned = analysis.results.host.get("logical_cpu_count"), pinned_server(analysis.study, note.control)
    has_client = pinned is None or pinned.client == "same"
    return judge_proof(
        ProofTimes(
            {} if explanation is None else explanation.firm,
            note.control,
            note.altered,
            note.removes,
            pinned.processors if pinned is not None else cores if isinstance(cores, int) else 1,
            _client_cpu_ms(analysis, note) if has_client else 0.0,
            note.gap_ms,
            note.slows_ms,
            note.least_calls,
            note.brought_back_ms,
            _rest_ms((analysis.times or {}).get(note.control, ())),
            None if note.claimed is None else Claim(note.claimed, note.claimed_error),
        )
    )


def _rest_ms(runs: Sequence[RunTimes]) -> float:
    """Return by how much a connection of a cell rests for each transaction, on average of its runs."""
    rests_ms = [
        (1e3 * run.run.cell.concurrency * run.seconds - run.transaction_sum_ms) / run.transactions
        for run in runs
        if run.rests and run.transactions and run.transaction_sum_ms is not None
    ]
    return max(sum(rests_ms) / len(rests_ms), 0.0) if rests_ms else 0.0


def _client_cpu_ms(analysis: StudyAnalysis, note: ProofNote) -> float:
    parts = () if analysis.explanation is None else analysis.explanation.parts_of(note.control)
    return sum(part.ms for part in parts if part.part_id == "client.cpu")


def proof_rows(proofs: tuple[StoredProof, ...]) -> list[list[str]]:
    """Return a row a proof."""
    return [_proof_row(stored_proof.note, stored_proof.proof) for stored_proof in proofs]


def _proof_row(note: ProofNote, proof: Proof) -> list[str]:
    scale = 1.0 if math.isnan(proof.altered_ms) else min(proof.control_ms, proof.altered_ms)
    times = ["" if math.isnan(ms) else ms_words(ms, scale) for ms in (proof.control_ms, proof.altered_ms)]
    effects = [_effect_words(effect, scale) for effect in (proof.predicted, proof.observed)]
    return [note.words, note.control.target, *times, *effects, proof.verdict]


def proof_lines(proofs: tuple[StoredProof, ...]) -> list[str]:
    """Return what else each needs: why it is undecided, what bounds it, and which other parts changed with it."""
    lines = []
    for stored_proof in proofs:
        also_words = [
            f"{words} {ms_words(ms, stored_proof.proof.control_ms, signed=True)} ms"
            for words, ms in stored_proof.proof.also.items()
        ][:_MOST_ALSO]
        notes = [stored_proof.proof.reason, f"{' and '.join(also_words)} changed with it" if also_words else ""]
        if any(notes):
            lines.append(f"{stored_proof.note.words}: {'; '.join(filter(None, notes))}")
    return lines


def _effect_words(effect: Effect | None, scale: float) -> str:
    if effect is None:
        return ""
    ms, low, high = (ms_words(value, scale, signed=True) for value in (effect.ms, effect.low, effect.high))
    return f"{ms} ({low} to {high})"
