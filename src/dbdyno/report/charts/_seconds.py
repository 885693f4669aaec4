"""Defines templates for the seconds of one run: lines over time, warm-up greyed, window shaded, marks.

The page puts the run's rows in when a run is opened; `filled` does the same here, for files.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from dbdyno.report.charts._style import AUTOSIZE, Row, config
from dbdyno.report.charts._vega_lite import (
    Definition,
    Drawing,
    constant,
    drawing_of_named,
    field_of,
    layer,
)

HEIGHT = 92
_LABEL = "datum.value == 0 ? '0' : abs(datum.value) < 1 ? format(datum.value, '.3~r') : format(datum.value, '.4~s')"


def seconds_template(*, log: bool = False) -> dict[str, Any]:
    """Return Vega-Lite of one panel, its data sets empty.

    They are ``rows`` (second, value, series), ``phases``, ``stalls`` and ``waves`` (from, to), ``changes`` (second).
    The page also sets ``title`` of the y axis, and draws the cursor over it.
    """
    x_scale = dict(nice=False, zero=False)
    x = field_of("second:Q", scale=x_scale, axis=dict(title=None, grid=False, tickMinStep=1))
    y_scale = dict(type="log", nice=True) if log else dict(zero=True, nice=True)
    y_axis = dict(title="value", labelExpr=_LABEL, minExtent=58, maxExtent=58, **_axis_ticks(log=log))
    phases = (
        drawing_of_named("phases")
        .mark_rect(tooltip=None)
        .encode(
            x=field_of("from:Q", scale=x_scale),
            x2=field_of("to"),
            fill=field_of(
                "phase:N",
                scale=dict(domain=["warm-up", "window"], range=["var(--warm)", "var(--window)"]),
                legend=None,
            ),
            opacity=constant(0.2, condition={"test": "datum.phase == 'window'", "value": 0.07}),
        )
    )
    legend = dict(title=None, orient="top", symbolType="stroke", labelLimit=260, columns=3)
    series = field_of(
        "series:N", sort=None, scale=dict(range=[f"var(--s{index})" for index in range(8)]), legend=legend
    )
    line = (
        drawing_of_named("rows")
        .mark_line(strokeWidth=1.6, interpolate="linear", point=False)
        .encode(
            x=x,
            y=field_of("value:Q", scale=y_scale, axis=y_axis),
            color=series,
            strokeDash=field_of("series:N", sort=None, legend=legend),
        )
    )
    chart = (
        layer(phases, *_mark_layers(x_scale), line)
        .properties(width="container", height=HEIGHT, autosize=AUTOSIZE)
        .properties(config=config())
    )
    return chart.definition()


def _mark_layers(x_scale: Definition) -> list[Drawing]:
    """Return stalled seconds over the whole height, changes of level as lines, swings of a wave as bars above."""
    spans = {"x": field_of("from:Q", scale=x_scale), "x2": field_of("to")}
    stalls = drawing_of_named("stalls").mark_rect(
        fill="var(--alarm)", stroke="var(--alarm)", strokeWidth=0.6, opacity=0.25, tooltip=None
    )
    waves = drawing_of_named("waves").mark_rect(fill="var(--s3)", opacity=0.8, tooltip=None)
    changes = drawing_of_named("changes").mark_rule(color="var(--s1)", strokeDash=[3, 3], tooltip=None)
    return [
        stalls.encode(**spans),
        waves.encode(**spans, y=constant(-3), y2=constant(1)),
        changes.encode(x=field_of("second:Q", scale=x_scale)),
    ]


def _axis_ticks(*, log: bool) -> dict[str, Any]:
    """Return 1-2-5 ticks on a log scale, few on a linear one."""
    if not log:
        return {"tickCount": 4}
    return {
        "values": [float(f"{digit}e{power}") for power in range(-4, 6) for digit in (1, 2, 5)],
        "labelOverlap": True,
    }


def filled(template: dict[str, Any], rows: Sequence[Row], phases: Sequence[Row], unit: str) -> dict[str, Any]:
    """Return the template with the rows of one run."""
    spec = copy.deepcopy(template)
    spec["datasets"] = {
        **spec.get("datasets", {}),
        "rows": [dict(r) for r in rows],
        "phases": [dict(p) for p in phases],
    }
    for one_layer in spec["layer"]:
        y = one_layer.get("encoding", {}).get("y")
        if y and y.get("axis"):
            y["axis"]["title"] = unit
    return spec
