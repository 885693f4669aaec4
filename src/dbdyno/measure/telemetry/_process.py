"""Reads one process: CPU, memory, device bytes, memory limit and processor quota.

``NAME.quota.cores`` is what may be used, ``NAME.quota.periods`` and ``NAME.quota.throttled`` count the periods in which
the group ran and those in which it had used all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dbdyno.hosts import TICKS_PER_SECOND, MemoryUse, Reader
from dbdyno.measure.telemetry._sampler import Reading


class MemoryLimitSource:
    """Reads ``NAME.limit.*``: bytes used, of them page cache and anonymous memory; file pages read once more.

    Parameters
    ----------
    use : reads the control group
    """

    def __init__(self, name: str, use: Callable[[], MemoryUse]) -> None:
        self.name = f"{name}-limit"
        self._prefix = f"{name}.limit"
        self._use = use

    def read(self) -> Sequence[Reading]:
        """Read the group's counters."""
        use = self._use()
        readings = [
            Reading(f"{self._prefix}.used", use.used_bytes, "bytes", "gauge"),
            Reading(f"{self._prefix}.page_cache", use.page_cache_bytes, "bytes", "gauge"),
            Reading(f"{self._prefix}.anonymous", use.anonymous_bytes, "bytes", "gauge"),
        ]
        if use.refaulted_pages is not None:
            readings.append(Reading(f"{self._prefix}.refaulted", use.refaulted_pages, "pages/s"))
        return readings


_LEVELS = {"VmRSS": "resident", "VmSwap": "swapped", "Threads": "threads"}
_IO = {"read_bytes": "device_read", "write_bytes": "device_written", "syscr": "read_calls", "syscw": "write_calls"}


class ProcessSource:
    """Reads ``server.*`` or ``client.*``: user and system CPU, resident and swapped memory, threads, device bytes."""

    def __init__(self, read: Reader, name: str, pid: int, proc: Path = Path("/proc")) -> None:
        self.name = name
        self._read, self._folder = read, proc / str(pid)

    def read(self) -> Sequence[Reading]:
        """Read stat, status and, where it may be read, io."""
        readings = parse_process_stat(self.name, self._read(self._folder / "stat").decode())
        readings += parse_process_status(self.name, self._read(self._folder / "status").decode())
        try:
            io = self._read(self._folder / "io").decode()
        except PermissionError:  # another user's process: CPU and memory can still be seen
            return readings
        return readings + parse_process_io(self.name, io)


def parse_process_stat(name: str, text: str) -> list[Reading]:
    """Return CPU time and major page faults.

    >>> text = "7 (my sqld) S 0 0 0 0 0 0 0 0 3 0 250 50"
    >>> [reading.value for reading in parse_process_stat("server", text)]
    [2.5, 0.5, 3]
    """
    fields = text[text.rindex(")") + 2 :].split()  # the name may hold spaces and parentheses
    return [
        Reading(f"{name}.cpu.user", int(fields[11]) / TICKS_PER_SECOND, "cpus"),
        Reading(f"{name}.cpu.system", int(fields[12]) / TICKS_PER_SECOND, "cpus"),
        Reading(f"{name}.major_faults", int(fields[9]), "ops/s"),
    ]


def parse_process_status(name: str, text: str) -> list[Reading]:
    """Return memory and threads."""
    readings = []
    for line in text.splitlines():
        key, _, amount = line.partition(":")
        if key in _LEVELS:
            number, *kib = amount.split()
            value, unit = (int(number) * 1024, "bytes") if kib else (int(number), "count")
            readings.append(Reading(f"{name}.{_LEVELS[key]}", value, unit, "gauge"))
    return readings


def parse_process_io(name: str, text: str) -> list[Reading]:
    """Return bytes that reached the device, and calls."""
    rows = (line.partition(": ") for line in text.splitlines())
    return [
        Reading(f"{name}.{_IO[key]}", int(value), "ops/s" if key.startswith("sysc") else "bytes/s")
        for key, _, value in rows
        if key in _IO
    ]


class QuotaSource:
    """Reads ``NAME.quota.*``; nothing at all where no quota is set."""

    def __init__(self, read: Reader, name: str, pid: int, proc: Path = Path("/proc")) -> None:
        self.name = f"{name}-quota"
        self._read = read
        self._prefix = name
        self._proc = proc
        self._pid = pid
        self._group: Path | None = None
        self._cores = 0.0
        self._sought = False

    def read(self) -> Sequence[Reading]:
        """Read the group's counters; the group is sought once, when the process is under way."""
        if not self._sought:
            self._find_quota_group()
        if self._group is None:
            return []
        periods, throttled = parse_cpu_stat(self._read(self._group / "cpu.stat").decode())
        return [
            Reading(f"{self._prefix}.quota.cores", self._cores, "cpus", "gauge"),
            Reading(f"{self._prefix}.quota.periods", periods, "ops/s"),
            Reading(f"{self._prefix}.quota.throttled", throttled, "ops/s"),
        ]

    def _find_quota_group(self) -> None:
        memberships = self._read(self._proc / str(self._pid) / "cgroup").decode()
        mounts = self._read(self._proc / "self" / "mounts").decode()
        self._sought = True
        for group in control_groups(memberships, mounts):
            cores = quota_cores(group, self._read)
            if cores is not None and (self._group is None or cores < self._cores):
                self._group, self._cores = group, cores


def control_groups(memberships: str, mounts: str) -> Iterator[Path]:
    """Yield folders of the groups with a say over processor time, from the process's own up to the root.

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
            steps = [path_part for path_part in path.split("/") if path_part not in ("", "..")]
            for depth in range(len(steps), -1, -1):
                yield points[key].joinpath(*steps[:depth])


def quota_cores(group: Path, read: Reader) -> float | None:
    """Return how many processors a group may use; None without its own quota."""
    try:
        try:
            quota, period = read(group / "cpu.max").decode().split()
        except FileNotFoundError:
            quota = read(group / "cpu.cfs_quota_us").decode().strip()
            period = read(group / "cpu.cfs_period_us").decode().strip()
    except OSError:
        return None
    return None if quota in ("max", "-1") else int(quota) / int(period)


def parse_cpu_stat(text: str) -> tuple[int, int]:
    r"""Return periods that have passed, and those in which the group was throttled.

    >>> parse_cpu_stat("nr_periods 40\nnr_throttled 31\nthrottled_time 12")
    (40, 31)
    """
    values = dict(line.split() for line in text.splitlines() if line)
    return int(values.get("nr_periods", 0)), int(values.get("nr_throttled", 0))
