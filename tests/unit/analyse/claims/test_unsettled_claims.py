"""Claims on runs whose level has not settled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from claim_cases import AT, ENGINES, GIB, RW, claim, curve, none_closing, original, repeated, result, run
from dbdyno.analyse import judge_cells
from dbdyno.analyse.claims import CellSelector, Published, judge_claims, tally
from dbdyno.core import RunRecord, SettledPart
from numbers_in import numbers_in


def unsettled(one: RunRecord) -> RunRecord:
    """The same run with a level that falls through its window."""
    part = SettledPart("drifting", 900, 0, one.figures.tps_mean, 10.0, change=-0.08)
    return replace(one, settled=part, figures=replace(one.figures, window_s=900.0))


def test_a_claim_on_a_run_that_drifts_is_not_settled_unless_its_own_logs_refute_it() -> None:
    records = [unsettled(run())]
    found = result(claim("level"), records)
    assert (found.outcome, found.own) == ("not settled", None)
    assert re.search(r"2 GiB .*16 .*loopback: mysql 8\.4\.8.* \(-8 % over 900 s\)", found.reason)
    assert (original(claim("level"), records).outcome, original(claim("level"), records).gives_print) == (
        "not settled",
        True,
    )
    assert original(claim("level", 1100.0), records).outcome == "does not hold"
    judged = judge_claims(
        Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), (claim("level"),)),
        judge_cells(records),
        none_closing,
    )
    assert numbers_in(tally(judged)) == [1, 0, 0, 1, 0]


def test_a_best_that_has_not_settled_leaves_open_which_is_the_best() -> None:
    at = replace(AT, concurrency=None)
    higher = [run(), unsettled(run(tps=1200.0, concurrency=64))]
    assert result(claim("level", at=at), higher).outcome == "not settled"
    lower = [run(), unsettled(run(tps=700.0, concurrency=64))]
    assert result(claim("level", at=at), lower).outcome == "holds"


def test_an_unsettled_concurrency_leaves_a_peak_open_only_where_it_may_be_the_best() -> None:
    def outcome(kind: str, levels: Mapping[int, float], drifting: int, at: CellSelector = AT) -> str:
        records = curve("mysql 8.4.8", levels)
        return result(
            claim(kind, at=at), [unsettled(one) if one.run.cell.concurrency == drifting else one for one in records]
        ).outcome

    assert outcome("peak", {4: 500, 16: 1000, 64: 1500}, 64) == "not settled"
    assert outcome("peak", {4: 500, 16: 1000, 64: 700}, 64) == "holds"
    assert outcome("peak", {4: 1500, 16: 1000, 64: 1500}, 64) == "does not hold"
    assert outcome("collapse", {1: 300, 4: 2000, 16: 1000}, 4) == "not settled"
    assert outcome("collapse", {1: 300, 4: 700, 16: 1000}, 4) == "does not hold"
    assert outcome("collapse", {4: 2000, 16: 1000, 64: 2100}, 64) == "not settled"
    assert outcome("collapse", {4: 2000, 16: 1000, 64: 900}, 64) == "holds"
    best = replace(AT, concurrency=None)
    assert outcome("plateau", {4: 400, 16: 1000, 64: 300}, 64, best) == "not settled"
    assert outcome("plateau", {4: 900, 16: 1000, 64: 990}, 4, best) == "not settled"
    assert outcome("plateau", {4: 400, 16: 1000, 64: 990}, 4, best) == "holds"
    assert outcome("plateau", {4: 1000, 16: 500, 64: 400}, 64, best) == "does not hold"


def test_a_rival_that_has_not_settled_matters_only_where_it_may_come_first() -> None:
    others = [run("percona 8.0.45", 600.0)]
    near, far = (unsettled(run("mariadb 10.11.16", tps)) for tps in (900.0, 500.0))
    assert result(claim("first"), [run(), *others, near]).outcome == "not settled"
    assert result(claim("first"), [run(), *others, far]).outcome == "holds"


def test_one_pair_that_has_not_settled_leaves_a_statement_about_all_open() -> None:
    records = [
        repeat
        for n in (16, 64)
        for repeat in (*repeated("mysql 8.4.8", 1000.0, n), *repeated("mariadb 10.11.16", 1001.0, n))
    ]
    asked = claim(
        "same", 0.03, CellSelector(engine="mysql 8.4.8"), unit="below", against=CellSelector(engine="mariadb 10.11.16")
    )
    assert result(asked, records).outcome == "holds"
    drifting = [unsettled(one) if one.run.cell.concurrency == 64 else one for one in records]
    found = result(asked, drifting)
    assert found.outcome == "not settled"
    assert found.reason.startswith("1 of 2 pairs")
