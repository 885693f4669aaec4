"""What was asked for against what ran."""

from __future__ import annotations

import pytest

from audit_cases import (
    LOADED,
    MARIADB_10_11,
    MARIADB_11_8,
    facts,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.engines import read_option_file


def test_options_that_do_nothing_are_listed_but_for_those_another_rule_tells() -> None:
    options = {"innodb_buffer_pool_instances": "8", "innodb_log_files_in_group": "2", "innodb_io_capacity": "200"}
    one = facts("a", MARIADB_10_11, more={"option_file": options}, innodb_io_capacity="200")
    assert verdict("option-ignored", one).values == {"a": ("innodb_buffer_pool_instances",)}
    unknown = facts("a", more={"option_file": {"some_plugin_option": "1"}})
    assert outcome("option-ignored", unknown) == "undecided"


@pytest.mark.parametrize(
    ("option", "asked", "shown", "wanted"),
    [
        ("max_connections", "4000", "214", "finding"),
        ("sort_buffer_size", "256K", "262144", "clear"),
        ("innodb_doublewrite", "1", "ON", "clear"),
        ("log_bin", "/data/binlog", "ON", "clear"),
        ("log_bin", read_option_file("[mysqld]\nlog_bin=OFF").asked["log_bin"], "ON", "finding"),
        ("datadir", "/data", "/var/lib/mysql/", "clear"),
        ("query_cache_type", "0", "OFF", "clear"),
        ("innodb_flush_method", "o_direct", "O_DIRECT", "clear"),
        ("sql_mode", "A,B", "B,A", "clear"),
        ("innodb_log_file_size", "2G", "50331648", "clear"),
        ("character_set_server", "utf8", "utf8mb3", "clear"),
        ("character_set_server", "utf8", "utf8mb4", "finding"),
        ("collation_server", "utf8_general_ci", "utf8mb3_general_ci", "clear"),
        ("sql_mode", "TRADITIONAL", "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,TRADITIONAL", "clear"),
        ("sql_mode", "STRICT_TRANS_TABLES", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION", "finding"),
        ("optimizer_switch", "default", "index_merge=on,mrr=off", "clear"),
        ("optimizer_switch", "mrr=on", "index_merge=on,mrr=off", "finding"),
        ("concurrent_insert", "2", "ALWAYS", "clear"),
        ("concurrent_insert", "2", "AUTO", "finding"),
        ("tx_isolation", "1", "READ-COMMITTED", "clear"),
        ("innodb_adaptive_hash_index", "FALSE", "OFF", "clear"),
        ("innodb_adaptive_hash_index", "false", "ON", "finding"),
        ("slow_query_log", "false", "OFF", "clear"),
    ],
)
def test_what_was_asked_for_is_held_against_what_is_shown(option: str, asked: str, shown: str, wanted: str) -> None:
    one = facts("a", more={"option_file": {option: asked}}, **{option: shown})
    assert outcome("asked-not-effective", one) == wanted


@pytest.mark.parametrize(
    ("option", "asked", "shown", "words"),
    [
        ("innodb_buffer_pool_size", "4294967296", "2147483648", "asked 4 GiB, effective 2 GiB"),
        ("sort_buffer_size", "256K", "524288", "asked 256 KiB, effective 512 KiB"),
        ("sort_buffer_size", "4294967297", "4G", "asked 4 GiB (4294967297), effective 4 GiB (4294967296)"),
        ("innodb_fsync_threshold", "0", "16777216", "asked 0, effective 16 MiB"),
        ("max_connections", "4000000", "214", "asked 4000000, effective 214"),
        ("collation_server", "utf8mb4_bin", "utf8mb4_general_ci", "asked utf8mb4_bin, effective utf8mb4_general_ci"),
    ],
)
def test_sizes_are_said_in_units_and_other_values_as_they_are_written(
    option: str, asked: str, shown: str, words: str
) -> None:
    one = facts("a", more={"option_file": {option: asked}}, **{option: shown})
    assert verdict("asked-not-effective", one).values == {"a": (f"{option}: {words}",)}


def test_computed_values_and_unset_defaults_are_told_once_each() -> None:
    a = facts("a", more={"option_file": {}}, innodb_read_io_threads="40", innodb_flush_neighbors="0")
    b = facts("b", MARIADB_11_8, more={"option_file": {}}, innodb_read_io_threads="4", innodb_flush_neighbors="1")
    assert set(verdict("autosized-parameters", a, b).values) == {"io.read_threads"}
    assert set(verdict("unpinned-defaults-differ", a, b).values) == {"flush.neighbors"}
    pinned = facts("b", MARIADB_11_8, more={"option_file": {"innodb_flush_neighbors": "1"}}, innodb_flush_neighbors="1")
    assert outcome("unpinned-defaults-differ", a, pinned) == "clear"


def test_a_setting_that_nobody_asked_for_came_from_another_file() -> None:
    one = facts("a", more={"option_file": {}}, skip_name_resolve="ON", sort_buffer_size="262144")
    result = verdict("packaged-conf-included", one)
    assert (result.values, result.certainty) == ({"a": ("skip_name_resolve=ON",)}, "inferred")
    ours = facts("a", more={"option_file": {"skip_name_resolve": "1"}}, skip_name_resolve="ON")
    assert outcome("packaged-conf-included", ours) == "clear"


@pytest.mark.parametrize(
    ("version", "gtid", "buffering", "share", "history"),
    [("9.1.0", "OFF", "none", "25", "25000"), ("9.7.4", "ON", "all", "5", "10000000")],
)
def test_the_defaults_of_mysql_9_are_those_of_its_release(
    version: str, gtid: str, buffering: str, share: str, history: str
) -> None:
    shown = {
        "gtid_mode": gtid,
        "innodb_change_buffering": buffering,
        "innodb_change_buffer_max_size": share,
        "binlog_transaction_dependency_history_size": history,
    }
    assert outcome("packaged-conf-included", facts("a", version, more={"option_file": {}}, **shown)) == "clear"


def test_a_dump_of_the_first_minute_proves_nothing() -> None:
    early = {"uptime": "2", "handler_commit": "0", "questions": "2", "connections": "7"}
    (found,) = verdict("evidence-captured-too-early", with_facts("a", status=early)).values.items()
    assert "session scope" in found[0] and found[1] == ("a",)
    assert outcome("evidence-captured-too-early", with_facts("a", status=early, status_end=LOADED)) == "clear"
    assert verdict("evidence-captured-too-early", facts("a")).values == {"none": ("a",)}


def test_a_claim_is_held_against_what_ran() -> None:
    one = facts("a", MARIADB_11_8, query_cache_type="OFF")
    claim = {"parameter": "server.query_cache_type", "targets": ["a"], "value": "ON"}
    assert outcome("report-text-vs-dumps", one, text={"claims": [claim]}) == "finding"
    assert outcome("report-text-vs-dumps", one, text={"claims": [claim | {"value": 0}]}) == "clear"
