"""Makes a study at another scale: the same question with other sizes, memory and times, chosen by name.

``[scale.small.axes]`` in a study file stands for ``[axes]`` when the scale ``small`` is chosen, key by key; so do
``measure``, ``pacing``, ``pinning``, ``errors``, ``limits``, ``settings``, ``timeouts``. Targets, ``hosts``,
``bench``, ``fleet`` and ``routes`` are replaced as a whole.
``[scale.small.workload]`` replaces options where a workload of the study gives them. What the results hold is a study
like any other. It says that it is scaled, unless only servers, hosts and routes differ.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from dbdyno.core import StudyError
from dbdyno.nearest import nearest

SCALE = "scale"
_DEPENDENTS = {
    "warm_up": ("warm_up_max",),
    "window": ("window_min", "window_max", "target_half_width"),
    "repeats": ("repeats_max", "level_target_half_width"),
    "restore": ("step_warm_up",),
}
"""Keys of ``[measure]`` that a scale must give itself when it gives the one that they belong to."""
_TARGETS = ("targets", "target")
_PLACES = ("hosts", "bench", "fleet", "routes")
"""Tables that name each other: one of the study's would be without use next to those of the scale."""
_WITHOUT_SIZE = frozenset((*_TARGETS, *_PLACES, "question"))
_TABLES = ("axes", "errors", "limits", "measure", "pacing", "pinning", "settings", "timeouts")


def scaled_document(document: Mapping[str, Any], scale: str | None, name: str) -> dict[str, Any]:
    """Return the document of a study file at one of its scales; at its own without one.

    Parameters
    ----------
    name : of the study, where the document gives none

    Raises
    ------
    StudyError : there is no such scale, or it holds what can't be scaled

    >>> document = {"axes": {"tier": "2GB", "route": "socket"}, "scale": {"small": {"axes": {"tier": "64MB"}}}}
    >>> scaled_document(document, "small", "big")
    {'axes': {'tier': '64MB', 'route': 'socket'}, 'name': 'big-small', 'scaled': 'small'}
    """
    scaled = copy.deepcopy(dict(document))
    scales = scaled.pop(SCALE, {})
    if not isinstance(scales, dict) or not all(isinstance(changes, dict) for changes in scales.values()):
        raise StudyError("scale is not a table of scales", "", "write for example [scale.small.axes]")
    if scale is None:
        return scaled
    if scale not in scales:
        scales_words = f"it has: {', '.join(scales)}" if scales else "it has no scales"
        remedy = nearest(scale, scales) if scales else "omit --scale"
        raise StudyError(f"the study has no scale '{scale}'", scales_words, remedy)
    for key, changes in scales[scale].items():
        _change_key(scaled, key, changes, scale)
    scaled["name"] = f"{scaled.get('name') or name}-{scale}"
    return {**scaled, "scaled": scale} if _changes_size(scales[scale]) else scaled


def _changes_size(changes: Mapping[str, Any]) -> bool:
    """Return whether a scale changes more than servers, and where they and their clients run."""
    if "axes" in changes and changes["axes"].keys() == {"route"}:
        changes = {key: table for key, table in changes.items() if key != "axes"}
    return not changes.keys() <= _WITHOUT_SIZE


def _change_key(document: dict[str, Any], key: str, changes: Any, scale: str) -> None:  # noqa: ANN401 - foreign TOML
    if key in _TARGETS:
        for key_of_targets in _TARGETS:
            document.pop(key_of_targets, None)
        document[key] = changes
    elif (key == "question" and isinstance(changes, str)) or (key in _PLACES and isinstance(changes, dict)):
        document[key] = changes
    elif key in _TABLES and isinstance(changes, dict):
        document[key] = _merge_tables(_without_dependents(key, document.get(key, {}), changes), changes)
    elif key == "workload" and isinstance(changes, dict):
        _change_workloads(document, changes, scale)
    else:
        allowed_keys = [*_TARGETS, *_TABLES, *_PLACES, "workload", "question"]
        raise StudyError(
            f"'{key}' in [scale.{scale}] can't differ by scale",
            f"allowed: {', '.join(allowed_keys)}",
            nearest(key, allowed_keys),
        )


def _without_dependents(key: str, table: Any, changes: Mapping[str, Any]) -> Any:  # noqa: ANN401 - foreign TOML
    """Return the table without keys that mean something only with another value of what the scale replaces."""
    if key != "measure" or not isinstance(table, dict):
        return table
    dependent_keys = {name for owner_key, names in _DEPENDENTS.items() if owner_key in changes for name in names}
    return {name: value for name, value in table.items() if name not in dependent_keys}


def _merge_tables(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Merge key by key, in tables within the table, too."""
    result = dict(table)
    for key, value in changes.items():
        table_value = result.get(key)
        result[key] = (
            _merge_tables(table_value, value) if isinstance(table_value, dict) and isinstance(value, dict) else value
        )
    return result


def _change_workloads(document: dict[str, Any], changes: Mapping[str, Any], scale: str) -> None:
    entries = document.get("workload", [])
    entries = entries if isinstance(entries, list) else [entries]
    for option, value in changes.items():
        entries_with_option = [entry for entry in entries if isinstance(entry, dict) and option in entry]
        if not entries_with_option:
            raise StudyError(
                f"no workload of the study gives '{option}'", f"[scale.{scale}.workload] would change nothing"
            )
        for entry in entries_with_option:
            entry[option] = value
