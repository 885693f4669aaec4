"""Compares two cells: the ratio of their throughputs, its interval, and a verdict with a margin.

The verdict has four values because two questions are asked: is there a difference (a test), and is it small enough
not to matter (two one-sided tests). When neither can be answered it is `undecided`, and `repeats_to_decide` says how
many repeats would do.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dbdyno.core import Verdict
from dbdyno.stats._distributions import t_cdf, t_quantile
from dbdyno.stats._spread import LogLevel, bounded_exp, half_width

MARGIN = math.log(1.03)
MOST_REPEATS = 100
"""Beyond, no number of repeats is foreseen."""
_POWER = 0.8


@dataclass(frozen=True, slots=True)
class LogDifference:
    """Holds the difference of two cells on the scale ln(TPS), with its standard error.

    Parameters
    ----------
    sd : spread of one run's difference divided by the square root of two: what one more pair would bring
    p : two-sided, not adjusted for the number of comparisons
    noise_se : as of a `LogLevel`
    """

    difference: float
    se: float
    df: float
    sd: float
    p: float
    noise_se: float = 0.0

    @property
    def ratio(self) -> float:
        """Return the throughput of the first over the second."""
        return math.exp(self.difference)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Ends of the interval of the ratio."""
        half = half_width(0.5 + confidence / 2, self.se, self.df, self.noise_se)
        return bounded_exp(self.difference - half), bounded_exp(self.difference + half)

    def is_same(self, margin: float = MARGIN) -> bool:
        """Return whether the 90 % interval lies inside the margin: two one-sided tests at 0.05."""
        half = half_width(0.95, self.se, self.df, self.noise_se)
        return abs(self.difference) + half < margin

    def is_below(self, margin: float = MARGIN) -> bool:
        """Return whether the first is shown to be ahead by less than the margin, if at all: one test at 0.05."""
        return self.difference + half_width(0.95, self.se, self.df, self.noise_se) < margin


def compare(left: LogLevel, right: LogLevel) -> LogDifference:
    """Return the difference of two cells by their levels.

    >>> a, b = LogLevel(7.00, 0.01, math.inf, 1, 0.01), LogLevel(6.90, 0.01, math.inf, 1, 0.01)
    >>> round(compare(a, b).ratio, 3), compare(a, b).p < 0.001
    (1.105, True)
    """
    difference, se, df = left.mean - right.mean, math.hypot(left.se, right.se), welch_df(left, right)
    return _log_difference(
        difference, se, df, math.hypot(left.sd, right.sd) / math.sqrt(2), math.hypot(left.noise_se, right.noise_se)
    )


def compare_pairs(paired_differences: ArrayLike, sd: float, df: float, noise_se: float = 0.0) -> LogDifference:
    """Return the difference of two cells whose runs come in pairs, each pair of the same round.

    Parameters
    ----------
    paired_differences : ln(left) - ln(right) of each pair
    sd, df : spread of such differences and its degrees of freedom: their own, or moderated over other places by
        `dbdyno.stats.moderated_spread`
    noise_se : as of a `LogLevel`

    >>> comparison = compare_pairs([0.10, 0.11, 0.09, 0.10], 0.02, 30.0)
    >>> round(comparison.difference, 3), round(comparison.se, 3), comparison.p < 0.001
    (0.1, 0.01, True)
    """
    pairs = np.asarray(paired_differences, dtype=np.float64)
    difference, se = float(pairs.mean()), sd / math.sqrt(len(pairs))
    return _log_difference(difference, se, df, sd / math.sqrt(2), noise_se)


def _log_difference(difference: float, se: float, df: float, sd: float, noise_se: float) -> LogDifference:
    p = two_sided_p(difference, se, df)
    p = max(p, two_sided_p(difference, noise_se, math.inf)) if noise_se else p
    return LogDifference(difference, se, df, sd, p, noise_se)


