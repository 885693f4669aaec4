"""Checks the disk under the data directories: mount, queue, read-ahead, space, asynchronous I/O."""

from __future__ import annotations

import shlex

from dbdyno.core import Disk, format_bytes
from dbdyno.doctor._verdict import CheckAnswer, MachineCheck, Subject, blocks, clear, idle, notes, unknown, weakens

_READ_AHEAD_BYTES = 256 << 10
_LITTLE_SHARE = 0.05
_IN_MEMORY = ("tmpfs", "ramfs", "ramdisk")
_BY_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "ceph")
_BY_HYPERVISOR = ("9p", "virtiofs", "vboxsf")
_COPY_ON_WRITE = ("btrfs", "zfs", "bcachefs")
_QUEUES_BY_PROCESS = ("bfq", "cfq")


def space(subject: Subject) -> CheckAnswer:
    """Check that engines, snapshots and a running copy fit."""
    disk, needs = subject.machine.disk, subject.needs
    if disk.free_bytes is None or not disk.size_bytes:
        return unknown("free space can't be read")
    free_words = format_bytes(disk.free_bytes)
    if needs is not None and needs.disk_bytes > disk.free_bytes:
        return blocks(
            f"{free_words} free at {disk.path}, the study needs about {format_bytes(needs.disk_bytes)}",
            "the disk runs full while data is filled",
            "free some space (dbdyno clean --datasets 7d lists what studies have left), choose fewer rows or targets, "
            "or point DBDYNO_HOME (of another host: --home) at a larger disk",
        )
    remaining_bytes = disk.free_bytes - (needs.disk_bytes if needs else 0)
    if remaining_bytes < _LITTLE_SHARE * disk.size_bytes:
        return weakens(
            f"{format_bytes(remaining_bytes)} of {format_bytes(disk.size_bytes)} would be left at {disk.path}",
            "filesystems and flash slow down when they are nearly full, more with every run",
            "free some space, or point DBDYNO_HOME (of another host: --home) at a larger disk",
        )
    return clear(f"{free_words} free at {disk.path}")


def filesystem(subject: Subject) -> CheckAnswer:
    """Check the file system, by what a flush to it means."""
    kind = subject.machine.disk.filesystem
    if not kind or kind == "unknown":
        return unknown("the filesystem is unknown")
    if kind in _IN_MEMORY:
        return weakens(
            f"data directories are in memory ({kind})",
            "a flush costs nothing there: durable and relaxed settings measure the same, and no disk is measured",
            "point DBDYNO_HOME (of another host: --home) at a disk",
        )
    if kind in _BY_NETWORK:
        return weakens(
            f"data directories are on a network filesystem ({kind})",
            "every flush is a round trip over a shared network, and direct I/O may behave differently",
            "point DBDYNO_HOME (of another host: --home) at a local disk",
        )
    if kind in _BY_HYPERVISOR:
        return weakens(
            f"data directories are in a folder that the hypervisor shares ({kind})",
            "every flush is a request to a file server outside this guest, and direct I/O may behave differently",
            "point DBDYNO_HOME (of another host: --home) at a virtual disk of this guest",
        )
    if kind == "overlay":
        return weakens(
            "data directories are in the layers of a container (overlay)",
            "the first write to a file copies it whole, and direct I/O goes through another filesystem",
            "point DBDYNO_HOME (of another host: --home) at a volume",
        )
    if kind in _COPY_ON_WRITE:
        return notes(
            f"data directories are on {kind}",
            "it never writes pages in place: this affects B-trees and LSM trees differently, and earlier runs "
            "fragment the disk",
            "use ext4 or XFS for results that apply to other machines",
        )
    return clear(kind)


def mount_options(subject: Subject) -> CheckAnswer:
    """Check options that change what a write means or costs."""
    disk = subject.machine.disk
    if not disk.options:
        return unknown("mount options can't be read")
    options = set(disk.options)
    unsafe = sorted(options & {"nobarrier", "barrier=0"})
    if unsafe:
        return weakens(
            f"mounted with {', '.join(unsafe)}",
            "flushes do not reach the disk: commits look cheap, and a power cut loses them",
            f"{_remount_command(disk, 'barrier')}, and remove it from /etc/fstab",
        )
    if "sync" in options:
        return weakens(
            "mounted with sync",
            "every write waits for the disk, even those that an engine would batch",
            _remount_command(disk, "async"),
        )
    if "dirsync" in options:
        return notes(
            "mounted with dirsync",
            "creating, renaming and removing files waits for the disk: log files, temporary tables and the files of "
            "LSM engines, but not commits to existing files",
            "remove it from /etc/fstab, and mount the filesystem again",
        )
    if "discard" in options:
        return notes(
            "mounted with discard",
            "freed blocks are trimmed at once: removing old data before a run can slow the disk during the run",
            "mount without discard and enable fstrim.timer",
        )
    if not options & {"noatime", "relatime"}:
        return notes(
            "every read updates the access time (strictatime)",
            "reads cause writes",
            "mount with noatime",
        )
    return clear(", ".join(disk.options[:4]))


