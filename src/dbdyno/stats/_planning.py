"""Plans how long and how often to measure, from noise and spread seen so far (Kalibera and Jones, 2013).

A longer window lowers noise alone; another repeat lowers noise and spread, but costs what surrounds a window too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dbdyno.core import AnalysisError
from dbdyno.stats._compare import smallest_detectable_ratio
from dbdyno.stats._distributions import chi2_sf, f_sf, t_quantile
from dbdyno.stats._spread import ASSUMED_SPREAD, MODERATED_FROM_CELLS, assumed_spread_of_one

REFERENCE_WINDOW_S = 900.0


@dataclass(frozen=True, slots=True)
class Variation:
    """Holds how much runs vary, as far as it is known before they are made.

    Parameters
    ----------
    spread : standard deviation between repeats beyond the noise of their windows, on the scale ln(TPS)
    noise_se : standard error of the mean of a 900-s window from noise alone, as a share of the mean
    prior_df : what the other cells are worth when a cell's spread is moderated by theirs, in repeats
    """

    spread: float
    noise_se: float
    prior_df: float

    def spread_of(self, repeats: int) -> float:
        """Return the spread on which verdicts rest: of a study without repeats the cautious one, as they assume it.

        >>> Variation(0.012, 0.003, 6.0).spread_of(2), Variation(0.012, 0.003, 6.0).spread_of(1)
        (0.012, 0.026)
        """
        return assumed_spread_of_one(self.spread) if repeats == 1 else self.spread

    def run_sd(self, window_s: float, repeats: int = 2) -> float:
        """Return the standard deviation of one of so many runs around its cell's level, ln scale.

        >>> round(Variation(0.012, 0.003, 6.0).run_sd(900.0), 5)
        0.01237
        """
        return math.sqrt(self.spread_of(repeats) ** 2 + self.noise_se**2 * REFERENCE_WINDOW_S / window_s)

    def half_width(self, repeats: int, window_s: float, cells: int) -> float:
        """Return the half-width at 95 % of a cell's level, ln scale, about a share of it.

        >>> round(Variation(0.012, 0.0, 6.0).half_width(2, 900.0, 96), 4)
        0.0201
        """
        return t_quantile(0.975, self._spread_df(repeats, cells)) * self.run_sd(window_s, repeats) / math.sqrt(repeats)

    def smallest_difference(self, repeats: int, window_s: float, cells: int) -> float:
        """Return the smallest difference of two cells that is found with power 0.8, as a share.

        >>> round(Variation(0.012, 0.0, 6.0).smallest_difference(2, 900.0, 96), 3)
        0.037
        """
        df = 2 * self._spread_df(repeats, cells)
        return smallest_detectable_ratio(self.run_sd(window_s, repeats), df, repeats) - 1

    def needed_window_s(self, half_width: float, repeats: int, cells: int) -> float | None:
        """Return the window, seconds, with which so many repeats give a cell's level so well; None when no window does.

        >>> Variation(0.012, 0.003, 6.0).needed_window_s(0.02, 2, 96) is None
        True
        >>> round(Variation(0.012, 0.003, 6.0).needed_window_s(0.02, 3, 96))
        99
        """
        level_se = half_width / t_quantile(0.975, self._spread_df(repeats, cells))
        per_run = repeats * level_se**2 - self.spread_of(repeats) ** 2
        return None if per_run <= 0 else REFERENCE_WINDOW_S * self.noise_se**2 / per_run

    def unsure_share(self, half_width: float, first: int, repeats: int, window_s: float, cells: int) -> float:
        """Return the share of cells whose level is not known so well after so many repeats, ln scale.

        Their spread is that of the first repeats, two or more, as in `staged_levels`.

        >>> known = Variation(0.012, 0.0, 6.0)
        >>> [round(known.unsure_share(0.03, 2, repeats, 900.0, 96), 3) for repeats in (2, 3, 4)]
        [0.021, 0.006, 0.002]
        >>> [Variation(spread, 0.0, math.inf).unsure_share(0.03, 2, 2, 900.0, 96) for spread in (0.0, 0.012, 0.04)]
        [0.0, 0.0, 1.0]
        """
        df, own_df, sd = self._spread_df(first, cells), first - 1.0, self.run_sd(window_s)
        if sd == 0:
            return 0.0
        most_ratio = (half_width * math.sqrt(repeats) / t_quantile(0.975, df) / sd) ** 2
        if cells < MODERATED_FROM_CELLS:
            return chi2_sf(own_df, most_ratio * own_df)
        if math.isinf(self.prior_df):
            return float(most_ratio < 1)
        f_ratio = ((self.prior_df + own_df) * most_ratio - self.prior_df) / own_df
        return f_sf(own_df, self.prior_df, f_ratio)

    def _spread_df(self, repeats: int, cells: int) -> float:
        """Return degrees of freedom of a cell's spread; a single run's is assumed, not estimated."""
        if repeats == 1:
            return math.inf
        own_df = repeats - 1.0
        return own_df if cells < MODERATED_FROM_CELLS else min(self.prior_df + own_df, cells * own_df)


ASSUMED_VARIATION = Variation(ASSUMED_SPREAD, 0.003, 6.0)
"""Assumed before anything is measured. Of 22 public runs that settled half have noise below 0.23 %, 17 below 0.7 %."""


def cheapest_window_s(noise_se: float, spread: float, overhead_s: float) -> float:
    """Return the window length, seconds, that makes a given precision cheapest.

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
    """Return the window length, seconds, of each of so many repeats that together are as sure as one window of 900 s.

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
