"""Each kind of claim on planted cells: one that holds, one that does not, one that can't be told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse import CellJudgement, closing_cells, judge_cells
from dbdyno.claims import (
    REPORTS,
    Claim,
    Published,
    Spot,
    Told,
    claims_object,
    judge_claims,
    own_words,
    printed_words,
    published,
    tally,
)
from dbdyno.core import Cell, OrderRates, RequestError, Route, Run, RunRecord, RunStatus

GIB = 1 << 30
RW, RO = "sysbench/oltp_read_write", "sysbench/oltp_read_only"
ENGINES = ("mysql 8.4.8", "mariadb 10.11.16", "percona 8.0.45-36")
AT = Spot(RW, "loopback", 2 * GIB, "mysql 8.4.8", 16)


def run(
    engine: str = "mysql 8.4.8",
    tps: float | None = 1000.0,
    concurrency: int = 16,
    *,
    workload: str = RW,
    route: Route = "loopback",
    tier: int = 2 * GIB,
    noise: float = 0.005,
    status: RunStatus = "good",
    target: str = "",
    orders: OrderRates | None = None,
) -> RunRecord:
    family, version = engine.split()[:2]
    storage = ([*engine.split(), "innodb"])[2]
    cell = Cell(target or engine, tier, concurrency, workload, route)
    half = None if tps is None else noise * tps
    return RunRecord(
        Run(cell, 1, 0, 1, ""),
        family,
        version,
        storage,
        status,
        tps_mean=tps,
        tps_half_width=half,
        orders=orders,
    )


def claim(kind: str, value: float | tuple[float, ...] = 1000.0, at: Spot = AT, **changes: object) -> Claim:
    values = value if isinstance(value, tuple) else (value,)
    row: dict[str, object] = {
        "claim_id": "X-01",
        "kind": kind,
        "words": "x",
        "values": values,
        "unit": "tps",
        "rounding": 0.5,
        "approximate": False,
        "metric": "tps",
        "at": at,
        "against": Spot(),
        "engines": (at.engine,) if at.engine else (),
        "extreme": "",
        "reason": "",
        **changes,
    }
    return Claim(**row)  # type: ignore[arg-type]


def told(asked: Claim, records: list[RunRecord], engines: tuple[str, ...] = ENGINES) -> Told:
    report = Published("x", "x", engines, (RW,), ("loopback",), (2 * GIB,), (16, 64), (asked,))
    return judge_claims(report, judge_cells(records), none_closing)[0].told


def none_closing(_last_s: int) -> list[CellJudgement]:
    return []


def curve(engine: str, levels: Mapping[int, float], tier: int = 2 * GIB) -> list[RunRecord]:
    return [run(engine, tps, n, tier=tier) for n, tps in levels.items()]


def test_a_level_holds_inside_its_interval_and_not_outside() -> None:
    found = told(claim("level", 1010.0), [run()])
    assert found.outcome == "holds"
    assert found.own == pytest.approx(1000.0)
    assert found.low is not None
    assert 960 < found.low < 980
    refuted = told(claim("level", 1100.0), [run()])
    assert refuted.outcome == "does not hold"
    assert "10 % above" in refuted.reason


def test_rounding_of_the_print_widens_the_interval() -> None:
    assert told(claim("level", 1030.0, rounding=0.5), [run()]).outcome == "does not hold"
    assert told(claim("level", 1030.0, rounding=50.0), [run()]).outcome == "holds"


def test_an_interval_that_is_too_wide_upholds_nothing_and_still_refutes() -> None:
    wide = [run(noise=0.4)]
    assert told(claim("level"), wide).reason == "the interval is too wide to uphold a figure"
    assert told(claim("level", 5000.0), wide).outcome == "does not hold"


@pytest.mark.parametrize(
    ("spot", "reason"),
    [
        (Spot(RO, "loopback", 2 * GIB, "mysql 8.4.8", 16), f"not in the results: {RO}"),
        (Spot(RW, "network", 2 * GIB, "mysql 8.4.8", 16), "not in the results: route network"),
        (Spot(RW, "loopback", GIB, "mysql 8.4.8", 16), "not in the results: memory of 1 GiB"),
        (Spot(RW, "loopback", 2 * GIB, "mysql 8.4.9", 16), "not in the results: mysql 8.4.9"),
        (Spot(RW, "loopback", 2 * GIB, "mysql 8.4.8", 17), "no good run of mysql 8.4.8 at 17 connections"),
    ],
)
def test_what_is_not_in_the_results_is_the_reason(spot: Spot, reason: str) -> None:
    found = told(claim("level", at=spot), [run()])
    assert (found.outcome, found.reason, found.own) == ("can't be told", reason, None)


def test_a_suspect_run_and_two_targets_of_one_engine_tell_nothing() -> None:
    assert told(claim("level"), [run(status="suspect")]).reason == "no good run of mysql 8.4.8"
    two = [run(target="tuned"), run(target="plain")]
    assert told(claim("level"), two).reason == (
        "2 targets answer to mysql 8.4.8 with 1,000 to 1,000 TPS; none is named"
    )


def test_a_claim_about_the_end_is_read_off_the_end() -> None:
    cell = run(tps=1500.0)
    seconds = np.r_[np.full(1000, 2000.0), np.full(1000, 1000.0)] + np.tile([-10.0, 10.0], 1000)

    def last(value: float, last_s: int) -> Told:
        asked = claim("level", value, last_s=last_s)
        report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16, 64), (asked,))
        ending = lambda last_s: closing_cells([cell], lambda _: seconds, last_s)  # noqa: E731
        return judge_claims(report, judge_cells([cell]), ending)[0].told

    assert (last(1000.0, 1000).outcome, last(1500.0, 0).outcome) == ("holds", "holds")
    assert (last(1500.0, 1000).outcome, last(1000.0, 0).outcome) == ("does not hold", "does not hold")
    assert last(1000.0, 3000).reason == "no good run of mysql 8.4.8 that was judged for 3,000 s"


def test_a_figure_of_no_named_memory_is_not_refuted_where_some_memory_is_missing() -> None:
    asked = claim("level", 2500.0, replace(AT, tier_bytes=None))

    def at_tiers(*tiers: int) -> Told:
        report = Published("x", "x", ENGINES, (RW,), ("loopback",), tiers, (16,), (asked,))
        return judge_claims(report, judge_cells([run()]), none_closing)[0].told

    assert at_tiers(2 * GIB).outcome == "does not hold"
    assert at_tiers(2 * GIB, 12 * GIB).reason == (
        "the print is 2.5 times the own figure, outside its interval; but no memory is named, and 12 GiB is not in "
        "the results"
    )


def test_cells_with_other_rows_than_the_reports_tell_nothing() -> None:
    report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), (claim("level"),))
    told = judge_claims(report, judge_cells([run()]), none_closing, {RW: "tables = 4, there 20"})[0].told
    assert (told.outcome, told.reason) == ("can't be told", "other rows than in the report: tables = 4, there 20")
    everywhere = replace(report, claims=(claim("level", at=replace(AT, workload=None)),))
    assert judge_claims(everywhere, judge_cells([run()]), none_closing, {RW: "x"})[0].told.outcome == "can't be told"


def test_another_storage_engine_is_another_engine() -> None:
    assert told(claim("level"), [run("mysql 8.4.8 rocksdb")]).reason == "not in the results: mysql 8.4.8"


def test_a_storage_engine_that_no_log_tells_is_asked_for_only_where_it_is_named() -> None:
    untold = [run("mysql 8.4.8 unknown")]
    assert told(claim("level"), untold).outcome == "holds"
    named = claim("level", at=replace(AT, engine="mysql 8.4.8 innodb"))
    assert told(named, untold).reason == "not in the results: mysql 8.4.8 innodb"


def test_a_peak_may_be_any_concurrency_that_is_not_clearly_below_the_best() -> None:
    open_peak = told(claim("peak"), curve("mysql 8.4.8", {4: 500, 16: 1000, 64: 1005}))
    assert open_peak.outcome == "holds"
    assert open_peak.reason == "peak at 16 and 64 connections, which can't be told apart"
    moved = told(claim("peak"), curve("mysql 8.4.8", {4: 500, 16: 1000, 64: 1500}))
    assert moved.outcome == "does not hold"
    assert moved.reason == "the peak is at 64 connections"
    assert told(claim("peak"), [run()]).reason == "one concurrency alone has no peak"


def test_a_collapse_lies_behind_the_peak() -> None:
    assert told(claim("collapse"), curve("mysql 8.4.8", {4: 2000, 16: 1000})).outcome == "holds"
    assert told(claim("collapse"), curve("mysql 8.4.8", {4: 900, 16: 1000})).outcome == "does not hold"


def test_a_plateau_does_not_fall_off() -> None:
    at = Spot(RW, "loopback", 2 * GIB, "mysql 8.4.8")
    assert told(claim("plateau", at=at), curve("mysql 8.4.8", {4: 400, 16: 1000, 64: 990})).outcome == "holds"
    fallen = told(claim("plateau", at=at), curve("mysql 8.4.8", {4: 400, 16: 1000, 64: 800}))
    assert fallen.reason == "mysql 8.4.8 peaks at 16 connections and does clearly less at 64"


def test_the_first_is_clearly_before_all_others_at_their_best() -> None:
    others = [*curve("mariadb 10.11.16", {16: 700, 64: 800}), *curve("percona 8.0.45", {16: 600})]
    assert told(claim("first"), [run(), *others]).outcome == "holds"
    tied = told(claim("first"), [run(), *others, run("mariadb 10.11.16", 995.0, 128)])
    assert tied.outcome == "can't be told"
    assert "mariadb 10.11.16" in tied.reason
    beaten = told(claim("first"), [run(), *others, run("mariadb 10.11.16", 1500.0, 128)])
    assert beaten.reason == "not first: mariadb 10.11.16 stands before it"


def test_the_first_of_some_engines_is_not_known_to_be_the_first_of_all() -> None:
    found = told(claim("first"), [run(), run("mariadb 10.11.16", 700.0)])
    assert (found.outcome, found.reason) == ("can't be told", "not in the results: percona 8.0.45-36")


def test_a_lead_holds_when_its_interval_holds_the_print_and_excludes_none() -> None:
    asked = claim("lead", 1.25, unit="ratio", rounding=0.005, at=Spot(RW, "loopback", 2 * GIB, "mysql 8.4.8"))
    others = [run("mariadb 10.11.16", 800.0), run("percona 8.0.45", 500.0)]
    assert told(asked, [run(), *others]).outcome == "holds"
    assert told(asked, [run(tps=1500.0), *others]).outcome == "does not hold"
    behind = told(asked, [run(tps=600.0), *others])
    assert behind.outcome == "does not hold"
    assert "mariadb 10.11.16" in behind.reason
    chance = told(claim("lead", 1.0, unit="ratio", at=asked.at), [run(tps=810.0), *others])
    assert "not beyond chance" in chance.reason


def test_a_ratio_of_new_orders_is_held_by_its_interval() -> None:
    left = run("mariadb 11.8.6 tidesdb", 200.0, orders=OrderRates(nopm=4120.0, tpm=9000.0))
    right = run("mariadb 11.8.6 innodb", 50.0, orders=OrderRates(nopm=1000.0, tpm=2300.0))
    at = Spot(RW, "loopback", 2 * GIB, "mariadb 11.8.6 tidesdb", 16)
    asked = claim("ratio", 4.12, at, unit="ratio", metric="nopm", against=Spot(engine="mariadb 11.8.6 innodb"))
    found = told(asked, [left, right])
    assert found.outcome == "holds"
    assert found.own == pytest.approx(4.12)
    assert told(asked, [left, run("mariadb 11.8.6 innodb", 50.0)]).reason == "its runs hold no new orders a minute"


def test_new_orders_that_only_the_server_counted_are_as_good() -> None:
    orders = [OrderRates(None, None, server_nopm, 2.3 * server_nopm) for server_nopm in (4120.0, 1000.0)]
    records = [
        run("mariadb 11.8.6 tidesdb", 200.0, orders=orders[0]),
        run("mariadb 11.8.6 innodb", 50.0, orders=orders[1]),
    ]
    at = replace(AT, engine="mariadb 11.8.6 tidesdb")
    asked = claim("ratio", 4.12, at, unit="ratio", metric="nopm", against=Spot(engine="mariadb 11.8.6 innodb"))
    assert told(asked, records).outcome == "holds"


def test_what_memory_brings_is_compared_at_each_ones_best_and_with_all_engines() -> None:
    def records(most: float) -> list[RunRecord]:
        return [
            *curve("mysql 8.4.8", {4: 100, 16: 200}),
            *curve("mysql 8.4.8", {16: 1500, 64: 2000}, tier=32 * GIB),
            *curve("mariadb 10.11.16", {16: 200}),
            *curve("mariadb 10.11.16", {16: most}, tier=32 * GIB),
        ]

    at = Spot(RW, "loopback", 32 * GIB, "mysql 8.4.8")
    asked = claim("memory", 10.0, at, unit="ratio", rounding=0.05, extreme="largest", against=Spot(tier_bytes=2 * GIB))
    pair = ENGINES[:2]
    assert told(asked, records(1000.0), pair).outcome == "holds"
    assert told(asked, records(4000.0), pair).reason == "not largest: mariadb 10.11.16 stands before it"
    assert told(asked, records(1990.0), pair).outcome == "can't be told"
    failed = run(tps=None, concurrency=64, status="failed")
    assert "might have been its best" in told(asked, [*records(1000.0), failed], pair).reason


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
        Spot(route="network"),
        unit="below",
        rounding=0.005,
        against=Spot(route="loopback"),
    )
    assert told(asked, records).outcome == outcome


def test_a_figure_of_no_place_lies_among_the_cells() -> None:
    records = [run(tps=1000.0, concurrency=n + 1) for n in range(24)]
    records += [run("mariadb 10.11.16", 700.0 - 5 * n, n + 1) for n in range(24)]
    asked = claim(
        "typical",
        0.35,
        Spot(RW, "loopback", None, "mariadb 10.11.16"),
        unit="below",
        against=Spot(engine="mysql 8.4.8"),
    )
    assert told(asked, records).outcome == "holds"
    assert (
        told(claim("typical", 0.6, asked.at, unit="below", rounding=0.0, against=asked.against), records).outcome
        == "does not hold"
    )


@pytest.mark.parametrize(
    ("second", "outcome"), [((1001.0, 999.0), "holds"), ((1001.0, 700.0), "does not hold"), ((1001.0, 970.1), "open")]
)
def test_the_same_everywhere_falls_with_one_cell(second: tuple[float, float], outcome: str) -> None:
    records = [
        repeat
        for n, tps in zip((16, 64), second, strict=True)
        for repeat in (*_repeated("mysql 8.4.8", 1000.0, n), *_repeated("mariadb 10.11.16", tps, n))
    ]
    asked = claim("same", 0.03, Spot(engine="mysql 8.4.8"), unit="below", against=Spot(engine="mariadb 10.11.16"))
    assert told(asked, records).outcome == {"open": "can't be told"}.get(outcome, outcome)
    if outcome == "holds":
        part = [record for record in records if record.run.cell.concurrency == 16]
        assert told(asked, part).reason == "the same in all 1 cells that are here, of 2"


def test_a_shape_is_never_guessed() -> None:
    asked = claim("shape", (), reason="no rule says it")
    assert told(asked, [run()]).reason == "no rule says it"
    assert told(asked, [run(workload=RO)]).reason == f"not in the results: {RW}"


@pytest.mark.parametrize("name", REPORTS)
def test_every_claim_of_every_report_is_judged_and_told(name: str) -> None:
    report = published(name)
    judged = judge_claims(report, judge_cells([run()]), none_closing)
    assert len({row.claim.claim_id for row in judged}) == len(report.claims)
    assert all(row.told.reason for row in judged if row.told.outcome != "holds")
    assert all(printed_words(row.claim) for row in judged)
    assert json.loads(json.dumps(claims_object(report, judged), allow_nan=False))["report"] == name
    assert tally(judged).startswith(f"{len(report.claims)} claims: ")


def test_a_report_of_another_name_is_refused() -> None:
    with pytest.raises(RequestError, match="no report"):
        published("percona-2025")


def test_own_figures_have_as_many_digits_as_they_support() -> None:
    asked = claim("level")
    assert own_words(asked, told(asked, [run()])) == "1,000 ± 24 TPS"


def _repeated(engine: str, tps: float, concurrency: int) -> list[RunRecord]:
    found = []
    for repeat, factor in enumerate((0.999, 1.0, 1.001, 1.0), start=1):
        record = run(engine, tps * factor, concurrency, noise=0.0005)
        cell = record.run.cell
        found.append(
            RunRecord(
                Run(cell, repeat, 0, 1, ""),
                record.family,
                record.version,
                record.storage_engine,
                "good",
                tps_mean=record.tps_mean,
                tps_half_width=record.tps_half_width,
            )
        )
    return found
