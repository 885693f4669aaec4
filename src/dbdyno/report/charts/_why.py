"""Draws the charts of an explanation together: the bridge of its pair, and the stacked times of all targets."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report.charts._bridge import bridge_chart
from dbdyno.report.charts._stacked_time import stacked_time_charts
from dbdyno.report.charts._style import Chart
from dbdyno.report.why._choice import Why


def why_charts(why: Why, targets: Sequence[str]) -> list[Chart]:
    """Return every chart; none where no cell can be explained."""
    if why.explanation is None or why.place is None:
        return []
    bridge = None if why.gap is None else bridge_chart(why.gap)
    bridges = [chart for chart in (processors_bridge(why), bridge) if chart is not None]
    return [*bridges, *stacked_time_charts(why.explanation, why.place, targets), *thread_charts(why, targets)]


def processors_bridge(why: Why) -> Chart | None:
    """Return the steps by whose work the processors did; None where none of them is decided."""
    gap = why.user_gap
    return None if gap is None or not gap.with_verdict("decided") else bridge_chart(gap, "why-processors-bridge")


def thread_charts(why: Why, targets: Sequence[str]) -> list[Chart]:
    """Return the same two by what the server's threads did; none where they were not watched."""
    if why.threads is None or why.place is None:
        return []
    bridge = None if why.thread_gap is None else bridge_chart(why.thread_gap, "why-threads-bridge")
    stacked = stacked_time_charts(why.threads, why.place, targets, "why-threads-stacked")
    return [*([bridge] if bridge else []), *stacked]
