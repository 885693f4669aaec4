"""Renders blocks as HTML.

Text is escaped unless it is `Html`, so what comes from a file stays text.
"""

from __future__ import annotations

import base64
import html
import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from dbdyno.core import Caveat
from dbdyno.report._blocks import Block, Box, Fold, Heading, ListOf, Paragraph, Section, Table, Terms, Words

if TYPE_CHECKING:
    from dbdyno.report.charts import Chart

MOST_ROWS = 500
"""Rows of a table that stands in the page unpacked."""
_VOID = frozenset({"br", "hr", "img", "input", "meta", "path", "line", "circle", "rect"})


class Html(str):
    """Holds text that is markup already."""

    __slots__ = ()


Place: TypeAlias = "Callable[[Chart, bool], Html]"
Worded: TypeAlias = Callable[[str], Html]


def element(name: str, *children: str, **attributes: str | int | bool | None) -> Html:
    """Return an element. ``class_`` stands for class, ``data_run`` for data-run; None and False leave an attribute out.

    >>> element("p", "1 < 2 ", element("b", "&"), class_="x")
    '<p class="x">1 &lt; 2 <b>&amp;</b></p>'
    """
    words = "".join(
        [
            f" {_attribute_name(key)}" + ("" if value is True else f'="{_attribute_text(value)}"')
            for key, value in attributes.items()
            if value is not None and value is not False
        ]
    )
    if name in _VOID:
        return Html(f"<{name}{words}/>")
    return Html(f"<{name}{words}>{join_html(children)}</{name}>")


def join_html(children: Iterable[str]) -> Html:
    """Join children one after the other.

    >>> join_html(["<", Html("<b>")])
    '&lt;<b>'
    """
    return Html("".join([_child_html(child) for child in children]))


def _child_html(child: str) -> str:
    """Return a child as it stands in an element."""
    return child if isinstance(child, Html) else html.escape(child, quote=False)


