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

    Parameters
    ----------
    programs : ``server`` and ``client``, as far as they run on the host

    >>> means = {"host.cpu." + mode: 0.1 for mode in ("user", "nice", "system", "irq", "softirq", "steal")}
    >>> others, stolen = foreign_use({**means, "server.cpu.user": 0.2, "server.cpu.system": 0.1}, ["server"])
    >>> round(others, 9), stolen
    (0.2, 0.1)
    """
    names = ("host", *programs)
    totals = processor_totals(means, names)
    if set(names) > totals.keys():
        return None
    stolen, busy = means[_STEAL], totals.pop("host")
    return max(busy - stolen - sum(totals.values()), 0.0), stolen
