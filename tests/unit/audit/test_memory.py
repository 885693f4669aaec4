"""Memory that holds data."""

from __future__ import annotations

from audit_cases import (
    MARIADB_10_11,
    MARIADB_11_8,
    facts,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.audit import TargetFacts


def test_caches_are_compared_within_one_kind() -> None:
    pages = facts("a", MARIADB_11_8, more={"storage_engine": "innodb"}, innodb_buffer_pool_size="1000")
    larger = facts("b", MARIADB_11_8, more={"storage_engine": "innodb"}, innodb_buffer_pool_size="1011")
    lsm = facts("c", MARIADB_11_8, more={"storage_engine": "rocksdb"}, rocksdb_block_cache_size="500")
    assert outcome("buffer-pool-mismatch", pages, lsm) == "clear"
    assert verdict("buffer-pool-mismatch", pages, larger, lsm).values == {
        "memory.buffer_pool": {"1000": ("a",), "1011": ("b",)}
    }


def test_budgets_of_unlike_engines_and_resident_sets_are_compared() -> None:
    pages = facts("a", MARIADB_11_8, more={"storage_engine": "innodb"}, innodb_buffer_pool_size=str(64 << 20))
    values = {"tidesdb_block_cache_size": str(64 << 20), "tidesdb_unified_memtable_write_buffer_size": str(64 << 20)}
    lsm = facts("b", MARIADB_11_8, more={"storage_engine": "tidesdb"}, **values)
    assert "derived:cache_bytes" in verdict("memory-budget-mismatch", pages, lsm).values

    def resident(*sizes_mib: int) -> list[TargetFacts]:
        return [with_facts(f"t{size}", host={"rss_bytes": size << 20}) for size in sizes_mib]

    assert set(verdict("memory-budget-mismatch", *resident(300, 331)).values) == {"host:rss_bytes"}
    assert outcome("memory-budget-mismatch", *resident(300, 329)) == "clear"
    assert outcome("memory-budget-mismatch", *resident(114, 130)) == "clear"  # two starts of one server


def test_the_page_cache_is_a_cache_where_memory_is_free() -> None:
    def reading(name: str, method: str, free: int | None) -> TargetFacts:
        host = {"host": {"free_memory_bytes": free}} if free is not None else {}
        return facts(name, more=host, innodb_flush_method=method, innodb_buffer_pool_size="1000")

    direct = reading("a", "O_DIRECT", None)
    assert verdict("page-cache-as-hidden-cache", direct, reading("b", "fsync", None)).certainty == "inferred"
    assert verdict("page-cache-as-hidden-cache", direct, reading("b", "fsync", 5000)).certainty == "read"
    assert outcome("page-cache-as-hidden-cache", direct, reading("b", "fsync", 500)) == "clear"
    assert outcome("flush-method-mismatch", direct, reading("b", "fsync", None)) == "not applicable"
    assert outcome("flush-method-mismatch", direct, reading("b", "O_DIRECT_NO_FSYNC", None)) == "finding"


def test_interleaving_matters_on_several_nodes() -> None:
    a, b = facts("a", innodb_numa_interleave="ON"), facts("b", innodb_numa_interleave="OFF")
    assert verdict("numa-policy-mismatch", a, b).remark
    single = tuple(
        facts(n, more={"host": {"numa_nodes": 1}}, innodb_numa_interleave=v) for n, v in (("a", "ON"), ("b", "OFF"))
    )
    assert outcome("numa-policy-mismatch", *single) == "not applicable"
    launched = with_facts("b", host={"numa_policy": "numactl --interleave=all"})
    assert outcome("numa-policy-mismatch", a, launched) == "clear"
    assert outcome("numa-policy-mismatch", a, TargetFacts("mysql-8.4.8", option_file={})) == "undecided"


def test_allocators_are_known_of_mariadb_only() -> None:
    a = facts("a", MARIADB_11_8, version_malloc_library="system")
    b = facts("b", MARIADB_10_11, version_malloc_library="system jemalloc")
    assert verdict("allocator-mismatch", a, b).values == {"jemalloc": ("b",), "libc": ("a",)}
    assert outcome("allocator-mismatch", a, facts("c")) == "undecided"


def test_a_cold_start_loads_no_dump() -> None:
    one = facts("a", innodb_buffer_pool_load_at_startup="ON")
    assert outcome("warm-load-in-cold-test", one) == "undecided"
    assert outcome("warm-load-in-cold-test", one, study={"cold_start": True}) == "finding"
    assert outcome("warm-load-in-cold-test", one, study={"cold_start": False}) == "not applicable"
    none = facts("a", more={"host": {"pool_dump_file": False}}, innodb_buffer_pool_load_at_startup="ON")
    assert outcome("warm-load-in-cold-test", none, study={"cold_start": True}) == "clear"
