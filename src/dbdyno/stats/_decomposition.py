"""Splits the difference of two products exactly among their factors: the logarithmic mean Divisia index (LMDI).

A product x1·x2·… grows from A to B by the sum over its factors of ``L(A, B)·ln(xB / xA)``, where L is the logarithmic
mean of both products (Ang, Energy Policy 32, 2004, p. 1131). Nothing is left over, from B to A every contribution
only changes its sign, and splitting one factor into two leaves the contributions of the others as they were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def logarithmic_mean(a: float, b: float) -> float:
    """Return (a - b) / ln(a / b), between both; 0 where one of them is 0.

    >>> round(logarithmic_mean(1.0, math.e), 6), logarithmic_mean(3.0, 3.0), logarithmic_mean(0.0, 5.0)
    (1.718282, 3.0, 0.0)
    """
    low, high = sorted((a, b))
    if low <= 0:
        return 0.0
    growth = (high - low) / low
    return low * growth / math.log1p(growth) if growth > 0 else low


def split_by_factors(before: Sequence[float], after: Sequence[float]) -> tuple[float, ...]:
    """Return the contribution of each factor to the difference of the products, after minus before; they add up to it.

    Parameters
    ----------
    before, after : the factors on both sides, not negative, in the same order

    Notes
    -----
    Factors of 0 are taken as the limit of ever smaller ones, of the same size where there are several: what is 0 on
    one side alone takes the whole difference (Ang, Liu, Energy Policy 35, 2007, p. 238).

    >>> [round(part, 4) for part in split_by_factors((2.0, 3.0), (4.0, 3.0))]
    [6.0, 0.0]
    >>> split_by_factors((0.0, 7.0), (2.0, 5.0))
    (10.0, 0.0)
    """
    if any(value < 0 for value in (*before, *after)):
        raise ValueError(f"factors below 0 can't be split: {before}, {after}")
    product_before, product_after = math.prod(before), math.prod(after)
    if product_before > 0 and product_after > 0:
        mean = logarithmic_mean(product_before, product_after)
        return tuple(mean * math.log(b / a) for a, b in zip(before, after, strict=True))
    zeros = [value == 0 for value in (before if product_before == 0 else after)]
    return tuple((product_after - product_before) / sum(zeros) if is_zero else 0.0 for is_zero in zeros)
