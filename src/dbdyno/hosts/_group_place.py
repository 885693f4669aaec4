"""Where control groups with a say over memory lie: of this process, of another, and those of our making.

>>> find_place("0::/x.slice/y.scope", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
(2, PosixPath('/sys/fs/cgroup/x.slice/y.scope'))
"""

from __future__ import annotations

import os
from pathlib import Path

PREFIX = "dbdyno-"
_PROC = Path("/proc/self")


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
    found: list[Path] = []
    for folder, names, _ in os.walk(mount):
        found += [Path(folder) / name for name in names if name.startswith(PREFIX)]
    return sorted(found)


def _mount_of(group: Path) -> Path:
    return next(path for path in (group, *group.parents) if path.is_mount())


def _below(point: Path, root: str, path: str) -> Path:
    """Where a group lies below its mount; in a container the mount may show only a part of the tree."""
    within = path.removeprefix(root) if root != "/" and path.startswith(root) else path
    return point.joinpath(*(part for part in within.split("/") if part not in ("", "..")))
