"""Draws the bridge from one target's time to another's: each part a step, with its interval.

Both whole times are ticks, not bars, so that the axis need not begin at zero. A decided step is filled, any other is
dashed and hollow, and without a number where it is undecided; what no source accounts for is grey, from 0.1 % of the
shorter time on. Steps below 1 % of it stand together.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse.explain import LEAST_SHARE, REST, Gap, PartGap, least_total, ms_words
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row
from dbdyno.report.charts._vega_lite import Drawing, constant, drawing_of, field_of, layer
from dbdyno.report.why._rows import side_titles

_ROW_PX = 26
_MOST_STEPS = 9
_SPLITS = {
    "why-bridge": "by statement",
    "why-threads-bridge": "by what the session threads did",
    "why-processors-bridge": "by whose work the processors did",
}
_LEAST_SHOWN = LEAST_SHARE / 3
_LEAST_REST = 1e-3
_MOST_LETTERS = 32
_COLOURS = {"more": "var(--s1)", "less": "var(--s2)", "rest": "var(--warm)"}


def bridge_chart(gap: Gap, name: str = "why-bridge") -> Chart | None:
    """Return the chart of a gap; None where nothing but the whole times is known.

    Parameters
    ----------
    name : says by what the gap is split, see `_SPLITS`
    """
    if not gap.parts:
        return None
    rows = _bridge_rows(gap)
    left, right = side_titles(gap)
    title = f"From {left} to {right}, milliseconds per transaction {_SPLITS[name]}"
    panel = (gap.left.workload, gap.left.route, gap.left.tier_bytes)
    return Chart(name, title, _description(gap, rows), _drawing(rows), panel, {"names_above": len(rows)})


def _bridge_rows(gap: Gap) -> list[Row]:
    left, right = (_shorten(title) for title in side_titles(gap))
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    left_ms, right_ms = gap.total.left_ms, gap.total.right_ms
    rows: list[Row] = [_total_row(0, left, left_ms, scale)]
    level_ms = left_ms
    for words, ms, bounds, kind, state in _part_steps(gap):
        row = {
            "order": len(rows),
            "step": _shorten(words),
            "from": level_ms,
            "to": level_ms + ms,
            "kind": kind,
            "state": state,
        }
        number = ms_words(ms, scale, signed=True)
        low, high = (level_ms + end_ms for end_ms in bounds) if bounds else (level_ms + ms, level_ms + ms)
        interval = " to ".join(ms_words(value, scale, signed=True) for value in bounds) if bounds else ""
        value_words = state if state == "undecided" else number
        words = f"{number} ms{f' ({interval})' if interval else ''}, {state}"
        rows.append({**row, "low": low, "high": high, "shown": value_words, "words": words})
        level_ms += ms
    return [*rows, _total_row(len(rows), right, right_ms, scale)]


def _total_row(order: int, words: str, ms: float, scale: float) -> Row:
    bar_ends = {"from": ms, "to": ms, "low": ms, "high": ms}
    total_words = f"{ms_words(ms, scale)} ms"
    return {
        "order": order,
        "step": words,
        **bar_ends,
        "kind": "total",
        "state": "total",
        "shown": total_words,
        "words": total_words,
    }


Step = tuple[str, float, tuple[float, float] | None, str, str]


def _part_steps(gap: Gap) -> list[Step]:
    """Return words, milliseconds, interval, kind and state of each step; small ones together, the rest last."""
    least_ms = _LEAST_SHOWN * min(gap.total.left_ms, gap.total.right_ms)
    named_parts = [part for part in gap.parts if part.part_id != REST]
    shown_parts = [
        part for part in named_parts if part.difference.verdict == "decided" or abs(part.difference.ms) >= least_ms
    ]
    shown_parts = shown_parts[:_MOST_STEPS]
    other_parts = [part for part in named_parts if part not in shown_parts]
    steps = [_part_step(part) for part in shown_parts]
    if other_parts:
        ms = sum(part.difference.ms for part in other_parts)
        words = other_parts[0].words if len(other_parts) == 1 else f"{len(other_parts)} others"
        steps.append((words, ms, None, "more" if ms > 0 else "less", "together"))
    least_rest_ms = _LEAST_REST * min(gap.total.left_ms, gap.total.right_ms)
    rest_parts = [part for part in gap.parts if part.part_id == REST and abs(part.difference.ms) >= least_rest_ms]
    return [*steps, *((part.words, part.difference.ms, None, "rest", "not accounted for") for part in rest_parts)]


def _part_step(part: PartGap) -> Step:
    difference = part.difference
    return (
        part.words,
        difference.ms,
        (difference.low, difference.high),
        "more" if difference.ms > 0 else "less",
        difference.verdict,
    )


def _drawing(rows: Sequence[Row]) -> Drawing:
    names = [row["step"] for row in rows]
    # Names of two steps can be alike when they are cut; their places can't.
    label = f"{names!r}[datum.value]".replace("\\x", "\\u00")
    y_axis = dict(title=None, labelExpr=label, labelLimit=200, ticks=False)
    y = field_of("order:O", axis=y_axis, scale=dict(domain=list(range(len(rows)))))
    span = [value for row in rows for value in (row["from"], row["to"], row["low"], row["high"])]
    axis_ends = _axis_ends(rows, span)
    scale = dict(domain=axis_ends, nice=False, zero=False)
    x_axis = dict(title="milliseconds per transaction", grid=True, tickCount=6)
    kinds = dict(domain=list(_COLOURS), range=list(_COLOURS.values()))
    tooltip = [field_of("step:N", title="part"), field_of("words:N", title="difference, 95 %")]
    base = drawing_of(rows).encode(y=y, tooltip=tooltip)
    x = field_of("from:Q", scale=scale, axis=x_axis)
    colour = field_of("kind:N", scale=kinds, legend=None)
    bars = base.transform_filter("datum.kind != 'total'").encode(x=x, x2=field_of("to"), color=colour)
    is_firm = "datum.state == 'decided' || datum.kind == 'rest'"
    filled_bars = bars.transform_filter(is_firm).mark_bar(size=15)
    hollow_bars = bars.transform_filter(f"!({is_firm})").mark_bar(size=15, fillOpacity=0.14, strokeWidth=1.2)
    hollow_bars = hollow_bars.encode(stroke=field_of("kind:N", scale=kinds, legend=None), strokeDash=constant([3, 3]))
    whisker = bars.mark_rule(strokeWidth=1.2, clip=True).encode(
        x=field_of("low:Q", scale=scale, axis=x_axis),
        x2=field_of("high"),
        color=constant("var(--ink)"),
    )
    totals = base.transform_filter("datum.kind == 'total'")
    tick = totals.mark_tick(thickness=4, size=19).encode(x=x, color=constant("var(--ink)"))
    text = base.transform_calculate(right=f"min(max(datum.to, datum.from, datum.high), {axis_ends[1]})")
    text = text.mark_text(align="left", dx=6, fontSize=11).encode(
        x=field_of("right:Q", scale=scale), text=field_of("shown:N")
    )
    height = _ROW_PX * len(rows)
    padding = {"left": 4, "top": 4, "bottom": 4, "right": 64}
    return layer(filled_bars, hollow_bars, whisker, tick, text, height=height, padding=padding, autosize=AUTOSIZE)


def _axis_ends(rows: Sequence[Row], span: Sequence[float]) -> list[float]:
    """Return the ends of the axis: all steps, and their intervals unless they are hopelessly wide."""
    low, high = (extreme(row[name] for row in rows for name in ("from", "to")) for extreme in (min, max))
    max_margin = max(high - low, 0.02 * high)
    padding = 0.04 * (high - low)
    return [max(min(*span, low - padding), low - max_margin, 0.0), min(max(span), high + max_margin)]


def _shorten(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else f"{words[: _MOST_LETTERS - 1]}…"


def _description(gap: Gap, rows: Sequence[Row]) -> str:
    left, right = side_titles(gap)
    steps_words = "; ".join(f"{row['step']} {row['words']}" for row in rows[1:-1])
    return f"Steps from {left}, {rows[0]['shown']}, to {right}, {rows[-1]['shown']}: {steps_words}."
