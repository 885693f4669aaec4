"""`dbdyno claims`: recomputes what a published report prints from a results folder."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_where

_STORY = """\
Checks every claim of a published report against a results folder, imported or measured here. For each claim it
prints the sentence that is tested, what was counted for it, the published figure, and your figure with its
interval:

  +  holds            -  does not hold
  ~  not settled: rests on a run whose throughput never settled
  ?  undecided, with the reason

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno claims results/p26 --against percona-2026
  dbdyno claims results/p26 --against percona-2026 --format md     a table to paste into an issue
  dbdyno claims results/p26 --against percona-2026 --json | jq '.claims[] | select(.outcome != "holds")'
  dbdyno claims results/tpcc --against checkpoint-2020 --where memory=140GB

A claim is tested twice. On the report's own logs, recognised by their checksums, its calculation must give the
published figure, rounded as published. On any results, the published figure must lie in the 95 % interval of the
settled part of the runs. An engine that the report calls fastest must be clearly ahead of all others, each at its
best. If no rule decides a claim, dbdyno does not guess.

Engines are matched by family, version and storage engine; memory, route, workload and connections must
be those of the report; --where chooses if a claim leaves one of them open. Figures of another machine will
differ: "does not hold" is then a statement about yours.

Reports: percona-2026, tidesdb-2026, linkbench-2014, sysbench-2012, checkpoint-2020.
docs/guides/claims.md has the rule of each kind of claim.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "claims", _STORY, _show_claims)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.example = "dbdyno claims results/p26 --against percona-2026"
    parser.add_argument("--against", required=True, metavar="REPORT", help="published report, such as percona-2026")
    add_where(parser)
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    parser.add_argument("--strict", action="store_true", help="exit with code 1 if a claim does not hold")
    add_check_options(parser)


def _show_claims(choices: argparse.Namespace) -> int:
    from dbdyno.analyse.claims import claims_object, published  # late: see _main
    from dbdyno.report import altered_caveats, check_claims, claims_markdown, print_claims
    from dbdyno.study import read_cell_filter

    cell_filter = read_cell_filter(choices.where)
    results = open_results(choices.results, choices)
    checked_claims, caveats = check_claims(results, published(choices.against), cell_filter), altered_caveats(results)
    if choices.format == "json":
        result = {
            "caveats": [asdict(caveat) for caveat in caveats],
            **claims_object(checked_claims.report, checked_claims.judged),
        }
        print(json.dumps(result, indent=1, allow_nan=False))
    elif choices.format == "md":
        print(claims_markdown(checked_claims, caveats), end="")
    else:
        print_claims(checked_claims, wide_console())
    return 1 if choices.strict and any(row.result.outcome == "does not hold" for row in checked_claims.judged) else 0
