"""`dbdyno show`: prints the results in the terminal, or as JSON for programs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dbdyno.cli._color import tell
from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add

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
        tell(f"note: a study is running in {choices.results}; these are its results so far")
    if choices.json:
        from dbdyno.report import summary_json  # late: see _main

        print(json.dumps(summary_json(results), indent=1))
    else:
        from dbdyno.report import print_summary

        print_summary(results, wide_console())
    return 0
