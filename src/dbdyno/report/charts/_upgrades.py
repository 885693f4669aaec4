"""Draws upgrades as a map: a row per step from version to version, a column per number of connections.

One column more is for the average over all of them.

Losses are red and gains blue, in three steps each; the number stands in every field, and what is not shown to differ
stays without colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse import ALL_CONCURRENCIES, Place, Upgrade, change_words, is_shown
from dbdyno.core import Comparison, short_number
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row, row_facts
from dbdyno.report.charts._throughput import panel_title
from dbdyno.report.charts._vega_lite import Definition, Drawing, drawing_of, field_of, layer

_ROW_PX = 44
_LABEL_UP_PX = -20
_STEPS = (1 / 1.5, 1 / 1.2, 1.0, 1.2, 1.5)
"""Ratios at which the colour changes; a gain and a loss that undo each other have the same strength."""
_COLOURS = tuple(f"var(--{name})" for name in ("fr3", "fr2", "fr1", "fb1", "fb2", "fb3"))


def upgrade_charts(analysis: StudyAnalysis) -> list[Chart]:
    """Return one panel for each workload, route and memory size."""
    charts = []
    for index, panel in enumerate(analysis.panels):
        rows = [
            _upgrade_row(upgrade, place, change)
            for upgrade in analysis.upgrades
            for place, change in (*upgrade.changes.items(), *upgrade.averages.items())
            if place[:3] == panel
        ]
        if rows:
            title, drawing = panel_title(analysis, *panel), _drawing(rows)
            description = f"Change by upgrade, {title}. " + "; ".join(
                f"{row['name']} at {row['column']}: {row['shown']}" for row in rows
            )
            charts.append(Chart(f"upgrades-{index + 1}", title, description, drawing, panel, row_facts(_ROW_PX)))
    return charts


def _upgrade_row(upgrade: Upgrade, place: Place, change: Comparison) -> Row:
    has_difference = is_shown(change)
    mark = "–" if change.verdict == "not settled" else "="
    return {
        "target": upgrade.new,
        "name": upgrade.title,
        "concurrency": place[3],  # the page's filter compares it with the number that was chosen
        "column": "all" if place[3] == ALL_CONCURRENCIES else str(place[3]),
        "ratio": round(change.ratio, 4),
        "is_shown": has_difference,
        "value": _brief_change(change.ratio) if has_difference else mark,
        "shown": change_words(change.ratio, change.low, change.high),
        "verdict": change.verdict,
    }


def _brief_change(ratio: float) -> str:
    """Return a change in percent, or how many times as much from three times on."""
    change = 100 * (ratio - 1)
    return f"×{short_number(ratio)}" if ratio >= 3 else f"{change:+.0f}" if abs(change) > 0.5 else f"{change:+.1g}"


def _drawing(rows: Sequence[Row]) -> Drawing:
    x_axis = dict(
        title="connections", orient="top", labelAngle=0, labelPadding=12, ticks=False, domain=False, titlePadding=4
    )
    y_axis = dict(
        title=None,
        ticks=False,
        domain=False,
        labelLimit=0,
        minExtent=0,
        maxExtent=0,
        labelAlign="left",  # above its row: a phone has no room next to it
        labelPadding=-2,
        labelOffset=_LABEL_UP_PX,
    )
    columns = sorted({row["column"] for row in rows}, key=lambda name: (name == "all", len(name), name))
    steps = list(dict.fromkeys(row["name"] for row in rows))
    base = drawing_of(rows).encode(
        x=field_of("column:O", sort=columns, axis=x_axis, scale=dict(paddingInner=0.05)),
        y=field_of("name:N", sort=steps, axis=y_axis, scale=dict(paddingInner=0.42, paddingOuter=0.4)),
        tooltip=_tooltip(),
    )
    scale = dict(type="threshold", domain=list(_STEPS), range=list(_COLOURS))
    background = base.mark_rect(cornerRadius=2, fill="var(--h0)")
    fields = (
        base.transform_filter("datum.is_shown")
        .mark_rect(cornerRadius=2)
        .encode(color=field_of("ratio:Q", scale=scale, legend=None))
    )
    numbers = base.mark_text(fontSize=11).encode(text=field_of("value:N"))
    return layer(background, fields, numbers).properties(height=_ROW_PX * len(steps), autosize=AUTOSIZE)


def _tooltip() -> list[Definition]:
    fields = {"name": "upgrade", "column": "connections", "shown": "throughput", "verdict": "verdict"}
    return [field_of(f"{field}:N", title=title) for field, title in fields.items()]
