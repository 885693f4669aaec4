"""What else the machine does: /proc/stat and the times of all processes, twice, a second apart."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping

from dbdyno.core import BusyProcess, Load
from dbdyno.hosts.machine._files import Tree

_NAMED = 3
_WORTH_NAMING = 0.02  # processors


def read_load(tree: Tree, seconds: float, pause: Callable[[float], None] = time.sleep) -> Load:
    """Look twice, `seconds` apart."""
    before, began = (_machine_ticks(tree), _process_ticks(tree)), time.monotonic()
    pause(seconds)
    after, elapsed = (_machine_ticks(tree), _process_ticks(tree)), time.monotonic() - began
    spent = [late - early for early, late in zip(before[0], after[0], strict=False)]
    if not spent or not any(spent):
        return Load()
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    share = dict(zip(names, (ticks / sum(spent) for ticks in spent), strict=False))
    second = os.sysconf("SC_CLK_TCK") * max(elapsed, 1e-3)
    own = os.getpid()
    used = {
        pid: (ticks - before[1].get(pid, ("", ticks))[1]) / second for pid, (_, ticks) in after[1].items() if pid != own
    }
    busiest = sorted((pid for pid, count in used.items() if count >= _WORTH_NAMING), key=lambda pid: -used[pid])
    processors = len(re.findall(r"^cpu\d+ ", tree.text("/proc/stat"), re.MULTILINE)) or 1
    mine = (after[1].get(own, ("", 0))[1] - before[1].get(own, ("", 0))[1]) / second
    at_work = sum(share.get(name, 0.0) for name in ("user", "nice", "system", "irq", "softirq")) * processors
    return Load(
        seconds=round(elapsed, 2),
        used=round(max(at_work - mine, 0.0), 2),
        stolen_share=round(share.get("steal", 0.0), 3),
        waiting_share=round(share.get("iowait", 0.0), 3),
        busiest=tuple(BusyProcess(pid, after[1][pid][0], round(used[pid], 2)) for pid in busiest[:_NAMED]),
    )


def _machine_ticks(tree: Tree) -> list[int]:
    """Guest time is in user time already: the first eight are all there is."""
    line = re.search(r"^cpu\s+(.+)$", tree.text("/proc/stat"), re.MULTILINE)
    return [int(word) for word in line[1].split()[:8]] if line else []


def _process_ticks(tree: Tree) -> Mapping[int, tuple[str, int]]:
    """Name and ticks of user and system time of every process."""
    found = {}
    for path in tree.matching("/proc/[0-9]*/stat"):
        text = tree.text(path.relative_to(tree.root))
        name, _, rest = text.partition("(")[2].rpartition(")")
        fields = rest.split()
        if len(fields) > 12:
            found[int(path.parent.name)] = (name, int(fields[11]) + int(fields[12]))
    return found
