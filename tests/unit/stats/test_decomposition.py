"""The logarithmic mean Divisia index: exact, the same from either side, and indifferent to finer factors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbdyno.stats import logarithmic_mean, split_by_factors

positive = st.floats(1e-6, 1e6)
factors = st.one_of(st.just(0.0), positive)


@given(st.lists(st.tuples(factors, factors), min_size=1, max_size=4))
def test_contributions_add_up_and_turn_their_signs_from_the_other_side(pairs: list[tuple[float, float]]) -> None:
    before, after = zip(*pairs, strict=True)
    first, last = math.prod(before), math.prod(after)
    found = split_by_factors(before, after)
    assert sum(found) == pytest.approx(last - first, rel=1e-9, abs=1e-9 * max(first, last, 1e-30))
    assert split_by_factors(after, before) == pytest.approx(tuple(-part for part in found), rel=1e-9)


@given(positive, positive, positive, positive, positive, positive)
def test_a_factor_split_in_two_leaves_the_other_as_it_was(
    a: float, b: float, c: float, d: float, e: float, f: float
) -> None:
    whole = split_by_factors((a, b * c), (d, e * f))
    finer = split_by_factors((a, b, c), (d, e, f))
    size = max(a * b * c, d * e * f)
    assert finer[0] == pytest.approx(whole[0], rel=1e-9, abs=1e-9 * size)


@given(positive, positive)
def test_the_logarithmic_mean_lies_between_both(a: float, b: float) -> None:
    mean = logarithmic_mean(a, b)
    assert min(a, b) * (1 - 1e-12) <= mean <= max(a, b) * (1 + 1e-12)
    assert mean == logarithmic_mean(b, a)


def test_what_is_new_takes_the_whole_difference() -> None:
    assert split_by_factors((0.0, 2.0), (3.0, 5.0)) == (15.0, 0.0)
    assert split_by_factors((3.0, 5.0), (0.0, 2.0)) == (-15.0, 0.0)
    assert split_by_factors((0.0, 0.0), (3.0, 5.0)) == (7.5, 7.5)
    assert split_by_factors((0.0, 2.0), (0.0, 5.0)) == (0.0, 0.0)


def test_the_limit_at_zero_is_what_ever_smaller_factors_approach() -> None:
    near = split_by_factors((1e-200, 2.0), (3.0, 5.0))
    assert near == pytest.approx((15.0, 0.0), abs=0.05)


def test_negative_factors_are_refused() -> None:
    with pytest.raises(ValueError, match="below 0"):
        split_by_factors((1.0, -1.0), (1.0, 1.0))
