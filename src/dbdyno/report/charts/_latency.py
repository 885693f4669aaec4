"""Draws response times against concurrency: a panel per tier and quantile, log scale with 1-2-5 ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno.analyse import LatencyJudgement
from dbdyno.report._format import milliseconds
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
    side_by_side,
    summary_words,
    titled,
    together,
)
from dbdyno.report.charts._throughput import panel_title
from dbdyno.report.charts._vega_lite import Drawing, field_of, layer

HEIGHT = 180
QUANTILE_WORDS = {"p50": "median", "p95": "p95", "p99": "p99", "p999": "p99.9"}


def latency_charts(analysis: StudyAnalysis, palette: Palette) -> list[Chart]:
    """Return a panel for each workload, route, tier and quantile; panels of a quantile and workload share a scale."""
    charts = []
    for quantile, words in QUANTILE_WORDS.items():
        for index, (workload, route, tier_bytes) in enumerate(analysis.panels):
            workload_judgements = [
                x for x in analysis.latency if x.quantile == quantile and x.cell.workload == workload
            ]
            rows = [
                _latency_row(x) for x in workload_judgements if (x.cell.route, x.cell.tier_bytes) == (route, tier_bytes)
            ]
            if rows:
                title = f"{words}, {panel_title(analysis, workload, route, tier_bytes)}"
                axis_ends, panel = scale_ends(workload_judgements), (workload, route, tier_bytes)
                is_line, name = len(analysis.study.concurrencies) > 1, f"latency-{index + 1}-{quantile}"
                drawing = (
                    _drawing(rows, axis_ends, analysis, palette) if is_line else _dot_layer(rows, axis_ends, palette)
                )
                meta = None if is_line else row_facts(level_row_px(rows, palette))
                is_cut = any(row["low"] < axis_ends[0] or row["high"] > axis_ends[1] for row in rows)
                charts.append(Chart(name, title, _description(words, rows), drawing, panel, meta, is_cut=is_cut))
    return charts


def _latency_row(judgement: LatencyJudgement) -> Row:
    low, high = judgement.low_ns or judgement.value_ns, judgement.high_ns or judgement.value_ns
    interval = f"{milliseconds(low)} to {milliseconds(high)}" if judgement.low_ns else "one run"
    if judgement.interval_of == "noise":
        interval += ", one run, noise alone"
    return {
        "target": judgement.cell.target,
        "concurrency": judgement.cell.concurrency,
        "ms": judgement.value_ns / 1e6,
        "low": low / 1e6,
        "high": high / 1e6,
        "shown": f"{milliseconds(judgement.value_ns)} ({interval})",
    }


def scale_ends(judgements: Sequence[LatencyJudgement]) -> tuple[float, float]:
    """Ends of the scale on 1-2-5 steps; hopelessly wide intervals are cut."""
    values = [x.value_ns / 1e6 for x in judgements]
    lows = [(x.low_ns or x.value_ns) / 1e6 for x in judgements]
    highs = [(x.high_ns or x.value_ns) / 1e6 for x in judgements]
    low, high = max(min(lows), min(values) / 2), min(max(highs), max(values) * 2)
    ticks = steps_125(low, high)
    return ticks[0], ticks[-1]


def steps_125(low: float, high: float) -> list[float]:
    """Return the 1-2-5 steps from the one below `low` to the one above `high`.

    >>> steps_125(0.3, 7.0)
    [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
    """
    first_power = math.floor(math.log10(low)) - 1
    last_power = math.ceil(math.log10(high)) + 1
    steps = [float(f"{digit}e{power}") for power in range(first_power, last_power + 1) for digit in (1, 2, 5)]
    low_step = max(step for step in steps if step <= low)
    high_step = min(step for step in steps if step >= high and step > low_step)
    return [step for step in steps if low_step <= step <= high_step]


def _drawing(rows: Sequence[Row], axis_ends: tuple[float, float], analysis: StudyAnalysis, palette: Palette) -> Drawing:
    y_scale = dict(type="log", domain=list(axis_ends), nice=False)
    ticks = steps_125(*axis_ends)
    y_axis = dict(title="milliseconds", values=ticks, labelExpr="format(datum.value, ',.12~g')", minExtent=44)
    x = concurrency_axis(analysis.study.concurrencies)
    reading = together(titled(sorted(rows, key=lambda row: float(row["ms"])), palette))
    targets = {row["target"] for row in rows}
    shown_targets = [target for target in palette.targets if target in targets]
    beside = side_by_side(reading, analysis.study.concurrencies, shown_targets)
    x_beside = concurrency_axis(analysis.study.concurrencies, "beside")
    base = beside.encode(x=x_beside, color=colour(palette), tooltip=field_of("together:N"))
    y = field_of("ms:Q", scale=y_scale, axis=y_axis)
    whisker = base.mark_rule(opacity=0.55, clip=True).encode(
        y=field_of("low:Q", scale=y_scale, axis=y_axis), y2=field_of("high")
    )
    line = beside.mark_line(strokeWidth=2).encode(x=x_beside, y=y, color=colour(palette), strokeDash=dash(palette))
    points = base.mark_point(size=52, filled=True, opacity=1).encode(y=y, shape=shape(palette))
    labels = end_labels(rows, x, "ms", y_scale, HEIGHT, palette)
    hover_columns = columns(reading, x, len(analysis.study.concurrencies))
    return layer(line, hover_columns, whisker, points, labels, height=HEIGHT, padding=padding(rows), autosize=AUTOSIZE)


def _dot_layer(rows: Sequence[Row], axis_ends: tuple[float, float], palette: Palette) -> Drawing:
    axis = dict(title="milliseconds", values=steps_125(*axis_ends), labelExpr="format(datum.value, ',.12~g')")
    x = field_of("ms:Q", scale=dict(type="log", domain=list(axis_ends), nice=False), axis=axis)
    return level_drawing(rows, palette, x, is_bar=False)


def _description(words: str, rows: Sequence[Row]) -> str:
    return f"Response time, {words}, {summary_words(rows)}"
