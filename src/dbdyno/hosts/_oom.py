"""Detects that the kernel killed a process for lack of memory, by its counters and, where readable, its log."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dbdyno.hosts._environment import command_environment
from dbdyno.hosts._memory_group import place_of

_DMESG_S = 10
_KILLED = "Killed process {pid} "


@dataclass(frozen=True, slots=True)
class OomSigns:
    """Describes what the kernel tells of kills since a process was started.

    Parameters
    ----------
    in_group : processes killed in the control group that it lived in; None where that is not counted
    on_host : processes killed on the whole machine; None where that is not counted
    line : the kernel's line on this very process; empty when there is none
    log_readable : whether the kernel's log could be read, so that no line means no kill
    """

    in_group: int | None = None
    on_host: int | None = None
    line: str = ""
    log_readable: bool = False


@dataclass(frozen=True, slots=True)
class OomWatch:
    """The counters as they stood when a process was started."""

    pid: int
    group: Path | None
    in_group: int | None
    on_host: int | None

    @classmethod
    def begin(cls, pid: int, proc: Path = Path("/proc")) -> OomWatch:
        """Note the counters for a process that lives."""
        place = place_of(pid, proc)
        group = place[1] if place is not None else None
        return cls(pid, group, _kills_in(group), _kills_on_host(proc))

    def signs(self, proc: Path = Path("/proc")) -> OomSigns:
        """Return what has come since."""
        log = kernel_log()
        lines = [line for line in (log or "").splitlines() if _KILLED.format(pid=self.pid) in line]
        return OomSigns(
            _grown(self.in_group, _kills_in(self.group)),
            _grown(self.on_host, _kills_on_host(proc)),
            lines[-1].strip() if lines else "",
            log is not None,
        )


def kernel_log() -> str | None:
    """Text of the kernel's ring buffer; None where it may not be read."""
    try:
        done = subprocess.run(
            ["dmesg"], capture_output=True, timeout=_DMESG_S, check=False, env=command_environment(None)
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def _kills_in(group: Path | None) -> int | None:
    """The group's own count: in ``memory.events`` (version 2) or ``memory.oom_control`` (version 1)."""
    for name in ("memory.events", "memory.oom_control"):
        try:
            text = (group / name).read_text() if group else ""
        except OSError:
            continue
        if match := re.search(r"^oom_kill (\d+)$", text, re.MULTILINE):
            return int(match[1])
    return None


def _kills_on_host(proc: Path) -> int | None:
    try:
        match = re.search(r"^oom_kill (\d+)$", (proc / "vmstat").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) if match else None


def _grown(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else now - before
