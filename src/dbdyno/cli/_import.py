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

from dbdyno.cli._help import Parser
from dbdyno.cli._help import add_command as add
from dbdyno.cli._words import counted, plain
from dbdyno.core import RequestError

if TYPE_CHECKING:
    from dbdyno.imports import Diagnostic, ImportOutcome


IMPORT_STORY = """\
Reads a folder of logs that another tool wrote, unpacked or file by file in gzip, xz or bzip2, into a results
folder of its own. Then `dbdyno report`, `dbdyno show` and `dbdyno diff` serve it like any other.

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno import hammerdb runs -o results/hdb --pattern '{storage_engine}/iter{repeat}/hammerdb.log'
  dbdyno report results/p26

Beside logs of every tool are read: iostat, vmstat, mpstat, dstat as telemetry, SHOW VARIABLES, SHOW STATUS
and option files as settings of the targets. Every tool has a help of its own, `dbdyno import hammerdb --help`:
what is read, and what its logs can't tell. What neither name nor log tells stays unknown; nothing is guessed.
"""
_PATTERNS = """
A pattern tells where in a path the fields stand: {engine} {version} {storage_engine} {target} {tier} {workload}
{threads} {route} {repeat}; any other name becomes part of the target's name; * and ... take anything. It is
held against the end of the path. Without one, each folder is a target, and the rest comes from the log.

What can't be read is named with file and line on standard error, the rest is imported, and the exit code is
then 1. Warnings that say the same are one line with their number; torn lines of readings beside the load are
notes, with exit code 0. Runs of different ordered length are no repeats of each other. Every run keeps checksum
and path of the files that it was made from.
"""
_SYSBENCH = """\
Reads logs of sysbench 0.4, 0.5, 1.0 and 1.1: interval lines in the form of each version, of its CSV and JSON
report functions and without a database, last reports, histograms; several runs in one log, too.

  dbdyno import sysbench percona-2026 -o results/p26
  dbdyno import sysbench logs -o results/ours --set route=network \\
      --pattern '{engine}-{version}/pool{tier:GB}/{workload}_{threads}.log'

Layouts of two published trees are recognised without a pattern: percona-2026, checkpoint-2020. Logs hold one
percentile in steps; a median of per-second percentiles is shown as that and no more. Where 0.4 and 0.5 print
no transactions, because a script opens none, its events are counted.
"""
_HAMMERDB = """\
Reads timed runs of HammerDB's TPROC-C from hammerdb.log, from what hammerdbcli printed, or from the JSON report
of a job; beside them the transaction counter (hdbtcount.log, or `jobs ID tcount`) and the time profile
(hdbxtprofile.log, `jobs ID timing`, or the tables that versions before 4.1 print). A log of a whole sweep
becomes as many runs.

  dbdyno import hammerdb runs -o results/hdb --pattern '{storage_engine}/iter{repeat}/hammerdb.log'

NOPM and TPM are what the server counted, and are kept as that: TPM counts every session's commits and
rollbacks. Readings of the counter become intervals where they stand between the lines of the log, as in
a capture of hammerdbcli, or where both files have clocks (log_timestamps and tc_log_timestamps); otherwise
which of them are of the timed minutes is not known, and throughput is the printed total without noise.
Response times are those of the time profile, by type and with the ramp-up in them.
"""
_TPCC_MYSQL = """\
Reads what tpcc_start of tpcc-mysql prints, in every form that its lines have had since 2008: all five types
are counted in every interval, TpmC, repeats and failures at the end.

  dbdyno import tpcc-mysql logs -o results/tpcc --pattern '{target}/BP{tier:GB}_{threads}.txt'

Its percentiles are of New-Order alone and of one interval; they are kept with the seconds and drawn nowhere
as those of all transactions. The forms of before 2016 say neither which percentile nor which unit: left out.
"""
_LINKBENCH = """\
Reads request phases from logs of LinkBench: progress lines become intervals of ten seconds or more, statistics
by type its response times; a table of -csvstats beside the log stands in for them, -csvstream for the failures.

  dbdyno import linkbench logs -o results/linkbench --pattern '{storage_engine}/{threads}/linkbench.log'

Quantiles are the upper edges of buckets. The printed rate counts from before the connections are open and
counts failed requests. A table of -csvstats without a log has no time in it: give it by a pattern, and its
types are kept in a run without throughput.
"""
_GO_TPC = """\
Reads what go-tpc (or tiup bench) prints of tpcc: plain, as tables or as JSON; the old buckets and the new ones.

  dbdyno import go-tpc logs -o results/gotpc --pattern '{target}/{threads}.log'

The number of threads comes from the name, from --set threads=16, or from the command where the log echoes it;
so does the length of an interval, which is taken from the lines otherwise. Quantiles are of single types in
coarse steps; means that contradict the printed sum are left out. Failed transactions are told apart.
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
"""By tool: the line in the list of tools, and the story."""


_MOST_PRINTED = 40
_MOST_ALIKE = 3
"""Warnings that say the same and are still printed one by one."""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "import", IMPORT_STORY, _no_tool)
    tools = parser.add_subparsers(title="tools", metavar="TOOL")
    for tool, (summary, story) in TOOL_STORIES.items():
        _add_options(add(tools, tool, story, _import, summary), tool)


def _add_options(parser: Parser, tool: str) -> None:
    parser.set_defaults(tool=tool)
    parser.one_more = "put the logs into one folder, and name that"
    parser.add_argument("folder", type=Path, metavar="LOGS", help="folder of the logs, or one log")
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
