"""Lists what changed between two results folders besides the numbers: versions, settings, study, machine."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.core import Cell, RunRecord
from dbdyno.report._diff_side import DiffSide
from dbdyno.report._settings import plain, variable_values
from dbdyno.study import current_spelling

_NO_NEWS = frozenset({"name", "question"})
_OF_ONE_BOOT = frozenset({"boot_id"})
_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that is not as it was.

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
    """Everything that differs.

    Parameters
    ----------
    targets : name of a target in new -> its name in base
    cells : on both sides, those that have a fellow on the other: of others no variable is read
    """
    found = [*_tools(base, new), *_study(base, new), *_machine(base, new)]
    variables = [
        variable_values(side.results, [record for record in side.stored if record.run.cell in cells])
        for side in (base, new)
    ]
    for now, before in targets.items():
        found += _build(base, new, before, now)
        found += _variables(variables[0], variables[1], before, now)
    return found


def _tools(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    sides = [{"dbdyno": s.results.manifest.dbdyno_version, **s.results.manifest.versions} for s in (base, new)]
    yield from _differing("dbdyno", sides[0], sides[1])


def _study(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    before, after = (_flat(current_spelling(tomllib.loads(side.results.study_text))) for side in (base, new))
    yield from _differing("study", before, after)


def _machine(base: DiffSide, new: DiffSide) -> Iterator[Changed]:
    yield from _differing("machine", dict(base.results.host), dict(new.results.host))


def _build(base: DiffSide, new: DiffSide, before: str, now: str) -> Iterator[Changed]:
    facts = [dict(base.results.engine(before) or {}), dict(new.results.engine(now) or {})]
    packages = [
        {p["name"]: f"{p['version']} ({p.get('sha256', '')[:12]})" for p in f.pop("packages", ())} for f in facts
    ]
    seen = [
        {"server": ", ".join(dict.fromkeys(f"{r.family} {r.version} {r.storage_engine}" for r in _runs(side, name)))}
        for side, name in ((base, before), (new, now))
    ]
    plain_facts = [{key: value for key, value in f.items() if not isinstance(value, list | dict)} for f in facts]
    for old, current in (seen, plain_facts, packages):
        yield from (
            Changed(row.where, row.what, row.base, row.new, is_build=True) for row in _differing(now, old, current)
        )


def _variables(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]], name: str, now: str
) -> Iterator[Changed]:
    old = {variable: values[name] for variable, values in before.items() if name in values}
    current = {variable: values[now] for variable, values in after.items() if now in values}
    yield from _differing(now, old, current)


def _runs(side: DiffSide, target: str) -> list[RunRecord]:
    return [record for record in side.stored if record.run.cell.target == target]


def _differing(where: str, old: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[Changed]:
    for key in sorted({*old, *current} - _NO_NEWS - _OF_ONE_BOOT):
        values = _text(old.get(key)), _text(current.get(key))
        if plain(values[0]) != plain(values[1]):
            yield Changed(where, key, *values)


def _flat(table: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """Keys of nested tables with dots between; lists of tables by their place."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{head}{key}.")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            for index, item in enumerate(value):
                flat |= _flat(item, f"{head}{key}.{item.get('name', index + 1)}.")
        else:
            flat[head + key] = value
    return flat


def _text(value: object) -> str:
    if value is None or value == "":
        return _ABSENT
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
