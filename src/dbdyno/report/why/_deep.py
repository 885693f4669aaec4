"""Reads the deep profiles that lie next to a study, and gives them as lines and rows: which functions take the time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
_USER_EVENT = "cpu-clock:u"
_SAMPLER_HZ = 20
"""Rate of the waits: what a sample stands for, where files hold microseconds."""


@dataclass(frozen=True, slots=True)
class DeepProfile:
    """Describes the profiles of a pair.

    Parameters
    ----------
    left, right : as stored
    titles : of the targets
    counted_ms : processor time of each server as the kernel counts it, without that in the kernel where the profile has
        none; None where it is not known
    on_cpu, off_cpu : compared, milliseconds per committed transaction; None where a side has none
    """

    left: StackProfile
    right: StackProfile
    titles: tuple[str, str]
    counted_ms: tuple[float | None, float | None]
    on_cpu: StackComparison | None
    off_cpu: StackComparison | None

    def comparison(self, kind: Waiting) -> StackComparison | None:
        """Return a comparison by its name."""
        return self.on_cpu if kind == "on_cpu" else self.off_cpu

    def chance_ms(self, kind: Waiting, left_ms: float, right_ms: float) -> float:
        """Return the difference of two times that sampling alone may bring: twice its standard error."""
        profiles = ((self.left, left_ms), (self.right, right_ms))
        return 2 * math.sqrt(sum(ms * _sample_ms(profile, kind) for profile, ms in profiles))


def deep_profile(analysis: StudyAnalysis, gap: Gap) -> DeepProfile | None:
    """Return the newest profiles of both sides of a difference; None where they were not made."""
    for folder in deep_folders(analysis.results.path):
        results = StoredStudy.open(folder, check=analysis.results.check)
        runs = {record.run.cell: record.run.run_id for record in results.records()}
        if gap.left not in runs or gap.right not in runs:
            continue
        left_profile, right_profile = (read_profile(results.run_folder(runs[cell])) for cell in (gap.left, gap.right))
        if left_profile is not None and right_profile is not None:
            titles = target_title(gap.left.target), target_title(gap.right.target)
            counted_ms = (
                _counted_ms(results, runs[gap.left], left_profile),
                _counted_ms(results, runs[gap.right], right_profile),
            )
            comparisons = (_compare_profiles(left_profile, right_profile, kind) for kind in KINDS)
            return DeepProfile(left_profile, right_profile, titles, counted_ms, *comparisons)
    return None


def _counted_ms(results: StoredStudy, run_id: str, profile: StackProfile) -> float | None:
    """Return the closing check: what the samples on a processor should add up to."""
    document = results.optional_document(run_id, "counters")
    counted = "server.cpu." if _has_kernel(profile) else "server.cpu.user"
    rows = [row for row in document.get("counters", ()) if row["name"].startswith(counted)]
    return 1e3 * sum(row["delta"] for row in rows) / document["transactions"] if rows else None


def _has_kernel(profile: StackProfile) -> bool:
    """Return whether time in the kernel was sampled, too: perf may leave it out, as its command then says."""
    command = profile.facts.get("command")
    return not (isinstance(command, Sequence) and _USER_EVENT in command)


def _compare_profiles(left: StackProfile, right: StackProfile, kind: Waiting) -> StackComparison | None:
    stacks = [_stack_ms_per_transaction(profile, kind) for profile in (left, right)]
    return compare_stacks(*stacks) if all(stacks) else None


def _stack_ms_per_transaction(profile: StackProfile, kind: Waiting) -> dict[Stack, float]:
    stacks = profile.on_cpu if kind == "on_cpu" else profile.off_cpu
    unit_ms = _fact_number(profile, f"{kind}_unit_ms") / max(_fact_number(profile, "transactions"), 1)
    return {stack: count * unit_ms for stack, count in stacks.items()}


def _sample_ms(profile: StackProfile, kind: Waiting) -> float:
    unit_ms = 1e3 / (_fact_number(profile, "rate_hz") if kind == "on_cpu" else _SAMPLER_HZ)
    return unit_ms / max(_fact_number(profile, "transactions"), 1)


def _fact_number(profile: StackProfile, name: str) -> float:
    value = profile.facts.get(name)
    return float(value) if isinstance(value, (int, float)) else 0.0


def deep_lines(deep: DeepProfile) -> list[str]:
    """Return the whole times, and what limits the profiles."""
    lines = []
    for kind, words in KINDS.items():
        comparison = deep.comparison(kind)
        if comparison is not None:
            scale = least_total(comparison.left.total_ms, comparison.right.total_ms)
            times = (ms_words(tree.total_ms, scale) for tree in (comparison.left, comparison.right))
            times_words = ", ".join(f"{title} {ms}" for title, ms in zip(deep.titles, times, strict=True))
            threads_words = (
                "all threads of the server" if kind == "on_cpu" else "sessions, without waits for the client"
            )
            check = _check_words(deep, scale) if kind == "on_cpu" else ""
            lines.append(f"{words.capitalize()} ({threads_words}): {times_words} ms{check}.")
    profiles = zip(deep.titles, (deep.left, deep.right), strict=True)
    return [*lines, *(line for title, profile in profiles for line in _limit_lines(title, profile))]


def _check_words(deep: DeepProfile, scale: float) -> str:
    kernel_times = [ms_words(ms, scale) for ms in deep.counted_ms if ms is not None]
    return f"; the kernel counts {' and '.join(kernel_times)}" if len(kernel_times) == len(deep.counted_ms) else ""


def _limit_lines(title: str, profile: StackProfile) -> list[str]:
    missing_kinds = profile.facts.get("missing")
    lines = [
        f"{title}, {KINDS['on_cpu' if kind == 'on_cpu' else 'off_cpu']}: not known, {reason}."
        for kind, reason in (missing_kinds.items() if isinstance(missing_kinds, Mapping) else ())
    ]
    samples = sum(profile.on_cpu.values())
    if samples and not _has_kernel(profile):
        lines.append(
            f"{title}: its time on a processor is without the kernel, such as system calls. To see the kernel, run "
            "sudo sysctl kernel.perf_event_paranoid=1, or dbdyno as root."
        )
    unnamed_count = sum(count for stack, count in profile.on_cpu.items() if is_unnamed(stack[-1]))
    if samples and unnamed_count > _MOST_UNNAMED * samples:
        lines.append(
            f"{title}: {100 * unnamed_count / samples:.0f} % of its CPU time is in functions without a name. To see "
            "the names, install the debug symbols of its package or use a build that is not stripped."
        )
    if samples and _fact_number(profile, "cut_off") > _MOST_CUT_OFF * samples:
        lines.append(
            f"{title}: {100 * _fact_number(profile, 'cut_off') / samples:.0f} % of its stacks are cut off. Its build "
            "keeps no frame pointers (-fno-omit-frame-pointer), so callers are unknown."
        )
    return lines


def deep_rows(deep: DeepProfile, kind: Waiting, most: int = _MOST_ROWS) -> list[list[str]]:
    """Return the functions whose own time differs most, and beyond chance."""
    comparison = deep.comparison(kind)
    if comparison is None:
        return []
    scale = least_total(comparison.left.total_ms, comparison.right.total_ms)
    differing_functions = [
        function
        for function in comparison.functions
        if abs(function.own_difference_ms) > deep.chance_ms(kind, function.left_ms, function.right_ms)
    ]
    return [_function_row(function, scale) for function in differing_functions[:most]]


def _function_row(function: FunctionTimes, scale: float) -> list[str]:
    return [
        function_words(function.name),
        ms_words(function.left_ms, scale),
        ms_words(function.right_ms, scale),
        ms_words(function.own_difference_ms, scale, signed=True),
        ms_words(function.difference_ms, scale, signed=True),
    ]


def function_words(name: str) -> str:
    """Return a function's name for people.

    >>> function_words("[mariadbd]"), function_words("filesort")
    ('mariadbd, functions without a name', 'filesort')
    """
    if name == FURTHER:
        return name.strip("[]")
    return f"{name.strip('[]')}, functions without a name" if is_unnamed(name) else name


def deep_object(deep: DeepProfile) -> dict[str, object]:
    """Return the profiles as plain data; milliseconds per committed transaction, differences right less left."""
    return {
        "left": dict(deep.left.facts),
        "right": dict(deep.right.facts),
        "left_counted_ms": deep.counted_ms[0],
        "right_counted_ms": deep.counted_ms[1],
        **{kind: _comparison_object(deep.comparison(kind)) for kind in KINDS},
    }


def _comparison_object(comparison: StackComparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        "left_ms": comparison.left.total_ms,
        "right_ms": comparison.right.total_ms,
        "left_unnamed_ms": comparison.left_unnamed_ms,
        "right_unnamed_ms": comparison.right_unnamed_ms,
        "functions": [
            {
                "name": function.name,
                "left_ms": function.left_ms,
                "right_ms": function.right_ms,
                "difference_ms": function.own_difference_ms,
                "left_total_ms": function.left_total_ms,
                "right_total_ms": function.right_total_ms,
            }
            for function in comparison.functions
        ],
    }
