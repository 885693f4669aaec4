"""Estimates spread: how far repeats of the same cell differ, borrowed across the cells of a study.

Two repeats say almost nothing about their own standard deviation (a plain t interval with one degree of freedom is
twelve standard errors wide). All cells of a study together say a lot about how spread is usually sized, so each
cell's variance is moderated towards the common one (empirical Bayes, Smyth 2004). Everything here is on the scale
``ln(throughput)``, so a spread of 0.01 is about one percent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbdyno.core import AnalysisError
from dbdyno.stats._distributions import digamma, t_quantile, tetragamma, trigamma

ASSUMED_SPREAD = 0.012
"""Typical spread of repeats on a quiet machine: for plans of repeats, and for runs whose maker names no other."""
PRIOR_SPREAD = 0.026
"""Assumed where a study repeated nothing: the largest of the six groups of public runs that were repeated and agreed at
all (0.5 to 2.6 %; two others spread by 6 and 14 %)."""
LEAST_SHARED_DF = 4
"""Degrees of freedom from which on the spread seen elsewhere in a study stands in for that of a cell run once."""
MODERATED_FROM_CELLS = 8
_FEW_ROUNDS, _ENOUGH_ROUNDS = 2, 4
LEAST_SPREAD = 1e-4
"""Of values that happen to be equal: a standard deviation of ln(value), below which none is believed."""


@dataclass(frozen=True, slots=True)
class ModeratedSpread:
    """Holds the standard deviation between repeats of each cell, on the scale of ln(throughput).

    Parameters
    ----------
    excess_variance : variance of the log variances beyond what so few repeats explain; NaN when not moderated
    prior_df : what the other cells are worth, in repeats; 0 when too few cells to moderate, infinite when all cells
        look alike
    prior_sd : the common spread; NaN when not moderated
    sd : per cell, moderated; NaN for a cell run once in a study that can't be moderated
    df : per cell, degrees of freedom of `sd`
    """

    excess_variance: float
    prior_df: float
    prior_sd: float
    sd: tuple[float, ...]
    df: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LogLevel:
    """Describes a cell's throughput as ln(TPS) with its standard error.

    Parameters
    ----------
    df : degrees of freedom of `se`; infinite for the normal distribution
    repeats : runs behind it
    sd : spread of one run around the cell's level
    is_shared : the spread is that of other cells, so levels that rest on it are not independent in it
    noise_se : known standard error that is there however equal the repeats are, as of their seconds or of rounding
    """

    mean: float
    se: float
    df: float
    repeats: int
    sd: float
    is_shared: bool = False
    noise_se: float = 0.0

    def half_width(self, confidence: float = 0.95) -> float:
        """Return the half-width on the log scale.

        >>> round(LogLevel(7.0, 0.01, math.inf, 1, 0.01).half_width(), 4)
        0.0196
        """
        return half_width(0.5 + confidence / 2, self.se, self.df, self.noise_se)


def half_width(quantile: float, se: float, df: float, noise_se: float) -> float:
    """Return Student's half-width of a standard error with `df`, and at least that of a known one."""
    least = t_quantile(quantile, math.inf) * noise_se if noise_se else 0.0
    return max(t_quantile(quantile, df) * se, least)


def moderated_spread(groups: Sequence[ArrayLike]) -> ModeratedSpread:
    """Return the spread of each cell from the ln(window means) of its runs.

    Parameters
    ----------
    groups : one array of ln(mean) per cell, one value per run

    >>> spread = moderated_spread([[0.0, 0.01], [5.0, 5.02]])
    >>> spread.prior_df, [round(sd, 4) for sd in spread.sd]
    (0.0, [0.0071, 0.0141])
    """
    arrays = [np.asarray(group, dtype=np.float64) for group in groups]
    if any(array.ndim != 1 or len(array) == 0 or not np.isfinite(array).all() for array in arrays):
        raise AnalysisError("no spread for these cells", "each needs one finite ln(mean) per run")
    own_df = np.array([len(array) - 1 for array in arrays], dtype=np.float64)
    variances = np.array([array.var(ddof=1) if len(array) > 1 else math.nan for array in arrays])
    is_repeated = own_df > 0
    if int(is_repeated.sum()) < MODERATED_FROM_CELLS:
        return ModeratedSpread(math.nan, 0.0, math.nan, tuple(np.sqrt(variances).tolist()), tuple(own_df.tolist()))
    excess, prior_df, prior_variance = _common_spread(variances[is_repeated], own_df[is_repeated])
    moderated_variances = _moderate(variances, own_df, prior_df, prior_variance)
    df = np.minimum(prior_df + own_df, own_df.sum())
    return ModeratedSpread(
        excess, prior_df, math.sqrt(prior_variance), tuple(np.sqrt(moderated_variances).tolist()), tuple(df.tolist())
    )


