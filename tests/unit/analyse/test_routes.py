"""Whether another route changes the order of targets: counted over what shows a difference on both."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbdyno.analyse import Place, answer, compare_targets, judge_cells
from dbdyno.analyse._routes import RouteOrder, route_orders, route_sentence
from dbdyno.core import Comparison, RunRecord

MakeStudy = Callable[..., list[RunRecord]]


def over_the_network(records: list[RunRecord], factors: dict[str, float]) -> list[RunRecord]:
    """The same runs on both routes; over the network each target is faster by its factor."""
    return [
        *(replace(one, run=replace(one.run, cell=replace(one.run.cell, route="loopback"))) for one in records),
        *(
            replace(
                one,
                run=replace(one.run, cell=replace(one.run.cell, route="network")),
                figures=replace(one.figures, tps_mean=(one.figures.tps_mean or 0.0) * factors[one.run.cell.target]),
            )
            for one in records
        ),
    ]


def compared(records: list[RunRecord]) -> list[Comparison]:
    return compare_targets(judge_cells(records))


def place_words(place: Place) -> str:
    return f"{place[3]} connections, {place[1]}"


def order_of(comparisons: list[Comparison]) -> RouteOrder:
    (found,) = route_orders(comparisons)
    return found


def test_an_order_that_stays_is_told_with_how_many_comparisons_say_so(study: MakeStudy) -> None:
    found = order_of(compared(over_the_network(study({"a": 130.0, "b": 100.0}), {"a": 0.8, "b": 0.8})))
    assert (found.base, found.other, len(found.decided)) == ("loopback", "network", 6)
    assert found.reversed_pairs() == []
    assert "all 6 comparisons" in route_sentence(found, place_words)


def test_an_order_of_cells_that_were_run_once_names_the_spread_that_it_assumes(study: MakeStudy) -> None:
    for repeats in (1, 2):
        records = over_the_network(study({"a": 130.0, "b": 100.0}, repeats=repeats), {"a": 0.8, "b": 0.8})
        words = route_sentence(order_of(compared(records)), place_words)
        assert words.endswith("a difference on both routes, if repeats spread by 2.6 %.") == (repeats == 1)


def test_targets_that_change_places_are_named_with_both_differences(study: MakeStudy) -> None:
    found = order_of(compared(over_the_network(study({"a": 130.0, "b": 100.0}), {"a": 0.5, "b": 0.9})))
    assert len(found.reversed_pairs()) == 6
    words = route_sentence(found, place_words)
    assert "6 of the 6 " in words
    assert re.search(r"\ba\b.* % faster .*\bb \([\d.]+ to [\d.]+ %\) .*loopback", words)
    assert re.search(r" % slower .*\([\d.]+ to [\d.]+ %\) .*network", words)
    assert ", loopback" not in words


def test_differences_that_are_shown_on_one_route_alone_say_nothing(study: MakeStudy) -> None:
    found = order_of(compared(over_the_network(study({"a": 130.0, "b": 100.0}), {"a": 0.77, "b": 1.0})))
    assert len(found.decided) < 6
    assert found.shared_count == 6
    none = RouteOrder("loopback", "network", (), 6)
    assert re.match(r"Unknown .*\b6 comparisons", route_sentence(none, place_words))


@pytest.mark.parametrize("factor", [0.8, 0.5])
def test_the_share_says_of_which_comparisons_it_is(study: MakeStudy, factor: float) -> None:
    comparisons = compared(over_the_network(study({"a": 130.0, "b": 100.0}), {"a": factor, "b": 0.8}))
    undecided = [
        replace(pair, verdict="undecided") if pair.route == "network" and pair.concurrency == 16 else pair
        for pair in comparisons
    ]
    found = order_of(undecided)
    assert (len(found.decided), found.shared_count) == (4, 6)
    assert re.search(r"\b4 comparisons .*; \D*\b2 ", route_sentence(found, place_words))


def test_a_shaped_route_is_held_against_the_first_by_its_name(study: MakeStudy) -> None:
    runs = over_the_network(study({"a": 130.0, "b": 100.0}), {"a": 0.5, "b": 0.9})
    named = [
        replace(one, run=replace(one.run, cell=replace(one.run.cell, route="wan")))
        for one in runs
        if one.run.cell.route == "network"
    ]
    found = route_orders(compared([*runs, *named]))
    assert [(order.base, order.other) for order in found] == [("loopback", "network"), ("loopback", "wan")]
    assert re.search(r"slower .*\(.*\) .*\bwan\b", route_sentence(found[1], place_words))


def test_the_answer_tells_it_of_two_routes_only(study: MakeStudy) -> None:
    records = study({"a": 130.0, "b": 100.0})
    for runs, is_told in ((records, False), (over_the_network(records, {"a": 0.8, "b": 0.8}), True)):
        judgements = judge_cells(runs)
        sentences = answer(judgements, compare_targets(judgements)).sentences
        told = [route_sentence(order, place_words) for order in route_orders(compare_targets(judgements))]
        assert (told != [] and set(told) <= set(sentences)) is is_told
