"""Draws throughput against concurrency: a panel per tier, a line per target with its interval, from zero.

At one concurrency each target has a bar.

Lines are the law of scalability where it comes within ten percent of every point, else straight from point to point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from dbdyno.analyse import CellJudgement, cell_level_words, law_points
from dbdyno.core import format_bytes, format_memory
from dbdyno.report._format import figure
from dbdyno.report._palette import Palette
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._levels import level_drawing, level_row_px
from dbdyno.report.charts._style import (
    AUTOSIZE,
    Chart,
    Row,
    colour,
    columns,
    concurrency_axis,
    dash,
    end_labels,
    padding,
    row_facts,
    shape,
    summary_words,
    titled,
    together,
)
from dbdyno.report.charts._vega_lite import Definition, Drawing, constant, drawing_of, field_of, layer

HEIGHT = 250
FLAT_SHARE = 0.25
MOST_BANDS = 4
"""Targets whose bands can be told apart; more have whiskers alone."""
_CURVE_POINTS = 60


def throughput_charts(analysis: StudyAnalysis, palette: Palette) -> list[Chart]:
    """Return one panel for each workload, route and tier that has a judged cell.

    Panels of a workload share their scale, but one whose lines would lie flat at its bottom has its own and says so.
    """
    charts = []
    for index, (workload, route, tier_bytes) in enumerate(analysis.panels):
        workload_groups = [g for g in analysis.judgements if (g.cell.workload, g.cell.route) == (workload, route)]
        groups = [g for g in workload_groups if g.cell.tier_bytes == tier_bytes and g.tps_mean is not None]
        rows = [_throughput_row(group) for group in groups]
        if rows:
            title = panel_title(analysis, workload, route, tier_bytes)
            top, panel_top = _scale_top(workload_groups), _scale_top(groups)
            if panel_top < FLAT_SHARE * top:
                top, title = panel_top, f"{title}, separate scale"
            curves = curve_rows(analysis, workload, route, tier_bytes)
            is_line = len(analysis.study.concurrencies) > 1
            drawing = _drawing(rows, curves, top, analysis, palette) if is_line else _bar_layer(rows, top, palette)
            panel, meta = (workload, route, tier_bytes), None if is_line else row_facts(level_row_px(rows, palette))
            charts.append(Chart(f"throughput-{index + 1}", title, _description(rows), drawing, panel, meta))
    return charts


def panel_title(analysis: StudyAnalysis, workload: str, route: str, tier_bytes: int) -> str:
    """Return memory, and what else differs between the panels of the study."""
    words = [f"{format_bytes(tier_bytes)} memory" if tier_bytes else format_memory(0)]
    if len(analysis.study.workloads) > 1:
        words.append(workload)
    if len(analysis.study.routes) > 1:
        words.append(route)
    return ", ".join(words)


def _throughput_row(group: CellJudgement) -> Row:
    """Return a point; an interval that says nothing is left out, as in the tables: it would fill the chart."""
    mean = group.tps_mean or 0.0
    low, high = (None, None) if group.is_vague else (group.tps_low or 0.0, group.tps_high or 0.0)
    return {
        "target": group.cell.target,
        "concurrency": group.cell.concurrency,
        "tps": mean,
        "low": low,
        "high": high,
        "shown": cell_level_words(group, "TPS") + ("" if group.is_settled else ", not settled"),
        "runs": ", ".join(figure(run.level_tps) for run in group.judged if run.level_tps),
        "trusted": group.decides,
    }


def _scale_top(groups: Sequence[CellJudgement]) -> float:
    """Return the upper end of the scale: all means, and all intervals that say something."""
    means = [group.tps_mean for group in groups if group.tps_mean]
    return 1.04 * max([*means, *(group.tps_high for group in groups if group.tps_high and not group.is_vague)])


def curve_rows(analysis: StudyAnalysis, workload: str, route: str, tier_bytes: int) -> list[Row]:
    """Return points of the law of scalability with its band, for targets whose points it comes close enough to."""
    rows: list[Row] = []
    for judgement in analysis.capacity:
        is_here = (judgement.workload, judgement.route, judgement.tier_bytes) == (workload, route, tier_bytes)
        law = {"target": judgement.target, "shown": "scalability law", "curve": True}
        rows += [{**law, **asdict(point)} for point in law_points(judgement, _CURVE_POINTS)] if is_here else []
    return rows


def _drawing(
    rows: Sequence[Row], curves: Sequence[Row], top: float, analysis: StudyAnalysis, palette: Palette
) -> Drawing:
    """Draw curves for the targets that they are of; join the points of the others."""
    by_law = {row["target"] for row in curves}
    lines = [*curves, *(row for row in rows if row["target"] not in by_law)]
    y_scale = dict(domain=[0, top], nice=False, zero=True)
    y_axis = dict(title="transactions per second", format=",.12~g", tickCount=5, minExtent=44)
    x = concurrency_axis(analysis.study.concurrencies)
    reading = together(titled(sorted(rows, key=lambda row: -float(row["tps"])), palette))
    base = reading.encode(x=x, color=colour(palette), tooltip=field_of("together:N"))
    curve_base = drawing_of(lines).encode(x=x, color=colour(palette))
    bands = _band_layers(curve_base, y_scale, y_axis) if len(palette.looks) <= MOST_BANDS else []
    whisker = base.mark_rule(opacity=0.55, clip=True).encode(y=field_of("low:Q", scale=y_scale), y2=field_of("high"))
    y = field_of("tps:Q", scale=y_scale, axis=y_axis)
    line = curve_base.mark_line(strokeWidth=2, clip=True).encode(y=y, strokeDash=dash(palette))
    points = base.mark_point(size=62, filled=True, opacity=1).encode(y=y, shape=shape(palette))
    untrusted_points = (
        base.transform_filter("!datum.trusted")
        .mark_point(size=26, filled=True, opacity=1)
        .encode(y=y, shape=shape(palette), color=constant("var(--paper)"))
    )
    labels = end_labels(rows, x, "tps", y_scale, HEIGHT, palette)
    return layer(
        *bands,
        line,
        columns(reading, x, len(analysis.study.concurrencies)),
        whisker,
        points,
        untrusted_points,
        labels,
        height=HEIGHT,
        padding=padding(rows),
        autosize=AUTOSIZE,
    )


def _band_layers(curve_base: Drawing, y_scale: Definition, y_axis: Definition) -> list[Drawing]:
    """Return bands with edges in the target's colour, so that two that lie over each other stay two."""
    area = curve_base.mark_area(opacity=0.13, line=False, clip=True, tooltip=None).encode(
        y=field_of("low:Q", scale=y_scale, axis=y_axis), y2=field_of("high")
    )
    edges = [
        curve_base.mark_line(strokeWidth=0.9, opacity=0.75, clip=True, tooltip=None).encode(
            y=field_of(f"{end}:Q", scale=y_scale, axis=y_axis)
        )
        for end in ("low", "high")
    ]
    return [area, *edges]


def _bar_layer(rows: Sequence[Row], top: float, palette: Palette) -> Drawing:
    axis = dict(title="transactions per second", format=",.12~g", tickCount=5)
    x = field_of("tps:Q", scale=dict(domain=[0, top], nice=False, zero=True), axis=axis)
    return level_drawing(rows, palette, x, is_bar=True)


def _description(rows: Sequence[Row]) -> str:
    return f"Throughput {summary_words(rows)}"
