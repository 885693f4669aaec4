"""Lists what limits the judgement of one run. Each is a caveat: what was seen and why it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dbdyno.core import Caveat, counted, percent, verb_for
from dbdyno.stats import Period, Stalls, SteadyState

LONG_ENOUGH_S = 600
_REGULAR_STALLS = 0.01
_NAMED_SECONDS = 5

_OF_STATUS = {
    "too-short": "runs below 60 s are not judged: dbdyno prints only mean, median and extremes",
    "dead": "most seconds of the last third have no transaction: the server stopped or was too slow to be judged",
    "drifting": "throughput changes by more than 3 % over the window, so the run supports no finding",
    "not-reached": "throughput is not stable over the last third of the run and 120 s, so the run supports no finding",
    "noisy": "no drift beyond 3 % is shown, but 6 % can't be excluded, or a quarter of the window is more than 3 % off",
    "cyclic": "throughput swings in waves; waves decay, so a longer run may settle at another level",
}


def series_caveats(
    state: SteadyState,
    seconds: int,
    window_stalls: Stalls | None,
    missing_s: Sequence[int],
    *,
    is_cut: bool,
    waves: Mapping[int, Period | None] = MappingProxyType({}),
) -> tuple[Caveat, ...]:
    """Return everything that weakens the judgement, the heaviest first.

    Parameters
    ----------
    seconds : of the whole run
    missing_s, is_cut : as in `judge_series`
    waves : the period in windows that slide over a long run, by their first second
    """
    caveats = [
        _status_caveat(state),
        _missing_seconds_caveat(missing_s, seconds),
        _slow_wave_caveat(state),
        _passing_wave_caveat(waves),
        _regular_stalls_caveat(state, window_stalls),
        _coarse_seconds_caveat(window_stalls),
        _short_window_caveat(state),
        Caveat("cut-interval", "the last interval was shorter than a second and is not used") if is_cut else None,
    ]
    return tuple(caveat for caveat in caveats if caveat is not None)


def _status_caveat(state: SteadyState) -> Caveat | None:
    text = _OF_STATUS.get(state.status)
    return Caveat("wave" if state.status == "cyclic" else state.status, text) if text else None


def _missing_seconds_caveat(missing_s: Sequence[int], seconds: int) -> Caveat | None:
    if not missing_s:
        return None
    seconds_words = ", ".join(str(second) for second in missing_s[:_NAMED_SECONDS])
    ellipsis = ", …" if len(missing_s) > _NAMED_SECONDS else ""
    text = (
        f"{len(missing_s)} of {counted(seconds, 'second')} had no report and "
        f"{verb_for(len(missing_s), 'counts', 'count')} as 0 TPS: {seconds_words}{ellipsis}"
    )
    return Caveat("missing-seconds", text)


def _slow_wave_caveat(state: SteadyState) -> Caveat | None:
    if state.period is None or state.window is None or state.period.period_s <= state.window.n / 5:
        return None
    text = (
        f"the strongest period, {state.period.period_s:.0f} s, fits fewer than five times into the window: "
        "the interval may be too narrow"
    )
    return Caveat("slow-wave", text)


def _passing_wave_caveat(waves: Mapping[int, Period | None]) -> Caveat | None:
    """Warn of a wave that is not there all the time: the level may move when it comes or goes."""
    wave_periods = {start: wave.period_s for start, wave in waves.items() if wave is not None and wave.is_wave}
    if not wave_periods or len(wave_periods) == len(waves):
        return None
    text = (
        f"{len(wave_periods)} of {len(waves)} windows that slide over the run "
        f"{verb_for(len(wave_periods), 'swings', 'swing')}, with a period of {min(wave_periods.values()):.0f} to "
        f"{max(wave_periods.values()):.0f} s; the last of them begins at "
        f"{max(wave_periods)} s"
    )
    return Caveat("passing-wave", text)


def _regular_stalls_caveat(state: SteadyState, stalls: Stalls | None) -> Caveat | None:
    if stalls is None or state.period is None or not state.period.is_wave or stalls.share < _REGULAR_STALLS:
        return None
    text = (
        f"it stalls regularly: {counted(stalls.count, 'stall')}, {percent(stalls.share, 1)} of the seconds, "
        f"with a wave of {state.period.period_s:.0f} s"
    )
    return Caveat("regular-stalls", text)


def _coarse_seconds_caveat(stalls: Stalls | None) -> Caveat | None:
    if stalls is None or not stalls.coarse:
        return None
    return Caveat(
        "coarse-seconds",
        "below 20 TPS single seconds stall by chance, so dbdyno counts stalls in groups of ten seconds",
    )


def _short_window_caveat(state: SteadyState) -> Caveat | None:
    if state.window is None or state.window.n >= LONG_ENOUGH_S:
        return None
    text = f"in a window of {state.window.n} s, below {LONG_ENOUGH_S} s, the noise interval is too narrow"
    return Caveat("short-window", text)
