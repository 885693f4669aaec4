"""Draws one judged run: its seconds with the unjudged ones greyed, levels, stalls, wave and stop."""

from __future__ import annotations

import numpy as np

from dbdyno.analyse import STATUS_WORDS, SeriesJudgement, level_words, stall_words, stop_words, wave_words, window_words
from dbdyno.report._series import downsampled
from dbdyno.report.charts._style import Chart, Row
from dbdyno.report.charts._vega_lite import Definition, Drawing, constant, drawing_of, field_of, layer

HEIGHT = 150
_MOST_POINTS = 1200
_LEGEND = ("throughput", "level of a segment", "mean of the window")
_COLOURS = ("var(--quiet)", "var(--s1)", "var(--s0)")


def judged_chart(name: str, judgement: SeriesJudgement) -> Chart:
    """Return seconds of one run; the words under its title say what the marks show."""
    title = f"{name}: {STATUS_WORDS[judgement.state.status]}"
    x_scale = dict(domain=[0, len(judgement.tps)], nice=False)
    drawing = layer(
        _warm_up_shade(judgement, x_scale),
        _line_layer(judgement, x_scale),
        *_mark_layers(judgement, x_scale),
        *_swing_layers(judgement, x_scale),
    )
    drawing = drawing.properties(height=HEIGHT, title=dict(text=title, subtitle=_summary_words(judgement)))
    return Chart("judged", title, f"{title}. {_summary_words(judgement)}", drawing)


def _summary_words(judgement: SeriesJudgement) -> str:
    clauses = [
        f"window {window_words(judgement)}",
        f"{level_words(judgement)} TPS",
        f"stalls: {stall_words(judgement)}",
    ]
    return "; ".join([*clauses, f"wave: {wave_words(judgement)}", f"2 % stop: {stop_words(judgement)}"])


def _warm_up_shade(judgement: SeriesJudgement, x_scale: Definition) -> Drawing:
    """Return what comes before the window, or everything where there is none, greyed."""
    start = len(judgement.tps) if judgement.window_from_s is None else judgement.window_from_s
    rows: list[Row] = [{"from": 0, "to": start}] if start else []
    shade = drawing_of(rows).mark_rect(fill="var(--warm)", opacity=0.25)
    chart: Drawing = shade.encode(x=field_of("from:Q", scale=x_scale), x2=field_of("to"))
    return chart


def _line_layer(judgement: SeriesJudgement, x_scale: Definition) -> Drawing:
    domain = list(_LEGEND)
    legend = dict(title=None, orient="bottom", symbolType="stroke")
    dashes, widths = [[1, 0], [1, 0], [6, 3]], [1, 2.5, 2]
    lines: Drawing = (
        drawing_of(_line_rows(judgement))
        .mark_line(interpolate="linear")
        .encode(
            x=field_of("second:Q", scale=x_scale, axis=dict(title="seconds", grid=False)),
            y=field_of("tps:Q", scale=dict(zero=True, nice=True), axis=dict(title="TPS", minExtent=44)),
            color=field_of("what:N", scale=dict(domain=domain, range=list(_COLOURS)), legend=legend),
            strokeDash=field_of("what:N", scale=dict(domain=domain, range=dashes), legend=legend),
            strokeWidth=field_of("what:N", scale=dict(domain=domain, range=widths), legend=legend),
            detail=field_of("piece:N"),
        )
    )
    return lines


def _line_rows(judgement: SeriesJudgement) -> list[Row]:
    """Return points of three kinds of lines; a piece is drawn apart from the next."""
    middles, tps = downsampled(np.arange(len(judgement.tps)) + 0.5, judgement.tps, _MOST_POINTS)
    points = zip(middles.tolist(), tps.tolist(), strict=True)
    rows: list[Row] = [{"second": second, "tps": tps, "what": _LEGEND[0], "piece": 0} for second, tps in points]
    if judgement.state.levels is not None:
        bounds = judgement.state.levels.bounds_s
        for piece, mean in enumerate(judgement.state.levels.means):
            span = (bounds[piece], bounds[piece + 1])
            rows += [{"second": end, "tps": mean, "what": _LEGEND[1], "piece": piece} for end in span]
    if judgement.state.window is not None and judgement.window_from_s is not None:
        span = (judgement.window_from_s, len(judgement.tps))
        rows += [{"second": end, "tps": judgement.state.window.mean, "what": _LEGEND[2], "piece": 0} for end in span]
    return rows


def _mark_layers(judgement: SeriesJudgement, x_scale: Definition) -> list[Drawing]:
    """Return rules where the level changes and where the stopping rule ends the run, ticks under stalled seconds."""
    bounds = judgement.state.levels.bounds_s[1:-1] if judgement.state.levels else ()
    point = judgement.stops.get(0.02)
    changes = drawing_of([{"second": bound} for bound in bounds])
    stop = drawing_of([{"second": point.at_s, "word": "2 % stop"}] if point else [])
    stalled = drawing_of([{"second": second + 0.5, "tps": 0} for second in judgement.stalled_s])
    x = field_of("second:Q", scale=x_scale)
    return [
        changes.mark_rule(color="var(--s1)", strokeDash=[2, 3], opacity=0.8).encode(x=x),
        stop.mark_rule(color="var(--s2)", strokeDash=[8, 3]).encode(x=x),
        stop.mark_text(align="left", dx=3, fontSize=10, color="var(--s2)").encode(
            x=x, y=constant(5), text=field_of("word:N")
        ),
        stalled.mark_point(shape="triangle-up", color="var(--alarm)", filled=True, size=22, opacity=1).encode(
            x=x, y=field_of("tps:Q")
        ),
    ]


def _swing_layers(judgement: SeriesJudgement, x_scale: Definition) -> list[Drawing]:
    """Return a bar above for every other swing of a wave, counted back from the end."""
    wave = judgement.state.period
    if wave is None or not wave.is_wave or judgement.window_from_s is None:
        return []
    swing_ends = np.arange(len(judgement.tps), judgement.window_from_s + wave.period_s - 1e-9, -wave.period_s)
    rows: list[Row] = [{"from": float(end - wave.period_s), "to": float(end)} for end in swing_ends[::2]]
    bars = drawing_of(rows).mark_rect(fill="var(--s3)", opacity=0.75)
    return [
        bars.encode(
            x=field_of("from:Q", scale=x_scale),
            x2=field_of("to"),
            y=constant(0),
            y2=constant(3),
        )
    ]
