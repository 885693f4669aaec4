"""Derived quantities: the same variable means another thing by family and version."""

from __future__ import annotations

import pytest

from audit_cases import MARIADB_10_11, MARIADB_11_8, MYSQL_5_7, MYSQL_8_0, MYSQL_8_4, target
from dbdyno.audit import TargetFacts
from dbdyno.audit._target import recognise
from dbdyno.audit.quantities import QUANTITIES, derived

GIB = 1 << 30


def test_redo_capacity_is_files_times_size_one_file_or_the_status() -> None:
    both = {"innodb_log_file_size": str(2 * GIB), "innodb_log_files_in_group": "2"}
    assert derived(target(MYSQL_5_7, **both), "redo_capacity").value == 4 * GIB
    assert derived(target("8.0.29", **both), "redo_capacity").value == 4 * GIB
    assert derived(target("10.4.30-MariaDB", **both), "redo_capacity").value == 4 * GIB
    assert derived(target("10.5.23-MariaDB", **both), "redo_capacity").value == 2 * GIB
    resized = {"status": {"innodb_redo_log_capacity_resized": str(3 * GIB)}}
    assert (
        derived(target(MYSQL_8_0, more=resized, innodb_redo_log_capacity="104857600"), "redo_capacity").value == 3 * GIB
    )


def test_redo_capacity_without_status_is_what_the_option_file_makes_of_it() -> None:
    def capacity(**options: str) -> object:
        shown = {"innodb_redo_log_capacity": "104857600"}
        return derived(target(MYSQL_8_0, more={"option_file": options}, **shown), "redo_capacity").value

    assert capacity(innodb_redo_log_capacity="8G", innodb_log_file_size="1G") == 8 * GIB
    assert capacity(innodb_log_file_size="1G") == 2 * GIB
    assert capacity(innodb_log_files_in_group="4") == 4 * 50331648
    assert capacity() == 104857600


def test_redo_capacity_is_unknown_where_neither_status_nor_option_file_tells() -> None:
    reading = derived(target(MYSQL_8_0, innodb_redo_log_capacity="104857600"), "redo_capacity")
    assert (reading.state, reading.lacks) == ("missing", "status Innodb_redo_log_capacity_resized")


@pytest.mark.parametrize("text", ["", "x", "1e400"])
def test_a_resized_capacity_that_is_no_number_is_as_good_as_none(text: str) -> None:
    status = {"status": {"innodb_redo_log_capacity_resized": text}}
    reading = derived(target(MYSQL_8_0, more=status, innodb_redo_log_capacity="104857600"), "redo_capacity")
    assert (reading.state, reading.lacks) == ("missing", "status Innodb_redo_log_capacity_resized")
    asked = {**status, "option_file": {"innodb_redo_log_capacity": "8G"}}
    assert derived(target(MYSQL_8_0, more=asked), "redo_capacity").value == 8 * GIB


@pytest.mark.parametrize("size", ["1e400", "1e200", "9" * 5000])
def test_a_size_that_no_server_has_is_no_number(size: str) -> None:
    values = {"innodb_log_file_size": size, "innodb_log_files_in_group": size}
    assert derived(target(MYSQL_5_7, **values), "redo_capacity").value in (None, 0)


def test_the_scan_depth_counts_for_each_instance_but_in_mariadb() -> None:
    values = {"innodb_lru_scan_depth": "1024", "innodb_buffer_pool_instances": "8"}
    assert derived(target(MYSQL_8_4, **values), "lru_scan_total").value == 8192
    assert derived(target(MARIADB_10_11, innodb_lru_scan_depth="1536"), "lru_scan_total").value == 1536
    assert derived(target("5.5.62"), "lru_scan_total").state == "not offered"


def test_flush_threads_are_cleaners_mtflush_or_the_one_of_mariadb() -> None:
    assert derived(target(MYSQL_8_4, innodb_page_cleaners="8"), "flush_threads").value == 8
    assert derived(target("10.5.23-MariaDB", innodb_page_cleaners="4"), "flush_threads").value == 1
    assert derived(target("5.6.51"), "flush_threads").value == 1
    mtflush = {"innodb_use_mtflush": "ON", "innodb_mtflush_threads": "16"}
    assert derived(target("10.1.48-MariaDB", **mtflush), "flush_threads").value == 16


