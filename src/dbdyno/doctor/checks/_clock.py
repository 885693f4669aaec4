"""The clock that every response time is read from."""

from __future__ import annotations

from dbdyno.doctor._verdict import Check, Subject, Verdict, clear, unknown, weakens

# Read without a system call; all others cost a microsecond and more, twice a transaction, and as often in the server.
_FAST = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod", "riscv_clocksource")


def clock_source(subject: Subject) -> Verdict:
    """Which clock the kernel uses."""
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


CHECKS = (Check("clock-source", "Clock source", clock_source),)
