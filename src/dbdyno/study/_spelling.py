"""Reads earlier spellings of a study's keys, and keeps digests of studies independent of the spelling.

A results folder belongs to the study whose digest it holds. Digests are taken of the earlier spelling, so that a folder
stays that of its study however the file spells its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from dbdyno.core import StudyError

_SCALE = "scale"
_NOW: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "measure": {
            "certainty": "target_half_width",
            "level_certainty": "level_target_half_width",
            "ending": "after_run",
        },
        "pacing": {"promise": "slo", "think_law": "think_distribution"},
        "target": {"held_share": "throttled_share"},
    }
)
"""Table -> earlier spelling of a key -> the one of today."""


def current_spelling(document: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a study file's keys as today.

    Raises
    ------
    StudyError : a key stands there in both spellings

    >>> current_spelling({"pacing": {"promise": "p99 < 20ms"}})
    {'pacing': {'slo': 'p99 < 20ms'}}
    """
    return _respell(document, _NOW)


def digest_spelling(document: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a study file's keys as its digest is taken.

    >>> digest_spelling({"measure": {"after_run": "stop"}}) == digest_spelling({"measure": {"ending": "stop"}})
    True
    """
    return _respell(
        document, {table: {new_key: old_key for old_key, new_key in names.items()} for table, names in _NOW.items()}
    )


def spellings(table: str, key: str) -> tuple[str, ...]:
    """Return all spellings of a key, that of today first."""
    return (key, *(old_key for old_key, new_key in _NOW.get(table, {}).items() if new_key == key))


def _respell(document: Mapping[str, Any], names: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    respelled = dict[str, Any]()
    for table, entry in document.items():
        if table == _SCALE and isinstance(entry, dict):
            respelled[table] = {
                scale: _respell(changes, names) if isinstance(changes, dict) else changes
                for scale, changes in entry.items()
            }
        elif isinstance(entry, list):
            respelled[table] = [_respell_keys(item, names.get(table, {})) for item in entry]
        else:
            respelled[table] = _respell_keys(entry, names.get(table, {}))
    return respelled


def _respell_keys(entry: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - foreign TOML
    if not isinstance(entry, dict):
        return entry
    for old_key, new_key in names.items():
        if old_key in entry and new_key in entry:
            raise StudyError(
                f"'{old_key}' and '{new_key}' are the same key", f"{old_key} = {entry[old_key]!r}", "remove one of them"
            )
    return {names.get(key, key): value for key, value in entry.items()}
