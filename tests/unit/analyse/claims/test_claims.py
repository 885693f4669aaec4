"""Each kind of claim on planted cells: one that holds, one that does not, one that can't be told."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from claim_cases import AT, ENGINES, GIB, RO, RW, claim, curve, none_closing, repeated, result, run
from dbdyno.analyse import closing_cells, judge_cells
from dbdyno.analyse.claims import CellSelector, ClaimResult, Published, judge_claims
from dbdyno.core import OrderRates, RunRecord
from numbers_in import numbers_in


def test_a_level_holds_inside_its_interval_and_not_outside() -> None:
    found = result(claim("level", 1010.0), [run()])
    assert found.outcome == "holds"
    assert found.own == pytest.approx(1000.0)
    assert found.low is not None
    assert 940 < found.low < 960
    refuted = result(claim("level", 1100.0), [run()])
    assert refuted.outcome == "does not hold"
    assert "10 % above" in refuted.reason


def test_rounding_of_the_print_widens_the_interval() -> None:
    assert result(claim("level", 1060.0, rounding=0.5), [run()]).outcome == "does not hold"
    assert result(claim("level", 1060.0, rounding=50.0), [run()]).outcome == "holds"


def test_an_interval_that_is_too_wide_upholds_nothing_and_still_refutes() -> None:
    wide = [run(noise=0.4)]
    assert result(claim("level"), wide).outcome == "can't be told"
    assert result(claim("level", 5000.0), wide).outcome == "does not hold"


@pytest.mark.parametrize(
    ("spot", "missing"),
    [
        (CellSelector(RO, "loopback", 2 * GIB, "mysql 8.4.8", 16), f": {RO}"),
        (CellSelector(RW, "network", 2 * GIB, "mysql 8.4.8", 16), " network"),
        (CellSelector(RW, "loopback", GIB, "mysql 8.4.8", 16), " 1 GiB"),
        (CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.9", 16), ": mysql 8.4.9"),
        (CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.8", 17), "mysql 8.4.8 at 17 connections"),
    ],
)
def test_what_is_not_in_the_results_is_the_reason(spot: CellSelector, missing: str) -> None:
    found = result(claim("level", at=spot), [run()])
    assert (found.outcome, found.own) == ("can't be told", None)
    assert found.reason.endswith(missing)


def test_a_suspect_run_and_two_targets_of_one_engine_tell_nothing() -> None:
    suspect = result(claim("level"), [run(status="suspect")])
    assert suspect.outcome == "can't be told"
    assert "mysql 8.4.8 at 16 connections" in suspect.reason
    two = [run(target="tuned"), run(target="plain")]
    several = result(claim("level"), two)
    assert several.outcome == "can't be told"
    assert "mysql 8.4.8" in several.reason and numbers_in(several.reason)[:3] == [2, 1000, 1000]
    # One is called as the report calls the engine; the other says that it is something besides.
    named = [run(target="mysql 8.4.8, tuned"), run(target="mysql 8.4.8")]
    assert result(claim("level"), named).outcome == "holds"


def test_a_claim_about_the_end_is_read_off_the_end() -> None:
    cell = run(tps=1500.0)
    seconds = np.r_[np.full(1000, 2000.0), np.full(1000, 1000.0)] + np.tile([-10.0, 10.0], 1000)

    def last(value: float, last_s: int) -> ClaimResult:
        asked = claim("level", value, last_s=last_s)
        report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16, 64), (asked,))
        ending = lambda last_s: closing_cells([cell], lambda _: seconds, last_s)  # noqa: E731
        return judge_claims(report, judge_cells([cell]), ending)[0].result

    assert (last(1000.0, 1000).outcome, last(1500.0, 0).outcome) == ("holds", "holds")
    assert (last(1500.0, 1000).outcome, last(1000.0, 0).outcome) == ("does not hold", "does not hold")
    assert numbers_in(last(1000.0, 3000).reason) == [3000, 16]


def test_a_figure_of_no_named_memory_is_not_refuted_where_some_memory_is_missing() -> None:
    asked = claim("level", 2500.0, replace(AT, tier_bytes=None))

    def at_tiers(*tiers: int) -> ClaimResult:
        report = Published("x", "x", ENGINES, (RW,), ("loopback",), tiers, (16,), (asked,))
        return judge_claims(report, judge_cells([run()]), none_closing)[0].result

    assert at_tiers(2 * GIB).outcome == "does not hold"
    found = at_tiers(2 * GIB, 12 * GIB)
    assert found.outcome == "can't be told"
    assert "2.5 times" in found.reason
    assert "12 GiB" in found.reason


def test_cells_with_other_rows_than_the_reports_tell_nothing() -> None:
    report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), (claim("level"),))
    result = judge_claims(report, judge_cells([run()]), none_closing, {RW: "tables = 4, there 20"})[0].result
    assert result.outcome == "can't be told"
    assert result.reason.endswith("tables = 4, there 20")
    everywhere = replace(report, claims=(claim("level", at=replace(AT, workload=None)),))
    assert judge_claims(everywhere, judge_cells([run()]), none_closing, {RW: "x"})[0].result.outcome == "can't be told"


def test_another_storage_engine_is_another_engine() -> None:
    assert result(claim("level"), [run("mysql 8.4.8 rocksdb")]).reason.endswith(": mysql 8.4.8")


def test_a_storage_engine_that_no_log_tells_is_asked_for_only_where_it_is_named() -> None:
    untold = [run("mysql 8.4.8 unknown")]
    assert result(claim("level"), untold).outcome == "holds"
    named = claim("level", at=replace(AT, engine="mysql 8.4.8 innodb"))
    assert result(named, untold).reason.endswith(": mysql 8.4.8 innodb")


def test_a_peak_may_be_any_concurrency_that_is_not_clearly_below_the_best() -> None:
    open_peak = result(claim("peak"), curve("mysql 8.4.8", {4: 500, 16: 1000, 64: 1005}))
    assert open_peak.outcome == "holds"
    assert "16 and 64 connections" in open_peak.reason
    moved = result(claim("peak"), curve("mysql 8.4.8", {4: 500, 16: 1000, 64: 1500}))
    assert moved.outcome == "does not hold"
    assert numbers_in(moved.reason) == [64]
    assert result(claim("peak"), [run()]).outcome == "can't be told"


def test_a_collapse_lies_behind_the_peak() -> None:
    assert result(claim("collapse"), curve("mysql 8.4.8", {4: 2000, 16: 1000})).outcome == "holds"
    assert result(claim("collapse"), curve("mysql 8.4.8", {4: 900, 16: 1000})).outcome == "does not hold"


def test_a_peak_or_plateau_may_lie_beyond_what_was_measured() -> None:
    rising = curve("mysql 8.4.8", {4: 500, 16: 1000})
    best = replace(AT, concurrency=None)
    for asked in (claim("peak"), claim("plateau", at=best)):
        assert (found := result(asked, rising)).outcome == "can't be told"
        assert "64 connections" in found.reason
    high = replace(AT, concurrency=64)
    lower_missing = curve("mysql 8.4.8", {64: 1000, 128: 900})
    assert result(claim("collapse", at=high), lower_missing).outcome == "can't be told"


def test_a_plateau_does_not_fall_off() -> None:
    at = CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.8")
    assert result(claim("plateau", at=at), curve("mysql 8.4.8", {4: 400, 16: 1000, 64: 990})).outcome == "holds"
    fallen = result(claim("plateau", at=at), curve("mysql 8.4.8", {4: 400, 16: 1000, 64: 800}))
    assert re.findall(r"\b\d+\b(?!\.)", fallen.reason.partition("peaks")[2]) == ["16", "64"]


def test_the_first_is_clearly_before_all_others_at_their_best() -> None:
    others = [*curve("mariadb 10.11.16", {16: 700, 64: 800}), *curve("percona 8.0.45", {16: 600})]
    assert result(claim("first"), [run(), *others]).outcome == "holds"
    tied = result(claim("first"), [run(), *others, run("mariadb 10.11.16", 995.0, 128)])
    assert tied.outcome == "can't be told"
    assert "mariadb 10.11.16" in tied.reason
    beaten = result(claim("first"), [run(), *others, run("mariadb 10.11.16", 1500.0, 128)])
    assert "mariadb 10.11.16" in beaten.reason


def test_the_first_of_some_engines_is_not_known_to_be_the_first_of_all() -> None:
    found = result(claim("first"), [run(), run("mariadb 10.11.16", 700.0)])
    assert found.outcome == "can't be told"
    assert found.reason.endswith(": percona 8.0.45-36")


def test_a_lead_holds_when_its_interval_holds_the_print_and_excludes_none() -> None:
    asked = claim("lead", 1.25, unit="ratio", rounding=0.005, at=CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.8"))
    others = [run("mariadb 10.11.16", 800.0), run("percona 8.0.45", 500.0)]
    assert result(asked, [run(), *others]).outcome == "holds"
    assert result(asked, [run(tps=1500.0), *others]).outcome == "does not hold"
    behind = result(asked, [run(tps=600.0), *others])
    assert behind.outcome == "does not hold"
    assert "mariadb 10.11.16" in behind.reason
    chance = result(claim("lead", 1.0, unit="ratio", at=asked.at), [run(tps=810.0), *others])
    assert chance.outcome == "can't be told"


def test_a_ratio_of_new_orders_is_held_by_its_interval() -> None:
    left = run("mariadb 11.8.6 tidesdb", 200.0, orders=OrderRates(nopm=4120.0, tpm=9000.0))
    right = run("mariadb 11.8.6 innodb", 50.0, orders=OrderRates(nopm=1000.0, tpm=2300.0))
    at = CellSelector(RW, "loopback", 2 * GIB, "mariadb 11.8.6 tidesdb", 16)
    asked = claim("ratio", 4.12, at, unit="ratio", metric="nopm", against=CellSelector(engine="mariadb 11.8.6 innodb"))
    found = result(asked, [left, right])
    assert found.outcome == "holds"
    assert found.own == pytest.approx(4.12)
    assert result(asked, [left, run("mariadb 11.8.6 innodb", 50.0)]).outcome == "can't be told"


def test_new_orders_that_only_the_server_counted_are_as_good() -> None:
    orders = [OrderRates(None, None, server_nopm, 2.3 * server_nopm) for server_nopm in (4120.0, 1000.0)]
    records = [
        run("mariadb 11.8.6 tidesdb", 200.0, orders=orders[0]),
        run("mariadb 11.8.6 innodb", 50.0, orders=orders[1]),
    ]
    at = replace(AT, engine="mariadb 11.8.6 tidesdb")
    asked = claim("ratio", 4.12, at, unit="ratio", metric="nopm", against=CellSelector(engine="mariadb 11.8.6 innodb"))
    assert result(asked, records).outcome == "holds"


def test_what_memory_brings_is_compared_at_each_ones_best_and_with_all_engines() -> None:
    def records(most: float) -> list[RunRecord]:
        return [
            *curve("mysql 8.4.8", {4: 100, 16: 200}),
            *curve("mysql 8.4.8", {16: 1500, 64: 2000}, tier=32 * GIB),
            *curve("mariadb 10.11.16", {16: 200}),
            *curve("mariadb 10.11.16", {16: most}, tier=32 * GIB),
        ]

    at = CellSelector(RW, "loopback", 32 * GIB, "mysql 8.4.8")
    asked = claim(
        "memory", 10.0, at, unit="ratio", rounding=0.05, extreme="largest", against=CellSelector(tier_bytes=2 * GIB)
    )
    pair = ENGINES[:2]
    assert result(asked, records(1000.0), pair).outcome == "holds"
    assert "mariadb 10.11.16" in result(asked, records(4000.0), pair).reason
    assert result(asked, records(1990.0), pair).outcome == "can't be told"
    failed = run(tps=None, concurrency=64, status="failed")
    assert result(asked, [*records(1000.0), failed], pair).outcome == "can't be told"


@pytest.mark.parametrize(
    ("levels", "outcome"),
    [
        ([970.0 - n for n in range(24)], "holds"),
        ([600.0] * 4 + [950.0] * 20, "does not hold"),
        ([600.0] * 2 + [950.0] * 22, "can't be told"),
        ([950.0] * 5, "can't be told"),
    ],
)
def test_a_range_is_that_of_most_cells(levels: list[float], outcome: str) -> None:
    records = [run(tps=1000.0, concurrency=n + 1) for n in range(len(levels))]
    records += [run(tps=tps, concurrency=n + 1, route="network") for n, tps in enumerate(levels)]
    asked = claim(
        "range",
        (0.02, 0.10),
        CellSelector(route="network"),
        unit="below",
        rounding=0.005,
        against=CellSelector(route="loopback"),
    )
    assert result(asked, records).outcome == outcome


@pytest.mark.parametrize(
    ("second", "outcome"), [((1001.0, 999.0), "holds"), ((1001.0, 700.0), "does not hold"), ((1001.0, 970.1), "open")]
)
def test_the_same_everywhere_falls_with_one_cell(second: tuple[float, float], outcome: str) -> None:
    records = [
        repeat
        for n, tps in zip((16, 64), second, strict=True)
        for repeat in (*repeated("mysql 8.4.8", 1000.0, n), *repeated("mariadb 10.11.16", tps, n))
    ]
    asked = claim(
        "same", 0.03, CellSelector(engine="mysql 8.4.8"), unit="below", against=CellSelector(engine="mariadb 10.11.16")
    )
    assert result(asked, records).outcome == {"open": "can't be told"}.get(outcome, outcome)
    if outcome == "holds":
        part = [record for record in records if record.run.cell.concurrency == 16]
        assert numbers_in(result(asked, part).reason) == [1, 2]
    if outcome == "does not hold":
        assert numbers_in(result(asked, records).reason) == [1, 2]
        alone = [record for record in records if record.run.cell.concurrency == 64]
        assert numbers_in(result(asked, alone).reason) == [1, 1]


def test_a_shape_is_never_guessed() -> None:
    asked = claim("shape", (), reason="no rule says it")
    assert result(asked, [run()]).reason == asked.reason
    assert result(asked, [run(workload=RO)]).reason.endswith(f": {RW}")
