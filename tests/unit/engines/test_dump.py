"""Dumps of variables and status in the forms that clients print: one reader for the import and for the audit."""

from __future__ import annotations

import pytest

from dbdyno.audit.dumps._parse import parse_rows
from dbdyno.engines import read_dump


@pytest.mark.parametrize(
    "text",
    [
        "Variable_name\tValue\nsync_binlog\t1\nsql_mode\t\n",
        "sync_binlog\t1\nsql_mode\t\n",
        "+---+--+\n| Variable_name | Value |\n+----+---+\n| sync_binlog   | 1     |\n| sql_mode |       |\n+--+-+\n",
        '"Variable_name","Value"\n"sync_binlog","1"\n"sql_mode",""\n',
        '{"sync_binlog": 1, "sql_mode": ""}',
        '{"variables": {"sync_binlog": "1", "sql_mode": ""}, "other": []}',
        '{"variables": [["sync_binlog", "1"], ["sql_mode", null]]}',
        '[{"Variable_name": "sync_binlog", "Value": "1"}, {"Variable_name": "sql_mode", "Value": ""}]',
        "*** 1. row ***\nVariable_name: sync_binlog\n        Value: 1\nVariable_name: sql_mode\n        Value: \n",
        "sync_binlog=1\nsql_mode=\n",
        "Variable_name;Value\nsync_binlog;1\nsql_mode;\n",
        "@@global.sync_binlog\t1\n@@global.sql_mode\t\n",
        "mysql: [Warning] Using a password here can be insecure.\nsync_binlog\t1\nsql_mode\t\n",
    ],
)
def test_every_form_of_a_dump_gives_the_same(text: str) -> None:
    found = read_dump(text)
    assert found.values == {"sync_binlog": "1", "sql_mode": ""}
    assert found.diagnostics == ()
    assert parse_rows(text) == found.values


def test_values_keep_what_looks_like_a_frame_or_a_tab() -> None:
    assert read_dump("init_connect\tSET a='|'\tx\n").values == {"init_connect": "SET a='|'\tx"}


def test_a_framed_value_keeps_the_frames_inside_of_it() -> None:
    assert read_dump("| sql_mode | A|B |\n").values == {"sql_mode": "A|B"}


def test_a_name_without_its_value_below_is_named() -> None:
    found = read_dump("Variable_name: a\nValue: 1\nVariable_name: b\nnonsense\n")
    assert (found.values, [line for line, _ in found.diagnostics]) == ({"a": "1"}, [4])


def test_names_are_kept_as_they_stand_and_folded_for_the_audit() -> None:
    assert read_dump("Uptime\t5 \n").values == {"Uptime": "5 "}
    assert parse_rows("Uptime\t5 \n") == {"uptime": "5"}


def test_lines_that_are_none_are_named() -> None:
    assert [line for line, _ in read_dump("a\t1\nnonsense\nb\t2\n").diagnostics] == [2]


@pytest.mark.parametrize("text", ["ERROR 1045 (28000): Access denied\n", "{broken", "\x00\x01\x02"])
def test_what_is_no_dump_is_said_once(text: str) -> None:
    found = read_dump(text)
    assert (found.values, len(found.diagnostics)) == ({}, 1)
