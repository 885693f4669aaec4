"""`dbdyno diff`: two results folders compared cell by cell, with an exit code for builds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._help import add_command as add
from dbdyno.cli._obstacles import listed_obstacles
from dbdyno.cli._words import wide_console
from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.report import RuleOutcome, StudyDiff

_STORY = """\
Compares two results folders of the same study, measured before and after a change of server, settings
or machine: every cell that both have, with ratio, interval and verdict; what else changed between them
(versions, variables as read back, study, machine); and what could not be compared, each with its reason.

  dbdyno diff results/monday results/tuesday
  dbdyno diff results/base results/new --fail-on slower:3% --fail-on p99:10% --fail-on missing
  dbdyno diff results/lts results/next --match mysql:8.4=mysql:9.7
  dbdyno diff results/base results/new --format md >> "$GITHUB_STEP_SUMMARY"
  dbdyno diff results/base results/new --json | jq '.changes[] | select(.outcome == "slower")'

A rule of --fail-on is broken by a cell that is worse by more than allowed and whose change is beyond
chance: p adjusted over all cells below 0.05. slower is throughput; p50, p95, p99 and p999 are response
times, compared where both sides have two runs; missing is a cell of BASE that NEW has no good run of.
PASS does not mean that nothing is slower: cells where the interval leaves it open are listed as OPEN,
and more repeats settle them. With --strict they break the rule: it holds only where it was shown to hold.

Cells of another policy, another workload, other rows, another pacing, another window or another machine
are not compared unless --despite names the obstacle; it becomes a caveat then. A target that is the same build
with the same settings on both sides tells whether the machine moved: keep one in every study.

Exit code 1 when a rule is broken, 2 when the folders have nothing in common that can be compared.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "diff", "what changed between two results folders; fails a build if asked to", _STORY, _diff)
    parser.add_argument("base", type=Path, metavar="BASE", help="results folder from before")
    parser.add_argument("new", type=Path, metavar="NEW", help="results folder from after")
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="exit code 1 when broken: slower:3%%, p99:10%%, missing; may be repeated",
    )
    parser.add_argument("--strict", action="store_true", help="a rule is broken by what is left open, too")
    parser.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="BASE=NEW",
        help="targets to be compared under different names; may be repeated",
    )
    parser.add_argument(
        "--despite",
        default="",
        metavar="KIND,..",
        help="compare despite other workload, dataset, pacing, window, host (default: none)",
    )
    parser.add_argument("--all", action="store_true", help="every variable that changed, not the first dozen a target")
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")


def _diff(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import parse_criterion  # late: see _main
    from dbdyno.report import diff_results, hold_rules
    from dbdyno.store import Results

    criteria = [parse_criterion(text) for text in choices.fail_on]
    found = diff_results(
        Results.open(choices.base),
        Results.open(choices.new),
        renamed=dict(_pair(text) for text in choices.match),
        despite=listed_obstacles(choices.despite),
    )
    rules = hold_rules(found, criteria, strict=choices.strict)
    _say(found, rules, choices)
    if not found.changes:
        raise RequestError("nothing could be compared", found.left_out[0].reason, "--despite KIND lets an obstacle be")
    return 1 if any(rule.is_broken for rule in rules) else 0


def _say(found: StudyDiff, rules: list[RuleOutcome], choices: argparse.Namespace) -> None:
    from dbdyno.report import diff_markdown, diff_object, print_diff

    if choices.format == "json":
        print(json.dumps(diff_object(found, rules), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(diff_markdown(found, rules, every=choices.all), end="")
    else:
        print_diff(found, rules, wide_console(), every=choices.all)


def _pair(text: str) -> tuple[str, str]:
    base, separator, new = text.partition("=")
    if not separator or not base or not new:
        raise RequestError(f"'{text}' does not pair two targets", "", "write --match mysql:8.4=mysql:9.7")
    return new, base
