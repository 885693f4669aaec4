"""Whether a process can answer at all: its state, as the kernel has it, watched over some seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HALTED_S = 10.0
"""A process that could not run for so long is given up: a debugger's look takes less."""
_HALTED = "TtZXx"
_WORDS = {
    "R": "running",
    "S": "asleep",
    "D": "in disk sleep",
    "T": "stopped",
    "t": "stopped by a debugger",
    "Z": "ended, not waited for",
    "X": "ended",
    "x": "ended",
    "I": "idle",
}


@dataclass(frozen=True, slots=True)
class ProcessState:
    """The state letter of ``/proc/PID/stat``.

    >>> str(ProcessState("T")), ProcessState("T").is_halted, ProcessState("D").is_halted
    ('process stopped (T)', True, False)
    """

    letter: str

    def __str__(self) -> str:
        """For people."""
        return f"process {_WORDS.get(self.letter, 'in state')} ({self.letter})"

    @property
    def is_halted(self) -> bool:
        """Whether it can do nothing before somebody else lets it."""
        return self.letter in _HALTED


def process_state(pid: int, start_ticks: int) -> ProcessState | None:
    """The state of a process; None when there is none of that pid and start time."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat[stat.rindex(")") + 2 :].split()  # the command before it may hold spaces and parentheses
    return ProcessState(fields[0]) if int(fields[19]) == start_ticks else None


class ProcessWatch:
    """Looks at a process each time it is asked, and tells once it has been halted for `patience_s` without a break.

    Parameters
    ----------
    is_excused : whether it is halted on purpose at the moment, by ourselves
    """

    def __init__(
        self,
        pid: int,
        start_ticks: int,
        patience_s: float = HALTED_S,
        clock: Callable[[], float] = time.monotonic,
        is_excused: Callable[[], bool] = lambda: False,
    ) -> None:
        self._pid, self._start_ticks = pid, start_ticks
        self._patience_s, self._clock, self._is_excused = patience_s, clock, is_excused
        self._halted_since: float | None = None

    def state(self) -> str:
        """The process's state in words; empty when there is no such process."""
        state = process_state(self._pid, self._start_ticks)
        return "" if state is None else str(state)

    def verdict(self) -> str | None:
        """Why nothing is to be expected of it, in words; None while that can't be said."""
        state = process_state(self._pid, self._start_ticks)
        if state is None or not state.is_halted or self._is_excused():
            self._halted_since = None
            return None
        now = self._clock()
        if self._halted_since is None:
            self._halted_since = now
        halted_s = now - self._halted_since
        return f"has answered nothing for {halted_s:.0f} s; {state}" if halted_s >= self._patience_s else None
