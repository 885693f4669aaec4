"""`dbdyno run`: runs a study file, from nothing to the report; the same command again continues where it stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dbdyno.cli._bench_options import add_bench_options, check_hosts_named, chosen_places
from dbdyno.cli._folder import add_allow_altered, results_folder
from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_where
from dbdyno.core import HostError, ProvisionError, RequestError, StudyError
from dbdyno.study import (
    POLICIES,
    Study,
    parse_study,
    read_cell_filter,
    read_study,
    scales_of,
    study_of_cells,
    study_text,
    with_policy,
)

_STORY = """\
Runs a study file and writes results and report into a folder. Ctrl-C, kill -9 or a power cut costs at most the run
in progress: the same command resumes the study. With more repeats in the file it adds those: stored runs are kept.

  dbdyno run studies/first.toml                  into results/first
  dbdyno run studies/first.toml -o /data/first
  dbdyno run studies/percona-2026.toml --scale small
  dbdyno run studies/first.toml --policy vendor  into results/first-vendor: with vendor defaults
  dbdyno run studies/first.toml --where connections=32 --where memory=64MB   one of its cells for each target
  dbdyno run studies/first.toml --part 2/3       into results/first-2-of-3: on the second of three machines
  dbdyno run studies/first.toml --host bench@db1 with servers and clients on that host, over ssh

Before the first run dbdyno checks the machine (dbdyno doctor). It then starts each target's server once and audits
its settings and what the load's connections negotiate. Critical differences are printed before hours are spent;
--strict-audit, or stop_at = "critical" in the study's [audit], stops the study there.

Exit code 0: all runs are stored; 1: some runs failed, it was interrupted, or the audit stopped it; 2: the request was
wrong; 3: host, network or server failed, or the machine is not fit for the study.
"""
_STORED = "the stored study"


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "run", _STORY, _run)
    parser.one_more = "run takes one study file; engines go to dbdyno compare mariadb:11.8 mysql:9.7"
    parser.example = "dbdyno run first, or dbdyno run STUDY.toml"
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="study file")
    parser.add_argument("--scale", metavar="NAME", help="run at one of the study's scales, such as small")
    add_where(parser)
    parser.add_argument("--part", metavar="K/N", help="run the Kth of N parts, for N machines; see dbdyno gather")
    parser.add_argument(
        "--allow-unlike", action="store_true", help="use benches that differ in processors, memory or speed"
    )
    parser.add_argument("--policy", choices=POLICIES, help="configure targets by this policy instead of the study's")
    add_bench_options(parser.add_argument_group("host", "where servers and clients run, instead of the study's hosts"))
    add_run_options(parser)
    parser.seldom = frozenset({"--host-address", "--host-home", "--client"})


def add_run_options(parser: Parser) -> None:
    """Add the options of everything that runs a study."""
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", type=Path, metavar="DIR", help="results folder (default: results/NAME)")
    output.add_argument("--fresh", action="store_true", help="start over; existing results are moved aside")
    output.add_argument("--retry-failed", action="store_true", help="run failed runs again; their records are kept")
    output.add_argument(
        "--retry-disturbed",
        action="store_true",
        help="run again what other programs disturbed, with the runs that it is compared with",
    )
    output.add_argument(
        "--no-calibrate", action="store_true", help="don't calibrate the load generator on a new machine"
    )
    output.add_argument(
        "--strict-audit", action="store_true", help="stop before the first run if targets differ critically"
    )
    output.add_argument("--force", action="store_true", help="run although dbdyno doctor finds a blocker")
    add_allow_altered(output)
    output.add_argument("--quiet", action="store_true", help="print only the path of the report")


def _run(choices: argparse.Namespace) -> int:
    chosen = read_cell_filter(choices.where)
    whole = read_study(choices.study, choices.scale, chosen_places(choices))
    study = study_of_cells(with_policy(whole, choices.policy), chosen)
    check_hosts_named(study)
    _check_stored_text(study, choices.study)
    from dbdyno.cli._execute import run_part, run_to_report  # late: see _main
    from dbdyno.plan import PartOfStudy

    part = PartOfStudy.parse(choices.part) if choices.part else None
    if part is not None and len(study.benches) > 1:
        names = ", ".join(bench.name for bench in study.benches)
        raise RequestError("--part divides a study by hand", f"this one has several benches: {names}", "omit --part")
    folder = results_folder(choices.output, f"{study.name}-{part}" if part else study.name)
    try:
        return run_to_report(study, folder, choices) if part is None else run_part(study, part, folder, choices)
    except (RequestError, HostError, ProvisionError) as error:
        # A study too large for the machine, or with servers that are not available, may have a scale that fits.
        scales = [] if choices.scale else [f"--scale {name}" for name in scales_of(choices.study)]
        error.remedy = "; or run it with ".join(filter(None, (error.remedy, " or ".join(scales))))
        raise


def _check_stored_text(study: Study, file: Path) -> None:
    """Refuse a study whose text in the results folder would not be read as the same study."""
    why = "it would not be the same study"
    try:
        if parse_study(study_text(study), _STORED) == study:
            return
    except StudyError as error:
        why = error.what.removeprefix(f"{_STORED}:").partition(": ")[2] or error.what
    raise StudyError(f"{file} can't be stored in a results folder", why, "write this value with fewer digits or signs")
