"""Which files the agent of a host reads at each instant: those that are read regularly, and no others."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from dbdyno.hosts.remote._clock import ClockMap
from dbdyno.hosts.remote._files import RemoteFiles
from dbdyno.hosts.remote._link import Link
from dbdyno.hosts.remote._watch import RemoteWatch

PERIOD_NS = 10**9
STAT, ONCE = Path("/proc/7/stat"), Path("/proc/self/mounts")


class PaperAgent:
    """Answers looks with the name of each watched file."""

    def __init__(self) -> None:
        self.watched: list[list[str]] = []
        self.read_directly: list[Path] = []

    def ask(self, what: str, **arguments: Any) -> tuple[dict[str, Any], bytes]:
        if what == "watch":
            self.watched.append(arguments["paths"])
            return {"watch": len(self.watched)}, b""
        if what == "watch-take":
            contents = [path.encode() for path in self.watched[-1]]
            look = {"index": arguments["from"], "bytes": [len(content) for content in contents], "asked_ns": 0}
            return {"looks": [look]}, b"".join(contents)
        return {}, b""

    def read_bytes(self, path: Path) -> bytes:
        self.read_directly.append(path)
        return str(path).encode()

    def watch(self) -> RemoteWatch:
        clock = SimpleNamespace(there=lambda ns: ns, here=lambda ns: ns, rate=1.0)
        files = cast(RemoteFiles, self)
        return RemoteWatch(cast(Link, self), files, PERIOD_NS, lambda: cast(ClockMap, clock))


def read_at(watch: RemoteWatch, instant_ns: int, *paths: Path) -> None:
    watch.at(instant_ns)
    for path in paths:
        assert watch.read(path) == str(path).encode()


def test_a_file_that_was_looked_up_once_is_watched_no_more() -> None:
    agent, begin_ns = PaperAgent(), time.monotonic_ns()
    watch = agent.watch()
    read_at(watch, begin_ns, STAT, ONCE)
    for index in range(1, 10):
        read_at(watch, begin_ns + index * PERIOD_NS, STAT)
    assert agent.watched == [[str(STAT), str(ONCE)], [str(STAT)]]
    assert agent.read_directly == [STAT, ONCE, STAT]  # from the third instant on each look is the agent's


def test_a_file_that_is_read_now_and_then_stays_watched_from_its_second_time_on() -> None:
    agent, begin_ns = PaperAgent(), time.monotonic_ns()
    watch = agent.watch()
    for index in range(40):
        read_at(watch, begin_ns + index * PERIOD_NS, STAT, *([ONCE] if index % 10 == 0 else []))
    assert agent.watched == [[str(STAT), str(ONCE)], [str(STAT)], [str(STAT), str(ONCE)]]


def test_instants_that_have_passed_keep_their_watch() -> None:
    """After a lost link, looks that the agent has kept are taken: a new watch would begin too late for them."""
    agent, begin_ns = PaperAgent(), time.monotonic_ns() - 100 * PERIOD_NS
    watch = agent.watch()
    read_at(watch, begin_ns, STAT, ONCE)
    for index in range(1, 10):
        read_at(watch, begin_ns + index * PERIOD_NS, STAT)
    assert agent.watched == [[str(STAT), str(ONCE)]]
