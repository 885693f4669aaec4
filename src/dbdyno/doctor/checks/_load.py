"""Checks what else runs on the machine, and on the machine below it."""

from __future__ import annotations

from dbdyno.core import counted, percent
from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, clear, idle, notes, unknown, weakens

_QUIET_SHARE = 0.05
_STOLEN_SHARE = 0.01
_WAITING_SHARE = 0.1
_USUAL_SPREAD = 0.026
"""The largest of the groups of public runs that agreed at all: what verdicts on single runs assume, too."""


def others(subject: Subject) -> CheckAnswer:
    """Check which processors somebody else uses."""
    load = subject.machine.load
    count = load.processors or len(subject.machine.processors.usable) or 1
    if load.used is None:
        return unknown("processor use of processes can't be read")
    if load.used / count <= _QUIET_SHARE:
        return clear(f"{load.used:.2f} of {counted(count, 'processor')} in use")
    names = ", ".join(f"{process.name} ({process.pid}) {process.processors:.2f}" for process in load.busiest)
    return weakens(
        f"other processes use {load.used:.2f} of {counted(count, 'processor')}{': ' + names if names else ''}",
        "they compete with the server at random times: throughput drops and repeats differ",
        "end them or wait; on a shared machine, pin server and client to other processors ([pinning])",
    )


def disk_waits(subject: Subject) -> CheckAnswer:
    """Check whether the disk has waits before anything was started."""
    return _judge_share(
        subject.machine.load.waiting_share,
        _WAITING_SHARE,
        "spent waiting for a disk",
        "another process reads or writes: the server's flushes queue behind it",
        "find it with iotop or pidstat -d, and wait for it to end",
    )


def stolen(subject: Subject) -> CheckAnswer:
    """Check the time that the hypervisor gave to other guests."""
    return _judge_share(
        subject.machine.load.stolen_share,
        _STOLEN_SHARE,
        "stolen by the hypervisor",
        "other virtual machines on the host are busy: this one is slower by a varying amount, with no visible cause",
        "use an instance with dedicated processors, or measure at another time with more repeats",
    )


def repeat_spread(subject: Subject) -> CheckAnswer:
    """Check how far repeats spread in the studies that were made here."""
    spread = subject.spread
    if spread is None:
        return idle("no study with repeats was made here yet")
    studies = counted(spread.studies, "study", "studies")
    if spread.share <= _USUAL_SPREAD:
        return clear(f"repeats spread by no more than {percent(_USUAL_SPREAD, 1)} in {studies} made here")
    return notes(
        f"repeats spread by {percent(spread.share, 1)} in {studies} made here",
        f"three repeats show differences from {percent(spread.smallest_difference)} on; smaller ones stay undecided",
        "dbdyno plan STUDY.toml says how many repeats a study needs; a dedicated machine needs fewer",
    )


def guest(subject: Subject) -> CheckAnswer:
    """Check whether the machine is a guest, which may have neighbours."""
    words = subject.machine.virtualisation
    return idle(words) if words else unknown("whether this is a virtual machine is unknown")


def _judge_share(
    share: float | None, harmless_share: float, excess_words: str, effect: str, remedy: str
) -> CheckAnswer:
    """Judge a share of the processors' time that is harmless up to `harmless_share`."""
    if share is None:
        return unknown("the kernel does not report it")
    words = f"{percent(share, 1)} of the processors' time"
    return clear(words) if share <= harmless_share else weakens(f"{words} is {excess_words}", effect, remedy)


LOAD_CHECKS = (
    MachineCheck("other-load", "Other load on the machine", others),
    MachineCheck("disk-waits", "Waiting for disks", disk_waits),
    MachineCheck("steal", "Time stolen by the hypervisor", stolen),
    MachineCheck("repeat-spread", "Spread between repeats", repeat_spread),
    MachineCheck("virtualisation", "Virtualisation", guest),
)
