"""Weighs findings of the audit by what they can do to a measured ranking; see docs/concepts/fairness.md.

A finding keeps its rule's severity where a target that it helps leads by no more than it may be worth. Where it can
only hide that the other one is faster, it is high at most; where it can do neither, less. It never counts for more.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from dbdyno.audit import SEVERITIES, ComparisonSet, Finding, Severity
from dbdyno.audit.studies._sets import campaign_name
from dbdyno.core import Comparison, decode, format_bytes, format_memory, target_title
from dbdyno.study import Study

_WEIGHED: tuple[Severity, ...] = ("critical", "high")
_COUNTS = 1.03
"""A factor that counts in comparisons; what is worth less is rarely seen."""
_A_NOTE = 1.01
_RESIDENT = "host:rss_bytes"
Labels = Mapping[str, Mapping[str, str]]
Levels = Mapping[tuple[str, str, str, int], Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Effect:
    """Direction and size of what a rule finds; see ``data/effects.toml``."""

    helps: str | list[str] = ""
    size: float | str = math.inf


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
    gain : most that the finding is worth to the helped one, as a factor
    """

    helped: str
    other: str
    pair: Comparison
    ratio: float
    low: float
    high: float
    gain: float

    @property
    def needed(self) -> float:
        """The gain that would take away the lead of the helped one, or that would hide a lead of the other."""
        if self.ratio > 1:
            return self.low if self.pair.is_significant else self.ratio
        return math.inf if self.pair.is_significant else self.high

    @property
    def is_enough(self) -> bool:
        """Return whether the finding is worth as much; what helps the one that is shown to be behind never is."""
        return self.needed < math.inf and self.gain >= self.needed

    @property
    def can_overturn(self) -> bool:
        """Return whether what is shown, a lead or that two are the same, may be due to the finding."""
        return self.is_enough and (self.ratio > 1 or self.pair.verdict == "same")

    @property
    def weight(self) -> tuple[bool, bool, bool, float]:
        """Orders influences by what the finding can do: to leads that are shown, to any, to what is open."""
        return self.can_overturn and self.pair.is_significant, self.can_overturn, self.is_enough, -self.needed


