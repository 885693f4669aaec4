"""`dbdyno diff`: compares two results folders cell by cell, with an exit code for builds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, open_results
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_allow_mismatch, listed_mismatches
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

A rule of --fail-on ends in one of three ways, for each cell and over all. FAIL: a cell is worse by more
than allowed, and the change is beyond chance (p adjusted over all cells below 0.05). PASS: the 95 %
interval excludes that it is. NOT SHOWN: all else, with the repeats, or the longer warm-up or window, that
would decide. slower is throughput; p50, p95, p99 and p999 are response times, compared where both sides
have two runs; missing is a cell of BASE that NEW has no good run of. A rule that is not shown to hold
fails the build, unless --undecided pass lets it pass.

Cells of another policy, another workload, other rows, another pacing, another window or another machine
are not compared unless --allow-mismatch names the difference; it becomes a caveat then. A target that is the same build
with the same settings on both sides tells whether the machine moved: keep one in every study.

Exit code 0: all rules PASS, or are NOT SHOWN and --undecided pass was given; 1: a rule is broken, or not
shown; 2: the folders have nothing in common that can be compared.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "diff", _STORY, _diff)
    parser.add_argument("base", type=Path, metavar="BASE", help="results folder from before")
    parser.add_argument("new", type=Path, metavar="NEW", help="results folder from after")
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="exit code 1 when broken: slower:3%%, p99:10%%, missing; may be repeated",
    )
    parser.add_argument(
        "--undecided",
        choices=("fail", "pass"),
        default="fail",
        help="what a rule that is NOT SHOWN to hold does to the exit code (default: fail)",
    )
    # An earlier spelling of what is the default now.
    parser.add_argument("--strict", action="store_const", const="fail", dest="undecided", help=argparse.SUPPRESS)
    parser.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="BASE=NEW",
        help="targets to be compared under different names; may be repeated",
    )
    add_allow_mismatch(parser, "compare")
    parser.add_argument("--all", action="store_true", help="every variable that changed, not the first dozen a target")
    parser.add_argument("--format", choices=("text", "json", "md"), default="text", help="default: text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add_check_options(parser)


def _diff(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import parse_criterion  # late: see _main
    from dbdyno.report import check_rules, diff_results, overall

    criteria = [parse_criterion(text) for text in choices.fail_on]
    difference = diff_results(
        open_results(choices.base, choices),
        open_results(choices.new, choices),
        renamed=dict(_pair(text) for text in choices.match),
        despite=listed_mismatches(choices.allow_mismatch),
    )
    rules = check_rules(difference, criteria)
    _say(difference, rules, choices)
    if not difference.changes:
        remedy = "--allow-mismatch KIND: compare even though KIND differs"
        raise RequestError("nothing could be compared", difference.left_out[0].reason, remedy)
    outcome = overall(rules)
    return 0 if outcome == "PASS" or (outcome == "NOT SHOWN" and choices.undecided == "pass") else 1


def _say(difference: StudyDiff, rules: list[RuleOutcome], choices: argparse.Namespace) -> None:
    from dbdyno.report import diff_markdown, diff_object, print_diff

    if choices.format == "json":
        print(json.dumps(diff_object(difference, rules), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(diff_markdown(difference, rules, every=choices.all), end="")
    else:
        print_diff(difference, rules, wide_console(), every=choices.all, undecided=choices.undecided)


def _pair(text: str) -> tuple[str, str]:
    base, separator, new = text.partition("=")
    if not separator or not base or not new:
        raise RequestError(f"'{text}' does not pair two targets", "", "write --match mysql:8.4=mysql:9.7")
    return new, base
