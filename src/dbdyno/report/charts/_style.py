"""Styles all charts: fonts, quiet axes, one look per target, labels at the ends of lines that don't overlap."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.core import counted, target_title
from dbdyno.report._palette import Palette
from dbdyno.report.charts._vega_lite import Definition, Drawing, drawing_of, field_of, layer

Row = Mapping[str, Any]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
LABEL_PX = 11
AUTOSIZE = dict(type="fit-x", contains="padding")
_LABEL_STEP_PX = 13
_PLOT_PX = 400
_BESIDE_PX, _ALL_BESIDE_PX = 5, 16
"""How far marks of neighbouring targets are apart at a place, and of the first and the last one at most."""
ENDS = "ends"
"""Name of the layer of names at the ends of lines: a narrow page leaves it out and has a key above the plot."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Describes one drawn panel.

    Parameters
    ----------
    name : of files and of the element on the page; letters, digits and hyphens
    title : what the panel is about
    description : what there is to see, for those who can't see it
    drawing : the definition that gives the page, PNG and SVG
    panel : workload, route and memory that all of it is about, as far as there is one
    meta : what the page needs to draw it anew: with fewer rows (`row_facts`), or where it is narrow, with the names
        of so many rows above their bars (``names_above``), or above rows of fields that would else have less than a
        width (``field_px``)
    is_cut : whether an interval goes on beyond the end of its scale
    lead : what stands out in it, as a sentence to stand above it next to the answer; empty where the answer says it
    """

    name: str
    title: str
    description: str
    drawing: Drawing
    panel: tuple[str, str] | tuple[str, str, int] | None = None
    meta: Mapping[str, Any] | None = None
    is_cut: bool = False
    lead: str = ""

    def spec(self) -> dict[str, Any]:
        """Return Vega-Lite, as wide as its place on the page."""
        usermeta = {"usermeta": dict(self.meta)} if self.meta else {}
        return {**self.drawing.definition(), "width": "container", "config": config(), **usermeta}


def config() -> dict[str, Any]:
    """Return Vega-Lite configuration; colours are CSS variables."""
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": "var(--quiet)",
            "titleColor": "var(--quiet)",
            "titleFontWeight": "normal",
            "titleFontSize": 11,
            "labelFontSize": 11,
            "domainColor": "var(--rule)",
            "tickColor": "var(--rule)",
            "gridColor": "var(--rule)",
            "gridOpacity": 0.6,
        },
        "legend": {"labelColor": "var(--ink)", "titleColor": "var(--quiet)", "labelFontSize": 11},
        "title": {"color": "var(--ink)", "anchor": "start", "fontSize": 13, "subtitleColor": "var(--quiet)"},
        "text": {"color": "var(--ink)", "font": FONT},
    }


def colours(palette: Palette) -> Definition:
    """Map targets to colours."""
    return dict(domain=palette.targets, range=palette.colours)


def colour(palette: Palette) -> Definition:
    """Return the target's colour."""
    return field_of("target:N", scale=colours(palette), legend=None)


def shape(palette: Palette) -> Definition:
    """Return the target's symbol."""
    shapes = [look.shape for look in palette.looks]
    return field_of("target:N", scale=dict(domain=palette.targets, range=shapes), legend=None)


def dash(palette: Palette) -> Definition:
    """Return the target's dashes."""
    dashes = [list(look.dash) for look in palette.looks]
    return field_of("target:N", scale=dict(domain=palette.targets, range=dashes), legend=None)


def concurrency_axis(values: Sequence[int], field: str = "concurrency") -> Definition:
    """Return concurrency, or places `beside` it, on a log2 scale, ticks where it was measured."""
    scale = dict(type="log", base=2, domain=_widen_range(values), nice=False)
    axis = dict(values=list(values), format="d", grid=False, title="connections", labelOverlap=True)
    return field_of(f"{field}:Q", scale=scale, axis=axis)


def side_by_side(base: Drawing, concurrencies: Sequence[int], targets: Sequence[str]) -> Drawing:
    """Return rows with a place `beside` their neighbours, a few pixels apart, so that no interval covers another."""
    low, high = _widen_range(concurrencies)
    middle = (len(targets) - 1) / 2
    step_px = min(_BESIDE_PX, _ALL_BESIDE_PX / max(2 * middle, 1))
    step = math.log(high / low) * step_px / _PLOT_PX
    return base.transform_calculate(
        beside=f"datum.concurrency * exp({step:.6f} * (indexof({json.dumps(list(targets))}, datum.target) - {middle}))"
    )


