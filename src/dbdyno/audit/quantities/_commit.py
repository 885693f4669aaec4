"""Derives what a commit survives and waits for."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import switch
from dbdyno.audit._reading import NOT_OFFERED, SourcedValue, known, number, weakest
from dbdyno.audit._target import AuditTarget


def commit_class(target: AuditTarget) -> SourcedValue:
    """Return what a commit survives."""
    if target.storage_engine == "tidesdb":
        return _tidesdb_commit_class(target)
    if target.storage_engine == "rocksdb" and switch(target.variable("rocksdb_write_disable_wal") or "OFF") == "ON":
        return known("sync-never")
    policy = effective(target, "commit.redo_flush")
    if policy.state != "known":
        return policy
    if policy.value == 0:
        return _periodic_commit_class(target, policy)
    return known("write-each-commit" if policy.value == 2 else "sync-each-commit", policy.certainty)


def _tidesdb_commit_class(target: AuditTarget) -> SourcedValue:
    mode = effective(target, "commit.redo_flush")
    if mode.value == "INTERVAL":
        return _periodic_commit_class(target, mode)
    names = {"FULL": "sync-each-commit", "NONE": "sync-never"}
    return known(names.get(str(mode.value), str(mode.value)), mode.certainty) if mode.state == "known" else mode


def _periodic_commit_class(target: AuditTarget, policy: SourcedValue) -> SourcedValue:
    interval = effective(target, "commit.redo_flush_interval")
    seconds = interval.value if interval.state == "known" else 1
    return known(f"sync-periodic({seconds} s)", weakest(policy.certainty, interval.certainty))


def gtid(target: AuditTarget) -> SourcedValue:
    """Return whether transactions carry global ids that the server keeps account of."""
    if target.family == "mariadb":
        return NOT_OFFERED  # it writes its own id with every transaction, and no option prevents that
    reading = effective(target, "binlog.gtid")
    return known("OFF") if reading.state == "not offered" else reading


def group_commit_delay_us(target: AuditTarget) -> SourcedValue:
    """Return microseconds that a commit waits for others to join its group."""
    if target.family != "mariadb":
        delay = effective(target, "binlog.group_commit_delay")
        return known(0, implied=True) if delay.state == "not offered" else delay
    count = effective(target, "binlog.group_commit_count")
    if count.state != "known":
        return known(0, implied=True) if count.state == "not offered" else count
    return effective(target, "binlog.group_commit_delay") if number(count) > 0 else known(0, count.certainty)


def doublewrite(target: AuditTarget) -> SourcedValue:
    """Return how torn pages are guarded against.

    From MariaDB 10.2 on `innodb_use_atomic_writes` is ON by default and acts on devices that report atomic writes
    only; so the device must be known before it counts.
    """
    reading = effective(target, "commit.doublewrite")
    if reading.state != "known":
        return reading
    atomic = effective(target, "io.atomic_writes").value == "ON"
    chosen = target.is_family(("mariadb", "percona"), "", "10.2")
    if atomic and (chosen or target.fact("host", "atomic_writes") is True):
        return known("device-atomic", reading.certainty)
    names = {"ON": "full", "DETECT_AND_RECOVER": "full", "OFF": "off", "DETECT_ONLY": "detect-only", "FAST": "fast"}
    return known(names.get(str(reading.value), str(reading.value)), reading.certainty)
