"""Memory near and far."""

from __future__ import annotations

from dbdyno.doctor._verdict import Check, Subject, Verdict, clear, idle, notes, weakens


def nodes(subject: Subject) -> Verdict:
    """A server over several nodes has memory at several distances."""
    found = [set(node) for node in subject.machine.processors.nodes if node]
    if len(found) < 2:
        return idle("one node")
    pinned = subject.needs.server_processors if subject.needs else None
    if pinned and any(set(pinned) <= node for node in found):
        return clear(f"{len(found)} nodes, the server on one of them")
    return notes(
        f"{len(found)} NUMA nodes, and the server may run on all",
        "memory is near or far as it happens to be placed: repeats differ more than on one node",
        "pin the server to the processors of one node ([pinning] server), or have all targets interleave",
    )


def balancing(subject: Subject) -> Verdict:
    """Pages that move under the server."""
    processors = subject.machine.processors
    if len(processors.nodes) < 2 or processors.numa_balancing is None:
        return idle("one node, or no such switch")
    if not processors.numa_balancing:
        return clear("off")
    return weakens(
        "the kernel moves pages between NUMA nodes by itself",
        "it unmaps pages to see who uses them: stalls that come and go with the access pattern",
        "sudo sysctl kernel.numa_balancing=0",
    )


def reclaim(subject: Subject) -> Verdict:
    """Near memory reclaimed before far memory is taken."""
    processors = subject.machine.processors
    if len(processors.nodes) < 2 or processors.zone_reclaim is None:
        return idle("one node, or no such switch")
    if not processors.zone_reclaim:
        return clear("off")
    return weakens(
        "vm.zone_reclaim_mode is on",
        "cached pages are thrown away although there is free memory on the other node: reads that need not be",
        "sudo sysctl vm.zone_reclaim_mode=0",
    )


CHECKS = (
    Check("numa-nodes", "NUMA nodes", nodes),
    Check("numa-balancing", "NUMA balancing", balancing),
    Check("zone-reclaim", "Zone reclaim", reclaim),
)
