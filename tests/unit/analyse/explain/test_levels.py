"""How far parts may be off: each by what parts of its kind show, and no further for parts that can't count."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse.explain import Breakdown, Gap, Part, compare_breakdowns, rest_of
from dbdyno.core import Cell, Run

CONNECTIONS = (1, 2, 4, 8, 16)


def runs_of(seed: int, tiny: int = 0, longer: float = 1.0) -> dict[Cell, tuple[Breakdown, ...]]:
    """Two targets at five concurrencies, twice each: 10 ms that spread by 1 %, 2 ms by 60 %, and parts of 1 µs."""
    random = np.random.default_rng(seed)
    found = {}
    for target in ("a", "b"):
        for connections in CONNECTIONS:
            cell = Cell(target, 64 << 20, connections, "sysbench/oltp_read_write", "socket")
            steady = 10.0 * (longer if target == "b" else 1.0)
            found[cell] = tuple(_run(cell, repeat, steady, tiny, random) for repeat in (1, 2))
    return found


def _run(cell: Cell, repeat: int, steady: float, tiny: int, random: np.random.Generator) -> Breakdown:
    sizes = [("steady", steady, 0.01), ("rare", 2.0, 0.6), *((f"tiny{index}", 1e-3, 0.1) for index in range(tiny))]
    parts = [
        Part(f"thread.{name}", name, ms * float(np.exp(random.normal(0, spread))), "") for name, ms, spread in sizes
    ]
    total = sum(part.ms for part in parts)
    return Breakdown(Run(cell, repeat, 0, repeat, ""), "threads", total, (*parts, rest_of(total, parts)), 1000)


def gap_of(runs: dict[Cell, tuple[Breakdown, ...]]) -> Gap:
    sides = [next(cell for cell in runs if (cell.target, cell.concurrency) == (target, 8)) for target in ("a", "b")]
    return compare_breakdowns(runs, [(sides[0], sides[1])])[0]


def half_ms(gap: Gap, name: str) -> float:
    difference = next(part.difference for part in gap.parts if part.part_id == f"thread.{name}")
    return (difference.high - difference.low) / 2


@pytest.mark.parametrize("seed", range(5))
def test_a_wait_that_comes_and_goes_blurs_no_steady_part(seed: int) -> None:
    gap = gap_of(runs_of(seed))
    assert half_ms(gap, "steady") < 0.5, "a hundredth of 10 ms, and t of ten degrees of freedom"
    assert half_ms(gap, "rare") > half_ms(gap, "steady")


def test_parts_too_small_to_count_cost_the_others_nothing() -> None:
    few, many = gap_of(runs_of(3, tiny=0, longer=1.2)), gap_of(runs_of(3, tiny=20, longer=1.2))
    assert half_ms(many, "steady") < 1.5 * half_ms(few, "steady")
    assert {part.difference.verdict for part in many.parts if "tiny" in part.part_id} == {"small"}
    assert [part.part_id for part in many.with_verdict("decided")] == ["thread.steady"]


def test_a_round_that_one_side_lost_counts_on_neither_side() -> None:
    """The first round was slow for both; of the right side it was lost."""
    random = np.random.default_rng(1)
    runs: dict[Cell, tuple[Breakdown, ...]] = {}
    for target, rounds in (("a", (1, 2, 3, 4, 5)), ("b", (2, 3, 4, 5))):
        cell = Cell(target, 64 << 20, 8, "sysbench/oltp_read_write", "socket")
        runs[cell] = tuple(_run(cell, repeat, 13.0 if repeat == 1 else 10.0, 0, random) for repeat in rounds)
    left, right = runs
    (gap,) = compare_breakdowns(runs, [(left, right)])
    assert gap.is_paired and gap.repeats == 4
    steady = next(part.difference for part in gap.parts if part.part_id == "thread.steady")
    assert steady.left_ms == pytest.approx(10.0, rel=0.03) and steady.verdict != "decided"
    assert sum(part.difference.ms for part in gap.parts) == pytest.approx(gap.total.ms)
    mean_ms = sum(run.total_ms for run in runs[left][1:]) / 4
    assert gap.total.left_ms == pytest.approx(mean_ms)


def test_pairs_that_happen_to_agree_are_no_surer_than_the_seconds_inside_their_runs() -> None:
    random = np.random.default_rng(1)
    runs: dict[Cell, tuple[Breakdown, ...]] = {}
    for target in ("a", "b"):
        cell = Cell(target, 64 << 20, 8, "sysbench/oltp_read_write", "socket")
        runs[cell] = tuple(replace(_run(cell, repeat, 10.0, 0, random), noise_share=0.2) for repeat in (1, 2, 3, 4))
    gap = gap_of(runs)
    assert gap.is_paired
    assert half_ms(gap, "steady") >= 1.95 * math.hypot(9.5, 9.5) * 0.2 / 1.96 / 2, "four runs of 10 ms, each side"


SLOWER = {"": 1.0, "x": 1.0, "y": 1.5, "z": 2.0}
"""Bench -> how many times as long it takes for everything."""


def runs_on_benches(left: str, right: str) -> dict[Cell, tuple[Breakdown, ...]]:
    """Two equal targets; the letters are the benches that made their rounds, a dash where there is none."""
    random = np.random.default_rng(2)
    runs: dict[Cell, tuple[Breakdown, ...]] = {}
    for target, benches in (("a", left), ("b", right)):
        cell = Cell(target, 64 << 20, 8, "sysbench/oltp_read_write", "socket")
        made_runs = [
            replace(_run(cell, repeat, 10.0 * SLOWER[bench], 0, random), bench=bench)
            for repeat, bench in enumerate(benches, 1)
            if bench != "-"
        ]
        runs[cell] = tuple(made_runs)
    return runs


def test_rounds_are_paired_by_the_bench_that_made_them() -> None:
    """A bench was lost within the fifth round, which another one, twice as slow, went on with."""
    gap = gap_of(runs_on_benches("xxyyx", "xxyyz"))
    assert gap.is_paired and gap.repeats == 4
    steady = next(part.difference for part in gap.parts if part.part_id == "thread.steady")
    assert abs(steady.ms) < 0.5 and steady.verdict != "decided"


def test_two_rounds_on_two_benches_are_paired() -> None:
    gap = gap_of(runs_on_benches("xy", "xy"))
    assert gap.is_paired and gap.repeats == 2
    assert not gap_of(runs_on_benches("xx", "xx")).is_paired, "on one bench that takes more rounds"


def test_runs_of_other_benches_have_no_part_in_a_difference() -> None:
    runs = runs_on_benches("xy", "xz")
    gap = gap_of(runs)
    first_runs = [members[0].total_ms for members in runs.values()]
    assert not gap.is_paired and gap.repeats == 1
    assert [gap.total.left_ms, gap.total.right_ms] == pytest.approx(first_runs)


def test_cells_that_no_bench_made_both_of_are_not_compared() -> None:
    runs = runs_on_benches("x-", "-z")
    left, right = runs
    assert compare_breakdowns(runs, [(left, right)]) == []
