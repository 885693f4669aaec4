"""Reads files of a remote host at instants of this process's clock: the agent reads them when the instant comes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._files import FileWatch
from dbdyno.hosts.remote._clock import ClockMap
from dbdyno.hosts.remote._files import RemoteFiles
from dbdyno.hosts.remote._link import Link, Refused

_TAKE_MS = 3000
_UNUSED_INSTANTS = 3
"""A file that was read at one instant and at none of so many after it was looked up once: it is watched no more."""
_APART_NS = 5_000_000
"""By how much the agent may miss an instant, by what is known of its clock by now, before it is given others."""


class RemoteWatch(FileWatch):
    """Files that were read once are read by the agent from the next instant but one on, and kept until they are taken.

    The agent is given its instants by its own clock, once for a watch. Where the two clocks part from how they were
    mapped then (one is slewed, or a machine was suspended), a new watch begins.

    Parameters
    ----------
    clock : the map as it is known now; it grows better while one waits
    """

    keeps_instants = True

    def __init__(self, link: Link, files: RemoteFiles, period_ns: int, clock: Callable[[], ClockMap]) -> None:
        self._link, self._files, self._period_ns, self._clock = link, files, period_ns, clock
        self._paths: dict[Path, tuple[int, int]] = {}
        """Each path with the numbers of the first and last instant at which it was read."""
        self._dropped: set[Path] = set()
        self._instants = 0
        self._watched: tuple[Path, ...] = ()
        self._watch: int | None = None
        self._start_ns = 0
        self._agent_start_ns = self._agent_period_ns = 0
        """The first instant of the watch, and the time between two, by the agent's clock."""
        self._contents: dict[Path, bytes | OSError] = {}

    def at(self, instant_ns: int) -> int | None:
        """See `FileWatch`."""
        self._contents = {}
        self._instants += 1
        try:
            is_begun = self._watch is not None and instant_ns >= self._start_ns
            began_ns = self._take_contents(instant_ns) if is_begun else None
            lacks_paths = self._watch is None or len(self._paths) > len(self._watched)
            if lacks_paths or self._can_be_improved(instant_ns, began_ns):
                self._begin_watch(instant_ns + self._period_ns)
        except (HostError, Refused):  # closed by the end of a run, or the link is lost: the next read reports it
            return None
        return began_ns

    def read(self, path: Path) -> bytes:
        """See `FileWatch`."""
        self._paths[path] = self._paths.get(path, (self._instants,))[0], self._instants
        content = self._contents.get(path)
        if content is None:
            return self._files.read_bytes(path)
        if isinstance(content, OSError):
            raise content
        return content

    def close(self) -> None:
        """See `FileWatch`."""
        if self._watch is not None:
            with contextlib.suppress(HostError, Refused):
                self._link.ask("watch-stop", watch=self._watch)
            self._watch = None

    def _can_be_improved(self, instant_ns: int, began_ns: int | None) -> bool:
        """Return whether a watch without some paths, or at better instants, can begin at the next instant in time.

        Parameters
        ----------
        began_ns : when the files were read for this instant; None: they were not
        """
        if time.monotonic_ns() >= instant_ns + self._period_ns:
            return False
        is_on_time = began_ns is not None and abs(began_ns - instant_ns) <= _APART_NS
        return any(map(self._is_unused, self._paths)) or (not is_on_time and self._has_parted(instant_ns))

    def _has_parted(self, instant_ns: int) -> bool:
        """Return whether the agent's clock is elsewhere at an instant than the watch was begun for."""
        clock = self._clock()
        planned_ns = self._agent_start_ns + self._index(instant_ns) * self._agent_period_ns
        return abs(planned_ns - clock.there(instant_ns)) > _APART_NS + clock.bound_ns

    def _is_unused(self, path: Path) -> bool:
        first, last = self._paths[path]
        has_come_back = path in self._dropped  # read now and then: dropping it each time would cost more
        return not has_come_back and first == last <= self._instants - _UNUSED_INSTANTS

    def _begin_watch(self, first_ns: int) -> None:
        unused_paths = {path for path in self._paths if self._is_unused(path)}
        self._dropped |= unused_paths
        self._paths = {path: instants for path, instants in self._paths.items() if path not in unused_paths}
        if not self._paths:
            return
        self.close()
        clock = self._clock()
        self._watched, self._start_ns = tuple(self._paths), first_ns
        self._agent_start_ns, self._agent_period_ns = clock.there(first_ns), round(self._period_ns * clock.rate)
        value, _ = self._link.ask(
            "watch",
            paths=[str(path) for path in self._watched],
            start_ns=self._agent_start_ns,
            interval_ns=self._agent_period_ns,
        )
        self._watch = int(value["watch"])

    def _index(self, instant_ns: int) -> int:
        """Return which instant of the watch this is, from 0."""
        return round((instant_ns - self._start_ns) / self._period_ns)

    def _take_contents(self, instant_ns: int) -> int | None:
        """Take what was read at an instant; when, or None where the agent left it out because it came too late."""
        index = self._index(instant_ns)
        value, body = self._link.ask("watch-take", watch=self._watch, **{"from": index}, timeout_ms=_TAKE_MS)
        if not value["looks"] or value["looks"][0]["index"] != index:
            return None
        look, offset = value["looks"][0], 0
        for path, size in zip(self._watched, look["bytes"], strict=True):
            if size < 0:
                self._contents[path] = OSError(-size, "it could not be read at that instant", str(path))
            else:
                self._contents[path] = body[offset : offset + size]
                offset += size
        return self._clock().here(int(look["asked_ns"]))
