"""`dbdyno diff`: compares two results folders cell by cell, with an exit code for builds."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
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
Compares two results folders of the same study, measured before and after a change of server, settings or machine.
Prints ratio, interval and verdict for each cell that both have; everything else that changed between them (versions,
variables as read back, study, machine); and what could not be compared, with the reason.

  dbdyno diff results/monday results/tuesday
  dbdyno diff results/base results/new --fail-on slower:3% --fail-on p99:10% --fail-on missing
  dbdyno diff results/lts results/next --match mysql:8.4=mysql:9.7
  dbdyno diff results/base results/new --format md >> "$GITHUB_STEP_SUMMARY"
  dbdyno diff results/base results/new --json | jq '.changes[] | select(.outcome == "slower")'

A --fail-on rule has one of three results, for each cell and overall:

  FAIL       a cell is worse by more than allowed, beyond chance (p below 0.05, adjusted over all cells)
  PASS       the 95 % interval excludes that
  NOT SHOWN  anything else; dbdyno prints the repeats, warm-up or window that would decide

`slower` is about throughput. p50, p95, p99 and p999 are response times, compared if both sides have two runs.
`missing` is a cell of BASE without a good run in NEW. NOT SHOWN fails the build unless --undecided pass is given.

Cells are not compared if policy, workload, rows, pacing, window or machine differ, unless --allow-mismatch names the
difference; it then becomes a caveat. A target with the same build and settings on both sides shows whether the machine
changed: keep one in every study.

Exit code 0: all rules PASS, or are NOT SHOWN with --undecided pass; 1: a rule FAILs or is NOT SHOWN; 2: the folders
have nothing in common that can be compared.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "diff", _STORY, _diff)
    parser.example = "dbdyno diff results/before results/after"
    parser.one_more = "diff takes two folders; pairs of targets are written --match BASE=NEW"
    parser.add_argument("base", type=Path, metavar="BASE", help="results folder from before")
    parser.add_argument("new", type=Path, metavar="NEW", help="results folder from after")
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="exit with code 1 if broken: slower:3%%, p99:10%%, missing; may be repeated",
    )
    parser.add_argument(
        "--undecided",
        choices=("fail", "pass"),
        default="fail",
        help="whether NOT SHOWN fails or passes the build (default: fail)",
    )
    # The earlier spelling of today's default.
    parser.add_argument("--strict", action="store_const", const="fail", dest="undecided", help=argparse.SUPPRESS)
    parser.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="BASE=NEW",
        help="compare targets with different names; may be repeated",
    )
    add_allow_mismatch(parser, "compare")
    parser.add_argument(
        "--all", action="store_true", help="list every changed variable, not the first dozen per target"
    )
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
        renamed=_parse_target_pairs(choices.match),
        despite=listed_mismatches(choices.allow_mismatch),
    )
    rules = check_rules(difference, criteria)
    _print_result(difference, rules, choices)
    if not difference.changes:
        raise RequestError("no cell could be compared", difference.left_out[0].reason, _remedy(difference))
    outcome = overall(rules)
    return 0 if outcome == "PASS" or (outcome == "NOT SHOWN" and choices.undecided == "pass") else 1


def _remedy(difference: StudyDiff) -> str:
    """Return what would make cells comparable that are not, if an option or another folder can."""
    kinds = dict.fromkeys(kind for excluded in difference.left_out for kind in excluded.mismatches)
    if kinds:
        return f"--allow-mismatch {','.join(kinds)} compares in spite of this, if you know that it does not matter"
    if any(excluded.is_common or excluded.is_missing for excluded in difference.left_out):
        return "dbdyno show DIR names the runs that are not good, and why"
    return "name folders with the same targets and connections, or pair targets with --match BASE=NEW"


def _print_result(difference: StudyDiff, rules: list[RuleOutcome], choices: argparse.Namespace) -> None:
    from dbdyno.report import diff_markdown, diff_object, print_diff

    if choices.format == "json":
        print(json.dumps(diff_object(difference, rules), indent=1, allow_nan=False))
    elif choices.format == "md":
        print(diff_markdown(difference, rules, every=choices.all), end="")
    else:
        print_diff(difference, rules, wide_console(), every=choices.all, undecided=choices.undecided)


def _parse_target_pairs(texts: Sequence[str]) -> dict[str, str]:
    """Return the name of each target in NEW -> its name in BASE."""
    pairs: dict[str, str] = {}
    for text in texts:
        base, separator, new = text.partition("=")
        if not separator or not base or not new:
            raise RequestError(f"'{text}' does not pair two targets", "", "write --match mysql:8.4=mysql:9.7")
        if pairs.setdefault(new, base) != base:
            raise RequestError(
                f"--match pairs {new} of NEW twice",
                f"with {pairs[new]} and with {base} of BASE",
                "compare them by two commands",
            )
    return pairs
