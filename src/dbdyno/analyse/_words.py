"""Says what a judgement is, in the words of every place that shows it: of a cell its level, of a run its course."""

from __future__ import annotations

import math
import statistics

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._phrases import listed, plus_minus, significant_words, supported
from dbdyno.analyse._series import SeriesJudgement
from dbdyno.core import counted, percent, short_number, short_percent
from dbdyno.stats import Steadiness

_MOST_RUNS = 4
STATUS_WORDS: dict[Steadiness, str] = {
    "steady": "steady",
    "cyclic": "steady waves",
    "noisy": "noisy",
    "drifting": "drifting",
    "not-reached": "not settled",
    "dead": "dead",
    "too-short": "too short",
}


def cell_level_words(group: CellJudgement, unit: str = "") -> str:
    """Return the level with its 95 % interval; in brackets where it has not settled.

    Where the repeats disagree so much that an interval would say nothing, their own levels stand for it. Where the
    mean of the whole window is another, it stands next to the level.

    Parameters
    ----------
    unit : after the number, such as ``TPS``
    """
    if group.tps_mean is None:
        return ""
    unit = f" {unit}" if unit else ""
    if group.is_vague:
        words = f"{_runs_words(group)}{unit}, {vague_words(group)}"
        return words if group.is_settled else f"({words})"
    words = plus_minus(group.tps_mean, group.tps_low or 0.0, group.tps_high or 0.0) + unit
    if not group.is_settled:
        return f"({words})"
    window_tps = window_mean(group)
    return words if window_tps is None else f"{words} (whole window {significant_words(window_tps)})"


def vague_words(group: CellJudgement) -> str:
    """Return why a cell has no interval that says anything: its runs disagree, or their seconds do."""
    count = len(group.judged)
    if count == 1:
        return "one run, too noisy for an interval"
    return f"{counted(count, 'run')} {'that disagree' if _do_runs_disagree(group) else 'too noisy for an interval'}"


def _do_runs_disagree(group: CellJudgement) -> bool:
    """Return whether the levels of the runs differ by more than the noise of their seconds explains."""
    logs = [math.log(run.level_tps) for run in group.judged if run.level_tps]
    noise_se = group.level.noise_se if group.level is not None else 0.0
    return len(logs) < 2 or statistics.stdev(logs) / math.sqrt(len(logs)) > noise_se


def window_mean(group: CellJudgement) -> float | None:
    """Return the mean of the judged runs' whole windows, where it is off their level; None where it is the same."""
    if not group.is_settled or not any(run.is_window_off for run in group.judged):
        return None
    logs = [math.log(run.figures.tps_mean) for run in group.judged if run.figures.tps_mean]
    return math.exp(sum(logs) / len(logs)) if logs else None


def assumed_words(spread: float | None) -> str:
    """Return on which spread between repeats a verdict rests that none was measured for; empty where one was.

    >>> assumed_words(0.026), assumed_words(None)
    ('if repeats spread by 2.6 %', '')
    """
    return "" if spread is None else f"if repeats spread by {short_percent(spread)}"


def _runs_words(group: CellJudgement) -> str:
    levels = [significant_words(run.level_tps) for run in group.judged if run.level_tps]
    if len(levels) <= _MOST_RUNS:
        return listed(levels)
    sorted_levels = sorted(run.level_tps for run in group.judged if run.level_tps)
    return f"{significant_words(sorted_levels[0])} to {significant_words(sorted_levels[-1])}"


def window_words(judgement: SeriesJudgement) -> str:
    """Return where the window lies: how much is left out before it."""
    if judgement.window_from_s is None:
        return "-"
    return f"{judgement.window_from_s}-{len(judgement.tps)} s"


def level_words(judgement: SeriesJudgement) -> str:
    """Return the window's mean with its noise; in brackets if no finding may rest on it; else the mean of the run."""
    window = judgement.state.window
    if window is None:
        return f"({supported(float(judgement.tps.mean()), judgement.maximum - judgement.minimum)})"
    words = plus_minus(window.mean, window.mean - window.half_width, window.mean + window.half_width)
    return words if judgement.state.is_accepted else f"({words})"


def stall_words(judgement: SeriesJudgement) -> str:
    """Return stalls of the window."""
    stalls = judgement.window_stalls
    if stalls is None:
        return "-"
    if not stalls.count:
        return "none"
    share = percent(stalls.share, 1) if stalls.share >= 0.0005 else "below 0.1 %"
    return f"{stalls.count:,} ({share}), longest {stalls.longest_s} s"


def wave_words(judgement: SeriesJudgement) -> str:
    """Return the wave of the judged part, with its share of all swinging."""
    wave = judgement.state.period
    if wave is None or not wave.is_wave:
        return "none"
    return f"{short_number(wave.period_s, 3)} s ({percent(wave.share)})"


def stop_words(judgement: SeriesJudgement, precision: float = 0.02) -> str:
    """Return when the stopping rule would have ended the run."""
    point = judgement.stops.get(precision)
    return "never" if point is None else f"{point.at_s} s"
