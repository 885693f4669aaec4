"""How long and how often to measure, once noise and spread have been seen (after Kalibera and Jones, 2013).

A longer window lowers noise alone; another repeat lowers noise and spread, but costs what surrounds a window too.
"""

from __future__ import annotations

import math

from dbdyno.core import AnalysisError

REFERENCE_WINDOW_S = 900.0


def cheapest_window_s(noise_se: float, spread: float, overhead_s: float) -> float:
    """Window length, seconds, that makes a given precision cheapest.

    Parameters
    ----------
    noise_se : standard error of the mean of a 900-s window from noise alone, as a share of the mean
    spread : standard deviation between repeats, on the scale ln(TPS)
    overhead_s : restore, start, warm-up and settle of one run

    Raises
    ------
    AnalysisError : a negative value, or no spread: then one endless window is best

    >>> round(cheapest_window_s(0.01, 0.012, 300.0))
    433
    """
    if noise_se < 0 or overhead_s < 0 or not spread > 0:
        why = f"noise {noise_se}, spread {spread}, overhead {overhead_s} s"
        raise AnalysisError("no cheapest window", why)
    return math.sqrt(overhead_s * REFERENCE_WINDOW_S) * noise_se / spread


def matching_window_s(repeats: int, noise_se: float, spread: float) -> float:
    """Window length, seconds, of each of so many repeats that together are as sure as one window of 900 s.

    Parameters
    ----------
    repeats : at least one
    noise_se, spread : as in `cheapest_window_s`

    Raises
    ------
    AnalysisError : no repeats, or neither noise nor spread

    >>> round(matching_window_s(2, 0.01, 0.012)), round(matching_window_s(1, 0.01, 0.012))
    (262, 900)
    """
    weight = (repeats - 1) * spread**2 + repeats * noise_se**2
    if repeats < 1 or not weight > 0:
        raise AnalysisError("no matching window", f"{repeats} repeats, noise {noise_se}, spread {spread}")
    return REFERENCE_WINDOW_S * noise_se**2 / weight
