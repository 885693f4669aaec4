"""`dbdyno gather`: puts the parts of a study together that were run on several machines."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._folder import add_check_options, check_of
from dbdyno.cli._help import add_command as add
from dbdyno.core import counted

if TYPE_CHECKING:
    from dbdyno.store import StoredStudy

_STORY = """\
Combines results folders with parts of one study, run on several machines, and writes the report. Start the parts in
any way: a shell loop, Slurm, Kubernetes.

  dbdyno run engines.toml --part 1/3          on the first machine, into results/engines-1-of-3
  dbdyno run engines.toml --part 2/3          on the second
  dbdyno run engines.toml --part 3/3          on the third
  dbdyno gather results/engines-*-of-3 -o results/engines

Each workload and memory tier, with all its targets, connections and rounds, stays on one machine, so compared runs
come from the same machine. With more parts than that, whole rounds are distributed. Run it again with further or newer
parts to add their runs; repeated runs replace failed ones. Machines that differ in processors or memory are refused
unless --allow-unlike is given; the report names them in any case. Other versions of an engine, or other rows, are
always refused.

Exit code 0: every run of the study is stored; 1: some are missing; the parts that they belong to are printed.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "gather", _STORY, _gather)
    parser.add_argument("parts", nargs="+", type=Path, metavar="DIR", help="results folders of parts of one study")
    parser.example = "dbdyno gather results/part-1 results/part-2 -o results/whole"
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", required=True, help="results folder to write")
    parser.add_argument(
        "--allow-unlike", action="store_true", help="accept machines that differ in processors or memory"
    )
    parser.add_argument("--quiet", action="store_true", help="print only the path of the report")
    add_check_options(parser)


def _gather(choices: argparse.Namespace) -> int:
    from dbdyno.cli._color import tell  # late: see _main
    from dbdyno.cli._console import wide_console
    from dbdyno.report import build_page, print_summary
    from dbdyno.store import Results, StoredStudy, gather

    check = check_of(choices)
    part_results = [Results.open(path, check=check) for path in choices.parts]
    outcome = gather(part_results, choices.output, allow_unlike=choices.allow_unlike)
    results = StoredStudy.open(choices.output, check=check)
    page = choices.output / "report.html"
    build_page(results, page)
    if not choices.quiet:
        print_summary(results, wide_console(), has_why=True)
        known_words = f", {outcome.known:,} were already there" if outcome.known else ""
        machines = counted(len(outcome.machines), "machine")
        print(f"\n{counted(outcome.runs, 'run')} added from {machines} ({', '.join(outcome.machines)}){known_words}")
        print("report: ", end="")
    print(page)
    missing_ids = {run.run_id for run in results.planned_runs} - results.run_ids()
    if missing_ids:
        tell(f"warning: {counted(len(missing_ids), 'run')} of {len(results.planned_runs):,} missing")
        parts = ", ".join(_parts_lacking(results, missing_ids))
        tell(f"hint: run {f'--part {parts} of the study' if parts else 'the other parts'}, then gather again")
    return int(bool(missing_ids))


def _parts_lacking(results: StoredStudy, missing_ids: Collection[str]) -> list[str]:
    """Return the parts that missing runs belong to, as ``2/3``; none where the stored runs name no part."""
    from dbdyno.plan import PartOfStudy, runs_of_part  # late: see _main

    counts = {match[1] for record in results.records() if (match := re.fullmatch(r"\d+-of-(\d+)", record.bench))}
    if len(counts) != 1:
        return []
    count = int(counts.pop())
    parts = {f"{number}/{count}": PartOfStudy(number, count) for number in range(1, count + 1)}
    runs = results.planned_runs
    return [
        words
        for words, part in parts.items()
        if any(run.run_id in missing_ids for run in runs_of_part(results.study, runs, part))
    ]
