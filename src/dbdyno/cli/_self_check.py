"""`dbdyno self-check`: compares an engine with itself, which shows what this machine can tell apart."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.cli._folder import check_of
from dbdyno.cli._help import add_command as add
from dbdyno.cli._run import add_run_options
from dbdyno.core import RequestError, counted, short_percent

if TYPE_CHECKING:
    from dbdyno.analyse import SelfCheck
    from dbdyno.core import Comparison
    from dbdyno.study import Study

_STORY = """\
Drives one engine as two targets, A and B, in turns, and compares them. Any difference comes from the machine or
dbdyno, not from the engine. Prints how many comparisons were called different, the spread between repeats, and how
many repeats it takes to find a difference between engines.

  dbdyno self-check                                  3 comparisons of 4 pairs of runs, about 12 min
  dbdyno self-check mysql:9.7 --comparisons 20 --window 10s
  dbdyno self-check --throttle 10%                   slow B down by this much: is it found?
  dbdyno self-check --from results/self-check        judge stored results only

Comparisons alternate between cached reads, cached writes and writes out of cache. A comparison is quiet up to 1.5 %,
restless up to 3 %, not quiet above that or with p < 0.01. With --throttle, B's process is stopped for that share of
the time, a few milliseconds in every 50, and only cached reads are compared: a server that waits for its disk or
for a processor loses less than the time it was stopped for.

The results are a study like any other: `dbdyno plan STUDY --from results/self-check` uses its spread.

