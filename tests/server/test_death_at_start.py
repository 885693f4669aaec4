"""A server that is killed once it lets its administrator in, but before its settings are read back."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from dbdyno.configure import Server, StartOrder, _start
from dbdyno.core import ConfigureError

pytestmark = pytest.mark.server


def test_its_death_is_named_and_not_the_connection_that_was_lost(
    laboratory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = _start.check_storage_engine

    def kill_and_check(server: Server, order: StartOrder) -> None:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        check(server, order)

    monkeypatch.setattr(_start, "check_storage_engine", kill_and_check)
    with pytest.raises(ConfigureError) as error:
        laboratory.start("mariadb:11.8")
    assert "signal 9" in error.value.what
