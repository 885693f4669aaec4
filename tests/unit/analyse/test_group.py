"""Runs of one file compared as a group, against the public group of ten and by planted differences."""

from __future__ import annotations

import pytest

from dbdyno.analyse import compare_runs
from public_series import EXPECTED, EXPECTED_GROUP


@pytest.mark.parametrize("spread", [0.0, 0.012, 0.02])
def test_the_public_group_has_the_expected_verdicts_ranks_and_pairs(spread: float) -> None:
    group = EXPECTED_GROUP[f"sigma_b={spread}"]
    found = compare_runs(
        {run: (EXPECTED[run]["mean"], EXPECTED[run]["half"]) for run in group["rank_intervals"]}, spread
    )
    assert len(found.pairs) == group["summary"]["pairs"]
    assert sum(pair.is_significant for pair in found.pairs) == group["summary"]["different"]
    assert sum(pair.difference.is_same() for pair in found.pairs) == group["summary"]["equivalent"]
    assert {run: list(places) for run, places in found.ranks.items()} == group["rank_intervals"]
    if spread == 0.012:
        assert (found.lead.best, found.lead.next_best) == ("RO-Ma10_11-bp32-t128", "RO-Ma12_1-bp32-t128")
        assert (found.lead.ratio, found.lead.low, found.lead.high) == pytest.approx((1.344, 1.278, 1.413), abs=1e-3)
        pairs = {f"{pair.better} / {pair.worse}": pair.difference for pair in found.pairs}
        for name, figures in EXPECTED_GROUP["example_pairs"].items():
            low, high = pairs[name].interval()
            shown = (pairs[name].ratio, low, high, pairs[name].se)
            assert shown == pytest.approx([figures[key] for key in ("ratio", "lo", "hi", "se")], rel=1e-5)


def test_the_faster_of_a_pair_comes_first_and_only_settled_runs_lead() -> None:
    found = compare_runs({"b": (1000.0, 10.0), "c": (1400.0, 10.0), "a": (1300.0, 10.0)}, unsettled=["c"])
    verdicts = {(pair.better, pair.worse): pair.verdict for pair in found.pairs}
    assert verdicts == {("c", "b"): "not settled", ("c", "a"): "not settled", ("a", "b"): "different"}
    ratios = {(pair.better, pair.worse): pair.difference.ratio for pair in found.pairs}
    assert ratios == {
        ("c", "b"): pytest.approx(1.4),
        ("c", "a"): pytest.approx(14 / 13),
        ("a", "b"): pytest.approx(1.3),
    }
    assert found.ranks == {"a": (1, 2), "b": (2, 3), "c": (1, 3)}
    assert found.lead is not None and (found.lead.best, found.lead.next_best) == ("a", "b")


def test_a_group_of_one_or_none_has_nothing_to_compare() -> None:
    assert compare_runs({}).lead is None
    found = compare_runs({"a": (10.0, 1.0)})
    assert (found.pairs, found.ranks, found.lead) == ((), {"a": (1, 1)}, None)


def test_a_difference_that_is_shown_stands_up_to_the_assumed_spread_at_least() -> None:
    """Holm asks less of the last of three pairs than of the first: so does the spread that it stands up to."""
    found = compare_runs({"a": (1083.0, 1.0), "b": (1000.0, 1.0), "c": (500.0, 1.0)})
    assert [pair.is_significant for pair in found.pairs] == [True] * 3
    assert all(pair.stands_to is not None and pair.stands_to > found.spread for pair in found.pairs)


def test_alike_runs_share_their_places() -> None:
    found = compare_runs({"a": (1000.0, 5.0), "b": (1003.0, 5.0), "c": (500.0, 5.0)})
    assert found.ranks == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    assert found.lead.best == "b"
    assert found.lead.low < 1 < found.lead.high
