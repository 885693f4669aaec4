"""Splits the use of a host's processors, as telemetry names it, by whom it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

PROCESSOR_TIMES = {
    "server": ("server.cpu.user", "server.cpu.system"),
    "client": ("client.cpu.user", "client.cpu.system"),
    "host": tuple(f"host.cpu.{mode}" for mode in ("user", "nice", "system", "irq", "softirq", "steal")),
}
"""Metrics of the telemetry: processors that each used; of the host all that were not idle."""
IDLE_TIMES = ("host.cpu.idle", "host.cpu.iowait")
_STEAL = "host.cpu.steal"
_HARD_INTERRUPTS = "host.cpu.irq"
_INTERRUPTS = (_HARD_INTERRUPTS, "host.cpu.softirq")


def processor_totals(means: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Return the processors that each used, of those of `PROCESSOR_TIMES` of which all metrics are known.

    Parameters
    ----------
    means : metric of the telemetry -> its mean over the seconds that count
    """
    return {
        name: sum(means[metric] for metric in PROCESSOR_TIMES[name])
        for name in names
        if all(metric in means for metric in PROCESSOR_TIMES[name])
    }


def foreign_use(means: Mapping[str, float], programs: Iterable[str]) -> tuple[float, float] | None:
    """Return the processors that other programs used and those that the hypervisor took; None where that is unknown.

    Interrupts are nobody's program, and most of them bring the load's own packets. A kernel that measures them
    (CONFIG_IRQ_TIME_ACCOUNTING, as in Debian and Red Hat) leaves them out of the times of processes; another has them
    in there. Only the former ever shows time in hard interrupts.

    Parameters
    ----------
    programs : ``server`` and ``client``, as far as they run on the host

    >>> means = {"host.cpu." + mode: 0.1 for mode in ("user", "nice", "system", "irq", "softirq", "steal")}
    >>> means |= {"server.cpu.user": 0.15, "server.cpu.system": 0.1}
    >>> [round(foreign_use({**means, "host.cpu.irq": interrupts}, ["server"])[0], 9) for interrupts in (0.1, 0.0)]
    [0.05, 0.15]
    """
    names = ("host", *programs)
    totals = processor_totals(means, names)
    if set(names) > totals.keys():
        return None
    stolen, busy = means[_STEAL], totals.pop("host")
    interrupts = sum(means[name] for name in _INTERRUPTS) if means[_HARD_INTERRUPTS] else 0.0
    return max(busy - stolen - interrupts - sum(totals.values()), 0.0), stolen
