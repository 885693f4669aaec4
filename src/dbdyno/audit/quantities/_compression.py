"""Derives how tables are compressed."""

from __future__ import annotations

import re
from collections.abc import Callable

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import SourcedValue, known, missing, number
from dbdyno.audit._target import AuditTarget
from dbdyno.audit.quantities._column_families import default_family_options

_COMPRESSED_RE = re.compile(
    r"ROW_FORMAT\s*=\s*COMPRESSED|PAGE_COMPRESSED`?\s*=\s*'?(?:1|ON)|COMPRESSION`?\s*=\s*'?(?!NONE)\w+", re.IGNORECASE
)
_ROW_FORMAT_RE = re.compile(r"ROW_FORMAT\s*=", re.IGNORECASE)
# The table's own, after ENGINE: InnoDB ignores one of an index.
_BLOCK_SIZE_RE = re.compile(r"\bENGINE\s*=.*?\bKEY_BLOCK_SIZE\s*=\s*([1-9]\d*)", re.IGNORECASE | re.DOTALL)
_PAGE_BYTES = 16_384
# For all levels, not only the last; the first one given counts. Without one, RocksDB uses Snappy if it is built in.
_OF_ALL_LEVELS = ("compression_per_level", "compression")
_SNAPPY = "kSnappyCompression"


def table_compression(target: AuditTarget) -> SourcedValue:
    """Return how the test tables are compressed, by their DDL or else by default; OFF where they are not."""
    words = {_compression_words(target, text) for text in target.definitions.values()} - {""}
    if words:
        return known("+".join(sorted(words)))
    by_default: dict[str, Callable[[AuditTarget], SourcedValue]] = {
        "rocksdb": _rocksdb_compression,
        "tidesdb": _lsm_compression,
    }
    reading = by_default.get(target.storage_engine, _page_compression)(target)
    is_certain = bool(target.definitions) and target.storage_engine == "innodb"
    return reading if is_certain or reading.state != "known" else known(reading.value, "inferred")


def _compression_words(target: AuditTarget, ddl: str) -> str:
    """Return how a table is compressed, by its options; empty where none says so.

    To InnoDB a block size alone means a compressed table, and without one the blocks are half a page.
    """
    match, block = _COMPRESSED_RE.search(ddl), _BLOCK_SIZE_RE.search(ddl)
    word = re.sub(r"[`' ]", "", match[0].upper()) if match else ""
    if target.storage_engine != "innodb":
        return word
    if block and not word and not _ROW_FORMAT_RE.search(ddl):
        word = "ROW_FORMAT=COMPRESSED"
    if not word.startswith("ROW_FORMAT"):
        return word
    block_kib = int(block[1]) if block else int(number(effective(target, "page.size")) or _PAGE_BYTES) // 2048
    return f"{word} KEY_BLOCK_SIZE={block_kib}"


def _page_compression(target: AuditTarget) -> SourcedValue:
    reading = effective(target, "page.compression_default")
    return known("OFF") if reading.state == "not offered" else reading


def _lsm_compression(target: AuditTarget) -> SourcedValue:
    reading = effective(target, "flush.lsm_block_compression")
    return known("OFF", reading.certainty) if reading.value == "NONE" else reading


def _rocksdb_compression(target: AuditTarget) -> SourcedValue:
    options = default_family_options(target)
    if options is None:
        return missing("variable rocksdb_default_cf_options")
    words = [options[name] for name in _OF_ALL_LEVELS if name in options][:1]
    if not words:
        supported = target.variable("rocksdb_supported_compression_types")
        if supported is None:
            return missing("variable rocksdb_supported_compression_types")
        words.append(_SNAPPY if "snappy" in supported.lower() else "kNoCompression")
    if (of_the_last_level := options.get("bottommost_compression")) is not None:
        words.append(of_the_last_level)
    algorithms = "+".join(sorted({word.upper() for word in words}))
    return known("OFF" if algorithms == "KNOCOMPRESSION" else algorithms)
