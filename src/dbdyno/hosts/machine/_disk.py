"""The disk of the data directories: mount, queue, space."""

from __future__ import annotations

import os
from pathlib import Path

from dbdyno.core import Disk
from dbdyno.hosts._facts import mount_of
from dbdyno.hosts.machine._files import Tree


def read_disk(tree: Tree, data_path: Path) -> Disk:
    """The disk that holds a path, or its nearest parent that is there."""
    place = next(path for path in (data_path.absolute(), *data_path.absolute().parents) if path.exists())
    mount = mount_of(place, tree.text("/proc/self/mountinfo"))
    queue = _queue(tree, mount.device_number, mount.source)
    space = os.statvfs(place)
    read_ahead = None if queue is None else tree.number(f"{queue}/read_ahead_kb")
    rotational = None if queue is None else tree.flag(f"{queue}/rotational")
    return Disk(
        path=str(place),
        device=mount.source,
        filesystem=mount.filesystem,
        options=tuple(dict.fromkeys(",".join(filter(None, (mount.options, mount.super_options))).split(","))),
        rotational=rotational,
        scheduler="" if queue is None else tree.chosen(f"{queue}/scheduler"),
        read_ahead_bytes=None if read_ahead is None else read_ahead * 1024,
        size_bytes=space.f_frsize * space.f_blocks,
        free_bytes=space.f_frsize * space.f_bavail,
    )


def _queue(tree: Tree, device_number: str, source: str) -> str | None:
    """Folder of the device's queue, as a path of the machine: a partition's is its disk's."""
    for device in (f"/sys/dev/block/{device_number}", f"/sys/class/block/{Path(source).name}"):
        real = tree.at(device).resolve()
        for folder in (real, real.parent):
            if (folder / "queue/scheduler").is_file():
                return "/" + str((folder / "queue").relative_to(tree.root.resolve()))
    return None
