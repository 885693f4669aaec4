"""`dbdyno import`: reads logs of other tools into a results folder that `report` and `show` read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dbdyno.cli._format import plain
from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.core import RequestError, counted

if TYPE_CHECKING:
    from dbdyno.imports import Diagnostic, ImportOutcome


IMPORT_STORY = """\
Turns a folder of another tool's logs into a results folder, which `dbdyno report`, `dbdyno show` and `dbdyno diff` read
like any other. Each log may be plain or compressed with gzip, xz or bzip2.

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno import hammerdb runs -o results/hdb --pattern '{storage_engine}/iter{repeat}/hammerdb.log'
  dbdyno report results/p26

Next to the logs it reads iostat, vmstat, mpstat and dstat as telemetry, and SHOW VARIABLES, SHOW STATUS and option
files as settings of the targets. Each tool has its own help, such as `dbdyno import hammerdb --help`: what is read and
what its logs lack. What neither file names nor logs contain stays unknown; dbdyno guesses nothing.
"""
_PATTERNS = """
A pattern gives the position of fields in a path: {engine} {version} {storage_engine} {target} {tier} {workload}
{threads} {route} {repeat}; any other name becomes part of the target's name; * and ... match anything. It is
matched against the end of the path. Without one, each folder is a target, and the rest comes from the log.

What can't be read is reported with file and line on standard error; the rest is imported, and the exit code is 1.
Equal warnings are printed once with their number. Broken lines of telemetry are notes, with exit code 0. Runs with
different configured durations do not count as repeats. Every run records path and checksum of its source files.
"""
_SYSBENCH = """\
Reads logs of sysbench 0.4, 0.5, 1.0 and 1.1: interval lines of each version, of its CSV and JSON report functions and
of tests without a database, final reports and histograms. A log may hold several runs.

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno import sysbench logs -o results/ours --set route=network \\
      --pattern '{engine}-{version}/pool{tier:GB}/{workload}_{threads}.log'

Two published layouts are recognised without a pattern: percona-2026, checkpoint-2020. Logs hold one coarse percentile
per second; the report shows their median under that name. If 0.4 or 0.5 print no transactions because the script opens
none, dbdyno counts its events.
"""
_HAMMERDB = """\
Reads timed runs of HammerDB's TPROC-C from hammerdb.log, from the output of hammerdbcli, or from the JSON report of a
job. Next to them it reads the transaction counter (hdbtcount.log, or `jobs ID tcount`) and the time profile
(hdbxtprofile.log, `jobs ID timing`, or the tables that versions before 4.1 print). A log with several runs becomes
several runs.

  dbdyno import hammerdb runs -o results/hdb --pattern '{storage_engine}/iter{repeat}/hammerdb.log'

NOPM and TPM are the server's counts and are stored as such: TPM counts every session's commits and rollbacks. Counter
readings become intervals if they stand between the lines of the log, as in a capture of hammerdbcli, or if both files
have clocks (log_timestamps and tc_log_timestamps). Otherwise dbdyno can't know which of them belong to the timed
minutes, and throughput is the printed total without noise. Response times come from the time profile, by type, and
include the ramp-up.
"""
_TPCC_MYSQL = """\
Reads the output of tpcc-mysql's tpcc_start in every format since 2008: all five types in every interval, and TpmC,
retries and failures at the end.

  dbdyno import tpcc-mysql logs -o results/tpcc --pattern '{target}/BP{tier:GB}_{threads}.txt'

Its percentiles cover only New-Order and one interval; they are stored with the seconds and never shown as those of all
transactions. Formats before 2016 name neither percentile nor unit, so dbdyno leaves theirs out.
"""
_LINKBENCH = """\
Reads request phases from logs of LinkBench: progress lines become intervals of ten seconds or more, statistics by type
become response times. A -csvstats table next to the log replaces the statistics, -csvstream the failures.

  dbdyno import linkbench logs -o results/linkbench --pattern '{storage_engine}/{threads}/linkbench.log'

