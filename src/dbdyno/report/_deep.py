"""Reads the deep profiles that lie beside a study, and gives them as lines and rows: which functions take the time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dbdyno.analyse.explain import FunctionTimes, Gap, StackComparison, compare_stacks, least_total, ms_words
from dbdyno.core import FURTHER, Stack, is_unnamed, target_title
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.store import StackProfile, StoredStudy, deep_folders, read_profile

Waiting = Literal["on_cpu", "off_cpu"]
KINDS: Mapping[Waiting, str] = {"on_cpu": "on a processor", "off_cpu": "blocked"}
ABOUT_DEEP = (
    "Sampled in one run of each target; these runs are not judged. Own time excludes the functions that a function "
    "calls. The table lists differences of more than twice the sampling error. One run cannot show how much runs "
    "differ."
)
_MOST_ROWS = 15
_MOST_CUT_OFF = 0.3
_MOST_UNNAMED = 0.3
_SAMPLER_HZ = 20
"""Of the waits: what a sample stands for, where files tell microseconds."""


@dataclass(frozen=True, slots=True)
class DeepProfile:
    """The profiles of a pair.

    Parameters
    ----------
    left, right : as they were stored
    titles : of the targets
    counted_ms : processor time of each server as the kernel counts it; None where it is not known
    on_cpu, off_cpu : compared, milliseconds per committed transaction; None where a side has none
    """

    left: StackProfile
    right: StackProfile
    titles: tuple[str, str]
    counted_ms: tuple[float | None, float | None]
    on_cpu: StackComparison | None
    off_cpu: StackComparison | None

    def comparison(self, kind: Waiting) -> StackComparison | None:
        """By its name."""
        return self.on_cpu if kind == "on_cpu" else self.off_cpu

    def chance_ms(self, kind: Waiting, left_ms: float, right_ms: float) -> float:
        """Difference of two times that sampling alone may bring: twice its standard error."""
        sides = ((self.left, left_ms), (self.right, right_ms))
        return 2 * math.sqrt(sum(ms * _sample_ms(profile, kind) for profile, ms in sides))


def deep_profile(analysis: StudyAnalysis, gap: Gap) -> DeepProfile | None:
    """The newest profiles of both sides of a difference; None where they were not made."""
    for folder in deep_folders(analysis.results.path):
        results = StoredStudy.open(folder, check=analysis.results.check)
        runs = {record.run.cell: record.run.run_id for record in results.records()}
        if gap.left not in runs or gap.right not in runs:
            continue
        left, right = (read_profile(results.run_folder(runs[cell])) for cell in (gap.left, gap.right))
        if left is not None and right is not None:
            titles = target_title(gap.left.target), target_title(gap.right.target)
            counted = _counted_ms(results, runs[gap.left]), _counted_ms(results, runs[gap.right])
            compared = (_compared(left, right, kind) for kind in KINDS)
            return DeepProfile(left, right, titles, counted, *compared)
    return None


def _counted_ms(results: StoredStudy, run_id: str) -> float | None:
    """Closing check: what the samples on a processor should add up to."""
    document = results.optional_document(run_id, "counters")
    rows = [row for row in document.get("counters", ()) if row["name"].startswith("server.cpu.")]
    return 1e3 * sum(row["delta"] for row in rows) / document["transactions"] if rows else None


def _compared(left: StackProfile, right: StackProfile, kind: Waiting) -> StackComparison | None:
    sides = [_per_transaction(profile, kind) for profile in (left, right)]
    return compare_stacks(*sides) if all(sides) else None


def _per_transaction(profile: StackProfile, kind: Waiting) -> dict[Stack, float]:
    stacks = profile.on_cpu if kind == "on_cpu" else profile.off_cpu
    unit_ms = _number(profile, f"{kind}_unit_ms") / max(_number(profile, "transactions"), 1)
    return {stack: count * unit_ms for stack, count in stacks.items()}


def _sample_ms(profile: StackProfile, kind: Waiting) -> float:
    unit_ms = 1e3 / (_number(profile, "rate_hz") if kind == "on_cpu" else _SAMPLER_HZ)
    return unit_ms / max(_number(profile, "transactions"), 1)


def _number(profile: StackProfile, name: str) -> float:
    value = profile.facts.get(name)
    return float(value) if isinstance(value, (int, float)) else 0.0


def deep_lines(deep: DeepProfile) -> list[str]:
    """The whole times, and what limits the profiles."""
    lines = []
    for kind, words in KINDS.items():
        found = deep.comparison(kind)
        if found is not None:
            scale = least_total(found.left.total_ms, found.right.total_ms)
            times = (ms_words(tree.total_ms, scale) for tree in (found.left, found.right))
            shown = ", ".join(f"{title} {ms}" for title, ms in zip(deep.titles, times, strict=True))
            whose = "all threads of the server" if kind == "on_cpu" else "sessions, without waits for the client"
            check = _check_words(deep, scale) if kind == "on_cpu" else ""
            lines.append(f"{words.capitalize()} ({whose}): {shown} ms{check}.")
    sides = zip(deep.titles, (deep.left, deep.right), strict=True)
    return [*lines, *(line for title, profile in sides for line in _limits(title, profile))]


def _check_words(deep: DeepProfile, scale: float) -> str:
    counted = [ms_words(ms, scale) for ms in deep.counted_ms if ms is not None]
    return f"; the kernel counts {' and '.join(counted)}" if len(counted) == len(deep.counted_ms) else ""


def _limits(title: str, profile: StackProfile) -> list[str]:
    missing = profile.facts.get("missing")
    lines = [
        f"{title}, {KINDS['on_cpu' if kind == 'on_cpu' else 'off_cpu']}: not known, {why}."
        for kind, why in (missing.items() if isinstance(missing, Mapping) else ())
    ]
    samples = sum(profile.on_cpu.values())
    unnamed = sum(count for stack, count in profile.on_cpu.items() if is_unnamed(stack[-1]))
    if samples and unnamed > _MOST_UNNAMED * samples:
        lines.append(
            f"{title}: {100 * unnamed / samples:.0f} % of its CPU time is in functions without a name. To see the "
            "names, install the debug symbols of its package or use a build that is not stripped."
        )
    if samples and _number(profile, "cut_off") > _MOST_CUT_OFF * samples:
        lines.append(
            f"{title}: {100 * _number(profile, 'cut_off') / samples:.0f} % of its stacks are cut off. Its build "
            "keeps no frame pointers (-fno-omit-frame-pointer), so callers are unknown."
        )
    return lines


def deep_rows(deep: DeepProfile, kind: Waiting, most: int = _MOST_ROWS) -> list[list[str]]:
    """The functions whose own time differs most, and beyond chance."""
    found = deep.comparison(kind)
    if found is None:
        return []
    scale = least_total(found.left.total_ms, found.right.total_ms)
    differing = [
        each
        for each in found.functions
        if abs(each.own_difference_ms) > deep.chance_ms(kind, each.left_ms, each.right_ms)
    ]
    return [_row(each, scale) for each in differing[:most]]


def _row(each: FunctionTimes, scale: float) -> list[str]:
    return [
        function_words(each.name),
        ms_words(each.left_ms, scale),
        ms_words(each.right_ms, scale),
        ms_words(each.own_difference_ms, scale, signed=True),
        ms_words(each.difference_ms, scale, signed=True),
    ]


def function_words(name: str) -> str:
    """A function's name for people.

    >>> function_words("[mariadbd]"), function_words("filesort")
    ('mariadbd, functions without a name', 'filesort')
    """
    if name == FURTHER:
        return name.strip("[]")
    return f"{name.strip('[]')}, functions without a name" if is_unnamed(name) else name


def deep_object(deep: DeepProfile) -> dict[str, object]:
    """The profiles as plain data; milliseconds per committed transaction, differences right less left."""
    return {
        "left": dict(deep.left.facts),
        "right": dict(deep.right.facts),
        "left_counted_ms": deep.counted_ms[0],
        "right_counted_ms": deep.counted_ms[1],
        **{kind: _comparison_object(deep.comparison(kind)) for kind in KINDS},
    }


def _comparison_object(found: StackComparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "left_ms": found.left.total_ms,
        "right_ms": found.right.total_ms,
        "left_unnamed_ms": found.left_unnamed_ms,
        "right_unnamed_ms": found.right_unnamed_ms,
        "functions": [
            {
                "name": each.name,
                "left_ms": each.left_ms,
                "right_ms": each.right_ms,
                "difference_ms": each.own_difference_ms,
                "left_total_ms": each.left_total_ms,
                "right_total_ms": each.right_total_ms,
            }
            for each in found.functions
        ],
    }
