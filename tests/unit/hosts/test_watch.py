"""What the agent of a host reads, and when: files that are read regularly, at the instants of the load's seconds."""

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
    """Answers looks with the name of each watched file.

    Parameters
    ----------
    drift : by how much its clock is faster than the lab's, as a share; the map has no rate
    """

    def __init__(self, drift: float = 0.0) -> None:
        self.watched: list[list[str]] = []
        self.read_directly: list[Path] = []
        self.taken_ns: list[int] = []
        """Instants of the looks that were taken, by its own clock."""
        self.drift, self.begin_ns, self.stood_still_ns = drift, time.monotonic_ns(), 0
        self._instants = (0, 0)

    def there(self, here_ns: int) -> int:
        """Return the time of its clock."""
        return here_ns + round((here_ns - self.begin_ns) * self.drift) - self.stood_still_ns

    def ask(self, what: str, **arguments: Any) -> tuple[dict[str, Any], bytes]:
        if what == "watch":
            self.watched.append(arguments["paths"])
            self._instants = arguments["start_ns"], arguments["interval_ns"]
            return {"watch": len(self.watched)}, b""
        if what == "watch-take":
            contents = [path.encode() for path in self.watched[-1]]
            self.taken_ns.append(self._instants[0] + arguments["from"] * self._instants[1])
            look = {"index": arguments["from"], "bytes": [len(content) for content in contents], "asked_ns": 0}
            return {"looks": [look]}, b"".join(contents)
        return {}, b""

    def read_bytes(self, path: Path) -> bytes:
        self.read_directly.append(path)
        return str(path).encode()

    def watch(self) -> RemoteWatch:
        clock = SimpleNamespace(there=self.there, here=lambda ns: ns, rate=1.0, bound_ns=100_000)
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


def test_an_agent_whose_clock_parts_from_ours_is_given_other_instants() -> None:
    """By those of the beginning, the files are read 0.3 s too late after half a minute if its clock is 1 % slower."""
    agent = PaperAgent(drift=-0.01)
    watch = agent.watch()
    instants = [agent.begin_ns + index * PERIOD_NS for index in range(33)]
    for instant_ns in instants:
        read_at(watch, instant_ns, STAT)
    late_ns = [taken_ns - agent.there(ns) for taken_ns, ns in zip(agent.taken_ns, instants[2:], strict=False)]
    assert len(late_ns) > 25
    assert max(map(abs, late_ns)) <= 20_000_000


def test_an_agent_that_stood_still_is_given_other_instants() -> None:
    agent = PaperAgent()
    watch = agent.watch()
    for index in range(8):
        agent.stood_still_ns = 10 * PERIOD_NS if index >= 5 else 0
        read_at(watch, agent.begin_ns + index * PERIOD_NS, STAT)
    assert len(agent.watched) == 2
    assert agent.taken_ns[-1] == agent.there(agent.begin_ns + 7 * PERIOD_NS)
