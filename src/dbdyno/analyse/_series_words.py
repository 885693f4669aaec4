"""Words the judgement of one run as every place shows it: status, window, stalls, wave, stop."""

from __future__ import annotations

from dbdyno.analyse._series import SeriesJudgement
from dbdyno.analyse._words import plus_minus, supported
from dbdyno.core import percent
from dbdyno.stats import Steadiness

STATUS_WORDS: dict[Steadiness, str] = {
    "steady": "steady",
    "cyclic": "steady waves",
    "noisy": "noisy",
    "drifting": "drifting",
    "not-reached": "not settled",
    "dead": "dead",
    "too-short": "too short",
}


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
    return f"{wave.period_s:.3g} s ({percent(wave.share)})"


def stop_words(judgement: SeriesJudgement, precision: float = 0.02) -> str:
    """Return when the stopping rule would have ended the run."""
    point = judgement.stops.get(precision)
    return "never" if point is None else f"{point.at_s} s"