def scheduler(subject: Subject) -> CheckAnswer:
    """Check the scheduler: one that is fair between processes holds one process back."""
    disk = subject.machine.disk
    if not disk.scheduler:
        return idle("the disk has no separate queue here")
    if disk.scheduler not in _QUEUES_BY_PROCESS:
        return clear(disk.scheduler)
    return weakens(
        f"I/O scheduler {disk.scheduler}{f' of {disk.queue_disk}' if disk.queue_disk else ''}",
        "it idles the disk to wait for nearby requests and shares it by process: flash loses throughput, and "
        "engines that write from many threads lose a different share than those that write from one",
        f"echo none | sudo tee /sys/block/{disk.queue_disk or 'DISK'}/queue/scheduler (mq-deadline for spinning disks)",
    )


def read_ahead(subject: Subject) -> CheckAnswer:
    """Check whether the kernel reads more than was requested."""
    disk = subject.machine.disk
    if disk.read_ahead_bytes is None:
        return idle("the disk has no separate queue here")
    if disk.read_ahead_bytes <= _READ_AHEAD_BYTES:
        return clear(format_bytes(disk.read_ahead_bytes))
    return notes(
        f"read-ahead of {format_bytes(disk.read_ahead_bytes)}",
        "reads through the page cache (LSM engines without direct reads, log files, copies of snapshots) may "
        "fetch that much around each block; direct I/O does not, so it affects engines differently",
        f"sudo blockdev --setra 256 {disk.device} (sectors of 512 bytes)",
    )


def _remount_command(disk: Disk, option: str) -> str:
    """Return the command that sets an option; mount takes a mount point, and the path may lie anywhere below it."""
    return f'sudo mount -o remount,{option} "$(findmnt -no TARGET -T {shlex.quote(disk.path)})"'


DISK_CHECKS = (
    MachineCheck("free-space", "Free space", space),
    MachineCheck("filesystem", "Filesystem", filesystem),
    MachineCheck("mount-options", "Mount options", mount_options),
    MachineCheck("io-scheduler", "I/O scheduler", scheduler),
    MachineCheck("read-ahead", "Read-ahead", read_ahead),
)


_REQUESTS_WANTED = 8_192
"""InnoDB asks for some 256 requests per reader or writer thread when it starts."""


def native(subject: Subject) -> CheckAnswer:
    """Check native asynchronous I/O, which InnoDB uses in MySQL, and in MariaDB without io_uring."""
    answers = subject.machine.asynchronous
    if answers.native is None:
        return unknown("not checked on this architecture")
    if not answers.native:
        return weakens(
            f"the kernel provides no native asynchronous I/O: {answers.native_why}",
            "InnoDB falls back to simulated asynchronous I/O and reports it only in its log",
            "allow io_setup in the container's seccomp profile, or raise fs.aio-max-nr",
        )
    if answers.requests_left is not None and answers.requests_left < _REQUESTS_WANTED:
        return weakens(
            f"{answers.requests_left:,} native asynchronous requests are free on this machine",
            "a server that gets none works without them; which server that is depends on the start order",
            "sudo sysctl fs.aio-max-nr=1048576",
        )
    return clear(
        "available" if answers.requests_left is None else f"available, {answers.requests_left:,} requests free"
    )


def io_uring(subject: Subject) -> CheckAnswer:
    """Check io_uring, which MariaDB 10.6 and later use if built with it."""
    answers = subject.machine.asynchronous
    if answers.io_uring is None:
        return idle("not needed")
    if answers.io_uring:
        return clear("available")
    return notes(
        f"io_uring is not available: {answers.io_uring_why}",
        "builds of MariaDB 10.6 and later that prefer it use native asynchronous I/O or threads instead",
        "sudo sysctl kernel.io_uring_disabled=0, or allow io_uring_setup in the container's seccomp profile",
    )


ASYNCHRONOUS_CHECKS = (
    MachineCheck("native-aio", "Native asynchronous I/O", native),
    MachineCheck("io-uring", "io_uring", io_uring),
)
