"""Reads the disk of the data directories (mount, queue, space) and whether the kernel offers asynchronous I/O.

A sysctl tells only half: containers forbid the calls by a filter of their own.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from pathlib import Path

from dbdyno.core import AsyncIo, Disk
from dbdyno.hosts._facts import mount_of
from dbdyno.hosts.machine._files import Tree

_IO_URING_SETUP = 425  # the same on every architecture
_IO_SETUP = {"x86_64": (206, 207), "aarch64": (0, 1)}  # io_setup, io_destroy
_PARAMETERS_BYTES = 120  # struct io_uring_params


def read_asynchronous(tree: Tree) -> AsyncIo:
    """Both kinds, and how many native requests are left of the machine's."""
    io_uring, native = _io_uring_error(), _native_error()
    most, taken = tree.number("/proc/sys/fs/aio-max-nr"), tree.number("/proc/sys/fs/aio-nr")
    return AsyncIo(
        io_uring=io_uring == 0,
        io_uring_why=_words(io_uring, tree.text("/proc/sys/kernel/io_uring_disabled")),
        native=None if native is None else native == 0,
        native_why="" if native is None else os.strerror(native) if native else "",
        requests_left=None if most is None or taken is None else most - taken,
    )


def _io_uring_error() -> int:
    """0 when a ring was given (and closed again), else the error's number."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(_PARAMETERS_BYTES)
    descriptor = libc.syscall(ctypes.c_long(_IO_URING_SETUP), ctypes.c_uint(1), parameters)
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def _native_error() -> int | None:
    """0 when a context was given (and destroyed), else the error's number; None on an unknown architecture."""
    numbers = _IO_SETUP.get(platform.machine())
    if numbers is None:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    context = ctypes.c_ulong(0)
    if libc.syscall(ctypes.c_long(numbers[0]), ctypes.c_uint(1), ctypes.byref(context)) < 0:
        return ctypes.get_errno()
    libc.syscall(ctypes.c_long(numbers[1]), context)
    return 0


def _words(error: int, switch: str) -> str:
    if not error:
        return ""
    if error == errno.EPERM and switch in ("1", "2"):
        return f"kernel.io_uring_disabled is {switch}"
    return os.strerror(error)


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