Quantiles are the upper edges of buckets. The printed rate counts from before the connections are open and
counts failed requests. A -csvstats table without a log has no times: name it by a pattern to store its types in a run
without throughput.
"""
_GO_TPC = """\
Reads the tpcc output of go-tpc (or tiup bench): plain, tables or JSON, with old and new buckets.

  dbdyno import go-tpc logs -o results/gotpc --pattern '{target}/{threads}.log'

The number of threads comes from the name, from --set threads=16, or from the command if the log echoes it; so does the
length of an interval, which otherwise comes from the lines. Quantiles are per type, in coarse steps. Means that
contradict the printed sum are left out. Failed transactions are counted separately.
"""
TOOL_STORIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sysbench": ("logs of sysbench 0.4 to 1.1", _SYSBENCH + _PATTERNS),
        "hammerdb": ("logs of HammerDB's TPROC-C, with counter and time profile", _HAMMERDB + _PATTERNS),
        "tpcc-mysql": ("output of tpcc-mysql", _TPCC_MYSQL + _PATTERNS),
        "linkbench": ("logs and CSV of LinkBench", _LINKBENCH + _PATTERNS),
        "go-tpc": ("output of go-tpc's tpcc", _GO_TPC + _PATTERNS),
    }
)
"""Tool -> the line in the list of tools, and the story."""


_MOST_PRINTED = 40
_MOST_ALIKE = 3
"""Warnings that say the same and are still printed one by one."""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "import", IMPORT_STORY, _refuse_missing_tool)
    tools = parser.add_subparsers(title="tools", metavar="TOOL")
    for tool, (summary, story) in TOOL_STORIES.items():
        _add_options(add(tools, tool, story, _import, summary), tool)


def _add_options(parser: Parser, tool: str) -> None:
    parser.set_defaults(tool=tool)
    parser.example = f"dbdyno import {tool} LOGS -o DIR"
    parser.one_more = "put the logs into one folder and name it"
    parser.add_argument("folder", type=Path, metavar="LOGS", help="folder with the logs, or one log")
    names = parser.add_argument_group("position of fields in paths")
    names.add_argument(
        "--pattern",
        action="append",
        default=[],
        metavar="PATTERN",
        help="pattern of paths; with several, the first match applies",
    )
    names.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="value of a field for all logs"
    )
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", type=Path, metavar="DIR", help="results folder (default: results/NAME)")
    output.add_argument("--name", default="", help="name of the study (default: name of the results folder)")
    output.add_argument("--quiet", action="store_true", help="print only the path of the results folder")


def _refuse_missing_tool(_choices: argparse.Namespace) -> int:
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
    with _progress_bar(quiet=choices.quiet) as on_progress:
        outcome = import_logs(request, on_progress)
    if not choices.quiet:
        _print_outcome(outcome)
    print(output)
    return 1 if any(not diagnostic.is_minor for diagnostic in outcome.diagnostics) else 0


@contextmanager
def _progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar in a terminal, nothing elsewhere: an import takes seconds."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _what, _done, _total: None
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(stage: str, done_count: int, total: int) -> None:
            task = tasks.setdefault(stage, None) if stage in tasks else None
            if task is None:
                task = tasks[stage] = bar.add_task(stage, total=total)
            bar.update(task, completed=done_count)

        yield advance


def _print_outcome(outcome: ImportOutcome) -> None:
    study = outcome.study
    axes = [counted(len(study.targets), "target"), counted(len(study.tiers_bytes), "memory size")]
    axes += [counted(len(study.concurrencies), "number") + " of connections"]
    axes += [counted(len(study.workloads), "workload"), counted(len(study.routes), "route")]
    statuses = ", ".join(f"{count} {status}" for status, count in outcome.statuses.items())
    layout_words = f"recognised: {', '.join(outcome.layouts)}. " if outcome.layouts else ""
    print(f"{layout_words}{counted(outcome.runs_count, 'run')} ({statuses}): {', '.join(axes)}", file=sys.stderr)
    ignored_count = outcome.others_count + outcome.asides_count
    if ignored_count:
        print(f"{counted(ignored_count, 'file')} of other kinds ignored", file=sys.stderr)
    _print_diagnostics(outcome.diagnostics)


def _print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Print what could not be read, each kind once with its number; what no figure rests on comes last."""
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
