"""Checks limits that a run at high concurrency meets, and those set by a control group or a Docker daemon."""

from __future__ import annotations

from dbdyno.core import UNLIMITED, counted, format_bytes
from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, blocks, clear, idle, notes, unknown, weakens

_FILES_AT_REST = 1_000
"""Files that a server has open in addition to its connections, at the least."""
_FILES_OF_CLIENT = 100
"""Files that a load generator and its agent have open in addition to connections, at the most."""
_FILES_WANTED = 16_384
"""Files with which a server keeps its table cache as configured."""
_THREADS_BESIDE = 200


def open_files(subject: Subject) -> CheckAnswer:
    """Check open files: every connection is a file, every open table one or more."""
    limit = subject.machine.limits.open_files
    if limit is None:
        return unknown("the limit can't be read")
    connections = subject.needs.concurrency if subject.needs else 0
    if subject.is_load_host:
        return _client_files(limit, connections)
    limit_asked = subject.needs.open_files if subject.needs else 0
    least = max(limit_asked, connections + _FILES_AT_REST)
    if subject.needs and limit < least:
        return blocks(
            f"{limit:,} open files for {connections:,} connections",
            f"no server starts: its options ask for {limit_asked:,} open files"
            if limit < limit_asked
            else "the server refuses connections, or shrinks its table cache to fit",
            f"raise the hard limit to {least:,} or more: ulimit -Hn, LimitNOFILE= of the unit, nofile in "
            "/etc/security/limits.conf",
        )
    if not limit_asked and limit < connections + _FILES_WANTED:
        return weakens(
            f"{limit:,} open files",
            "servers shrink their table cache to fit the limit, each by its own rule",
            f"raise the hard limit to {_FILES_WANTED + connections:,} or more (ulimit -Hn, LimitNOFILE=, nofile)",
        )
    return clear(_limit_words(limit))


def _client_files(limit: int, connections: int) -> CheckAnswer:
    least = connections + _FILES_OF_CLIENT
    if limit < least:
        return blocks(
            f"{limit:,} open files for {connections:,} connections",
            "the load generator can't open all of its connections",
            f"raise the hard limit to {least:,} or more: ulimit -Hn, LimitNOFILE= of the unit, nofile in "
            "/etc/security/limits.conf",
        )
    return clear(_limit_words(limit))


def processes(subject: Subject) -> CheckAnswer:
    """Check threads: every connection is a thread of the server."""
    limit = subject.machine.limits.processes
    if limit is None:
        return unknown("the limit can't be read")
    connections = subject.needs.concurrency if subject.needs else 0
    if limit < connections + _THREADS_BESIDE:
        return blocks(
            f"{limit:,} threads for {connections:,} connections",
            "the server can't create a thread for each connection",
            "raise it: ulimit -u, TasksMax= of the unit, pids.max of the control group, kernel.threads-max",
        )
    return clear(_limit_words(limit))


def backlog(subject: Subject) -> CheckAnswer:
    """Check the listen backlog: all connections of a run come at once."""
    limit = subject.machine.limits.backlog
    if limit is None:
        return unknown("net.core.somaxconn can't be read")
    if subject.needs is None:
        return clear(f"{limit:,}") if limit >= 128 else _short_backlog_verdict(limit, 128)
    return (
        clear(f"{limit:,}")
        if limit >= subject.needs.concurrency
        else _short_backlog_verdict(limit, subject.needs.concurrency)
    )


def _short_backlog_verdict(limit: int, arriving_count: int) -> CheckAnswer:
    return weakens(
        f"a listening socket queues {limit:,} connections, but {arriving_count:,} arrive at once",
        "the others are refused or retry after a second, so the start of a run is uneven",
        f"sudo sysctl net.core.somaxconn={max(1024, arriving_count)}",
    )


