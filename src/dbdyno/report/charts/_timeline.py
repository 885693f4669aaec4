"""Draws the order of runs on a time line: interleaving, gaps and failures visible."""

from __future__ import annotations

from dbdyno.core import counted, format_memory
from dbdyno.report._format import clock_time
from dbdyno.report._palette import Palette
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row, colour, short_names
from dbdyno.report.charts._vega_lite import Drawing, constant, drawing_of, field_of


def timeline_chart(analysis: StudyAnalysis, palette: Palette) -> Chart | None:
    """Return every stored run as a bar in the row of its target; None before the first."""
    started_records = [record for record in analysis.stored if record.span.started_ns]
    if not started_records:
        return None
    begin_ns = min(record.span.started_ns for record in started_records)
    names = short_names(palette.targets)
    rows: list[Row] = [
        {
            "run": record.run.run_id,
            "target": record.run.cell.target,
            "name": names[record.run.cell.target],
            "from": (record.span.started_ns - begin_ns) / 60e9,
            "to": max(record.span.ended_ns - begin_ns, record.span.started_ns - begin_ns + 10**9) / 60e9,
            "order": record.run.order_index + 1,
            "memory": format_memory(record.run.cell.tier_bytes),
            "workload": record.run.cell.workload,
            "route": record.run.cell.route,
            "concurrency": record.run.cell.concurrency,
            "repeat": record.run.repeat,
            "status": record.status,
        }
        for record in started_records
    ]
    description = f"{counted(len(rows), 'run')} from {clock_time(begin_ns)}; each is a bar in the row of its target."
    return Chart("timeline", "Order of runs", description, _drawing(rows, palette))


def _drawing(rows: list[Row], palette: Palette) -> Drawing:
    fields = {"order": "run", "name": "target", "memory": "memory", "concurrency": "connections"}
    fields |= {"repeat": "repeat", "status": "status"}
    base = drawing_of(rows).encode(
        x=field_of("from:Q", axis=dict(title="minutes since the first run", grid=False, format="~g")),
        x2=field_of("to"),
        y=field_of(
            "name:N",
            sort=list(short_names(palette.targets).values()),
            axis=dict(title=None, labelLimit=170, labelPadding=8, ticks=False, domain=False),
        ),
        tooltip=[field_of(f"{field}:N", title=title) for field, title in fields.items()],
    )
    alarm = constant("var(--alarm)", condition={"test": "datum.status == 'good'", "value": "var(--paper)"})
    bars = base.mark_bar(height=15, strokeWidth=1.5).encode(color=colour(palette), stroke=alarm)
    height = 30 * len({row["name"] for row in rows}) + 10
    sized: Drawing = bars.properties(height=height, autosize=AUTOSIZE)
    return sized
