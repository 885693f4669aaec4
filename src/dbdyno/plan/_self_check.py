"""Builds the study that compares an engine with itself: any difference is due to the machine, or to dbdyno."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dbdyno.core import RequestError, format_duration
from dbdyno.study import Study, parse_study, study_text

_TIER = "32MB"
_CACHED, _LARGER = (2, 10_000), (4, 100_000)  # tables and rows of each: within the tier, and about three times of it
KINDS = (
    ("cached reads", "sysbench/oltp_read_only", _CACHED),
    ("cached writes", "sysbench/oltp_write_only", _CACHED),
    ("writes out of cache", "sysbench/oltp_write_only", _LARGER),
)
"""What is compared, in turns: name, workload, and tables with their rows."""
_HELD_KINDS = KINDS[:1]
"""A held server is compared where it needs the processor: one that waits for its disk loses nothing by being stopped,
and commits that pile up meanwhile are flushed together, so that it may even do more."""
FIRST, SECOND = "A", "B"


@dataclass(frozen=True, slots=True)
class SelfCheckChoices:
    """Describes how an engine is compared with itself.

    Parameters
    ----------
    comparisons : at least one; the kinds of load take turns
    repeats : pairs of runs of each comparison
    throttled_share : of the time for which the second server's process is held; 0: both are alike
    """

    engine: str
    comparisons: int = 3
    repeats: int = 4
    warm_up_ns: int = 5 * 10**9
    window_ns: int = 20 * 10**9
    concurrency: int = 4
    throttled_share: float = 0.0
    seed: int = 1


def self_check_study(choices: SelfCheckChoices) -> Study:
    """Return the study. It is one like any other: its folder can be shown, reported, and gone on with.

    Raises
    ------
    RequestError : no comparison, or fewer than two pairs
    StudyError : the engine's name is none, or a time is none

    >>> study = self_check_study(SelfCheckChoices("mariadb:11.8", comparisons=4))
    >>> [target.name for target in study.targets], [choice.label for choice in study.workloads][2:]
    (['A', 'B'], ['writes out of cache 1', 'cached reads 2'])
    """
    if choices.comparisons < 1 or choices.repeats < 2:
        raise RequestError(
            "nothing to compare",
            f"{choices.comparisons} comparisons of {choices.repeats} pairs of runs",
            "ask for one comparison or more, of two pairs or more",
        )
    lines = ['name = "self-check"', f"question = {_quoted(_question(choices))}"]
    lines += _target_lines(FIRST, choices.engine, 0.0) + _target_lines(SECOND, choices.engine, choices.throttled_share)
    kinds = _HELD_KINDS if choices.throttled_share else KINDS
    for index in range(choices.comparisons):
        lines += _workload_lines(kinds[index % len(kinds)], index // len(kinds) + 1)
    lines += ["[axes]", f'tier = "{_TIER}"', f"concurrency = {choices.concurrency}"]
    lines += [
        "[measure]",
        f"warm_up = {_seconds_text(choices.warm_up_ns)}",
        f"window = {_seconds_text(choices.window_ns)}",
    ]
    # Both are the same build, so their results need no comparison.
    lines += [f"repeats = {choices.repeats}", f"seed = {choices.seed}", "equivalence_events = 0"]
    study = parse_study("\n".join(lines), "self-check")
    return parse_study(study_text(study), "self-check")


def _question(choices: SelfCheckChoices) -> str:
    window = format_duration(choices.window_ns)
    if choices.throttled_share:
        share_words = f"{100 * choices.throttled_share:g} %"
        return f"Does {choices.engine} measure slower than itself when it is stopped for {share_words} of the time?"
    return f"Is {choices.engine} as fast as itself on this machine, in windows of {window}?"


def _target_lines(name: str, engine: str, throttled_share: float) -> list[str]:
    lines = ["[[target]]", f"name = {_quoted(name)}", f"engine = {_quoted(engine)}"]
    return [*lines, f"throttled_share = {throttled_share}"] if throttled_share else lines


def _workload_lines(of_kind: tuple[str, str, tuple[int, int]], number: int) -> list[str]:
    kind, name, (tables, rows) = of_kind
    label = f"{kind} {number}"
    return [
        "[[workload]]",
        f"label = {_quoted(label)}",
        f"name = {_quoted(name)}",
        f"tables = {tables}",
        f"table_size = {rows}",
    ]


def _seconds_text(duration_ns: int) -> str:
    return _quoted(f"{duration_ns / 10**9:g}s")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
