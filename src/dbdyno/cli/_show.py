"""`dbdyno show`: prints the results in the terminal, or as JSON for programs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._color import tell
from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.core import counted, format_memory

if TYPE_CHECKING:
    from dbdyno.serve import LiveRun
    from dbdyno.store import StoredStudy

_STORY = """\
Prints a summary of a results folder: the answer, a table with intervals and ties, and the limitations. Reads only
stored records, so it also works while the study runs.

  dbdyno show results/first
  dbdyno show results/first --json | jq '.comparisons[] | select(.verdict == "different")'

--json prints one object: schema_version, study, cells (one entry per run; planned runs that have not run yet are
"missing"), comparisons (pairs with ratio, low, high and verdict) and averages (the same over all numbers of
connections).
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "show", _STORY, _show)
    parser.one_more = "show takes one folder; dbdyno diff BASE NEW compares two"
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_check_options(parser)


def _show(choices: argparse.Namespace) -> int:
    results = open_results(choices.results, choices)
    if results.is_being_written:
        tell(f"note: {_running_words(results)}; these are its results so far")
    if choices.json:
        from dbdyno.report import summary_json  # late: see _main

        print(json.dumps(summary_json(results), indent=1))
    else:
        from dbdyno.report import print_summary

        print_summary(results, wide_console())
    return 0


def _running_words(results: StoredStudy) -> str:
    """Return how far the study is that writes to a folder, and what each of its benches does now."""
    from dbdyno.serve import live_run  # late: only while a study runs

    runs_done = len(results.run_ids())
    logs = results.live_of_benches() or [results.live()]
    runs = [run for entries in logs if (run := live_run(entries)) is not None]
    total = max([len(results.planned_runs), runs_done, *(run.number for run in runs)])
    words = [f"a study is running in {results.path}: {runs_done:,} of {counted(total, 'run')} done"]
    return "; ".join([*words, *(_live_words(run) for run in runs)])


def _live_words(run: LiveRun) -> str:
    """Return the run under way, or what is done before the first one."""
    if run.cell is None:
        return run.doing
    last, cell = run.last or {}, run.cell
    connections = counted(cell.concurrency, "connection")
    words = [f"run {run.number}: {cell.target}, {format_memory(cell.tier_bytes)}, {connections}"]
    count = last.get("seconds_count")
    clock = f", second {last['second']}" + (f" of {count}" if count else "") if "second" in last else ""
    words.append(f"{run.phase}{clock}")
    if isinstance(tps := last.get("tps"), int | float):
        words.append(f"{tps:,.0f} TPS")
    return ", ".join(words)