def short_names(targets: Iterable[str], most: int = 22) -> dict[str, str]:
    """Return names of targets as they fit next to a line, no two the same.

    What all names begin with says nothing there and goes first; then the tail, back to the end of a word; where that
    would make two alike, what is in the middle.

    >>> short_names(["mariadb:11.8+rocksdb", "mysql:9.7"])
    {'mariadb:11.8+rocksdb': 'MariaDB 11.8 + MyRocks', 'mysql:9.7': 'MySQL 9.7'}
    >>> list(short_names(["mariadb:10.11 row-compressed", "mariadb:10.11 page-compressed"]).values())
    ['row-compressed', 'page-compressed']
    >>> list(short_names(["mariadb 11.4.10-MariaDB-ubu2404", "percona-server 5.7.44-48"]).values())
    ['MariaDB 11.4.10', 'Percona Server 5.7.44…']
    >>> list(short_names(["x" * 99, "x" * 98]).values())
    ['xxxxxxxxxxxxx…xxxxxxxx', 'xxxxxxxxxx…xxxxxxxx #2']
    """
    names = list(dict.fromkeys(targets))
    titles = [target_title(name) for name in names]
    texts = titles if all(len(title) <= most for title in titles) else _without_common_words(titles)
    heads = [_shorten_at_word(words, most) for words in texts]
    short_by_name: dict[str, str] = {}
    for number, (name, words, head) in enumerate(zip(names, texts, heads, strict=True), 1):
        short_name = head if heads.count(head) == 1 else _shorten_in_middle(words, most)
        short_by_name[name] = (
            short_name
            if short_name not in short_by_name.values()
            else f"{_shorten_in_middle(words, most - 3)} #{number}"
        )
    return short_by_name


def _name_expression(names: Mapping[str, str]) -> str:
    """Return Vega's expression for the name of a row's target."""
    return f"{json.dumps(list(names.values()))}[indexof({json.dumps(list(names))}, datum.target)]"


