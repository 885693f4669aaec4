"""A known step of processor use on a host whose clock is 300,000 s off, in the seconds of its telemetry.

All clocks are one clock, which the comparison of the clocks does not know: the moment at which a process there began to
use a processor is known here, by the wall clock, which namespaces share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from dbdyno.hosts import FileWatch
from dbdyno.hosts.remote import RemoteHost
from dbdyno.measure.telemetry import SECOND_NS, ProcessSource, Reading, SamplerGroup, SourceGroup
from remote_hosts import RemoteMachine

pytestmark = pytest.mark.server
PHASES_MS = (650, 400, 810, 550, 930)
BEYOND_MS = 150
LIMIT_S = 0.005
PROCESS_LIMIT_S = 0.025
"""The kernel counts a process's time in hundredths of a second, of each of user and system at both ends."""
# Waits for each moment and uses a processor through a second's end until the other moment; notes what it had used when
# it began, at the second's end and at its own end. Yielding has the kernel count the time up to now; else it does so
# every 4 ms.
_BURNER = """
import os, sys, time
def burn(until_ns):
    while time.time_ns() < until_ns:
        os.sched_yield()
    return time.process_time_ns()
for word in sys.argv[1:]:
    begin_ns, second_ns, end_ns = map(int, word.split("-"))
    time.sleep(max(begin_ns - time.time_ns(), 0) / 1e9)
    print(time.process_time_ns(), burn(second_ns), burn(end_ns), flush=True)
time.sleep(60)
"""


class SchedulerSource:
    """Reads what the scheduler counts of a process, to the nanosecond."""

    name = "scheduler"

    def __init__(self, watch: FileWatch, pid: int) -> None:
        self._watch, self._path = watch, Path(f"/proc/{pid}/schedstat")

    def read(self) -> Sequence[Reading]:
        return [Reading("scheduler.cpu", int(self._watch.read(self._path).split()[0]) / 1e9, "cpus")]


def _run_ahead_of_others(machine: RemoteMachine) -> None:
    """Have the host's processes wait for no processor: how long others use it is no matter of clocks."""
    for pid in machine.processes():
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setscheduler(int(task.name), os.SCHED_RR, os.sched_param(1))


def test_a_step_of_processor_use_lies_in_its_second_to_five_milliseconds(
    host: RemoteHost, machine: RemoteMachine
) -> None:
    assert abs(host.clock().monotonic_ns - time.monotonic_ns()) > 200_000 * SECOND_NS
    host.compare_clocks()
    start_ns, to_wall_ns = time.monotonic_ns() + SECOND_NS, time.time_ns() - time.monotonic_ns()
    # In every other second a step, which goes on into the next one: all the rest of its second is the process's.
    begins_ns = {2 * number + 1: phase_ms * 1_000_000 for number, phase_ms in enumerate(PHASES_MS)}
    words = []
    for second, begin_ns in begins_ns.items():
        second_ns = start_ns + to_wall_ns + second * SECOND_NS
        ends_ns = second_ns + SECOND_NS, second_ns + SECOND_NS + BEYOND_MS * 1_000_000
        words.append(f"{second_ns + begin_ns}-{ends_ns[0]}-{ends_ns[1]}")
    noted = host.home.root / "noted"
    burner = host.spawn(["python3", "-c", _BURNER, *words], stdout=noted, stderr=None)
    _run_ahead_of_others(machine)
    watch = host.watch(SECOND_NS)
    group = SourceGroup([SchedulerSource(watch, burner.pid), ProcessSource(watch.read, "burner", burner.pid)], watch)
    samplers = SamplerGroup([group])
    samplers.start(start_ns)
    seconds = 2 * len(PHASES_MS) + 1
    time.sleep((start_ns + seconds * SECOND_NS - time.monotonic_ns()) / 1e9 + 0.3)
    telemetry = samplers.stop(seconds)
    burner.kill()
    assert not telemetry.caveats
    rows = {(row.second, row.metric): row.value for row in telemetry.rows}
    noted_s = [[int(word) / SECOND_NS for word in line.split()] for line in host.files.read_text(noted).splitlines()]
    assert len(noted_s) == len(PHASES_MS)
    before_s = 0.0
    for second, (began_s, passed_s, ended_s) in zip(begins_ns, noted_s, strict=True):
        # What the process got, not what passed: a virtual machine's processors are taken away for milliseconds, too.
        used_s = passed_s - began_s
        assert used_s > (SECOND_NS - begins_ns[second]) / SECOND_NS / 2, "the process hardly ran"
        # A reading that came late by so much saw at most so much more.
        late_s = rows[second, "sampler.scheduler.lateness"] / SECOND_NS
        assert used_s - LIMIT_S < rows[second, "scheduler.cpu"] < used_s + late_s + LIMIT_S, second
        assert rows[second - 1, "scheduler.cpu"] == pytest.approx(before_s, abs=2 * LIMIT_S), second
        seen_s = rows[second, "burner.cpu.user"] + rows[second, "burner.cpu.system"]
        assert seen_s == pytest.approx(used_s, abs=PROCESS_LIMIT_S), second
        before_s = ended_s - passed_s
