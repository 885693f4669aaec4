"""Requests of several threads over one link."""

from __future__ import annotations

import itertools
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dbdyno.hosts.remote import SSH_VARIABLE
from dbdyno.hosts.remote._frames import read_frame
from dbdyno.hosts.remote._link import Link
from dbdyno.hosts.remote._ssh_process import SshProcess

_WAIT_S = 0.5
# An agent whose first connection breaks before its reply; the reply that it keeps comes over the second.
_BREAKS_ONCE = """
import json, struct, sys, time
stdin, stdout, note = sys.stdin.buffer, sys.stdout.buffer, sys.argv[1]
stdout.write(b"\\ndbdyno-agent 1\\n")
stdout.flush()
while lengths := stdin.read(8):
    header_bytes, body_bytes = struct.unpack(">II", lengths)
    request = json.loads(stdin.read(header_bytes))
    if "--resume" not in sys.argv[-1]:
        open(note, "w").write(str(time.monotonic_ns()))
        break
    text = json.dumps({"id": request["id"], "ok": {"monotonic_ns": int(open(note).read())}}).encode()
    stdout.write(struct.pack(">II", len(text), 0) + text)
    stdout.flush()
"""


class _Echo(Link):
    """A link to a program that sends back what it is sent, and answers nothing."""

    def _connect(self, *, resume: bool) -> None:
        assert not resume
        self._ssh = SshProcess(["cat"], self._note_activity)


class _Numbers(itertools.count):  # type: ignore[type-arg]
    """Numbers whose first is given out late: something else is tried between."""

    def __new__(cls, between: Callable[[], None]) -> _Numbers:
        numbers = super().__new__(cls, 1)
        numbers.between = between
        return numbers

    between: Callable[[], None]

    def __next__(self) -> int:
        number = int(super().__next__())
        if number == 1:
            self.between()
        return number


@pytest.fixture
def link() -> Iterator[Link]:
    made = _Echo("db1", "agent")
    yield made
    made.close()


def test_no_request_is_called_answered_before_it_is_sent(link: Link) -> None:
    other = threading.Thread(target=link._begin_request, args=("second", b"", {}), daemon=True)

    def begin_another() -> None:
        other.start()
        other.join(_WAIT_S)  # it can't end while the first is between its number and the list of open requests

    link._numbers = _Numbers(begin_another)
    link._begin_request("first", b"", {})
    other.join()
    ssh = link._ssh
    assert ssh is not None and ssh._popen.stdin is not None
    headers = {}
    ssh._popen.stdin.close()
    while (frame := read_frame(ssh.read)) is not None:
        headers[frame[0]["request"]["do"]] = frame[0]
    ssh.close()
    assert {name: header["id"] for name, header in headers.items()} == {"first": 1, "second": 2}
    assert {header["answered_below"] for header in headers.values()} == {1}


def test_a_clock_that_was_asked_over_a_broken_connection_was_read_after_the_first_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = [sys.executable, "-I", "-c", _BREAKS_ONCE, str(tmp_path / "note")]
    monkeypatch.setenv(SSH_VARIABLE, shlex.join(agent))
    link = Link("db1", "agent")
    exchange = link.exchange()
    reconnections = link.reconnections
    link.close()
    assert reconnections == 1, "known before the reply is"
    assert exchange.sent_ns <= exchange.there_ns <= exchange.received_ns
