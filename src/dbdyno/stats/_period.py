"""Detects waves: whether a window swings with one period, and how strongly.

>>> wave = period(1000 + 100 * np.sin(2 * np.pi * np.arange(900) / 60))
>>> wave is not None and (round(wave.period_s), wave.is_wave)
(60, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.stats._series import FloatArray, checked_series, group_means

GROUP_S = 5
WAVE_SHARE = 0.3
WAVE_CORRELATION = 0.3
_LEAST_GROUPS = 8
_PADDING = 8
_LEAST_PERIODS = 3
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Period:
    """Describes the strongest period of a window, a quotient of whole numbers so that no rounding decides what fits.

    Parameters
    ----------
    span_s : seconds that the transform covers
    index : how many periods lie in them
    share : of the power of all periods that lies within a factor of 1.25 around it, 0 to 1
    correlation : of the window with itself one period later, -1 to 1; 0 when too little lies beyond
    """

    span_s: int
    index: int
    share: float
    correlation: float

    @property
    def period_s(self) -> float:
        """Return seconds of one period."""
        return self.span_s / self.index

    def fits(self, seconds: int) -> int:
        """Return how many whole periods fit into so many seconds.

        >>> Period(1080, 24, 1.0, 1.0).fits(135), Period(1080, 24, 1.0, 1.0).fits(134)
        (3, 2)
        """
        return seconds * self.index // self.span_s

    def seconds_of(self, periods: int) -> int:
        """Return seconds of so many periods, rounded; a half goes to the even neighbour."""
        return round(Fraction(periods * self.span_s, self.index))

    @property
    def is_wave(self) -> bool:
        """Return whether it swings clearly enough to be called a wave."""
        return self.share >= WAVE_SHARE and self.correlation >= WAVE_CORRELATION


def period(x: ArrayLike) -> Period | None:
    """Return the strongest period of at least 12.5 s that fits three times into the window; None when there is none.

    Parameters
    ----------
    x : one value per second, no gaps

    Raises
    ------
    AnalysisError : empty, or a value is not a finite number

    Notes
    -----
    A periodogram of five-second means without their trend, under a Hann window, padded to eight times the length.
    """
    groups = group_means(checked_series(x), GROUP_S)
    count = len(groups)
    if count < _LEAST_GROUPS:
        return None
    swing = _remove_trend(groups)
    if float(np.abs(swing).max()) <= _ROUNDING * float(np.abs(groups).max()):
        return None
    power = np.abs(np.fft.rfft(swing * np.hanning(count), _PADDING * count)) ** 2
    highest = _highest_peak(power, count)
    if highest is None:
        return None
    lag = round(Fraction(_PADDING * count, highest))
    return Period(
        GROUP_S * _PADDING * count, highest, _peak_power_share(power, highest), _autocorrelation_at(swing, lag)
    )


def _remove_trend(groups: FloatArray) -> FloatArray:
    time = np.arange(len(groups)) - (len(groups) - 1) / 2
    centred = groups - groups.mean()
    residual: FloatArray = centred - time * (float(time @ centred) / float(time @ time))
    return residual


def _highest_peak(power: FloatArray, count: int) -> int | None:
    """Return the index of the highest local maximum among the periods that are looked for."""
    index = np.arange(1, len(power) - 1)
    is_peak = (power[1:-1] >= power[:-2]) & (power[1:-1] >= power[2:])
    is_in_range = (index >= _PADDING * _LEAST_PERIODS) & (25 * index <= 2 * GROUP_S * _PADDING * count)
    peaks = index[is_peak & is_in_range]
    return int(peaks[power[peaks].argmax()]) if len(peaks) else None


def _peak_power_share(power: FloatArray, highest: int) -> float:
    """Return the power near the peak. Compared in whole numbers, so that no rounding decides what is near."""
    index = np.arange(len(power))
    near = (4 * highest <= 5 * index) & (4 * index <= 5 * highest)
    return float(power[near].sum() / power[1:].sum())


def _autocorrelation_at(swing: FloatArray, lag: int) -> float:
    if lag + 2 >= len(swing):
        return 0.0
    total = float(swing @ swing)
    return max(float(swing[:-near] @ swing[near:]) / total for near in (lag - 1, lag, lag + 1))
