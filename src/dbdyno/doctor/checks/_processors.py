"""Checks processors: enough, at the requested places, shared by whom; and the clock that times every response."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.core import counted
from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, blocks, clear, idle, notes, unknown, weakens


def pinning(subject: Subject) -> CheckAnswer:
    """Check that processors that a study names are there, and are named for one of the two only."""
    needs, usable_processors = subject.needs, set(subject.machine.processors.usable)
    if needs is None or (needs.server_processors is None and needs.client_processors is None):
        return idle("the study pins no processors")
    server, client = set(needs.server_processors or ()), set(needs.client_processors or ())
    missing_processors = sorted((server | client) - usable_processors)
    if missing_processors and usable_processors:
        return blocks(
            f"processors {_numbers_words(missing_processors)} are in [pinning] but not usable here "
            f"({_numbers_words(sorted(usable_processors))} can)",
            "no run of the study could start",
            "change [pinning] in the study, or let this process use them: taskset, cpuset of the container",
        )
    shared_processors = sorted(server & client)
    if shared_processors:
        return weakens(
            f"processors {_numbers_words(shared_processors)} are assigned to both server and client",
            "they compete for them, more so the faster the server is",
            "assign them to only one of the two in [pinning]",
        )
    return clear(
        f"server {_numbers_words(sorted(server)) or 'anywhere'}, client {_numbers_words(sorted(client)) or 'anywhere'}"
    )


def shared_cores(subject: Subject) -> CheckAnswer:
    """Check for shared cores: two hyper-threads of one core are no two processors."""
    needs, groups = subject.needs, subject.machine.processors.siblings
    if needs is None or not needs.server_processors or not needs.client_processors:
        return idle("client and server are not pinned separately")
    server, client = set(needs.server_processors), set(needs.client_processors)
    shared_groups = [group for group in groups if server & set(group) and client & set(group)]
    if not shared_groups:
        return clear("client and server use separate cores")
    shared_words = "; ".join(_numbers_words(group) for group in shared_groups)
    return weakens(
        f"server and client run on threads of the same cores: {shared_words}",
        "a busy client slows the server's thread on the same core by a third or more",
        "assign both threads of a core to one of the two (lscpu -e lists them)",
    )


def count(subject: Subject) -> CheckAnswer:
    """Check the count: on one processor, client and server compete for it."""
    usable_count = len(subject.machine.processors.usable)
    if not usable_count:
        return unknown("the usable processors are unknown")
    if subject.is_load_host:
        return clear(counted(usable_count, "processor"))
    if usable_count == 1:
        return weakens(
            "client and server share one processor",
            "only one of them can run at a time: results measure both together",
            "run the load generator on another machine, or use one with more processors",
        )
    needs = subject.needs
    pinned_count = len(needs.server_processors) if needs and needs.server_processors else usable_count
    if needs is not None and needs.has_own_servers and needs.concurrency > 64 * pinned_count:
        return notes(
            f"{needs.concurrency:,} connections for {counted(pinned_count, 'processor')} of the server",
            "such runs measure queueing and thread switching; throughput peaks at fewer connections",
            "keep some low concurrencies in [axes] to see the peak",
        )
    return clear(counted(usable_count, "processor"))


def governor(subject: Subject) -> CheckAnswer:
    """Check the governor: one that saves power raises the clock only after the load has come."""
    governors = subject.machine.processors.governors
    if not governors:
        return idle("no frequency governor here, as in most virtual machines")
    if governors == ("performance",):
        return clear("performance")
    return weakens(
        f"frequency governor {', '.join(governors)}",
        "the clock frequency follows the load with a delay: low concurrencies look slower, and each run depends "
        "on the one before",
        "sudo cpupower frequency-set -g performance",
    )


def turbo(subject: Subject) -> CheckAnswer:
    """Check turbo, which lasts only while the processor is cool."""
    is_on = subject.machine.processors.turbo
    if is_on is None:
        return idle("this machine has no switch for turbo")
    if not is_on:
        return clear("off")
    return notes(
        "turbo is on",
        "the frequency depends on how many cores are busy and how warm they are: one connection runs at a "
        "higher frequency than sixteen, and long runs may slow down",
        "for steady throughput: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo "
        "(elsewhere: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost)",
    )


def battery(subject: Subject) -> CheckAnswer:
    """Check for a battery: a laptop that runs on it saves power."""
    is_on = subject.machine.processors.on_battery
    if is_on is None:
        return idle("no battery")
    if not is_on:
        return clear("on mains power")
    return weakens(
        "running on battery",
        "the machine limits its power regardless of the governor, more so as the battery drains",
        "plug the machine in",
    )


def _numbers_words(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


PROCESSORS_CHECKS = (
    MachineCheck("processors", "Processors", count),
    MachineCheck("pinning", "Pinned processors", pinning),
    MachineCheck("shared-cores", "Cores of client and server", shared_cores),
    MachineCheck("governor", "Frequency governor", governor),
    MachineCheck("turbo", "Turbo", turbo),
    MachineCheck("battery", "Power", battery),
)


# Clock sources that are read without a system call; each other source costs at least a microsecond per reading.
_FAST = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod", "riscv_clocksource")


def clock_source(subject: Subject) -> CheckAnswer:
    """Return which clock the kernel uses."""
    source = subject.machine.clock_source
    if not source:
        return unknown("the clock source can't be read")
    if source in _FAST:
        return clear(source)
    return weakens(
        f"clock source {source}",
        "each reading of the clock is a system call of a microsecond or more; servers read it for every "
        "statement, some more often than others",
        "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource, if available; "
        "dmesg says why the kernel distrusts it",
    )


CLOCK_CHECKS = (MachineCheck("clock-source", "Clock source", clock_source),)
