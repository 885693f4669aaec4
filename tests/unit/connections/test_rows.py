"""A server that answers with fewer columns than were asked for, with no result set, or with words for numbers."""

from __future__ import annotations

from collections.abc import Callable

import pymysql
import pytest
from pymysql.constants import CR

from dbdyno.configure._server import Server
from dbdyno.connections import ServerConnection, connect, rows_of
from dbdyno.core import ProvisionError
from dbdyno.engines import counter_sources, status_refresh_of
from dbdyno.hosts import LocalHost
from dbdyno.lab._session_waits import read_session_waits
from dbdyno.lab._table_facts import table_facts
from dbdyno.measure.telemetry import StatusSource
from dbdyno.provision._server import describe_server
from dbdyno.study import ServerAddress
from error_codes import raises_code
from rogue_server import OK_PACKET, Behaviour, RogueServer, length_encoded, result_set

SOURCES = counter_sources("mysql", "9.7.0", ("innodb",))
QUESTIONS: dict[str, Callable[[ServerConnection], object]] = {
    "waits": read_session_waits,
    "tables": lambda connection: table_facts(connection, "d"),
    "status": lambda connection: StatusSource(lambda: connection, SOURCES).read(),
}
ONE_COLUMN = result_set([["1"]])
# Its rows hold less than its columns say.
CUT_ROWS = [*result_set([["a", "b"]])[:4], length_encoded(b"a"), result_set([["a"]])[-1]]
WORDS = result_set([["many"] * 9])


def open_to(server: RogueServer) -> ServerConnection:
    return connect(user="any", password="", host="127.0.0.1", port=server.port, answer_s=5)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("payloads", [ONE_COLUMN, CUT_ROWS, [OK_PACKET]], ids=["narrow", "cut", "ok"])
def test_too_few_columns_are_an_error_of_the_server(question: str, payloads: list[bytes]) -> None:
    answers = {"SHOW|SELECT": payloads}
    with RogueServer(Behaviour(answers=answers)) as server, open_to(server) as connection:
        with pytest.raises(pymysql.OperationalError) as caught:
            QUESTIONS[question](connection)
        assert caught.value.args[0] == CR.CR_MALFORMED_PACKET


def test_words_where_numbers_belong_are_an_error_of_the_server() -> None:
    answers = {"INNODB_METRICS": WORDS, "SHOW|SELECT": result_set([["a", "b", "c"]])}
    with RogueServer(Behaviour(answers=answers)) as server, open_to(server) as connection:
        with pytest.raises(pymysql.OperationalError, match="'many'") as caught:
            QUESTIONS["status"](connection)
        assert caught.value.args[0] == CR.CR_MALFORMED_PACKET


def test_counters_that_are_kept_on_request_are_brought_up_to_date_before_each_reading() -> None:
    counters = counter_sources("mariadb", "11.8.9", ("innodb", "tidesdb"), "4.5.5")
    answers = {"SHOW|SELECT": result_set([["tidesdb_flush_count", "7", "0"]])}
    with RogueServer(Behaviour(answers=answers)) as server, open_to(server) as connection:
        source = StatusSource(lambda: connection, counters, status_refresh_of("tidesdb"))
        source.read()
        source.read()
        asked = [text for text in server.statements if text.startswith(("SHOW ENGINE", "SHOW GLOBAL STATUS"))]
    assert [text.partition(" WHERE ")[0] for text in asked] == ["SHOW ENGINE TIDESDB STATUS", "SHOW GLOBAL STATUS"] * 2


def test_status_around_a_run_is_brought_up_to_date_too(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = status_refresh_of("tidesdb")
    with RogueServer(Behaviour(answers={"SHOW": result_set([["TidesDB_flush_count", "7"]])})) as server:
        monkeypatch.setattr(Server, "connect", lambda _: open_to(server))
        assert Server.__new__(Server).status(statement) == {"tidesdb_flush_count": "7"}
        asked = [text for text in server.statements if text.startswith("SHOW")]
    assert asked == [statement, "SHOW GLOBAL STATUS"]


def test_further_columns_are_passed_over() -> None:
    with RogueServer(Behaviour(answers={"SELECT": result_set([["a", "b", "c"]])})) as server:
        with open_to(server) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert rows_of(cursor, 2) == (("a", "b", "c"),)


@pytest.mark.parametrize("payloads", [ONE_COLUMN, [OK_PACKET]], ids=["narrow", "ok"])
def test_a_server_that_says_too_little_of_itself_can_not_be_had(payloads: list[bytes]) -> None:
    with RogueServer(Behaviour(answers={"SHOW|SELECT": payloads})) as server:
        address = ServerAddress("x", "any", host="127.0.0.1", port=server.port, tls="off")
        with raises_code(ProvisionError, "connection-failed", "'x'", f"127.0.0.1:{server.port}"):
            describe_server(address, LocalHost())
