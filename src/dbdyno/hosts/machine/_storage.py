"""Reads the disk of the data directories (mount, queue, space) and whether the kernel offers asynchronous I/O.

A sysctl shows only half: containers forbid the calls by their own filter.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dbdyno.core import AsyncIo, Disk
from dbdyno.hosts._facts import mount_of
from dbdyno.hosts._tree import Tree


def read_asynchronous(tree: Tree, io_uring: int, native: int | None) -> AsyncIo:
    """Return both kinds by the error numbers of asking for them, and how many native requests the machine has left."""
    requests_max, requests_taken = tree.number("/proc/sys/fs/aio-max-nr"), tree.number("/proc/sys/fs/aio-nr")
    return AsyncIo(
        io_uring=io_uring == 0,
        io_uring_why=_error_words(io_uring, tree.text("/proc/sys/kernel/io_uring_disabled")),
        native=None if native is None else native == 0,
        native_why="" if native is None else os.strerror(native) if native else "",
        requests_left=None if requests_max is None or requests_taken is None else requests_max - requests_taken,
    )


def _error_words(error: int, switch: str) -> str:
    if not error:
        return ""
    if error == errno.EPERM and switch in ("1", "2"):
        return f"kernel.io_uring_disabled is {switch}"
    return os.strerror(error)


def read_disk(tree: Tree, data_path: Path) -> Disk:
    """Return the disk that holds a path, or its nearest parent that is there."""
    files, path = tree.files, data_path.absolute()
    place = next(folder for folder in (path, *path.parents) if files.stat(folder) is not None)
    mount = mount_of(files.resolve(place), tree.text("/proc/self/mountinfo"))
    queue = _queue_folder(tree, mount.device_number, mount.source)
    space = files.space(place)
    read_ahead = None if queue is None else tree.number(f"{queue}/read_ahead_kb")
    rotational = None if queue is None else tree.flag(f"{queue}/rotational")
    queue_disk, scheduler = ("", "") if queue is None else _scheduled_disk(tree, Path(queue).parent)
    return Disk(
        path=str(place),
        device=mount.source,
        filesystem=mount.filesystem,
        options=tuple(dict.fromkeys(",".join(filter(None, (mount.options, mount.super_options))).split(","))),
        rotational=rotational,
        scheduler=scheduler,
        read_ahead_bytes=None if read_ahead is None else read_ahead * 1024,
        size_bytes=space.size_bytes,
        free_bytes=space.free_bytes,
        queue_disk=queue_disk,
    )


def _queue_folder(tree: Tree, device_number: str, source: str) -> str | None:
    """Return the folder of the device's queue, as a path of the machine: a partition's is its disk's."""
    for device in (f"/sys/dev/block/{device_number}", f"/sys/class/block/{Path(source).name}"):
        device_folder = tree.resolved(device)
        for folder in (device_folder, device_folder.parent):
            if tree.facts(folder / "queue/scheduler") is not None:
                return str(folder / "queue")
    return None


def _scheduled_disk(tree: Tree, device_folder: Path) -> tuple[str, str]:
    """Return name and scheduler of the first disk of a device that has one; without any, of its first disk.

    LVM, LUKS and software RAID have no scheduler: their own queue says none, whichever orders the disks below.
    """
    folders = _disks_below(tree, device_folder)
    schedulers = {folder.name: tree.chosen(folder / "queue/scheduler") for folder in folders}
    name = next((name for name, chosen in schedulers.items() if chosen not in ("", "none")), folders[0].name)
    return name, schedulers[name]


def _disks_below(tree: Tree, device_folder: Path) -> list[Path]:
    """Return the folders of the disks that a device is made of: its own where it is a disk."""
    parts = [tree.resolved(path) for path in tree.matching(str(device_folder / "slaves"), "*")]
    if not parts:
        return [device_folder]
    devices = [part if tree.facts(part / "queue") is not None else part.parent for part in parts]
    return [disk for device in devices for disk in _disks_below(tree, device)]
