"""What a commit survives."""

from __future__ import annotations

import pytest

from audit_cases import (
    MARIADB_11_8,
    MYSQL_8_4,
    facts,
    outcome,
    verdict,
)
from dbdyno.audit import TargetFacts
from dbdyno.configure import RequestedOptions, ServerBuild, ServerSize, choose_settings


def test_row_metadata_alone_is_low() -> None:
    same = {
        "log_bin": "ON",
        "binlog_format": "ROW",
        "binlog_row_image": "FULL",
        "binlog_checksum": "CRC32",
        "binlog_transaction_compression": "OFF",
    }
    a = facts("a", MARIADB_11_8, binlog_row_metadata="NO_LOG", **same)
    b = facts("b", binlog_row_metadata="MINIMAL", **same)
    assert verdict("binlog-content-mismatch", a, b).severity == "low"
    c = facts("c", binlog_row_metadata="MINIMAL", **{**same, "binlog_row_image": "MINIMAL"})
    assert verdict("binlog-content-mismatch", b, c).severity is None


@pytest.mark.parametrize(("compressed", "wanted"), [("ON", "finding"), ("OFF", "clear")])
def test_a_compressed_binary_log_is_known_by_mariadbs_name_for_it_too(compressed: str, wanted: str) -> None:
    same = {"log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL", "binlog_checksum": "CRC32"}
    same |= {"binlog_row_metadata": "MINIMAL"}
    a = facts("a", MARIADB_11_8, log_bin_compress=compressed, **same)
    b = facts("b", binlog_transaction_compression="OFF", **same)
    assert outcome("binlog-content-mismatch", a, b) == wanted


def test_a_binary_log_inside_a_storage_engine_is_another_design() -> None:
    a = facts("a", "12.3.1-MariaDB", log_bin="ON", binlog_storage_engine="innodb")
    b = facts("b", MYSQL_8_4, log_bin="ON")
    assert outcome("binlog-storage-mismatch", a, b) == "finding"


def test_tidesdbs_sync_mode_must_be_set_where_it_acts() -> None:
    wrong = facts(
        "a", MARIADB_11_8, more={"storage_engine": "tidesdb", "option_file": {"tidesdb_default_sync_mode": "NONE"}}
    )
    assert outcome("tidesdb-wrong-sync-knob", wrong) == "finding"


def test_doublewrite_batches_are_compared_among_full_ones() -> None:
    a = facts("a", innodb_doublewrite="ON", innodb_doublewrite_pages="128", innodb_doublewrite_files="2")
    b = facts("b", innodb_doublewrite="OFF", innodb_doublewrite_pages="4", innodb_doublewrite_files="2")
    assert outcome("doublewrite-batching-mismatch", a, b) == "not applicable"


@pytest.mark.parametrize("word", ["full", "periodic"])
def test_a_durability_that_a_study_sets_on_innodb_and_tidesdb_is_one_class(word: str) -> None:
    def configured(storage_engine: str) -> TargetFacts:
        settings = choose_settings(
            ServerBuild("mariadb", "11.8.6", storage_engine, None if storage_engine == "innodb" else "4.2.4"),
            ServerSize(256 << 20, 8),
            RequestedOptions({"commit.durability": word}),
        )
        variables = {setting.option: setting.value for setting in settings}
        return facts(storage_engine, MARIADB_11_8, more={"storage_engine": storage_engine}, **variables)

    assert outcome("commit-policy-mismatch", configured("innodb"), configured("tidesdb")) == "clear"
    assert outcome("tidesdb-wrong-sync-knob", configured("tidesdb")) == "clear"