Exit code 0: quiet or restless (with --throttle: every comparison found B slower); 1: anything else, or runs are
missing.
"""


PAGE = "report.html"


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "self-check", _STORY, _run_self_check)
    parser.one_more = "self-check takes one engine; dbdyno compare compares two"
    parser.add_argument("engine", nargs="?", default="mariadb:11.8", help="FAMILY:VERSION.. (default %(default)s)")
    size = parser.add_argument_group("size")
    size.add_argument(
        "--comparisons",
        type=int,
        default=3,
        metavar="N",
        help="number of comparisons of A with B (default %(default)s)",
    )
    size.add_argument(
        "--pairs", type=int, default=4, metavar="N", help="runs of A and of B in each comparison (default 4)"
    )
    size.add_argument("--window", default="20s", metavar="TIME", help="measured time of a run (default %(default)s)")
    size.add_argument(
        "--warm-up", default="5s", metavar="TIME", help="time under load before measuring (default %(default)s)"
    )
    size.add_argument("--concurrency", type=int, default=4, metavar="N", help="connections (default %(default)s)")
    size.add_argument("--seed", type=int, default=1, metavar="N", help="seed of order, rows and load (default 1)")
    parser.add_argument("--throttle", metavar="SHARE", help="stop B for this share of its time, such as 10%%")
    parser.add_argument("--from", dest="results", type=Path, metavar="DIR", help="judge these results; run nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_run_options(parser)


def _run_self_check(choices: argparse.Namespace) -> int:
    from dbdyno.analyse import judge_self_check  # late: see _main
    from dbdyno.plan import FIRST, SECOND
    from dbdyno.report import analyse_study
    from dbdyno.store import StoredStudy

    folder = choices.results or _run_study(choices)
    analysis = analyse_study(StoredStudy.open(folder, check=check_of(choices)))
    study = analysis.study
    names = [target.name for target in study.targets]
    if not {FIRST, SECOND} <= set(names):
        raise RequestError(
            f"{folder} has no results of dbdyno self-check",
            f"its targets are {', '.join(names)}, not {FIRST} and {SECOND}",
            "name the results folder of a self-check; dbdyno show prints other results",
            code="no-self-check",
        )
    result = judge_self_check(analysis.records, FIRST, SECOND)
    if choices.json:
        print(json.dumps(_result_object(result, _throttled_share(study)), indent=1))
    elif choices.quiet and not choices.results:
        print(folder / PAGE)
    else:
        print("\n".join(_result_lines(result, study)))
    return 0 if _is_passed(result, _throttled_share(study)) else 1


def _run_study(choices: argparse.Namespace) -> Path:
    """Return the results folder, once the study has been run into it."""
    from dbdyno.cli._execute import keep_what_was_seen, run_into, warn_of_missing_runs
    from dbdyno.cli._options import parse_share
    from dbdyno.core import parse_duration_ns
    from dbdyno.plan import SelfCheckChoices, self_check_study
    from dbdyno.report import build_page
    from dbdyno.store import StoredStudy

    throttled_share = parse_share(choices.throttle, "share of time", "--throttle 10%") if choices.throttle else 0.0
    check_choices = SelfCheckChoices(
        engine=choices.engine,
        comparisons=choices.comparisons,
        repeats=choices.pairs,
        warm_up_ns=parse_duration_ns(choices.warm_up),
        window_ns=parse_duration_ns(choices.window),
        concurrency=choices.concurrency,
        throttled_share=throttled_share,
        seed=choices.seed,
    )
    folder: Path = choices.output or Path("results") / ("self-check-throttled" if throttled_share else "self-check")
    outcome = run_into(self_check_study(check_choices), folder, choices)
    if outcome.good + outcome.suspect:
        results = StoredStudy.open(folder, check=check_of(choices))
        build_page(results, folder / PAGE)
        keep_what_was_seen(results)
        print("" if choices.quiet else f"report: {folder / PAGE}\n", end="", file=sys.stderr)
    warn_of_missing_runs(outcome, is_fresh=choices.fresh)
    return folder


def _throttled_share(study: Study) -> float:
    return max(target.throttled_share for target in study.targets)


def _is_passed(result: SelfCheck, throttled_share: float) -> bool:
    if result.missing or not result.comparisons:
        return False
    if throttled_share:
        return _slower_count(result) == len(result.comparisons)
    return result.quiet != "not quiet"


def _slower_count(result: SelfCheck) -> int:
    return sum(
        comparison.pair.verdict == "different" and comparison.pair.ratio < 1 for comparison in result.comparisons
    )


def _result_lines(result: SelfCheck, study: Study) -> list[str]:
    from dbdyno.cli._format import tps_words

    throttled_share, window = _throttled_share(study), study.window_words
    title = f"{study.targets[0].engine} against itself, {counted(result.repeats, 'pair')} each, windows of {window}"
    lines = [
        title + (f", B held for {short_percent(throttled_share)} of the time" if throttled_share else ""),
        "",
    ]
    for comparison in result.comparisons:
        pair = comparison.pair
        second_tps, first_tps = (tps_words(tps) for tps in comparison.tps)
        interval = f"{100 * (pair.ratio - 1):+6.1f} % [{100 * (pair.low - 1):+.1f} to {100 * (pair.high - 1):+.1f}]"
        verdict_text = pair.verdict if throttled_share else f"{pair.verdict}, {comparison.quiet}"
        chance = _chance_words(pair)
        lines.append(
            f"  {pair.workload:<24} A {first_tps:>8}  B {second_tps:>8}  B {interval:<28} {chance}  {verdict_text}"
        )
    return [*lines, "", *_conclusion_lines(result, throttled_share)]


def _chance_words(pair: Comparison) -> str:
    """Return how likely such a difference is by chance; on what it rests where that is unknown."""
    from dbdyno.analyse import assumed_words

    if pair.p_adjusted is None:
        return assumed_words(pair.assumed_spread)
    return "p < 0.001" if pair.p_adjusted < 0.001 else f"p = {pair.p_adjusted:.3f}"


def _conclusion_lines(result: SelfCheck, throttled_share: float) -> list[str]:
    comparisons = counted(len(result.comparisons), "comparison")
    lines = [f"called different      {result.different} of {comparisons}"]
    if throttled_share:
        lines.append(
            f"B found slower        {_slower_count(result)} of {comparisons}; "
            f"it was held for {short_percent(throttled_share)} of the time"
        )
    else:
        lines.append(f"this machine          {result.quiet}")
    if result.spread is not None:
        lines.append(f"spread of repeats     {short_percent(result.spread)} (assumed where nothing is known: 1.2 %)")
        smallest = [
            (repeats, result.smallest_difference(repeats)) for repeats in (2, result.repeats, 2 * result.repeats)
        ]
        difference_words = dict.fromkeys(
            f"{short_percent(difference)} with {repeats}" for repeats, difference in smallest if difference is not None
        )
        lines.append(f"differences found     from {', '.join(difference_words)} repeats on (power 0.8)")
    if result.missing:
        lines.append(f"missing               {counted(result.missing, 'comparison')}: runs failed or are suspect")
    return lines


def _result_object(result: SelfCheck, throttled_share: float) -> dict[str, Any]:
    smallest = {str(repeats): result.smallest_difference(repeats) for repeats in (2, 3, 4, 5, 8)}
    return {
        **dataclasses.asdict(result),
        "held_share": throttled_share,
        "quiet": result.quiet,
        "different": result.different,
        "found_slower": _slower_count(result),
        "smallest_difference_by_repeats": smallest,
    }
