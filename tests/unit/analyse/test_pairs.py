"""Comparisons at a place: planted differences are found, A/A is not called different."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import ALL_CONCURRENCIES, compare_targets, judge_cells, rank_places
from dbdyno.core import RunRecord, SettledPart
from dbdyno.stats import holm, repeats_to_decide

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def test_a_planted_difference_is_found_at_every_place(study: MakeStudy) -> None:
    pairs = compare_targets(judge_cells(study({"a": 130.0, "b": 100.0})))
    assert len(pairs) == 6
    assert {pair.verdict for pair in pairs} == {"different"}
    assert all(pair.low < 1.3 < pair.high or abs(pair.ratio - 1.3) < 0.05 for pair in pairs)


def test_the_same_engine_twice_is_seldom_called_different(study: MakeStudy) -> None:
    verdicts = []
    for seed in range(40):
        verdicts += [pair.verdict for pair in compare_targets(judge_cells(study({"a": 100.0, "b": 100.0}, seed=seed)))]
    assert np.mean([verdict == "different" for verdict in verdicts]) < 0.05


def test_an_undecided_pair_says_how_many_repeats_would_decide(study: MakeStudy) -> None:
    pairs = compare_targets(judge_cells(study({"a": 104.0, "b": 100.0}, spread=0.03)))
    undecided = [pair for pair in pairs if pair.verdict == "undecided"]
    assert undecided
    assert all(pair.repeats_needed is None or pair.repeats_needed > 2 for pair in undecided)
    assert any(pair.repeats_needed for pair in undecided)


def test_a_cell_with_more_runs_does_not_raise_the_repeats_that_would_decide(record: MakeRecord) -> None:
    """The advice is for the cell with fewer runs; it was one more than the other has: 10 here."""
    tps = {"a": [1000.0, 1040.0], "b": [975.0, 985.0, 980.0, 990.0, 970.0, 990.0, 985.0, 975.0, 985.0]}
    records = [record(name, each, repeat=n + 1) for name in tps for n, each in enumerate(tps[name])]
    (pair,) = compare_targets(judge_cells(records))
    assert pair.verdict == "undecided"
    cells = {cell.cell.target: cell.level for cell in judge_cells(records)}
    sd = math.hypot(*(level.sd for level in cells.values() if level is not None)) / math.sqrt(2)
    assert pair.repeats_needed == repeats_to_decide(math.log(pair.ratio), sd, done=2)
    assert pair.repeats_needed is not None and 2 < pair.repeats_needed < 10


def test_pairs_of_a_place_are_tested_together(record: MakeRecord) -> None:
    """Each pair alone has its own p and its own repeats; three of them share the level by Holm."""
    tps = {"a": (1000.0, 1060.0), "b": (1090.0, 1140.0), "c": (1000.0, 900.0)}
    records = {name: [record(name, each, repeat=n + 1) for n, each in enumerate(tps[name])] for name in tps}
    alone = [compare_targets(judge_cells([*records[left], *records[right]])) for left, right in ("ab", "ac", "bc")]
    cells = judge_cells([run for runs in records.values() for run in runs])
    together = compare_targets(cells)
    p_values = [pair.p_adjusted for (pair,) in alone]
    assert [pair.p_adjusted for pair in together] == pytest.approx(holm([p or 0.0 for p in p_values]))
    assert [pair.verdict for pair in together] == ["undecided"] * 3
    sds = {cell.cell.target: cell.level.sd for cell in cells if cell.level is not None}
    for (one,), pair in zip(alone, together, strict=True):
        sd = math.hypot(sds[pair.left], sds[pair.right]) / math.sqrt(2)
        assert pair.repeats_needed == repeats_to_decide(math.log(pair.ratio), sd, 0.05 / 3)
        assert one.repeats_needed is not None and pair.repeats_needed is not None
        assert one.repeats_needed < pair.repeats_needed


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_places_do_not_depend_on_which_target_is_named_first(record: MakeRecord, order: str) -> None:
    tps = {"a": 300.0, "b": 200.0, "c": 100.0}
    records = [record(name, tps[name] + n, repeat=n + 1) for name in order for n in range(3)]
    cells = judge_cells(records)
    (ranks,) = rank_places(cells, compare_targets(cells)).values()
    assert ranks == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}


def test_only_what_shares_a_place_is_compared(record: MakeRecord) -> None:
    cells = judge_cells([record("a", tier=64 << 20), record("b", tier=512 << 20), record("c", concurrency=1)])
    assert compare_targets(cells) == []


def test_cells_that_are_not_trusted_take_no_part(record: MakeRecord) -> None:
    cells = judge_cells([record("a"), record("b", status="suspect"), record("c", tps=50.0)])
    assert [(pair.left, pair.right) for pair in compare_targets(cells)] == [("a", "c")]


def test_ties_share_places_and_losers_do_not(study: MakeStudy) -> None:
    judgements = judge_cells(study({"a": 100.0, "b": 100.5, "c": 50.0}))
    ranks = rank_places(judgements, compare_targets(judgements))
    assert all(places["c"] == (3, 3) for places in ranks.values())
    assert any(places["a"] == places["b"] == (1, 2) for places in ranks.values())


def test_four_rounds_are_compared_as_pairs(record: MakeRecord) -> None:
    rounds = [1.0, 2.0, 0.5, 3.0]  # the machine drifts, both targets with it
    records = [record("a", 110.0 * drift, repeat=n + 1) for n, drift in enumerate(rounds)]
    records += [record("b", 100.0 * drift * (1 + 0.002 * n), repeat=n + 1) for n, drift in enumerate(rounds)]
    (pair,) = compare_targets(judge_cells(records))
    assert pair.verdict == "different"
    assert pair.ratio == pytest.approx(1.1, rel=0.01)


def test_the_spread_of_pairs_is_borrowed_from_other_places_of_the_same_two(record: MakeRecord) -> None:
    def drifting(generator: np.random.Generator, places: int) -> list[RunRecord]:
        return [
            record(name, level * drift * np.exp(generator.normal(0, 0.02)), concurrency=place + 1, repeat=repeat)
            for place in range(places)
            for repeat, drift in enumerate(np.exp(generator.normal(0, 0.3, 4)), 1)
            for name, level in (("a", 100.0), ("b", 95.0))
        ]

    alone, borrowed = [], []
    for seed in range(10):
        alone += compare_targets(judge_cells(drifting(np.random.default_rng(seed), 7)))
        borrowed += compare_targets(judge_cells(drifting(np.random.default_rng(seed), 24)))
    found = [np.mean([pair.verdict == "different" for pair in pairs]) for pairs in (alone, borrowed)]
    assert found[0] < 0.8 < 0.87 < found[1]
    widths = [np.std([np.log(pair.high / pair.low) for pair in pairs]) for pairs in (alone, borrowed)]
    assert widths[1] < widths[0] / 3


def ladders(record: MakeRecord, generator: np.random.Generator, gap: float, panels: int) -> list[RunRecord]:
    """Two rounds on a drifting machine; runs of a panel share the drift, those of a target there a start as well."""
    records = []
    for panel in range(panels):
        for repeat in (1, 2):
            drift = generator.normal(0, 0.15)
            for name, level in (("a", 100.0), ("b", 100.0 * (1 - gap))):
                start = generator.normal(0, 0.02)
                for concurrency in (1, 4, 16, 64):
                    tps = level * np.exp(drift + start + generator.normal(0, 0.02))
                    records.append(record(name, tps, tier=(panel + 1) << 26, concurrency=concurrency, repeat=repeat))
    return records


@pytest.mark.parametrize(("panels", "least", "most"), [(8, 0.85, 1.0), (7, 0.0, 0.1)])
def test_two_rounds_in_eight_panels_are_compared_as_pairs(
    record: MakeRecord, panels: int, least: float, most: float
) -> None:
    def different(gap: float) -> float:
        pairs = [
            pair
            for seed in range(20)
            for pair in compare_targets(judge_cells(ladders(record, np.random.default_rng(seed), gap, panels)))
        ]
        return float(np.mean([pair.verdict in ("different", "slightly different") for pair in pairs]))

    assert different(0.0) <= 0.06
    assert least <= different(0.1) <= most


def on_benches(records: list[RunRecord], factors: tuple[float, ...]) -> list[RunRecord]:
    """The same runs, the rounds of each tier dealt to benches that are as much faster as their factors say."""
    blocks = sorted({(record.run.cell.tier_bytes, record.run.repeat) for record in records})
    owners = {block: index % len(factors) for index, block in enumerate(blocks)}
    placed = [(owners[record.run.cell.tier_bytes, record.run.repeat], record) for record in records]
    return [
        replace(r, figures=replace(r.figures, tps_mean=(r.figures.tps_mean or 0.0) * factors[owner]), bench=f"b{owner}")
        for owner, r in placed
    ]


@pytest.mark.parametrize(("factors", "rounds"), [((1, 1, 0.92), 2), ((1, 1, 0.92), 3), ((1, 1.03), 2)])
def test_benches_that_differ_make_no_difference_of_targets(
    study: MakeStudy, factors: tuple[float, ...], rounds: int
) -> None:
    def verdicts(gap: float) -> list[str]:
        levels, counts = {"a": 100.0, "b": 100.0 * (1 - gap)}, (1, 2, 4, 8, 16, 32)
        return [
            pair.verdict
            for seed in range(20)
            for pair in compare_targets(
                judge_cells(
                    on_benches(study(levels, repeats=rounds, concurrencies=counts, spread=0.012, seed=seed), factors)
                )
            )
        ]

    same, apart = verdicts(0.0), verdicts(0.05)
    assert len(same) == 240
    assert np.mean([verdict in ("different", "slightly different") for verdict in same]) <= 0.05
    assert np.mean([verdict == "different" for verdict in apart]) >= 0.85


def test_rounds_that_a_bench_ran_of_one_target_alone_are_left_out(record: MakeRecord) -> None:
    levels = {("a", 1): (100, "x"), ("a", 2): (92, "y"), ("b", 1): (101, "x"), ("b", 2): (110, "z")}
    records = [record(name, tps, repeat=n, bench=bench) for (name, n), (tps, bench) in levels.items()]
    (pair,) = compare_targets(judge_cells(records))
    (first_round,) = compare_targets(judge_cells([one for one in records if one.bench == "x"]))
    assert (pair.ratio, pair.low, pair.high) == (first_round.ratio, first_round.low, first_round.high)
    assert pair.assumed_spread is not None
    apart = [replace(one, bench=f"{one.run.cell.target}{one.bench}") for one in records]
    assert compare_targets(judge_cells(apart)) == []
    alone = [replace(one, bench="") for one in records]
    assert compare_targets(judge_cells(alone))[0].ratio < pair.ratio


def test_the_best_of_each_target_is_compared_by_the_rounds_that_benches_share(record: MakeRecord) -> None:
    """There a cell has no number of connections, whatever its runs had."""
    levels = {("a", 1): (100, "x"), ("a", 2): (92, "y"), ("b", 1): (101, "x"), ("b", 2): (110, "z")}
    records = [record(name, tps, repeat=n, bench=bench) for (name, n), (tps, bench) in levels.items()]
    cells = judge_cells(records)
    best_cells = [replace(group, cell=replace(group.cell, concurrency=ALL_CONCURRENCIES)) for group in cells]
    (pair,), (measured_pair,) = compare_targets(best_cells), compare_targets(cells)
    assert (pair.left, pair.right, pair.concurrency) == ("a", "b", ALL_CONCURRENCIES)
    assert (pair.ratio, pair.low, pair.high) == (measured_pair.ratio, measured_pair.low, measured_pair.high)


def test_a_cell_that_has_not_settled_does_not_settle_by_the_rounds_that_benches_share(record: MakeRecord) -> None:
    drifting = SettledPart("drifting", 900, 0, 92.0, 1.0, change=-0.08)
    records = [record("a", 100.0, bench="x"), record("a", 92.0, repeat=2, bench="y", settled=drifting)]
    cells = judge_cells([*records, record("b", 50.0, bench="x")])
    (pair,) = pairs = compare_targets(cells)
    assert (pair.verdict, pair.is_significant, pair.stands_to) == ("not settled", False, None)
    assert "drifts" in pair.remedy
    assert set(rank_places(cells, pairs).popitem()[1].values()) == {(1, 2)}
