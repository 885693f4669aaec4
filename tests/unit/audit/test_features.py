"""What a server does besides."""

from __future__ import annotations

from audit_cases import (
    MARIADB_11_8,
    facts,
    outcome,
    verdict,
)
from dbdyno.audit import TargetFacts


def test_formats_within_crc32_are_info() -> None:
    a, b = (
        facts("a", innodb_checksum_algorithm="crc32"),
        facts("b", MARIADB_11_8, innodb_checksum_algorithm="full_crc32"),
    )
    assert verdict("checksum-mismatch", a, b).severity == "info"
    c = facts("c", "5.6.51", innodb_checksum_algorithm="innodb")
    assert verdict("checksum-mismatch", a, c).severity is None
    strict = facts("d", innodb_checksum_algorithm="strict_crc32")
    assert outcome("checksum-mismatch", a, strict) == "clear"


def test_a_query_cache_of_type_off_is_silent_whatever_its_size() -> None:
    def one(kind: str, size: str) -> TargetFacts:
        return facts("a", MARIADB_11_8, query_cache_type=kind, query_cache_size=size)

    assert outcome("query-cache-on", one("OFF", "1048576")) == "clear"
    assert verdict("query-cache-on", one("ON", "0")).severity == "low"
    assert verdict("query-cache-on", one("DEMAND", "1048576")).severity is None
    assert outcome("query-cache-on", facts("a")) == "clear"


def test_the_size_of_a_pool_counts_among_pools() -> None:
    def one(name: str, model: str, size: str) -> TargetFacts:
        return facts(name, MARIADB_11_8, thread_handling=model, thread_pool_size=size)

    threads, pool = "one-thread-per-connection", "pool-of-threads"
    assert outcome("thread-model-mismatch", one("a", threads, "2"), one("b", threads, "4")) == "clear"
    assert outcome("thread-model-mismatch", one("a", pool, "2"), one("b", pool, "4")) == "finding"
    assert outcome("thread-model-mismatch", one("a", pool, "2"), one("b", threads, "2")) == "finding"


def test_a_limit_of_threads_in_innodb_counts_though_all_have_it() -> None:
    pair = facts("a", innodb_thread_concurrency="32"), facts("b", innodb_thread_concurrency="32")
    assert outcome("innodb-admission-limit", *pair) == "finding"
    unlimited = facts("a", innodb_thread_concurrency="0"), facts("b", MARIADB_11_8)
    assert outcome("innodb-admission-limit", *unlimited) == "clear"


def test_plans_are_compared_within_a_vendor_and_within_the_window() -> None:
    settings = {
        "innodb_stats_persistent": "ON",
        "innodb_stats_auto_recalc": "OFF",
        "innodb_stats_persistent_sample_pages": "20",
    }
    a, b = (
        facts(n, more={"schema": {"plan_fingerprints": {"q1": p}}}, **settings) for n, p in (("a", "x"), ("b", "y"))
    )
    assert set(verdict("statistics-mismatch", a, b).values) == {"q1"}
    other = facts("b", MARIADB_11_8, more={"schema": {"plan_fingerprints": {"q1": "y"}}}, **settings)
    assert outcome("statistics-mismatch", a, other) == "clear"


def test_undo_sizes_matter_where_several_truncate() -> None:
    def one(name: str, truncate: str, size: str) -> TargetFacts:
        return facts(name, innodb_undo_log_truncate=truncate, innodb_max_undo_log_size=size)

    assert set(verdict("undo-truncation-mismatch", one("a", "ON", "1"), one("b", "ON", "2")).values) == {
        "undo.max_size"
    }
    assert outcome("undo-truncation-mismatch", one("a", "OFF", "1"), one("b", "OFF", "2")) == "clear"
