"""Draws stills of a page's charts, which a reader sees until, or without, the page's script.

A page of many cells has a hundred charts, and a browser takes a fifth of a second for each; who scrolls from the first
second on would see blank places for seconds. A still costs a twentieth of a second here and nothing there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from xml.etree import ElementTree

from dbdyno.core import HostError
from dbdyno.report._converter import ChartConverter
from dbdyno.report._html import Html, element, packed_text
from dbdyno.report.charts import at_best, config

Canvas: TypeAlias = Callable[[Html, str | None], Html]
_MARK_RE = re.compile(r"<!--still (\d+)-->")
WIDTH_PX = 557
"""Width of a chart on a wide page; elsewhere a still is scaled."""
MOST_INLINE_CHARS = 500_000
"""Characters of stills that stand in the page unpacked; further ones are packed.

A packed one helps who scrolls past it before it is drawn. Nobody scrolls past a chart in a closed fold, so it has none.
"""
_TYPICAL_BYTES = 10_000
"""Of a drawing, as 84 charts of a study of 1,000 cells have it."""
_TAGS = frozenset({"svg", "g", "path", "line", "text", "rect", "defs", "clipPath"})
_ATTRIBUTES = frozenset(
    {"viewBox", "transform", "d", "x", "y", "x2", "y2", "width", "height", "id", "clip-path", "fill", "fill-opacity"}
    | {"stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-miterlimit", "opacity"}
    | {"stroke-linecap", "stroke-linejoin"}
    | {"text-anchor", "font-family", "font-size", "font-weight"}
)
"""Attributes that decide how a drawing looks. All else is left out: labels, which the figure has, and what
a later Vega may add."""


class StillDrawings:
    """Draws in another process while the page is put together; without that process the page is whole, without stills.

    A chart's place holds a mark until `filled` puts the drawing there.
    """

    def __init__(self, converter: ChartConverter | None) -> None:
        self._converter = converter
        self._inline_chars = 0
        self._begun_chars = 0
        self._begun: list[tuple[str, Callable[[], str], Canvas]] = []
        self._drawings: dict[str, Callable[[], str]] = {}
        if converter is not None:
            converter.warm_up()

    def place(self, name: str, spec: Mapping[str, Any], canvas: Canvas, *, is_folded: bool = False) -> Html:
        """Return the canvas of a chart, to be filled.

        Parameters
        ----------
        name : of the chart; ids in the drawing begin with it
        canvas : makes the element from the plain drawing, and from the packed one: one of the two, or neither
        is_folded : whether the chart is in a closed fold
        """
        if self._converter is None:
            return canvas(Html(""), None)
        still_config = {**config(), "aria": False}  # labels take an eighth of the time, and `still_markup` drops them
        spec_json = json.dumps({**at_best(dict(spec)), "width": WIDTH_PX, "config": still_config})
        if is_folded and self._begun_chars + len(spec_json) > MOST_INLINE_CHARS:  # a drawing takes about that long
            return canvas(Html(""), None)
        self._begun_chars += len(spec_json)
        if spec_json not in self._drawings:  # the answer's chart stands in its section, too
            self._drawings[spec_json] = self._converter.begin_svg(spec_json)
        self._begun.append((name, self._drawings[spec_json], canvas))
        return Html(f"<!--still {len(self._begun) - 1}-->")

    @property
    def expected_bytes(self) -> int:
        """Return what the drawings will add to the page, about."""
        return _TYPICAL_BYTES * len(self._begun)

    def filled(self, page: Html) -> Html:
        """Return the page with all canvases in their places."""
        return Html(_MARK_RE.sub(lambda mark: self._canvas_with_still(*self._begun[int(mark[1])]), page))

    def _canvas_with_still(self, name: str, drawing: Callable[[], str], canvas: Canvas) -> Html:
        if self._converter is None:
            return canvas(Html(""), None)
        try:
            still = still_markup(drawing(), name)
        except HostError:
            self._converter = None
            return canvas(Html(""), None)
        if self._inline_chars + len(still) > MOST_INLINE_CHARS:
            return canvas(Html(""), packed_text(still))
        self._inline_chars += len(still)
        return canvas(still, None)


def still_markup(svg: str, name: str) -> Html:
    """Return a drawing of Vega's as our own markup: known elements and attributes, ids that no other chart has.

    >>> still_markup('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><a/><text role="y">&lt;</text></svg>', "c")
    '<svg class="still" aria-hidden="true"><text>&lt;</text></svg>'
    """
    root = ElementTree.fromstring(svg)
    root.attrib.pop("width", None)
    root.attrib.pop("height", None)
    return _node_markup(root, name, class_="still", aria_hidden="true")


def _node_markup(node: ElementTree.Element, name: str, **attributes: str) -> Html:
    tag = node.tag.rpartition("}")[2]
    if tag not in _TAGS or node.get("display") == "none":
        return Html("")
    children = [_node_markup(child, name) for child in node]
    if (tag == "g" and not any(children)) or (tag == "path" and _is_unseen(node)):
        return Html("")
    svg_attributes = {key: value for key, value in node.attrib.items() if key in _ATTRIBUTES}
    if "id" in svg_attributes:
        svg_attributes["id"] = f"{name}-{svg_attributes['id']}"
    if "clip-path" in svg_attributes:
        svg_attributes["clip-path"] = svg_attributes["clip-path"].replace("url(#", f"url(#{name}-")
    if svg_attributes.get("opacity") == "1":
        del svg_attributes["opacity"]
    return element(tag, node.text or "", *children, **attributes, **svg_attributes)


def _is_unseen(path: ElementTree.Element) -> bool:
    """Return whether a path has no points, or is a plot's ground without a colour."""
    is_ground = path.get("class") == "background"
    return not path.get("d") or (is_ground and not path.attrib.keys() & {"fill", "stroke"})