def _shorten_at_word(words: str, max_chars: int) -> str:
    """Return text without its tail, back to the end of a word if that is not far."""
    if len(words) <= max_chars:
        return words
    head = words[: max_chars - 1]
    word_ends = [match.start() for match in re.finditer(r"[^\w.]", words[:max_chars]) if match.start() > max_chars // 2]
    return f"{head[: word_ends[-1]] if word_ends else head}…"


def _shorten_in_middle(words: str, max_chars: int) -> str:
    return words if len(words) <= max_chars else f"{words[: max_chars - 9]}…{words[-8:]}"


def _without_common_words(names: list[str]) -> list[str]:
    words = [name.split(" ") for name in names]
    heads = zip(*(name_words[:-1] for name_words in words), strict=False)  # the last word stays in any case
    common_count = sum(1 for _ in itertools.takewhile(lambda head: len(set(head)) == 1, heads)) if len(names) > 1 else 0
    return [" ".join(name_words[common_count:]) for name_words in words]


def titled(rows: Sequence[Row], palette: Palette) -> Drawing:
    """Return a layer of rows that have their target's title, as its vendor writes it, for what is shown on hover."""
    return drawing_of(rows).transform_calculate(title=_name_expression({t: target_title(t) for t in palette.targets}))


def together(base: Drawing, groupby: str = "concurrency") -> Drawing:
    """Return what is shown of all targets at a place as one text, so that pointing at any of them reads all of them."""
    lines = "join(pluck(datum.rows, 'line'), '\\n')"
    place = f"format(datum.{groupby}, ',') + (datum.{groupby} == 1 ? ' connection' : ' connections')"
    return (
        base.transform_calculate(line="datum.title + ': ' + datum.shown + (datum.runs ? ' · runs ' + datum.runs : '')")
        .transform_joinaggregate(rows="values(shown)", groupby=[groupby])
        .transform_calculate(together=f"{place} + '\\n' + {lines}")
    )


def columns(base: Drawing, x: Definition, count: int) -> Drawing:
    """Return unseen columns at the measured places that show the text of `together` wherever the pointer is.

    They lie over the lines: a line is one mark, which would show the text of its first place everywhere.
    """
    lines = field_of("together:N")
    grouped = base.transform_aggregate(together="min(together)", groupby=["concurrency"])
    column: Drawing = grouped.mark_rule(opacity=0, strokeWidth=max(_PLOT_PX // count, 6))
    return column.encode(x=x, tooltip=lines)


def summary_words(rows: Sequence[Row]) -> str:
    """Return what a chart of levels shows, for those who can't see it: its axes, and the last place in figures."""
    places = sorted({row["concurrency"] for row in rows})
    last_words = [f"{target_title(row['target'])} {row['shown']}" for row in rows if row["concurrency"] == places[-1]]
    span = f"{places[0]:,} to {places[-1]:,} connections, {len(places)} places" if len(places) > 1 else "one place"
    targets = len({row["target"] for row in rows})
    return (
        f"of {counted(targets, 'target')} at {span}. At {counted(places[-1], 'connection')}: {'; '.join(last_words)}."
    )


def padding(rows: Sequence[Row]) -> dict[str, int]:
    """Return room around a plot; on the right what the measured width of the longest label may be short of."""
    longest_chars = max(map(len, short_names(row["target"] for row in rows).values()), default=0)
    return {"left": 4, "top": 8, "bottom": 4, "right": 4 + longest_chars}


def end_labels(
    rows: Sequence[Row],
    x: Definition,
    field: str,
    y_scale: Definition,
    height: int,
    palette: Palette,
    *,
    along: str = "concurrency",
) -> Drawing:
    """Return names at the plot's right end, a line of text apart, each behind its target's symbol.

    Vega places them itself, so that a page that filters rows needs no second way of doing it. Heights are pixels from
    the bottom. From the lowest up, each moves as little as keeps it above the one before; then all that left the plot
    at the top move back under it.

    Parameters
    ----------
    x : the axis of the lines
    field : height of a line; its last point is where the name would stand if there were room
    y_scale : its ends and its type
    height : of the plot, pixels
    along : field of the axis
    """
    low, high = y_scale["domain"]
    share = f"(datum.{field} - {low}) / {high - low}"
    value = f"{low} + {high - low} * datum.label_px / {height}"
    if y_scale.get("type") == "log":
        share = f"log(max(datum.{field}, {low}) / {low}) / {math.log(high / low)}"
        value = f"{low} * pow({high / low}, datum.label_px / {height})"
    names = short_names(dict.fromkeys(row["target"] for row in rows))
    name = _name_expression(names)
    by_height = [{"field": "wanted_px"}]
    base = (
        titled(rows, palette)
        .transform_joinaggregate(last=f"max({along})", groupby=["target"])
        .transform_filter(f"datum.{along} == datum.last")
        .transform_joinaggregate(right=f"max({along})", labels="count()")
        .transform_calculate(wanted_px=f"{height} * {share}", label=name)
        .transform_window(place="row_number()", sort=by_height)
        .transform_calculate(above_px=f"datum.wanted_px - {_LABEL_STEP_PX} * datum.place")
        .transform_window(lifted_px="max(above_px)", sort=by_height, frame=[None, 0])
        .transform_calculate(
            label_px=f"{_LABEL_STEP_PX} * datum.place"
            f" + min(datum.lifted_px, {height} - {_LABEL_STEP_PX} * datum.labels)"
        )
        .transform_calculate(label_y=value)
        .encode(x=field_of("right:Q", scale=x["scale"], axis=x["axis"]), y=field_of("label_y:Q", scale=y_scale))
    )
    symbols = base.mark_point(size=34, filled=True, opacity=1, xOffset=13, clip=False, tooltip=None)
    texts = base.mark_text(align="left", dx=20, fontSize=LABEL_PX, clip=False).encode(
        text=field_of("label:N"), tooltip=field_of("title:N", title="target")
    )
    return layer(symbols.encode(color=colour(palette), shape=shape(palette)), texts, name=ENDS)


def row_facts(row_px: int) -> dict[str, Any]:
    """Return how high each row is, for charts with a row a target."""
    return {"row_px": row_px}


def at_best(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the definition without rows for chosen connections, of charts that show each target's best by default."""
    datasets = spec.get("datasets", {})
    best_datasets = {name: [row for row in rows if not row.get("at")] for name, rows in datasets.items()}
    return {**spec, "datasets": best_datasets}


def _widen_range(values: Sequence[int]) -> list[float]:
    low, high = min(values), max(values)
    return [low / 1.15, high * 1.15] if low != high else [low / 2, high * 2]
