"""Detects that the kernel killed a process for lack of memory, by its counters and, where readable, its log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.core import HostError
from dbdyno.hosts._files import Files
from dbdyno.hosts._memory_group import find_process_place

if TYPE_CHECKING:
    from dbdyno.hosts._protocol import Host

_DMESG_S = 10
_KILLED = "Killed process {pid} "
_KILL_COUNTERS = ("memory.events", "memory.oom_control")
_LIMIT_V1 = "memory.limit_in_bytes"
_NEAR_LIMIT = 0.99


@dataclass(frozen=True, slots=True)
class OomSigns:
    """Describes what the kernel reports of kills since a process was started.

    Parameters
    ----------
    in_group : processes killed in the control group that it lived in, by whatever shortage; None where that is not
        counted
    on_host : processes killed on the whole machine; None where that is not counted
    line : the kernel's line on this very process; empty when there is none
    log_readable : whether the kernel's log could be read, so that no line means no kill
    at_limit : how often the group that bounds it was at its limit and had nothing to give back; of version 1, whether
        its peak reached it. None where that is not known
    """

    in_group: int | None = None
    on_host: int | None = None
    line: str = ""
    log_readable: bool = False
    at_limit: int | None = None


@dataclass(frozen=True, slots=True)
class OomWatch:
    """Describes the counters as they stood when a process was started."""

    host: Host
    pid: int
    group: Path | None
    bounded_group: Path | None
    in_group: int | None
    at_limit: int | None
    on_host: int | None

    @classmethod
    def begin(cls, host: Host, pid: int, proc: Path = Path("/proc")) -> OomWatch:
        """Note the counters for a process that lives."""
        place = find_process_place(host.files, pid, proc)
        group = place[1] if place is not None else None
        bounded_group = _bounded_group(group, host.files)
        return cls(
            host,
            pid,
            group,
            bounded_group,
            _kills_in_group(group, host.files),
            _times_at_limit(bounded_group, host.files),
            _kills_on_host(proc, host.files),
        )

    def signs(self, proc: Path = Path("/proc")) -> OomSigns:
        """Return what has come since."""
        log = kernel_log(self.host)
        lines = [line for line in (log or "").splitlines() if _KILLED.format(pid=self.pid) in line]
        return OomSigns(
            _growth(self.in_group, _kills_in_group(self.group, self.host.files)),
            _growth(self.on_host, _kills_on_host(proc, self.host.files)),
            lines[-1].strip() if lines else "",
            log is not None,
            _growth(self.at_limit, _times_at_limit(self.bounded_group, self.host.files)),
        )


def kernel_log(host: Host) -> str | None:
    """Return the text of the kernel's ring buffer; None where it may not be read."""
    try:
        result = host.run(["dmesg"], timeout_s=_DMESG_S, check=False)
    except HostError:
        return None
    return result.stdout if result.exit_code == 0 else None


def _kills_in_group(group: Path | None, files: Files) -> int | None:
    """Return the group's own count: in ``memory.events`` (version 2) or ``memory.oom_control`` (version 1)."""
    counts = [_number(group / name, "oom_kill ", files) for name in _KILL_COUNTERS] if group else []
    return next((count for count in counts if count is not None), None)


def _bounded_group(group: Path | None, files: Files) -> Path | None:
    """Return the nearest group with a limit of its memory: its own, or of version 2 one above."""
    if group is None or _number(group / _LIMIT_V1, "", files) is not None:
        return group
    return next((folder for folder in (group, *group.parents) if _number(folder / "memory.max", "", files)), None)


def _times_at_limit(bounded_group: Path | None, files: Files) -> int | None:
    if bounded_group is None:
        return 0
    limit_bytes = _number(bounded_group / _LIMIT_V1, "", files)
    if limit_bytes is None:
        return _number(bounded_group / "memory.events", "oom ", files)
    peak_bytes = _number(bounded_group / "memory.max_usage_in_bytes", "", files)
    return None if peak_bytes is None else int(peak_bytes >= _NEAR_LIMIT * limit_bytes)


def _kills_on_host(proc: Path, files: Files) -> int | None:
    return _number(proc / "vmstat", "oom_kill ", files)


def _number(path: Path, name: str, files: Files) -> int | None:
    """Return the number of a file that holds nothing else, or the one after a name; None where there is none."""
    try:
        match = re.search(rf"^{name}(\d+)$", files.read_text(path), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) if match else None


def _growth(count_before: int | None, count_now: int | None) -> int | None:
    return None if count_before is None or count_now is None else count_now - count_before
