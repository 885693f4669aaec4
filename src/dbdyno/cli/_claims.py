"""`dbdyno claims`: what a published report prints, recomputed from a results folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dbdyno.cli._help import add_command as add
from dbdyno.cli._words import wide_console

_STORY = """\
Holds every claim that a published report prints against a results folder, imported or measured here:
the own figure with its interval stands beside the printed one, and each claim holds (+), does not hold
(-) or can't be told (?), with the reason.

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno claims results/p26 --against percona-2026
  dbdyno claims results/p26 --against percona-2026 --format md     a table to be pasted into an issue
  dbdyno claims results/p26 --against percona-2026 --json | jq '.claims[] | select(.outcome != "holds")'

A figure holds when the print lies in the cell's 95 % interval, widened by what rounding took from the
print. An engine that is said to be first must be clearly before all others, each at its best. A range
is that of 5 to 95 % of the cells. What no rule decides is never guessed.

Engines are matched by family, version and storage engine; memory, route, workload and connections must
be those of the report. Figures of another machine will differ: then "does not hold" speaks of yours.

Reports: percona-2026, tidesdb-2026, linkbench-2014, sysbench-2012, checkpoint-2020.
docs/guides/claims.md has the rule of each kind of claim.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "claims", "whether what a published report prints holds in results", _STORY, _claims)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument("--against", required=True, metavar="REPORT", help="published report, such as percona-2026")
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a claim does not hold")


def _claims(choices: argparse.Namespace) -> int:
    from dbdyno.claims import claims_object, print_claims, published  # late: see _main
    from dbdyno.report import claims_markdown, hold_claims
    from dbdyno.store import Results

    held = hold_claims(Results.open(choices.results), published(choices.against))
    if choices.format == "json":
        print(json.dumps(claims_object(held.report, held.judged), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(claims_markdown(held))
    else:
        print_claims(held.report, held.judged, wide_console())
    return 1 if choices.strict and any(row.told.outcome == "does not hold" for row in held.judged) else 0
