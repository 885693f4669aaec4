"""`dbdyno history`: puts many results folders in a row, and finds where the level moved."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._folder import add_check_options, check_of
from dbdyno.cli._help import add_command as add
from dbdyno.cli._options import add_allow_mismatch, listed_mismatches
from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.analyse import Measure
    from dbdyno.report.history import History, HistoryRule

_STORY = """\
Finds where throughput or response times changed over many results folders, such as nightly runs or versions. For each
cell it shows the size of each change with its interval, the two studies between which it happened, and what else
changed between them. Name folders one by one, or a folder above them.

  dbdyno history results/nightly/*
  dbdyno history results/nightly --fail-on slower:3% --since 2026-11-01
  dbdyno history results/versions --order version --format html -o history.html
  dbdyno history results/nightly --metric p99 --json
  dbdyno history results/nightly --format otava -o otava     for Apache Otava, formerly Hunter

A series is one cell over time. Its target's name has no version, so mysql:9.7 continues mysql:9.6. By date, each study
adds one point to a series; by version, several targets of one study may. Studies that differ from the newest in
workload, rows, pacing, window or machine are left out with the reason, unless --allow-mismatch names the difference.

A change point needs p below 0.001 and a difference of 2 %, or of what a --fail-on rule allows if that is less. It
breaks a rule if it is worse by more than allowed, but not if a target in which nothing had changed moved with it: then
the machine changed. Fewer than six studies show large changes only; dbdyno diff compares two folders by their repeats.

A rule ends in FAIL, PASS or NOT SHOWN. NOT SHOWN means that a series varies too much, or is too short, to show a
change of the allowed size, or that its newest study gives no value to compare. A cell without a good run in its newest
study fails a build unless --undecided pass is given; other NOT SHOWN fails it with --undecided fail.

Exit code 0: no rule fails the build; 1: a rule FAILs, or is NOT SHOWN as above; 2: there is no history.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "history", _STORY, _show_history)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="results folders, or folders above them")
    parser.add_argument(
        "--metric", choices=("tps", "p50", "p95", "p99", "p999"), default="tps", help="metric to follow (default: tps)"
    )
    parser.add_argument("--order", choices=("date", "version"), default="date", help="order of points (default: date)")
    add_allow_mismatch(parser, "keep studies")
    rules = parser.add_argument_group("rules of a build")
    rules.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="exit with code 1 if broken: slower:3%%, p99:10%%; may be repeated",
    )
    rules.add_argument(
        "--undecided",
        choices=("fail", "pass"),
        help="whether NOT SHOWN fails or passes the build (default: pass, but fail without a good newest run)",
    )
    rules.add_argument(
        "--since", metavar="WHEN", help="apply rules only to changes since this study or date (default: all)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json", "html", "otava"), default="text", help="default: text")
    output.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    output.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="file for html (history.html), folder for otava (otava)"
    )
    output.add_argument("--all", action="store_true", help="list every cell left out, not the first eight")
    add_check_options(parser)


def _show_history(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import parse_criterion  # late: see _main
    from dbdyno.report.history import MEASURES, check_history_rules, gather_history, since_ns
    from dbdyno.stats import LEAST_MOVE

    if choices.output is not None and choices.format in ("text", "json"):
        raise RequestError(f"-o is not for --format {choices.format}", "", "write > FILE, or choose html or otava")
    criteria = [parse_criterion(text) for text in choices.fail_on]
    measures: list[Measure] = [choices.metric, *(c.measure for c in criteria if c.measure)]
    if choices.format == "otava":
        measures += MEASURES
    history = gather_history(
        choices.folders,
        measures=list(dict.fromkeys(measures)),
        order=choices.order,
        despite=listed_mismatches(choices.allow_mismatch),
        check=check_of(choices),
        least_move=min([LEAST_MOVE, *(c.allowed for c in criteria if c.measure)]),
    )
    start_ns = since_ns(history, choices.since) if choices.since else 0
    rules = check_history_rules(history, criteria, start_ns)
    _print_result(history, rules, choices)
    if any(rule.is_broken for rule in rules):
        return 1
    open_rules = [rule for rule in rules if rule.outcome == "NOT SHOWN"]
    if choices.undecided is None:
        open_rules = [rule for rule in open_rules if rule.has_lost_series]
    if not open_rules or choices.undecided == "pass":
        return 0
    print("NOT SHOWN fails this build (--undecided pass would let it pass)", file=sys.stderr)
    return 1


def _print_result(history: History, rules: list[HistoryRule], choices: argparse.Namespace) -> None:
    from dbdyno.report.history import build_history_page, history_object, print_history, rule_lines, save_otava

    if choices.format in ("html", "otava"):
        for line in (line for rule in rules for line in rule_lines(history, rule)):
            print(line, file=sys.stderr)
    if choices.format == "json":
        print(json.dumps(history_object(history, choices.metric, rules), indent=1, allow_nan=False))
    elif choices.format == "html":
        print(build_history_page(history, choices.metric, choices.output or Path("history.html")))
    elif choices.format == "otava":
        print(save_otava(history, choices.output or Path("otava"))[0])
    else:
        print_history(history, choices.metric, rules, wide_console(), every=choices.all)
