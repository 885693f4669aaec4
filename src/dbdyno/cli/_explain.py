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
Explains a difference from stored results: how much longer a transaction takes on one target than on another, and
with which parts of its time that goes. Reads the stored records only; nothing is measured without --prove or --deep.

  dbdyno explain results/first
  dbdyno explain results/first --pair mysql:9.7 mariadb:11.8+rocksdb --at 64MB,16
  dbdyno explain results/first --prove                    alter what the first causes blame, and measure
  dbdyno explain results/first --prove redo-capacity durability-relaxed --rounds 6
  dbdyno explain results/first --deep                     profile both servers: which functions differ
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
A cause that is decided "explains" its milliseconds.

--prove alters what a cause blames on the slower target, runs it as it was and altered in turn, and holds what came
back against what the cause's parts held: proved ("caused by"), refuted or undecided. Its runs lie in DIR/proofs and are
never judged with the study's. --prove list names what can be altered. docs/guides/explain.md reads an example.

--deep runs both targets once more while perf samples the stacks of their servers, and says in which functions the time
is spent: a table here, flame graphs and the folded stacks in the report. These runs lie in DIR/deep, never judged.
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
    proof = parser.add_argument_group("proof")
    proof.add_argument(
        "--prove",
        nargs="*",
        metavar="WHAT",
        help="alter this cause and measure; alone: the first causes; list: what can be altered",
    )
    proof.add_argument("--rounds", type=int, default=4, metavar="N", help="runs as it was and altered (default 4)")
    deep = parser.add_argument_group("deep profile")
    deep.add_argument("--deep", action="store_true", help="sample the stacks of both servers in a run each")
    both = parser.add_argument_group("proof and deep profile")
    both.add_argument(
        "--window", metavar="TIME", help="driven in each run (default: a proof as in the study, a deep profile 20s)"
    )
    both.add_argument("--force", action="store_true", help="run although dbdyno doctor finds a blocker")
    both.add_argument("--quiet", action="store_true", help="no progress of these runs")
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
            remedy = f"dbdyno show {choices.results}/deep/* tells how the runs went"
            raise HostError(
                "the servers were not profiled", "their runs failed, or their processes are not seen", remedy
            )
    if choices.format == "json":
        print(json.dumps(why_object(analysis, why), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(why_markdown(why), end="")
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
