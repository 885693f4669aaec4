"""Limits set from outside: the control group that dbdyno runs in, and the Docker daemon."""

from __future__ import annotations

from dbdyno.core import format_bytes
from dbdyno.doctor._verdict import Check, Subject, Verdict, blocks, clear, idle, notes, weakens


def quota(subject: Subject) -> Verdict:
    """A quota of processor time stops everyone at once."""
    processors, usable = subject.machine.control_group.processors, len(subject.machine.processors.usable)
    if processors is None:
        return clear("no quota of processor time")
    if usable and processors >= usable:
        return clear(f"a quota of {processors:g} processors, and {usable} there are")
    return weakens(
        f"a quota of {processors:g} processors' time",
        "when it is used up, server and client stand still together until the next period: pauses of up to 100 ms "
        "that look like stalls",
        "run outside the container, or give it whole processors (docker run --cpuset-cpus instead of --cpus)",
    )


def memory_limit(subject: Subject) -> Verdict:
    """Page cache counts towards it."""
    limit, total = subject.machine.control_group.memory_bytes, subject.machine.memory.total_bytes
    if limit is None or (total is not None and limit >= total):
        return clear("no limit below the machine's memory")
    return notes(
        f"the control group may use {format_bytes(limit)}",
        "page cache counts towards it: filling, snapshots and servers share it, and reclaim begins at the limit",
        "raise the container's memory, or keep tiers far below it",
    )


def docker(subject: Subject) -> Verdict:
    """A daemon that can't limit what it is asked to limit."""
    found = subject.machine.docker
    is_needed = subject.needs is not None and "image" in subject.needs.sources
    if is_needed and (found is None or found.error):
        why = f"the daemon at {found.socket} does not answer: {found.error}" if found else "no daemon's socket is here"
        return blocks(
            f"a target comes from an image, and {why}",
            "its engine can't be had",
            "start Docker or Podman (systemctl start docker), or set DOCKER_HOST=unix:///path/of/its.sock",
        )
    if found is None:
        return idle("no daemon's socket here")
    if found.error:
        return notes(
            f"the Docker daemon at {found.socket} does not answer: {found.error}",
            "engines can't be taken from images",
            "start it, or join the group that may use its socket: sudo usermod -aG docker $USER",
        )
    lacking = [warning for warning in found.warnings if "limit" in warning.lower() or "cpuset" in warning.lower()]
    if lacking:
        return weakens(
            f"Docker {found.version} says: {'; '.join(lacking)}",
            "limits that a study sets for containers do not bind",
            "enable the controllers: swapaccount=1 cgroup_enable=memory on the kernel's command line",
        )
    total = subject.machine.memory.total_bytes
    if found.memory_bytes and total and found.memory_bytes < total * 0.95:
        return notes(
            f"Docker {found.version} has {format_bytes(found.memory_bytes)} of {format_bytes(total)}",
            "it runs in a machine of its own: containers see less memory, other disks and other processors",
            "give that machine what the study needs",
        )
    return clear(f"Docker {found.version}, {found.processors} processors")


CHECKS = (
    Check("cpu-quota", "Quota of processor time", quota),
    Check("memory-limit", "Memory limit of the control group", memory_limit),
    Check("docker", "Docker", docker),
)
