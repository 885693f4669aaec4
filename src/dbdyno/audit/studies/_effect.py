"""Weighs findings of the audit by what they can do to a measured ranking; see docs/concepts/fairness.md.

A finding keeps its rule's severity where a target that it helps is shown to lead by no more than it may be worth.
Where the comparison is undecided, it is high at most: there is no ranking to overturn. So it is where nobody knows what
such a difference is worth. Where it can do nothing, it counts for less, never for more.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dbdyno.audit import SEVERITIES, ComparisonSet, Finding, Severity
from dbdyno.audit.studies._sets import campaign_name
from dbdyno.core import (
    Comparison,
    counted,
    decode,
    format_bytes,
    format_memory,
    is_vague_ratio,
    short_percent,
    target_title,
)
from dbdyno.study import Study

_WEIGHED: tuple[Severity, ...] = ("critical", "high")
_COUNTS = 1.03
"""A factor that counts in comparisons; what is worth less is rarely seen."""
_A_NOTE = 1.01
_TOO_UNLIKE = "the runs are too unlike"
_RESIDENT = "host:rss_bytes"
Labels = Mapping[str, Mapping[str, str]]
Levels = Mapping[tuple[str, str, str, int], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class FindingEffect:
    """Direction and size of what a rule finds; see ``data/effects.toml``."""

    helps: str | list[str] = ""
    size: float | str | dict[str, float] = "unknown"
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Holds what was measured of targets that the audit compares.

    Parameters
    ----------
    comparisons : pairs of targets; those that have not settled say nothing
    levels : target, workload, route and concurrency -> memory tier -> throughput
    """

    comparisons: Sequence[Comparison]
    levels: Levels


@dataclass(frozen=True, slots=True)
class Influence:
    """Holds what a finding may have done to one pair of targets.

    Parameters
    ----------
    ratio, low, high : throughput of `helped` over that of `other`, with its interval
    gain : most that the finding is worth to the helped one, as a factor; infinite where it has no limit
    is_known : whether that is known: an unknown gain is infinite, too
    """

    helped: str
    other: str
    pair: Comparison
    ratio: float
    low: float
    high: float
    gain: float
    is_known: bool

    @property
    def is_vague(self) -> bool:
        """Return whether nothing is decided, and the interval is too wide to say anything."""
        return not self.pair.is_significant and is_vague_ratio(self.low, self.high)

    @property
    def needed(self) -> float:
        """The gain that would take away the lead of the helped one, or that would hide a lead of the other."""
        if self.ratio > 1:
            return self.low if self.pair.is_significant else self.ratio
        return math.inf if self.pair.is_significant else self.high

    @property
    def is_enough(self) -> bool:
        """Return whether the finding is worth as much; what helps the one that is shown to be behind never is.

        Nor is what has no effect, even where the whole interval has the helped one behind. Where nothing is decided,
        what is worth less than a percent decides nothing either.
        """
        is_open = not self.pair.is_significant and self.pair.verdict != "same"
        is_worth_it = self.gain >= _A_NOTE if is_open else self.gain > 1
        return self.needed < math.inf and is_worth_it and self.gain >= self.needed

    @property
    def can_overturn(self) -> bool:
        """Return whether what is shown, a lead or that two are the same, may be due to a finding of known effect."""
        is_lead_shown = self.ratio > 1 and self.pair.is_significant
        return self.is_known and self.is_enough and (is_lead_shown or self.pair.verdict == "same")

    @property
    def weight(self) -> tuple[bool, bool, bool, float]:
        """Orders influences by what the finding can do: to leads that are shown, to any, to what is open."""
        return self.can_overturn and self.pair.is_significant, self.can_overturn, self.is_enough, -self.needed


def weigh_findings(
    findings: Sequence[Finding], study: Study, sets: Sequence[ComparisonSet], ranking: Ranking
) -> tuple[Finding, ...]:
    """Return findings, each critical or high one as grave as its effect on the ranking can be, the gravest first.

    Findings about places that have no comparison keep the severity of their rule, as do those between campaigns.
    """
    pairs: dict[tuple[str, str], list[Comparison]] = {}
    for pair in ranking.comparisons:
        if pair.verdict != "not settled":
            place = (campaign_name(study, pair.workload, pair.route), format_bytes(pair.tier_bytes))
            pairs.setdefault(place, []).append(pair)

    def weighed(finding: Finding) -> Finding:
        if finding.severity not in _WEIGHED or finding.between:
            return finding
        affected_sets = [
            target_set
            for target_set in sets
            if target_set.campaign == finding.campaign and target_set.tier in (finding.tiers or (target_set.tier,))
        ]
        labels = _values_by_target(finding)
        influences = [
            influence
            for target_set in affected_sets
            for pair in pairs.get((target_set.campaign, target_set.tier), ())
            for influence in _possible_influences(finding, labels, pair, target_set, ranking.levels)
        ]
        return _weigh_finding(finding, influences)

    return tuple(sorted(map(weighed, findings), key=lambda finding: SEVERITIES.index(finding.severity)))


