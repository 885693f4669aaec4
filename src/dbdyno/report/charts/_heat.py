"""Draws a heat map of target by memory: throughput over the best target's as colour, number and place.

Colour runs in six steps of one hue, so that it reads without telling hues apart; the number stands in every field, and
a field that may hold the first place has a frame.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dbdyno.analyse import cell_level_words, listed, ratio_words
from dbdyno.core import format_memory, target_title
from dbdyno.report._format import rank_words
from dbdyno.report._palette import Palette
from dbdyno.report._relative_throughput import AT_BEST, RelativeThroughput, relative_throughputs
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row, row_facts, short_names, titled
from dbdyno.report.charts._vega_lite import Definition, Drawing, constant, field_of, layer

STEPS = (0.25, 0.5, 0.7, 0.85, 0.95)
_ROW_PX = 38
_PAPER_ROW_PX = 31
_FIELD_PX = 62
"""What the longest words in a field take, "not settled" and "place 10-12"."""
_MOST_NAMED = 3
_IS_KNOWN = "datum.is_known"
_PLACE_WORDS = "datum.place === 'not settled' ? datum.place : 'place ' + datum.place"


def heat_charts(
    analysis: StudyAnalysis,
    palette: Palette,
    throughputs: Sequence[RelativeThroughput] | None = None,
    *,
    is_paper: bool = False,
) -> list[Chart]:
    """Return a map for each workload and route in which targets stand next to each other.

    Parameters
    ----------
    throughputs : where they stand; worked out when it is not given
    is_paper : whether the map shares a sheet with the answer and its limitations
    """
    row_px = _PAPER_ROW_PX if is_paper else _ROW_PX
    throughputs = relative_throughputs(analysis) if throughputs is None else throughputs
    charts = []
    labels = [choice.label for choice in analysis.study.workloads]
    for index, (workload, route) in enumerate(itertools.product(labels, analysis.study.routes)):
        place_throughputs = [s for s in throughputs if (s.cell.workload, s.cell.route) == (workload, route)]
        if place_throughputs:
            names = short_names(palette.targets, 26)
            rows = [_heat_row(throughput, names) for throughput in place_throughputs]
            title, description = _title(analysis, workload, route), _description(rows)
            drawing = _drawing(rows, analysis, palette, list(names.values()), row_px)
            facts = {**row_facts(row_px), "field_px": _FIELD_PX}
            name, panel = f"map-{index + 1}", (workload, route)
            charts.append(Chart(name, title, description, drawing, panel, facts, lead=_lead(rows)))
    return charts


def _title(analysis: StudyAnalysis, workload: str, route: str) -> str:
    panel_names = [
        workload if len(analysis.study.workloads) > 1 else "",
        route if len(analysis.study.routes) > 1 else "",
    ]
    panel_words = ", ".join(part for part in panel_names if part)
    return f"Throughput relative to the best target{', ' if panel_words else ''}{panel_words}"


def _heat_row(throughput: RelativeThroughput, names: dict[str, str]) -> Row:
    cell, group = throughput.cell, throughput.group
    places = None if throughput.first is None or throughput.last is None else (throughput.first, throughput.last)
    interval = "" if throughput.low is None or throughput.high is None else f" ({_interval_words(throughput)})"
    return {
        "target": cell.target,
        "name": names[cell.target],
        "memory": format_memory(cell.tier_bytes),
        "at": throughput.at,
        "connections": cell.concurrency,
        "ratio": round(throughput.ratio, 4),
        "value": throughput.ratio_text(2),
        "is_known": throughput.has_ratio,
        "place": rank_words(places, throughput.of) if places else throughput.why_no_place or "?",
        "first": throughput.may_be_first,
        "shown": f"{throughput.ratio_text(2)}{interval}",
        "tps": cell_level_words(group, "TPS"),
        "trusted": group.decides,
    }


def _lead(rows: Sequence[Row]) -> str:
    """Return which targets may be first with each memory size, and how far the lowest is behind."""
    rows_by_memory: dict[str, list[Row]] = {}
    for row in rows:
        if row["at"] == AT_BEST:
            rows_by_memory.setdefault(row["memory"], []).append(row)
    memory_by_words: dict[str, list[str]] = {}
    for memory, memory_rows in rows_by_memory.items():
        if any(row["first"] for row in memory_rows):
            memory_by_words.setdefault(_first_words(memory_rows), []).append(memory)
    is_one_memory = len(rows_by_memory) == 1
    clauses = [words + ("" if is_one_memory else f" with {listed(m)}") for words, m in memory_by_words.items()]
    best_rows = itertools.chain.from_iterable(rows_by_memory.values())
    known_rows = [row for row in best_rows if row["is_known"] and row["trusted"] and row["ratio"] < 1]
    lowest = min(known_rows, key=lambda row: float(row["ratio"]), default=None)
    where = "" if is_one_memory or lowest is None else f" with {lowest['memory']}"
    end = f" The lowest, {target_title(lowest['target'])}{where}, has {lowest['value']} of the best." if lowest else ""
    are_all_settled = all(row["trusted"] for memory_rows in rows_by_memory.values() for row in memory_rows)
    begin = "" if are_all_settled else "Of those that settled, "
    return f"{begin}{'; '.join(clauses)}.{end}" if clauses else ""


def _first_words(memory_rows: Sequence[Row]) -> str:
    """Return who may be first of targets with the same memory; those without a settled level have no place."""
    names = [target_title(row["target"]) for row in memory_rows if row["first"]]
    if len(names) > _MOST_NAMED:
        return f"{len(names)} of {sum(row['trusted'] for row in memory_rows)} targets may be first"
    return f"{' or '.join(names)} leads"


def _interval_words(throughput: RelativeThroughput) -> str:
    return ratio_words(throughput.ratio, throughput.low or 0.0, throughput.high or 0.0).split(", ", 1)[1]


def _drawing(
    rows: Sequence[Row], analysis: StudyAnalysis, palette: Palette, names: Sequence[str], row_px: int
) -> Drawing:
    memory = [format_memory(tier) for tier in analysis.study.tiers_bytes]
    x_axis = dict(title=None, orient="top", labelAngle=0, ticks=False, domain=False, labelPadding=6)
    y_axis = dict(title=None, ticks=False, domain=False, labelLimit=190, labelPadding=8)
    base = titled(rows, palette).encode(
        x=field_of("memory:N", sort=memory, axis=x_axis, scale=dict(paddingInner=0.04)),
        y=field_of("name:N", sort=list(names), axis=y_axis, scale=dict(paddingInner=0.06)),
        tooltip=_tooltip(),
    )
    fields = base.mark_rect(cornerRadius=3).encode(color=_colour_steps("h", otherwise="var(--paper)"))
    frames = (
        base.transform_filter("datum.first")
        .mark_rect(cornerRadius=3, filled=False, strokeWidth=2.5)
        .encode(stroke=constant("var(--ink)"))
    )
    text_colour = _colour_steps("x", otherwise="var(--ink)")
    text_px = constant(10, condition={"test": _IS_KNOWN, "value": 13})
    numbers = base.mark_text(dy=-5, fontWeight=600).encode(text=field_of("value:N"), color=text_colour, size=text_px)
    places = base.transform_calculate(words=_PLACE_WORDS).mark_text(dy=9, fontSize=10)
    layers = layer(fields, frames, numbers, places.encode(text=field_of("words:N"), color=text_colour))
    drawing: Drawing = layers.properties(resolve={"scale": {"color": "independent"}}).properties(
        height=row_px * len({row["name"] for row in rows}), autosize=AUTOSIZE
    )
    return drawing


def _colour_steps(letter: str, *, otherwise: str) -> Definition:
    """Return a colour for each step of the ratio, and another where it is not known."""
    colours = [f"var(--{letter}{index})" for index in range(len(STEPS) + 1)]
    steps = field_of("ratio:Q", scale=dict(type="threshold", domain=list(STEPS), range=colours), legend=None)
    condition = {"test": _IS_KNOWN, **steps}
    return constant(otherwise, condition=condition)


def _tooltip() -> list[Definition]:
    fields = {"title": "target", "memory": "memory", "connections": "connections", "shown": "over the best"}
    fields |= {"tps": "mean, 95 %", "place": "may hold place"}
    return [field_of(f"{field}:N", title=title) for field, title in fields.items()]


def _description(rows: Sequence[Row]) -> str:
    best_rows = [row for row in rows if row["at"] == AT_BEST]
    words = [
        f"{target_title(row['target'])} with {row['memory']} {row['shown']}, place {row['place']}" for row in best_rows
    ]
    return "Throughput relative to the best target, each at its best connections. " + "; ".join(words) + "."
