"""`dbdyno explain`: says with which parts of the time a difference between two targets goes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add

_STORY = """\
Explains a difference from stored results: how much longer a transaction takes on one target than on another, and
with which parts of its time that goes. Reads the stored records only; nothing is measured.

  dbdyno explain results/first
  dbdyno explain results/first --pair mysql:9.7 mariadb:11.8+rocksdb --at 64MB,16
  dbdyno explain results/first --format json | jq '.gap.parts[] | select(.verdict == "decided")'

The time T of a transaction is connections / TPS: what one connection spends for one commit. It is split into
statement types, attempts that were thrown away after deadlocks, the load generator's own processor time and wait
for a processor, and the rest. The parts add up to T; how closely is shown.

A part is "decided" when its difference is beyond chance (all parts tested together) and at least 3 % of the
shorter time. It is "small" when it is known to be less than that, else "undecided", with its interval. Each
difference is split once more: more statements per transaction (by count), or slower ones (by cost).

Without --pair the two fastest targets are compared, without --at where the answer of the report is. More
connections of the same target are explained the same way: which statement grows.

"Goes with" says where the time is, not what brought it there. Causes are looked for in a table: each claims parts for
which there is evidence, such as a counter that grew or a setting that differs, and each millisecond is claimed once.
A cause that is decided "explains" its milliseconds. docs/guides/explain.md reads an example.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "explain", _STORY, _explain)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument(
        "--pair", nargs=2, default=(), metavar=("A", "B"), help="two targets, B against A (default: the best two)"
    )
    parser.add_argument(
        "--at",
        default="",
        metavar="PLACE",
        help="memory, connections, workload or route, such as 512MB,16 (default: where the answer is)",
    )
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    add_check_options(parser)


def _explain(choices: argparse.Namespace) -> int:
    from dbdyno.report import analyse_study, print_why, why_markdown, why_object, why_of  # late: see _main

    analysis = analyse_study(open_results(choices.results, choices))
    why = why_of(analysis, choices.pair, choices.at)
    if choices.format == "json":
        print(json.dumps(why_object(analysis, why), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(why_markdown(why), end="")
    else:
        print_why(analysis, why, wide_console())
    return 0
