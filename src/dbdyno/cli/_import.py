"""`dbdyno import`: logs of other tools made into a results folder that `report` and `show` read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dbdyno.cli._help import add_command as add
from dbdyno.cli._import_stories import IMPORT_STORY, TOOL_STORIES
from dbdyno.cli._words import counted, plain
from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.imports import Diagnostic, ImportOutcome

_MOST_PRINTED = 40
_MOST_ALIKE = 3
"""Warnings that say the same and are still printed one by one."""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "import", IMPORT_STORY, _no_tool)
    tools = parser.add_subparsers(title="tools", metavar="TOOL")
    for tool, (summary, story) in TOOL_STORIES.items():
        _add_options(add(tools, tool, story, _import, summary), tool)


def _add_options(parser: argparse.ArgumentParser, tool: str) -> None:
    parser.set_defaults(tool=tool)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the logs")
    names = parser.add_argument_group("where things stand in names")
    names.add_argument(
        "--pattern", action="append", default=[], metavar="PATTERN", help="of paths; several: the first that fits"
    )
    names.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="a field that holds for all logs"
    )
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", type=Path, metavar="DIR", help="results folder (default: results/NAME)")
    output.add_argument("--name", default="", help="name of the study (default: of the results folder)")
    output.add_argument("--quiet", action="store_true", help="print only the path of the results folder")


def _no_tool(_choices: argparse.Namespace) -> int:
    raise RequestError("no tool named", "", f"write for example: dbdyno import {next(iter(TOOL_STORIES))} LOGS -o DIR")


def _import(choices: argparse.Namespace) -> int:
    from dbdyno.imports import ImportRequest, compile_pattern, import_logs, read_given  # late: see _main

    output = choices.output or Path("results") / (choices.name or choices.folder.resolve().name or "imported")
    request = ImportRequest(
        choices.folder,
        output,
        choices.name or output.resolve().name,
        tuple(compile_pattern(text) for text in choices.pattern),
        read_given(choices.set),
        ("dbdyno", *sys.argv[1:]),
        choices.tool,
    )
    with _progress(quiet=choices.quiet) as on_progress:
        outcome = import_logs(request, on_progress)
    if not choices.quiet:
        _tell(outcome)
    print(output)
    return 1 if any(not diagnostic.is_minor for diagnostic in outcome.diagnostics) else 0


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar in a terminal, nothing elsewhere: an import takes seconds."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _what, _done, _total: None
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(what: str, done: int, total: int) -> None:
            task = tasks.setdefault(what, None) if what in tasks else None
            if task is None:
                task = tasks[what] = bar.add_task(what, total=total)
            bar.update(task, completed=done)

        yield advance


def _tell(outcome: ImportOutcome) -> None:
    study = outcome.study
    axes = [counted(len(study.targets), "target"), counted(len(study.tiers_bytes), "memory size")]
    axes += [counted(len(study.concurrencies), "number") + " of connections"]
    axes += [counted(len(study.workloads), "workload"), counted(len(study.routes), "route")]
    statuses = ", ".join(f"{count} {status}" for status, count in outcome.statuses.items())
    known = f"recognised: {', '.join(outcome.layouts)}. " if outcome.layouts else ""
    print(f"{known}{counted(outcome.runs_count, 'run')} ({statuses}): {', '.join(axes)}", file=sys.stderr)
    aside = outcome.others_count + outcome.asides_count
    if aside:
        print(f"{counted(aside, 'file')} of other kinds left aside", file=sys.stderr)
    _warn(outcome.diagnostics)


def _warn(diagnostics: Sequence[Diagnostic]) -> None:
    """What could not be read, each kind once with its number; what no figure rests on comes last, as a note."""
    from dbdyno.imports import grouped  # late: see _main

    groups = grouped(diagnostics)
    lines = [line for group in groups for line in _group_lines(group)]
    for line in lines[:_MOST_PRINTED]:
        print(plain(line), file=sys.stderr)
    if len(lines) < len(diagnostics) or len(lines) > _MOST_PRINTED:
        print('the report lists every place, under "Where the runs come from"', file=sys.stderr)


def _group_lines(group: tuple[Diagnostic, ...]) -> list[str]:
    head = "note" if group[0].is_minor else "warning"
    if len(group) <= _MOST_ALIKE:
        return [f"{head}: {diagnostic}" for diagnostic in group]
    files = len({diagnostic.path for diagnostic in group})
    times = f"{len(group):,} times in {counted(files, 'file')}" if files < len(group) else f"{files:,} files"
    return [f"{head}: {times}, such as {group[0]}"]
