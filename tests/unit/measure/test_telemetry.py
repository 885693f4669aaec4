"""Samplers: on the load's boundaries, rates over the time that passed, failures survived."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dbdyno.hosts import FileWatch, LocalHost, Reader
from dbdyno.measure.telemetry import (
    CpuSource,
    DiskSource,
    MemorySource,
    NetworkSource,
    PressureSource,
    ProcessSource,
    QuotaSource,
    Reading,
    Sampler,
    Source,
    SourceGroup,
)
from dbdyno.measure.telemetry._machine import parse_diskstats, parse_net_dev
from dbdyno.measure.telemetry._sampler import MonotonicClock

START_NS = 7_000_000_000


class MovedClock:
    """Jumps to where it is told; stops after the given number of boundaries."""

    def __init__(self, waits: int) -> None:
        self.now = START_NS
        self.left = waits

    def now_ns(self) -> int:
        return self.now

    def wait_until_ns(self, when_ns: int) -> bool:
        self.left -= 1
        self.now = max(self.now, when_ns)
        return self.left >= 0


class ScriptedSource:
    name = "scripted"

    def __init__(self, clock: MovedClock, answers: Sequence[float | Exception], cost_ns: int = 0) -> None:
        self.clock, self.answers, self.cost_ns = clock, list(answers), cost_ns

    def read(self) -> Sequence[Reading]:
        self.clock.now += self.cost_ns
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return [Reading("count", answer, "ops/s"), Reading("level", answer, "bytes", "gauge")]


def sampled(answers: Sequence[float | Exception], waits: int, cost_ns: int = 0) -> Sampler:
    clock = MovedClock(waits)
    source: Source = ScriptedSource(clock, answers, cost_ns)
    sampler = Sampler(SourceGroup([source]), clock)
    sampler.run(START_NS)
    return sampler


def values(sampler: Sampler, metric: str) -> dict[int, float]:
    return {row.second: row.value for row in sampler.rows if row.metric == metric}


def test_a_second_holds_what_happened_between_its_two_boundaries() -> None:
    sampler = sampled([100, 150, 250], waits=3)
    assert values(sampler, "count") == {0: 50.0, 1: 100.0}
    assert values(sampler, "level") == {0: 150.0, 1: 250.0}


def test_lateness_and_cost_are_recorded() -> None:
    sampler = sampled([1, 2, 3], waits=3, cost_ns=4_000_000)
    assert values(sampler, "sampler.scripted.lateness") == {0: 0.0, 1: 0.0}
    assert values(sampler, "sampler.scripted.cost") == {0: 4_000_000.0, 1: 4_000_000.0}


def test_the_first_answer_of_a_late_source_is_known_by_its_lateness() -> None:
    sampler = sampled([OSError("not yet"), OSError("not yet"), 100, 150], waits=4)
    assert values(sampler, "count") == {2: 50.0}
    assert values(sampler, "sampler.scripted.lateness") == {1: 0.0, 2: 0.0}


def test_boundaries_missed_by_a_slow_source_are_left_out_and_rates_stay_true() -> None:
    sampler = sampled([0, 250, 500], waits=3, cost_ns=2_500_000_000)
    assert values(sampler, "count") == {2: pytest.approx(250 / 3), 5: pytest.approx(250 / 3)}


class KeepingWatch(FileWatch):
    """Of a host that stood still at some instants: what it keeps comes late, and those are lacking."""

    keeps_instants = True

    def __init__(self, clock: MovedClock, lacking: Sequence[int]) -> None:
        self.clock, self.lacking = clock, lacking

    def at(self, instant_ns: int) -> int | None:
        second = (instant_ns - START_NS) // 1_000_000_000
        if second == 2:
            self.clock.now += 5_000_000_000
        return None if second in self.lacking else instant_ns

    def read(self, path: Path) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        pass


def test_instants_at_which_a_host_stood_still_are_left_out_and_rates_stay_true() -> None:
    clock = MovedClock(waits=8)
    source: Source = ScriptedSource(clock, [0, 250, 450, 550])
    sampler = Sampler(SourceGroup([source], KeepingWatch(clock, lacking=[2, 3, 4, 5])), clock)
    sampler.run(START_NS)
    assert values(sampler, "count") == {0: 250, 5: pytest.approx(200 / 5), 6: 100}
    assert values(sampler, "sampler.scripted.lateness") == {0: 0, 5: 0, 6: 0}


def test_a_source_that_fails_once_costs_a_caveat_and_its_second() -> None:
    sampler = sampled([100, OSError("gone for lunch"), 300, 400], waits=4)
    assert values(sampler, "count") == {1: 100.0, 2: 100.0}
    (caveat,) = sampler.caveats(seconds_count=3)
    assert "gone for lunch" in caveat.text
    assert "1 time:" in caveat.text


def test_a_source_that_ends_after_the_last_second_is_no_caveat() -> None:
    sampler = sampled([100, 200, FileNotFoundError("/proc/7/stat")], waits=3)
    assert sampler.caveats(seconds_count=1) == ()


def test_a_counter_that_went_back_is_unknown_not_negative() -> None:
    assert values(sampled([500, 20, 30], waits=3), "count") == {1: 10.0}


def root_device() -> str:
    facts = LocalHost().files.stat(Path("/"))
    assert facts is not None
    return facts.device


@pytest.mark.parametrize(
    "make",
    [
        CpuSource,
        MemorySource,
        NetworkSource,
        lambda read: ProcessSource(read, "client", os.getpid()),
        lambda read: DiskSource(read, root_device()),
        PressureSource,
    ],
)
def test_this_machine_can_be_read(make: Callable[[Reader], Source]) -> None:
    source = make(Path.read_bytes)
    try:
        readings = source.read()
    except (FileNotFoundError, ValueError) as error:
        pytest.skip(f"not offered here: {error}")
    assert readings
    assert all(reading.value >= 0 for reading in readings)
    assert len({reading.metric for reading in readings}) == len(readings)


def test_a_process_that_is_gone_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ProcessSource(Path.read_bytes, "server", 7, tmp_path).read()


def test_a_device_without_a_line_is_named() -> None:
    with pytest.raises(ValueError, match="9:99"):
        parse_diskstats("254 0 vda 5 0 16 1 0 0 0 0 2 0 0", "9:99")


def test_loopback_is_told_apart_from_the_rest() -> None:
    text = "h\nh\n  lo: 10 1 0 0 0 0 0 0 20 2 0 0 0 0 0 0\neth0: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n"
    text += "eth1: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n"
    got = {reading.metric: reading.value for reading in parse_net_dev(text)}
    assert got["network.loopback.received_bytes"] == 10
    assert got["network.other.sent_bytes"] == 12


def test_the_last_second_is_read_although_the_load_has_just_ended() -> None:
    clock = MonotonicClock()
    boundary = clock.now_ns()
    clock.stop(boundary)
    assert clock.wait_until_ns(boundary)
    assert not clock.wait_until_ns(boundary + 1_000_000_000)


def _groups(tmp_path: Path, files: dict[str, str]) -> Path:
    """A /proc whose process 7 is in the groups a/b of the mount below `tmp_path`."""
    proc, mount = tmp_path / "proc", tmp_path / "cgroup"
    (proc / "7").mkdir(parents=True)
    (proc / "self").mkdir()
    (mount / "a" / "b").mkdir(parents=True)
    for name, text in files.items():
        (mount / name).write_text(text)
    return proc


def test_the_tightest_quota_of_the_groups_counts_version_1(tmp_path: Path) -> None:
    files = {"a/cpu.cfs_quota_us": "30000", "a/cpu.cfs_period_us": "100000", "a/b/cpu.cfs_quota_us": "-1"}
    files |= {"a/b/cpu.cfs_period_us": "100000", "a/cpu.stat": "nr_periods 40\nnr_throttled 31\nthrottled_time 5\n"}
    proc = _groups(tmp_path, files)
    (proc / "7" / "cgroup").write_text("4:memory:/x\n1:cpu,cpuacct:/a/b\n0::/\n")
    (proc / "self" / "mounts").write_text(f"cgroup {tmp_path}/cgroup cgroup rw,cpu,cpuacct 0 0\n")
    readings = {r.metric: r.value for r in QuotaSource(Path.read_bytes, "client", 7, proc).read()}
    assert readings == {"client.quota.cores": 0.3, "client.quota.periods": 40, "client.quota.throttled": 31}


def test_the_tightest_quota_of_the_groups_counts_version_2(tmp_path: Path) -> None:
    files = {"cpu.stat": "usage_usec 1\n", "a/cpu.max": "max 100000\n", "a/b/cpu.max": "50000 100000\n"}
    proc = _groups(tmp_path, {**files, "a/b/cpu.stat": "usage_usec 9\nnr_periods 4\nnr_throttled 1\n"})
    (proc / "7" / "cgroup").write_text("0::/a/b\n")
    (proc / "self" / "mounts").write_text(f"cgroup2 {tmp_path}/cgroup cgroup2 rw,nosuid 0 0\n")
    readings = {r.metric: r.value for r in QuotaSource(Path.read_bytes, "client", 7, proc).read()}
    assert readings == {"client.quota.cores": 0.5, "client.quota.periods": 4, "client.quota.throttled": 1}


def test_where_no_quota_is_set_nothing_is_read(tmp_path: Path) -> None:
    proc = _groups(tmp_path, {"a/b/cpu.max": "max 100000\n"})
    (proc / "7" / "cgroup").write_text("0::/a/b\n")
    (proc / "self" / "mounts").write_text(f"cgroup2 {tmp_path}/cgroup cgroup2 rw 0 0\n")
    assert list(QuotaSource(Path.read_bytes, "client", 7, proc).read()) == []
