"""`dbdyno explain --prove`: alters what an explanation blames, and measures whether the time comes back."""

from __future__ import annotations

import argparse
import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from dbdyno.analyse.explain import Cause, Gap, causes, shown_causes
from dbdyno.cli._execute import run_beside
from dbdyno.cli._plan import full_plan, runs_words
from dbdyno.configure import own_values
from dbdyno.core import Cell, RequestError, counted, parse_duration_ns
from dbdyno.hosts import LocalHost
from dbdyno.nearest import nearest
from dbdyno.plan import Alteration, ProofStudy, alterations, proof_study
from dbdyno.report import StudyAnalysis, Why
from dbdyno.store import ProofNote, write_proof_note
from dbdyno.study import study_text

_MOST_CHOSEN = 3


def prove(analysis: StudyAnalysis, why: Why, choices: argparse.Namespace) -> None:
    """Run the proofs that are asked for, or those of the causes that stand first.

    Raises
    ------
    RequestError : there is no difference to prove anything of, or nothing that could be altered
    """
    if analysis.study.imported is not None:
        raise RequestError(
            "causes of imported results can't be proved", "dbdyno did not run their servers", "run the study itself"
        )
    if why.gap is None:
        raise RequestError("there is no difference to explain", "; ".join(why.lines))
    cell = why.gap.right if why.gap.total.ms >= 0 else why.gap.left
    make = functools.partial(_study, analysis, cell, choices)
    made = _asked(choices.prove, make) if choices.prove else _of_ranking(why, make)
    _tell(made, quiet=choices.quiet)
    for each in made:
        _run(analysis.results.path, why.gap, each, choices)


Maker = Callable[[Alteration], ProofStudy]


def _asked(names: Sequence[str], make: Maker) -> list[ProofStudy]:
    """Of what is named: causes, or alterations."""
    known, by_cause = alterations(), {cause.cause_id: cause for cause in causes()}
    made = []
    for name in dict.fromkeys(names):
        if name in known:
            made.append(make(known[name]))
        elif name in by_cause:
            made.append(_of_cause(by_cause[name], make))
        else:
            raise RequestError(
                f"'{name}' is neither a cause nor a possible change",
                "",
                nearest(name, [*by_cause, *known], "`dbdyno explain DIR --prove list` lists them"),
            )
    return made


def _of_ranking(why: Why, make: Maker) -> list[ProofStudy]:
    """Of the first causes of the ranking for which something can be altered."""
    made: dict[str, ProofStudy] = {}
    for found in () if why.ranking is None else shown_causes(why.ranking):
        if len(made) < _MOST_CHOSEN:
            with suppress(RequestError):
                one = _of_cause(found.cause, make)
                made.setdefault(one.alteration.alteration_id, one)
    if not made:
        remedy = "name a change; `dbdyno explain DIR --prove list` lists them"
        raise RequestError("no setting here undoes any of the causes found", "", remedy)
    return list(made.values())


def _of_cause(cause: Cause, make: Maker) -> ProofStudy:
    """With the alteration that its row names, or else another that takes the same parts away."""
    known, parts = alterations(), {claim.part for claim in cause.claims}
    others = [row for row in known.values() if parts & set(row.removes) and not row.slows_ns]
    fitting = [known[cause.alteration], *others] if cause.alteration else others
    for row in fitting:
        with suppress(RequestError):  # it means nothing for this target, or it is so already
            return make(row)
    raise RequestError(f"no setting here undoes '{cause.words}'", cause.remedy)


def _study(analysis: StudyAnalysis, cell: Cell, choices: argparse.Namespace, alteration: Alteration) -> ProofStudy:
    window_ns = None if choices.window is None else parse_duration_ns(choices.window)
    base = own_values(cell.tier_bytes)
    return proof_study(analysis.study, cell, alteration, base=base, rounds=choices.rounds, window_ns=window_ns)


def _tell(made: Sequence[ProofStudy], *, quiet: bool) -> None:
    """Say what will be altered and how long it takes, before anything starts."""
    if quiet:
        return
    host = LocalHost()
    for each in made:
        plan = full_plan(each.study, host)
        runs = counted(len(plan.runs), "run")
        print(f"  {each.control.target}: {each.words} · {runs} · {runs_words(plan)}", file=sys.stderr)


def _run(results: Path, gap: Gap, made: ProofStudy, choices: argparse.Namespace) -> None:
    digest = hashlib.sha256(study_text(made.study).encode()).hexdigest()[:8]
    note = ProofNote(
        made.alteration.alteration_id,
        made.words,
        gap.left,
        gap.right,
        made.control,
        made.altered,
        made.alteration.removes,
        gap.total.ms,
        made.alteration.slows_ns / 1e6,
        made.alteration.least_calls,
    )
    folder = write_proof_note(results, f"{made.alteration.alteration_id}-{digest}", note)
    run_beside(made.study, folder, choices)
