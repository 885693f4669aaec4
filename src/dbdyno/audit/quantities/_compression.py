"""Derives how tables are compressed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, missing
from dbdyno.audit._target import AuditTarget

_COMPRESSED_RE = re.compile(
    r"ROW_FORMAT\s*=\s*COMPRESSED|PAGE_COMPRESSED`?\s*=\s*'?(?:1|ON)|COMPRESSION`?\s*=\s*'?(?!NONE)\w+", re.IGNORECASE
)


def table_compression(target: AuditTarget) -> SourcedValue:
    """Return how the test tables are compressed, by their DDL or else by default; OFF where they are not."""
    words = [match[0].upper() for text in target.definitions.values() if (match := _COMPRESSED_RE.search(text))]
    if words:
        return known("+".join(sorted({re.sub(r"[`' ]", "", word) for word in words})))
    by_default: dict[str, Callable[[AuditTarget], SourcedValue]] = {
        "rocksdb": _rocksdb_compression,
        "tidesdb": _lsm_compression,
    }
    reading = by_default.get(target.storage_engine, _page_compression)(target)
    is_certain = bool(target.definitions) and target.storage_engine == "innodb"
    return reading if is_certain or reading.state != "known" else known(reading.value, "inferred")


def _page_compression(target: AuditTarget) -> SourcedValue:
    reading = effective(target, "page.compression_default")
    return known("OFF") if reading.state == "not offered" else reading


def _lsm_compression(target: AuditTarget) -> SourcedValue:
    reading = effective(target, "flush.lsm_block_compression")
    return known("OFF", reading.certainty) if reading.value == "NONE" else reading


def _rocksdb_compression(target: AuditTarget) -> SourcedValue:
    options = target.variable("rocksdb_default_cf_options")
    if options is None:
        return missing("variable rocksdb_default_cf_options")
    words: list[Any] = re.findall(r"compression(?:_per_level)?=([\w:]+)", options)
    algorithms = "+".join(sorted({str(word).upper() for word in words}))
    return known("OFF" if algorithms in ("", "KNOCOMPRESSION") else algorithms)
