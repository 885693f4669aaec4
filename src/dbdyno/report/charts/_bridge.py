"""Draws the bridge from one target's time to another's: each part a step, with its interval.

Both whole times are ticks, not bars, so that the axis need not begin at zero. A decided step is filled, any other is
dashed and hollow, and without a number where it is undecided; what no source accounts for is grey, from 0.1 % of the
shorter time on. Steps below 1 % of it stand together.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from dbdyno.analyse.explain import LEAST_SHARE, REST, Gap, PartGap, least_total, ms_words
from dbdyno.report._why import side_titles
from dbdyno.report.charts._style import AUTOSIZE, Chart, Drawing, Row, Unit, rows_data

_ROW_PX = 26
_MOST_STEPS = 9
_LEAST_SHOWN = LEAST_SHARE / 3
_LEAST_REST = 1e-3
_MOST_LETTERS = 32
_COLOURS = {"more": "var(--s1)", "less": "var(--s2)", "rest": "var(--warm)"}


def bridge_chart(gap: Gap, name: str = "why-bridge") -> Chart | None:
    """The chart of a gap; None where nothing but the whole times is known."""
    if not gap.parts:
        return None
    rows = _rows(gap)
    left, right = side_titles(gap)
    title = f"From {left} to {right}, milliseconds per transaction"
    panel = (gap.left.workload, gap.left.route, gap.left.tier_bytes)
    return Chart(name, title, _description(gap, rows), _drawing(rows), panel)


def _rows(gap: Gap) -> list[Row]:
    left, right = (_short(title) for title in side_titles(gap))
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    begin, end = gap.total.left_ms, gap.total.right_ms
    rows: list[Row] = [_total(0, left, begin, scale)]
    at = begin
    for words, ms, ends, kind, state in _steps(gap):
        row = {"order": len(rows), "step": _short(words), "from": at, "to": at + ms, "kind": kind, "state": state}
        number = ms_words(ms, scale, signed=True)
        low, high = (at + end_ms for end_ms in ends) if ends else (at + ms, at + ms)
        interval = " to ".join(ms_words(value, scale, signed=True) for value in ends) if ends else ""
        shown = state if state == "undecided" else number
        words = f"{number} ms{f' ({interval})' if interval else ''}, {state}"
        rows.append({**row, "low": low, "high": high, "shown": shown, "words": words})
        at += ms
    return [*rows, _total(len(rows), right, end, scale)]


def _total(order: int, words: str, ms: float, scale: float) -> Row:
    ends = {"from": ms, "to": ms, "low": ms, "high": ms}
    shown = f"{ms_words(ms, scale)} ms"
    return {"order": order, "step": words, **ends, "kind": "total", "state": "total", "shown": shown, "words": shown}


Step = tuple[str, float, tuple[float, float] | None, str, str]


def _steps(gap: Gap) -> list[Step]:
    """Words, milliseconds, interval, kind and state of each step; small ones together, the rest last."""
    least = _LEAST_SHOWN * min(gap.total.left_ms, gap.total.right_ms)
    named = [part for part in gap.parts if part.part_id != REST]
    shown = [part for part in named if part.difference.verdict == "decided" or abs(part.difference.ms) >= least]
    shown = shown[:_MOST_STEPS]
    others = [part for part in named if part not in shown]
    steps = [_step(part) for part in shown]
    if others:
        ms = sum(part.difference.ms for part in others)
        words = others[0].words if len(others) == 1 else f"{len(others)} others"
        steps.append((words, ms, None, "more" if ms > 0 else "less", "together"))
    least_rest = _LEAST_REST * min(gap.total.left_ms, gap.total.right_ms)
    rests = [part for part in gap.parts if part.part_id == REST and abs(part.difference.ms) >= least_rest]
    return [*steps, *((part.words, part.difference.ms, None, "rest", "not accounted for") for part in rests)]


def _step(part: PartGap) -> Step:
    found = part.difference
    return part.words, found.ms, (found.low, found.high), "more" if found.ms > 0 else "less", found.verdict


def _drawing(rows: Sequence[Row]) -> Drawing:
    names = [row["step"] for row in rows]
    # Names of two steps can be alike when they are cut; their places can't.
    label = f"{names!r}[datum.value]".replace("\\x", "\\u00")
    y_axis = alt.Axis(title=None, labelExpr=label, labelLimit=200, ticks=False)
    y = alt.Y("order:O", axis=y_axis, scale=alt.Scale(domain=list(range(len(rows)))))
    span = [value for row in rows for value in (row["from"], row["to"], row["low"], row["high"])]
    ends = _ends(rows, span)
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    x_axis = alt.Axis(title="milliseconds per transaction", grid=True, tickCount=6)
    kinds = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    tooltip = [alt.Tooltip("step:N", title="part"), alt.Tooltip("words:N", title="difference, 95 %")]
    base = Unit(rows_data(rows)).encode(y=y, tooltip=tooltip)
    x = alt.X("from:Q", scale=scale, axis=x_axis)
    colour = alt.Color("kind:N", scale=kinds, legend=None)
    bars = base.transform_filter("datum.kind != 'total'").encode(x=x, x2=alt.X2("to:Q"), color=colour)
    is_firm = "datum.state == 'decided' || datum.kind == 'rest'"
    filled = bars.transform_filter(is_firm).mark_bar(size=15)
    hollow = bars.transform_filter(f"!({is_firm})").mark_bar(size=15, fillOpacity=0.14, strokeWidth=1.2)
    hollow = hollow.encode(stroke=alt.Stroke("kind:N", scale=kinds, legend=None), strokeDash=alt.value([3, 3]))
    whisker = bars.mark_rule(strokeWidth=1.2, clip=True).encode(
        x=alt.X("low:Q", scale=scale, axis=x_axis), x2=alt.X2("high:Q"), color=alt.value("var(--ink)")
    )
    totals = base.transform_filter("datum.kind == 'total'")
    tick = totals.mark_tick(thickness=4, size=19).encode(x=x, color=alt.value("var(--ink)"))
    text = base.transform_calculate(right=f"min(max(datum.to, datum.from, datum.high), {ends[1]})")
    text = text.mark_text(align="left", dx=6, fontSize=11).encode(x=alt.X("right:Q", scale=scale), text="shown:N")
    height = _ROW_PX * len(rows)
    padding = {"left": 4, "top": 4, "bottom": 4, "right": 64}
    return alt.layer(filled, hollow, whisker, tick, text, height=height, padding=padding, autosize=AUTOSIZE)


def _ends(rows: Sequence[Row], span: Sequence[float]) -> list[float]:
    """Ends of the axis: all steps, and their intervals as far as they are not hopelessly wide."""
    low, high = (edge(row[name] for row in rows for name in ("from", "to")) for edge in (min, max))
    room = max(high - low, 0.02 * high)
    edge = 0.04 * (high - low)
    return [max(min(*span, low - edge), low - room, 0.0), min(max(span), high + room)]


def _short(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else f"{words[: _MOST_LETTERS - 1]}…"


def _description(gap: Gap, rows: Sequence[Row]) -> str:
    left, right = side_titles(gap)
    told = "; ".join(f"{row['step']} {row['words']}" for row in rows[1:-1])
    return f"Steps from {left}, {rows[0]['shown']}, to {right}, {rows[-1]['shown']}: {told}."
