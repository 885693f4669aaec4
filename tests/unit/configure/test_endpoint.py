"""Passwords: random, private, never shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dbdyno.configure import Credentials, credentials_file
from dbdyno.configure._initialise import account_statements, bootstrap_sql
from dbdyno.core import ConfigureError
from dbdyno.engines import family_of
from dbdyno.hosts import LocalHost
from error_codes import raises_code


def test_passwords_are_new_each_time_and_not_in_the_repr() -> None:
    one, other = Credentials.random(), Credentials.random()
    assert one.admin_password not in (one.load_password, other.admin_password)
    assert len(one.load_password) >= 24
    assert one.admin_password not in repr(one) and one.load_password not in repr(one)


def test_saved_passwords_are_for_their_owner_and_read_back(tmp_path: Path) -> None:
    path = credentials_file(tmp_path / "data")
    credentials = Credentials.random()
    credentials.save(path, LocalHost())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Credentials.load(path, LocalHost()) == credentials


@pytest.mark.parametrize("content", ["", "{}", '{"admin": "x"'])
def test_damaged_passwords_are_an_error_that_does_not_quote_them(tmp_path: Path, content: str) -> None:
    path = tmp_path / "data.credentials"
    path.write_text(content)
    with raises_code(ConfigureError, "unreadable", str(path)) as caught:
        Credentials.load(path, LocalHost())
    assert not content or content not in str(caught.value)


def test_the_load_user_changes_our_schemas_only_and_else_sees_what_tables_take() -> None:
    statements = account_statements(Credentials("a", "b"))
    grants = [s for s in statements if s.startswith("GRANT")]
    seeing = [grant for grant in grants if grant.startswith("GRANT PROCESS ON *.* TO 'dbdyno'@")]
    changing = [grant for grant in grants if grant not in seeing]
    assert len(seeing) == len(changing) == 2
    assert all("ON `dbdyno\\_%`.* TO 'dbdyno'@" in grant for grant in changing)


def test_every_statement_of_a_bootstrap_stands_on_one_line_and_open_accounts_go() -> None:
    sql = bootstrap_sql([], family_of("mariadb", "11.8"), Credentials("a", "b"))
    assert all(line.endswith(";") for line in sql.strip().splitlines())
    assert sql.index("DELETE FROM global_priv") < sql.index("FLUSH PRIVILEGES") < sql.index("ALTER USER")


@pytest.mark.parametrize(("family", "version"), [("mysql", "5.5"), ("mysql", "5.6"), ("mariadb", "10.1")])
def test_old_versions_get_their_passwords_in_the_words_they_know(family: str, version: str) -> None:
    sql = bootstrap_sql([], family_of(family, version), Credentials("a", "b"))
    assert sql.index("DELETE FROM user") < sql.index("FLUSH PRIVILEGES") < sql.index("SET PASSWORD FOR 'root'")
    assert "ALTER USER" not in sql and "global_priv" not in sql
