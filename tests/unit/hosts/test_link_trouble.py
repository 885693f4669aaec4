"""A link in trouble: an ssh that says much, leaves helpers, or can't be started; Ctrl-C at any moment of a request."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import HostError
from dbdyno.hosts._process import start_ticks_of
from dbdyno.hosts.remote import SSH_VARIABLE, _link
from dbdyno.hosts.remote._link import Link
from each_moment import acted_at

# An agent that notes its process and what it is asked; what it does in addition is the first word.
_AGENT = """
import json, os, signal, struct, subprocess, sys, time
manner, notes, resumes = sys.argv[1], open(sys.argv[2], "a", buffering=1), "--resume" in sys.argv[-1]
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
notes.write(f"process {os.getpid()}\\n")
if manner == "leaves a helper" and resumes:
    helper = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    notes.write(f"process {helper.pid}\\n")
    print("No route to host", file=sys.stderr)
    sys.exit(255)
if manner == "greets late" and resumes:
    time.sleep(1)
stdout.write(b"\\ndbdyno-agent 1\\n")
stdout.flush()
while lengths := stdin.read(8):
    header_bytes, body_bytes = struct.unpack(">II", lengths)
    request = json.loads(stdin.read(header_bytes))
    if body_bytes and manner == "stops" and not resumes:
        os.kill(os.getpid(), signal.SIGSTOP)
    stdin.read(body_bytes)
    notes.write(f"{request['request']['do']} {'again' if resumes else 'first'}\\n")
    if manner == "says much":
        print("debug: " + "x" * 100_000, file=sys.stderr, flush=True)
    text = json.dumps({"id": request["id"], "ok": {"monotonic_ns": time.monotonic_ns()}}).encode()
    stdout.write(struct.pack(">II", len(text), 0) + text)
    stdout.flush()
"""
_LONGEST_S = 30.0
_WRAPPER = """#!/bin/sh
{agent} "$@"
"""


class Agent:
    """What stands for ssh and the agent."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, patch
        self._notes = folder / "notes"

    def link(self, manner: str, *, is_wrapped: bool = False, reconnect_timeout_s: float = 6.0) -> Link:
        command = shlex.join([sys.executable, "-I", "-c", _AGENT, manner, str(self._notes)])
        if is_wrapped:
            wrapper = self._folder / "wrapper"
            wrapper.write_text(_WRAPPER.format(agent=command))
            wrapper.chmod(0o755)
            command = str(wrapper)
        self._patch.setenv(SSH_VARIABLE, command)
        return Link("db1", "agent", reconnect_timeout_s=reconnect_timeout_s)

    @property
    def requests(self) -> list[str]:
        notes = self._notes.read_text().splitlines()
        return [note for note in notes if not note.startswith(("process", "clock"))]

    @property
    def living(self) -> list[int]:
        pids = [int(note.split()[1]) for note in self._notes.read_text().splitlines() if note.startswith("process")]
        return [pid for pid in pids if start_ticks_of(pid) is not None]

    def await_end(self, pids: Iterable[int]) -> None:
        deadline = time.monotonic() + 8
        while left := set(pids) & set(self.living):
            assert time.monotonic() < deadline, f"still there: {left}"
            time.sleep(0.05)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    made = Agent(tmp_path, monkeypatch)
    yield made
    for pid in made.living:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def soon(ask: Callable[[], Any]) -> Any:
    """What a request comes to, in another thread: one that hangs must not hang the test."""
    outcomes: list[Any] = []

    def note() -> None:
        try:
            outcomes.append(ask())
        except HostError as error:
            outcomes.append(error)

    thread = threading.Thread(target=note, daemon=True)
    thread.start()
    thread.join(_LONGEST_S)
    assert outcomes, "it hangs"
    return outcomes[0]


def test_an_ssh_that_says_much_does_not_stop_the_connection(agent: Agent) -> None:
    link = agent.link("says much")
    soon(lambda: [link.ask("anything") for _ in range(3)])
    link.close()
    assert link.reconnections == 0


def test_a_helper_that_outlives_ssh_does_not_hold_up_its_failure(agent: Agent) -> None:
    link = agent.link("leaves a helper", reconnect_timeout_s=0.5)
    link.drop_connection()
    error = soon(lambda: link.ask("anything"))
    link.close()
    assert isinstance(error, HostError) and "No route to host" in error.why


def test_requests_fail_where_ssh_can_not_be_started_again(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = agent.link("plain", reconnect_timeout_s=0.5)
    monkeypatch.setenv(SSH_VARIABLE, str(tmp_path / "absent"))
    link.drop_connection()
    error = soon(lambda: link.ask("anything"))
    link.close()
    assert isinstance(error, HostError) and error.fault == "network" and "ssh can't be started" in error.why


def test_requests_fail_where_the_link_can_not_be_kept(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Link) -> bool:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Link, "_reconnect", fail)
    link = agent.link("plain")
    link.drop_connection()
    error = soon(lambda: link.ask("anything"))
    link.close()
    assert isinstance(error, HostError) and error.fault == "network" and "can't start new thread" in error.why


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_an_agent_that_hears_nothing_more_is_left_for_another_connection(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, is_wrapped: bool
) -> None:
    monkeypatch.setattr(_link, "LOST_S", 2.0)
    link = agent.link("stops", is_wrapped=is_wrapped)
    first = agent.living
    soon(lambda: link.ask("push", bytes(1 << 20)))
    link.close()
    assert link.reconnections == 1
    agent.await_end(first)


def test_a_request_that_is_cut_off_half_way_is_no_beginning_of_the_next(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_link, "LOST_S", 600.0)  # it is not silence that shows it
    link = agent.link("stops")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            link.ask("push", bytes(1 << 20))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    soon(lambda: link.ask("end"))
    link.close()
    assert agent.requests == ["end again"], "and what nobody waits for is not done later"


def test_nothing_is_left_of_a_connection_that_comes_back_after_the_end(agent: Agent) -> None:
    link = agent.link("greets late")
    link.drop_connection()
    while not (late := agent.living):
        time.sleep(0.01)
    link.close()
    agent.await_end(late)


def test_an_interrupt_at_any_moment_of_the_waiting_leaves_the_link_usable(agent: Agent) -> None:
    link, moment, has_more = agent.link("plain"), 0, True
    while has_more:
        moment += 1
        waiting = link._begin_request("clock", b"", {})
        with contextlib.suppress(KeyboardInterrupt):
            has_more = acted_at(moment, _interrupt, partial(link._await_result, waiting))
        soon(lambda: link.ask("anything"))
    link.close()
    assert moment > 1


def _interrupt() -> None:
    signal.raise_signal(signal.SIGINT)
