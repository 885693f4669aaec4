"""Every kind of chart of a study keeps to Vega-Lite's schema, and holds its rows; a report itself checks neither."""

from __future__ import annotations

import altair as alt
import pytest

from dbdyno.report import analyse_study
from dbdyno.report._boxes import window_boxes
from dbdyno.report._palette import palette_of
from dbdyno.report._runs import seconds_of_runs
from dbdyno.report.charts import (
    Chart,
    box_charts,
    curve_charts,
    heat_charts,
    latency_charts,
    rank_charts,
    throughput_charts,
    timeline_chart,
)
from dbdyno.store import StoredStudy


@pytest.fixture(scope="module")
def charts(results: StoredStudy) -> list[Chart]:
    analysis = analyse_study(results)
    palette = palette_of(analysis.study.targets)
    makers = (throughput_charts, latency_charts, curve_charts, rank_charts, heat_charts)
    found = [chart for maker in makers for chart in maker(analysis, palette)]
    timeline = timeline_chart(analysis, palette)
    boxes = window_boxes(seconds_of_runs(analysis), analysis.judgements)
    return [*found, *box_charts(analysis, palette, boxes), *([timeline] if timeline else [])]


def test_every_chart_keeps_to_the_schema(charts: list[Chart]) -> None:
    assert len(charts) >= 5
    for chart in charts:
        chart.drawing.to_dict(validate=True)  # raises
        alt.Chart.from_dict(chart.spec(), validate=True)


def test_every_chart_holds_rows_and_no_text_in_their_place(charts: list[Chart]) -> None:
    for chart in charts:
        named = chart.spec()["datasets"]
        assert named and all(
            isinstance(rows, list) and all(isinstance(row, dict) for row in rows) for rows in named.values()
        )


def test_a_wrong_definition_would_be_seen() -> None:
    drawing = alt.Chart(alt.InlineData(values="rows")).mark_line()
    drawing.mark = {"type": "no such mark"}
    with pytest.raises(alt.utils.schemapi.SchemaValidationError):
        drawing.to_dict(validate=True)
