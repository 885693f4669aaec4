"""`dbdyno explain`: says with which parts of the time a difference between two targets goes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.core import HostError

_STORY = """\
Explains a difference from stored results: how much longer a transaction takes on one target than on another, and in
which parts of its time. Reads only stored records; measures nothing without --prove or --deep.

  dbdyno explain results/first
  dbdyno explain results/first --pair mysql:9.7 mariadb:11.8+rocksdb --at 64MB,16
  dbdyno explain results/first --prove                    undo the first causes and measure again
  dbdyno explain results/first --prove redo-capacity durability-relaxed --rounds 6
  dbdyno explain results/first --deep                     profile both servers: which functions differ
  dbdyno explain results/first --format json | jq '.gap.parts[] | select(.verdict == "decided")'

The time T of a transaction is connections / TPS: the time that one connection spends per commit. It is split into
statement types, attempts lost to deadlocks, the load generator's processor time, its wait for a processor, and the
rest. The output shows how closely the parts add up to T.

A part is "decided" when its difference is beyond chance (all parts tested together) and at least 3 % of the
shorter time. It is "small" when its interval lies below that, else "undecided". Each difference is split once
more: more statements per transaction (by count), or slower ones (by cost).

By default the fastest target is compared with the next one that is shown to be slower (--pair), at the place of the
report's answer (--at). A target is also compared with itself at more connections: which statement grows.

"Goes with" says where the time is, not why. Causes come from a table: each claims the parts for which there is
evidence, such as a counter that grew or a setting that differs, and each millisecond is claimed once. A decided
cause "explains" its milliseconds.

--prove changes the blamed setting on the slower target, runs it unchanged and changed in turn, and compares the time
gained with the time that the cause claimed: proved ("caused by"), refuted or undecided. Its runs are stored in
DIR/proofs and never count for the study. --prove list lists what can be changed. docs/guides/explain.md reads an
example.

--deep runs both targets once more while perf samples the stacks of their servers, and shows in which functions the
time is spent: a table here, flame graphs and folded stacks in the report. These runs are stored in DIR/deep and never
count for the study.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "explain", _STORY, _explain)
    parser.add_argument("results", type=Path, metavar="DIR", help="results folder")
    parser.add_argument(
        "--pair",
        nargs=2,
        default=(),
        metavar=("A", "B"),
        help="two targets, B against A (default: the best and the next slower)",
    )
    parser.add_argument(
        "--at",
        default="",
        metavar="PLACE",
        help="memory, connections, workload or route, such as 512MB,16 (default: place of the answer)",
    )
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    proof_group = parser.add_argument_group("proof")
    proof_group.add_argument(
        "--prove",
        nargs="*",
        metavar="WHAT",
        help="undo this cause and measure; no name: the first causes; list: all possible changes",
    )
    proof_group.add_argument(
        "--rounds", type=int, default=4, metavar="N", help="runs unchanged and changed (default 4 each)"
    )
    deep_group = parser.add_argument_group("deep profile")
    deep_group.add_argument("--deep", action="store_true", help="run both targets once more and sample their stacks")
    shared_group = parser.add_argument_group("proof and deep profile")
    shared_group.add_argument(
        "--window", metavar="TIME", help="window of each run (default: the study's for a proof, 20s for a deep profile)"
    )
    shared_group.add_argument("--force", action="store_true", help="run although dbdyno doctor finds a blocker")
    shared_group.add_argument("--quiet", action="store_true", help="print no progress of these runs")
    add_check_options(parser)


def _explain(choices: argparse.Namespace) -> int:
    from dbdyno.report import analyse_study, print_why, why_markdown, why_object, why_of  # late: see _main

    if choices.prove == ["list"]:
        return _list_alterations()
    analysis = analyse_study(open_results(choices.results, choices))
    why = why_of(analysis, choices.pair, choices.at)
    if choices.prove is not None:
        from dbdyno.cli._prove import prove

        prove(analysis, why, choices)
        why = why_of(analysis, choices.pair, choices.at)
    if choices.deep:
        from dbdyno.cli._deep import profile_pair

        profile_pair(analysis, why, choices)
        why = why_of(analysis, choices.pair, choices.at)
        if why.deep is None:
            remedy = f"dbdyno show {choices.results}/deep/* shows how the runs went"
            raise HostError(
                "the servers were not profiled", "their runs failed, or dbdyno can't see their processes", remedy
            )
    if choices.format == "json":
        print(json.dumps(why_object(analysis, why), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(why_markdown(analysis, why), end="")
    else:
        print_why(analysis, why, wide_console())
    return 0


def _list_alterations() -> int:
    from dbdyno.plan import alterations

    rows = alterations()
    width = max(map(len, rows))
    for name, row in rows.items():
        print(f"{name:<{width}}  {row.words}")
    return 0
