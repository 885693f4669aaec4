"""Adjusts many comparisons at once: p-values, and ranks that are intervals because ties are real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike


def holm(p_values: ArrayLike) -> list[float]:
    """Return p-values adjusted so that one false finding in the whole family has at most the probability of the level.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    count = len(values)
    if count == 0:
        return []
    order = np.argsort(values, kind="stable")
    stepped_p = np.maximum.accumulate(values[order] * (count - np.arange(count)))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(stepped_p, 1.0)
    return [float(p) for p in adjusted]


def benjamini_hochberg(p_values: ArrayLike) -> list[float]:
    """Return p-values adjusted so that of all findings at a level at most that share is false, on average.

    For marks that invite a closer look over a whole study; a family that is read together takes `holm`.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p_values, dtype=np.float64)
    count = len(values)
    if count == 0:
        return []
    order = np.argsort(values, kind="stable")[::-1]
    stepped_p = np.minimum.accumulate(values[order] * count / np.arange(count, 0, -1))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(stepped_p, 1.0)
    return [float(p) for p in adjusted]


def rank_intervals(targets: Sequence[str], wins: Mapping[tuple[str, str], bool]) -> dict[str, tuple[int, int]]:
    """Return places each target may hold: from 1 + those significantly better to all minus those significantly worse.

    Parameters
    ----------
    wins : (better, worse) -> whether significantly so; a missing pair is not

    >>> rank_intervals(["a", "b", "c"], {("a", "b"): True, ("a", "c"): True})
    {'a': (1, 1), 'b': (2, 3), 'c': (2, 3)}
    """
    count = len(targets)
    return {
        target: (
            1 + sum(wins.get((other, target), False) for other in targets),
            count - sum(wins.get((target, other), False) for other in targets),
        )
        for target in targets
    }
