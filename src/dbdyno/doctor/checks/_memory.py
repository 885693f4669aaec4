"""Checks memory: enough for the largest tier, not swapped, without huge pages, near its processors."""

from __future__ import annotations

from dbdyno.core import format_bytes
from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, blocks, clear, idle, notes, unknown, weakens

_EAGER = 10
"""A swappiness above which pages of programs leave before cached files do, in practice."""


def room(subject: Subject) -> CheckAnswer:
    """Check that the largest server fits into what is free, and into what the control group allows."""
    needs, memory = subject.needs, subject.machine.memory
    limit = subject.machine.control_group.memory_bytes
    if memory.available_bytes is None:
        return unknown("free memory can't be read")
    if needs is None or not needs.memory_bytes:
        return idle(f"{format_bytes(memory.available_bytes)} available")
    for limit_bytes, words in ((memory.available_bytes, "are available"), (limit, "are what the control group allows")):
        if limit_bytes is not None and needs.memory_bytes > limit_bytes:
            return blocks(
                f"the largest tier needs about {format_bytes(needs.memory_bytes)}, {format_bytes(limit_bytes)} {words}",
                "the kernel would kill the server or swap out its buffer pool",
                "choose a smaller tier in [axes], or free some memory",
            )
    return clear(f"{format_bytes(needs.memory_bytes)} needed, {format_bytes(memory.available_bytes)} available")


def swap(subject: Subject) -> CheckAnswer:
    """Check swap: swap in use is memory that waits."""
    memory = subject.machine.memory
    if memory.swap_bytes is None:
        return unknown("swap can't be read")
    if not memory.swap_bytes:
        return clear("no swap")
    used_bytes = memory.swap_used_bytes or 0
    size = format_bytes(memory.swap_bytes)
    if memory.total_bytes and used_bytes > memory.total_bytes // 100:
        return weakens(
            f"{format_bytes(used_bytes)} of {size} of swap are in use",
            "memory is or was short: reading pages back from swap looks like a slow server",
            "end the processes that use the memory, then sudo swapoff -a && sudo swapon -a",
        )
    if memory.swappiness is not None and memory.swappiness > _EAGER and not memory.swap_is_ram:
        return weakens(
            f"swap of {size} with vm.swappiness {memory.swappiness}",
            "a server whose files the kernel caches (LSM engines, buffered reads) can push out pages of the "
            "server's buffer pool: stalls without a cause in the server",
            "sudo sysctl vm.swappiness=1, or sudo swapoff -a",
        )
    return clear(f"swap of {size}, not in use, vm.swappiness {memory.swappiness}")


def huge_pages(subject: Subject) -> CheckAnswer:
    """Check for huge pages that nobody requested."""
    mode = subject.machine.memory.huge_pages
    if not mode:
        return unknown("the mode of transparent huge pages can't be read")
    if mode != "always":
        return clear(mode)
    return weakens(
        "transparent huge pages: always",
        "they affect allocators and engines differently: memory grows beyond its budget, and the kernel stops "
        "threads while it builds a huge page",
        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    )


def overcommit(subject: Subject) -> CheckAnswer:
    """Check for strict accounting, which refuses what would have fitted."""
    mode = subject.machine.memory.overcommit
    if mode is None:
        return unknown("vm.overcommit_memory can't be read")
    if mode != 2:
        return clear(f"vm.overcommit_memory {mode}")
    return notes(
        "vm.overcommit_memory is 2",
        "a server that reserves more than it uses may fail to start although memory is free",
        "sudo sysctl vm.overcommit_memory=0",
    )


MEMORY_CHECKS = (
    MachineCheck("memory", "Memory for the largest tier", room),
    MachineCheck("swap", "Swap", swap),
    MachineCheck("huge-pages", "Transparent huge pages", huge_pages),
    MachineCheck("overcommit", "Accounting of memory", overcommit),
)


def nodes(subject: Subject) -> CheckAnswer:
    """Check nodes: a server over several has memory at several distances."""
    node_sets = [set(node) for node in subject.machine.processors.nodes if node]
    if len(node_sets) < 2:
        return idle("one node")
    pinned = subject.needs.server_processors if subject.needs else None
    if pinned and any(set(pinned) <= node for node in node_sets):
        return clear(f"{len(node_sets)} nodes, the server on one of them")
    return notes(
        f"{len(node_sets)} NUMA nodes, and the server may run on all",
        "memory may be placed on the near or the far node: repeats differ more than on one node",
        "pin the server to the processors of one node ([pinning] server), or interleave memory for all targets",
    )


def balancing(subject: Subject) -> CheckAnswer:
    """Check for pages that move under the server."""
    processors = subject.machine.processors
    if len(processors.nodes) < 2 or processors.numa_balancing is None:
        return idle("one node, or no such switch")
    if not processors.numa_balancing:
        return clear("off")
    return weakens(
        "the kernel moves pages between NUMA nodes automatically",
        "it unmaps pages to track their use: stalls that depend on the access pattern",
        "sudo sysctl kernel.numa_balancing=0",
    )


def reclaim(subject: Subject) -> CheckAnswer:
    """Check whether near memory is reclaimed before far memory is taken."""
    processors = subject.machine.processors
    if len(processors.nodes) < 2 or processors.zone_reclaim is None:
        return idle("one node, or no such switch")
    if not processors.zone_reclaim:
        return clear("off")
    return weakens(
        "vm.zone_reclaim_mode is on",
        "the kernel drops cached pages although the other node has free memory, which causes extra reads",
        "sudo sysctl vm.zone_reclaim_mode=0",
    )


NUMA_CHECKS = (
    MachineCheck("numa-nodes", "NUMA nodes", nodes),
    MachineCheck("numa-balancing", "NUMA balancing", balancing),
    MachineCheck("zone-reclaim", "Zone reclaim", reclaim),
)
