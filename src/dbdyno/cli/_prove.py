"""`dbdyno explain --prove`: alters what an explanation blames, and measures whether the time comes back."""

from __future__ import annotations

import argparse
import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from dbdyno.analyse.explain import Cause, CauseRanking, Claim, FoundCause, Gap, causes, least_effect_ms, shown_causes
from dbdyno.cli._execute import run_beside
from dbdyno.cli._plan import full_plan
from dbdyno.cli._plan_times import runs_words
from dbdyno.configure import own_values
from dbdyno.core import Cell, RequestError, counted, parse_duration_ns
from dbdyno.hosts import LocalHost
from dbdyno.nearest import nearest
from dbdyno.plan import Alteration, ProofStudy, alterations, proof_study, with_lengths
from dbdyno.report import StudyAnalysis, Why
from dbdyno.store import ProofNote, write_proof_note
from dbdyno.study import study_text

_MOST_CHOSEN = 3


def prove(analysis: StudyAnalysis, why: Why, choices: argparse.Namespace) -> None:
    """Run the proofs that are asked for, or those of the causes that stand first.

    Raises
    ------
    RequestError : there is no difference to prove anything of, nothing that could be altered, or no such runs
    """
    if analysis.study.imported is not None:
        raise RequestError(
            "causes of imported results can't be proved", "dbdyno did not run their servers", "run the study itself"
        )
    if why.gap is None:
        raise RequestError("there is no difference to explain", "; ".join(why.lines))
    with_lengths(analysis.study, choices.rounds, _window_ns(choices))
    cell = why.gap.right if why.gap.total.ms >= 0 else why.gap.left
    make_study = functools.partial(_make_proof_study, analysis, cell, choices)
    proof_studies = (
        _named_proof_studies(choices.prove, make_study) if choices.prove else _ranked_proof_studies(why, make_study)
    )
    _print_plan(proof_studies, quiet=choices.quiet)
    for study in proof_studies:
        note = _proof_note(why.gap, why, study)
        _run_proof_study(analysis.results.path, note, study, choices)


Maker = Callable[[Alteration], ProofStudy]


def _named_proof_studies(names: Sequence[str], make_study: Maker) -> list[ProofStudy]:
    """Return proof studies of what is named: causes, or alterations."""
    known_alterations, by_cause = alterations(), {cause.cause_id: cause for cause in causes()}
    proof_studies = []
    for name in dict.fromkeys(names):
        if name in known_alterations:
            proof_studies.append(make_study(known_alterations[name]))
        elif name in by_cause:
            proof_studies.append(_cause_proof_study(by_cause[name], make_study))
        else:
            raise RequestError(
                f"'{name}' is neither a cause nor a possible change",
                "",
                nearest(name, [*by_cause, *known_alterations], "`dbdyno explain DIR --prove list` lists them"),
            )
    return proof_studies


def _ranked_proof_studies(why: Why, make_study: Maker) -> list[ProofStudy]:
    """Return proof studies of the first causes that slow the altered target by as much as a proof can show."""
    proof_studies: dict[str, ProofStudy] = {}
    for ranked_cause in () if why.ranking is None else _provable_causes(why.ranking):
        if len(proof_studies) < _MOST_CHOSEN:
            with suppress(RequestError):
                study = _cause_proof_study(ranked_cause.cause, make_study)
                proof_studies.setdefault(study.alteration.alteration_id, study)
    if not proof_studies:
        remedy = "name a change; `dbdyno explain DIR --prove list` lists them"
        raise RequestError(
            "no setting here undoes any of the causes found",
            "those below 3 % of the time or 10 % of the difference are too small to prove",
            remedy,
        )
    return list(proof_studies.values())


def _provable_causes(ranking: CauseRanking) -> list[FoundCause]:
    total = ranking.gap.total
    sign = -1 if total.ms < 0 else 1
    least_ms = least_effect_ms(max(total.left_ms, total.right_ms), total.ms)
    return [cause for cause in shown_causes(ranking) if sign * cause.difference.ms >= least_ms]


