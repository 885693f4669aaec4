"""Draws one cell over many studies: a point with interval per study, a line per level, a rule per change."""

from __future__ import annotations

import altair as alt

from dbdyno.analyse import CellHistory
from dbdyno.report._format import figure
from dbdyno.report.charts._style import Chart, Row, constant_channel, rows_data

HEIGHT = 190
_ROOM = 1.08


def history_chart(name: str, title: str, words: str, history: CellHistory, labels: dict[int, str]) -> Chart:
    """Return the chart of a series; the axis begins at zero, as everywhere.

    Parameters
    ----------
    words : what there is to see
    labels : of each study by its index
    """
    scale = 1.0 if history.measure == "tps" else 1e-6
    points = _point_rows(history, labels, scale)
    top = _ROOM * max([*(row["value"] for row in points), *(min(row["high"], 1.6 * row["value"]) for row in points)])
    x_scale = alt.Scale(domain=[-0.5, len(points) - 0.5], nice=False)
    y_scale = alt.Scale(domain=[0, top], nice=False)
    axis_title = "TPS" if history.measure == "tps" else "ms"
    names = "[" + ",".join(f"'{_quote_expression_text(row['label'])}'" for row in points) + "]"
    x_axis = alt.Axis(
        title=None,
        grid=False,
        values=list(range(len(points))),
        labelExpr=f"{names}[datum.value]",
        labelAngle=-30,
        labelAlign="right",
        labelOverlap=True,
        labelLimit=90,
        tickMinStep=1,
    )
    x = alt.X("at:Q", scale=x_scale, axis=x_axis)
    y = alt.Y("value:Q", scale=y_scale, axis=alt.Axis(title=axis_title, minExtent=44))
    base = alt.Chart(rows_data(points))
    tooltip = [alt.Tooltip("study:N"), alt.Tooltip("version:N"), alt.Tooltip("shown:N", title=axis_title)]
    bars = base.mark_rule(color="var(--quiet)", strokeWidth=1.2, clip=True).encode(
        x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    dots = base.mark_point(filled=True, size=34, color="var(--s0)", opacity=1).encode(x=x, y=y, tooltip=tooltip)
    levels = alt.Chart(rows_data(_level_rows(history, scale))).mark_rule(color="var(--s1)", strokeWidth=2.2)
    moves = _move_rows(history, top)
    drawing = alt.layer(
        bars,
        levels.encode(x=alt.X("from:Q", scale=x_scale), x2=alt.X2("to:Q"), y=alt.Y("level:Q", scale=y_scale)),
        dots,
        alt.Chart(rows_data(moves)).mark_rule(color="var(--s1)", strokeDash=[3, 3]).encode(x=alt.X("at:Q")),
        alt.Chart(rows_data(moves))
        .mark_text(align="left", dx=4, dy=8, fontSize=11, color="var(--ink)")
        .encode(x=alt.X("at:Q"), y=constant_channel(alt.YValue, 2), text=alt.Text("words:N")),
    ).properties(height=HEIGHT)
    return Chart(name, title, f"{title}. {words}", drawing)


def _point_rows(history: CellHistory, labels: dict[int, str], scale: float) -> list[Row]:
    return [
        {
            "at": index,
            "label": _shorten(labels[point.study]),
            "study": labels[point.study],
            "version": point.version,
            "value": scale * point.value,
            "low": scale * point.low,
            "high": scale * point.high,
            "shown": figure(scale * point.value),
        }
        for index, point in enumerate(history.points)
    ]


def _level_rows(history: CellHistory, scale: float) -> list[Row]:
    """Return a stretch for each level; one level over everything where nothing moved."""
    if not history.moves:
        return []
    bounds = [0, *(move.level.index for move in history.moves), len(history.points)]
    means = [history.moves[0].level.before, *(move.level.after for move in history.moves)]
    return [
        {"from": start - 0.5, "to": end - 0.5, "level": scale * mean}
        for start, end, mean in zip(bounds, bounds[1:], means, strict=False)
    ]


def _move_rows(history: CellHistory, top: float) -> list[Row]:
    return [
        {"at": move.level.index - 0.5, "words": f"{100 * (move.level.ratio - 1):+.1f} %", "top": top}
        for move in history.moves
    ]


def _shorten(text: str, max_chars: int = 16) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 8]}…{text[-7:]}"


def _quote_expression_text(text: str) -> str:
    r"""Return text as it stands in an expression between single quotes.

    >>> _quote_expression_text("it's \\ new")
    "it\\'s \\\\ new"
    """
    printable = "".join(char if char.isprintable() else " " for char in text)
    return printable.replace("\\", "\\\\").replace("'", "\\'")
