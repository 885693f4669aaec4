"""HTML made of elements. Text is escaped unless it is `Html`, so what comes from a file stays text."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dbdyno.report._pack import packed_text

MOST_ROWS = 500
"""Of a table that stands in the page as it is."""
_VOID = frozenset({"br", "hr", "img", "input", "meta", "path", "line", "circle", "rect"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | int | bool | None) -> Html:
    """An element. ``class_`` stands for class, ``data_run`` for data-run; None and False leave an attribute out.

    >>> element("p", "1 < 2 ", element("b", "&"), class_="x")
    '<p class="x">1 &lt; 2 <b>&amp;</b></p>'
    """
    shown = {key: value for key, value in attributes.items() if value is not None and value is not False}
    words = "".join(
        f" {_name(key)}" + ("" if value is True else f'="{_attribute(value)}"') for key, value in shown.items()
    )
    if name in _VOID:
        return Html(f"<{name}{words}/>")
    return Html(f"<{name}{words}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Children one after the other.

    >>> joined(["<", Html("<b>")])
    '&lt;<b>'
    """
    return Html("".join([_text(child) for child in children]))


def _text(child: str) -> str:
    """A child as it stands in an element."""
    return child if isinstance(child, Html) else html.escape(child, quote=False)


def script_json(value: object) -> str:
    r"""JSON that can stand inside a script element: no end tag, comment or line separator can be in it.

    >>> script_json("</script><!--\u2028")
    '"\\u003c/script\\u003e\\u003c!--\\u2028"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def shortened(text: str, most: int = 60) -> Html:
    """Long names shortened in the middle, whole on hover.

    >>> shortened("abcdefghij", 5)
    '<span title="abcdefghij">ab…ij</span>'
    """
    if len(text) <= most:
        return joined([text])
    half = (most - 1) // 2
    return element("span", f"{text[:half]}…{text[-half:]}", title=text[:2000])


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; numbers stand right, names are not broken.

    Parameters
    ----------
    facets : tokens of what the whole column is about, as `dbdyno.report._facets` has them
    """

    title: str
    is_number: bool = False
    is_name: bool = False
    facets: str = ""

    @property
    def style(self) -> str | None:
        """Class of its cells."""
        return "n" if self.is_number else "name" if self.is_name else None


def table(
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[str]],
    *,
    marked: Sequence[bool] = (),
    facets: Sequence[str] = (),
) -> Html:
    """A table that can be saved as CSV under its name.

    Its body is packed where it has very many rows, and unpacked by the page when it is opened.

    Parameters
    ----------
    facets : of each row the tokens of what it is about
    """
    head = element("tr", *(element("th", c.title, scope="col", class_=c.style) for c in columns))
    tags = [f'<td class="{c.style}">' if c.style else "<td>" for c in columns]
    body = []
    for index, row in enumerate(rows):
        cells = [Html(f"{tag}{_text(cell)}</td>") for cell, tag in zip(row, tags, strict=True)]
        about = facets[index] if index < len(facets) else None
        is_marked = index < len(marked) and marked[index]
        body.append(element("tr", *cells, class_="marked" if is_marked else None, data_f=about or None))
    about_columns = " ".join(column.facets.replace(" ", "+") or "-" for column in columns)
    inner = element(
        "table",
        element("caption", caption),
        element("thead", head),
        _body(body),
        data_csv=name,
        data_cols=about_columns if about_columns.strip("- ") else None,
    )
    return element("div", inner, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _body(rows: Sequence[Html]) -> Html:
    if len(rows) <= MOST_ROWS:
        return element("tbody", *rows)
    return element("tbody", data_packed=packed_text(joined(rows)), data_rows=len(rows))


def folded(summary: str, *children: str, is_open: bool = False, **attributes: str) -> Html:
    """Something shown on demand, and always in print."""
    return element("details", element("summary", summary), *children, open=is_open, **attributes)


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-") if key not in ("viewBox", "preserveAspectRatio") else key


def _attribute(value: str | int | bool) -> str:
    return html.escape(str(value), quote=True)
