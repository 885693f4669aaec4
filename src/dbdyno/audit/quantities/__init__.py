"""Derives quantities from several values, so that servers which count differently become comparable.

Each is one function from a target to a reading. Which formula holds is decided by family and version, because the same
variable means a total here, a share of a group there, and nothing at all elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.audit._reading import SourcedValue, missing
from dbdyno.audit._target import AuditTarget
from dbdyno.audit.quantities._commit import commit_class, doublewrite, group_commit_delay_us, gtid
from dbdyno.audit.quantities._compression import table_compression
from dbdyno.audit.quantities._flushing import (
    dirty_lwm,
    flush_threads,
    lru_scan_total,
    pool_instances,
    spin_wait_units,
    table_cache_handles,
)
from dbdyno.audit.quantities._memory import (
    cache_bytes,
    checksum_class,
    data_io_flags,
    data_io_path,
    lock_model,
    numa_policy,
)
from dbdyno.audit.quantities._redo import CAPACITY_OPTIONS, checkpoint_limit, redo_capacity, redo_io_path, resized_bytes
from dbdyno.audit.quantities._transport import encryption, tls_share

__all__ = ["CAPACITY_OPTIONS", "QUANTITIES", "UNITS", "derived", "resized_bytes"]

_UNKNOWN_SERVER = missing("which server and version it is")


def derived(target: AuditTarget, name: str) -> SourcedValue:
    """Return one derived quantity of a target.

    Parameters
    ----------
    name : such as ``redo_capacity``
    """
    return QUANTITIES[name](target) if target.family else _UNKNOWN_SERVER


QUANTITIES: dict[str, Callable[[AuditTarget], SourcedValue]] = {
    "cache_bytes": cache_bytes,
    "checkpoint_limit": checkpoint_limit,
    "checksum_class": checksum_class,
    "commit_class": commit_class,
    "data_io_flags": data_io_flags,
    "data_io_path": data_io_path,
    "dirty_lwm": dirty_lwm,
    "doublewrite": doublewrite,
    "encryption": encryption,
    "flush_threads": flush_threads,
    "group_commit_delay_us": group_commit_delay_us,
    "gtid": gtid,
    "lock_model": lock_model,
    "lru_scan_total": lru_scan_total,
    "numa_policy": numa_policy,
    "pool_instances": pool_instances,
    "redo_capacity": redo_capacity,
    "redo_io_path": redo_io_path,
    "spin_wait_units": spin_wait_units,
    "table_cache_handles": table_cache_handles,
    "table_compression": table_compression,
    "tls_share": tls_share,
}
UNITS = {
    "cache_bytes": "bytes",
    "checkpoint_limit": "bytes",
    "dirty_lwm": "percent",
    "flush_threads": "count",
    "group_commit_delay_us": "microseconds",
    "lru_scan_total": "pages/s",
    "pool_instances": "count",
    "redo_capacity": "bytes",
    "spin_wait_units": "pause instructions",
    "table_cache_handles": "handles",
}