def _weigh_finding(finding: Finding, influences: Sequence[Influence]) -> Finding:
    if not influences:
        return finding
    gravest = max(influences, key=lambda influence: influence.weight)
    severity = finding.severity
    if not gravest.can_overturn:
        severity = "high" if gravest.is_enough else _lesser_severity(max(influence.gain for influence in influences))
    remark = "; ".join(filter(None, (finding.remark, _influence_words(gravest))))
    return replace(finding, severity=severity, remark=remark)


def _lesser_severity(gain: float) -> Severity:
    return "info" if gain < _A_NOTE else "low" if gain < _COUNTS else "medium"


def _influence_words(influence: Influence) -> str:
    """Return what the finding can do, by the pair to which it may have done most."""
    helped_title, other_title = target_title(influence.helped), target_title(influence.other)
    pair = influence.pair
    place_words = f"at {format_memory(pair.tier_bytes)} and {counted(pair.concurrency, 'connection')}"
    is_ahead_undecided = influence.ratio > 1 and not pair.is_significant and pair.verdict != "same"
    worth_words = "its effect has no known limit" if influence.is_known else "its effect is unknown"
    if influence.gain < math.inf:
        worth_words = (
            f"worth up to {short_percent(influence.gain - 1)}" if influence.gain > 1 else "no effect on throughput"
        )
    if influence.is_enough and is_ahead_undecided:
        open_words = f"which of them is faster is not decided ({_interval_words(influence)})"
        return f"it could put {helped_title} ahead of {other_title} {place_words}, where {open_words}: {worth_words}"
    if influence.is_enough and influence.ratio > 1 and pair.is_significant:
        lead_words = f"at least {short_percent(influence.low - 1)}"
        return f"it may be why {helped_title} is faster than {other_title} {place_words} ({lead_words}): {worth_words}"
    if influence.is_enough:
        return f"it may hide that {other_title} is faster than {helped_title} {place_words}: {worth_words}"
    if influence.needed == math.inf:
        return f"it cannot overturn this ranking: {helped_title}, which it helps, is behind {other_title} {place_words}"
    if influence.is_vague:
        return f"{worth_words}; {helped_title} and {other_title} are not ranked {place_words}: {_TOO_UNLIKE}"
    needed_words = (
        f"{helped_title} is at least {short_percent(influence.needed - 1)} faster than {other_title} {place_words}"
    )
    if is_ahead_undecided:
        needed_words = (
            f"whether {helped_title} is faster than {other_title} {place_words} is not decided "
            f"({_interval_words(influence)})"
        )
    elif influence.needed <= 1:
        needed_words = (
            f"{helped_title} is behind {other_title} {place_words}, which is not decided ({_interval_words(influence)})"
        )
    elif influence.ratio < 1:
        needed_words = (
            f"it would take {short_percent(influence.needed - 1)} to hide a lead of {other_title} over {helped_title} "
            f"{place_words}"
        )
    return f"it cannot overturn this ranking: {worth_words}, and {needed_words}"


def _interval_words(influence: Influence) -> str:
    """Return between what the helped one may be against the other."""
    if influence.is_vague:
        return _TOO_UNLIKE
    ends = [
        f"{short_percent(abs(end - 1))} {'faster' if end > 1 else 'slower'}" for end in (influence.low, influence.high)
    ]
    return f"between {ends[0]} and {ends[1]}"


def _possible_influences(
    finding: Finding, labels: Labels, pair: Comparison, comparison_set: ComparisonSet, levels: Levels
) -> Iterator[Influence]:
    """Yield both directions in which a finding may have moved a pair, where it may."""
    effect = _effects().get(finding.rule.rule_id, FindingEffect())
    inverse_interval = 1 / pair.ratio, 1 / pair.high, 1 / pair.low if pair.low > 0 else math.inf
    for helped, other, (ratio, low, high) in (
        (pair.left, pair.right, (pair.ratio, pair.low, pair.high)),
        (pair.right, pair.left, inverse_interval),
    ):
        if _can_help(effect, finding, labels, helped, other, is_ahead=ratio > 1):
            gain = _largest_gain(finding, effect, labels, helped, other, pair, comparison_set, levels)
            yield Influence(helped, other, pair, ratio, low, high, gain, effect.size != "unknown")


