"""`dbdyno judge`: judges runs from a file of seconds, measured by any tool."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._color import tell
from dbdyno.cli._help import add_command as add
from dbdyno.core import SeriesError
from dbdyno.nearest import nearest

if TYPE_CHECKING:
    from dbdyno.analyse import GroupJudgement, SeriesJudgement
    from dbdyno.tables.series import RunSeries

_STORY = """\
Judges per-second throughput measured by any tool. For each run it prints whether throughput settled, since when, the
level with its interval, stalls and waves, and when the run could have stopped. The file is CSV, Parquet or a log of
sysbench (--report-interval=1), plain or gzip. CSV and Parquet have one row per second and the columns run, second and
tps; a single run needs no run column.

  dbdyno judge seconds.csv
  dbdyno judge sysbench.log
  dbdyno judge seconds.parquet --run night-3 --plot night-3.svg
  dbdyno judge seconds.csv --group                 compare its runs with each other
  ssh bench cat run.csv | dbdyno judge - --json | jq '.runs | map_values(.status)'

steady        drift is at most 3 %, and no quarter of the window is more than 3 % off its mean
steady waves  throughput swings around one level with one period
noisy         no drift beyond 3 % is shown, but 6 % can't be excluded, or a quarter is more than 3 % off
drifting, not settled, dead, too short        base no finding on this run (shown in brackets)

Seconds may start at any number, and rows may be in any order. A second without a row or value counts as 0 TPS; a last
interval shorter than a second is left out; dbdyno reports both. Intervals cover noise within the run: one run shows
nothing of the spread between repeats, so --group assumes 2.6 %, as a study without repeats does. The page
docs/concepts/steady-state.md explains each figure.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "judge", _STORY, _judge)
    parser.example = "dbdyno judge seconds.csv, or dbdyno judge sysbench.log"
    parser.one_more = "one file holds all runs; dbdyno import sysbench DIR takes a folder of logs"
    file_words = "CSV, Parquet or a log of sysbench, also gzipped; - for standard input"
    parser.add_argument("file", type=Path, metavar="FILE", help=file_words)
    parser.add_argument(
        "--run", action="append", default=[], metavar="NAME", help="judge only this run; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the runs: FILE.svg or FILE.png")
    parser.add_argument("--strict", action="store_true", help="exit with code 1 if no finding can rest on a run")
    group = parser.add_argument_group("comparison of the runs")
    group.add_argument("--group", action="store_true", help="compare all runs with each other")
    group.add_argument(
        "--over",
        choices=("window", "whole"),
        default="window",
        help="compare means of windows or of whole runs (default window)",
    )
    group.add_argument(
        "--spread",
        type=_parse_share,
        default=0.026,
        metavar="S",
        help="assumed spread between repeats, as a share (default 0.026)",
    )


_NO_LEVEL = ("dead", "too-short")
"""Runs that have failed, as far as seconds show: no part of them has a throughput to compare."""


def _parse_share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share of 0 to 1, such as 0.026")
    return value


def _judge(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import judge_series  # late: see _main
    from dbdyno.tables.series import read_series

    _refuse_image_format(choices.plot)
    runs = _choose_runs(read_series(choices.file), choices.run)
    judgements = {run.name: judge_series(run.tps, run.missing_s, is_cut=run.is_cut) for run in runs}
    group = _compare_judgements(judgements, choices) if choices.group else None
    if choices.json:
        _print_object(judgements, group, choices.over)
    else:
        _print_lines(judgements, group, choices.over)
    if choices.plot is not None:
        _save_plot(judgements, choices.plot)
    return 1 if choices.strict and not all(judgement.state.is_accepted for judgement in judgements.values()) else 0


def _choose_runs(runs: Sequence[RunSeries], names: Sequence[str]) -> Sequence[RunSeries]:
    run_names = [run.name for run in runs]
    for name in names:
        if name not in run_names:
            raise SeriesError(f"the file holds no run {name}", f"it holds {len(run_names)}", nearest(name, run_names))
    return [run for run in runs if not names or run.name in names]


def _compare_judgements(judgements: dict[str, SeriesJudgement], choices: argparse.Namespace) -> GroupJudgement:
    from dbdyno.analyse import compare_runs

    means = {}
    for name, judgement in judgements.items():
        interval = judgement.state.window if choices.over == "window" else judgement.whole
        is_telling = (
            judgement.state.is_accepted if choices.over == "window" else judgement.state.status not in _NO_LEVEL
        )
        if interval is not None and is_telling and interval.mean > 0:
            means[name] = (interval.mean, interval.half_width)
    excluded_names = [name for name in judgements if name not in means]
    if excluded_names:
        reason = "no finding rests on them; --over whole compares whole runs"
        if choices.over == "whole":
            reason = f"they ended without throughput or are too short: {', '.join(_NO_LEVEL)}"
        print(f"left out of the comparison ({reason}): {', '.join(excluded_names)}", file=sys.stderr)
    unsettled = [name for name in means if not judgements[name].state.is_accepted]
    if unsettled:
        reason = "no finding rests on them; a difference may only come from time"
        names = ", ".join(f"{name} ({judgements[name].state.status})" for name in unsettled)
        tell(f"warning: shown, but not tested ({reason}): {names}")
    return compare_runs(means, choices.spread, unsettled)


def _print_object(judgements: dict[str, SeriesJudgement], group: GroupJudgement | None, over: str) -> None:
    from dbdyno.cli._judgement import judged_object

    print(json.dumps(judged_object(judgements, group, over), indent=1, allow_nan=False))


def _print_lines(judgements: dict[str, SeriesJudgement], group: GroupJudgement | None, over: str) -> None:
    from dbdyno.cli._judgement import print_group, print_judged

    print_judged(judgements)
    if group is not None:
        print_group(group, judgements, over)


def _refuse_image_format(path: Path | None) -> None:
    if path is not None and path.suffix.lower() not in (".svg", ".png"):
        raise SeriesError(f"{path} can't be drawn", f"it ends in '{path.suffix}'", "name a file .svg or .png")


def _save_plot(judgements: dict[str, SeriesJudgement], path: Path) -> None:
    from dbdyno.report import save_judged

    save_judged(judgements, path)
    print(path, file=sys.stderr)
