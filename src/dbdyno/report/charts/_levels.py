"""Draws levels at one number of connections: a named bar or dot per target, with its interval.

A line needs two places. The name stands above the bar, so that the plot has the whole width on a phone, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from dbdyno.report._palette import Palette
from dbdyno.report.charts._style import AUTOSIZE, Drawing, Row, colour, shape, short_names, titled, together

LEVEL_ROW_PX = 42
_LONGEST_NAME = 44
_NAME_UP_PX = -10
_BAR_DOWN_PX = 7


def level_drawing(rows: Sequence[Row], palette: Palette, x: alt.X, *, is_bar: bool) -> Drawing:
    """One row a target, in the order of the study.

    Parameters
    ----------
    rows : with target, low, high and shown, and the field of `x`
    x : the level; bars need a scale from zero
    """
    titles = short_names(palette.targets, _LONGEST_NAME)
    named = [{**row, "name": titles[row["target"]]} for row in rows]
    names = list(dict.fromkeys(row["name"] for row in named))
    y = alt.Y("name:N", sort=names, axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    base = together(titled(named, palette)).encode(y=y, tooltip=alt.Tooltip("together:N"))
    low, high = alt.X("low:Q", scale=x["scale"]), alt.X2("high:Q")
    interval = base.mark_rule(strokeWidth=2.4, clip=True, yOffset=_BAR_DOWN_PX).encode(x=low, x2=high)
    words = [
        base.mark_text(align="left", fontSize=12, fontWeight=600, dy=_NAME_UP_PX).encode(
            x=alt.value(0), text=alt.Text("name:N")
        ),
        base.mark_text(align="right", fontSize=12, dy=_NAME_UP_PX).encode(
            x=alt.value("width"), text=alt.Text("shown:N")
        ),
    ]
    if is_bar:
        seen = alt.condition("datum.trusted", alt.value(0.85), alt.value(0.3))
        level = base.mark_bar(height=14, yOffset=_BAR_DOWN_PX).encode(x=x, color=colour(palette), opacity=seen)
        marks = [level, interval.encode(color=alt.value("var(--ink)"))]
    else:
        level = base.mark_point(size=80, filled=True, opacity=1, yOffset=_BAR_DOWN_PX)
        marks = [interval.encode(color=colour(palette)), level.encode(x=x, color=colour(palette), shape=shape(palette))]
    height = LEVEL_ROW_PX * len(names)
    return alt.layer(*marks, *words, height=height, autosize=AUTOSIZE, padding=4)
