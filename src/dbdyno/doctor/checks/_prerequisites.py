"""Checks the load generator, and features of the kernel that a study asks for."""

from __future__ import annotations

from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, blocks, clear, idle, notes, unknown

_GROUP_REMEDY = "run as root or in a delegated group: systemd-run --user --scope -p Delegate=yes dbdyno run ..."
_GROUP_REMEDY_THERE = "log in as root there, or in a delegated group: see docs/guides/memory-limit.md"


def network_delay(subject: Subject) -> CheckAnswer:
    """Check netem and the right to set it, which a delayed route needs."""
    can_delay = subject.machine.delays_network
    if subject.needs is None or "netem" not in subject.needs.features:
        return idle("not asked for")
    if can_delay is None:
        return unknown("whether the kernel has netem is unknown until a study uses it")
    if can_delay:
        return clear("netem is available")
    return blocks(
        "the study delays the network, but this kernel or user can't",
        "the delayed route would be as fast as the undelayed one",
        "sudo modprobe sch_netem, and run with CAP_NET_ADMIN",
    )


def controllers(subject: Subject) -> CheckAnswer:
    """Check the controller of each limit, and the right to make a group."""
    wanted_controllers = [] if subject.needs is None else [name for name in subject.needs.features if name != "netem"]
    group = subject.machine.control_group
    if not wanted_controllers:
        return idle("not asked for")
    if group.version is None:
        return unknown("control groups can't be read")
    missing_controllers = [name for name in wanted_controllers if name not in group.controllers]
    if missing_controllers or group.is_writable is False:
        lack_words = (
            f"controller {', '.join(missing_controllers)} is not available"
            if missing_controllers
            else "this user can't create control groups"
        )
        return blocks(
            f"the study limits servers by control groups, but {lack_words}",
            "servers could use page cache beyond the tier unnoticed",
            _GROUP_REMEDY if subject.access is None else _GROUP_REMEDY_THERE,
        )
    return clear(", ".join(wanted_controllers))


def deep_profiles(subject: Subject) -> CheckAnswer:
    """Check profiling, which only `dbdyno explain --deep` needs, so it weakens no study."""
    profiler = subject.machine.profiler
    if profiler is None or subject.needs is not None:
        return idle("not asked for")
    why, remedy = profiler.obstacle()
    if why:
        return notes(why, "dbdyno explain --deep can't show in which functions of a server the time is spent", remedy)
    scope = "server and kernel" if profiler.sees_kernel else "the server only, not the kernel"
    return clear(f"perf {profiler.version}, samples {scope}")


KERNEL_CHECKS = (
    MachineCheck("deep-profiles", "Deep profiles", deep_profiles),
    MachineCheck("network-delay", "Network delay", network_delay),
    MachineCheck("controllers", "Control groups", controllers),
)


def presence(subject: Subject) -> CheckAnswer:
    """Check that the load generator is there: no load without it."""
    generator = subject.generator
    if generator is None:
        return idle("not asked for")
    if not generator.path:
        return blocks(
            f"dbdyno-load is missing: {generator.why}", "no run can start", "run make setup, or set DBDYNO_LOAD"
        )
    return clear(generator.path)


def calibration(subject: Subject) -> CheckAnswer:
    """Check the calibration: without it, a run can't show how near the client is to its own limit."""
    generator = subject.generator
    if generator is None or not generator.path or generator.is_calibrated is None:
        return idle("not asked for")
    if generator.is_calibrated:
        return clear("calibrated on this machine")
    return notes(
        "the load generator is not calibrated on this machine",
        "dbdyno can judge the client's use only by its busy share, which says too little below full load",
        "dbdyno calibrate, on an idle machine (a study runs a quick one itself)",
    )


GENERATOR_CHECKS = (
    MachineCheck("load-generator", "Load generator", presence),
    MachineCheck("calibration", "Calibration of the load generator", calibration),
)
