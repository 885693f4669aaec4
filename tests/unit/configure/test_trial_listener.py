"""A listener at the address of future servers: there while a client tries to connect, and gone afterwards."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import cast

import pytest

from dbdyno.configure import NetworkAccess, trial_listener
from dbdyno.core import HostError
from dbdyno.hosts import LocalHost
from dbdyno.hosts.remote import RemoteHost
from dbdyno.hosts.remote._link import Refused
from dbdyno.lab import find_generator
from error_codes import raises_code


def test_somebody_listens_at_the_address_while_the_block_runs() -> None:
    with trial_listener(LocalHost(), find_generator(), NetworkAccess("127.0.0.1", (21_000, 21_999), ())) as address:
        assert 21_000 <= address[1] <= 21_999
        socket.create_connection(address, timeout=5).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)


def test_an_address_that_the_host_does_not_have_is_named() -> None:
    access = NetworkAccess("192.0.2.1", None, ())
    with (
        raises_code(HostError, "address-unusable", "192.0.2.1:"),
        trial_listener(LocalHost(), find_generator(), access),
    ):
        pass


def test_a_remote_host_says_why_it_can_not_connect() -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def ask(what: str, **arguments: object) -> tuple[dict[str, int], bytes]:
        asked.append((what, arguments))
        if arguments.get("tcp") == "10.1.0.2:1":
            raise Refused("connection-refused", "10.1.0.2:1", 111, "Connection refused")
        return {"stream": 7}, b""

    host = cast("RemoteHost", SimpleNamespace(link=SimpleNamespace(ask=ask)))
    assert RemoteHost.connection_obstacle(host, ("10.1.0.2", 1)) == "Connection refused"
    assert RemoteHost.connection_obstacle(host, ("fd00::2", 2)) == ""
    assert asked[1:] == [("connect", {"tcp": "[fd00::2]:2"}), ("stream-close", {"stream": 7})]
