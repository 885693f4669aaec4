"""A run's record: changed variables are named, broken or undecided conditions have their effect."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.core import Cell, Run, RunRecord
from dbdyno.lab._record import changed_caveats, changed_variables, with_conditions, with_standstill
from dbdyno.measure import Standstill
from dbdyno.populate import ConditionAnswer


def test_what_changed_is_named_with_both_values() -> None:
    changed = changed_variables({"innodb_io_capacity": "200", "port": "1"}, {"innodb_io_capacity": "2000", "port": "1"})
    [caveat] = changed_caveats(changed)
    assert caveat.code == "variables-changed"
    assert "innodb_io_capacity from 200 to 2000" in caveat.text


def test_positions_of_the_binary_log_are_no_settings() -> None:
    assert changed_variables({"gtid_executed": ""}, {"gtid_executed": "x:1-9"}) == {}


def test_of_a_server_that_died_nothing_is_said() -> None:
    assert changed_variables({"a": "1"}, {}) == {}
    assert changed_caveats({}) == ()


def test_many_changes_are_counted() -> None:
    before, after = {str(n): "0" for n in range(9)}, {str(n): "1" for n in range(9)}
    assert changed_caveats(changed_variables(before, after))[0].text.endswith("and 4 more")


RECORD = RunRecord(
    run=Run(Cell("mysql:9.7", 64 << 20, 4, "tpcc", "socket"), 1, 0, 7, "block 1"),
    family="mysql",
    version="9.7.4",
    storage_engine="innodb",
    status="good",
)
HOLDS = ConditionAnswer("3.3.2.1", "w_ytd is the sum of d_ytd", "holds", 0)
GROWN = ConditionAnswer("rows_orders", "30000 orders a warehouse", "told", 10)
STRUCK = ConditionAnswer("3.3.2.11", "2100 orders of each district are delivered", "told", 3, "Q-HD-5")


def test_a_broken_condition_fails_the_run_and_says_which() -> None:
    broken = ConditionAnswer("3.3.2.4", "a district has as many lines as its orders say", "broken", 4)
    record = with_conditions(RECORD, (HOLDS, broken))
    assert record.status == "failed"
    assert record.reason.startswith(f"data: {broken.name} ({broken.meaning})")


def test_rows_that_a_run_adds_by_its_nature_are_no_caveat() -> None:
    assert with_conditions(RECORD, (HOLDS, GROWN)) == RECORD


def test_a_quirk_of_the_tool_that_struck_is_a_caveat() -> None:
    record = with_conditions(RECORD, (GROWN, STRUCK))
    assert record.status == "good"
    (caveat,) = record.caveats
    assert caveat.code == "quirk-broke-condition"
    assert "3.3.2.11 (Q-HD-5)" in caveat.text
    assert "rows_orders" not in caveat.text


def test_a_condition_that_was_not_answered_weakens_the_run_and_does_not_fail_it() -> None:
    record = with_conditions(RECORD, (HOLDS, replace(HOLDS, name="3.3.2.9", status="undecided")))
    assert record.status == RECORD.status
    assert [caveat.code for caveat in record.caveats[len(RECORD.caveats) :]] == ["condition-undecided"]


def test_what_was_undecided_after_the_filling_weakens_each_run_that_starts_from_it() -> None:
    filled = (replace(HOLDS, name="3.3.2.9", status="undecided"),)
    record = with_conditions(RECORD, (HOLDS,), filled)
    (caveat,) = record.caveats[len(RECORD.caveats) :]
    assert caveat.code == "condition-undecided"
    (at_the_end,) = with_conditions(RECORD, filled).caveats[len(RECORD.caveats) :]
    assert caveat.text.endswith(f": {at_the_end.text}") and filled[0].name in caveat.text


def test_a_run_whose_figures_have_seconds_of_a_host_that_stood_still_is_suspect() -> None:
    """Without it, four such seconds of twenty were a fifth of the server's throughput."""
    record = with_standstill(RECORD, Standstill(seconds=6, judged_seconds=4))
    (caveat,) = record.caveats
    assert (record.status, record.reason, caveat.code) == ("suspect", caveat.text, "host-standstill")
    assert "6 seconds" in caveat.text
    doubtful = replace(RECORD, status="suspect", reason="2 s are missing")
    assert with_standstill(doubtful, Standstill(1, 1)).reason.startswith("2 s are missing; ")


def test_a_standstill_before_the_window_weakens_the_run_alone() -> None:
    record = with_standstill(RECORD, Standstill(seconds=2))
    assert (record.status, record.reason) == ("good", "")
    assert [caveat.code for caveat in record.caveats] == ["host-standstill"]
    failed = with_standstill(replace(RECORD, status="failed", reason="it died"), Standstill(2, 2))
    assert (failed.status, failed.reason) == ("failed", "it died")
    assert with_standstill(RECORD, Standstill()) == RECORD
