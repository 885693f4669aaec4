"""What the answers promise."""

from __future__ import annotations

from typing import Any

from audit_cases import (
    MARIADB_11_8,
    MYSQL_5_7,
    facts,
    outcome,
    with_facts,
)
from dbdyno.audit import TargetFacts


def test_snapshot_isolation_counts_at_repeatable_read() -> None:
    def pair(level: str) -> tuple[TargetFacts, TargetFacts]:
        return (
            facts("a", MARIADB_11_8, innodb_snapshot_isolation="ON", transaction_isolation=level),
            facts("b", transaction_isolation=level),
        )

    assert outcome("snapshot-isolation-mismatch", *pair("REPEATABLE-READ")) == "finding"
    assert outcome("snapshot-isolation-mismatch", *pair("READ-COMMITTED")) == "not applicable"


def test_defects_are_open_until_a_record_says_fixed() -> None:
    one = facts("a", MARIADB_11_8, innodb_snapshot_isolation="ON")
    assert outcome("snapshot-isolation-defects", one) == "finding"
    assert outcome("snapshot-isolation-defects", one, text={"fixed_releases": ["11.8.6"]}) == "clear"


def test_aborted_work_on_one_side_is_found() -> None:
    def one(name: str, errors: int, **more: Any) -> TargetFacts:
        return with_facts(name, run={"errors": {"1213": errors}, "transactions": 1000, **more})

    assert outcome("aborted-work-counted", one("a", 5), one("b", 0)) == "finding"
    assert outcome("aborted-work-counted", one("a", 5), one("b", 6)) == "clear"
    assert outcome("aborted-work-counted", one("a", 5, drops_errors=True), one("b", 6)) == "finding"


def test_flags_that_a_vendor_dropped_are_no_difference() -> None:
    a = facts("a", MYSQL_5_7, sql_mode="STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER,ONLY_FULL_GROUP_BY")
    b = facts("b", sql_mode="ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES")
    assert outcome("sql-mode-mismatch", a, b) == "clear"