def test_cleaners_asked_for_are_capped_by_instances_and_instances_by_a_small_pool() -> None:
    asked = {"innodb_page_cleaners": "8", "innodb_buffer_pool_instances": "8", "innodb_buffer_pool_size": "512M"}
    small = recognise(TargetFacts("mysql-8.0.21", option_file=asked))
    assert derived(small, "pool_instances").value == 1
    assert derived(small, "flush_threads").value == 1
    large = recognise(TargetFacts("mysql-8.0.21", option_file=asked | {"innodb_buffer_pool_size": "25G"}))
    assert derived(large, "flush_threads").value == 8


@pytest.mark.parametrize(
    ("version", "most", "mark", "begins"),
    [(MYSQL_8_0, "90", "10", 10), (MYSQL_5_7, "75", "0", 75), ("10.1.48-MariaDB", "75", "0.001000", 75)],
)
def test_flushing_for_dirty_pages_begins_at_the_mark_or_at_the_maximum(
    version: str, most: str, mark: str, begins: int
) -> None:
    values = {"innodb_max_dirty_pages_pct": most, "innodb_max_dirty_pages_pct_lwm": mark}
    assert derived(target(version, **values), "dirty_lwm").value == begins


@pytest.mark.parametrize(
    ("policy", "commit"),
    [("1", "sync-each-commit"), ("2", "write-each-commit"), ("0", "sync-periodic(5 s)"), ("3", "sync-each-commit")],
)
def test_a_commit_is_classed_by_what_it_waits_for(policy: str, commit: str) -> None:
    values = {"innodb_flush_log_at_trx_commit": policy, "innodb_flush_log_at_timeout": "5"}
    assert derived(target(MARIADB_11_8, **values), "commit_class").value == commit


def test_tidesdb_without_sync_is_weaker_than_once_a_second() -> None:
    def commit(mode: str) -> object:
        values = {"tidesdb_unified_memtable_sync_mode": mode, "tidesdb_unified_memtable_sync_interval": "128000"}
        return derived(target(MARIADB_11_8, more={"storage_engine": "tidesdb"}, **values), "commit_class").value

    assert (commit("NONE"), commit("FULL"), commit("INTERVAL")) == (
        "sync-never",
        "sync-each-commit",
        "sync-periodic(0.128 s)",
    )


def test_tidesdb_without_the_unified_memtable_heeds_its_other_variables() -> None:
    values = {
        "tidesdb_unified_memtable_sync_mode": "FULL",
        "tidesdb_default_sync_mode": "INTERVAL",
        "tidesdb_unified_memtable_sync_interval": "128000",
        "tidesdb_default_sync_interval_us": "2000000",
        "tidesdb_block_cache_size": "1000",
        "tidesdb_unified_memtable_write_buffer_size": "300",
        "tidesdb_default_write_buffer_size": "20",
    }
    more = {"storage_engine": "tidesdb"}
    unified, split = (target(MARIADB_11_8, more=more, tidesdb_unified_memtable=w, **values) for w in ("ON", "OFF"))
    assert [derived(t, "commit_class").value for t in (unified, split)] == ["sync-each-commit", "sync-periodic(2 s)"]
    assert [derived(t, "cache_bytes").value for t in (unified, split)] == [1300, 1020]
    asked = {"tidesdb_unified_memtable": "OFF", "tidesdb_default_sync_mode": "NONE"}
    by_file = recognise(TargetFacts("mariadb-11.8.6", option_file=asked, storage_engine="tidesdb"))
    assert derived(by_file, "commit_class").value == "sync-never"


