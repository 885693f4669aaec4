"""Limits that a run at high concurrency meets."""

from __future__ import annotations

from dbdyno.core import UNLIMITED
from dbdyno.doctor._verdict import Check, Subject, Verdict, blocks, clear, idle, unknown, weakens

_FILES_AT_REST = 1_000
"""Files that a server has open beside its connections, at the least."""
_FILES_WANTED = 16_384
"""What lets a server keep its table cache as it was configured."""
_THREADS_BESIDE = 200


def open_files(subject: Subject) -> Verdict:
    """Every connection is a file, every open table one or more."""
    limit = subject.machine.limits.open_files
    if limit is None:
        return unknown("the limit can't be read")
    connections = subject.needs.concurrency if subject.needs else 0
    if subject.needs and limit < connections + _FILES_AT_REST:
        return blocks(
            f"{limit:,} open files for {connections:,} connections",
            "connections are refused, or the server cuts its table cache until it fits",
            "raise the hard limit: ulimit -Hn, LimitNOFILE= of the unit, nofile in /etc/security/limits.conf",
        )
    if limit < connections + _FILES_WANTED:
        return weakens(
            f"{limit:,} open files",
            "servers lower their table cache to what the limit leaves, each by a rule of its own",
            f"raise the hard limit to {_FILES_WANTED + connections:,} or more (ulimit -Hn, LimitNOFILE=, nofile)",
        )
    return clear(_words(limit))


def processes(subject: Subject) -> Verdict:
    """Every connection is a thread of the server."""
    limit = subject.machine.limits.processes
    if limit is None:
        return unknown("the limit can't be read")
    connections = subject.needs.concurrency if subject.needs else 0
    if limit < connections + _THREADS_BESIDE:
        return blocks(
            f"{limit:,} threads for {connections:,} connections",
            "the server can't make a thread for each connection",
            "raise it: ulimit -u, TasksMax= of the unit, pids.max of the control group, kernel.threads-max",
        )
    return clear(_words(limit))


def backlog(subject: Subject) -> Verdict:
    """All connections of a run come at once."""
    limit = subject.machine.limits.backlog
    if limit is None:
        return unknown("net.core.somaxconn can't be read")
    if subject.needs is None:
        return clear(f"{limit:,}") if limit >= 128 else _short_backlog(limit, 128)
    return (
        clear(f"{limit:,}") if limit >= subject.needs.concurrency else _short_backlog(limit, subject.needs.concurrency)
    )


def _short_backlog(limit: int, wanted: int) -> Verdict:
    return weakens(
        f"a listening socket keeps {limit:,} connections waiting, {wanted:,} come at once",
        "the others are turned away or try again after a second, which makes the start of a run uneven",
        f"sudo sysctl net.core.somaxconn={max(1024, wanted)}",
    )


def ports(subject: Subject) -> Verdict:
    """Each connection to a port takes a port."""
    needs, count = subject.needs, subject.machine.limits.ports
    if needs is None or not set(needs.routes) - {"socket"}:
        return idle("no route by TCP")
    if count is None:
        return unknown("net.ipv4.ip_local_port_range can't be read")
    if count < 2 * needs.concurrency:
        return blocks(
            f"{count:,} local ports for {needs.concurrency:,} connections, and those of the last run are not free yet",
            "connections fail with EADDRNOTAVAIL",
            'sudo sysctl net.ipv4.ip_local_port_range="10240 65535"',
        )
    return clear(f"{count:,}")


def _words(limit: int) -> str:
    return "no limit" if limit >= UNLIMITED else f"{limit:,}"


CHECKS = (
    Check("open-files", "Open files", open_files),
    Check("processes", "Processes and threads", processes),
    Check("listen-backlog", "Listen backlog", backlog),
    Check("local-ports", "Local ports", ports),
)
