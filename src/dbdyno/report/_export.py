"""Charts as files, from the same definitions as the page."""

from __future__ import annotations

import json
from pathlib import Path

import vl_convert

from dbdyno.core import StoreError
from dbdyno.report._boxes import window_boxes
from dbdyno.report._claims import followed_claims
from dbdyno.report._evidence import gather
from dbdyno.report._palette import palette_of
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
)
from dbdyno.store import Results

WIDTH_PX = 560
PNG_SCALE = 2.0


def save_charts(results: Results, folder: Path, against: str = "") -> list[Path]:
    """Write every chart of the page as SVG and PNG; the files written.

    Parameters
    ----------
    against : as in `dbdyno.report.build_page`

    Raises
    ------
    StoreError : the folder can't be written
    RequestError : no report of that name is known
    """
    evidence = gather(results)
    palette = palette_of(evidence.study.targets)
    makers = (throughput_charts, latency_charts, curve_charts, rank_charts, heat_charts)
    drawn = [maker(evidence, palette) for maker in makers]
    drawn.append(box_charts(evidence, palette, window_boxes(results, evidence.study, evidence.judgements)))
    claims = followed_claims(results, evidence.study, evidence.stored, evidence.judgements, against)
    single = (claims_chart(claims) if claims else None, timeline_chart(evidence, palette))
    charts = [*(chart for some in drawn for chart in some), *(chart for chart in single if chart)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path for chart in charts for path in _save(chart, palette.resolved(_spec(chart)), folder)]
    except OSError as error:
        raise StoreError(f"{folder} can't be written", error.strerror or str(error), "name another folder") from error


def _spec(chart: Chart) -> str:
    spec = {**at_best(chart.spec()), "width": WIDTH_PX, "title": chart.title, "background": "white"}
    return json.dumps(spec)


def _save(chart: Chart, spec: str, folder: Path) -> list[Path]:
    svg, png = folder / f"{chart.name}.svg", folder / f"{chart.name}.png"
    svg.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    png.write_bytes(vl_convert.vegalite_to_png(spec, scale=PNG_SCALE))
    return [svg, png]
