"""Says which runs shared the server's host: other programs, or other guests of the machine below, used processors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from dbdyno.core import IDLE_TIMES, OTHER_LOAD, PROCESSOR_TIMES, STEAL, Caveat, counted, foreign_use, percent
from dbdyno.store import TelemetryRow

_MOST_BY_OTHERS = 0.05
_MOST_STOLEN = 0.01
"""Shares of all processors up to which nothing is said, as in doctor's checks before a study."""
_METRICS = frozenset((*IDLE_TIMES, *(metric for metrics in PROCESSOR_TIMES.values() for metric in metrics)))


def other_load_caveats(
    rows: Iterable[TelemetryRow], first_second: int, seconds_count: int, *, is_client_here: bool
) -> list[Caveat]:
    """Name what others used in the window, on average; nothing where it is little or can't be known.

    Parameters
    ----------
    is_client_here : the load generator runs on the server's machine, so what it uses is not another's

    >>> modes = ("user", "nice", "system", "irq", "softirq", "steal", "iowait", "idle")
    >>> used = dict(zip(modes, (1.0, 0.0, 0.1, 0.0, 0.0, 0.05, 0.0, 0.85)))
    >>> rows = [TelemetryRow(0, f"host.cpu.{mode}", cpus, "cpus") for mode, cpus in used.items()]
    >>> rows += [TelemetryRow(0, f"server.cpu.{mode}", 0.2, "cpus") for mode in ("user", "system")]
    >>> [caveat.text for caveat in other_load_caveats(rows, 0, 1, is_client_here=False)]
    ["other programs used 0.70 of the host's 2 processors", "the hypervisor took 2.5 % of the processors' time (steal)"]
    """
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.metric in _METRICS and row.value is not None and 0 <= row.second - first_second < seconds_count:
            values[row.metric].append(row.value)
    means = {metric: sum(each) / len(each) for metric, each in values.items()}
    foreign = foreign_use(means, ("server", "client") if is_client_here else ("server",))
    if foreign is None or not all(metric in means for metric in IDLE_TIMES):
        return []
    others, stolen = foreign
    processors = sum(means[metric] for metric in (*PROCESSOR_TIMES["host"], *IDLE_TIMES))
    caveats = []
    if others > _MOST_BY_OTHERS * processors:
        text = f"other programs used {others:.2f} of the host's {counted(round(processors), 'processor')}"
        caveats.append(Caveat(OTHER_LOAD, text))
    if stolen > _MOST_STOLEN * processors:
        words = percent(stolen / processors, 1)
        caveats.append(Caveat(STEAL, f"the hypervisor took {words} of the processors' time (steal)"))
    return caveats
