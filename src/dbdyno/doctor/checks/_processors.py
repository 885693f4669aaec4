"""Checks processors: enough, at the requested places, shared by whom; and the clock that times every response."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.doctor._verdict import Check, Subject, Verdict, blocks, clear, idle, notes, unknown, weakens


def pinning(subject: Subject) -> Verdict:
    """Processors that a study names must be there, and be named for one of the two only."""
    needs, usable = subject.needs, set(subject.machine.processors.usable)
    if needs is None or (needs.server_processors is None and needs.client_processors is None):
        return idle("nothing is pinned")
    server, client = set(needs.server_processors or ()), set(needs.client_processors or ())
    missing = sorted((server | client) - usable)
    if missing and usable:
        return blocks(
            f"processors {_numbers(missing)} are pinned to and can't be used here ({_numbers(sorted(usable))} can)",
            "no run of the study would start",
            "change [pinning] in the study, or let this process use them: taskset, cpuset of the container",
        )
    both = sorted(server & client)
    if both:
        return weakens(
            f"processors {_numbers(both)} are given to server and client alike",
            "each takes time from the other, the more the faster the server is",
            "name them for one of the two in [pinning]",
        )
    return clear(f"server {_numbers(sorted(server)) or 'anywhere'}, client {_numbers(sorted(client)) or 'anywhere'}")


def shared_cores(subject: Subject) -> Verdict:
    """Two hyper-threads of one core are no two processors."""
    needs, groups = subject.needs, subject.machine.processors.siblings
    if needs is None or not needs.server_processors or not needs.client_processors:
        return idle("client and server are not pinned apart")
    server, client = set(needs.server_processors), set(needs.client_processors)
    across = [group for group in groups if server & set(group) and client & set(group)]
    if not across:
        return clear("client and server have cores of their own")
    return weakens(
        f"server and client are on threads of the same cores: {'; '.join(_numbers(group) for group in across)}",
        "a busy client slows the server's thread beside it by a third and more",
        "give both threads of a core to one of the two (lscpu -e shows which belong together)",
    )


def count(subject: Subject) -> Verdict:
    """One processor for client and server measures their quarrel."""
    usable = len(subject.machine.processors.usable)
    if not usable:
        return unknown("the processors that can be used are not told")
    if usable == 1:
        return weakens(
            "one processor for client and server",
            "neither can work without stopping the other: results are of both together",
            "drive from another machine, or take one with more processors",
        )
    needs = subject.needs
    pinned = len(needs.server_processors) if needs and needs.server_processors else usable
    if needs is not None and needs.has_own_servers and needs.concurrency > 64 * pinned:
        return notes(
            f"{needs.concurrency:,} connections on {pinned} processors of the server",
            "what is measured there is queueing and switching of threads; peaks lie at fewer connections",
            "keep some low concurrencies in [axes], so that the peak is seen",
        )
    return clear(f"{usable} processors")


def governor(subject: Subject) -> Verdict:
    """A governor that saves power raises the clock after the load has come."""
    governors = subject.machine.processors.governors
    if not governors:
        return idle("the clock is not governed here, as in most guests")
    if governors == ("performance",):
        return clear("performance")
    return weakens(
        f"frequency governor {', '.join(governors)}",
        "the clock follows the load with a delay: low concurrencies look slower, and runs differ by what went before",
        "sudo cpupower frequency-set -g performance",
    )


def turbo(subject: Subject) -> Verdict:
    """Turbo is for as long as it is cool."""
    on = subject.machine.processors.turbo
    if on is None:
        return idle("no switch for turbo is offered here")
    if not on:
        return clear("off")
    return notes(
        "turbo is on",
        "the clock depends on how many cores work and how warm they are: one connection is served at a higher "
        "clock than sixteen, and long runs may slow down",
        "for steady levels: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo "
        "(elsewhere: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost)",
    )


def battery(subject: Subject) -> Verdict:
    """A laptop on its battery saves."""
    on = subject.machine.processors.on_battery
    if on is None:
        return idle("no battery")
    if not on:
        return clear("on mains")
    return weakens(
        "running on battery",
        "power is limited whatever the governor says, the more the emptier it is",
        "plug the machine in",
    )


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


PROCESSORS_CHECKS = (
    Check("processors", "Processors", count),
    Check("pinning", "Pinned processors", pinning),
    Check("shared-cores", "Cores of client and server", shared_cores),
    Check("governor", "Frequency governor", governor),
    Check("turbo", "Turbo", turbo),
    Check("battery", "Power", battery),
)


# Read without a system call; all others cost a microsecond and more, twice a transaction, and as often in the server.
_FAST = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod", "riscv_clocksource")


def clock_source(subject: Subject) -> Verdict:
    """Return which clock the kernel uses."""
    source = subject.machine.clock_source
    if not source:
        return unknown("the clock source can't be read")
    if source in _FAST:
        return clear(source)
    return weakens(
        f"clock source {source}",
        "each reading of the clock is a system call of a microsecond or more; servers read it for every statement, "
        "some oftener than others",
        "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource, where it is "
        "offered; see dmesg for why the kernel distrusts it",
    )


CLOCK_CHECKS = (Check("clock-source", "Clock source", clock_source),)
