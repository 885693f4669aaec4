"""How much of what the client can do here a run used. Pure; docs/concepts/client.md has the reasons and the figures.

Three things can make the client the limit, and each has its own evidence:

- its worker has no time left: the busy share, read off the cost curve;
- the processor is taken by others: the time in which the worker could have run and did not (run delay);
- the kernel withholds it: the quota of a control group. Throttled time is in neither of the others: a worker that is
  throttled on its way out of a wait is not busy, and newer kernels take it off the run queue.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.core import ClientUseBasis
from dbdyno.measure._records import IntervalRecord
from dbdyno.measure.client._curve import DIAGONAL, CostCurve

CLIENT_USE_LIMIT = 0.80


@dataclass(frozen=True, slots=True)
class ClientUse:
    """Use of the client in a stretch of time; shares 0 to 1.

    Parameters
    ----------
    share : of what it can do here
    busy_share : of the time, outside of waiting, of the worker that used most
    wait_share : of the time in which that worker could have run and got no processor
    quota_share : of the control group's quota; None without a quota
    basis : what `share` rests on
    """

    share: float
    busy_share: float
    wait_share: float
    quota_share: float | None
    basis: ClientUseBasis

    @property
    def is_bound(self) -> bool:
        """Whether the client may have been the limit."""
        return self.share > CLIENT_USE_LIMIT

    @property
    def reason(self) -> str:
        """What was seen, in words."""
        words = f"the load generator used {self.share:.0%} of what it can do here"
        if self.basis == "processor quota":
            return f"{words}: the processor quota of its control group was used up"
        seen = f"its busiest worker was busy {self.busy_share:.0%} of the time"
        waited = f" and waited {self.wait_share:.0%} for a processor" if self.wait_share >= 0.05 else ""
        return f"{words}: {seen}{waited}"


def client_use(
    intervals: Iterable[IntervalRecord], curve: CostCurve | None = None, quota_share: float | None = None
) -> ClientUse | None:
    """Use of the client over whole intervals; None when no worker reported.

    Parameters
    ----------
    curve : of the calibration; None: the busy share stands for itself
    quota_share : of the client's control group over the same time
    """
    workers = [(_used(busy, wait, curve or DIAGONAL), busy, wait) for busy, wait in _shares(intervals)]
    if not workers:
        return None
    used, busy, wait = max(workers)
    basis: ClientUseBasis = "busy share" if curve is None else "calibration"
    if quota_share is not None and quota_share > used:
        used, basis = min(quota_share, 1.0), "processor quota"
    return ClientUse(used, busy, wait, quota_share, basis)


def _used(busy: float, wait: float, curve: CostCurve) -> float:
    """A wait takes from what the worker can do, whatever it would have done with the time."""
    return min(curve.used_share(busy) + wait, 1.0)


def _shares(intervals: Iterable[IntervalRecord]) -> list[tuple[float, float]]:
    """Busy and waiting share of each worker."""
    busy_ns: dict[int, int] = {}
    wait_ns: dict[int, int] = {}
    duration_ns = 0
    for interval in intervals:
        duration_ns += interval.duration_ns
        for index, worker in enumerate(interval.workers):
            busy_ns[index] = busy_ns.get(index, 0) + worker.busy_ns
            wait_ns[index] = wait_ns.get(index, 0) + worker.cpu_wait_ns
    if not duration_ns:
        return []
    return [(min(busy_ns[i] / duration_ns, 1.0), min(wait_ns[i] / duration_ns, 1.0)) for i in busy_ns]
