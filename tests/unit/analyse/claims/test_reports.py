"""Published reports: what they print, held against their own logs and against results from elsewhere."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from claim_cases import AT, ENGINES, GIB, RO, RW, claim, curve, none_closing, original, result, run
from dbdyno.analyse import judge_cells
from dbdyno.analyse.claims import (
    REPORTS,
    CellSelector,
    ClaimResult,
    Published,
    ResultsOrigin,
    about,
    claims_object,
    judge_claims,
    own_words,
    printed_words,
    published,
    tally,
)
from dbdyno.core import RequestError, RunRecord
from numbers_in import numbers_in


def test_a_print_that_its_own_logs_do_not_give_is_refuted_inside_its_interval() -> None:
    at = CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.8")
    asked = claim("lead", 1.27, unit="ratio", rounding=0.005, at=at)
    records = [run(), run("mariadb 10.11.16", 800.0), run("percona 8.0.45", 790.0)]
    elsewhere = result(asked, records)
    assert (elsewhere.outcome, elsewhere.gives_print) == ("holds", None)
    assert elsewhere.low is not None and elsewhere.high is not None and elsewhere.low < 1.27 < elsewhere.high
    found = original(asked, records)
    assert (found.outcome, found.gives_print, found.own) == ("does not hold", False, pytest.approx(1.25))
    assert numbers_in(found.reason) == [1.25, 1.27]
    assert numbers_in(found.counted) == [3, 1000, 16, 800, 16, 1.25]
    assert original(replace(asked, values=(1.25,)), records).gives_print is True


@pytest.mark.parametrize(
    ("kind", "value", "changes", "gives"),
    [
        ("level", 1000.0, {}, True),
        ("level", 1001.0, {}, False),
        ("level", 1009.0, {"rounding": 5.0, "approximate": True}, True),
        ("peak", 1000.0, {}, False),
        ("collapse", 1000.0, {}, False),
        ("first", 1000.0, {}, False),
        ("plateau", 1100.0, {"at": replace(AT, concurrency=None)}, True),
    ],
)
def test_what_the_logs_give_is_held_to_the_print_alone(
    kind: str, value: float, changes: dict[str, object], gives: bool
) -> None:
    records = [*curve("mysql 8.4.8", {4: 500, 16: 1000, 64: 1100}), run("mariadb 10.11.16", 1200.0)]
    found = original(claim(kind, value, **changes), records)  # type: ignore[arg-type]
    assert found.gives_print is gives
    assert found.counted
    assert gives or found.outcome == "does not hold"


def test_ratios_of_all_engines_at_their_best_have_the_printed_ends() -> None:
    def records(most: float) -> list[RunRecord]:
        both = [*curve("mysql 8.4.8", {16: 900, 64: 1000}), run("mysql 8.4.8", 1700.0, workload=RO)]
        both += [run("mysql 8.4.8", 900.0, 64, workload=RO), *curve("mariadb 10.11.16", {16: 500})]
        return [*both, run("mariadb 10.11.16", most, 128, workload=RO)]

    at = CellSelector(RO, "loopback", 2 * GIB)
    asked = claim("engines", (1.7, 3.0), at, unit="ratio", rounding=0.05, against=CellSelector(RW))
    found = original(asked, records(1510.0), ENGINES[:2])
    assert (found.outcome, found.gives_print) == ("holds", True)
    assert (found.low, found.high) == (pytest.approx(1.7), pytest.approx(3.02))
    assert numbers_in(found.counted) == [2, 1.7, 3.02]
    assert re.fullmatch(r"3\.02 \[\D*1\.70 to 3\.02\] times", own_words(asked, found))
    assert numbers_in(original(asked, records(1600.0), ENGINES[:2]).reason)[-2:] == [3.2, 3.0]
    assert result(asked, records(2500.0), ENGINES[:2]).outcome == "does not hold"


def test_a_claim_across_machines_carries_them() -> None:
    records = [run(), run("mariadb 10.11.16", 800.0, route="network")]
    asked = claim(
        "ratio", 1.25, AT, unit="ratio", rounding=0.005, against=CellSelector(route="network", engine=ENGINES[1])
    )
    report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), (asked,))
    sources = ResultsOrigin(machine=lambda record: f"node-{record.run.cell.route}")
    found = judge_claims(report, judge_cells(records), none_closing, {}, sources)[0].result
    assert [caveat.code for caveat in found.caveats] == ["host-mismatch"]
    assert "node-loopback (" in about(found) and "node-network (" in about(found)
    one = ResultsOrigin(machine=lambda _: "node1")
    assert judge_claims(report, judge_cells(records), none_closing, {}, one)[0].result.caveats == ()


def test_of_runs_of_several_lengths_those_of_the_reports_length_are_meant() -> None:
    labels = {f"{RW}, 900 s": 900.0, f"{RW}, 3600 s": 3600.0}
    records = [run(tps=1000.0 * n, workload=label) for n, label in enumerate(labels, 1)]
    report = Published("x", "x", ENGINES, (RW,), ("loopback",), (2 * GIB,), (16,), (claim("level", 1000.0),))
    sources = ResultsOrigin(names=dict.fromkeys(labels, RW), lengths_s=labels)

    def held(window_s: int) -> ClaimResult:
        asked = replace(report, window_s=window_s)
        return judge_claims(asked, judge_cells(records), none_closing, {}, sources)[0].result

    assert (held(900).own, held(3600).own) == (pytest.approx(1000.0), pytest.approx(2000.0))
    assert held(0).reason.startswith("2 workloads ")


@pytest.mark.parametrize("name", REPORTS)
def test_every_claim_of_every_report_is_judged_and_told(name: str) -> None:
    report = published(name)
    judged = judge_claims(report, judge_cells([run()]), none_closing)
    assert len({row.claim.claim_id for row in judged}) == len(report.claims)
    assert all(row.result.reason for row in judged if row.result.outcome != "holds")
    assert all(printed_words(row.claim) for row in judged)
    assert all(row.claim.sentence.endswith(".") for row in judged)
    assert json.loads(json.dumps(claims_object(report, judged), allow_nan=False))["report"] == name
    assert tally(judged).startswith(f"{len(report.claims)} claims: ")


def test_a_report_of_another_name_is_refused() -> None:
    with pytest.raises(RequestError, match="percona-2025"):
        published("percona-2025")


def test_own_figures_have_as_many_digits_as_they_support() -> None:
    asked = claim("level")
    assert own_words(asked, result(asked, [run()])) == "1,000 ± 53 TPS"