def rounds_to_pair(panels: int) -> int:
    """Return the rounds from which on runs of a round are compared in pairs: what moved the machine moved both.

    The spread of few differences is hardly known, unless it is moderated over many places. Panels count, since runs of
    one panel may share a server's start and a few minutes of the machine.

    Parameters
    ----------
    panels : combinations of workload, route and memory in which the same two were compared

    >>> rounds_to_pair(1), rounds_to_pair(8)
    (4, 2)
    """
    return _FEW_ROUNDS if panels >= MODERATED_FROM_CELLS else _ENOUGH_ROUNDS


def repeated_level(logs: ArrayLike, sd: float, df: float) -> LogLevel:
    """Return the level of a cell from its runs and the spread that `moderated_spread` gives it.

    >>> repeated_level([5.0, 5.0], 0.0, 1.0).sd == LEAST_SPREAD
    True
    """
    values, sd = np.asarray(logs, dtype=np.float64), max(sd, LEAST_SPREAD)
    return LogLevel(float(values.mean()), sd / math.sqrt(len(values)), df, len(values), sd)


def staged_levels(first: Sequence[Sequence[float]], every: Sequence[Sequence[float]]) -> list[LogLevel | None]:
    """Return levels of cells of which some were repeated further because they were not sure enough (Stein, 1945).

    How often a cell is repeated depends on the spread that its first runs showed. With further runs in the spread,
    cells that looked calmer than they are would stay unchanged, and only the others be corrected: intervals would be
    too narrow. The mean of all runs does not depend on the spread of the first ones, so those alone give it.

    Parameters
    ----------
    first : per cell ln(mean) of the runs that were made in any case; may be empty
    every : per cell those of all runs, one at least

    Returns
    -------
    None for cells whose own runs and fellows show nothing of their spread

    >>> levels = staged_levels([[0.0, 0.01], [5.0, 5.02]], [[0.0, 0.01], [5.0, 5.02, 5.01, 5.01]])
    >>> [(round(level.se, 4), level.df, level.repeats) for level in levels if level]
    [(0.005, 1.0, 2), (0.0071, 1.0, 4)]
    """
    groups = [first_logs or [0.0] for first_logs in first]
    spread = moderated_spread(groups)
    rows = zip(first, every, spread.sd, spread.df, strict=True)
    return [_staged_level(first_logs, all_logs, sd, df) for first_logs, all_logs, sd, df in rows]


def _staged_level(first: Sequence[float], every: Sequence[float], sd: float, df: float) -> LogLevel | None:
    if len(every) < 2:
        return None
    if not first or math.isnan(sd):  # the first runs were lost; only these are left
        return repeated_level(every, float(np.std(every, ddof=1)), len(every) - 1.0)
    return repeated_level(every, sd, df)


def assumed_spread_of_one(seen: float = 0.0) -> float:
    """Return the spread that is assumed of a cell that is run once: the cautious one, or what was seen if it is more.

    Parameters
    ----------
    seen : of the few repeats there are, or of another study; 0 where there are none

    >>> assumed_spread_of_one(), assumed_spread_of_one(0.06)
    (0.026, 0.06)
    """
    return max(PRIOR_SPREAD, seen)


