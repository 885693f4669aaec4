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
Puts many results folders of the same cells in a row, such as those of every night or of every version,
and says for each cell where its level moved: by how much, with interval, between which two studies, and
what is recorded to have changed between them. Folders may be given one by one, or one above them.

  dbdyno history results/nightly/*
  dbdyno history results/nightly --fail-on slower:3% --since 2026-11-01
  dbdyno history results/versions --order version --format html -o history.html
  dbdyno history results/nightly --metric p99 --json
  dbdyno history results/nightly --format otava -o otava     for Apache Otava, formerly Hunter

A series is a cell of a line: the target's name without its version, so mysql:9.6 is followed by mysql:9.7.
By date each study gives a series one point; by version several targets of one study may. Studies that
measured something else than the newest (workload, rows, pacing, window, machine) are left out, each with
its reason, unless --allow-mismatch names the difference.

A change point needs p below 0.001 and 2 % between the levels on its sides. It breaks a rule of --fail-on
when it went the wrong way by more than allowed; not when a target of which nothing had changed moved
with it: that is the machine. A history of fewer than six studies shows large changes only; dbdyno diff
compares two folders by their repeats.

A rule ends in FAIL, PASS or NOT SHOWN: PASS only where no series varies so much, or is so short, that a
change of more than is allowed would not be seen. --undecided fail lets NOT SHOWN fail a build.

Exit code 1 when a rule is broken (or not shown, with --undecided fail), 2 when there is no history to judge.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "history", _STORY, _history)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="results folders, or folders above them")
    parser.add_argument(
        "--metric", choices=("tps", "p50", "p95", "p99", "p999"), default="tps", help="what is followed (default: tps)"
    )
    parser.add_argument("--order", choices=("date", "version"), default="date", help="of points (default: date)")
    add_allow_mismatch(parser, "keep studies")
    rules = parser.add_argument_group("rules of a build")
    rules.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="exit code 1 when broken: slower:3%%, p99:10%%; may be repeated",
    )
    rules.add_argument(
        "--undecided",
        choices=("fail", "pass"),
        default="pass",
        help="what a rule that is NOT SHOWN to hold does to the exit code (default: pass)",
    )
    rules.add_argument(
        "--since", metavar="WHEN", help="rules hold for changes to this study or date or later (default: all)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=("text", "json", "html", "otava"), default="text", help="default: text")
    output.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    output.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="of html the file (history.html), of otava the folder (otava)"
    )
    output.add_argument("--all", action="store_true", help="every cell that was left out, not the first eight")
    add_check_options(parser)


def _history(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import parse_criterion  # late: see _main
    from dbdyno.report.history import MEASURES, check_history_rules, gather_history, since_ns

    if choices.output is not None and choices.format in ("text", "json"):
        raise RequestError(f"-o is not for --format {choices.format}", "", "write > FILE, or choose html or otava")
    criteria = [parse_criterion(text) for text in choices.fail_on]
    wanted: list[Measure] = [choices.metric, *(c.measure for c in criteria if c.measure)]
    if choices.format == "otava":
        wanted += MEASURES
    history = gather_history(
        choices.folders,
        measures=list(dict.fromkeys(wanted)),
        order=choices.order,
        despite=listed_mismatches(choices.allow_mismatch),
        check=check_of(choices),
    )
    since = since_ns(history, choices.since) if choices.since else 0
    rules = check_history_rules(history, criteria, since)
    _say(history, rules, choices)
    is_open = choices.undecided == "fail" and any(rule.outcome == "NOT SHOWN" for rule in rules)
    return 1 if is_open or any(rule.is_broken for rule in rules) else 0


def _say(history: History, rules: list[HistoryRule], choices: argparse.Namespace) -> None:
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
