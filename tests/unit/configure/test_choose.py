"""Options of a target: equal in effect, the study's own on top, nothing that a version refuses or ignores."""

from __future__ import annotations

from typing import Any

import pytest

from dbdyno.configure import RESERVED_OPTIONS, RequestedOptions, ServerBuild, ServerSize, Setting, choose_settings
from dbdyno.configure._baseline import REDO_CAPACITY_BYTES, baseline
from dbdyno.configure._memory_budget import chunk_bytes, pool_instances
from dbdyno.core import StudyError
from dbdyno.engines import parameters
from numbers_in import numbers_in

MIB = 1 << 20
SERVERS = [
    ("mysql", "5.5.34"), ("mysql", "5.6.24"), ("mariadb", "10.1.13"), ("mariadb", "10.2.11"), ("mariadb", "11.4.5"),
    ("mysql", "5.7.44"), ("mysql", "8.0.15"), ("mysql", "8.0.46"), ("mysql", "8.4.10"), ("mysql", "9.7.4"),
    ("mariadb", "10.5.23"), ("mariadb", "10.6.23"), ("mariadb", "10.11.19"), ("mariadb", "11.8.6"),
    ("mariadb", "12.1.2"),
]  # fmt: skip


def chosen(
    family: str, version: str, storage_engine: str = "innodb", tier: int = 64 * MIB, **more: Any
) -> dict[str, Setting]:
    size = ServerSize(tier, 16, more.pop("processors", None))
    settings = choose_settings(ServerBuild(family, version, storage_engine), size, RequestedOptions(**more))
    return {setting.option: setting for setting in settings}


def test_every_parameter_of_the_tables_has_a_value() -> None:
    values = baseline(tier_bytes=64 * MIB, concurrency_max=1, processors=2, family="mysql", version="9.7.4")
    told = {p.parameter_id for p in parameters() if p.value or p.like}
    assert {p.like for p in parameters()} - {""} <= values.keys()
    assert {p.parameter_id for p in parameters() if not p.is_optional} - told == values.keys()


@pytest.mark.parametrize(("family", "version"), SERVERS)
def test_redo_capacity_is_the_same_however_a_server_counts_it(family: str, version: str) -> None:
    options = chosen(family, version)
    if "innodb_redo_log_capacity" in options:
        capacity = int(options["innodb_redo_log_capacity"].value)
    else:
        files = int(options["innodb_log_files_in_group"].value) if "innodb_log_files_in_group" in options else 1
        capacity = int(options["innodb_log_file_size"].value) * files
    assert capacity == REDO_CAPACITY_BYTES


@pytest.mark.parametrize(("family", "version"), SERVERS)
@pytest.mark.parametrize("tier", [64 * MIB, 512 * MIB, 4096 * MIB])
def test_lru_pages_and_table_handles_are_the_same_in_total(family: str, version: str, tier: int) -> None:
    options = chosen(family, version, tier=tier)
    instances = int(options["innodb_buffer_pool_instances"].value) if "innodb_buffer_pool_instances" in options else 1
    if version != "5.5.34":  # which has no such option
        assert int(options["innodb_lru_scan_depth"].value) * instances == 1024
    handles = int(options["table_open_cache"].value)
    if family == "mariadb" and version != "10.1.13":  # counted for each instance there; before 10.2 there is one
        handles *= int(options["table_open_cache_instances"].value)
    assert handles == 4000


@pytest.mark.parametrize(("family", "version"), SERVERS)
def test_durability_and_isolation_are_stated_for_every_server(family: str, version: str) -> None:
    options = chosen(family, version)
    assert options["innodb_flush_log_at_trx_commit"].value == "1"
    assert options["innodb_doublewrite"].value in ("ON", "1")
    assert "skip_log_bin" in options
    assert options["transaction_isolation"].value == "REPEATABLE-READ"
    assert ("innodb_snapshot_isolation" in options) == (
        family == "mariadb" and version not in ("10.1.13", "10.2.11", "10.5.23")
    )
    assert ("skip_ssl" in options) != ("tls_version" in options)
    assert all(setting.reason for setting in options.values())


def test_a_tier_of_an_lsm_engine_is_its_cache_and_its_write_buffers() -> None:
    options = chosen("mariadb", "11.8.6", "rocksdb", tier=512 * MIB)
    cache = int(options["rocksdb_block_cache_size"].value)
    buffers = int(options["rocksdb_db_write_buffer_size"].value)
    assert cache + buffers == 512 * MIB
    assert int(options["innodb_buffer_pool_size"].value) == 16 * MIB
    assert options["rocksdb_use_direct_reads"].value == "ON"
    assert "innodb_io_capacity" not in options


