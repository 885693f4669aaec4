"""Chooses some cells of a study by their axes, as `--where AXIS=VALUE` names them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dbdyno.core import Cell, RequestError, StudyError, memory_text, parse_bytes
from dbdyno.nearest import nearest
from dbdyno.study._read import default_question
from dbdyno.study._values import Study

AxisValue = str | int
ValueT = TypeVar("ValueT", str, int)

_EXAMPLE = "write for example memory=64MB"
_LONGEST_NAME = 60
_UNSAFE_RE = re.compile(r"[^A-Za-z0-9._]+")
_SEPARATOR_RE = re.compile(r"(?<!\\),")
"""Between values; a comma inside of a name has a backslash before it."""


@dataclass(frozen=True, slots=True)
class CellFilter:
    """Selects cells, each axis by its name and the values that it may have; an axis without values may have any."""

    wanted: tuple[tuple[str, tuple[AxisValue, ...]], ...] = ()

    @property
    def names_memory(self) -> bool:
        """Return whether a memory size is chosen."""
        return any(name == "memory" for name, _ in self.wanted)

    def has(self, cell: Cell) -> bool:
        """Return whether a cell was chosen."""
        return all(_is_among(_AXES[axis](cell), axis, values) for axis, values in self.wanted)


def read_cell_filter(pairs: Sequence[str]) -> CellFilter:
    r"""Return a choice written AXIS=VALUE or AXIS=VALUE,VALUE; values of an axis that is given again are added.

    Raises
    ------
    RequestError : not of that form, no such axis, no size of memory, or no number of connections

    >>> read_cell_filter([r"target=small\, no binlog,mysql:9.7"]).wanted
    (('target', ('small, no binlog', 'mysql:9.7')),)
    >>> read_cell_filter(["memory=140GB", "connections=56", "connections=8,16"]).wanted
    (('memory', (150323855360,)), ('connections', (56, 8, 16)))
    """
    wanted: dict[str, tuple[AxisValue, ...]] = {}
    for pair in pairs:
        axis, values = _parse_pair(pair)
        wanted[axis] = tuple(dict.fromkeys((*wanted.get(axis, ()), *values)))
    return CellFilter(tuple(wanted.items()))


def words_of_cell(study: Study, cell: Cell) -> list[str]:
    """Return AXIS=VALUE of each axis of which the study has several values: they select this cell."""
    counts = (study.targets, study.tiers_bytes, study.concurrencies, study.workloads, study.routes)
    return [
        f"{name}={_text(name, value(cell))}"
        for (name, value), values in zip(_AXES.items(), counts, strict=True)
        if len(values) > 1
    ]


def study_of_cells(study: Study, chosen: CellFilter) -> Study:
    """Return the study with the chosen cells alone, under another name: its results are not those of the whole.

    Servers, rows, lengths and repeats are those of the whole study. Where concurrencies share a server (`restore`), a
    chosen one is run without those before it.

    Raises
    ------
    RequestError : the study has no such value
    """
    if not chosen.wanted:
        return study
    wanted = dict(chosen.wanted)
    targets = {target.name: target for target in study.targets}
    workloads = {choice.label: choice for choice in study.workloads}
    target_names = _chosen(study, "target", tuple(targets), wanted)
    chosen_study = replace(
        study,
        name=_name(study.name, chosen),
        question=study.question if len(target_names) == len(targets) else default_question(target_names),
        targets=tuple(targets[name] for name in target_names),
        workloads=tuple(workloads[label] for label in _chosen(study, "workload", tuple(workloads), wanted)),
        tiers_bytes=_chosen(study, "memory", study.tiers_bytes, wanted),
        concurrencies=_chosen(study, "connections", study.concurrencies, wanted),
        routes=_chosen(study, "route", study.routes, wanted),
        limits=study.server_limits,
        sentinel=study.sentinel if study.sentinel in target_names else "",
    )
    return chosen_study.without_unused()


def _chosen(
    study: Study, axis: str, values: Sequence[ValueT], wanted: Mapping[str, tuple[AxisValue, ...]]
) -> tuple[ValueT, ...]:
    """Return the values of an axis that are wanted, in the study's order."""
    if axis not in wanted:
        return tuple(values)
    for each in wanted[axis]:
        if not any(_is_among(value, axis, (each,)) for value in values):
            texts = [_text(axis, value) for value in values]
            what = f"{study.name} has no cell with {axis}={_text(axis, each)}"
            raise RequestError(
                what, f"its values: {', '.join(texts)}", nearest(_text(axis, each), texts, "use one of them")
            )
    return tuple(value for value in values if _is_among(value, axis, wanted[axis]))


def _is_among(value: AxisValue, axis: str, wanted: Sequence[AxisValue]) -> bool:
    """Return whether a value is wanted; workloads may be named without their family."""
    return value in wanted or (axis == "workload" and str(value).partition("/")[2] in wanted)


def _name(study_name: str, chosen: CellFilter) -> str:
    texts = [_text(axis, value) for axis, values in chosen.wanted for value in values]
    words = "-".join(_UNSAFE_RE.sub("-", text).strip("-") for text in texts)
    return f"{study_name}-{words if len(words) <= _LONGEST_NAME else hashlib.sha256(words.encode()).hexdigest()[:8]}"


def _parse_pair(pair: str) -> tuple[str, list[AxisValue]]:
    written, separator, text = pair.partition("=")
    axis = _ALIASES.get(written, written)
    texts = [value.replace("\\,", ",").strip() for value in _SEPARATOR_RE.split(text)]
    if axis not in _AXES or not separator or not all(texts):
        hint = _EXAMPLE if axis in _AXES else nearest(axis, _AXES, _EXAMPLE)
        raise RequestError(f"'{pair}' selects nothing", f"axes: {', '.join(_AXES)}", hint)
    return axis, [_parse_value(axis, value) for value in texts]


def _parse_value(axis: str, text: str) -> AxisValue:
    if axis == "memory":
        try:
            return parse_bytes(text)
        except StudyError as error:
            raise RequestError(f"'{text}' is not a memory size", "", _EXAMPLE) from error
    if axis == "connections":
        if not (text.isascii() and text.isdigit()):
            raise RequestError(f"'{text}' is not a number of connections", "", "write for example connections=56")
        return int(text)
    return text


def _text(axis: str, value: AxisValue) -> str:
    """Return a value as `read_cell_filter` reads it."""
    return memory_text(int(value)) if axis == "memory" else str(value).replace(",", "\\,")


_AXES: dict[str, Callable[[Cell], AxisValue]] = {
    "target": lambda cell: cell.target,
    "memory": lambda cell: cell.tier_bytes,
    "connections": lambda cell: cell.concurrency,
    "workload": lambda cell: cell.workload,
    "route": lambda cell: cell.route,
}
"""Axis of a study -> its value of a cell."""
_ALIASES = {"tier": "memory", "concurrency": "connections", "threads": "connections", "engine": "target"}
"""As study files, sysbench and people say -> axis."""
