"""Reads what the kernel shows of a process: limits, allocator, foreign libraries, and whether it can answer at all."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.hosts._files import FileFacts, Files, Reader
from dbdyno.hosts._memory_group import find_process_place
from dbdyno.hosts._tree import Tree

TICKS_PER_SECOND = 100
"""Of processor time in files of /proc: USER_HZ, the same on every architecture that servers run on."""

_MAPPING_RE = re.compile(r"^\S+ ..x. \S+ \S+ [1-9]\d* +(?P<path>/.*?)(?P<deleted> \(deleted\))?$", re.MULTILINE)


def mapped_libraries(
    files: Files, pid: int, inside: Sequence[Path], proc: Path = Path("/proc")
) -> list[dict[str, str]]:
    """Find the files whose code a process has mapped, by path, each with its SHA-256.

    Parameters
    ----------
    inside : folders whose files are known otherwise, such as those of the server's own installation

    Returns
    -------
    ``path`` as the process sees it; ``sha256``, or ``lacks``: why there is none. Empty where the process can't be
    looked at
    """
    libraries: dict[str, dict[str, str]] = {}
    known_folders = {*inside, *map(files.resolve, inside)}  # the kernel names files by where links lead
    for match in _MAPPING_RE.finditer(Tree(files, proc).text(f"{pid}/maps")):
        path = match["path"]
        if path not in libraries and not any(Path(path).is_relative_to(folder) for folder in known_folders):
            libraries[path] = {"path": path, **_mapped_file_digest(files, proc / str(pid), match)}
    return [libraries[path] for path in sorted(libraries)]


def _mapped_file_digest(files: Files, process: Path, mapping: re.Match[str]) -> dict[str, str]:
    """Return the checksum of the mapped file, seen through the root folder of the process: it may be a container's."""
    if mapping["deleted"]:
        return {"lacks": "the file was removed or replaced since it was mapped"}
    file = process / "root" / mapping["path"].lstrip("/")
    try:
        facts = files.stat(file)
        return {"sha256": files.digest(file) if facts is None else _sha256(files.digest, facts)}
    except OSError as error:
        return {"lacks": error.strerror or type(error).__name__}


@functools.lru_cache(maxsize=512)
def _sha256(digest: Callable[[Path], str], facts: FileFacts) -> str:
    """Return the digest, read once for each unchanged file: runs of a study map the same ones."""
    return digest(facts.path)


_CGROUP_FILES = ("memory.max", "memory.high", "cpu.max", "cpu.weight", "io.max", "pids.max")
_NO_LIMIT = 1 << 62  # what version 1 writes where nothing bounds a group
_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc")


ProcessFacts = Mapping[str, str | dict[str, str]]


def process_facts(
    files: Files, pid: int, proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")
) -> ProcessFacts:
    """Return the facts of a process, as far as it can be seen; what can't be read is left out.

    ``proc_limits``: name -> soft limit; ``cgroup``: file -> text; ``allocator``: the library that serves malloc;
    ``numa_policy``: ``interleave`` or ``default``.
    """
    tree = Tree(files)
    folder = proc / str(pid)
    limits, memberships, maps, policies = tree.texts(
        [folder / name for name in ("limits", "cgroup", "maps", "numa_maps")]
    )
    facts: dict[str, str | dict[str, str]] = {}
    if limits:
        facts["proc_limits"] = parse_limits(limits)
    if group := re.search(r"^0::/?(.*)$", memberships, re.MULTILINE):
        texts = tree.texts([cgroups / group[1] / name for name in _CGROUP_FILES])
        bounds = {name: text for name, text in zip(_CGROUP_FILES, texts, strict=True) if text}
        facts["cgroup"] = bounds | _bounds_of_version_1(tree, pid, proc)
    if maps:
        facts["allocator"] = next((name for name in _ALLOCATORS if name in maps), "libc")
    if policies:
        facts["numa_policy"] = "interleave" if " interleave" in policies else "default"
    return facts


