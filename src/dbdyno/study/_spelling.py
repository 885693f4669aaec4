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
        "pacing": {"promise": "slo"},
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
    return _respelled(document, _NOW)


def digest_spelling(document: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a study file's keys as its digest is taken.

    >>> digest_spelling({"measure": {"after_run": "stop"}}) == digest_spelling({"measure": {"ending": "stop"}})
    True
    """
    return _respelled(document, {table: {now: old for old, now in names.items()} for table, names in _NOW.items()})


def spellings(table: str, key: str) -> tuple[str, ...]:
    """Return all spellings of a key, that of today first."""
    return (key, *(old for old, now in _NOW.get(table, {}).items() if now == key))


def _respelled(document: Mapping[str, Any], names: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    respelled = dict[str, Any]()
    for table, entry in document.items():
        if table == _SCALE and isinstance(entry, dict):
            respelled[table] = {
                scale: _respelled(changes, names) if isinstance(changes, dict) else changes
                for scale, changes in entry.items()
            }
        elif isinstance(entry, list):
            respelled[table] = [_keys(item, names.get(table, {})) for item in entry]
        else:
            respelled[table] = _keys(entry, names.get(table, {}))
    return respelled


def _keys(entry: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - foreign TOML
    if not isinstance(entry, dict):
        return entry
    for one, other in names.items():
        if one in entry and other in entry:
            raise StudyError(f"'{one}' and '{other}' are the same key", f"{one} = {entry[one]!r}", "remove one of them")
    return {names.get(key, key): value for key, value in entry.items()}
