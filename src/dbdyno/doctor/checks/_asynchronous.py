"""Asynchronous I/O: what engines use when they may, and go without when they may not."""

from __future__ import annotations

from dbdyno.doctor._verdict import Check, Subject, Verdict, clear, idle, notes, unknown, weakens

_REQUESTS_WANTED = 8_192
"""InnoDB asks for some 256 requests a reader or writer thread when it starts."""


def native(subject: Subject) -> Verdict:
    """InnoDB of MySQL, and of MariaDB where it has no ring, read and write by it."""
    found = subject.machine.asynchronous
    if found.native is None:
        return unknown("not asked for on this architecture")
    if not found.native:
        return weakens(
            f"the kernel gives no native asynchronous I/O: {found.native_why}",
            "InnoDB falls back to threads that wait, and says so only in its log",
            "allow io_setup in the container's seccomp profile, or raise fs.aio-max-nr",
        )
    if found.requests_left is not None and found.requests_left < _REQUESTS_WANTED:
        return weakens(
            f"{found.requests_left:,} native asynchronous requests are left on this machine",
            "a server that gets none does without; which one that is depends on the order of starting",
            "sudo sysctl fs.aio-max-nr=1048576",
        )
    return clear("available" if found.requests_left is None else f"available, {found.requests_left:,} requests left")


def io_uring(subject: Subject) -> Verdict:
    """MariaDB 10.6 and later use it where they were built with it."""
    found = subject.machine.asynchronous
    if found.io_uring is None:
        return idle("not asked for")
    if found.io_uring:
        return clear("available")
    return notes(
        f"io_uring is not available: {found.io_uring_why}",
        "builds of MariaDB 10.6 and later that prefer it use native asynchronous I/O or threads instead",
        "sudo sysctl kernel.io_uring_disabled=0, or allow io_uring_setup in the container's seccomp profile",
    )


CHECKS = (
    Check("native-aio", "Native asynchronous I/O", native),
    Check("io-uring", "io_uring", io_uring),
)
