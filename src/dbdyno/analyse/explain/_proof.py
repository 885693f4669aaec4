"""Answers whether the time goes when its cause is altered, as it must if the cause is the cause.

What a part holds comes back when the part is removed, as far as no transaction is faster than its processor time lets
it be (asymptotic bounds), and with it what else that part brought: latches that were held meanwhile, work of other
threads. So the part's time is predicted as the least, from runs of the unaltered target, and held against what its
altered twin took in the same rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from dbdyno.analyse.explain._gap import LEAST_SHARE, gaps_by_levels
from dbdyno.analyse.explain._levels import NOTHING, Key, PartLevel, part_levels
from dbdyno.analyse.explain._part import Breakdown, Part
from dbdyno.analyse.explain._threads import ON_CPU
from dbdyno.core import Cell, is_network_route
from dbdyno.stats import t_quantile

_TOO_WIDE = "the interval is too wide: more rounds or longer windows would decide"
_NO_SHARED_BENCH = "no bench made both in a round, so their difference would be one of machines, too; prove it again"
ProofVerdict = Literal["proved", "refuted", "undecided"]
_LEAST_BACK = 0.75
_LEAST_GONE = 0.5
_LEAST_OF_GAP = 0.1
_REMOVED = "thread.removed"
"""Stands for what an alteration takes away, next to the parts of a run."""


@dataclass(frozen=True, slots=True)
class _VerdictWords:
    """Holds what is said of an effect that is not what was predicted."""

    nothing_came: str
    came_from_elsewhere: str
    too_little_came: str
    part_came: str
    parts_stayed: str


_REMOVAL_WORDS = _VerdictWords(
    "its parts contain almost no time, and less than half of the difference was gained",
    "its parts contain almost no time: the gain came from something else",
    "less than half of it was gained: this did not cause the lost time",
    "part of it was gained: other waits replaced the rest",
    "the time was gained elsewhere: its parts fell by {:.2f} ms",
)
_SLOWDOWN_WORDS = _VerdictWords(
    "no such call was counted, and no time was added",
    "no such call was counted: the added time came from something else",
    "less than half of it was added: transactions do not wait for most of these calls",
    "part of it was added: transactions do not wait for all of these calls",
    "the time was added elsewhere: its parts grew by {:.2f} ms",
)


@dataclass(frozen=True, slots=True)
class Effect:
    """Holds milliseconds by which a transaction takes longer, with a 95 % interval; below 0: less long."""

    ms: float
    low: float
    high: float

    def times(self, sign: int) -> Effect:
        """Return the effect unchanged, or turned round."""
        return self if sign > 0 else Effect(-self.ms, -self.high, -self.low)


@dataclass(frozen=True, slots=True)
class Claim:
    """Holds what the causes that an alteration undoes claim of the time of the slower side.

    Parameters
    ----------
    shares : part -> which share of its time; empty where they claim nothing
    error : half-width of the 95 % interval of what they claim together, relative
    """

    shares: Mapping[str, float]
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Proof:
    """Holds what came of altering one thing.

    Parameters
    ----------
    control_ms, altered_ms : T of both cells; NaN where nothing could be judged
    predicted : what the removed parts hold, at most what the processors allow; None where nothing is predicted
    observed : altered less control; None where a cell has no level that findings may rest on
    reason : why it is refuted or undecided, and what limits a prediction; empty where there is nothing to say
    changed : those of the altered parts that changed as they must, and by as much as counts
    also : further parts that changed by as much as counts, words -> ms, the largest first
    """

    verdict: ProofVerdict
    control_ms: float
    altered_ms: float
    predicted: Effect | None
    observed: Effect | None
    reason: str = ""
    changed: tuple[str, ...] = ()
    also: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProofTimes:
    """Holds times of the two cells of a proof.

    Parameters
    ----------
    runs : breakdowns of both, by the server's threads where they were watched, else by statement; a cell without a
        level that findings may rest on is absent
    removes : parts that the alteration takes away, or lets grow; empty where none is known
    slows_ms : by which each call of these parts takes longer; 0 where they are taken away
    least_calls : that a transaction waits for, where several share one
    processors : that the server may use
    client_cpu_ms : processor time of the load generator on these per transaction; over a network it has others
    gap_ms : what is to be explained
    brought_back_ms : that sessions wait elsewhere instead, once the parts are taken away
    rest_ms : by which a connection of the control rests for each transaction; 0 in a closed loop without think time
    claim : what is taken away of the parts; None: all of their time
    """

    runs: Mapping[Cell, Sequence[Breakdown]]
    control: Cell
    altered: Cell
    removes: Sequence[str]
    processors: int
    client_cpu_ms: float
    gap_ms: float
    slows_ms: float = 0.0
    least_calls: float = 0.0
    brought_back_ms: float = 0.0
    rest_ms: float = 0.0
    claim: Claim | None = None

    def share_of(self, part: str) -> float:
        """Return which share of a part's time the alteration takes away."""
        if self.claim is not None:
            return self.claim.shares.get(part, 0.0)
        return 1.0 if part in self.removes else 0.0


