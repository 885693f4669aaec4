"""What filling asks of a server; `lab` brings one that fits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dbdyno.store import JsonValue

if TYPE_CHECKING:
    from pymysql.connections import Connection


class FillServer(Protocol):
    """A server to be filled."""

    def connect(self) -> Connection[Any]:
        """A session that may make schemas."""

    def order_target(self, database: str) -> Mapping[str, JsonValue]:
        """The ``target`` of a load order; names the password's file, holds no password."""

    def death(self) -> str | None:
        """How it ended, in words; None while it runs or when it can't be seen."""

    def log_tail(self) -> str:
        """The last lines of its log; empty when it can't be seen."""


class FreshServer(FillServer, Protocol):
    """A private server on an empty data directory, whose folder is ours to keep."""

    @property
    def data_directory(self) -> Path:
        """Its files. What lies beside it under ``NAME.*`` (the passwords) belongs to it."""

    def stop(self) -> None:
        """Stop cleanly and wait; raises when it does not."""

    def discard(self) -> None:
        """Kill it if it runs, and remove its folder. Nothing happens the second time."""


class FreshServers(Protocol):
    """Makes private servers on empty data directories."""

    def __call__(self) -> FreshServer:
        """Initialise and start one."""