def verdict_of(difference: LogDifference, p_adjusted: float, margin: float = MARGIN) -> Verdict:
    """Return the verdict, given the p-value adjusted for all comparisons of the group.

    A difference can be both significant and inside the margin: then it is `same`, and its ratio says by how much.
    """
    if p_adjusted < 0.05 and abs(difference.difference) >= margin:
        return "different"
    if difference.is_same(margin):
        return "same"
    return "slightly different" if p_adjusted < 0.05 else "undecided"


def repeats_to_decide(
    difference: float, sd: float, alpha: float = 0.05, margin: float = MARGIN, *, done: int = 0
) -> int | None:
    """Return repeats of each cell with which the verdict would no longer be `undecided`, with power 0.8.

    Parameters
    ----------
    difference : seen so far, ln scale, taken as true
    sd : spread of one run
    alpha : of the test, already divided by the number of comparisons
    done : repeats of the cell that has fewer: they did not decide, and what the other has more of is kept

    Returns
    -------
    None when more than a hundred would be needed

    >>> repeats_to_decide(0.05, 0.03), repeats_to_decide(0.0, 0.01), repeats_to_decide(0.0001, 1.0)
    (7, 4, None)
    """

    def is_decided(repeats: int) -> bool:
        df, se = 2.0 * (repeats - 1), sd * math.sqrt(2 / repeats)
        power = t_quantile(_POWER, df)
        if abs(difference) >= (t_quantile(1 - alpha / 2, df) + power) * se:
            return True
        # A lower bound first: the nearer end of the margin alone, which is cheaper to compute than the power itself.
        is_near_end_far = margin - abs(difference) >= (t_quantile(0.95, df) + power) * se
        return is_near_end_far and _has_power_of_same(difference, se, df, margin)

    candidates = range(max(2, done + 1), MOST_REPEATS + 1)  # power grows with repeats
    index = bisect_left(candidates, True, key=is_decided)
    return candidates[index] if index < len(candidates) else None


def repeats_to_exclude(difference: float, limit: float, sd: float, alpha: float = 0.05) -> int | None:
    """Return repeats of each cell with which it is decided whether a difference is below a limit, with power 0.8.

    Parameters
    ----------
    difference : seen so far, ln scale, taken as true; negative is worse
    limit : ln scale, zero or below: the worst that is allowed
    sd : spread of one run
    alpha : of the test whether there is a difference at all, already divided by the number of comparisons

    Returns
    -------
    None when more than a hundred would be needed

    >>> repeats_to_exclude(0.0, -0.03, 0.02), repeats_to_exclude(-0.1, -0.03, 0.02)
    (9, 3)
    >>> repeats_to_exclude(-0.03, -0.03, 0.02) is None
    True
    """
    for repeats in range(2, MOST_REPEATS + 1):
        df, se = 2.0 * (repeats - 1), sd * math.sqrt(2 / repeats)
        if se == 0:
            return repeats if difference != limit else None
        margin, power = t_quantile(0.975, df), t_quantile(_POWER, df)
        if difference - limit >= (margin + power) * se:
            return repeats
        is_worse = limit - difference >= power * se and -difference >= (t_quantile(1 - alpha / 2, df) + power) * se
        if is_worse:
            return repeats
    return None


def spread_to_stand(
    left: LogLevel, right: LogLevel, assumed: tuple[float | None, float | None], alpha: float = 0.05
) -> float:
    """Return the spread between repeats up to which a difference of cells that were run once would stay significant.

    Parameters
    ----------
    assumed : the spread behind each level where it is assumed; None where it was measured
    alpha : two-sided, already divided by the number of comparisons

    >>> a, b = LogLevel(7.2, 0.026, math.inf, 1, 0.026), LogLevel(7.0, 0.026, math.inf, 1, 0.026)
    >>> round(spread_to_stand(a, b, (0.026, 0.026)), 4), spread_to_stand(a, a, (0.026, 0.026))
    (0.0722, 0.0)
    """
    measured_variance = left.se**2 + right.se**2 - sum(spread**2 for spread in assumed if spread is not None)
    assumed_count = sum(spread is not None for spread in assumed)
    most_variance = ((left.mean - right.mean) / t_quantile(1 - alpha / 2, math.inf)) ** 2
    return math.sqrt(max(most_variance - max(measured_variance, 0.0), 0.0) / assumed_count) if assumed_count else 0.0