def judge_proof(times: ProofTimes) -> Proof:
    """Hold what was predicted against what was seen.

    *Proved*: the transaction is faster beyond chance, and by what was predicted or more (three quarters of it, or the
    prediction lies in the interval), and half of the prediction or more came from the parts themselves. *Refuted*: at
    most half of what was predicted can have come, or less than counts; where the parts hold nothing and nothing was
    seen to come, at most half of the difference that it is to explain. *Undecided*: anything else, such as an
    alteration that left the part in place. Of a slow-down: slower, instead.
    """
    levels = part_levels(times.runs)
    gaps = gaps_by_levels(times.runs, levels, [(times.control, times.altered)])
    if not gaps:
        missing_targets = " and ".join(
            cell.target for cell in (times.control, times.altered) if not times.runs.get(cell)
        )
        reason = f"no good, settled run of {missing_targets}" if missing_targets else _NO_SHARED_BENCH
        return Proof("undecided", math.nan, math.nan, None, None, reason)
    total = gaps[0].total
    claimed_ms = 0.0 if times.slows_ms else abs(times.gap_ms)
    least_ms = least_effect_ms(total.left_ms, claimed_ms)
    observed = Effect(total.ms, total.low, total.high)
    if times.slows_ms:
        predicted, reason = _predict_slowdown(times, least_ms)
    else:
        predicted, reason = _predict_removal(times, least_ms)
    if predicted is None:
        return Proof("undecided", total.left_ms, total.right_ms, None, observed, f"nothing is predicted: {reason}")
    sign = 1 if times.slows_ms else -1
    words = _SLOWDOWN_WORDS if times.slows_ms else _REMOVAL_WORDS
    verdict, why = _verdict(predicted.times(sign), observed.times(sign), least_ms, claimed_ms, words)
    changes = _part_changes(times, levels, sign)
    if not any(run.parts for run in times.runs[times.altered]):
        verdict, why = "undecided", "the altered server's threads were not sampled, so the parts may be in place"
    elif verdict == "proved" and (came_ms := sum(changes.values())) < _LEAST_GONE * abs(predicted.ms):
        verdict, why = "undecided", words.parts_stayed.format(came_ms)
    elif verdict != "proved" and not times.slows_ms and times.claim is None:
        verdict, why = _ineffective_alteration_verdict(times, levels, least_ms) or (verdict, why)
    further_changes = {
        part.words: part.difference.ms
        for part in gaps[0].parts
        if part.part_id not in times.removes and abs(part.difference.ms) >= least_ms
    }
    reason = "; ".join(filter(None, (why, reason)))
    changed_parts = tuple(
        name
        for name, ms in changes.items()
        if ms >= least_ms and (times.slows_ms or ms >= _LEAST_GONE * _removed_level_ms(times, levels, name))
    )
    return Proof(verdict, total.left_ms, total.right_ms, predicted, observed, reason, changed_parts, further_changes)


def least_effect_ms(total_ms: float, claimed_ms: float) -> float:
    """Return the smallest effect on a time that counts where so much of it is to be explained.

    >>> least_effect_ms(10.0, 2.0), least_effect_ms(10.0, -4.0)
    (0.3, 0.4)
    """
    return max(LEAST_SHARE * total_ms, _LEAST_OF_GAP * abs(claimed_ms))


def _part_changes(times: ProofTimes, levels: Mapping[Key, PartLevel], sign: int) -> dict[str, float]:
    """Map each altered part to the milliseconds by which it fell, or grew where calls are slower."""
    return {
        name: sign * (_level_ms(levels, times.altered, name) - _level_ms(levels, times.control, name))
        for name in times.removes
    }


def _level_ms(levels: Mapping[Key, PartLevel], cell: Cell, part: str) -> float:
    return levels.get((cell, part), NOTHING).level.mean


def _removed_level_ms(times: ProofTimes, levels: Mapping[Key, PartLevel], part: str) -> float:
    return times.share_of(part) * _level_ms(levels, times.control, part)


def _predict_removal(times: ProofTimes, least_ms: float) -> tuple[Effect | None, str]:
    """Return the time that goes away, and why it is not all of the parts' time; None and why without a prediction.

    What a run can lose at most is looked at run by run, so that the interval is one of what can go away.
    """
    runs = [run for run in _control_runs(times) if run.split == "threads" and run.parts]
    if not runs:
        return None, "the server's threads were not sampled"
    if not times.removes and times.claim is None:
        return None, "no cause of this difference can claim it"
    removed_ms, most_ms = [_removed_ms(times, run) for run in runs], [_most_ms(times, run) for run in runs]
    parts_mean_ms, most_mean_ms = (sum(values) / len(runs) for values in (removed_ms, most_ms))
    is_bounded = parts_mean_ms > most_mean_ms
    reason = f"the parts hold {parts_mean_ms:.2f} ms, of which the processors allow {most_mean_ms:.2f}"
    if is_bounded and most_mean_ms < least_ms <= parts_mean_ms:
        return None, f"the processors are used up; {reason}"
    error = 0.0 if is_bounded or times.claim is None else times.claim.error
    effect = _effect(times, runs, [min(pair) for pair in zip(removed_ms, most_ms, strict=True)], error)
    return effect.times(-1), reason if is_bounded else ""