def _bounds_of_version_1(tree: Tree, pid: int, proc: Path) -> dict[str, str]:
    """Return the memory bound of a group of version 1, under the name that version 2 has for it."""
    try:
        place = find_process_place(tree.files, pid, proc)
    except ValueError:
        return {}
    limit = tree.text(place[1] / "memory.limit_in_bytes") if place is not None and place[0] == 1 else ""
    return {"memory.max": limit} if limit.isdigit() and int(limit) < _NO_LIMIT else {}


def parse_limits(text: str) -> dict[str, str]:
    r"""Return soft limits by name.

    >>> parse_limits("Limit   Soft Limit  Hard Limit  Units\nMax open files    1024   4096    files")
    {'Max open files': '1024'}
    """
    rows = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines()[1:])
    return {row[0]: row[1] for row in rows if len(row) > 1}


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
    """Describes the state letter of ``/proc/PID/stat``.

    >>> str(ProcessState("T")), ProcessState("T").is_halted, ProcessState("D").is_halted
    ('process stopped (T)', True, False)
    """

    letter: str

    def __str__(self) -> str:
        """Format it for people."""
        return f"process {_WORDS.get(self.letter, 'in state')} ({self.letter})"

    @property
    def is_halted(self) -> bool:
        """Return whether it can do nothing before somebody else lets it."""
        return self.letter in _HALTED


def process_state(read: Reader, pid: int, start_ticks: int) -> ProcessState | None:
    """Return the state of a process; None when there is none of that pid and start time."""
    try:
        letter, process_ticks = parse_stat(read(Path(f"/proc/{pid}/stat")))
    except (FileNotFoundError, ProcessLookupError):
        return None
    return ProcessState(letter) if process_ticks == start_ticks else None


def parse_stat(content: bytes) -> tuple[str, int]:
    """Return the state letter, and clock ticks from boot to start, of the content of ``/proc/PID/stat``.

    >>> parse_stat(b"7 (my sqld) S 0 0 0 0 0 0 0 0 3 0 250 50 0 0 0 0 0 0 4711")
    ('S', 4711)
    """
    fields = content[content.rindex(b")") + 2 :].split()  # the command before it may hold spaces and parentheses
    return fields[0].decode(), int(fields[19])


class ProcessWatch:
    """Looks at a process each time it is asked, and reports once it has been halted for `timeout_s` without a break.

    Parameters
    ----------
    read : reads files of the machine that it runs on
    is_excused : whether it is halted on purpose at the moment, by ourselves
    """

    def __init__(
        self,
        read: Reader,
        pid: int,
        start_ticks: int,
        timeout_s: float = HALTED_S,
        clock: Callable[[], float] = time.monotonic,
        is_excused: Callable[[], bool] = lambda: False,
    ) -> None:
        self._read, self._pid, self._start_ticks = read, pid, start_ticks
        self._timeout_s, self._clock, self._is_excused = timeout_s, clock, is_excused
        self._halted_since: float | None = None

    def state(self) -> str:
        """Return the process's state in words; empty when there is no such process."""
        state = process_state(self._read, self._pid, self._start_ticks)
        return "" if state is None else str(state)

    def note_answer(self) -> None:
        """Note that it has just answered: a halt is counted from now on."""
        self._halted_since = None

    def verdict(self) -> str | None:
        """Return why nothing is to be expected of it, in words; None while that can't be said."""
        state = process_state(self._read, self._pid, self._start_ticks)
        if state is None or not state.is_halted or self._is_excused():
            self._halted_since = None
            return None
        now_s, since_s = self._clock(), self._halted_since  # read once: another thread may reset it now
        if since_s is None:
            since_s = self._halted_since = now_s
        halted_s = now_s - since_s
        return f"has answered nothing for {halted_s:.0f} s; {state}" if halted_s >= self._timeout_s else None