def spreads_to_stand(
    pairs: Sequence[tuple[LogLevel, LogLevel]],
    assumed: Sequence[tuple[float | None, float | None]],
    p_values: Sequence[float],
    alpha: float = 0.05,
) -> list[float]:
    """Return `spread_to_stand` of differences that are tested together by Holm, each at its own step.

    The clearest of n has to meet the level / n, the next one the level / (n - 1) and so on, and one that fails takes
    those after it along. So a difference that is significant at the assumed spread stands up to that, at least.

    Parameters
    ----------
    pairs, assumed : levels of each, and the spread behind them where it is assumed
    p_values : of each, not adjusted
    alpha : two-sided, for all of them together

    >>> a, b, c = (LogLevel(mean, 0.026, math.inf, 1, 0.026) for mean in (7.2, 7.0, 7.08))
    >>> limits = spreads_to_stand([(c, b), (a, b)], [(0.026, 0.026)] * 2, [compare(c, b).p, compare(a, b).p])
    >>> [round(limit, 4) for limit in limits]
    [0.0289, 0.0631]
    """
    limits, most = [0.0] * len(pairs), math.inf
    for step, index in enumerate(sorted(range(len(pairs)), key=lambda index: p_values[index])):
        (left, right), step_alpha = pairs[index], alpha / (len(pairs) - step)
        if assumed[index] == (None, None):  # the p of this test needs no assumption
            limit = math.inf if p_values[index] < step_alpha else 0.0
        else:
            limit = spread_to_stand(left, right, assumed[index], step_alpha)
        most = min(most, limit)
        limits[index] = most
    return limits


def smallest_detectable_ratio(sd: float, df: float, repeats: int) -> float:
    """Return the smallest true ratio of two cells that this design finds with power 0.8, above 1.

    >>> round(smallest_detectable_ratio(0.012, 20.0, 2), 3)
    1.036
    """
    return math.exp((t_quantile(0.975, df) + t_quantile(_POWER, df)) * math.sqrt(2) * sd / math.sqrt(repeats))


def _has_power_of_same(difference: float, se: float, df: float, margin: float) -> bool:
    """Return whether the 90 % interval would lie inside the margin often enough: it may miss it on either side.

    It misses the far end at most as often as the near one, which mostly answers alone.
    """
    bound = t_quantile(0.95, df)
    near, far = ((margin - side * abs(difference)) / se - bound for side in (1, -1))
    if near >= t_quantile((1 + _POWER) / 2, df):
        return True
    return t_cdf(df, near) + t_cdf(df, far) - 1 >= _POWER


def welch_df(left: LogLevel, right: LogLevel) -> float:
    """Return Welch-Satterthwaite degrees of freedom of the difference; of one spread behind both, that spread's."""
    if left.is_shared and right.is_shared:
        return min(left.df, right.df)
    variance = left.se**2 + right.se**2
    terms = sum(0.0 if math.isinf(level.df) else level.se**4 / level.df for level in (left, right))
    return math.inf if terms == 0 else variance**2 / terms


def two_sided_p(difference: float, se: float, df: float) -> float:
    """Return the p-value of a difference that its standard error and degrees of freedom leave, when none is expected.

    >>> round(two_sided_p(1.96, 1.0, math.inf), 3), two_sided_p(0.0, 0.0, 1.0)
    (0.05, 1.0)
    """
    if se == 0:
        return 1.0 if difference == 0 else 0.0
    t = abs(difference) / se
    return 2 * t_cdf(df, -t)
