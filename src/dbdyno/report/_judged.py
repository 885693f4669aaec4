"""Draws judged runs as one drawing, with a panel per run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from dbdyno.analyse import SeriesJudgement
from dbdyno.core import StoreError
from dbdyno.report._converter import ChartConverter
from dbdyno.report._palette import palette_of
from dbdyno.report._write_atomic import write_through
from dbdyno.report.charts import judged_chart
from dbdyno.report.charts._style import config
from dbdyno.report.charts._vega_lite import below_each_other

WIDTH_PX = 860


def save_judged(judged: Mapping[str, SeriesJudgement], path: Path) -> None:
    """Draw runs below each other into a file.

    Parameters
    ----------
    path : ends in ``.svg`` or ``.png``

    Raises
    ------
    StoreError : the file can't be written
    HostError : the chart can't be drawn
    """
    panels = [judged_chart(name, judgement).drawing.properties(width=WIDTH_PX) for name, judgement in judged.items()]
    drawing = below_each_other(*panels, spacing=24).properties(config=config()).properties(background="white")
    spec = palette_of([]).resolved(json.dumps(drawing.definition()))
    try:
        with ChartConverter() as converter:
            content = converter.svg(spec).encode() if path.suffix.lower() == ".svg" else converter.png(spec)
        write_through(path, content)
    except OSError as error:
        raise StoreError(f"{path} can't be written", error.strerror or str(error), "name another file") from error
