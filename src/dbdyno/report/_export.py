"""Writes charts as files, from the same definitions as the page."""

from __future__ import annotations

import json
from pathlib import Path

from dbdyno.core import StoreError
from dbdyno.report._claims import followed_claims
from dbdyno.report._converter import ChartConverter
from dbdyno.report._palette import palette_of
from dbdyno.report._runs import boxes_of_windows, seconds_of_runs
from dbdyno.report._study_analysis import analyse_study
from dbdyno.report.charts import (
    Chart,
    at_best,
    box_charts,
    claims_chart,
    curve_charts,
    heat_charts,
    latency_charts,
    rank_charts,
    throughput_charts,
    timeline_chart,
    upgrade_charts,
    why_charts,
)
from dbdyno.report.why._choice import why_of
from dbdyno.store import StoredStudy

WIDTH_PX = 560


def save_charts(results: StoredStudy, folder: Path, against: str = "") -> list[Path]:
    """Write every chart of the page as SVG and PNG; the files written.

    Parameters
    ----------
    against : as in `dbdyno.report.build_page`

    Raises
    ------
    StoreError : the folder can't be written
    RequestError : no report of that name is known
    HostError : the charts can't be drawn
    """
    analysis = analyse_study(results)
    why = why_of(analysis)  # first, as on the page
    palette = palette_of(analysis.study.targets)
    makers = (throughput_charts, latency_charts, curve_charts, rank_charts, heat_charts)
    chart_lists = [maker(analysis, palette) for maker in makers]
    chart_lists.append(box_charts(analysis, palette, boxes_of_windows(analysis, seconds_of_runs(analysis))))
    claims = followed_claims(analysis, against)
    single_charts = (claims_chart(claims) if claims else None, timeline_chart(analysis, palette))
    chart_lists += [upgrade_charts(analysis), why_charts(why, analysis.targets)]
    charts = [
        *(chart for chart_list in chart_lists for chart in chart_list),
        *(chart for chart in single_charts if chart),
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ChartConverter() as converter:
            return [
                path
                for chart in charts
                for path in _save_chart(chart, palette.resolved(_chart_spec_text(chart)), folder, converter)
            ]
    except OSError as error:
        raise StoreError(f"{folder} can't be written", error.strerror or str(error), "name another folder") from error


def _chart_spec_text(chart: Chart) -> str:
    spec = {**at_best(chart.spec()), "width": WIDTH_PX, "title": chart.title, "background": "white"}
    return json.dumps(spec)


def _save_chart(chart: Chart, spec: str, folder: Path, converter: ChartConverter) -> list[Path]:
    svg, png = folder / f"{chart.name}.svg", folder / f"{chart.name}.png"
    svg.write_text(converter.svg(spec), encoding="utf-8")
    png.write_bytes(converter.png(spec))
    return [svg, png]