def ports(subject: Subject) -> CheckAnswer:
    """Check ports: each connection to a port takes one."""
    needs, count = subject.needs, subject.machine.limits.ports
    if needs is None or not set(needs.routes) - {"socket"}:
        return idle("no route uses TCP")
    if count is None:
        return unknown("net.ipv4.ip_local_port_range can't be read")
    if count < 2 * needs.concurrency:
        return blocks(
            f"{count:,} local ports for {needs.concurrency:,} connections, and ports of the previous run stay "
            "busy for a minute",
            "connections fail with EADDRNOTAVAIL",
            'sudo sysctl net.ipv4.ip_local_port_range="10240 65535"',
        )
    return clear(f"{count:,}")


def _limit_words(limit: int) -> str:
    return "no limit" if limit >= UNLIMITED else f"{limit:,}"


LIMITS_CHECKS = (
    MachineCheck("open-files", "Open files", open_files),
    MachineCheck("processes", "Processes and threads", processes),
    MachineCheck("listen-backlog", "Listen backlog", backlog),
    MachineCheck("local-ports", "Local ports", ports),
)


def quota(subject: Subject) -> CheckAnswer:
    """Check for a quota of processor time, which stops everyone at once."""
    processors, usable_count = subject.machine.control_group.processors, len(subject.machine.processors.usable)
    if processors is None:
        return clear("no quota of processor time")
    if usable_count and processors >= usable_count:
        return clear(f"a quota of {processors:g} processors for {usable_count} usable ones")
    return weakens(
        f"a quota of {processors:g} processors' time",
        "when the quota is used up, server and client both stop until the next period: pauses of up to 100 ms "
        "that look like stalls",
        "run outside the container, or assign whole processors to it (docker run --cpuset-cpus instead of --cpus)",
    )


def memory_limit(subject: Subject) -> CheckAnswer:
    """Check the memory limit: page cache counts towards it."""
    limit, total = subject.machine.control_group.memory_bytes, subject.machine.memory.total_bytes
    if limit is None or (total is not None and limit >= total):
        return clear("no limit below the machine's memory")
    return notes(
        f"the control group may use {format_bytes(limit)}",
        "page cache counts towards it: filling, snapshots and servers share it, and at the limit the kernel "
        "reclaims memory",
        "raise the container's memory limit, or keep tiers far below it",
    )


def docker(subject: Subject) -> CheckAnswer:
    """Check whether the Docker daemon can enforce its limits."""
    daemon = subject.machine.docker
    is_needed = subject.needs is not None and "image" in subject.needs.sources
    if is_needed and (daemon is None or daemon.error):
        why = (
            f"the daemon at {daemon.socket} does not answer: {daemon.error}"
            if daemon
            else "no Docker socket on this machine"
        )
        return blocks(
            f"a target comes from an image, and {why}",
            "dbdyno can't fetch its engine",
            "start Docker or Podman (systemctl start docker), or set DOCKER_HOST=unix:///path/of/its.sock",
        )
    if daemon is None:
        return idle("no Docker socket on this machine")
    if daemon.error:
        return notes(
            f"the Docker daemon at {daemon.socket} does not answer: {daemon.error}",
            "engines from images are not available",
            "start it, or join the group with access to its socket: sudo usermod -aG docker $USER",
        )
    lacking_limits = [
        warning for warning in daemon.warnings if "limit" in warning.lower() or "cpuset" in warning.lower()
    ]
    if lacking_limits:
        return weakens(
            f"Docker {daemon.version} says: {'; '.join(lacking_limits)}",
            "Docker does not enforce the limits that a study sets for containers",
            "enable the controllers: swapaccount=1 cgroup_enable=memory on the kernel's command line",
        )
    total = subject.machine.memory.total_bytes
    if daemon.memory_bytes and total and daemon.memory_bytes < total * 0.95:
        return notes(
            f"Docker {daemon.version} has {format_bytes(daemon.memory_bytes)} of {format_bytes(total)}",
            "it runs in a virtual machine: containers see less memory, other disks and other processors",
            "give that virtual machine what the study needs",
        )
    processors_words = f", {counted(daemon.processors, 'processor')}" if daemon.processors else ""
    return clear(f"Docker {daemon.version}{processors_words}")


CONTAINERS_CHECKS = (
    MachineCheck("cpu-quota", "Quota of processor time", quota),
    MachineCheck("memory-limit", "Memory limit of the control group", memory_limit),
    MachineCheck("docker", "Docker", docker),
)
