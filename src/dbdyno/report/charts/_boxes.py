"""Draws box plots of the seconds of judged windows: a panel per memory budget, a row per target."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse import BoxPlot
from dbdyno.core import counted, format_memory, target_title
from dbdyno.report._format import figure, significant
from dbdyno.report._palette import Palette
from dbdyno.report._relative_throughput import AT_BEST, best_groups
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._style import (
    AUTOSIZE,
    Chart,
    Row,
    colour,
    row_facts,
    short_names,
    titled,
)
from dbdyno.report.charts._throughput import panel_title
from dbdyno.report.charts._vega_lite import Definition, Drawing, constant, field_of, layer

_ROW_PX = 24


def box_charts(analysis: StudyAnalysis, palette: Palette, boxes: Sequence[BoxPlot]) -> list[Chart]:
    """Return a panel for each workload, route and tier that has boxes."""
    best_cells = {group.cell for group in best_groups(analysis.judgements)}
    names = short_names(palette.targets, 26)
    charts = []
    for index, panel in enumerate(analysis.panels):
        panel_boxes = [box for box in boxes if box.group.place[:3] == panel]
        rows = [_box_row(box, AT_BEST, names) for box in panel_boxes if box.group.cell in best_cells]
        rows += [_box_row(box, box.group.cell.concurrency, names) for box in panel_boxes]
        if rows:
            drawing = _drawing(rows, palette, list(names.values()))
            title = panel_title(analysis, *panel)
            charts.append(
                Chart(f"window-{index + 1}", title, _description(rows, panel[2]), drawing, panel, row_facts(_ROW_PX))
            )
    return charts


def _box_row(box: BoxPlot, at_concurrency: int, names: dict[str, str]) -> Row:
    cell = box.group.cell
    values = {"min": box.minimum, "low": box.low, "lower": box.lower, "median": box.median}
    values |= {"upper": box.upper, "high": box.high, "max": box.maximum}
    return {
        "target": cell.target,
        "name": names[cell.target],
        "at": at_concurrency,
        "connections": cell.concurrency,
        "seconds": box.seconds,
        **{name: significant(value) for name, value in values.items()},
    }


def _drawing(rows: Sequence[Row], palette: Palette, names: Sequence[str]) -> Drawing:
    x_scale = dict(zero=True, nice=True)
    x_axis = dict(title="TPS of each second", format=",.12~g", tickCount=5, labelFontSize=12, titleFontSize=12)
    y_axis = dict(title=None, ticks=False, domain=False, labelLimit=200, labelPadding=8, labelFontSize=12, grid=True)
    base = titled(rows, palette).encode(
        y=field_of("name:N", sort=list(names), axis=y_axis), color=colour(palette), tooltip=_tooltip()
    )
    x = field_of("low:Q", scale=x_scale, axis=x_axis)
    whisker = base.mark_rule(strokeWidth=1.6).encode(x=x, x2=field_of("high"))
    box = base.mark_bar(height=12, fillOpacity=0.45, strokeWidth=1).encode(
        x=field_of("lower:Q", scale=x_scale), x2=field_of("upper"), stroke=colour(palette)
    )
    median = base.mark_tick(thickness=2.4, size=14, color="var(--ink)").encode(
        x=field_of("median:Q", scale=x_scale), color=constant("var(--ink)")
    )
    end_points = [
        base.mark_point(size=9, filled=True, opacity=0.8).encode(x=field_of(f"{end}:Q", scale=x_scale))
        for end in ("min", "max")
    ]
    return layer(
        whisker, box, median, *end_points, height=_ROW_PX * len({row["name"] for row in rows}), autosize=AUTOSIZE
    )


def _tooltip() -> list[Definition]:
    fields = {"connections": "connections", "median": "median", "lower": "25 %", "upper": "75 %", "low": "5 %"}
    fields |= {"high": "95 %", "min": "slowest", "max": "fastest", "seconds": "seconds"}
    return [field_of("title:N", title="target"), *(field_of(f"{f}:Q", title=t) for f, t in fields.items())]


def _description(rows: Sequence[Row], tier_bytes: int) -> str:
    words = [
        f"{target_title(row['target'])} at {counted(row['connections'], 'connection')}: "
        f"median {figure(row['median'])}, middle half {figure(row['lower'])} to {figure(row['upper'])}"
        for row in rows
        if row["at"] == AT_BEST
    ]
    return f"Throughput of each second of the window, {format_memory(tier_bytes)}. " + "; ".join(words) + "."
