"""Draws one cell over many studies: a point with interval per study, a line per level, a rule per change."""

from __future__ import annotations

from dbdyno.analyse import CellHistory
from dbdyno.report._format import figure
from dbdyno.report.charts._style import Chart, Row
from dbdyno.report.charts._vega_lite import constant, drawing_of, field_of, layer

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
    x_scale = dict(domain=[-0.5, len(points) - 0.5], nice=False)
    y_scale = dict(domain=[0, top], nice=False)
    axis_title = "TPS" if history.measure == "tps" else "ms"
    names = "[" + ",".join(f"'{_quote_expression_text(row['label'])}'" for row in points) + "]"
    x_axis = dict(
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
    x = field_of("at:Q", scale=x_scale, axis=x_axis)
    y = field_of("value:Q", scale=y_scale, axis=dict(title=axis_title, minExtent=44))
    base = drawing_of(points)
    tooltip = [field_of("study:N"), field_of("version:N"), field_of("shown:N", title=axis_title)]
    bars = base.mark_rule(color="var(--quiet)", strokeWidth=1.2, clip=True).encode(
        x=x, y=field_of("low:Q"), y2=field_of("high")
    )
    dots = base.mark_point(filled=True, size=34, color="var(--s0)", opacity=1).encode(x=x, y=y, tooltip=tooltip)
    levels = drawing_of(_level_rows(history, scale)).mark_rule(color="var(--s1)", strokeWidth=2.2)
    moves = _move_rows(history, top)
    drawing = layer(
        bars,
        levels.encode(x=field_of("from:Q", scale=x_scale), x2=field_of("to"), y=field_of("level:Q", scale=y_scale)),
        dots,
        drawing_of(moves).mark_rule(color="var(--s1)", strokeDash=[3, 3]).encode(x=field_of("at:Q")),
        drawing_of(moves)
        .mark_text(align="left", dx=4, dy=8, fontSize=11, color="var(--ink)")
        .encode(x=field_of("at:Q"), y=constant(2), text=field_of("words:N")),
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
