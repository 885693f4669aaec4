"""`dbdyno explain --deep`: runs both targets once more, for profiles of their servers alone."""

from __future__ import annotations

import argparse
import hashlib
import sys

from dbdyno.cli._execute import run_beside, warn_of_missing_runs
from dbdyno.cli._plan import full_plan
from dbdyno.cli._plan_times import runs_words
from dbdyno.core import HostError, Profiler, RequestError, counted, parse_duration_ns
from dbdyno.hosts import LocalHost, read_profiler
from dbdyno.lab import connected_bench
from dbdyno.plan import DEEP_WINDOW_NS, deep_study
from dbdyno.report import StudyAnalysis, Why
from dbdyno.store import deep_folder
from dbdyno.study import Study, study_text


def profile_pair(analysis: StudyAnalysis, why: Why, choices: argparse.Namespace) -> None:
    """Profile both targets of an explanation at its place.

    Raises
    ------
    RequestError : there is no pair, or its servers can't be profiled
    HostError : the servers' machine has no profiler, or forbids its use
    """
    if analysis.study.imported is not None:
        raise RequestError(
            "imported results can't be profiled", "dbdyno did not run their servers", "run the study itself"
        )
    if why.gap is None:
        raise RequestError("no pair of targets can be profiled", "; ".join(why.lines))
    window_ns = DEEP_WINDOW_NS if choices.window is None else parse_duration_ns(choices.window)
    study = deep_study(analysis.study, why.gap.left, why.gap.right, window_ns)
    profiler = _usable_profiler(study)
    if not choices.quiet:
        plan = full_plan(study, LocalHost())
        names = " and ".join(target.name for target in study.targets)
        words = f"{counted(len(plan.runs), 'run')} · {runs_words(plan)}"
        print(f"  deep profile of {names} · {words} · never judged", file=sys.stderr)
    digest = hashlib.sha256(study_text(study).encode()).hexdigest()[:8]
    warn_of_missing_runs(run_beside(study, deep_folder(analysis.results.path, digest), choices, profiler))


def _usable_profiler(study: Study) -> Profiler:
    """Return the profiler of the machine on which the servers run."""
    with connected_bench(study, study.bench, LocalHost()) as server_host:
        profiler = read_profiler(server_host or LocalHost())
    obstacle, remedy = profiler.obstacle()
    if obstacle:
        where = "this machine" if study.bench is None else study.bench.words
        raise HostError(f"perf can't sample stacks on {where}", obstacle, remedy)
    return profiler
