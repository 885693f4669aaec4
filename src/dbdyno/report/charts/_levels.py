"""Draws levels at one number of connections: a named bar or dot per target, with its interval.

A line needs two places. The name stands above the bar, so that the plot has the whole width on a phone, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report._palette import Palette
from dbdyno.report.charts._style import (
    AUTOSIZE,
    Row,
    colour,
    shape,
    short_names,
    titled,
    together,
)
from dbdyno.report.charts._vega_lite import Definition, Drawing, constant, field_of, layer

_ROW_PX = 42
_LONGEST_NAME = 44
_NAME_UP_PX = -10
_BAR_DOWN_PX = 7
_MOST_ON_A_LINE = 38
"""Letters of a name and its value that a phone shows next to each other; a row with more has two lines of words."""
_LINE_PX = 16


def level_row_px(rows: Sequence[Row], palette: Palette) -> int:
    """Return the height of a target's row: two lines, for name and value, where both would not fit a phone."""
    titles = short_names(palette.targets, _LONGEST_NAME)
    longest_chars = max((len(titles[row["target"]]) + len(str(row["shown"])) for row in rows), default=0)
    return _ROW_PX + (_LINE_PX if longest_chars > _MOST_ON_A_LINE else 0)


def level_drawing(rows: Sequence[Row], palette: Palette, x: Definition, *, is_bar: bool) -> Drawing:
    """Return one row a target, in the order of the study.

    Parameters
    ----------
    rows : with target, low, high and shown, and the field of `x`
    x : the level; bars need a scale from zero
    """
    titles = short_names(palette.targets, _LONGEST_NAME)
    named_rows = [{**row, "name": titles[row["target"]]} for row in rows]
    names = list(dict.fromkeys(row["name"] for row in named_rows))
    y = field_of("name:N", sort=names, axis=None, scale=dict(paddingInner=0, paddingOuter=0))
    base = together(titled(named_rows, palette)).encode(y=y, tooltip=field_of("together:N"))
    row_px = level_row_px(rows, palette)
    has_two_lines = row_px > _ROW_PX
    half_line_px = (row_px - _ROW_PX) // 2  # the row grows by a line, so all in it moves by half of one
    bar_offset_px = _BAR_DOWN_PX + half_line_px
    low, high = field_of("low:Q", scale=x["scale"]), field_of("high")
    interval = base.mark_rule(strokeWidth=2.4, clip=True, yOffset=bar_offset_px).encode(x=low, x2=high)
    words = [
        base.mark_text(align="left", fontSize=12, fontWeight=600, dy=_NAME_UP_PX - half_line_px).encode(
            x=constant(0), text=field_of("name:N")
        ),
        base.mark_text(align="left" if has_two_lines else "right", fontSize=12, dy=_NAME_UP_PX + half_line_px).encode(
            x=constant(0 if has_two_lines else "width"), text=field_of("shown:N")
        ),
    ]
    if is_bar:
        opacity = constant(0.3, condition={"test": "datum.trusted", "value": 0.85})
        level = base.mark_bar(height=14, yOffset=bar_offset_px).encode(x=x, color=colour(palette), opacity=opacity)
        marks = [level, interval.encode(color=constant("var(--ink)"))]
    else:
        level = base.mark_point(size=80, filled=True, opacity=1, yOffset=bar_offset_px)
        marks = [interval.encode(color=colour(palette)), level.encode(x=x, color=colour(palette), shape=shape(palette))]
    height = row_px * len(names)
    return layer(*marks, *words, height=height, autosize=AUTOSIZE, padding=4)