def _cause_proof_study(cause: Cause, make_study: Maker) -> ProofStudy:
    """Return a proof study with the alteration that its row names, or else another that removes the same parts."""
    known_alterations, cause_parts = alterations(), {claim.part for claim in cause.claims}
    other_alterations = [
        row
        for row in known_alterations.values()
        if cause_parts & set(row.removes) and not row.slows_ns and not row.named_only
    ]
    candidates = [known_alterations[cause.alteration], *other_alterations] if cause.alteration else other_alterations
    for row in candidates:
        with suppress(RequestError):  # the setting does not apply to this target, or already has this value
            return make_study(row)
    raise RequestError(f"no setting here undoes '{cause.words}'", cause.remedy)


def _make_proof_study(
    analysis: StudyAnalysis, cell: Cell, choices: argparse.Namespace, alteration: Alteration
) -> ProofStudy:
    base, window_ns = own_values(cell.tier_bytes), _window_ns(choices)
    return proof_study(analysis.study, cell, alteration, base=base, rounds=choices.rounds, window_ns=window_ns)


def _window_ns(choices: argparse.Namespace) -> int | None:
    return None if choices.window is None else parse_duration_ns(choices.window)


def _print_plan(proof_studies: Sequence[ProofStudy], *, quiet: bool) -> None:
    """Say what will be altered and how long it takes, before anything starts."""
    if quiet:
        return
    host = LocalHost()
    for study in proof_studies:
        plan = full_plan(study.study, host)
        runs = counted(len(plan.runs), "run")
        print(f"  {study.control.target}: {study.words} · {runs} · {runs_words(plan)}", file=sys.stderr)


def _proof_note(gap: Gap, why: Why, study: ProofStudy) -> ProofNote:
    claim = _claim_undone(why, study)
    return ProofNote(
        study.alteration.alteration_id,
        study.words,
        gap.left,
        gap.right,
        study.control,
        study.altered,
        study.alteration.removes if claim is None else tuple(claim.shares),
        gap.total.ms,
        study.alteration.slows_ns / 1e6,
        study.alteration.least_calls,
        _brought_back_ms(why.thread_gap, study),
        None if claim is None else claim.shares,
        0.0 if claim is None else claim.error,
    )


def _claim_undone(why: Why, study: ProofStudy) -> Claim | None:
    """Return what the causes that are altered claim, where the alteration takes no part away as a whole; None else.

    Between different servers, causes that claim processor time of one build have claimed nothing, which is no
    statement: then nothing is predicted.
    """
    is_watched = why.thread_gap is not None and bool(why.thread_gap.parts)
    if study.alteration.removes or why.ranking is None or why.known is None or not is_watched:
        return None
    claim = why.ranking.claim_undone_by(study.alteration.alteration_id, is_left=study.control == why.ranking.gap.left)
    is_undecidable = not why.known.has_one_build and any(
        cause.claims_of_one_build for cause in causes() if cause.alteration == study.alteration.alteration_id
    )
    return None if is_undecidable and not claim.shares else claim


def _brought_back_ms(gap: Gap | None, study: ProofStudy) -> float:
    """Return how much longer sessions of the other target wait where those of the altered one then will.

    Parameters
    ----------
    gap : by what the server's session threads did; None where they were not watched
    """
    if gap is None:
        return 0.0
    sign = 1 if study.control == gap.left else -1
    part_ms = {part.part_id: sign * part.difference.ms for part in gap.parts}
    return sum(max(part_ms.get(name, 0.0), 0.0) for name in study.alteration.brings_back)


def _run_proof_study(results: Path, note: ProofNote, study: ProofStudy, choices: argparse.Namespace) -> None:
    pair = sorted(cell.cell_id for cell in (note.left, note.right))  # a note names one pair
    digest = hashlib.sha256("\n".join([study_text(study.study), *pair]).encode()).hexdigest()[:8]
    folder = write_proof_note(results, f"{note.alteration}-{digest}", note)
    run_beside(study.study, folder, choices)
