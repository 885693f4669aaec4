"""Bounds the memory of one process, page cache included, by a control group of version 1 or 2.

A group is made below the one that this process lives in (version 1), or next to it (version 2, which allows no group
that has both processes and bounded children), so an outer bound of this process bounds the server too.

>>> find_place("0::/x.slice/y.scope", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
(2, PosixPath('/sys/fs/cgroup/x.slice/y.scope'))
"""

from __future__ import annotations

import contextlib
import errno
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError, format_bytes
from dbdyno.hosts._facts import mount_of
from dbdyno.hosts._files import Files, Reader

_REMOVE_S = 10.0
_PAUSE_S = 0.05
_REMEDY = "remove [limits], or run as root, or below `systemd-run --user --scope -p Delegate=yes`"
_REMEDY_THERE = "remove [limits], or log in as root there, or in a delegated group: see docs/guides/memory-limit.md"
"""For another host, where it does not matter how dbdyno was started here."""
_PROC = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Describes what a group has used.

    Parameters
    ----------
    peak_bytes : highest use since the group was made, page cache included; None where the kernel keeps none
    page_cache_bytes, anonymous_bytes : now
    limit_hits : how often the group was at its limit, so that pages had to be given back first; None where the kernel
        does not count it (version 1 of late kernels)
    refaulted_pages : of files, given back for the limit and read once more; None where the kernel does not count them
    oom_kills : processes of it that the kernel killed
    """

    limit_bytes: int
    peak_bytes: int | None
    used_bytes: int
    page_cache_bytes: int
    anonymous_bytes: int
    limit_hits: int | None
    refaulted_pages: int | None
    oom_kills: int


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """Describes a group that exists.

    Parameters
    ----------
    version : of the kernel's interface, 1 or 2
    is_ours : it was made here, and is to be removed here; a container's is its engine's
    """

    folder: Path
    version: int
    limit_bytes: int
    is_ours: bool = True

    def add(self, pid: int, files: Files) -> None:
        """Move a process into the group; what it has used so far stays charged to where it was."""
        try:
            files.write(self.folder / "cgroup.procs", str(pid).encode())
        except OSError as error:
            raise HostError("a process can't be put into its memory group", str(error), _remedy(files)) from error

    def use(self, read: Reader) -> MemoryUse:
        """Read its counters; OSError when the group is gone."""
        stat = _parse_rows(_read_text(self.folder / "memory.stat", read))
        if self.version == 1:
            return MemoryUse(
                self.limit_bytes,
                _read_number(self.folder / "memory.max_usage_in_bytes", read),
                _read_number(self.folder / "memory.usage_in_bytes", read) or 0,
                stat.get("total_cache", 0),
                stat.get("total_rss", 0),
                sum(_read_number(self.folder / name, read) or 0 for name in ("memory.failcnt", "memory.memsw.failcnt"))
                or None,
                stat.get("total_workingset_refault_file", stat.get("total_workingset_refault")),
                _read_table(self.folder / "memory.oom_control", read).get("oom_kill", 0),
            )
        events = _read_table(self.folder / "memory.events", read)
        return MemoryUse(
            self.limit_bytes,
            _read_number(self.folder / "memory.peak", read),
            _read_number(self.folder / "memory.current", read) or 0,
            stat.get("file", 0),
            stat.get("anon", 0),
            events.get("max", 0),
            stat.get("workingset_refault_file", stat.get("workingset_refault")),  # its name before Linux 5.9
            events.get("oom_kill", 0),
        )


def make_memory_group(files: Files, name: str, limit_bytes: int, proc: Path = _PROC) -> MemoryGroup:
    """Make a group of that name with swap forbidden.

    Raises
    ------
    HostError : the kernel offers no memory controller here, or this user may not use it
    """
    place = find_place(files.read_text(proc / "cgroup"), files.read_text(proc / "mountinfo"))
    if place is None:
        raise HostError(
            "dbdyno can't limit memory here",
            "no control group with a memory controller is mounted",
            "leave [limits] out",
            code="memory-unbounded",
        )
    version, parent = place
    if version == 2:
        parent = _bounded_parent(parent, files)
    folder = parent / f"{PREFIX}{name}"
    try:
        files.make_directory(folder, is_new=True)
    except OSError as error:
        raise HostError(
            "dbdyno can't limit memory here",
            f"{folder} can't be created: {error.strerror}",
            _remedy(files),
            code="memory-unbounded",
        ) from error
    group = MemoryGroup(folder, version, limit_bytes)
    try:
        _set_limits(group, files)
    except OSError as error:
        remove_group(files, folder)
        raise HostError(
            f"dbdyno can't limit memory at {format_bytes(limit_bytes)}",
            f"{error.filename}: {error.strerror}",
            _remedy(files),
        ) from error
    return group


def memory_group_of(
    files: Files, pid: int, limit_bytes: int, page_bytes: int, proc: Path = _PROC.parent
) -> MemoryGroup | None:
    """Return the group by which somebody else bounds a process; None where it can't be seen from here.

    A runtime may put the processes into a group below the bounded one, and what this machine calls the group may be
    seen under another name from within a container. So the group counts whose own limit is the one that was asked for.
    """
    place = find_process_place(files, pid, proc)
    if place is None:
        return None
    version, own_group = place
    name = "memory.limit_in_bytes" if version == 1 else "memory.max"
    for folder in (own_group, *own_group.parents):
        limit = _read_number(folder / name, files.read_bytes)
        if limit is not None and limit // page_bytes == limit_bytes // page_bytes:  # the kernel rounds down to pages
            return MemoryGroup(folder, version, limit, is_ours=False)
    return None


def remove_group(files: Files, folder: Path) -> None:
    """Remove a group; one that is gone is fine. A killed process leaves its group a moment after its end.

    Raises
    ------
    HostError : a process still lives in it
    """
    deadline = time.monotonic() + _REMOVE_S
    while True:
        try:
            files.remove(folder)
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() >= deadline:
                raise HostError(f"the control group {folder} can't be removed", str(error)) from error
            time.sleep(_PAUSE_S)
        else:
            return


def _remedy(files: Files) -> str:
    return _REMEDY_THERE if files.is_remote else _REMEDY


def _bounded_parent(own_group: Path, files: Files) -> Path:
    """Return the group whose children have a memory controller, made so where that is allowed (version 2)."""
    is_root = files.stat(own_group / "cgroup.type") is None
    parent = own_group if is_root else own_group.parent
    controllers = _read_words(parent / "cgroup.controllers", files)
    if "memory" not in controllers:
        why = f"{parent} has no memory controller for its children: {' '.join(controllers) or 'none at all'}"
        raise HostError("dbdyno can't limit memory here", why, _remedy(files), code="memory-unbounded")
    if "memory" not in _read_words(parent / "cgroup.subtree_control", files):
        try:
            files.write(parent / "cgroup.subtree_control", b"+memory")
        except OSError as error:
            why = f"{parent} does not delegate its memory controller: {error.strerror}"
            raise HostError("dbdyno can't limit memory here", why, _remedy(files), code="memory-unbounded") from error
    return parent


def _set_limits(group: MemoryGroup, files: Files) -> None:
    limit = str(group.limit_bytes).encode()
    if group.version == 2:
        files.write(group.folder / "memory.max", limit)
        _write_if_present(group.folder / "memory.swap.max", b"0", files)
        return
    files.write(group.folder / "memory.limit_in_bytes", limit)
    files.write(group.folder / "memory.swappiness", b"0")
    _write_if_present(group.folder / "memory.memsw.limit_in_bytes", limit, files)


def _write_if_present(path: Path, content: bytes, files: Files) -> None:
    if files.stat(path) is not None:  # it is not where the kernel counts no swap
        files.write(path, content)


def _read_text(path: Path, read: Reader) -> str:
    return read(path).decode(errors="replace")


def _read_number(path: Path, read: Reader) -> int | None:
    try:
        text = _read_text(path, read).strip()
    except FileNotFoundError:
        return None
    return int(text) if text.isdigit() else None


def _read_words(path: Path, files: Files) -> list[str]:
    try:
        return files.read_text(path).split()
    except OSError:
        return []


def _read_table(path: Path, read: Reader) -> dict[str, int]:
    try:
        return _parse_rows(_read_text(path, read))
    except FileNotFoundError:
        return {}


def _parse_rows(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


PREFIX = "dbdyno-"


def find_place(memberships: str, mountinfo: str) -> tuple[int, Path] | None:
    """Return the version of the memory controller and the folder of this process's group; None without them.

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
        mount_part, _, source_part = line.partition(" - ")
        root, point = mount_part.split()[3], Path(mount_part.split()[4].replace("\\040", " "))
        kind, options = source_part.split()[0], source_part.split()[-1].split(",")
        if kind == "cgroup" and "memory" in options and "memory" in paths:
            return 1, _group_folder(point, root, paths["memory"])
        if kind == "cgroup2" and "" in paths:
            unified = 2, _group_folder(point, root, paths[""])
    return unified


