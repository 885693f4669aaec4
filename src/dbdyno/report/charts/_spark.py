"""Draws one run's seconds small, as SVG made here, so that they cost the page nothing."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from dbdyno.report._html import Html, element
from dbdyno.report._runs import RunThroughput
from dbdyno.report._series import downsampled

_WIDTH, _HEIGHT = 132, 30


def spark(run: RunThroughput, top: float, *, most: int = _WIDTH, has_stalls: bool = False) -> Html:
    """Return a line over time from zero to `top`; the warm-up grey, the window dark.

    Parameters
    ----------
    most : points that are drawn
    has_stalls : whether stalled seconds are marked below
    """
    if not len(run.tps):
        return Html("")
    first_s, last_s = int(run.second[0]), int(run.second[-1])
    scale = _WIDTH / max(last_s - first_s, 1)
    kept_s, kept_tps = downsampled(run.second, run.tps, most=most)
    heights = _HEIGHT - 3 - (_HEIGHT - 6) * np.minimum(kept_tps / (top or 1.0), 1.0)
    points = np.column_stack([(kept_s - first_s) * scale, heights])
    window_s = int(run.second[run.window_from]) if run.window_from < len(run.second) else last_s
    window_from, start = bisect_left(kept_s.tolist(), window_s), (window_s - first_s) * scale
    width = f"{_WIDTH - start:.1f}"
    shade = element("rect", x=f"{start:.1f}", y=0, width=width, height=_HEIGHT, class_="spark-window")
    warm_up_line = _line_html(points[: window_from + 1], "spark-warm")
    window_line = _line_html(points[window_from:], "spark-line")
    stalled_px = np.unique(np.rint((run.stalled_s - first_s) * scale).astype(np.int64)) if has_stalls else np.zeros(0)
    marks = [
        element("rect", x=int(px[0]) - 1, y=_HEIGHT - 2, width=len(px) + 1, height=2, class_="spark-stall")
        for px in np.split(stalled_px, np.flatnonzero(np.diff(stalled_px) > 1) + 1)
        if len(px)
    ]
    return element(
        "svg",
        shade,
        warm_up_line,
        window_line,
        *marks,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="spark",
        aria_hidden="true",
        preserveAspectRatio="none",
    )


def _line_html(points: NDArray[np.float64], name: str) -> Html:
    """Return a path through points, shape (points, 2); a page has 150,000 of them, so they are formatted together."""
    if len(points) < 2:
        return Html("")
    return element("path", d="M" + "L".join(["%.1f,%.1f"] * len(points)) % tuple(points.ravel().tolist()), class_=name)
