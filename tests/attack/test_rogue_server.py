"""The rogue server lets a well-behaved client in, and departs from the protocol only where it is told to."""

from __future__ import annotations

import pymysql
import pytest

from rogue_server import Behaviour, RogueServer, error, result_set

pytestmark = pytest.mark.attack


def connect(server: RogueServer) -> pymysql.Connection[pymysql.cursors.Cursor]:
    return pymysql.connect(host="127.0.0.1", port=server.port, user="app", password="secret-canary", read_timeout=1)


def ask(server: RogueServer, statement: str) -> object:
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_a_client_gets_the_answers_that_the_behaviour_lists() -> None:
    behaviour = Behaviour(answers={"version": result_set([["a", "b"], ["c", "d"]]), "broken": [error(1064, "no")]})
    with RogueServer(behaviour) as server:
        assert ask(server, "SELECT version()") == (("a", "b"), ("c", "d"))
        assert ask(server, "SELECT 1") == (("1",),)
        with pytest.raises(pymysql.MySQLError, match="no"):
            ask(server, "SELECT broken")
    assert "SELECT version()" in server.statements
    assert b"secret-canary" not in server.received


def test_a_clear_password_is_seen_by_whoever_asks_for_it() -> None:
    with RogueServer(Behaviour(asks_clear_password=True)) as server:
        connect(server).close()  # the driver itself does not refuse
    assert b"secret-canary" in server.received


@pytest.mark.parametrize("moment", ["greeting", "login", "SELECT 1"])
def test_a_silent_server_is_silent_from_the_moment_asked_for(moment: str) -> None:
    with RogueServer(Behaviour(silent_at=moment)) as server, pytest.raises(pymysql.MySQLError):
        pymysql.connect(host="127.0.0.1", port=server.port, user="app", connect_timeout=1, read_timeout=1).query(
            "SELECT 1"
        )
