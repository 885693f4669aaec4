"""What a study asks for becomes each server's own options, or is refused with the servers that can have it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dbdyno.configure import (
    RESERVED_OPTIONS,
    RequestedOptions,
    ServerBuild,
    ServerSize,
    Setting,
    check_settings,
    choose_settings,
    option_file,
    read_back,
)
from dbdyno.core import ConfigureError, StudyError
from dbdyno.engines import vocabulary
from dbdyno.study import parse_study
from error_codes import raises_code

MIB = 1 << 20
GIB = 1 << 30


def chosen(family: str, version: str, storage_engine: str = "innodb", **more: Any) -> dict[str, Setting]:
    build = ServerBuild(family, version, storage_engine, more.pop("plugin_version", None))
    size = ServerSize(more.pop("tier_bytes", 512 * MIB), 16)
    settings = choose_settings(build, size, RequestedOptions(**more))
    return {setting.option: setting for setting in settings}


@pytest.mark.parametrize(
    ("family", "version", "options"),
    [
        ("mysql", "9.7.4", {"innodb_redo_log_capacity": "4294967296"}),
        ("mysql", "8.0.31", {"innodb_redo_log_capacity": "4294967296"}),
        ("mysql", "8.0.15", {"innodb_log_file_size": "2147483648", "innodb_log_files_in_group": "2"}),
        ("mysql", "5.7.22", {"innodb_log_file_size": "2147483648", "innodb_log_files_in_group": "2"}),
        ("mariadb", "10.1.13", {"innodb_log_file_size": "2147483648", "innodb_log_files_in_group": "2"}),
        ("mariadb", "10.5.23", {"innodb_log_file_size": "4294967296"}),
        ("mariadb", "11.8.6", {"innodb_log_file_size": "4294967296"}),
    ],
)
def test_a_redo_capacity_is_files_times_size_where_there_are_files(
    family: str, version: str, options: dict[str, str]
) -> None:
    found = chosen(family, version, settings={"redo.capacity": 4 * GIB})
    assert {name: found[name].value for name in options} == options
    setting = found[next(iter(options))]
    assert setting.source == "settings" and re.search(r"redo\.capacity = 4 GiB, .*\b256 MiB", setting.reason)


def test_more_files_share_the_capacity() -> None:
    found = chosen("mysql", "5.7.22", settings={"redo.files": 4, "redo.capacity": GIB})
    assert found["innodb_log_file_size"].value == str(256 * MIB) and found["innodb_log_files_in_group"].value == "4"


def test_eviction_is_asked_for_in_total_and_divided_among_the_parts_of_the_pool() -> None:
    asked = {"flush.lru_scan_depth": 4096}
    assert chosen("mysql", "8.0.31", settings=asked, tier_bytes=2 * GIB)["innodb_lru_scan_depth"].value == "512"
    assert chosen("mariadb", "11.8.6", settings=asked, tier_bytes=2 * GIB)["innodb_lru_scan_depth"].value == "4096"


@pytest.mark.parametrize(("word", "number"), [("full", "1"), ("relaxed", "2"), ("periodic", "0")])
def test_a_durability_class_is_each_storage_engines_own_switch(word: str, number: str) -> None:
    asked = {"commit.durability": word, "binlog.enabled": "ON"}
    innodb, rocksdb = (
        chosen("mysql", "9.7.4", settings=asked),
        chosen("mariadb", "11.8.6", "rocksdb", settings=asked),
    )
    assert innodb["innodb_flush_log_at_trx_commit"].value == number
    assert rocksdb["rocksdb_flush_log_at_trx_commit"].value == number
    for options in (innodb, rocksdb):
        assert options["sync_binlog"].value == ("1" if word == "full" else "0")
        assert options["log_bin"].value == "binlog" and options["server_id"].value == "1"
        assert "skip_log_bin" not in options and options["binlog_format"].value == "ROW"


@pytest.mark.parametrize(
    ("family", "version", "option"),
    [
        ("mariadb", "11.8.6", "binlog_annotate_row_events"),
        ("mysql", "9.7.4", "binlog_rows_query_log_events"),
        ("percona", "8.0.46", "binlog_rows_query_log_events"),
    ],
)
def test_a_binary_log_holds_rows_alone_on_every_server(family: str, version: str, option: str) -> None:
    assert chosen(family, version, settings={"binlog.enabled": "ON"})[option].value == "OFF"
    assert option not in chosen(family, version)


def test_the_write_buffers_of_an_lsm_engine_are_taken_from_its_tier() -> None:
    found = chosen("mariadb", "11.8.6", "rocksdb", settings={"memory.write_buffers": 200 * MIB})
    assert int(found["rocksdb_block_cache_size"].value) == 312 * MIB
    with pytest.raises(StudyError, match=r"memory\.write_buffers = 512 MiB"):
        chosen("mariadb", "11.8.6", "rocksdb", settings={"memory.write_buffers": 512 * MIB})


def test_the_ceiling_of_page_writes_follows_their_aim() -> None:
    found = chosen("mysql", "9.7.4", settings={"io.capacity": 9000})
    assert found["innodb_io_capacity_max"].value == "18000"
    assert found["innodb_io_capacity_max"].source == "baseline"


@pytest.mark.parametrize(("ceiling", "aim"), [(1000, "1000"), (2000, "2000"), (9000, "2000")])
def test_the_aim_of_page_writes_stays_below_a_ceiling_that_the_study_sets(ceiling: int, aim: str) -> None:
    found = chosen("mysql", "9.7.4", settings={"io.capacity_max": ceiling})
    assert (found["innodb_io_capacity"].value, found["innodb_io_capacity_max"].value) == (aim, str(ceiling))
    assert found["innodb_io_capacity"].source == "baseline"


@pytest.mark.parametrize("path", ["direct", "buffered"])
def test_a_data_path_is_said_in_the_words_of_each_version(path: str) -> None:
    asked = {"io.data_path": path}
    is_direct = path == "direct"
    assert chosen("mysql", "5.7.22", settings=asked)["innodb_flush_method"].value == (
        "O_DIRECT" if is_direct else "fsync"
    )
    modern = chosen("mariadb", "11.8.6", settings=asked)
    assert modern["innodb_data_file_buffering"].value == ("OFF" if is_direct else "ON")
    assert "innodb_flush_method" not in modern
    rocksdb = chosen("mariadb", "11.8.6", "rocksdb", settings=asked)
    assert rocksdb["rocksdb_use_direct_reads"].value == ("ON" if is_direct else "OFF")


@pytest.mark.parametrize(
    ("server", "asked", "said"),
    [
        (("mysql", "9.7.4"), {"redo.file_buffering": "OFF"}, "mariadb 10.8.4 and later"),
        (("mariadb", "11.8.6"), {"index.change_buffering": "all"}, " is none"),
        (("mariadb", "10.11.19"), {"sync.spin_pause_multiplier": 10}, "mysql, percona 8.0.16 and later"),
        (("mariadb", "10.5.23"), {"trx.snapshot_isolation": "ON"}, "mariadb 10.6.18 to before 10.7"),
        (("mysql", "9.7.4"), {"server.thread_handling": "pool-of-threads"}, "value"),
        (("mysql", "9.7.4"), {"redo.files": 4}, "mysql, percona before 8.0.30"),
        (("mysql", "5.5.34"), {"purge.threads": 4}, "at most 1"),
        (("mysql", "5.5.34"), {"redo.capacity": 8 * GIB}, "at most"),
        (
            ("mysql", "8.0.15"),
            {"redo.capacity": 257 * MIB},
            "multiple of 1 MiB",
        ),
        (("mysql", "5.7.22"), {"redo.files": 25}, "redo.capacity = 256 MiB"),
        (("mysql", "9.7.4"), {"redo.capacity": 256 * MIB + 1}, "multiple of 1 MiB"),
        (("mysql", "9.7.4"), {"memory.buffer_pool_instances": 4}, "below 1 GiB"),
        (("mysql", "8.0.31"), {"flush.page_cleaners": 4}, "memory.buffer_pool_instances, which is 1"),
        (("mariadb", "11.8.6"), {"flush.dirty_lwm": 95}, "flush.dirty_max, which is 90 %"),
        (("mariadb", "11.8.6"), {"io.capacity_max": 300, "io.capacity": 900}, " io.capacity_max"),
        (("mysql", "9.7.4"), {"binlog.sync": 1}, " binlog.enabled = ON"),
        (("mysql", "9.7.4"), {"commit.redo_flush_interval": 5}, "relaxed or periodic"),
        (("mariadb", "11.8.6"), {"server.thread_pool_size": 4}, "server.thread_handling = pool-of-threads"),
        (("mariadb", "10.11.19"), {"redo.write_ahead": 8192}, "at most 4096"),
        (("mariadb", "11.3.2"), {"redo.write_ahead": 4096}, "11.4.2 and later"),
        (("mysql", "9.7.4"), {"redo.write_ahead": 5000}, "choose 4 KiB"),
        (("mysql", "5.7.44"), {"undo.truncate": "ON"}, "mysql, percona 8.0 and later"),
        (("mariadb", "10.11.19"), {"undo.truncate": "ON"}, "mariadb 11.0 and later"),
        (("mariadb", "10.6.23"), {"trx.lock_wait_timeout": 200_000_000}, "at most 100000000"),
        (("mariadb", "10.5.23"), {"memory.numa_interleave": "ON"}, "mariadb 10.6 and later"),
    ],
)
def test_what_a_server_can_not_have_is_refused_with_those_that_can(
    server: tuple[str, str], asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(StudyError) as caught:
        chosen(*server, settings=asked)
    assert said in f"{caught.value.what} {caught.value.why} {caught.value.remedy}"
    assert list(asked)[-1] in caught.value.what or "redo.capacity" in caught.value.what


GROUP_COMMIT = {"delay": "binlog.group_commit_delay", "count": "binlog.group_commit_count"}


@pytest.mark.parametrize(
    ("family", "asked", "missing"),
    [
        ("mysql", {"delay": 1000}, ""),
        ("mysql", {"count": 10}, "delay"),
        ("mysql", {"count": 10, "delay": 0}, "delay"),
        ("mysql", {"count": 10, "delay": 1000}, ""),
        ("mariadb", {"delay": 1000}, "count"),
        ("mariadb", {"delay": 1000, "count": 0}, "count"),
        ("mariadb", {"count": 10}, "delay"),
        ("mariadb", {"count": 10, "delay": 1000}, ""),
        ("mariadb", {"count": 0, "delay": 0}, ""),
    ],
)
def test_a_wait_for_group_commit_is_refused_where_it_would_do_nothing_or_something_else(
    family: str, asked: dict[str, int], missing: str
) -> None:
    settings: dict[str, Any] = {"binlog.enabled": "ON", **{GROUP_COMMIT[name]: asked[name] for name in asked}}
    server = (family, "8.4.10" if family == "mysql" else "11.8.6")
    if missing:
        with pytest.raises(StudyError) as caught:
            chosen(*server, settings=settings)
        assert GROUP_COMMIT[missing] in caught.value.remedy
    else:
        found = chosen(*server, settings=settings).values()
        assert {s.value for s in found if s.parameter in GROUP_COMMIT.values()} == {str(n) for n in asked.values()}


@pytest.mark.parametrize("server", [("mysql", "5.7.44"), ("mysql", "8.0.46"), ("mariadb", "10.11.19")])
def test_numa_interleaving_is_written_only_when_asked_for_where_it_is_off_by_default(server: tuple[str, str]) -> None:
    asked = chosen(*server, settings={"memory.numa_interleave": "ON"})
    assert asked["loose_innodb_numa_interleave"].value == "ON"
    assert "loose_innodb_numa_interleave" not in chosen(*server)
    assert chosen("mysql", "8.4.10")["loose_innodb_numa_interleave"].value == "OFF"


@pytest.mark.parametrize("instances", [2, 3, 10, 12, 16, 64])
def test_parts_of_the_pool_get_a_whole_number_of_pages_each_unless_the_study_says_how_many(instances: int) -> None:
    asked = {"memory.buffer_pool_instances": instances}
    each = int(chosen("mysql", "8.4.10", settings=asked, tier_bytes=8 * GIB)["innodb_lru_scan_depth"].value)
    assert each >= 100 and 1024 <= each * instances < max(1024 + instances, 100 * instances + 1)


@pytest.mark.parametrize("server", [("mysql", "8.4.10"), ("mariadb", "11.8.6")])
@pytest.mark.parametrize("connections", [20_000, 70_000])
def test_what_follows_the_connections_stays_within_what_servers_take(server: tuple[str, str], connections: int) -> None:
    found = chosen(*server, settings={"server.max_connections": connections})
    assert int(found["thread_cache_size"].value) == 16_384
    assert int(found["back_log"].value) == min(connections, 65_535)
    assert int(found["max_connections"].value) == connections


@pytest.mark.parametrize(
    ("server", "asked"),
    [
        (("mysql", "9.7.4"), {"redo.file_buffering": "ON"}),
        (("mariadb", "11.8.6"), {"index.change_buffering": "none"}),
        (("mariadb", "10.5.23"), {"trx.snapshot_isolation": "OFF"}),
        (("mariadb", "11.8.6"), {"sync.thread_concurrency": 0}),
    ],
)
def test_what_a_server_has_in_effect_anyway_needs_no_option(server: tuple[str, str], asked: dict[str, Any]) -> None:
    assert {s.option: s.value for s in chosen(*server, settings=asked).values()} == {
        s.option: s.value for s in chosen(*server).values()
    }


def test_a_parameter_and_a_raw_option_for_the_same_thing_are_too_many() -> None:
    with raises_code(StudyError, "set-twice", "io.capacity"):
        chosen("mysql", "9.7.4", settings={"io.capacity": 500}, raw={"innodb-io-capacity": "600"})


def test_a_raw_option_takes_the_place_of_its_own_negation() -> None:
    found = chosen("mysql", "9.7.4", raw={"log_bin": "mine"})
    assert "skip_log_bin" not in found and found["log_bin"].value == "mine"


@pytest.mark.parametrize("value", ["OFF", "off", "0", "FALSE"])
def test_the_name_of_a_binary_log_is_not_taken_for_a_switch(value: str) -> None:
    """MySQL 9.7 and MariaDB 11.8 write OFF.000001 if log_bin is OFF."""
    with pytest.raises(StudyError, match=f"'log_bin = {value}' switches the binary log on"):
        chosen("mysql", "9.7.4", raw={"log_bin": value})


def test_vendors_servers_get_their_tier_and_room_for_the_load_only() -> None:
    found = chosen("mysql", "9.7.4", policy="vendor")
    assert {s.parameter for s in found.values()} == {"memory.buffer_pool", "memory.buffer_pool_chunk"}
    rocksdb = chosen("mariadb", "11.8.6", "rocksdb", policy="vendor")
    assert {s.option: s.value for s in rocksdb.values()} == {"rocksdb_block_cache_size": str(512 * MIB)}
    many = choose_settings(
        ServerBuild("mysql", "9.7.4", "innodb"), ServerSize(GIB, 500), RequestedOptions(policy="vendor")
    )
    assert {"max_connections", "open_files_limit", "max_prepared_stmt_count"} <= {s.option for s in many}


def test_a_tuned_server_gets_its_file_but_for_what_keeps_it_private() -> None:
    file = {"innodb-io-capacity": "900", "skip_log_bin": "", "datadir": "/var/lib/mysql", "port": "3306"}
    found = chosen("mysql", "9.7.4", policy="tuned", file_options=file)
    assert {s.option: s.value for s in found.values() if s.source == "file"} == {
        "innodb_io_capacity": "900",
        "skip_log_bin": "",
    }
    assert "innodb_flush_method" not in found and "innodb_buffer_pool_size" in found


def test_a_mere_name_in_a_tuned_file_stays_one_and_means_on() -> None:
    file = {"innodb_file_per_table": None, "slow_query_log": None, "log_bin": None, "innodb_undo_directory": None}
    found = chosen("mysql", "8.4.10", policy="tuned", file_options=file)
    own = [setting for setting in found.values() if setting.source == "file"]
    assert option_file({}, own).splitlines()[4::3] == ["innodb_file_per_table", "slow_query_log", "log_bin"]
    shown = {"innodb_file_per_table": "ON", "slow_query_log": "ON", "log_bin": "ON"}
    done = read_back(own, shown, {}, family="mysql", version="8.4.10")
    assert {setting.value for setting in done} == {"ON"}
    for name in shown:
        with pytest.raises(ConfigureError, match=name):
            read_back(own, shown | {name: "OFF"}, {}, family="mysql", version="8.4.10")


@pytest.mark.parametrize("engine", [("mysql", "8.4.10"), ("mariadb", "11.8.6")])
def test_no_file_of_a_tuned_server_lies_outside_its_own_directory(engine: tuple[str, str]) -> None:
    file = dict.fromkeys(RESERVED_OPTIONS, "/var/lib/mysql") | {
        "mysqlx_socket": "/run/x.sock",
        "log-bin": "/var/log/mysql/mysql-bin",
        "general_log": "ON",
    }
    found = chosen(*engine, policy="tuned", file_options=file)
    own = {setting.option: setting.value for setting in found.values() if setting.source == "file"}
    assert own == {"log_bin": "mysql-bin", "general_log": "ON"}
    assert chosen(*engine, raw={"log_bin": "../other/binlog"})["log_bin"].value == "binlog"
    for name in ("loose-datadir", "mysqlx_port", "innodb_log_group_home_dir"):
        with pytest.raises(StudyError, match=name.replace("-", "_")):
            chosen(*engine, raw={name: "/x"})


def test_a_tuned_file_may_not_change_the_tier_that_it_is_measured_at() -> None:
    same = chosen("mysql", "9.7.4", policy="tuned", file_options={"innodb_buffer_pool_size": "512M"})
    assert same["innodb_buffer_pool_size"].value == "512M"
    with raises_code(StudyError, "tier-in-option-file", "536870912"):
        chosen("mysql", "9.7.4", policy="tuned", file_options={"innodb_buffer_pool_size": "8G"})


def test_a_study_is_checked_by_series_before_anything_is_fetched() -> None:
    text = (
        'targets = ["mysql:9.7", "mariadb:10.11"]\nworkload.name = "oltp_read_only"\n'
        'axes = {tier = "64MB", concurrency = 1}\n[settings]\n'
    )
    assert list(check_settings(parse_study(text + "trx.snapshot_isolation = false", "s"))) == [
        "mysql:9.7",
        "mariadb:10.11",
    ]
    with raises_code(StudyError, "impossible-setting", "mysql:9.7: ", "trx.snapshot_isolation = ON", " 9.7: "):
        check_settings(parse_study(text + "trx.snapshot_isolation = true", "s"))


def test_every_word_of_the_vocabulary_is_explained_and_bounded() -> None:
    for name, entries in vocabulary().items():
        for entry in entries:
            assert entry.title and entry.reason, name
            assert entry.unit in ("switch", "word") or entry.least is not None, name
            assert all(set(row.words) <= set(entry.values) for row in entry.rows), name
            assert set(entry.needs) <= set(vocabulary()), name
            assert len({(e.unit, e.values, e.least, e.most) for e in entries}) == 1, name


def test_encryption_is_one_version_and_one_cipher_and_needs_a_route_that_has_it() -> None:
    on = {"tls.available": "ON"}
    mysql, mariadb = chosen("mysql", "9.7.4", settings=on), chosen("mariadb", "11.8.6", settings=on)
    assert mysql["tls_version"].value == mariadb["tls_version"].value == "TLSv1.3"
    assert mysql["tls_ciphersuites"].value and "skip_ssl" not in mariadb
    assert "tls_ciphersuites" not in chosen("mysql", "9.7.4")
    for family, version in (("mysql", "5.7.44"), ("mariadb", "10.11.19")):
        with raises_code(StudyError, "impossible-setting"):
            chosen(family, version, settings=on)
    study = """
targets = ["mysql:9.7"]
workload = {name = "oltp_point_select"}
settings = {tls = {available = "ON"}}
axes = {tier = "64MB", concurrency = 1, route = ["socket"]}
"""
    with raises_code(StudyError, "ineffective-setting"):
        check_settings(parse_study(study, "tls.toml"))
    check_settings(parse_study(study.replace('["socket"]', '["socket", "loopback"]'), "tls.toml"))
