"""Draws response-time curves: milliseconds against percentile, both on log scales.

From the tenth percentile to the last that enough transactions lie beyond.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno.analyse import ResponseCurve
from dbdyno.core import counted, format_memory, target_title
from dbdyno.report._format import milliseconds, significant
from dbdyno.report._palette import Palette
from dbdyno.report._relative_throughput import AT_BEST, best_groups
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._latency import steps_125
from dbdyno.report.charts._style import (
    AUTOSIZE,
    Chart,
    Row,
    colour,
    dash,
    end_labels,
    padding,
    titled,
)
from dbdyno.report.charts._throughput import panel_title
from dbdyno.report.charts._vega_lite import Drawing, field_of, layer

HEIGHT = 220
_TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999)


def curve_charts(analysis: StudyAnalysis, palette: Palette) -> list[Chart]:
    """Return a panel for each workload, route and tier that has curves; panels of a workload share their scale."""
    best_cells = {group.cell for group in best_groups(analysis.judgements)}
    charts = []
    for index, panel in enumerate(analysis.panels):
        workload_curves = [curve for curve in analysis.curves if curve.cell.workload == panel[0]]
        panel_curves = [c for c in workload_curves if (c.cell.workload, c.cell.route, c.cell.tier_bytes) == panel]
        rows = [row for curve in panel_curves if curve.cell in best_cells for row in _curve_rows(curve, AT_BEST)]
        rows += [row for curve in panel_curves for row in _curve_rows(curve, curve.cell.concurrency)]
        if rows:
            axis_ends = _scale_ends(workload_curves)
            drawing = _drawing(rows, axis_ends, palette)
            title = panel_title(analysis, *panel)
            charts.append(Chart(f"curve-{index + 1}", title, _description(panel_curves, panel[2]), drawing, panel))
    return charts


def nines(quantile: float) -> float:
    """Return where a quantile stands on the axis: one for each nine.

    >>> nines(0.9), nines(0.999)
    (1.0, 3.0)
    """
    return round(-math.log10(1 - quantile), 4)


def _curve_rows(curve: ResponseCurve, at_concurrency: int) -> list[Row]:
    place = {"target": curve.cell.target, "at": at_concurrency, "connections": curve.cell.concurrency}
    points = zip(curve.quantiles, curve.values_ns, strict=True)
    return [{**place, "nines": nines(q), "ms": significant(value / 1e6, 3)} for q, value in points]


def _scale_ends(curves: Sequence[ResponseCurve]) -> tuple[float, float]:
    values = [value / 1e6 for curve in curves for value in curve.values_ns]
    ticks = steps_125(max(min(values), 1e-6), max(values))
    return ticks[0], ticks[-1]


def _drawing(rows: Sequence[Row], axis_ends: tuple[float, float], palette: Palette) -> Drawing:
    y_axis = dict(
        title="milliseconds", values=steps_125(*axis_ends), labelExpr="format(datum.value, ',.12~g')", minExtent=44
    )
    y_scale = dict(type="log", domain=list(axis_ends), nice=False)
    ticks = [nines(quantile) for quantile in _TICKS]
    words = " : ".join(f"abs(datum.value - {nines(q)}) < 0.01 ? 'p{100 * q:g}'" for q in _TICKS)
    x_axis = dict(title="percentile", values=ticks, labelExpr=f"{words} : ''", grid=True)
    last_nines = max(row["nines"] for row in rows)
    x_scale = dict(domain=[nines(0.1), last_nines], nice=False, zero=False)
    x, y = field_of("nines:Q", scale=x_scale, axis=x_axis), field_of("ms:Q", scale=y_scale, axis=y_axis)
    lines = titled(rows, palette).encode(x=x, y=y, color=colour(palette), strokeDash=dash(palette))
    line = lines.mark_line(strokeWidth=1.8, clip=True).encode(
        tooltip=[field_of("title:N", title="target"), field_of("connections:Q")]
    )
    labels = end_labels(rows, x, "ms", y_scale, HEIGHT, palette, along="nines")
    return layer(line, labels, height=HEIGHT, padding=padding(rows), autosize=AUTOSIZE)


def _description(curves: Sequence[ResponseCurve], tier_bytes: int) -> str:
    words = [
        f"{target_title(c.cell.target)} at {counted(c.cell.concurrency, 'connection')} "
        f"up to p{100 * c.quantiles[-1]:.6g}, {milliseconds(c.values_ns[-1])}"
        for c in curves
    ]
    return f"Response time by percentile, {format_memory(tier_bytes)}. " + "; ".join(words) + "."