def single_run_level(mean: float, half_width: float, spread: float = ASSUMED_SPREAD) -> LogLevel:
    """Return the level of a cell that was run once: its noise and an assumed spread.

    >>> round(single_run_level(100.0, 1.96).se, 4)
    0.0156
    """
    variance = (half_width / mean / 1.96) ** 2 + spread**2
    return LogLevel(math.log(mean), math.sqrt(variance), math.inf, 1, math.sqrt(variance))


def borrowed_level(mean: float, half_width: float, spread: float, df: float) -> LogLevel:
    """Return the level of a cell that was run once: the spread of others in its study, and at least its own noise.

    >>> level = borrowed_level(100.0, 1.96, 0.02, 6.0)
    >>> round(level.se, 4), level.df, level.is_shared
    (0.02, 6.0, True)
    """
    sd = max(spread, half_width / mean / 1.96, LEAST_SPREAD)
    return LogLevel(math.log(mean), sd, max(df, 1.0), 1, sd, is_shared=True)


def pooled_spread(groups: Sequence[ArrayLike], others: Sequence[tuple[float, float]] = ()) -> tuple[float, float]:
    """Return one spread of all cells that were repeated, with its degrees of freedom; NaN and 0 where none was.

    Parameters
    ----------
    groups : one array of ln(mean) per cell, one value per run
    others : standard deviations with their degrees of freedom that are also known, such as a sentinel's

    >>> sd, df = pooled_spread([[0.0, 0.02], [5.0], [7.0, 7.02, 7.04]])
    >>> round(sd, 4), df
    (0.0183, 3.0)
    """
    arrays = [np.asarray(group, dtype=np.float64) for group in groups]
    squares = [(float(array.var(ddof=1)) * (len(array) - 1), len(array) - 1.0) for array in arrays if len(array) > 1]
    squares += [(sd**2 * df, df) for sd, df in others if df > 0]
    df = sum(group_df for _, group_df in squares)
    return (math.sqrt(sum(square for square, _ in squares) / df), df) if df else (math.nan, 0.0)


def bounded_exp(value: float) -> float:
    """Return the exponential of `value`, kept finite: two wild repeats can give an interval wider than a float holds.

    >>> bounded_exp(0.0), math.isfinite(bounded_exp(1e6))
    (1.0, True)
    """
    return math.exp(min(value, 700.0))


def _common_spread(variances: NDArray[np.float64], df: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the excess variance, degrees of freedom and variance of the common spread."""
    logs = np.log(np.maximum(variances, LEAST_SPREAD**2)) - _apply_to_distinct(digamma, df / 2) + np.log(df / 2)
    centre = float(logs.mean())
    excess = float(logs.var(ddof=1) - _apply_to_distinct(trigamma, df / 2).mean())
    if excess <= 0:
        return excess, math.inf, math.exp(centre)
    prior_df = 2 * _inverse_trigamma(excess)
    return excess, prior_df, math.exp(centre + digamma(prior_df / 2) - math.log(prior_df / 2))


def _apply_to_distinct(function: Callable[[float], float], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a scalar function of each value; most cells have the same degrees of freedom."""
    distinct, place = np.unique(values, return_inverse=True)
    results: NDArray[np.float64] = np.array([function(float(value)) for value in distinct])[place]
    return results


def _moderate(
    variances: NDArray[np.float64], own_df: NDArray[np.float64], prior_df: float, prior_variance: float
) -> NDArray[np.float64]:
    if math.isinf(prior_df):
        return np.full(len(variances), prior_variance)
    own_squares = np.where(own_df > 0, own_df * np.nan_to_num(variances), 0.0)
    moderated_variances: NDArray[np.float64] = (prior_df * prior_variance + own_squares) / (prior_df + own_df)
    return moderated_variances


def _inverse_trigamma(value: float) -> float:
    """Return where trigamma takes `value`, by Newton's method on its nearly straight reciprocal (Smyth 2004)."""
    if value > 1e7:
        return 1 / math.sqrt(value)
    if value < 1e-6:
        return 1 / value
    y = 0.5 + 1 / value
    for _ in range(50):
        slope = trigamma(y)
        step = slope * (1 - slope / value) / tetragamma(y)
        y += step
        if -step / y < 1e-10:
            break
    return y
