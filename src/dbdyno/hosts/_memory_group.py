"""Bounds the memory of one process, page cache included, by a control group of version 1 or 2.

A group is made below the one that this process lives in (version 1), or beside it (version 2, which allows no group
that has both processes and bounded children), so whatever bounds this process from outside bounds the server too.

>>> find_place("0::/x.slice/y.scope", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
(2, PosixPath('/sys/fs/cgroup/x.slice/y.scope'))
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError, format_bytes

_REMOVE_S = 10.0
_PAUSE_S = 0.05
_REMEDY = "leave [limits] out, or run as root, or below `systemd-run --user --scope -p Delegate=yes`"
_PROC = Path("/proc/self")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")  # the kernel rounds limits down to pages


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Describes what a group has used.

    Parameters
    ----------
    peak_bytes : highest use since the group was made, page cache included; None where the kernel keeps none
    page_cache_bytes, anonymous_bytes : now
    limit_hits : how often the group was at its limit, so that pages had to be given back first; None where the kernel
        does not count it (version 1 of late kernels)
    refaulted_pages : of files, given back for the limit and read once more
    oom_kills : processes of it that the kernel killed
    """

    limit_bytes: int
    peak_bytes: int | None
    used_bytes: int
    page_cache_bytes: int
    anonymous_bytes: int
    limit_hits: int | None
    refaulted_pages: int
    oom_kills: int

    @property
    def was_at_limit(self) -> bool | None:
        """Return whether all of the limit was used at some time, to within 1 %; None where no peak is kept."""
        return None if self.peak_bytes is None else self.peak_bytes >= 0.99 * self.limit_bytes


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """A group that exists.

    Parameters
    ----------
    version : of the kernel's interface, 1 or 2
    is_ours : it was made here, and is to be removed here; a container's is its engine's
    """

    folder: Path
    version: int
    limit_bytes: int
    is_ours: bool = True

    def add(self, pid: int) -> None:
        """Move a process into the group; what it has used so far stays charged to where it was."""
        try:
            (self.folder / "cgroup.procs").write_text(str(pid))
        except OSError as error:
            raise HostError("a process can't be put into its memory group", str(error), _REMEDY) from error

    def use(self) -> MemoryUse:
        """Read its counters; OSError when the group is gone."""
        stat = _rows((self.folder / "memory.stat").read_text())
        if self.version == 1:
            return MemoryUse(
                self.limit_bytes,
                _number(self.folder / "memory.max_usage_in_bytes"),
                _number(self.folder / "memory.usage_in_bytes") or 0,
                stat.get("total_cache", 0),
                stat.get("total_rss", 0),
                (_number(self.folder / "memory.failcnt") or 0) + (_number(self.folder / "memory.memsw.failcnt") or 0)
                or None,
                stat.get("total_workingset_refault_file", 0),
                _table(self.folder / "memory.oom_control").get("oom_kill", 0),
            )
        events = _table(self.folder / "memory.events")
        return MemoryUse(
            self.limit_bytes,
            _number(self.folder / "memory.peak"),
            _number(self.folder / "memory.current") or 0,
            stat.get("file", 0),
            stat.get("anon", 0),
            events.get("max", 0),
            stat.get("workingset_refault_file", 0),
            events.get("oom_kill", 0),
        )

    def remove(self) -> None:
        """Remove it; its processes must have ended."""
        remove_group(self.folder)


def make_memory_group(name: str, limit_bytes: int, proc: Path = _PROC) -> MemoryGroup:
    """Make a group of that name with swap forbidden.

    Raises
    ------
    HostError : the kernel offers no memory controller here, or this user may not use it
    """
    place = find_place((proc / "cgroup").read_text(), (proc / "mountinfo").read_text())
    if place is None:
        raise HostError(
            "memory can't be bounded here", "no control group with a memory controller is mounted", "leave [limits] out"
        )
    version, parent = place
    if version == 2:
        parent = _bounded_parent(parent)
    folder = parent / f"{PREFIX}{name}"
    try:
        folder.mkdir()
    except OSError as error:
        raise HostError("memory can't be bounded here", f"{folder} can't be made: {error.strerror}", _REMEDY) from error
    group = MemoryGroup(folder, version, limit_bytes)
    try:
        _bound(group)
    except OSError as error:
        remove_group(folder)
        raise HostError(
            f"memory can't be bounded at {format_bytes(limit_bytes)}", f"{error.filename}: {error.strerror}", _REMEDY
        ) from error
    return group


