"""Servers that run already and do not answer, or lie: asked who they are, named, never waited for without end."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from dbdyno.core import Home, ProvisionError, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.study import ServerAddress
from rogue_server import Behaviour, RogueServer, error


def ask(server: RogueServer, home: Path, password_file: str | None = None) -> None:
    address = ServerAddress("staging", "app", host="127.0.0.1", port=server.port, password_file=password_file)
    provision(parse_engine_name("mariadb@server:staging"), LocalHost(), Home(home), servers={"staging": address})


def test_one_that_accepts_and_never_answers_is_named_in_seconds(tmp_path: Path) -> None:
    with RogueServer(Behaviour(silent_at="greeting")) as server:
        began = time.monotonic()
        with pytest.raises(ProvisionError) as caught:
            ask(server, tmp_path)
        assert time.monotonic() - began < 20
        assert caught.value.why == f"127.0.0.1:{server.port}"
    assert re.fullmatch(r".* 'staging' .* 10 s \(logging in\)", caught.value.what)


def test_one_that_refuses_is_told_with_its_words(tmp_path: Path) -> None:
    with RogueServer(Behaviour(answers={"SET": [error(1045, "go away")]})) as server:
        with pytest.raises(ProvisionError, match="go away") as caught:
            ask(server, tmp_path)
    assert "go away" in caught.value.why
    assert "--server-password-file" in caught.value.remedy, "none was given"


def test_one_that_refuses_a_password_is_not_said_to_have_got_none(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("wrong")
    (tmp_path / "password").chmod(0o600)
    with RogueServer(Behaviour(answers={"SET": [error(1045, "go away")]})) as server:
        with pytest.raises(ProvisionError) as caught:
            ask(server, tmp_path, password_file=str(tmp_path / "password"))
    assert "--server-password-file" not in caught.value.remedy