def _can_help(
    effect: FindingEffect, finding: Finding, labels: Labels, target: str, other: str, *, is_ahead: bool
) -> bool:
    """Return whether the finding may make one target faster than the other."""
    if effect.helps == "slower":
        return not is_ahead
    if finding.rule.scope == "target" or effect.helps in ("named", "others"):
        is_named = target in finding.targets
        is_one_named = is_named != (other in finding.targets)
        return is_one_named and (not effect.helps or is_named == (effect.helps == "named"))
    difference = _first_difference(labels, target, other)
    if difference is None:
        return False
    first_rank, second_rank = (_value_rank(effect.helps, value) for value in difference[1:])
    # Values that differ in one place of the order, such as two intervals between syncs, may help either side.
    return first_rank is None or second_rank is None or first_rank <= second_rank


def _value_rank(helps: str | list[str], value: str) -> float | None:
    """Place of a value, the most helped first; None where that is not known."""
    if isinstance(helps, str):
        number = _number(value)
        return None if number is None or not helps else -number if helps == "largest" else number
    name = value.partition("(")[0]
    return helps.index(name) if name in helps else 1 if len(helps) == 1 else None


def _largest_gain(
    finding: Finding,
    effect: FindingEffect,
    labels: Labels,
    helped: str,
    other: str,
    pair: Comparison,
    comparison_set: ComparisonSet,
    levels: Levels,
) -> float:
    """Return the most that a finding is worth to the helped one, as a factor."""
    if isinstance(effect.size, float):
        return effect.size
    if effect.size in ("unlimited", "unknown"):
        return math.inf
    if effect.size == "asked":
        return _asked_over_effective(finding, other)
    name, *values = _first_difference(labels, helped, other) or ("",)
    if name == _RESIDENT and _storage_engine(comparison_set, helped) == "innodb":
        return 1.0  # only the buffer pool holds rows: other memory of the process saves no read
    if isinstance(effect.size, dict):
        return effect.size.get(values[-1].partition("(")[0], math.inf) if values else math.inf
    numbers = [_number(value) for value in values]
    if len(numbers) < 2 or numbers[0] is None or numbers[1] is None:
        return math.inf
    larger, smaller = max(numbers[0], numbers[1]), min(numbers[0], numbers[1])
    if effect.size == "ratio":
        return larger / smaller if smaller else math.inf
    if effect.size == "share":
        return (100 - smaller) / (100 - larger) if larger < 100 else math.inf
    return _memory_gain(other, larger - smaller, pair, comparison_set, levels)


def _asked_over_effective(finding: Finding, target: str) -> float:
    """Return by which factor a target got less than it asked for; infinite where one of the two is not known."""
    asked, effective = finding.asked_and_effective.get(target, (math.inf, 0.0))
    return asked / effective if effective else math.inf


def _storage_engine(comparison_set: ComparisonSet, target: str) -> str:
    return next((facts.storage_engine for facts in comparison_set.targets if facts.name == target), "")


def _memory_gain(
    target: str, more_bytes: float, pair: Comparison, comparison_set: ComparisonSet, levels: Levels
) -> float:
    """Return what a target would gain by as much more memory: nothing where it holds all rows already."""
    facts = next((facts for facts in comparison_set.targets if facts.name == target), None)
    data_bytes = facts.schema.get("data_bytes") if facts else None
    if not pair.tier_bytes:
        return math.inf
    if data_bytes and data_bytes <= pair.tier_bytes:
        return 1.0
    gain = 1 + more_bytes / pair.tier_bytes
    by_tier = levels.get((target, pair.workload, pair.route, pair.concurrency), {})
    larger_tiers = [tier for tier in by_tier if tier >= pair.tier_bytes + more_bytes]
    if larger_tiers and (level := by_tier.get(pair.tier_bytes)):
        return min(gain, max(by_tier[min(larger_tiers)] / level, 1.0))
    return gain


def _values_by_target(finding: Finding) -> Labels:
    """Return target -> input -> value."""
    values = finding.values
    is_nested = all(isinstance(groups, Mapping) for groups in values.values())
    labels: dict[str, dict[str, str]] = {}
    for name, groups in (values if is_nested else {"": values}).items():
        for value, targets in groups.items():
            for target in targets:
                labels.setdefault(target, {})[name] = value
    return labels


def _first_difference(labels: Labels, target: str, other_target: str) -> tuple[str, str, str] | None:
    """Return the first input in which two targets differ, and their values."""
    other_labels = labels.get(other_target, {})
    shared = (
        (name, value, other_labels[name]) for name, value in labels.get(target, {}).items() if name in other_labels
    )
    return next((difference for difference in shared if difference[1] != difference[2]), None)


def _number(value: str) -> float | None:
    """Return the number in a value, the first there is.

    >>> _number("2.1 % of the transactions"), _number("-O3"), _number("ON")
    (2.1, 3.0, None)
    """
    match = re.search(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", value)
    return float(match[0]) if match else None


@functools.cache
def _effects() -> Mapping[str, FindingEffect]:
    text = (Path(__file__).parent / "data" / "effects.toml").read_text(encoding="utf-8")
    return decode(dict[str, FindingEffect], tomllib.loads(text))
