"""Draws ranks as intervals: the places that each target may hold; overlapping whiskers are ties."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.core import counted, format_memory, target_title
from dbdyno.report._format import rank_words
from dbdyno.report._palette import Palette
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row, colour, shape, titled
from dbdyno.report.charts._throughput import panel_title
from dbdyno.report.charts._vega_lite import Drawing, field_of, layer

CROWDED_FROM = 5
MOST_TARGETS = 6
"""Targets whose whiskers can be read; the heat map has the places of more."""


def rank_charts(analysis: StudyAnalysis, palette: Palette) -> list[Chart]:
    """Return one panel for each workload, route and tier in which two targets or more, but few, were compared."""
    charts: list[Chart] = []
    if len(palette.looks) > MOST_TARGETS:
        return charts
    for index, (workload, route, tier_bytes) in enumerate(analysis.panels):
        rows = _rank_rows(analysis, (workload, route, tier_bytes))
        if len({row["target"] for row in rows}) > 1:
            title = panel_title(analysis, workload, route, tier_bytes)
            drawing = _drawing(rows, palette)
            description, panel = _description(rows, tier_bytes), (workload, route, tier_bytes)
            charts.append(Chart(f"ranks-{index + 1}", title, description, drawing, panel))
    return charts


def _rank_rows(analysis: StudyAnalysis, panel: tuple[str, str, int]) -> list[Row]:
    rows: list[Row] = []
    unsettled_targets = {(group.place, group.cell.target) for group in analysis.judgements if not group.is_settled}
    for place, ranks in analysis.ranks.items():
        if place[:3] != panel:
            continue
        for target, (first, last) in ranks.items():
            words = rank_words((first, last), len(ranks)) or "1"
            rank_text = f"place {words} of {len(ranks)}" + (
                ", not settled" if (place, target) in unsettled_targets else ""
            )
            middle = (first + last) / 2
            rank_fields = {"first": first, "last": last, "middle": middle, "shown": rank_text, "of": len(ranks)}
            rows.append({"target": target, "concurrency": place[3], **rank_fields})
    return rows


def _drawing(rows: Sequence[Row], palette: Palette) -> Drawing:
    count = max(row["of"] for row in rows)
    y_scale = dict(domain=[0.6, count + 0.4], reverse=True, nice=False, zero=False)
    y_axis = dict(title="place", values=list(range(1, count + 1)), format="d", minExtent=44)
    order = [target for target in palette.targets if any(row["target"] == target for row in rows)]
    tooltip = [
        field_of("title:N", title="target"),
        field_of("concurrency:Q", title="connections"),
        field_of("shown:N", title="may hold"),
    ]
    base = titled(rows, palette).encode(
        x=field_of("concurrency:O", axis=dict(title="connections", labelAngle=0), scale=dict(paddingInner=0.3)),
        xOffset=field_of("target:N", sort=order, scale=dict(domain=order)),
        color=colour(palette),
        tooltip=tooltip,
    )
    whisker = base.mark_rule(strokeWidth=3, strokeCap="round").encode(
        y=field_of("first:Q", scale=y_scale, axis=y_axis), y2=field_of("last")
    )
    dot = base.mark_point(filled=True, size=90 if len(order) <= CROWDED_FROM else 30, opacity=1).encode(
        y=field_of("middle:Q", scale=y_scale, axis=y_axis), shape=shape(palette)
    )
    return layer(whisker, dot, height=46 * count + 30, autosize=AUTOSIZE)


def _description(rows: Sequence[Row], tier_bytes: int) -> str:
    words = [
        f"{target_title(row['target'])} at {counted(row['concurrency'], 'connection')}: {row['shown']}" for row in rows
    ]
    return f"Possible places of each target with {format_memory(tier_bytes)}. " + "; ".join(words) + "."
