"""Says when a value that a server shows is the one that was asked for, though it is written otherwise.

>>> fold_charsets("utf8_general_ci"), enum_word("concurrent_insert", "2"), is_flag_list("sql_mode")
('utf8mb3_general_ci', 'ALWAYS', True)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

# Servers list flags in their own order, and list every switch, also those that were not set.
_FLAG_LISTS = ("sql_mode", "optimizer_switch")
# Flags of sql_mode that combine several flags: servers list both the combination and its members.
_SHORTHANDS = frozenset({"ansi", "traditional", "db2", "maxdb", "mssql", "mysql323", "mysql40", "oracle", "postgresql"})
_ISOLATION_LEVELS = ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE")
# Options that accept a number for a word and show the word.
_ENUM_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "binlog_format": ("MIXED", "STATEMENT", "ROW"),
        "completion_type": ("NO_CHAIN", "CHAIN", "RELEASE"),
        "concurrent_insert": ("NEVER", "AUTO", "ALWAYS"),
        "delay_key_write": ("OFF", "ON", "ALL"),
        "query_cache_type": ("OFF", "ON", "DEMAND"),
        "transaction_isolation": _ISOLATION_LEVELS,
        "tx_isolation": _ISOLATION_LEVELS,
    }
)


def fold_charsets(text: str) -> str:
    """Return a text with the character set utf8 under the name that MySQL 8.0.30 and MariaDB 10.6 show.

    >>> fold_charsets("utf8"), fold_charsets("UTF8_BIN"), fold_charsets("utf8mb4=utf8mb4_bin,utf8=utf8_bin")
    ('utf8mb3', 'UTF8mb3_BIN', 'utf8mb4=utf8mb4_bin,utf8mb3=utf8mb3_bin')
    """
    return re.sub(r"\b(utf8)(?=_|\b)", r"\1mb3", text, flags=re.IGNORECASE)


def enum_word(option: str, value: str) -> str:
    """Return the word that a server shows where an option was given the number of a word; other values unchanged.

    >>> enum_word("query_cache_type", "0"), enum_word("innodb_autoinc_lock_mode", "2")
    ('OFF', '2')
    """
    words, text = _ENUM_WORDS.get(option, ()), value.strip()
    return words[int(text)] if re.fullmatch(r"\d", text) and int(text) < len(words) else value


def is_flag_list(option: str) -> bool:
    """Return whether an option holds flags, which `has_flags` compares."""
    return option in _FLAG_LISTS


def has_flags(option: str, asked: str, shown: str) -> bool:
    """Return whether the flags asked for are in effect, in any order.

    A shorthand of sql_mode brings further flags; optimizer_switch shows those that were not asked for, too.

    >>> has_flags("sql_mode", "ansi", "REAL_AS_FLOAT,ANSI"), has_flags("sql_mode", "ANSI_QUOTES", "ANSI_QUOTES,ANSI")
    (True, False)
    >>> has_flags("optimizer_switch", "default,mrr=on", "index_merge=on,mrr=on")
    True
    """
    asked_flags, shown_flags = ({flag.strip() for flag in text.lower().split(",")} - {""} for text in (asked, shown))
    if option == "optimizer_switch":
        return {flag for flag in asked_flags if not flag.endswith("default")} <= shown_flags
    return asked_flags <= shown_flags if asked_flags & _SHORTHANDS else asked_flags == shown_flags
