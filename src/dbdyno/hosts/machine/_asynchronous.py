"""Whether the kernel gives asynchronous reading and writing to who asks: it is asked, and what it gives is given back.

A sysctl tells only half: containers forbid the calls by a filter of their own.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform

from dbdyno.core import AsyncIo
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
