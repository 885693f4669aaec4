"""Computes how much of the client's capacity a run used. Pure; docs/concepts/client.md has reasons and figures.

Three things can make the client the limit, and each has its own evidence:

- its worker has no time left: the busy share, read off the cost curve;
- the processor is taken by others: the time in which the worker could have run and did not (run delay). It counts
  where client and server have separate processors; where they share them, a server at work delays every client,
  which is a caveat of the study and not a limit of the client;
- the kernel withholds it: the quota of a control group. Throttled time is in neither of the others: a worker that is
  throttled on its way out of a wait is not busy, and newer kernels take it off the run queue.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.core import ClientUseBasis, percent
from dbdyno.measure._records import IntervalRecord
from dbdyno.measure.client._calibration import DIAGONAL, CostCurve

CLIENT_USE_LIMIT = 0.80
CLIENT_WAIT_LIMIT = 0.40


@dataclass(frozen=True, slots=True)
class ClientUse:
    """Use of the client in a stretch of time; shares 0 to 1.

    Parameters
    ----------
    share : of its maximum
    busy_share : of the time, outside of waiting, of the worker that used most
    wait_share : of the time in which that worker could have run and got no processor
    has_own_cpus : the server runs on other processors: a wait is the client's own
    quota_share : of the control group's quota; None without a quota
    basis : what `share` rests on
    """

    share: float
    busy_share: float
    wait_share: float
    has_own_cpus: bool
    quota_share: float | None
    basis: ClientUseBasis

    @property
    def is_bound(self) -> bool:
        """Return whether the client may have been the limit."""
        return self.share > CLIENT_USE_LIMIT or (self.has_own_cpus and self.wait_share > CLIENT_WAIT_LIMIT)

    @property
    def reason(self) -> str:
        """Return what was seen, in words."""
        maximum = "its calibrated maximum" if self.basis == "calibration" else "its maximum"
        words = f"the load generator used {percent(self.share)} of {maximum}"
        if self.basis == "processor quota":
            return f"{words}: its control group used up its processor quota"
        busy_words = f"its busiest worker was busy {percent(self.busy_share)} of the time"
        has_waited = self.has_own_cpus and self.wait_share >= 0.05
        wait_words = f" and waited {percent(self.wait_share)} for a processor" if has_waited else ""
        return f"{words}: {busy_words}{wait_words}"


@dataclass(frozen=True, slots=True)
class ClientCapacity:
    """States what the use of a client is measured by.

    Parameters
    ----------
    curve : of the calibration; None: the busy share stands for itself
    has_own_cpus : the server runs on other processors
    """

    curve: CostCurve | None = None
    has_own_cpus: bool = True


UNCALIBRATED = ClientCapacity()


def client_use(
    intervals: Iterable[IntervalRecord], capacity: ClientCapacity = UNCALIBRATED, quota_share: float | None = None
) -> ClientUse | None:
    """Use of the client over whole intervals; None when no worker reported.

    Parameters
    ----------
    quota_share : of the client's control group over the same time
    """
    curve, has_own_cpus = capacity.curve, capacity.has_own_cpus
    shares = [worker if has_own_cpus else worker.without_others() for worker in _worker_shares(intervals)]
    workers = [(worker.used(curve or DIAGONAL, has_own_cpus), worker.busy, worker.wait) for worker in shares]
    if not workers:
        return None
    use_share, busy_share, wait_share = max(workers)
    basis: ClientUseBasis = "busy share" if curve is None else "calibration"
    if quota_share is not None and quota_share > use_share:
        use_share, basis = min(quota_share, 1.0), "processor quota"
    return ClientUse(use_share, busy_share, wait_share, has_own_cpus, quota_share, basis)


@dataclass(frozen=True, slots=True)
class _Shares:
    """Holds shares of one worker's time: outside of waiting, on a processor, in want of a processor."""

    busy: float
    cpu: float
    wait: float

    def without_others(self) -> _Shares:
        """Return what is left of the busy share when the time in which others had the processor is taken out."""
        return _Shares(min(self.busy, self.cpu), self.cpu, self.wait)

    def used(self, curve: CostCurve, has_own_cpus: bool) -> float:
        """Return the used share of what the worker can do; any wait takes from that."""
        return min(curve.used_share(self.busy) + (self.wait if has_own_cpus else 0.0), 1.0)


def _worker_shares(intervals: Iterable[IntervalRecord]) -> list[_Shares]:
    totals: dict[int, list[int]] = {}
    duration_ns = 0
    for interval in intervals:
        duration_ns += interval.duration_ns
        for index, worker in enumerate(interval.workers):
            interval_ns = (worker.busy_ns, worker.cpu_ns, worker.cpu_wait_ns)
            totals[index] = [
                total_ns + added_ns
                for total_ns, added_ns in zip(totals.get(index, (0, 0, 0)), interval_ns, strict=True)
            ]
    return (
        [_Shares(*(min(ns / duration_ns, 1.0) for ns in worker_ns)) for worker_ns in totals.values()]
        if duration_ns
        else []
    )
