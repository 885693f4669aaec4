"""What a target promises, told from values in effect."""

from __future__ import annotations

import pytest

from audit_cases import MARIADB_11_8, MYSQL_8_4, facts
from dbdyno.audit import durability_of

BASE = {"innodb_flush_log_at_trx_commit": "1", "log_bin": "OFF", "innodb_doublewrite": "ON"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "flush per commit, no binary log"),
        ({"log_bin": "ON", "sync_binlog": "1"}, "flush per commit, binary log synced"),
        ({"log_bin": "ON", "sync_binlog": "0"}, "flush per commit, binary log not synced"),
        ({"innodb_flush_log_at_trx_commit": "2"}, "relaxed: written at each commit, synced later"),
        (
            {"innodb_flush_log_at_trx_commit": "0", "innodb_flush_log_at_timeout": "1"},
            "relaxed: synced every 1 s",
        ),
    ],
)
def test_the_class_follows_what_a_commit_waits_for(change: dict[str, str], words: str) -> None:
    assert durability_of(facts("a", MYSQL_8_4, **(BASE | change))).durability == words


def test_a_storage_engine_s_own_switch_counts_for_its_tables() -> None:
    variables = BASE | {"rocksdb_flush_log_at_trx_commit": "2"}
    target = facts("a", MARIADB_11_8, more={"storage_engine": "rocksdb"}, **variables)
    assert durability_of(target).durability.startswith("relaxed")
    in_innodb = facts("a", MARIADB_11_8, **variables)
    assert durability_of(in_innodb).durability.startswith("flush per commit")
    assert "not needed" in durability_of(target).torn_pages
    assert "not needed" not in durability_of(in_innodb).torn_pages


def test_what_nothing_tells_is_unknown_and_not_good() -> None:
    promises = durability_of(facts("a", MYSQL_8_4))
    assert (promises.durability, promises.encryption) == ("unknown", "unknown")


def test_ciphers_of_the_load_s_sessions_tell_encryption() -> None:
    words = [
        durability_of(facts("a", more={"session": {"ssl_cipher": ciphers}})).encryption
        for ciphers in (["TLS_AES_256_GCM_SHA384"], [""], ["", "TLS_AES_256_GCM_SHA384"])
    ]
    assert words == ["encrypted", "plain", "mixed"]
