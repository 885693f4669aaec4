"""Dumps of variables and status in the forms that clients print, and option files."""

from __future__ import annotations

import pytest

from dbdyno.imports.settings import read_dump, read_option_file


@pytest.mark.parametrize(
    "text",
    [
        "Variable_name\tValue\nsync_binlog\t1\nsql_mode\t\n",
        "sync_binlog\t1\nsql_mode\t\n",
        "+---+--+\n| Variable_name | Value |\n+----+---+\n| sync_binlog   | 1     |\n| sql_mode |       |\n+--+-+\n",
        '"Variable_name","Value"\n"sync_binlog","1"\n"sql_mode",""\n',
        '{"sync_binlog": 1, "sql_mode": ""}',
        '{"variables": {"sync_binlog": "1", "sql_mode": ""}, "other": []}',
        "mysql: [Warning] Using a password here can be insecure.\nsync_binlog\t1\nsql_mode\t\n",
    ],
)
def test_every_form_of_a_dump_gives_the_same(text: str) -> None:
    found = read_dump(text)
    assert found.values == {"sync_binlog": "1", "sql_mode": ""}
    assert found.complaints == ()


def test_values_keep_what_looks_like_a_frame_or_a_tab() -> None:
    assert read_dump("init_connect\tSET a='|'\tx\n").values == {"init_connect": "SET a='|'\tx"}


def test_lines_that_are_none_are_named() -> None:
    assert [line for line, _ in read_dump("a\t1\nnonsense\nb\t2\n").complaints] == [2]


@pytest.mark.parametrize("text", ["ERROR 1045 (28000): Access denied\n", "{broken", "\x00\x01\x02"])
def test_what_is_no_dump_is_said_once(text: str) -> None:
    found = read_dump(text)
    assert (found.values, len(found.complaints)) == ({}, 1)


def test_option_files_give_the_servers_groups_and_the_last_value_wins() -> None:
    text = "[mysqld]\na-b = 1\nA_b=2\n[client]\nport=9\n[mysqld-8.4]\nc='x # y'\n[mysqldump]\nquick\n# z=1\n; z=2\n"
    options, wrong = read_option_file(text)
    assert {option.name: option.value for option in options} == {"a_b": "1", "A_b": "2", "c": "x # y"}
    assert wrong == ()


def test_lines_that_are_no_option_are_named() -> None:
    assert read_option_file("[mysqld]\n= 3\n<<<<\n")[1] == ((2, "not an option: = 3"), (3, "not an option: <<<<"))
