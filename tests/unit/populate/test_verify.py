"""Conditions between tables, asked by a load generator of paper."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.core import PopulateError
from dbdyno.hosts import Completed, Host, LocalHost
from dbdyno.populate import (
    ConditionAnswer,
    ConditionWait,
    Dataset,
    DatasetOrder,
    FillServer,
    broken_words,
    undecided_words,
    verify,
)
from dbdyno.populate import (
    _fill as filling,
)
from dbdyno.populate import (
    _verify as verifying,
)
from dbdyno.study import Timeouts
from error_codes import raises_code

DATASET = Dataset("tpcc/hammerdb", {"warehouses": 2})
TARGET: dict[str, Any] = {"socket": "/s", "port": None, "user": "dbdyno", "password_file": "/p", "database": "d"}
HOLDS = {"record": "condition", "name": "3.3.2.1", "meaning": "a", "status": "holds", "rows": 0, "quirks": ""}
BROKEN = {"record": "condition", "name": "3.3.2.3", "meaning": "no gaps", "status": "broken", "rows": 7, "quirks": ""}


class PaperHost:
    files = LocalHost().files

    def __init__(self, rows: Sequence[dict[str, Any]], exit_code: int = 0) -> None:
        self.rows, self.exit_code = rows, exit_code
        self.argv: Sequence[str] = ()

    def spawn_piped(self, argv: Sequence[str], *, stdin: bytes) -> PaperLoad:
        self.argv = argv
        return PaperLoad(self)


class PaperLoad:
    """Says its rows, and is looked at after each."""

    pid, start_ticks = os.getpid(), 1

    def __init__(self, host: PaperHost) -> None:
        self.host = host

    def lines(self, tick: Callable[[], None]) -> Iterator[str]:
        for row in self.host.rows:
            yield json.dumps(row)
            tick()

    def kill(self) -> None:
        pass

    def wait(self, timeout_s: float) -> Completed:
        return Completed((), self.host.exit_code, "", "error: gone away")


class PaperServer:
    dead: str | None = None

    def exit_reason(self) -> str | None:
        return self.dead

    def log_tail(self) -> str:
        return "[ERROR] mysqld got signal 9"

    def order_target(self, database: str) -> dict[str, Any]:
        return TARGET

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None


def _verify(host: PaperHost, **more: Any) -> Any:
    server, place = cast("FillServer", PaperServer()), cast("Host", host)
    order = DatasetOrder(DATASET, "innodb", place, Path("load"), more.pop("timeouts", None))
    return verify(order, server, "run", **more)


def test_a_server_that_died_meanwhile_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PaperServer, "dead", "ended by signal 9")
    with raises_code(PopulateError, "unverified") as error:
        _verify(PaperHost([{"record": "verify-end", "status": "incomplete"}], 3))
    assert "the server died: ended by signal 9" in error.value.why


def test_what_must_hold_and_does_not_is_told_in_words() -> None:
    host = PaperHost([HOLDS, BROKEN, {"record": "verify-end", "status": "inconsistent"}], 1)
    assert re.fullmatch(rf"3\.3\.2\.3 \({BROKEN['meaning']}\) .* 7 rows", broken_words(_verify(host).answers))
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
    with raises_code(PopulateError, "unverified") as error:
        _verify(PaperHost([HOLDS, {"record": "verify-end", "status": "incomplete"}], 3))
    assert "gone away" in error.value.why


def test_conditions_that_were_not_answered_in_time_are_named_and_not_broken() -> None:
    answers = (
        ConditionAnswer("3.3.2.1", "sums agree", "holds", 0),
        ConditionAnswer("3.3.2.2", "orders are numbered", "undecided", 0),
    )
    assert broken_words(answers) == "" and undecided_words(answers[:1]) == ""
    assert f"{answers[1].name} ({answers[1].meaning})" in undecided_words(answers)


def test_who_waits_is_told_for_which_condition_and_how_long_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_FIRST_WORD_S", 0.0)
    asked = {"record": "condition-asked", "name": "3.3.2.1", "meaning": "a", "limit_ns": 600}
    waits: list[ConditionWait] = []
    _verify(PaperHost([asked, HOLDS, {"record": "verify-end", "status": "consistent"}]), on_wait=waits.append)
    assert [(wait.name, wait.meaning, wait.limit_ns) for wait in waits] == [("3.3.2.1", "a", 600)]


def test_the_time_for_a_check_is_that_of_the_study_and_stands_in_the_words() -> None:
    host, timeouts = PaperHost([{"record": "verify-end", "status": "undecided"}], 1), Timeouts(check_ns=90 * 10**9)
    _verify(host, timeouts=timeouts)
    assert "--check-timeout=90s" in host.argv
    answer = ConditionAnswer("3.3.2.2", "orders are numbered", "undecided", 0)
    assert " 1 min 30 s" in undecided_words((answer,), timeouts)


def test_tables_that_one_server_breaks_are_not_called_a_bug_of_dbdyno() -> None:
    """A storage engine lost half of a table without an error, and the words blamed dbdyno."""
    with raises_code(PopulateError, "inconsistent", "7 rows") as error:
        filling._refuse_broken(
            DATASET, _verify(PaperHost([BROKEN, {"record": "verify-end", "status": "inconsistent"}], 1))
        )
    blamed_first, _, of_dbdyno = error.value.remedy.partition("if every server")
    assert "server" in blamed_first and "dbdyno" not in blamed_first
    assert "dbdyno" in of_dbdyno


def test_a_lost_path_is_told_as_one() -> None:
    end = {"record": "verify-end", "status": "incomplete", "failure_kind": "network"}
    with pytest.raises(PopulateError) as error:
        _verify(PaperHost([end], 3))
    assert error.value.fault == "network"


@pytest.mark.parametrize("line", [[], {"record": 3}, {"record": "condition", "name": "a"}, {"record": "space"}, 7])
def test_a_line_that_is_no_record_is_an_error_with_the_line(line: Any) -> None:
    with raises_code(PopulateError, "not-a-record"):
        _verify(PaperHost([line]))
