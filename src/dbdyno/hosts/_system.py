"""Reads what only system calls and the environment of a machine show, and as whom servers run there."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import pwd
import resource
from dataclasses import dataclass

from dbdyno.core import HostError

SERVER_USERS = ("dbdyno", "nobody")


@dataclass(frozen=True, slots=True)
class ServerUser:
    """Describes an unprivileged user of a machine."""

    name: str
    user_id: int
    group_id: int


@dataclass(frozen=True, slots=True)
class System:
    """Describes a machine and what our processes are there.

    Parameters
    ----------
    kernel : its release, as ``uname -r`` gives it
    usable_cpus : those that our processes may use
    page_bytes : of a memory page
    open_files, processes : hard limits of our processes; None: none
    user_id : whose our processes are
    server_user : whom servers run as where we are root, as database servers refuse to run as root; None: as ourselves
    runtime_directory : ``$XDG_RUNTIME_DIR``; empty where it is not set
    """

    hostname: str
    kernel: str
    architecture: str
    usable_cpus: tuple[int, ...]
    page_bytes: int
    open_files: int | None
    processes: int | None
    user_id: int
    server_user: ServerUser | None
    runtime_directory: str

    @property
    def own_user_ids(self) -> frozenset[int]:
        """Ids of this user and of the one that its servers run as."""
        return frozenset({self.user_id, *([] if self.server_user is None else [self.server_user.user_id])})


def read_system() -> System:
    """Read those of this machine.

    Raises
    ------
    HostError : see `find_server_user`
    """
    return System(
        hostname=platform.node(),
        kernel=platform.release(),
        architecture=platform.machine(),
        usable_cpus=tuple(sorted(os.sched_getaffinity(0))),
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
        open_files=_hard_limit(resource.RLIMIT_NOFILE),
        processes=_hard_limit(resource.RLIMIT_NPROC),
        user_id=os.geteuid(),
        server_user=find_server_user(),
        runtime_directory=os.environ.get("XDG_RUNTIME_DIR", ""),
    )


def find_server_user() -> ServerUser | None:
    """Return the user ``dbdyno`` if there is one, else ``nobody``; None without root: servers run as this user.

    Raises
    ------
    HostError : there is neither
    """
    if os.geteuid() != 0:
        return None
    for name in SERVER_USERS:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return ServerUser(name, entry.pw_uid, entry.pw_gid)
    raise HostError("no user to run servers as", "neither dbdyno nor nobody exists", "useradd --system dbdyno")


def _hard_limit(kind: int) -> int | None:
    hard = resource.getrlimit(kind)[1]
    return None if hard == resource.RLIM_INFINITY else hard


_IO_URING_SETUP = 425  # the same on every architecture
_IO_SETUP = {"x86_64": (206, 207), "aarch64": (0, 1)}  # io_setup, io_destroy
_PARAMETERS_BYTES = 120  # struct io_uring_params


def io_uring_error() -> int:
    """Return 0 when a ring was given (and closed again), else the error's number."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(_PARAMETERS_BYTES)
    descriptor = libc.syscall(ctypes.c_long(_IO_URING_SETUP), ctypes.c_uint(1), parameters)
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def native_io_error() -> int | None:
    """Return 0 when a context was given (and destroyed), else the error's number; None on an unknown architecture."""
    numbers = _IO_SETUP.get(platform.machine())
    if numbers is None:
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    context = ctypes.c_ulong(0)
    if libc.syscall(ctypes.c_long(numbers[0]), ctypes.c_uint(1), ctypes.byref(context)) < 0:
        return ctypes.get_errno()
    libc.syscall(ctypes.c_long(numbers[1]), context)
    return 0
