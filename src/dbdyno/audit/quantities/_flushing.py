"""Derives who writes dirty pages, how many and when."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, missing, number, weakest
from dbdyno.audit._target import AuditTarget
from dbdyno.audit.quantities._arithmetic import MYSQL, as_derived, product

_GIB = 1 << 30


def pool_instances(target: AuditTarget) -> SourcedValue:
    """Return partitions of the buffer pool in effect."""
    if target.is_family("mariadb", "10.5"):
        return known(1)
    reading = effective(target, "memory.buffer_pool_instances")
    pool = effective(target, "memory.buffer_pool")
    is_small = reading.certainty == "asked" and pool.state == "known" and number(pool) < _GIB
    return known(1, "asked") if is_small and not target.is_family(MYSQL, "", "5.6") else reading


def lru_scan_total(target: AuditTarget) -> SourcedValue:
    """Return pages a second that the cleaners may look at, over all pool instances."""
    depth = effective(target, "flush.lru_scan_depth")
    if target.is_family("mariadb", "10.5"):
        return as_derived(depth)
    return depth if depth.state == "not offered" else product(depth, pool_instances(target))


def flush_threads(target: AuditTarget) -> SourcedValue:
    """Return threads that write dirty pages."""
    if effective(target, "flush.mtflush").value == "ON":
        return effective(target, "flush.mtflush_threads")
    if target.is_family("mariadb", "10.5"):
        return known(1)
    cleaners = effective(target, "flush.page_cleaners")
    if cleaners.state == "not offered":
        return known(1)
    instances = pool_instances(target)
    if cleaners.certainty == "asked" and instances.state == "known":
        return known(int(min(number(cleaners), number(instances))), "asked")
    return cleaners


def dirty_lwm(target: AuditTarget) -> SourcedValue:
    """Return the percent of dirty pages at which flushing for their sake begins; without an early mark the maximum."""
    mark = effective(target, "flush.dirty_lwm")
    if mark.state == "not offered" or (mark.state == "known" and number(mark) <= 0.001):
        return effective(target, "flush.dirty_max")
    return mark


def spin_wait_units(target: AuditTarget) -> SourcedValue:
    """Return pause instructions of one turn of a spinning thread; 50 per unit of delay is nominal before 8.0.16."""
    delay = effective(target, "sync.spin_delay")
    multiplier = effective(target, "sync.spin_pause_multiplier")
    if multiplier.state == "missing" or delay.state != "known":
        return multiplier if multiplier.state == "missing" else delay
    factor = number(multiplier) if multiplier.state == "known" else 50
    return known(int(number(delay) * factor), weakest(delay.certainty, multiplier.certainty))


def table_cache_handles(target: AuditTarget) -> SourcedValue:
    """Open table handles the server may keep; MariaDB counts them for each instance."""
    handles = effective(target, "server.table_open_cache")
    if not target.is_family("mariadb", "10.2"):
        return as_derived(handles)
    if target.asked_only:
        return missing("variable table_open_cache_instances: the server lowers it to fit the file limit")
    return product(handles, effective(target, "server.table_open_cache_instances"))