def _removed_ms(times: ProofTimes, run: Breakdown) -> float:
    """Return the time of a run that the alteration takes away, less what its sessions wait elsewhere instead."""
    return sum(times.share_of(part.part_id) * part.ms for part in run.parts) - times.brought_back_ms


def _most_ms(times: ProofTimes, run: Breakdown) -> float:
    """Return the time of a run that can go away: no transaction is faster than its processor time lets it be."""
    on_cpu_ms = sum((1 - times.share_of(ON_CPU)) * part.ms for part in run.parts if part.part_id == ON_CPU)
    client_cpu_ms = 0.0 if is_network_route(times.control.route) else times.client_cpu_ms
    fastest_ms = times.control.concurrency * (on_cpu_ms + client_cpu_ms) / max(times.processors, 1) - times.rest_ms
    return max(run.total_ms - max(fastest_ms, 0.0), 0.0)


def _effect(times: ProofTimes, runs: Sequence[Breakdown], values_ms: Sequence[float], error: float) -> Effect:
    """Return the mean of a value of each run, whose spread is moderated with that of the parts.

    Parameters
    ----------
    error : half-width that comes on top, relative
    """
    named_runs = [
        replace(run, parts=(*run.parts, Part(_REMOVED, _REMOVED, ms, "")))
        for run, ms in zip(runs, values_ms, strict=True)
    ]
    level = part_levels({**times.runs, times.control: named_runs})[times.control, _REMOVED].level
    half = math.hypot(t_quantile(0.975, level.df) * level.se if level.se > 0 else 0.0, error * abs(level.mean))
    return Effect(level.mean, level.mean - half, level.mean + half)


def _predict_slowdown(times: ProofTimes, least_ms: float) -> tuple[Effect | None, str]:
    """Return the time that comes on top where each call of the parts is waited for, and not behind another."""
    works = [
        [run.work_of(name) for name in times.removes if name in run.by_id() or name in run.unsampled_work]
        for run in _control_runs(times)
    ]
    known_works = [[work for work in run_works if work is not None] for run_works in works]
    if not works or not all(works) or not (all(known_works) or times.least_calls):
        return None, "the number of calls is unknown"
    added_ms = [max(sum(run_works), times.least_calls) * times.slows_ms for run_works in known_works]
    mean = sum(added_ms) / len(added_ms)
    if 0 < mean < least_ms:
        return None, f"the delays add {mean:.2f} ms, less than counts"
    return Effect(mean, min(added_ms), max(added_ms)), ""


def _control_runs(times: ProofTimes) -> Sequence[Breakdown]:
    return times.runs[times.control]


def _ineffective_alteration_verdict(
    times: ProofTimes, levels: Mapping[Key, PartLevel], least_ms: float
) -> tuple[ProofVerdict, str] | None:
    """Return undecided where the alteration left most of the parts in place; None where it did not."""
    control_ms, altered_ms = (
        sum(_level_ms(levels, cell, name) for name in times.removes) for cell in (times.control, times.altered)
    )
    if control_ms >= least_ms and control_ms - altered_ms < _LEAST_GONE * control_ms:
        return "undecided", f"the alteration left {altered_ms:.2f} of {control_ms:.2f} ms in place"
    return None


def _verdict(
    predicted: Effect, observed: Effect, least_ms: float, claimed_ms: float, words: _VerdictWords
) -> tuple[ProofVerdict, str]:
    """Return the verdict and why, from effects of which more is what was predicted.

    Parameters
    ----------
    claimed_ms : what must come back if this is the cause of the difference, although its parts hold nothing
    """
    if predicted.ms < least_ms:
        if observed.high < (least_ms if observed.low > 0 else max(least_ms, claimed_ms / 2)):
            return "refuted", words.nothing_came
        if observed.low > 0:
            return "undecided", words.came_from_elsewhere
        return "undecided", _TOO_WIDE
    if observed.low > 0 and (observed.ms >= _LEAST_BACK * predicted.ms or observed.high >= predicted.ms):
        return "proved", ""
    if observed.high < max(least_ms, predicted.ms / 2):
        return "refuted", words.too_little_came
    if 0 < observed.low and observed.high < predicted.ms:
        return "undecided", words.part_came
    return "undecided", _TOO_WIDE
