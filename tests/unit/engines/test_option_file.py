"""Option files: one reader for the audit, the import, dumps and studies."""

from __future__ import annotations

import pytest

from dbdyno.engines import read_option_file, requested_option


def test_an_option_file_is_read_as_the_server_reads_it() -> None:
    text = """
    !includedir /etc/mysql/conf.d/
    [client]
    port = 3306
    [mysqld]
    ; a comment
    sort-buffer-size=1M
    skip-log-bin
    loose-userstat
    ssl = 0
    character_set_server = utf8mb4 # for all
    init_connect = "SET NAMES utf8mb4 # no comment"
    [mariadb-11.8]
    sort_buffer_size = 2M
    [mysqld_safe]
    malloc-lib = jemalloc
    """
    assert read_option_file(text).asked == {
        "sort_buffer_size": "2M",
        "log_bin": "OFF",
        "userstat": "ON",
        "ssl": "0",
        "character_set_server": "utf8mb4",
        "init_connect": "SET NAMES utf8mb4 # no comment",
    }


def test_options_keep_how_they_were_written_and_where() -> None:
    text = "[mysqld]\na-b = 1\nA_b=2\n[client]\nport=9\n[mysqld-8.4]\nc='x # y'\n[mysqldump]\nquick\n# z=1\n; z=2\n"
    written = read_option_file(text)
    assert [(option.name, option.value, option.line, option.group) for option in written.options] == [
        ("a_b", "1", 2, "mysqld"),
        ("A_b", "2", 3, "mysqld"),
        ("c", "x # y", 7, "mysqld-8.4"),
    ]
    assert written.asked == {"a_b": "2", "c": "x # y"}
    assert written.diagnostics == ()


def test_lines_that_are_no_option_are_named() -> None:
    written = read_option_file("[mysqld]\n= 3\n<<<<\n[mariadb\n")
    told = [(line, text.partition(": ")[2]) for line, text in written.diagnostics]
    assert told == [(2, "= 3"), (3, "<<<<"), (4, "[mariadb")]
    assert written.options == ()


def test_the_last_of_several_options_for_one_variable_counts_however_it_is_written() -> None:
    assert read_option_file("[mysqld]\nskip-log-bin\nlog_bin = a\nskip_log_bin\n").asked == {"log_bin": "OFF"}
    assert read_option_file("[mysqld]\nlog_bin\nloose-log-bin = b\n").asked == {"log_bin": "b"}


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("skip-log-bin # for now", ("log_bin", "OFF")),
        ("log_bin = OFF", ("log_bin", "OFF (a file name)")),
        ("loose-log-bin = 0", ("log_bin", "0 (a file name)")),
        ("log_bin = ON", ("log_bin", "ON")),
        ("skip-name-resolve", ("skip_name_resolve", "ON")),
        ("skip-innodb-adaptive-hash-index = 0", ("innodb_adaptive_hash_index", "ON")),
        ("sql_mode='ANSI,TRADITIONAL' # both", ("sql_mode", "ANSI,TRADITIONAL")),
        ("init_connect = it's # one value", ("init_connect", "it's # one value")),
        ("tmpdir = /a#b", ("tmpdir", "/a")),
        ("datadir =", ("datadir", "")),
    ],
)
def test_values_end_where_the_server_sees_their_end(line: str, asked: tuple[str, str]) -> None:
    assert read_option_file(f"[mysqld]\r\n{line}\r\n").asked == dict([asked])
    assert requested_option(line) == asked