def test_mariadbs_commit_delay_needs_a_count() -> None:
    idle = target(MARIADB_11_8, binlog_commit_wait_usec="100000", binlog_commit_wait_count="0")
    waiting = target(MARIADB_11_8, binlog_commit_wait_usec="100000", binlog_commit_wait_count="4")
    assert derived(idle, "group_commit_delay_us").value == 0
    assert derived(waiting, "group_commit_delay_us").value == 100000
    assert derived(target(MYSQL_8_4, binlog_group_commit_sync_delay="50"), "group_commit_delay_us").value == 50


def test_atomic_writes_replace_the_doublewrite_where_device_or_choice_says_so() -> None:
    values = {"innodb_doublewrite": "ON", "innodb_use_atomic_writes": "ON"}
    assert derived(target("10.1.48-MariaDB", **values), "doublewrite").value == "device-atomic"
    assert derived(target("10.3.39-MariaDB", **values), "doublewrite").value == "full"
    reported = {"host": {"atomic_writes": True}}
    assert derived(target("10.3.39-MariaDB", more=reported, **values), "doublewrite").value == "device-atomic"
    assert derived(target(MYSQL_8_4, innodb_doublewrite="DETECT_ONLY"), "doublewrite").value == "detect-only"
    assert derived(target(MARIADB_11_8, innodb_doublewrite="fast"), "doublewrite").value == "fast"


def test_paths_of_data_and_redo_follow_the_switches_of_each_version() -> None:
    assert derived(target(MYSQL_5_7, innodb_flush_method=""), "data_io_path").value == "buffered"
    assert derived(target(MYSQL_8_4, innodb_flush_method="O_DIRECT"), "data_io_path").value == "direct"
    new = {"innodb_data_file_buffering": "ON", "innodb_flush_method": "O_DIRECT", "innodb_log_file_buffering": "OFF"}
    assert derived(target(MARIADB_11_8, **new), "data_io_path").value == "buffered"
    assert derived(target(MARIADB_11_8, **new), "redo_io_path").value == "direct"
    assert derived(target(MYSQL_8_4, innodb_flush_method="O_DIRECT"), "redo_io_path").value == "buffered"
    assert derived(target(MARIADB_11_8, more={"storage_engine": "tidesdb"}), "data_io_path").value == "buffered"


@pytest.mark.parametrize("version", [MYSQL_5_7, MYSQL_8_0, "10.6.23-MariaDB"])
def test_o_dsync_opens_the_redo_log_and_syncs_data_files_as_fsync_does(version: str) -> None:
    flags = [
        derived(target(version, innodb_flush_method=method, innodb_doublewrite="ON"), "data_io_flags").value
        for method in ("O_DSYNC", "fsync")
    ]
    assert flags == ["none", "none"]


def test_o_dsync_is_of_data_files_too_from_mariadb_11_on() -> None:
    shown = {"innodb_flush_method": "O_DSYNC", "innodb_data_file_write_through": "ON", "innodb_doublewrite": "ON"}
    asked = recognise(TargetFacts("mariadb-11.8.6", option_file={"innodb_flush_method": "O_DSYNC"}))
    assert derived(target(MARIADB_11_8, **shown), "data_io_flags").value == "write-through"
    assert derived(asked, "data_io_flags").value == "write-through"


def test_pauses_of_a_turn_are_multiplied_from_8_0_16_on() -> None:
    assert (
        derived(
            target(MYSQL_8_0, innodb_spin_wait_delay="6", innodb_spin_wait_pause_multiplier="25"), "spin_wait_units"
        ).value
        == 150
    )
    assert derived(target(MYSQL_5_7, innodb_spin_wait_delay="6"), "spin_wait_units").value == 300
    assert derived(target(MARIADB_11_8, innodb_spin_wait_delay="4"), "spin_wait_units").value == 200


def test_table_handles_count_for_each_instance_in_mariadb() -> None:
    values = {"table_open_cache": "2000", "table_open_cache_instances": "8"}
    assert derived(target(MARIADB_11_8, **values), "table_cache_handles").value == 16000
    assert derived(target(MYSQL_8_4, **values), "table_cache_handles").value == 2000


