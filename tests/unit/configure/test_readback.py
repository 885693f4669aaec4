"""What was asked against what the server says."""

from __future__ import annotations

import contextlib

import pytest

from dbdyno.configure import Setting, option_file, read_back
from dbdyno.configure._options import SettingSource
from dbdyno.core import ConfigureError

MARIADB = {"family": "mariadb", "version": "11.8.6"}


@pytest.mark.parametrize(
    ("option", "asked", "shown"),
    [
        ("innodb_io_capacity", "2000", "2000"),
        ("sort_buffer_size", "256K", "262144"),
        ("innodb_max_dirty_pages_pct", "90", "90.000000"),
        ("innodb_doublewrite", "1", "ON"),
        ("innodb_buffer_pool_size", str(500 << 20), str(504 << 20)),
        ("open_files_limit", "9000", "20000"),
        ("character_set_collations", "", ""),
        ("sql_mode", "NO_ENGINE_SUBSTITUTION,STRICT_TRANS_TABLES", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
        ("sql_mode", "TRADITIONAL", "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_DATE,TRADITIONAL"),
        ("sql_mode", "ansi", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI"),
        ("sql_mode", "", ""),
        ("optimizer_switch", "mrr=on,index_merge=default", "index_merge=on,mrr=on"),
        ("long_query_time", "1000000", "1000000.000000"),
        ("long_query_time", "0.00001", "0.000010"),
        ("character_set_server", "utf8", "utf8mb3"),
        ("collation_server", "utf8_bin", "utf8mb3_bin"),
        ("skip_name_resolve", "", "ON"),
        ("concurrent_insert", "2", "ALWAYS"),
        ("delay_key_write", "1", "ON"),
    ],
)
def test_a_value_in_the_servers_own_form_is_the_same_value(option: str, asked: str, shown: str) -> None:
    done = read_back([Setting(option, asked, "why")], {option: shown}, {}, **MARIADB)
    assert done[0].effective == shown


@pytest.mark.parametrize(
    ("option", "asked", "shown"),
    [
        ("innodb_io_capacity", "2000", "200"),
        ("innodb_buffer_pool_size", str(64 << 20), str(128 << 20)),
        ("innodb_buffer_pool_size", str(64 << 20), str(63 << 20)),
        ("open_files_limit", "9000", "1024"),
        ("innodb_doublewrite", "ON", "OFF"),
        ("sql_mode", "STRICT_TRANS_TABLES", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
        ("sql_mode", "TRADITIONAL", "STRICT_TRANS_TABLES"),
        ("sql_mode", "STRICT_TRANS_TABLES", "NO_ENGINE_SUBSTITUTION"),
        ("optimizer_switch", "mrr=on", "index_merge=on,mrr=off"),
        ("long_query_time", "1234567.5", "1234568.000000"),
        ("character_set_server", "utf8", "utf8mb4"),
    ],
)
def test_a_setting_that_did_not_take_effect_stops_with_its_name_and_both_values(
    option: str, asked: str, shown: str
) -> None:
    with pytest.raises(ConfigureError, match=option) as caught:
        read_back([Setting(option, asked, "why")], {option: shown}, {}, **MARIADB)
    assert asked in caught.value.why and shown in caught.value.why and caught.value.remedy


def test_redo_capacity_is_read_from_the_status_that_tells_the_truth() -> None:
    setting = Setting("innodb_redo_log_capacity", str(512 << 20), "why", "redo.capacity")
    variables = {"innodb_redo_log_capacity": str(512 << 20)}
    with pytest.raises(ConfigureError, match="innodb_redo_log_capacity"):
        read_back([setting], variables, {"innodb_redo_log_capacity_resized": "1"}, family="mysql", version="9.7.4")


def test_an_option_without_value_is_judged_by_what_it_stands_for() -> None:
    done = read_back([Setting("skip_log_bin", "", "why")], {"log_bin": "OFF"}, {}, **MARIADB)
    assert done[0].effective == "OFF"
    with pytest.raises(ConfigureError, match="skip_log_bin"):
        read_back([Setting("skip_log_bin", "", "why")], {"log_bin": "ON"}, {}, **MARIADB)


@pytest.mark.parametrize(
    ("value", "source", "is_refused"),
    [("ON", "settings", True), ("OFF", "settings", False), ("OFF", "baseline", False)],
)
def test_a_study_does_not_get_what_the_build_lacks(value: str, source: SettingSource, is_refused: bool) -> None:
    setting = Setting("loose_innodb_numa_interleave", value, "why", "memory.numa_interleave", source)
    server = {"family": "mysql", "version": "8.4.8"}
    assert read_back([setting], {"innodb_numa_interleave": value}, {}, **server)[0].effective == value
    with pytest.raises(ConfigureError, match="numa") if is_refused else contextlib.nullcontext():
        read_back([setting], {"version": "8.4.8"}, {}, **server)


def test_what_the_server_does_not_show_is_none() -> None:
    assert read_back([Setting("something_else", "1", "why")], {}, {}, **MARIADB)[0].effective is None


def test_an_option_file_gives_each_reason_and_cannot_be_broken_out_of() -> None:
    text = option_file({}, [Setting("a", "x\ny", "two\nlines"), Setting("b", "c;d", "r")])
    assert '# two lines\na = "x y"\n' in text
    assert 'b = "c;d"' in text
