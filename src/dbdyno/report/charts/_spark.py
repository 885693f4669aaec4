"""Draws one run's seconds small, as SVG made here, so that they cost the page nothing."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report._html import Html, element

SPARK_WIDTH, HEIGHT = 132, 30


def spark(tps: Sequence[float], window_from: int, top: float, *, stalled: Sequence[bool] = ()) -> Html:
    """Return a line from zero to `top`; the warm-up grey, the window dark, stalled seconds marked below.

    Parameters
    ----------
    window_from : index of the first second of the window
    """
    if not tps:
        return Html("")
    step = SPARK_WIDTH / max(len(tps) - 1, 1)
    points = [
        (index * step, HEIGHT - 3 - (HEIGHT - 6) * min(value / (top or 1.0), 1.0)) for index, value in enumerate(tps)
    ]
    start = points[min(window_from, len(points) - 1)][0]
    width = f"{SPARK_WIDTH - start:.1f}"
    shade = element("rect", x=f"{start:.1f}", y=0, width=width, height=HEIGHT, class_="spark-window")
    warm_up_line = _line_html(points[: window_from + 1], "spark-warm")
    window_line = _line_html(points[window_from:], "spark-line")
    marks = [
        element("rect", x=f"{x - 1:.1f}", y=HEIGHT - 2, width=2, height=2, class_="spark-stall")
        for (x, _), is_stalled in zip(points, stalled, strict=False)
        if is_stalled
    ]
    return element(
        "svg",
        shade,
        warm_up_line,
        window_line,
        *marks,
        viewBox=f"0 0 {SPARK_WIDTH} {HEIGHT}",
        class_="spark",
        aria_hidden="true",
        preserveAspectRatio="none",
    )


def _line_html(points: Sequence[tuple[float, float]], name: str) -> Html:
    if len(points) < 2:
        return Html("")
    return element("path", d="M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points), class_=name)
