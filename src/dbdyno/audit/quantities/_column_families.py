"""Reads the options of RocksDB's default column family, which holds the test tables."""

from __future__ import annotations

import re

from dbdyno.audit._target import AuditTarget

_DEFAULT_FAMILY = "default"


def default_family_options(target: AuditTarget) -> dict[str, str] | None:
    """Return options of the column family `default`; None when the server's variables do not show them.

    Those of all families hold where the family has none of its own.
    """
    all_families = target.variable("rocksdb_default_cf_options")
    if all_families is None:
        return None
    own = family_options(target.variable("rocksdb_override_cf_options") or "").get(_DEFAULT_FAMILY, "")
    return family_options(all_families) | family_options(own)


def family_options(text: str) -> dict[str, str]:
    """Return names and values of a list of options; a value in braces may hold such a list.

    >>> family_options("default={compression=kZSTD;write_buffer_size=8m};cf2={};a=b")
    {'default': 'compression=kZSTD;write_buffer_size=8m', 'cf2': '', 'a': 'b'}
    """
    options = {}
    for entry in _split_entries(text):
        name, separator, value = entry.partition("=")
        if separator:
            value = value.strip()
            options[name.strip()] = value[1:-1].strip() if value.startswith("{") and value.endswith("}") else value
    return options


def _split_entries(text: str) -> list[str]:
    """Return what stands between semicolons that are in no braces."""
    entries, depth = [""], 0
    for part in re.findall(r"[{};]|[^{};]+", text):
        depth += {"{": 1, "}": -1}.get(part, 0)
        if part == ";" and depth <= 0:
            entries.append("")
        else:
            entries[-1] += part
    return entries
