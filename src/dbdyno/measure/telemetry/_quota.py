"""Processor quota of a process: the tightest of its control groups, version 1 or 2.

``NAME.quota.cores`` is what may be used, ``NAME.quota.periods`` and ``NAME.quota.throttled`` count the periods in which
the group ran and those in which it had used all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dbdyno.measure.telemetry._reading import Reading


class QuotaSource:
    """``NAME.quota.*``; nothing at all where no quota is set."""

    def __init__(self, name: str, pid: int, proc: Path = Path("/proc")) -> None:
        self.name = f"{name}-quota"
        self._prefix = name
        self._proc = proc
        self._pid = pid
        self._group: Path | None = None
        self._cores = 0.0
        self._sought = False

    def read(self) -> Sequence[Reading]:
        """Read the group's counters; the group is sought once, when the process is under way."""
        if not self._sought:
            self._seek()
        if self._group is None:
            return []
        periods, throttled = parse_cpu_stat((self._group / "cpu.stat").read_text())
        return [
            Reading(f"{self._prefix}.quota.cores", self._cores, "cpus", "gauge"),
            Reading(f"{self._prefix}.quota.periods", periods, "ops/s"),
            Reading(f"{self._prefix}.quota.throttled", throttled, "ops/s"),
        ]

    def _seek(self) -> None:
        memberships = (self._proc / str(self._pid) / "cgroup").read_text()
        mounts = (self._proc / "self" / "mounts").read_text()
        self._sought = True
        for group in control_groups(memberships, mounts):
            cores = quota_cores(group)
            if cores is not None and (self._group is None or cores < self._cores):
                self._group, self._cores = group, cores


def control_groups(memberships: str, mounts: str) -> Iterator[Path]:
    """Folders of the groups with a say over processor time, from the process's own up to the root.

    >>> mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0"
    >>> [str(path) for path in control_groups("1:cpu:/a/b", mounts)]
    ['/sys/fs/cgroup/cpu/a/b', '/sys/fs/cgroup/cpu/a', '/sys/fs/cgroup/cpu']
    """
    points = {}
    for line in mounts.splitlines():
        _, point, kind, options = line.split()[:4]
        if kind == "cgroup2":
            points[""] = Path(point)
        elif kind == "cgroup" and "cpu" in options.split(","):
            points["cpu"] = Path(point)
    for line in memberships.splitlines():
        _, controllers, path = line.split(":", 2)
        key = "cpu" if "cpu" in controllers.split(",") else controllers
        if key in points:
            steps = [part for part in path.split("/") if part not in ("", "..")]
            for depth in range(len(steps), -1, -1):
                yield points[key].joinpath(*steps[:depth])


def quota_cores(group: Path) -> float | None:
    """Processors that a group may use; None when it has no quota of its own."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota = (group / "cpu.cfs_quota_us").read_text().strip()
            period = (group / "cpu.cfs_period_us").read_text().strip()
    except OSError:
        return None
    return None if quota in ("max", "-1") else int(quota) / int(period)


def parse_cpu_stat(text: str) -> tuple[int, int]:
    r"""Periods that have passed, and those in which the group was throttled.

    >>> parse_cpu_stat("nr_periods 40\nnr_throttled 31\nthrottled_time 12")
    (40, 31)
    """
    values = dict(line.split() for line in text.splitlines() if line)
    return int(values.get("nr_periods", 0)), int(values.get("nr_throttled", 0))
