"""Conditions between tables, asked by a load generator of paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.core import PopulateError
from dbdyno.hosts import Completed, Host
from dbdyno.populate import Dataset, broken_words, verify

DATASET = Dataset("tpcc/hammerdb", {"warehouses": 2})
TARGET: dict[str, Any] = {"socket": "/s", "port": None, "user": "dbdyno", "password_file": "/p", "database": "d"}
HOLDS = {"record": "condition", "name": "3.3.2.1", "meaning": "a", "status": "holds", "rows": 0, "quirks": ""}
BROKEN = {"record": "condition", "name": "3.3.2.3", "meaning": "no gaps", "status": "broken", "rows": 7, "quirks": ""}


class PaperHost:
    def __init__(self, rows: Sequence[dict[str, Any]], exit_code: int = 0) -> None:
        self.rows, self.exit_code = rows, exit_code
        self.argv: Sequence[str] = ()

    def run(self, argv: Sequence[str], **_: object) -> Completed:
        self.argv = argv
        return Completed(tuple(argv), self.exit_code, "\n".join(map(json.dumps, self.rows)), "error: gone away")


def _verify(host: PaperHost) -> Any:
    return verify(DATASET, TARGET, "innodb", "run", cast("Host", host), Path("load"))


def test_what_must_hold_and_does_not_is_told_in_words() -> None:
    host = PaperHost([HOLDS, BROKEN, {"record": "verify-end", "status": "inconsistent"}], 1)
    assert broken_words(_verify(host).answers) == "3.3.2.3 (no gaps) is broken in 7 rows"
    assert host.argv[1:] == [
        "verify",
        "tpcc/hammerdb",
        "--after=run",
        "--json",
        "--storage-engine=innodb",
        "--socket=/s",
        "--user=dbdyno",
        "--password-file=/p",
        "--database=d",
        "--warehouses=2",
    ]


def test_what_need_not_hold_is_no_fault() -> None:
    verified = _verify(
        PaperHost([HOLDS, BROKEN | {"status": "told"}, {"record": "verify-end", "status": "consistent"}])
    )
    assert broken_words(verified.answers) == ""
    assert [answer.status for answer in verified.answers] == ["holds", "told"]


def test_conditions_that_could_not_be_asked_are_an_error() -> None:
    with pytest.raises(PopulateError, match="could not be verified") as error:
        _verify(PaperHost([HOLDS, {"record": "verify-end", "status": "incomplete"}], 3))
    assert "gone away" in error.value.why
