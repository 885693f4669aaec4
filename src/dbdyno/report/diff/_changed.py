"""Lists what changed between two results folders in addition to the numbers: versions, settings, study, machine."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.core import Cell, RunRecord
from dbdyno.report._settings import EMPTY, plain, variable_values
from dbdyno.report.diff._side import DiffSide
from dbdyno.study import current_spelling

_NO_NEWS = frozenset({"name", "question"})
_OF_ONE_BOOT = frozenset({"boot_id"})
_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Changed:
    """Describes one thing that has changed.

    Parameters
    ----------
    where : ``study``, ``machine``, ``dbdyno``, or the name of a target
    what : the key, package or variable
    base, new : its values; ``absent`` where one side does not have it
    is_build : a version or package of the server, not a setting
    """

    where: str
    what: str
    base: str
    new: str
    is_build: bool = False


def changed(base: DiffSide, new: DiffSide, targets: Mapping[str, str], cells: Collection[Cell]) -> list[Changed]:
    """Return everything that differs.

    Parameters
    ----------
    targets : name of a target in new -> its name in base
    cells : on both sides, those that have a fellow on the other: of others no variable is read
    """
    changed_rows = [*_changed_tools(base, new), *_changed_study(base, new), *_changed_machine(base, new)]
    variables = [
        variable_values(side.results, [record for record in side.stored if record.run.cell in cells])
        for side in (base, new)
    ]
    for new_name, base_name in targets.items():
        changed_rows += _changed_build(base, new, base_name, new_name)
        changed_rows += _changed_variables(variables[0], variables[1], base_name, new_name)
    return changed_rows


def _changed_tools(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    versions = [{"dbdyno": s.results.manifest.dbdyno_version, **s.results.manifest.versions} for s in (base, new)]
    yield from _changed_entries("dbdyno", versions[0], versions[1])


def _changed_study(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    base_settings, new_settings = (
        _flatten(current_spelling(tomllib.loads(side.results.study_text))) for side in (base, new)
    )
    yield from _changed_entries("study", base_settings, new_settings)


def _changed_machine(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    yield from _changed_entries("machine", dict(base.results.host), dict(new.results.host))


def _changed_build(base: DiffSide, new: DiffSide, base_name: str, new_name: str) -> Iterator[Changed]:
    facts = [dict(base.results.engine(base_name) or {}), dict(new.results.engine(new_name) or {})]
    packages = [
        {p["name"]: f"{p['version']} ({p.get('sha256', '')[:12]})".strip() for p in f.pop("packages", ())}
        for f in facts
    ]
    servers = [
        {
            "server": ", ".join(
                dict.fromkeys(f"{r.family} {r.version} {r.storage_engine}" for r in _target_runs(side, name))
            )
        }
        for side, name in ((base, base_name), (new, new_name))
    ]
    plain_facts = [{key: value for key, value in f.items() if not isinstance(value, list | dict)} for f in facts]
    for old, current in (servers, plain_facts, packages):
        yield from (
            Changed(row.where, row.what, row.base, row.new, is_build=True)
            for row in _changed_entries(new_name, old, current)
        )


def _changed_variables(
    base_values: Mapping[str, Mapping[str, str]],
    new_values: Mapping[str, Mapping[str, str]],
    base_name: str,
    new_name: str,
) -> Iterator[Changed]:
    base_variables, new_variables = (
        {variable: values[name] or EMPTY for variable, values in values_by_name.items() if name in values}
        for values_by_name, name in ((base_values, base_name), (new_values, new_name))
    )
    yield from _changed_entries(new_name, base_variables, new_variables)


def _target_runs(side: DiffSide, target: str) -> list[RunRecord]:
    return [record for record in side.stored if record.run.cell.target == target]


def _changed_entries(where: str, old: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[Changed]:
    for key in sorted({*old, *current} - _NO_NEWS - _OF_ONE_BOOT):
        values = _value_text(old.get(key)), _value_text(current.get(key))
        if plain(values[0]) != plain(values[1]):
            yield Changed(where, key, *values)


def _flatten(table: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """Flatten nested tables: keys with dots between; lists of tables by their place."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{head}{key}.")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            for index, item in enumerate(value):
                flat |= _flatten(item, f"{head}{key}.{item.get('name', index + 1)}.")
        else:
            flat[head + key] = value
    return flat


def _value_text(value: object) -> str:
    if value is None or value == "":
        return _ABSENT
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