def memory_group_of(pid: int, limit_bytes: int, proc: Path = _PROC.parent) -> MemoryGroup | None:
    """The group by which somebody else bounds a process; None where it can't be seen from here.

    A runtime may put the processes into a group below the bounded one, and what this machine calls the group may be
    seen under another name from within a container. So the group counts whose own limit is the one that was asked for.
    """
    place = place_of(pid, proc)
    if place is None:
        return None
    version, own = place
    name = "memory.limit_in_bytes" if version == 1 else "memory.max"
    for folder in (own, *own.parents):
        limit = _number(folder / name)
        if limit is not None and limit // _PAGE_BYTES == limit_bytes // _PAGE_BYTES:
            return MemoryGroup(folder, version, limit, is_ours=False)
    return None


def remove_group(folder: Path) -> None:
    """Remove a group; one that is gone is fine. A killed process leaves its group a moment after its end.

    Raises
    ------
    HostError : a process still lives in it
    """
    deadline = time.monotonic() + _REMOVE_S
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() >= deadline:
                raise HostError(f"the control group {folder} can't be removed", str(error)) from error
            time.sleep(_PAUSE_S)
        else:
            return


def _bounded_parent(own: Path) -> Path:
    """Version 2: the group whose children have a memory controller, made so where that is allowed."""
    is_root = not (own / "cgroup.type").exists()
    parent = own if is_root else own.parent
    controllers = _words(parent / "cgroup.controllers")
    if "memory" not in controllers:
        why = f"{parent} has no memory controller for its children: {' '.join(controllers) or 'none at all'}"
        raise HostError("memory can't be bounded here", why, _REMEDY)
    if "memory" not in _words(parent / "cgroup.subtree_control"):
        try:
            (parent / "cgroup.subtree_control").write_text("+memory")
        except OSError as error:
            why = f"{parent} does not hand its memory controller on: {error.strerror}"
            raise HostError("memory can't be bounded here", why, _REMEDY) from error
    return parent


def _bound(group: MemoryGroup) -> None:
    folder, limit = group.folder, str(group.limit_bytes)
    if group.version == 2:
        (folder / "memory.max").write_text(limit)
        if (folder / "memory.swap.max").exists():  # not there where the kernel counts no swap
            (folder / "memory.swap.max").write_text("0")
        return
    (folder / "memory.limit_in_bytes").write_text(limit)
    (folder / "memory.swappiness").write_text("0")
    if (folder / "memory.memsw.limit_in_bytes").exists():  # not there where the kernel counts no swap
        (folder / "memory.memsw.limit_in_bytes").write_text(limit)


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except FileNotFoundError:
        return None
    return int(text) if text.isdigit() else None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _table(path: Path) -> dict[str, int]:
    return _rows(path.read_text()) if path.exists() else {}


def _rows(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


PREFIX = "dbdyno-"


def find_place(memberships: str, mountinfo: str) -> tuple[int, Path] | None:
    """Version of the memory controller and the folder of this process's own group; None where there is neither.

    Parameters
    ----------
    memberships, mountinfo : text of ``/proc/self/cgroup`` and ``/proc/self/mountinfo``

    >>> find_place("4:memory:/a", "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory")
    (1, PosixPath('/sys/fs/cgroup/memory/a'))
    """
    paths = {}
    for line in memberships.splitlines():
        _, controllers, path = line.split(":", 2)
        paths["memory" if "memory" in controllers.split(",") else controllers] = path
    unified = None
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        root, point = left.split()[3], Path(left.split()[4].replace("\\040", " "))
        kind, options = right.split()[0], right.split()[-1].split(",")
        if kind == "cgroup" and "memory" in options and "memory" in paths:
            return 1, _below(point, root, paths["memory"])
        if kind == "cgroup2" and "" in paths:
            unified = 2, _below(point, root, paths[""])
    return unified


def place_of(pid: int, proc: Path = _PROC.parent) -> tuple[int, Path] | None:
    """`find_place` of a process, as this one sees it; None where there is no such group, or no such process."""
    try:
        return find_place((proc / str(pid) / "cgroup").read_text(), (proc / "self" / "mountinfo").read_text())
    except OSError:
        return None


def find_groups(proc: Path = _PROC) -> list[Path]:
    """Every group below the mounted controller whose name is of our making."""
    place = find_place((proc / "cgroup").read_text(), (proc / "mountinfo").read_text())
    mount = _mount_of(place[1]) if place is not None else Path("/")
    if mount == Path("/"):
        return []
    groups: list[Path] = []
    for folder, names, _ in os.walk(mount):
        groups += [Path(folder) / name for name in names if name.startswith(PREFIX)]
    return sorted(groups)


def _mount_of(group: Path) -> Path:
    return next(path for path in (group, *group.parents) if path.is_mount())


def _below(point: Path, root: str, path: str) -> Path:
    """Return where a group lies below its mount; in a container the mount may show only a part of the tree."""
    within = path.removeprefix(root) if root != "/" and path.startswith(root) else path
    return point.joinpath(*(part for part in within.split("/") if part not in ("", "..")))
