"""Decides when a run is long enough: an interval narrow enough, no drift, three checks in a row.

The rule is asked while the run is driven and gives the same answer from the stored series afterwards, because each
check looks at nothing but the seconds up to it. It must be fixed before the run: stopping when the result looks good
favours lucky windows, which is what the minimum time and the checks in a row are for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, overload

from numpy.typing import ArrayLike

from dbdyno.core import AnalysisError
from dbdyno.stats._drift import drift
from dbdyno.stats._noise import noise_interval
from dbdyno.stats._series import FloatArray, checked_series
from dbdyno.stats._start import mser5

_LEAST_WINDOW_S = 60
_LEAST_ESS = 10.0
_LEAST_DRIFT = 0.02


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """Decides when to stop.

    Parameters
    ----------
    precision : half-width asked for, as a share of the mean
    first_s, every_s : when checks are made, seconds since the start of the driven time
    passes : checks in a row that must pass
    cap_s : when to stop regardless of the checks; None for the end of the series
    """

    precision: float = 0.02
    first_s: int = 180
    every_s: int = 30
    passes: int = 3
    cap_s: int | None = 900

    def is_due(self, driven_s: int) -> bool:
        """Return whether a check is made after so many seconds.

        >>> [second for second in range(250) if StoppingRule().is_due(second)]
        [180, 210, 240]
        """
        return driven_s >= self.first_s and (driven_s - self.first_s) % self.every_s == 0

    def passed(self, check: StopCheck) -> bool:
        """Return whether a check shows the mean to the precision asked for."""
        if check.mean <= 0:
            return False
        is_narrow = check.half_width <= self.precision * check.mean
        is_level = abs(check.drift) <= max(2 * self.precision, _LEAST_DRIFT)
        return is_narrow and is_level and check.ess >= _LEAST_ESS


@dataclass(frozen=True, slots=True)
class StopCheck:
    """Holds what a check sees: the seconds so far without the start that MSER-5 cuts off.

    Parameters
    ----------
    at_s : when, seconds since the start of the driven time
    start_s : where the looked-at part begins
    mean, half_width : of it, with noise alone
    ess : independent seconds worth as much
    drift : over it, as a share of the mean; infinite where nothing was done
    """

    at_s: int
    start_s: int
    mean: float
    half_width: float
    ess: float
    drift: float


@dataclass(frozen=True, slots=True)
class StoppingPoint:
    """Describes where a run was or would have been stopped.

    Parameters
    ----------
    reason : precision reached, or the cap
    mean, half_width : of the last check's window
    """

    at_s: int
    reason: Literal["precision", "cap"]
    mean: float
    half_width: float


def stop_check(so_far: ArrayLike) -> StopCheck:
    """Look at the seconds so far, at least 120.

    Raises
    ------
    AnalysisError : too few values for a mean and a drift, or one is not a finite number
    """
    values = checked_series(so_far)
    start = min(mser5(values), max(len(values) - _LEAST_WINDOW_S, 0))
    window = values[start:]
    noise = noise_interval(window)
    return StopCheck(len(values), start, noise.mean, noise.half_width, noise.ess, _window_drift(window))


class StopChecks(Sequence[StopCheck]):
    """Holds the checks that would be made while a series is driven, the cap left aside; each is made on first use.

    Parameters
    ----------
    rule : when they are made

    Raises
    ------
    AnalysisError : see `stop_check`
    """

    def __init__(self, x: ArrayLike, rule: StoppingRule | None = None) -> None:
        self._values, self._rule = checked_series(x), rule or StoppingRule()
        self._checks: dict[int, StopCheck] = {}

    def __len__(self) -> int:
        return len(range(self._rule.first_s, len(self._values) + 1, self._rule.every_s))

    @overload
    def __getitem__(self, index: int) -> StopCheck: ...

    @overload
    def __getitem__(self, index: slice) -> list[StopCheck]: ...

    def __getitem__(self, index: int | slice) -> StopCheck | list[StopCheck]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._checks:
            self._checks[number] = stop_check(self._values[: self._rule.first_s + number * self._rule.every_s])
        return self._checks[number]


def stopping_point(
    x: ArrayLike, rule: StoppingRule | None = None, checks: Sequence[StopCheck] | None = None
) -> StoppingPoint | None:
    """Return where the rule stops this run; None when it would still be driven at the end of the series.

    Parameters
    ----------
    x : one value per second from the start of the driven time
    checks : of this run, where several rules with the same times are asked

    >>> point = stopping_point([1000.0, 1002.0] * 300)
    >>> point.at_s, point.reason, point.mean
    (240, 'precision', 1001.0)
    """
    values, effective_rule = checked_series(x), rule or StoppingRule()
    check = _first_stop(StopChecks(values, effective_rule) if checks is None else checks, effective_rule)
    if check is not None:
        return StoppingPoint(check.at_s, "precision", check.mean, check.half_width)
    return _stopping_point_at_cap(values, effective_rule)


def _first_stop(checks: Sequence[StopCheck], rule: StoppingRule) -> StopCheck | None:
    """Return the first check that allows to stop.

    Each row of checks is looked at from its end: one that fails rules out every row that it is in, so that of a run
    that is never stopped one check of a row is made.
    """
    last = rule.passes - 1
    while last < len(checks) and (rule.cap_s is None or rule.first_s + last * rule.every_s <= rule.cap_s):
        row = range(last, last - rule.passes, -1)
        failed = next((index for index in row if not rule.passed(checks[index])), None)
        if failed is None:
            return checks[last]
        last = failed + rule.passes
    return None


def _window_drift(window: FloatArray) -> float:
    """Return the drift of the window; infinite where it did nothing, which is no level to stop at."""
    try:
        return drift(window).change
    except AnalysisError:
        return math.inf


def _stopping_point_at_cap(values: FloatArray, rule: StoppingRule) -> StoppingPoint | None:
    if rule.cap_s is None or len(values) < rule.cap_s:
        return None
    check = stop_check(values[: rule.cap_s])
    return StoppingPoint(rule.cap_s, "cap", check.mean, check.half_width)
