"""A variable that is another one after the load is told; a position in a log is not."""

from __future__ import annotations

from dbdyno.lab._record import changed_caveats, changed_variables


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
