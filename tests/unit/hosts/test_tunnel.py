"""Tunnels: what stands here for a socket of a remote host."""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import cast

import pytest

from dbdyno.hosts import Address, LocalHost, is_own_private_folder
from dbdyno.hosts.remote._link import Link, Refused
from dbdyno.hosts.remote._tunnel import Tunnel


class ShortOfDescriptors(socket.socket):
    """A listener that is once out of descriptors."""

    was_short = False

    def accept(self) -> tuple[socket.socket, object]:
        if not self.was_short:
            self.was_short = True
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().accept()


class ShortTunnel(Tunnel):
    def _open_listener(self, is_unix: bool) -> tuple[socket.socket, Address]:
        listener = ShortOfDescriptors()
        listener.bind(("127.0.0.1", 0))
        return listener, ("127.0.0.1", listener.getsockname()[1])


class RefusingLink:
    """A link to a host on which nobody listens."""

    def ask(self, what: str, body: bytes = b"", /, **arguments: object) -> tuple[dict[str, object], bytes]:
        raise Refused("connection-refused", "", errno.ECONNREFUSED, "nobody listens")


@pytest.fixture
def link() -> Link:
    return cast("Link", RefusingLink())


def test_a_unix_socket_lies_in_a_private_folder_that_ends_with_the_tunnel(link: Link) -> None:
    tunnel = Tunnel(link, {"unix": "/there/s.sock"})
    assert isinstance(tunnel.address, Path)
    folder = tunnel.address.parent
    assert is_own_private_folder(folder, LocalHost()), "else nobody removes it if this process is killed"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(tunnel.address))
        assert client.recv(1) == b"", "a connection to nobody ends at once"
    tunnel.close()
    assert not folder.exists()


def test_a_port_stands_for_a_port_and_is_reached_from_this_machine_alone(link: Link) -> None:
    tunnel = Tunnel(link, {"loopback": 3306})
    assert isinstance(tunnel.address, tuple)
    host, port = tunnel.address
    assert host == "127.0.0.1"
    with socket.create_connection((host, port), timeout=10) as client:
        assert client.recv(1) == b""
    tunnel.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, port), timeout=10)


def test_a_shortage_of_descriptors_passes(link: Link) -> None:
    tunnel = ShortTunnel(link, {"loopback": 3306})
    assert isinstance(tunnel.address, tuple)
    with socket.create_connection(tunnel.address, timeout=10) as client:
        assert client.recv(1) == b"", "it is taken in, as before"
    tunnel.close()
