"""Lists the limitations of an imported run that are the same for every tool."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import Caveat, RunStatus, percent
from dbdyno.imports._run import RunVerdict
from dbdyno.stats import SHORTEST_JUDGED_S, noise_interval

FloatArray = NDArray[np.float64]
TOTALS_DIFFER_FROM = 0.005
COVERED_FROM = 0.9


def judgement(failure: str, doubts: Iterable[Caveat | None], remarks: Iterable[Caveat | None]) -> RunVerdict:
    """Return failed for a reason, suspect where there are doubts, else good.

    >>> judgement("", [None], [None]).status, judgement("", [Caveat("cut-off", "it ends early")], []).reason
    ('good', 'it ends early')
    """
    doubt_caveats = [] if failure else [caveat for caveat in doubts if caveat]
    remark_caveats = [caveat for caveat in remarks if caveat]
    status: RunStatus = "failed" if failure else "suspect" if doubt_caveats else "good"
    reason = failure or "; ".join(caveat.text for caveat in doubt_caveats)
    return RunVerdict(status, reason, (*doubt_caveats, *remark_caveats))


def throughput(rates: FloatArray, total: float | None) -> tuple[float | None, float | None]:
    """Return the mean of a run's intervals with its noise; of one interval without; of none the tool's total."""
    if len(rates) >= 2:
        interval = noise_interval(rates)
        return interval.mean, interval.half_width
    return (float(rates[0]) if len(rates) else total), None


def about_intervals(count: int, interval_s: float, *, is_told: bool) -> Caveat | None:
    """Return what intervals hide; None where each is a second."""
    if not count:
        text = "no interval lines: throughput is the total that the tool printed, and its noise is unknown"
        return Caveat("no-intervals", text)
    if not is_told:
        text = f"the log does not say how long its intervals are: taken as {interval_s:g} s from its lines"
        return Caveat("interval-unknown", text)
    if interval_s != 1:
        text = f"intervals of {interval_s:g} s hide shorter stalls and whether throughput had settled"
        return Caveat("long-intervals", text)
    return None


def about_coverage(covered_s: float, whole_s: float | None) -> Caveat | None:
    """Return whether the intervals in the log are those of the whole run, as far as its length is known."""
    if not covered_s or not whole_s or covered_s >= COVERED_FROM * whole_s:
        return None
    text = f"the intervals in the log cover {covered_s:,.0f} s of a run of {whole_s:,.0f} s"
    return Caveat("missing-intervals", text)


def about_totals(tool_tps: float | None, tps_mean: float | None) -> Caveat | None:
    """Return whether what the tool printed for the whole run is what its intervals come to."""
    if tool_tps is None or not tps_mean:
        return None
    share = tool_tps / tps_mean - 1
    if abs(share) < TOTALS_DIFFER_FROM:
        return None
    difference = percent(share, 1, signed=True)
    text = f"the tool's own total, {tool_tps:,.2f} TPS, differs from the mean of its intervals by {difference}"
    return Caveat("totals-differ", text)


def about_window(window_s: float) -> Caveat | None:
    """Return whether the run is too short to be judged; 0 stands for an unknown length."""
    if not 0 < window_s < SHORTEST_JUDGED_S:
        return None
    text = f"the run lasted {window_s:.4g} s: below {SHORTEST_JUDGED_S} s nothing shows whether throughput had settled"
    return Caveat("short-window", text)


def interval_of(end_s: FloatArray, stated_s: int | None) -> tuple[int, bool]:
    """Return the length of intervals in whole seconds by their ends, and whether that is stated or beyond doubt.

    >>> interval_of(np.array([10.0, 20.0, 30.0]), None), interval_of(np.array([7.0]), None)
    ((10, True), (7, False))
    """
    steps = np.diff(end_s)
    if stated_s:
        return stated_s, True
    if len(steps):
        return max(int(steps.min()), 1), bool((steps == steps[0]).all())
    return max(int(end_s[0]) if len(end_s) else 1, 1), False