@pytest.mark.parametrize("tier_mib", [16, 64, 200, 500, 512, 1000, 1024, 3000, 65536])
def test_a_chunk_leaves_the_tier_as_asked_to_one_percent(tier_mib: int) -> None:
    instances = pool_instances(tier_mib * MIB, "mysql", "9.7.4")
    step = chunk_bytes(tier_mib * MIB, instances) * instances
    effective = -(-tier_mib * MIB // step) * step
    assert tier_mib * MIB <= effective <= tier_mib * MIB * 1.01
    assert effective * instances // step <= 1000


def test_limits_grow_with_the_concurrency() -> None:
    values = baseline(tier_bytes=64 * MIB, concurrency_max=1000, processors=None, family="mysql", version="9.7.4")
    assert values["server.max_connections"] == 1032
    assert values["server.table_open_cache"] == 16_000
    assert int(values["server.open_files_limit"]) > 2 * 16_000 + 1032
    assert "redo.writer_threads" not in values


@pytest.mark.parametrize(
    ("processors", "binary_log", "wanted"),
    [(4, "OFF", "OFF"), (5, "OFF", "ON"), (31, "ON", "OFF"), (32, "ON", "ON")],
)
def test_log_writer_threads_follow_the_processors_and_the_binary_log(
    processors: int, binary_log: str, wanted: str
) -> None:
    options = chosen("mysql", "9.7.4", processors=processors, settings={"binlog.enabled": binary_log})
    assert options["innodb_log_writer_threads"].value == wanted


def test_options_of_the_study_win_and_are_marked() -> None:
    options = chosen("mysql", "9.7.4", raw={"--innodb-io-capacity": "500", "innodb_spin_wait_delay": "4"})
    own = options["innodb_io_capacity"]
    assert (own.value, own.source, own.parameter) == ("500", "study", "io.capacity")
    assert "2000" in own.reason


def test_an_unknown_option_is_left_to_the_server_with_the_nearest_name() -> None:
    options = chosen("mysql", "9.7.4", raw={"innodb_io_capacty": "500"})
    assert "innodb_io_capacity" in options["innodb_io_capacty"].reason


@pytest.mark.parametrize(
    ("family", "version", "option", "says", "instead"),
    [
        ("mariadb", "11.8.6", "innodb_redo_log_capacity", "refuses", "innodb_log_file_size"),
        ("mariadb", "11.8.6", "innodb-log-files-in-group", "ignores", "innodb_"),
        ("mysql", "9.7.4", "query_cache_type", "refuses", ""),
        ("mysql", "8.0.46", "innodb_log_file_size", "ignores", "redo.capacity in [settings]"),
        ("mysql", "9.7.4", "innodb_log_file_size", "refuses", "redo.capacity in [settings]"),
    ],
)
def test_what_a_version_refuses_or_ignores_is_an_error_that_names_the_native_option(
    family: str, version: str, option: str, says: str, instead: str
) -> None:
    with pytest.raises(StudyError, match=says) as caught:
        chosen(family, version, raw={option: "1"})
    assert instead in caught.value.remedy


@pytest.mark.parametrize("option", sorted(RESERVED_OPTIONS))
def test_what_keeps_a_server_private_is_not_the_studys_to_set(option: str) -> None:
    with pytest.raises(StudyError, match=option):
        chosen("mysql", "9.7.4", raw={option.replace("_", "-"): "x"})


def test_an_option_never_gets_more_than_it_takes_and_the_reason_says_so() -> None:
    old, new = (chosen("mysql", version)["innodb_purge_threads"] for version in ("5.5.34", "5.6.24"))
    assert (old.value, new.value) == ("1", "4")
    assert numbers_in(old.reason)[-2:] == [1, 4]


def test_a_switch_that_knows_no_words_is_written_as_a_number() -> None:
    assert chosen("mysql", "5.5.34")["innodb_doublewrite"].value == "1"
    assert chosen("mysql", "5.6.24")["innodb_doublewrite"].value == "ON"


@pytest.mark.parametrize(("family", "version"), [("mysql", "5.6.24"), ("percona", "5.6.51"), ("mariadb", "10.1.13")])
def test_old_versions_get_the_page_checksum_of_later_ones(family: str, version: str) -> None:
    assert chosen(family, version)["innodb_checksum_algorithm"].value == "crc32"


@pytest.mark.parametrize(
    ("family", "version"), [("mysql", "5.5.34"), ("mysql", "5.7.44"), ("mysql", "9.7.0"), ("mariadb", "10.2.11")]
)
def test_versions_without_it_or_with_crc32_by_default_keep_their_page_checksum(family: str, version: str) -> None:
    assert "innodb_checksum_algorithm" not in chosen(family, version)
