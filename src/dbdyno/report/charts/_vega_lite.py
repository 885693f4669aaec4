"""Puts Vega-Lite definitions together from plain values: layers, their marks, encodings and transforms.

What a chart is made of stays what is given to it: nothing is copied, looked up or checked here. Tests hold every chart
against Vega-Lite's schema.

>>> points = drawing_of([{"at": 1, "tps": 2.0}]).encode(x=field_of("at:Q"))
>>> drawing = layer(points.mark_point(size=9), height=90)
>>> drawing.definition()["layer"]
[{'encoding': {'x': {'field': 'at', 'type': 'quantitative'}}, 'mark': {'type': 'point', 'size': 9}}]
>>> drawing.definition()["datasets"]
{'data-1': [{'at': 1, 'tps': 2.0}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Definition = dict[str, Any]
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_BELOW = ("layer", "vconcat")


class _Rows(list[dict[str, Any]]):
    """Rows of a chart. A definition names them, and holds each of them once."""


def field_of(name: str, **properties: Any) -> Definition:  # noqa: ANN401 - whatever Vega-Lite knows of a channel
    """Return a channel with the values of a field.

    >>> field_of("tps:Q", title="TPS"), field_of("high")
    ({'field': 'tps', 'type': 'quantitative', 'title': 'TPS'}, {'field': 'high'})
    """
    name, _, letter = name.partition(":")
    return {"field": name, **({"type": _TYPES[letter]} if letter else {}), **properties}


def constant(constant: float | str | Sequence[float], **properties: Any) -> Definition:  # noqa: ANN401 - as above
    """Return a channel with a constant value."""
    return {"value": constant, **properties}


@dataclass(frozen=True, slots=True)
class Drawing:
    """Describes a layer, or layers over or below each other. Each method returns another drawing."""

    parts: Mapping[str, Any]

    def definition(self) -> Definition:
        """Return all of it as Vega-Lite has it, with the rows as named data sets."""
        datasets: dict[str, _Rows] = {}
        named = _with_names(self.parts, datasets)
        return {**named, "datasets": datasets} if datasets else named

    def properties(self, **properties: Any) -> Drawing:  # noqa: ANN401 - whatever Vega-Lite knows of a chart
        """Set height, width, title and the like."""
        return Drawing({**self.parts, **properties})

    def encode(self, **channels: Definition | list[Definition]) -> Drawing:
        """Add channels, or put others in their place."""
        return self.properties(encoding={**self.parts.get("encoding", {}), **channels})

    def mark_area(self, **properties: Any) -> Drawing:  # noqa: ANN401 - whatever Vega-Lite knows of a mark
        """Draw an area."""
        return self._marked("area", properties)

    def mark_bar(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw bars."""
        return self._marked("bar", properties)

    def mark_line(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw a line."""
        return self._marked("line", properties)

    def mark_point(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw points."""
        return self._marked("point", properties)

    def mark_rect(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw rectangles."""
        return self._marked("rect", properties)

    def mark_rule(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw rules."""
        return self._marked("rule", properties)

    def mark_text(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw texts."""
        return self._marked("text", properties)

    def mark_tick(self, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
        """Draw ticks."""
        return self._marked("tick", properties)

    def transform_filter(self, expression: str) -> Drawing:
        """Leave out rows of which an expression does not hold."""
        return self._transformed([{"filter": expression}])

    def transform_calculate(self, **expressions: str) -> Drawing:
        """Add a field for each expression."""
        return self._transformed([{"calculate": text, "as": name} for name, text in expressions.items()])

    def transform_aggregate(self, groupby: Sequence[str], **operations: str) -> Drawing:
        """Leave a row for each group, with fields such as ``together="min(together)"``."""
        return self._transformed([{"aggregate": _operations(operations), "groupby": list(groupby)}])

    def transform_joinaggregate(self, groupby: Sequence[str] = (), **operations: str) -> Drawing:
        """Add fields of its group to each row, such as ``last="max(second)"``."""
        grouped = {"groupby": list(groupby)} if groupby else {}
        return self._transformed([{"joinaggregate": _operations(operations), **grouped}])

    def transform_window(
        self, sort: Sequence[Definition], frame: Sequence[int | None] | None = None, **operations: str
    ) -> Drawing:
        """Add fields of the rows before each row, such as ``place="row_number()"``."""
        framed = {} if frame is None else {"frame": list(frame)}
        return self._transformed([{"window": _operations(operations), "sort": list(sort), **framed}])

    def _marked(self, kind: str, properties: Definition) -> Drawing:
        return self.properties(mark={"type": kind, **properties})

    def _transformed(self, transforms: list[Definition]) -> Drawing:
        return self.properties(transform=[*self.parts.get("transform", ()), *transforms])


def drawing_of(rows: Iterable[Mapping[str, Any]]) -> Drawing:
    """Return a layer of rows, without a mark."""
    return Drawing({"data": _Rows(dict(row) for row in rows)})


def drawing_of_named(rows_name: str) -> Drawing:
    """Return a layer of rows that are put in later, under that name."""
    return Drawing({"data": {"name": rows_name}})


def layer(*layers: Drawing, **properties: Any) -> Drawing:  # noqa: ANN401 - whatever Vega-Lite knows of a chart
    """Return layers over each other. Rows that all of them have are those of the whole."""
    rows = layers[0].parts.get("data")
    if rows is None or any(one.parts.get("data") is not rows for one in layers):
        return Drawing({"layer": [one.parts for one in layers], **properties})
    without_rows = [{name: part for name, part in one.parts.items() if name != "data"} for one in layers]
    return Drawing({"data": rows, "layer": without_rows, **properties})


def below_each_other(*drawings: Drawing, **properties: Any) -> Drawing:  # noqa: ANN401 - as above
    """Return drawings one below the other."""
    return Drawing({"vconcat": [drawing.parts for drawing in drawings], **properties})


def _operations(operations: Mapping[str, str]) -> list[Definition]:
    """Return operations as Vega-Lite has them.

    >>> _operations({"last": "max(second)", "labels": "count()"})
    [{'op': 'max', 'field': 'second', 'as': 'last'}, {'op': 'count', 'as': 'labels'}]
    """
    split = {name: re.fullmatch(r"(\w+)\((\w*)\)", text) for name, text in operations.items()}
    return [
        {"op": match[1], **({"field": match[2]} if match[2] else {}), "as": name}
        for name, match in split.items()
        if match is not None
    ]


def _with_names(parts: Mapping[str, Any], datasets: dict[str, _Rows]) -> Definition:
    """Return a definition with the names of its rows, which are added to the data sets."""
    named = dict(parts)
    if isinstance(rows := named.get("data"), _Rows):
        named["data"] = {"name": _name_of(rows, datasets)}
    for name in _BELOW:
        if name in named:
            named[name] = [_with_names(part, datasets) for part in named[name]]
    return named


def _name_of(rows: _Rows, datasets: dict[str, _Rows]) -> str:
    name = next((name for name, others in datasets.items() if others == rows), f"data-{len(datasets) + 1}")
    datasets[name] = rows
    return name
