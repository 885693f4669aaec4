"""`dbdyno doctor`: checks whether this machine is fit to be measured on, for one study or for any."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._console import wide_console
from dbdyno.cli._help import add_command as add
from dbdyno.cli._remote import add_options, check_options, chosen_host, examine_there
from dbdyno.core import RequestError, counted

if TYPE_CHECKING:
    from rich.console import Console

    from dbdyno.doctor import Examination, Needs, Outcome

_STORY = """\
Checks in about a second whether this machine can give trustworthy results: clock and governor, NUMA, huge pages,
swap, limits, the disk under DBDYNO_HOME, asynchronous I/O, other load, containers, the load generator. Each finding
says what was seen, how it affects a result and which command fixes it. Changes nothing.

  dbdyno doctor                            for any study
  dbdyno doctor studies/first.toml         for this study: its tiers, connections, processors, disk
  dbdyno doctor --host bench@db1           that host over ssh, and the network to it; takes 12 seconds
  dbdyno doctor --json | jq '.outcomes[] | select(.state == "found") | .remedy'

A blocker makes runs fail or measure something else; a weakness is a reason to doubt results; a note is worth knowing.
`dbdyno run` and `dbdyno compare` make the same checks before they start: a blocker stops them unless --force is
given, and the report shows the rest.

Exit code 0: no finding, or notes only; 1: a blocker or weakness; 2: the study is wrong.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "doctor", _STORY, _doctor)
    parser.add_argument("study", type=Path, nargs="?", metavar="STUDY.toml", help="check the machine for this study")
    parser.add_argument("--scale", metavar="NAME", help="one of the study's scales, such as small")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object with everything that was read")
    parser.add_argument("--all", action="store_true", help="also list checks that found nothing, with what they saw")


def _doctor(choices: argparse.Namespace) -> int:
    from dbdyno.doctor import examination_to_json  # late: see _main

    check_options(choices)
    examination = _examine_there(choices) if choices.host else _examine_here(choices)
    if choices.json:
        print(json.dumps(examination_to_json(examination), indent=1))
    else:
        _print(examination, choices.all, wide_console())
    return 1 if any(finding.severity != "note" for finding in examination.findings) else 0


def _examine_here(choices: argparse.Namespace) -> Examination:
    from dbdyno.cli._machine import examine_here  # late: see _main
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost

    host, home = LocalHost(), Home.of_user()
    return examine_here(_needs(choices, host), home, host)


def _examine_there(choices: argparse.Namespace) -> Examination:
    if choices.study is not None:
        raise RequestError(
            f"{choices.study} can't be checked for another host",
            "studies run on this machine only",
            "leave out one of the two",
        )
    with chosen_host(choices) as host:
        return examine_there(host)


def _needs(choices: argparse.Namespace, host: Any) -> Needs | None:  # noqa: ANN401 - a LocalHost
    if choices.study is None:
        return None
    from dbdyno.cli._plan import full_plan
    from dbdyno.doctor import needs_of
    from dbdyno.study import read_study

    study = read_study(choices.study, choices.scale)
    budget = full_plan(study, host).budget
    return needs_of(study, budget.memory_bytes, budget.disk_bytes)


def _print(examination: Examination, everything: bool, console: Console) -> None:
    for finding in examination.findings:
        _print_finding(finding, console)
    if everything:
        for state, heading in (("clear", "clear"), ("idle", "nothing to judge"), ("unknown", "not known")):
            _print_rest(heading, [o for o in examination.outcomes if o.state == state], console)
    else:
        unknown = [outcome for outcome in examination.outcomes if outcome.state == "unknown"]
        _print_rest("not known: these checks are neither findings nor clear", unknown, console)
    console.print(_sum(examination), markup=False)


def _print_finding(finding: Outcome, console: Console) -> None:
    head = f"{finding.severity.upper()}  {finding.title}  [{finding.check_id}]"
    console.print(head, style="bold", markup=False)
    for label, text in (("seen", finding.seen), ("effect", finding.effect), ("remedy", finding.remedy)):
        console.print(f"  {label}: {text}", markup=False, soft_wrap=True)
    console.print()


def _print_rest(heading: str, outcomes: list[Outcome], console: Console) -> None:
    if outcomes:
        console.print(heading, style="bold", markup=False)
        for outcome in outcomes:
            console.print(f"  {outcome.title}: {outcome.seen}", markup=False, soft_wrap=True)
        console.print()


def _sum(examination: Examination) -> str:
    findings = examination.findings
    counts = {name: sum(finding.severity == name for finding in findings) for name in ("blocker", "weakens", "note")}
    words = [counted(counts["blocker"], "blocker")] if counts["blocker"] else []
    words += [f"{counts['weakens']} that weaken results"] if counts["weakens"] else []
    words += [counted(counts["note"], "note")] if counts["note"] else []
    clear = sum(outcome.state == "clear" for outcome in examination.outcomes)
    head = "" if counts["blocker"] or counts["weakens"] else "no problem found: "
    return f"{head}{', '.join([*words, f'{clear} checks clear'])} of {len(examination.outcomes)}"