def script_json(value: object) -> str:
    r"""Return JSON that can stand inside a script element: no end tag, comment or line separator can be in it.

    >>> script_json("</script><!--\u2028")
    '"\\u003c/script\\u003e\\u003c!--\\u2028"'
    """
    return compact_json(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def shortened(text: str, most: int = 60, worded: Worded | None = None) -> Html:
    """Return long names shortened in the middle, whole on hover.

    Parameters
    ----------
    worded : makes the markup of what is shown

    >>> shortened("abcdefghij", 5)
    '<span title="abcdefghij">ab…ij</span>'
    """
    make_html = worded or _escaped
    if len(text) <= most:
        return make_html(text)
    half_length = (most - 1) // 2
    return element("span", make_html(f"{text[:half_length]}…{text[-half_length:]}"), title=text[:2000])


def to_html(blocks: Iterable[Block], place: Place | None = None, worded: Worded | None = None) -> Html:
    """Return blocks as markup.

    Parameters
    ----------
    place : makes the figure of a chart, knowing whether it is in a closed fold
    worded : makes a line's text, in which a page shortens long names and links quirks
    """
    return _Renderer(place or _missing_chart_html, worded or _escaped).blocks(blocks)


@dataclass(frozen=True, slots=True)
class _Renderer:
    place: Place
    worded: Worded
    is_folded: bool = False

    def blocks(self, blocks: Iterable[Block]) -> Html:
        return Html("".join([self._block_html(block) for block in blocks]))

    def _block_html(self, block: Block) -> Html:
        match block:
            case Html():
                return block
            case Heading(text, level):
                return element(f"h{level}", text)
            case Paragraph(words, role):
                return element("p", self._line_html(words), class_=role or None)
            case ListOf(items):
                return element("ul", *(self._item_html(item) for item in items))
            case Terms(meanings, most):
                pairs = [(element("dt", name), element("dd", self._meaning_html(of, most))) for name, of in meanings]
                return element("dl", *itertools.chain(*pairs))
            case Table():
                return _table_html(block)
            case Fold(summary, inner, kind, key, is_open):
                head = element("summary", summary)
                renderer = self if is_open else replace(self, is_folded=True)
                return element("details", head, renderer.blocks(inner), open=is_open, class_=kind, data_key=key)
            case Box(inner, kind, facets):
                return element("div", self.blocks(inner), class_=kind, data_f=facets or None)
            case Section(anchor, title, inner):
                link = element("a", title, href=f"#{anchor}", class_="anchor")
                head = element("h2", link, id=f"{anchor}-title")
                return element("section", head, self.blocks(inner), id=anchor, aria_labelledby=f"{anchor}-title")
        return self.place(block, self.is_folded)

    def _meaning_html(self, meaning: str | Terms, most: int | None) -> Html:
        return self._block_html(meaning) if isinstance(meaning, Terms) else _cell_html(meaning, most)

    def _item_html(self, item: Words) -> Html:
        return element("li", self._line_html(item), data_code=item.code if isinstance(item, Caveat) else None)

    def _line_html(self, words: Words) -> Html:
        if isinstance(words, str | Caveat):
            return self.worded(words if isinstance(words, str) else words.text)
        return join_html(
            self.worded(part)
            if isinstance(part, str)
            else element("b" if part.style == "bold" else "code", self.worded(part.text))
            for part in words
        )


def _escaped(text: str) -> Html:
    return join_html([text])


def _missing_chart_html(chart: Chart, _is_folded: bool) -> Html:
    raise TypeError(f"no page to place the chart {chart.name} on")


def _table_html(table: Table) -> Html:
    """Return a table that can be saved as CSV under its name.

    Its body is packed where it has very many rows, and unpacked by the page when it is opened.
    """
    styles = ["n" if column.is_number else "name" if column.is_name else None for column in table.columns]
    titles = zip(table.columns, styles, strict=True)
    head = element("tr", *(element("th", column.title, scope="col", class_=style) for column, style in titles))
    tags = [f'<td class="{style}">' if style else "<td>" for style in styles]
    limits = [column.most for column in table.columns]
    body = []
    for index, row in enumerate(table.rows):
        cells = [
            Html(f"{tag}{_cell_html(cell, limit)}</td>") for cell, tag, limit in zip(row, tags, limits, strict=True)
        ]
        row_facets = table.facets[index] if index < len(table.facets) else None
        is_marked = index < len(table.marked) and table.marked[index]
        body.append(element("tr", *cells, class_="marked" if is_marked else None, data_f=row_facets or None))
    about_columns = " ".join(column.facets.replace(" ", "+") or "-" for column in table.columns)
    table_element = element(
        "table",
        element("caption", table.caption),
        element("thead", head),
        _body_html(body),
        data_csv=table.name,
        data_cols=about_columns if about_columns.strip("- ") else None,
    )
    return element("div", table_element, class_="scroll", tabindex=0, role="region", aria_label=table.caption)


def _cell_html(cell: str, max_chars: int | None) -> Html:
    return Html(_child_html(cell)) if max_chars is None or isinstance(cell, Html) else shortened(cell, max_chars)


def _body_html(rows: Sequence[Html]) -> Html:
    if len(rows) <= MOST_ROWS:
        return element("tbody", *rows)
    return element("tbody", data_packed=packed_text(join_html(rows)), data_rows=len(rows))


def _attribute_name(key: str) -> str:
    return key.rstrip("_").replace("_", "-") if key not in ("viewBox", "preserveAspectRatio") else key


def _attribute_text(value: str | int | bool) -> str:
    return html.escape(str(value), quote=True)


def packed_text(text: str) -> str:
    """Return text as Base64 of a zlib stream, which browsers know as ``deflate``.

    Level 4 takes two thirds of the time of zlib's usual 6, for 1.6 % more bytes of runs.

    >>> zlib.decompress(base64.b64decode(packed_text("1 < 2")))
    b'1 < 2'
    """
    return base64.b64encode(zlib.compress(text.encode(), 4)).decode()


def packed_json(value: object) -> str:
    """Return a value as packed JSON."""
    return packed_text(compact_json(value))


def compact_json(value: object) -> str:
    """Return JSON without a blank, in ASCII."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
