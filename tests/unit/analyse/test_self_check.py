"""An engine against itself: false alarms, a known slowness, and what the machine can tell apart."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import SelfCheck, judge_self_check
from dbdyno.core import Cell, Run, RunRecord, TotalFigures
from dbdyno.plan import FIRST, SECOND, SelfCheckChoices, make_plan, self_check_study


def records(comparisons: int, *, spread: float, slower: float = 0.0, pairs: int = 4, seed: int = 1) -> list[RunRecord]:
    chance, found = np.random.default_rng(seed), list[RunRecord]()
    for index in range(comparisons):
        for target, level in ((FIRST, 1000.0), (SECOND, 1000.0 * (1 - slower))):
            for repeat in range(1, pairs + 1):
                tps = level * math.exp(chance.normal(0, spread))
                run = Run(Cell(target, 32 << 20, 4, f"reads {index + 1}", "socket"), repeat, len(found), 1, "")
                found.append(
                    RunRecord(
                        run,
                        "mariadb",
                        "11.8.6",
                        "innodb",
                        "good",
                        figures=TotalFigures(tps_mean=tps, tps_half_width=1.0),
                    )
                )
    return found


def check(comparisons: int, **more: float) -> SelfCheck:
    return judge_self_check(records(comparisons, **more), FIRST, SECOND)  # type: ignore[arg-type]


def test_the_same_engine_is_seldom_called_different() -> None:
    called = [check(20, spread=0.012, seed=seed).different for seed in range(20)]
    assert sum(called) <= 0.02 * 400


def test_a_tenth_is_found_in_every_comparison_where_repeats_spread_by_little_more_than_a_hundredth() -> None:
    for seed in range(20):
        found = check(20, spread=0.012, slower=0.1, seed=seed)
        assert found.different == 20
        assert all(one.pair.ratio < 1 for one in found.comparisons)


def test_the_spread_of_the_machine_is_what_its_repeats_had() -> None:
    found = check(20, spread=0.05)
    assert found.spread == pytest.approx(0.05, rel=0.3)
    assert found.repeats == 4
    four, eight = found.smallest_difference(4), found.smallest_difference(8)
    assert four is not None and eight is not None and 0.03 < eight < four < 0.25


def of_logs(*logs: float) -> SelfCheck:
    """Four rounds of one comparison: the first at 1,000 TPS, the second apart from it by so much on the ln scale."""
    pairs = records(1, spread=0.0)
    tps = [*[1000.0] * len(logs), *[1000 * math.exp(log) for log in logs]]
    runs = [replace(one, figures=TotalFigures(tps_mean=each)) for one, each in zip(pairs, tps, strict=True)]
    return judge_self_check(runs, FIRST, SECOND)


@pytest.mark.parametrize(
    ("middle", "apart", "quiet"),
    [
        # Four differences of middle +- apart have the standard error apart / sqrt(3).
        (0.014, 0.02, "quiet"),  # t = 1.2, p = 0.31
        (0.0145, 0.02, "quiet"),  # ln 1.015 is 0.01489
        (0.0153, 0.02, "restless"),
        (-0.0153, 0.02, "restless"),
        (0.0293, 0.03, "restless"),  # ln 1.03 is 0.02956; t = 1.7, p = 0.19
        (0.0298, 0.03, "not quiet"),
        (-0.0298, 0.03, "not quiet"),
        (0.01, 0.00381, "quiet"),  # t = 4.55, p = 0.020
        (0.01, 0.0025, "not quiet"),  # t = 6.93, p = 0.006
    ],
)
def test_quiet_is_a_matter_of_size_and_of_chance(middle: float, apart: float, quiet: str) -> None:
    found = of_logs(middle + apart, middle - apart, middle + apart, middle - apart)
    (comparison,) = found.comparisons
    assert (comparison.quiet, found.quiet) == (quiet, quiet)
    assert comparison.pair.ratio == pytest.approx(math.exp(middle))
    assert comparison.difference == pytest.approx(abs(middle))
    assert comparison.tps == (pytest.approx(1000 * math.exp(middle)), pytest.approx(1000))


def test_the_floor_rests_on_the_median_spread_of_the_repeats() -> None:
    """Of two cells: 0.01 % is the least that is believed of equal repeats, 0.0231 is the other's own."""
    found = of_logs(0.02, -0.02, 0.02, -0.02)
    assert found.spread == pytest.approx((1e-4 + 0.04 / math.sqrt(3)) / 2)
    assert found.prior_df == 0.0
    # t(0.975; 6) + t(0.8; 6) = 2.44691 + 0.90570, times sqrt(2 / 4) of the spread.
    assert found.smallest_difference(4) == pytest.approx(math.expm1(3.35261 * math.sqrt(0.5) * 0.01159701), rel=1e-4)
    assert found.smallest_difference(2) is not None and found.smallest_difference(1) is None


def test_the_worst_comparison_speaks_for_all() -> None:
    assert check(20, spread=0.3).quiet == "not quiet"
    assert check(3, spread=0.001).quiet == "quiet"
    assert judge_self_check([], FIRST, SECOND) == SelfCheck((), 0, None, 0.0, 0)
    assert judge_self_check([], FIRST, SECOND).quiet == "not quiet"


def test_what_failed_is_missing_and_not_quiet() -> None:
    kept = [record for record in records(2, spread=0.01) if record.run.cell.workload == "reads 1"]
    failed = [
        RunRecord(record.run, "mariadb", "11.8.6", "innodb", "failed", "the server died")
        for record in records(2, spread=0.01)
        if record.run.cell.workload == "reads 2"
    ]
    found = judge_self_check([*kept, *failed], FIRST, SECOND)
    assert (len(found.comparisons), found.missing) == (1, 1)


def test_the_study_holds_every_comparison_in_every_round() -> None:
    study = self_check_study(SelfCheckChoices("mariadb:11.8", comparisons=5, repeats=2, throttled_share=0.1))
    assert len(make_plan(study).runs) == 5 * 2 * 2
    assert [target.throttled_share for target in study.targets] == [0.0, 0.1]
    assert study.equivalence_events == 0
    assert {choice.name for choice in study.workloads} == {"sysbench/oltp_read_only"}
    assert len({choice.label for choice in study.workloads}) == 5