def weigh_findings(
    findings: Sequence[Finding], study: Study, sets: Sequence[ComparisonSet], ranking: Ranking
) -> tuple[Finding, ...]:
    """Findings, each critical or high one as grave as its effect on the ranking can be, the gravest first.

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
        here = [one for one in sets if one.campaign == finding.campaign and one.tier in (finding.tiers or (one.tier,))]
        influences = [
            influence
            for one in here
            for pair in pairs.get((one.campaign, one.tier), ())
            for influence in _influences(finding, pair, one, ranking.levels)
        ]
        return _weighed(finding, influences)

    return tuple(sorted(map(weighed, findings), key=lambda finding: SEVERITIES.index(finding.severity)))


def _weighed(finding: Finding, influences: Sequence[Influence]) -> Finding:
    if not influences:
        return finding
    gravest = max(influences, key=lambda influence: influence.weight)
    severity = finding.severity
    if not gravest.can_overturn:
        severity = "high" if gravest.is_enough else _lesser(max(each.gain for each in influences))
    remark = "; ".join(filter(None, (finding.remark, _words(gravest))))
    return replace(finding, severity=severity, remark=remark)


def _lesser(gain: float) -> Severity:
    return "info" if gain < _A_NOTE else "low" if gain < _COUNTS else "medium"


def _words(gravest: Influence) -> str:
    """Return what the finding can do, by the pair to which it may have done most."""
    helped, other = target_title(gravest.helped), target_title(gravest.other)
    pair = gravest.pair
    where = f"at {format_memory(pair.tier_bytes)} and {pair.concurrency} connection{'s' * (pair.concurrency != 1)}"
    worth = "its effect is unknown"
    if gravest.gain < math.inf:
        worth = f"worth up to {_percent(gravest.gain)}" if gravest.gain > 1 else "no effect on throughput"
    if gravest.can_overturn and gravest.ratio > 1:
        lead = f"at least {_percent(gravest.low)}" if pair.is_significant else f"{_percent(gravest.ratio)}, not decided"
        return f"it may be why {helped} is ahead of {other} {where} ({lead}): {worth}"
    if gravest.is_enough:
        return f"it may hide that {other} is faster than {helped} {where}: {worth}"
    if gravest.needed == math.inf:
        return f"it cannot overturn this ranking: {helped}, which it helps, is behind {other} {where}"
    needed = f"{helped} leads {other} by {_percent(gravest.needed)} {where}"
    if gravest.ratio < 1:
        needed = f"it would take {_percent(gravest.needed)} to hide that {other} is faster than {helped} {where}"
    return f"it cannot overturn this ranking: {worth}, and {needed}"


def _percent(factor: float) -> str:
    percent = 100 * (factor - 1)
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def _influences(finding: Finding, pair: Comparison, here: ComparisonSet, levels: Levels) -> Iterator[Influence]:
    """Both directions in which a finding may have moved a pair, where it may."""
    effect, labels = _effects().get(finding.rule.rule_id, Effect()), _labels(finding)
    turned = 1 / pair.ratio, 1 / pair.high, 1 / pair.low if pair.low > 0 else math.inf
    for helped, other, (ratio, low, high) in (
        (pair.left, pair.right, (pair.ratio, pair.low, pair.high)),
        (pair.right, pair.left, turned),
    ):
        if _may_help(effect, finding, labels, helped, other, is_ahead=ratio > 1):
            gain = _gain(effect, labels, helped, other, pair, here, levels)
            yield Influence(helped, other, pair, ratio, low, high, gain)


def _may_help(effect: Effect, finding: Finding, labels: Labels, one: str, other: str, *, is_ahead: bool) -> bool:
    """Return whether the finding may make one target faster than the other."""
    if effect.helps == "slower":
        return not is_ahead
    if finding.rule.scope == "target" or effect.helps in ("named", "others"):
        is_named = one in finding.targets
        differ = is_named != (other in finding.targets)
        return differ and (not effect.helps or is_named == (effect.helps == "named"))
    difference = _first_difference(labels, one, other)
    if difference is None:
        return False
    first, second = (_rank(effect.helps, value) for value in difference[1:])
    return first is None or second is None or first < second


def _rank(helps: str | list[str], value: str) -> float | None:
    """Place of a value, the most helped first; None where that is not known."""
    if isinstance(helps, str):
        number = _number(value)
        return None if number is None or not helps else -number if helps == "largest" else number
    name = value.partition("(")[0]
    return helps.index(name) if name in helps else 1 if len(helps) == 1 else None


def _gain(
    effect: Effect,
    labels: Labels,
    helped: str,
    other: str,
    pair: Comparison,
    here: ComparisonSet,
    levels: Levels,
) -> float:
    """Most that a finding is worth to the helped one, as a factor."""
    if isinstance(effect.size, float):
        return effect.size
    name, *values = _first_difference(labels, helped, other) or ("",)
    if name == _RESIDENT and _storage_engine(here, helped) == "innodb":
        return 1.0  # rows are in the buffer pool alone: what its process takes besides saves no read
    numbers = [_number(value) for value in values]
    if len(numbers) < 2 or numbers[0] is None or numbers[1] is None:
        return math.inf
    most, least = max(numbers[0], numbers[1]), min(numbers[0], numbers[1])
    if effect.size == "ratio":
        return most / least if least else math.inf
    if effect.size == "share":
        return (100 - least) / (100 - most) if most < 100 else math.inf
    return _memory_gain(other, most - least, pair, here, levels)


def _storage_engine(here: ComparisonSet, target: str) -> str:
    return next((facts.storage_engine for facts in here.targets if facts.name == target), "")


def _memory_gain(target: str, more_bytes: float, pair: Comparison, here: ComparisonSet, levels: Levels) -> float:
    """Return what a target would gain by as much more memory: nothing where it holds all rows already."""
    facts = next((facts for facts in here.targets if facts.name == target), None)
    data_bytes = facts.schema.get("data_bytes") if facts else None
    if not pair.tier_bytes:
        return math.inf
    if data_bytes and data_bytes <= pair.tier_bytes:
        return 1.0
    gain = 1 + more_bytes / pair.tier_bytes
    by_tier = levels.get((target, pair.workload, pair.route, pair.concurrency), {})
    larger = [tier for tier in by_tier if tier >= pair.tier_bytes + more_bytes]
    if larger and (level := by_tier.get(pair.tier_bytes)):
        return min(gain, max(by_tier[min(larger)] / level, 1.0))
    return gain


def _labels(finding: Finding) -> Labels:
    """Target -> input -> value."""
    values = finding.values
    nested = all(isinstance(groups, Mapping) for groups in values.values())
    labels: dict[str, dict[str, str]] = {}
    for name, groups in (values if nested else {"": values}).items():
        for value, targets in groups.items():
            for target in targets:
                labels.setdefault(target, {})[name] = value
    return labels


def _first_difference(labels: Labels, one: str, other: str) -> tuple[str, str, str] | None:
    """The first input in which two targets differ, and their values."""
    theirs = labels.get(other, {})
    shared = ((name, value, theirs[name]) for name, value in labels.get(one, {}).items() if name in theirs)
    return next((each for each in shared if each[1] != each[2]), None)


def _number(value: str) -> float | None:
    """The number in a value, the first there is.

    >>> _number("2.1 % of the transactions"), _number("debt grew by 0.17"), _number("ON")
    (2.1, 0.17, None)
    """
    match = re.search(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", value)
    return float(match[0]) if match else None


@functools.cache
def _effects() -> Mapping[str, Effect]:
    text = resources.files("dbdyno.audit.studies").joinpath("data", "effects.toml").read_text(encoding="utf-8")
    return decode(dict[str, Effect], tomllib.loads(text))
