"""Derives how much redo there is, and how it is written."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import NOT_OFFERED, SourcedValue, known, missing
from dbdyno.audit._target import LSM_ENGINES, AuditTarget
from dbdyno.audit.quantities._arithmetic import MYSQL, as_derived, product, renamed

CAPACITY_OPTIONS = ("innodb_redo_log_capacity", "innodb_log_file_size", "innodb_log_files_in_group")
# Defaults of MySQL 8.0.30 and later where the capacity is asked for in the old way.
_OLD_FILE_SIZE = 50331648
_OLD_FILES = 2


def redo_capacity(target: AuditTarget) -> SourcedValue:
    """Return bytes of redo log that the server keeps, over all its files."""
    if target.storage_engine in LSM_ENGINES:
        return NOT_OFFERED
    if target.is_family(MYSQL, "8.0.30"):
        return _resizable_capacity(target)
    size = effective(target, "redo.file_size")
    if target.is_family("mariadb", "10.5"):
        return as_derived(size)
    return product(size, effective(target, "redo.files"))


def resized_bytes(target: AuditTarget) -> int | float | None:
    """Return bytes of redo log by the status of MySQL; None where it is not there, or no number."""
    return parse_number(target.status("innodb_redo_log_capacity_resized") or "")


def _resizable_capacity(target: AuditTarget) -> SourcedValue:
    resized = resized_bytes(target)
    if resized is not None:
        return known(resized, "derived")
    if target.facts.option_file is None:
        return missing("status Innodb_redo_log_capacity_resized")
    capacity, size, files = (parse_number(target.asked(name) or "") for name in CAPACITY_OPTIONS)
    if capacity is not None:
        return known(capacity, "asked")
    if size is not None or files is not None:
        return known((size or _OLD_FILE_SIZE) * (files or _OLD_FILES), "asked")
    return effective(target, "redo.capacity")


def checkpoint_limit(target: AuditTarget) -> SourcedValue:
    """Return bytes the checkpoint may lag behind, where the server says so itself."""
    text = target.status("innodb_checkpoint_max_age")
    value = parse_number(text) if text is not None else None
    return known(value) if value else NOT_OFFERED


def redo_io_path(target: AuditTarget) -> SourcedValue:
    """Return whether the redo log is written past the page cache."""
    if target.storage_engine in LSM_ENGINES:
        return NOT_OFFERED
    if target.is_family("mariadb", "10.8.4"):
        return renamed(effective(target, "redo.file_buffering"), {"OFF": "direct"}, "buffered")
    return renamed(effective(target, "io.flush_method"), {"ALL_O_DIRECT": "direct"}, "buffered")
