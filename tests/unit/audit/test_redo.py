"""The redo log."""

from __future__ import annotations

from audit_cases import (
    MARIADB_11_8,
    MYSQL_8_0,
    facts,
    outcome,
    verdict,
)
from dbdyno.audit import TargetFacts


def test_redo_capacity_may_differ_by_five_percent() -> None:
    def sized(name: str, size: int) -> TargetFacts:
        return facts(name, MARIADB_11_8, innodb_log_file_size=str(size))

    assert outcome("redo-capacity-mismatch", sized("a", 100), sized("b", 105)) == "clear"
    assert outcome("redo-capacity-mismatch", sized("a", 100), sized("b", 106)) == "finding"


def test_a_capacity_is_shown_otherwise_only_where_the_status_is_a_number() -> None:
    def resized(text: str) -> TargetFacts:
        status = {"innodb_redo_log_capacity_resized": text}
        return facts("a", MYSQL_8_0, more={"status": status}, innodb_redo_log_capacity="104857600")

    outcomes = [
        outcome("redo-capacity-displayed-not-effective", resized(text))
        for text in ("104857600", "209715200", "", "1e400")
    ]
    assert outcomes == ["clear", "finding", "undecided", "undecided"]


def test_redo_files_asked_of_mariadb_are_told_with_what_was_meant() -> None:
    options = {"innodb_log_files_in_group": "2", "innodb_log_file_size": "2G"}
    one = facts("a", MARIADB_11_8, more={"option_file": options}, innodb_log_file_size="2147483648")
    result = verdict("redo-files-in-group-noop", one)
    assert result.values == {"asked 4 GiB, effective 2 GiB": ("a",)}
    assert result.asked_and_effective == {"a": (4 << 30, 2 << 30)}
    mysql = facts("a", MYSQL_8_0, more={"option_file": options})
    assert outcome("redo-files-in-group-noop", mysql) == "not applicable"


def test_a_default_redo_log_counts_where_nobody_asked_for_it() -> None:
    def one(options: dict[str, str] | None) -> TargetFacts:
        return facts("a", MARIADB_11_8, more={"option_file": options}, innodb_log_file_size="100663296")

    assert outcome("redo-default-left", one({})) == "finding"
    assert outcome("redo-default-left", one({"innodb_log_file_size": "96M"})) == "clear"
    assert outcome("redo-default-left", one(None)) == "undecided"
    assert outcome("redo-default-left", one({}), study={"writes": False}) == "not applicable"


def test_a_granule_must_fit_the_block_of_the_device() -> None:
    pair = tuple(
        facts(name, more={"host": {"block_size": 4096}}, innodb_log_write_ahead_size=size)
        for name, size in (("a", "4096"), ("b", "512"))
    )
    assert set(verdict("redo-write-ahead-mismatch", *pair).values) == {"redo.write_ahead", "host:block_size"}
