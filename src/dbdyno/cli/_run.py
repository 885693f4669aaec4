"""`dbdyno run`: a study file, from nothing to the report; the same command again goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._plan import plan_object, study_line
from dbdyno.cli._progress import progress
from dbdyno.hosts import Home, LocalHost
from dbdyno.lab import Outcome, run_study
from dbdyno.plan import check_budget, make_plan
from dbdyno.report import build_page, print_summary
from dbdyno.store import Results
from dbdyno.study import Study, read_study, study_text

_STORY = """\
Runs the study in a file and writes results and report into a folder. Stopped by Ctrl-C, by kill -9 or by
a power cut, it loses at most the run under way: the same command goes on with what is missing.

  dbdyno run studies/first.toml                  into results/first
  dbdyno run studies/first.toml -o /data/first

Exit code 0: all runs made; 1: some runs failed or it was interrupted; 2: the request was wrong;
3: host, network or server failed.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "run", "run a study file; again: resume", _STORY, _run)
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="study file")
    add_run_options(parser)


def add_run_options(parser: Parser) -> None:
    """Options of everything that runs a study."""
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", type=Path, metavar="DIR", help="results folder (default: results/NAME)")
    output.add_argument("--quiet", action="store_true", help="print only the path of the report")


def _run(choices: argparse.Namespace) -> int:
    study = read_study(choices.study)
    return run_to_report(study, choices.output or Path("results") / study.name, choices)


def run_to_report(study: Study, output: Path, choices: argparse.Namespace) -> int:
    """Run a study into a folder, write its report, and print the summary and the report's path."""
    plan, host, home = make_plan(study), LocalHost(), Home.of_user()
    check_budget(study, plan.budget, host.memory_available_bytes(), host.free_bytes(home.root))
    facts = host.facts(home.root)
    results = Results.open_or_create(
        output, study_text(study), plan_object(study, plan), asdict(facts), study_name=study.name
    )
    if not choices.quiet:
        print(f"\n  {study_line(study, plan)}\n", file=sys.stderr)
    with progress(quiet=choices.quiet, run_ns=plan.budget.runs_ns // len(plan.runs)) as on_event:
        outcome = run_study(study, plan, results, host, home, on_event, command_line=["dbdyno", *sys.argv[1:]])
    return _conclude(Results.open(output), outcome, output / "report.html", quiet=choices.quiet)


def _conclude(results: Results, outcome: Outcome, page: Path, *, quiet: bool) -> int:
    if outcome.good + outcome.suspect == 0:
        _say_what_is_missing(outcome)
        return 1
    build_page(results, page)
    if not quiet:
        print_summary(results)
        print("\nreport: ", end="")
    print(page)
    _say_what_is_missing(outcome)
    return 0 if outcome.complete else 1


def _say_what_is_missing(outcome: Outcome) -> None:
    if outcome.failed:
        print(f"warning: {outcome.failed} runs failed; their reasons are in the report", file=sys.stderr)
    if outcome.missing:
        why = "interrupted: " if outcome.interrupted else ""
        print(f"warning: {why}{outcome.missing} runs are missing; the same command goes on", file=sys.stderr)
