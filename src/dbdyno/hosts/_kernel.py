"""Finds out whether two hosts are one machine: containers have names and networks apart, and share a kernel."""

from __future__ import annotations

import re

from dbdyno.hosts._protocol import Host
from dbdyno.hosts._tree import Tree

_COUNTS = ("ctxt", "processes")
"""Context switches and started processes since the kernel started; both only grow, and no namespace hides them."""


def have_one_kernel(host: Host, other: Host) -> bool:
    """Return whether two hosts have one kernel, and so the same processors.

    What one reads lies between what the other reads before and after. Boot ids say less: a container may have its own.
    """
    before, between, after = (_counts(each) for each in (host, other, host))
    if not all(len(counts) == len(_COUNTS) for counts in (before, between, after)):
        return False
    return all(low <= count <= high for low, count, high in zip(before, between, after, strict=True))


def _counts(host: Host) -> list[int]:
    """Return counts of the kernel; none where they can't be read."""
    text = Tree(host.files).text("/proc/stat")
    found = [re.search(rf"^{name} (\d+)$", text, re.MULTILINE) for name in _COUNTS]
    return [int(match[1]) for match in found if match is not None]
