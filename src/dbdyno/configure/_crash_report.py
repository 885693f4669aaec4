"""Diagnoses why a server ended, from its exit code, the kernel's counters and its own error log. Pure.

A process that the kernel killed for want of memory and one that somebody killed end by the same signal; a full disk and
a defect end in the same assertion. So each is recognised by what only it leaves behind.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Literal

from dbdyno.core import counted, format_bytes
from dbdyno.hosts import OomSigns

DeathKind = Literal[
    "assertion", "crashed", "disk-full", "ended", "killed", "oom", "oom-limit", "out-of-memory", "stopped"
]

_EXCERPT_LINES = 80
_BEFORE_LINES = 4
_LATE_LINES = 150
_KILL = 9
_SIGNALS = {
    3: "quit",
    4: "illegal instruction",
    6: "abort",
    7: "bus error",
    8: "arithmetic error",
    9: "kill",
    11: "segmentation fault",
    15: "termination",
}
_HANDLED_RE = re.compile(r"got (?:signal|exception) (?:0x)?(\d+)")
_ASSERTION_RE = re.compile(r"assertion failure|assertion [`'\"].*failed|failing assertion|\bib::fatal\b", re.IGNORECASE)
_DISK_RE = re.compile(
    r"No space left on device|Disk (?:is )?full|Disk quota exceeded|\b(?:OS )?err(?:or|no)(?: number)?:? ?28\b"
    r"|The table '[^']*' is full|\bENOSPC\b",
    re.IGNORECASE,
)
_MEMORY_RE = re.compile(r"Cannot allocate memory|Out of memory|errno:? ?12\b|can't allocate memory", re.IGNORECASE)
_STOPPED_RE = re.compile(r"shutdown", re.IGNORECASE)
_ERROR_RE = re.compile(r"\[ERROR\]|\[FATAL\]")


@dataclass(frozen=True, slots=True)
class CrashReport:
    """Describes how a server ended.

    Parameters
    ----------
    kind : assertion, crashed (another signal it raised), disk-full, ended (with its exit code), killed (by
        somebody), oom-limit (by the kernel, at a memory limit), oom (by the kernel, the machine was short of memory),
        out-of-memory (it was refused memory and gave up), stopped (somebody asked it to end)
    words : in one line
    excerpt : the lines of the error log that report it, the stack included; empty when none does
    kernel_line : the kernel's line on it; empty when there is none or it can't be read
    """

    kind: DeathKind
    words: str
    exit_code: int
    excerpt: str = ""
    kernel_line: str = ""

    def to_json(self) -> dict[str, str | int]:
        """Return it for the results folder."""
        return dict(asdict(self))


def diagnose(exit_code: int, log: str, oom: OomSigns, limit_bytes: int | None = None) -> CrashReport:
    """Return why a server ended.

    Parameters
    ----------
    exit_code : negative: the signal that ended it
    log : its error log since this start
    limit_bytes : of the memory group it was given

    >>> diagnose(-9, "", OomSigns(in_group=0, on_host=0, log_readable=True)).words
    'killed by another user or process (signal 9): the kernel killed nothing for lack of memory at that time'
    >>> diagnose(-9, "", OomSigns(in_group=1), 96 << 20).words
    'killed by the kernel at its memory limit of 96 MiB (signal 9)'
    """
    if exit_code == -_KILL:
        return _kill_report(oom, limit_bytes)
    lines = log.splitlines()
    late_lines = lines[-_LATE_LINES:]
    handled_signal = next((int(m[1]) for line in reversed(late_lines) if (m := _HANDLED_RE.search(line))), None)
    signal = -exit_code if exit_code < 0 else handled_signal
    disk_line = _last_match(_DISK_RE, late_lines)
    if disk_line and exit_code != 0:
        words = f"the disk was full ({exit_words(exit_code)}): {_log_message(disk_line)}"
        return CrashReport("disk-full", words, exit_code, _excerpt(lines, _DISK_RE))
    assertion = next((line for line in late_lines if _ASSERTION_RE.search(line)), "")
    if assertion and exit_code != 0:
        words = f"an assertion failed ({_signal_words(signal) or exit_words(exit_code)}): {_log_message(assertion)}"
        return CrashReport("assertion", words, exit_code, _excerpt(lines, _ASSERTION_RE))
    if signal is not None and exit_code != 0:
        words = f"crashed by {_signal_words(signal)}" + (
            "" if handled_signal else ", without a message in its error log"
        )
        return CrashReport("crashed", words, exit_code, _excerpt(lines, _HANDLED_RE))
    if exit_code == 0:
        stop_line = _last_match(_STOPPED_RE, late_lines)
        words = "shut down by another user or process (exit code 0)" + (
            f": {_log_message(stop_line)}" if stop_line else ""
        )
        return CrashReport("stopped", words, exit_code, "\n".join(late_lines[-_BEFORE_LINES:]))
    memory_line = _last_match(_MEMORY_RE, late_lines)
    if memory_line:
        words = f"it could not allocate memory (exit code {exit_code}): {_log_message(memory_line)}"
        return CrashReport("out-of-memory", words, exit_code, _excerpt(lines, _MEMORY_RE))
    error_line = _last_match(_ERROR_RE, late_lines)
    words = f"exit code {exit_code}" + (f": {_log_message(error_line)}" if error_line else "")
    return CrashReport("ended", words, exit_code, _excerpt(lines, _ERROR_RE))


def disk_full_line(log: str) -> str:
    """Return the last line of an error log that reports a full disk, without its clock; empty when none does.

    >>> disk_full_line("2026-11-22 1:02:03 5 [ERROR] mariadbd: Disk is full writing '/d/t1.ibd' (Errcode: 28)")
    "mariadbd: Disk is full writing '/d/t1.ibd' (Errcode: 28)"
    """
    line = _last_match(_DISK_RE, log.splitlines()[-_LATE_LINES:])
    return _log_message(line) if line else ""


def _kill_report(oom: OomSigns, limit_bytes: int | None) -> CrashReport:
    # The group's count holds processes that the kernel killed for the whole machine, too.
    at_limit = "emory cgroup out of memory" in oom.line if oom.line else bool(oom.in_group) and oom.at_limit != 0
    if at_limit:
        limit = f"its memory limit of {format_bytes(limit_bytes)}" if limit_bytes else "the limit of its control group"
        return CrashReport("oom-limit", f"killed by the kernel at {limit} (signal 9)", -_KILL, kernel_line=oom.line)
    if oom.line or oom.in_group:
        return CrashReport("oom", "killed by the kernel, out of memory (signal 9)", -_KILL, kernel_line=oom.line)
    if oom.on_host and not oom.log_readable:
        words = f"killed (signal 9), probably by the kernel, which killed {oom.on_host} for lack of memory at that time"
        return CrashReport("oom", words, -_KILL)
    kernel_words = (
        f"the kernel killed {counted(oom.on_host, 'other process', 'other processes')} for lack of memory at that "
        "time, not this one"
        if oom.on_host
        else "the kernel killed nothing for lack of memory at that time"
        if oom.on_host == 0
        else "dbdyno can't see here whether the kernel did it"
    )
    return CrashReport("killed", f"killed by another user or process (signal 9): {kernel_words}", -_KILL)


def _last_match(pattern: re.Pattern[str], lines: list[str]) -> str:
    return next((line for line in reversed(lines) if pattern.search(line)), "")


def _excerpt(lines: list[str], pattern: re.Pattern[str]) -> str:
    """Return the log from a little before the first late line that matches: what follows it is the stack."""
    first_index = max(len(lines) - _LATE_LINES, 0)
    match_index = next((index for index in range(first_index, len(lines)) if pattern.search(lines[index])), None)
    if match_index is None:
        return ""
    excerpt_start = max(match_index - _BEFORE_LINES, 0)
    return "\n".join(lines[excerpt_start : excerpt_start + _EXCERPT_LINES])


def _log_message(line: str) -> str:
    """Return a log line without clock, thread and level.

    >>> _log_message("2026-11-22T10:00:00.1Z 0 [ERROR] [MY-013183] [InnoDB] Assertion failure: fil0fil.cc:7483")
    'Assertion failure: fil0fil.cc:7483'
    """
    text = re.sub(r"^\S*\d{2,4}-?\d\d-?\d\d[T ]+[\d:.]+Z?\s+(?:0x)?[\da-f]+\s+", "", line.strip())
    return re.sub(r"^(?:\[[\w-]+\]\s*)+", "", text)[:300]


def _signal_words(signal: int | None) -> str:
    if signal is None:
        return ""
    name = _SIGNALS.get(signal)
    return f"signal {signal}, {name}" if name else f"signal {signal}"


def exit_words(code: int) -> str:
    """Return an exit code for people.

    >>> exit_words(-9), exit_words(1)
    ('signal 9, kill', 'exit code 1')
    """
    return _signal_words(-code) if code < 0 else f"exit code {code}"
