"""Visitors who send nothing, or a byte now and then, or never read: others are served, what they hold is bounded."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from rounds import repeats

import history_studies
from dbdyno.serve import ConnectionLimits, serving
from dbdyno.serve._connections import OpenConnections

pytestmark = pytest.mark.attack


@contextmanager
def served(top: Path, limits: ConnectionLimits) -> Iterator[tuple[str, int]]:
    with serving(top, "127.0.0.1", 0, limits=limits) as place:
        yield place


def get(place: tuple[str, int]) -> int:
    connection = http.client.HTTPConnection(*place, timeout=60)
    try:
        connection.request("GET", "/studies.json")
        reply = connection.getresponse()
        reply.read()
        return reply.status
    finally:
        connection.close()


def closed_within(connection: socket.socket, seconds: float) -> float | None:
    """After how long the other side closed it; None when it did not."""
    connection.settimeout(seconds)
    began = time.monotonic()
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return None
    except ConnectionError:
        pass
    return time.monotonic() - began


def serving_threads() -> int:
    return sum("process_request" in thread.name for thread in threading.enumerate())


def test_200_idle_connections_keep_nobody_out(tmp_path: Path) -> None:
    history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    with served(tmp_path, ConnectionLimits(most=32)) as place, ExitStack() as stack:
        for _ in repeats(1):
            for number in range(200):
                idle = stack.enter_context(socket.create_connection(place, timeout=10))
                if number % 2:
                    idle.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            began = time.monotonic()
            assert [get(place) for _ in range(5)] == [200] * 5
            assert time.monotonic() - began < 20
            assert serving_threads() <= 40


def test_a_request_that_trickles_in_is_ended_at_its_deadline(tmp_path: Path) -> None:
    with served(tmp_path, ConnectionLimits(request_s=1.5)) as place:
        with socket.create_connection(place, timeout=10) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            began, is_open = time.monotonic(), True
            while is_open and time.monotonic() - began < 15:
                try:
                    slow.sendall(b"X")
                    slow.settimeout(0.2)
                    is_open = slow.recv(1) != b""
                except TimeoutError:
                    continue
                except ConnectionError:
                    is_open = False
            assert not is_open
            assert time.monotonic() - began >= 1.4


def test_a_reply_that_nobody_reads_is_given_up() -> None:
    connections = OpenConnections(ConnectionLimits(reply_s=0.5))
    ours, deaf = socket.socketpair()
    given_up = threading.Event()

    def reply() -> None:
        with pytest.raises(ConnectionError):
            ours.sendall(bytes(50 << 20))
        given_up.set()

    with ours, deaf:
        assert connections.admit(ours)
        connections.replying(ours)
        threading.Thread(target=reply, daemon=True).start()
        connections.end_overdue()
        assert not given_up.wait(0.2)
        assert not given_up.wait(0.4)
        connections.end_overdue()
        assert given_up.wait(10)


def test_where_all_places_are_answering_the_next_is_told_to_come_again(tmp_path: Path) -> None:
    with served(tmp_path, ConnectionLimits(most=0)) as place:
        assert get(place) == 503
    with served(tmp_path, ConnectionLimits(most=1)) as place:
        with socket.create_connection(place, timeout=10) as idle:
            assert get(place) == 200
            assert closed_within(idle, 10) is not None