def test_write_buffers_come_on_top_of_an_lsm_engines_cache() -> None:
    cache = {"rocksdb_block_cache_size": str(GIB), "rocksdb_db_write_buffer_size": str(GIB // 2)}
    assert (
        derived(target(MARIADB_11_8, more={"storage_engine": "rocksdb"}, **cache), "cache_bytes").value == GIB * 3 // 2
    )
    options = {"rocksdb_default_cf_options": "write_buffer_size=128m;max_write_buffer_number=4"}
    unbounded = cache | {"rocksdb_db_write_buffer_size": "0"} | options
    assert (
        derived(target(MARIADB_11_8, more={"storage_engine": "rocksdb"}, **unbounded), "cache_bytes").value
        == GIB * 3 // 2
    )


@pytest.mark.parametrize(
    ("options", "supported", "wanted"),
    [
        ("", "Snappy,Zlib,LZ4", "KSNAPPYCOMPRESSION"),
        ("write_buffer_size=64m", "Zlib,LZ4", "OFF"),
        ("compression=kNoCompression;bottommost_compression=kNoCompression", "Snappy", "OFF"),
        ("compression=kNoCompression", "Snappy", "OFF"),
        ("bottommost_compression=kZSTD", "Snappy", "KSNAPPYCOMPRESSION+KZSTD"),
        ("max_write_buffer_number=4;compression_per_level=kNoCompression:kZSTD", "Snappy", "KNOCOMPRESSION:KZSTD"),
    ],
)
def test_files_of_rocksdb_are_in_snappy_unless_the_options_say_otherwise(
    options: str, supported: str, wanted: str
) -> None:
    values = {"rocksdb_default_cf_options": options, "rocksdb_supported_compression_types": supported}
    rocksdb = target(MARIADB_11_8, more={"storage_engine": "rocksdb"}, **values)
    assert derived(rocksdb, "table_compression").value == wanted


def test_options_of_the_default_family_come_before_those_of_all_families() -> None:
    values = {
        "rocksdb_block_cache_size": str(GIB),
        "rocksdb_db_write_buffer_size": "0",
        "rocksdb_default_cf_options": "compression=kNoCompression;write_buffer_size=64m;max_write_buffer_number=4",
        "rocksdb_override_cf_options": "cf2={compression=kZSTD};default={compression=kLZ4Compression;"
        "block_based_table_factory={block_size=16k;cache_index_and_filter_blocks=1};write_buffer_size=256m}",
    }
    rocksdb = target(MARIADB_11_8, more={"storage_engine": "rocksdb"}, **values)
    assert derived(rocksdb, "table_compression").value == "KLZ4COMPRESSION"
    assert derived(rocksdb, "cache_bytes").value == 2 * GIB


@pytest.mark.parametrize(
    ("word", "name"), [("crc32", "crc32"), ("strict_full_crc32", "crc32"), ("innodb", "software"), ("none", "none")]
)
def test_checksums_are_classed_by_cost(word: str, name: str) -> None:
    assert derived(target("10.5.23-MariaDB", innodb_checksum_algorithm=word), "checksum_class").value == name


def test_checksums_of_5_5_are_a_switch() -> None:
    assert derived(target("5.5.62", innodb_checksums="ON"), "checksum_class").value == "software"
    assert derived(target("5.5.62", innodb_checksums="OFF"), "checksum_class").value == "none"


def test_the_share_of_encrypted_connections_is_of_their_growth() -> None:
    start = {"connections": "10", "ssl_accepts": "10", "uptime": "5"}
    end = {"connections": "110", "ssl_accepts": "15", "uptime": "900"}
    reading = derived(target(more={"status": start, "status_end": end}), "tls_share")
    assert (reading.value, reading.certainty) == (0.05, "derived")
    late = {"connections": "100", "ssl_accepts": "100", "uptime": "900", "handler_commit": "5"}
    assert derived(target(more={"status": late}), "tls_share").certainty == "inferred"
    assert derived(target(more={"status": start}), "tls_share").state == "missing"


def test_a_server_that_is_not_known_has_no_quantity() -> None:
    unknown = recognise(TargetFacts("a", option_file={}))
    assert {derived(unknown, name).state for name in QUANTITIES} == {"missing"}
