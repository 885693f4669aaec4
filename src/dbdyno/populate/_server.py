"""Declares what filling needs of a server; `lab` brings one that fits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dbdyno.connections import ServerConnection
from dbdyno.core import PopulateError
from dbdyno.store import JsonValue


class FillServer(Protocol):
    """Represents a server to be filled."""

    def connect(self) -> ServerConnection:
        """Return a session that may make schemas."""

    @property
    def schema_charset(self) -> str:
        """What a new schema is given, as `CREATE DATABASE` spells it: the same for every engine unless a study asks."""

    def order_target(self, database: str) -> Mapping[str, JsonValue]:
        """Return the ``target`` of a load order; names the password's file, holds no password."""

    def exit_reason(self) -> str | None:
        """Return how it ended, in words; None while it runs or when it can't be seen."""

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        """Return why no answer is to be expected of it, in words; None while that can't be said.

        `quiet_s`: how long nobody has had an answer, as far as the caller knows.
        """

    def log_tail(self) -> str:
        """Return the last lines of its log; empty when it can't be seen."""


class FreshServer(FillServer, Protocol):
    """Represents a private server on an empty data directory, whose folder is ours to keep."""

    @property
    def data_directory(self) -> Path:
        """Return its folder. What lies next to it under ``NAME.*`` (the passwords) belongs to it."""

    def stop(self) -> None:
        """Stop cleanly and wait; raises when it does not."""

    def discard(self) -> None:
        """Kill it if it runs, and remove its folder. Nothing happens the second time."""


class FreshServers(Protocol):
    """Makes private servers on empty data directories."""

    def __call__(self) -> FreshServer:
        """Initialise and start one."""


def exit_words(server: FillServer) -> str:
    """Return how a server ended, with the end of its log; empty while it runs or when that can't be seen."""
    exit_reason = server.exit_reason()
    return f"the server died: {exit_reason}\n{server.log_tail()}" if exit_reason else ""


class ServerCheck:
    """Looks at a server each time it is called, and raises once nothing is to be expected of it.

    Raises
    ------
    PopulateError : with the server's name, how long it has been silent, and the state of its process
    """

    def __init__(self, server: FillServer) -> None:
        self._server = server
        self._last_answer = time.monotonic()

    def answered(self) -> None:
        """Note that the server has answered somebody."""
        self._last_answer = time.monotonic()

    def __call__(self) -> None:
        """Check once whether the server still answers."""
        hang_reason = self._server.hang_reason(time.monotonic() - self._last_answer)
        if hang_reason is not None:
            raise PopulateError(hang_reason)
