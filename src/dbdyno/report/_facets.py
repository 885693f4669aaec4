"""Defines what the page can be filtered by: each value of an axis is a token that marks what it concerns.

An element of the page carries the tokens of all it is about (``t0 m1 w0``): of target, memory, workload, connections
and route, each with its number in the study. It is shown while none of its tokens is switched off. Rows of charts say
the same by their fields, which are called as the axes are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import Cell, RunRecord, format_memory, target_title
from dbdyno.study import Study

_KEY_CHARS = 40
_LETTERS = {"target": "t", "memory": "m", "workload": "w", "connections": "c", "route": "r"}


@dataclass(frozen=True, slots=True)
class Facet:
    """Describes one axis.

    Parameters
    ----------
    name : as rows of charts call it
    values : as rows of charts hold them
    keys : as addresses name them: short, safe, no two the same
    groups : of each value what can be chosen at once, such as the family of an engine; empty without
    """

    name: str
    values: tuple[str | int, ...]
    keys: tuple[str, ...]
    groups: tuple[str, ...] = ()

    @property
    def letter(self) -> str:
        """Return what its tokens begin with."""
        return _LETTERS[self.name]

    def token(self, value: str | int) -> str:
        """Return the mark of a value; empty where the study does not know it.

        >>> Facet("memory", ("64 MiB", "2 GiB"), ("64-MiB", "2-GiB")).token("2 GiB")
        'm1'
        """
        return f"{self.letter}{self.values.index(value)}" if value in self.values else ""


@dataclass(frozen=True, slots=True)
class Facets:
    """Describes the axes of a study."""

    target: Facet
    memory: Facet
    workload: Facet
    connections: Facet
    route: Facet

    def of_cell(self, cell: Cell) -> str:
        """Return the tokens of a cell."""
        return self.of(cell.workload, cell.route, cell.tier_bytes, cell.concurrency, targets=[cell.target])

    def of(
        self,
        workload: str | None = None,
        route: str | None = None,
        tier_bytes: int | None = None,
        concurrency: int | None = None,
        *,
        targets: Iterable[str] = (),
    ) -> str:
        """Return the tokens of a place, and of all the targets that stand there."""
        tokens = [self.target.token(target) for target in targets]
        tokens.append("" if workload is None else self.workload.token(workload))
        tokens.append("" if route is None else self.route.token(route))
        tokens.append("" if tier_bytes is None else self.memory.token(format_memory(tier_bytes)))
        tokens.append("" if concurrency is None else self.connections.token(concurrency))
        return " ".join(token for token in tokens if token)

    def listed(self) -> list[dict[str, Any]]:
        """Return the axes for the page's script."""
        return [
            {
                "name": f.name,
                "letter": f.letter,
                "values": f.values,
                "titles": [target_title(str(value)) for value in f.values] if f is self.target else f.values,
                "keys": f.keys,
                "groups": f.groups,
            }
            for f in (self.target, self.workload, self.memory, self.connections, self.route)
        ]


def facets_of(study: Study, records: Sequence[RunRecord]) -> Facets:
    """Return axes in the order of the study; what only stored runs know comes after it."""
    cells = [record.run.cell for record in records]
    targets = _distinct_values([target.name for target in study.targets], (cell.target for cell in cells))
    families = {target.name: target.engine.family for target in study.targets}
    tiers = _distinct_values(study.tiers_bytes, (cell.tier_bytes for cell in cells))
    workloads = _distinct_values([choice.label for choice in study.workloads], (cell.workload for cell in cells))
    return Facets(
        _facet("target", targets, [families.get(target, "other") for target in targets]),
        _facet("memory", _distinct_values([format_memory(tier) for tier in tiers], ())),
        _facet("workload", workloads),
        _facet("connections", _distinct_values(study.concurrencies, (cell.concurrency for cell in cells))),
        _facet("route", _distinct_values(study.routes, (cell.route for cell in cells))),
    )


def _distinct_values(named: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys([*named, *others]))


def _facet(name: str, values: Sequence[str | int], groups: Sequence[str] = ()) -> Facet:
    return Facet(name, tuple(values), tuple(_short_keys(values)), tuple(groups))


def _short_keys(values: Sequence[str | int]) -> list[str]:
    """Return short names for addresses.

    >>> _short_keys(["mysql:9.7", "a b", "a<b"])
    ['mysql:9.7', 'a-b', 'a-b.2']
    """
    keys: list[str] = []
    for value in values:
        short_name = re.sub(r"[^A-Za-z0-9.:_-]+", "-", str(value))[:_KEY_CHARS].strip("-") or "value"
        numbered = (f"{short_name}.{number}" for number in itertools.count(2))
        keys.append(next(key for key in itertools.chain([short_name], numbered) if key not in keys))
    return keys