def find_process_place(files: Files, pid: int, proc: Path = _PROC.parent) -> tuple[int, Path] | None:
    """Return `find_place` of a process, as we see it; None where there is no such group, or no such process."""
    try:
        return find_place(files.read_text(proc / str(pid) / "cgroup"), files.read_text(proc / "self" / "mountinfo"))
    except OSError:
        return None


def find_groups(files: Files, proc: Path = _PROC) -> list[Path]:
    """Return every group below the mounted controller whose name is of our making."""
    mountinfo = files.read_text(proc / "mountinfo")
    place = find_place(files.read_text(proc / "cgroup"), mountinfo)
    mount = Path("/") if place is None else Path(mount_of(place[1], mountinfo).point)
    return [] if mount == Path("/") else sorted(_groups_below(mount, files))


def _groups_below(folder: Path, files: Files) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for entry in files.entries(folder):
            if entry.kind == "directory":
                if entry.path.name.startswith(PREFIX):
                    yield entry.path
                yield from _groups_below(entry.path, files)


def _group_folder(point: Path, root: str, path: str) -> Path:
    """Return where a group lies below its mount; in a container the mount may show only a part of the tree."""
    inner_path = path.removeprefix(root) if root != "/" and path.startswith(root) else path
    return point.joinpath(*(path_part for path_part in inner_path.split("/") if path_part not in ("", "..")))
