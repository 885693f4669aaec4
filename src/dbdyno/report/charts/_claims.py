"""Draws recomputed figures against printed ones: how far each lies from the print, with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse.claims import JudgedClaim, is_of_cells, own_words, printed_words
from dbdyno.report._claims import CheckedClaims, claim_words
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row
from dbdyno.report.charts._vega_lite import Drawing, drawing_of, field_of, layer

_SHAPES = {"holds": "circle", "does not hold": "cross", "not settled": "triangle", "can't be told": "diamond"}
_ROW_PX = 22


def claims_chart(held: CheckedClaims) -> Chart | None:
    """Return one row for each claim about a figure that was recomputed; None where there is none."""
    rows = [row for judged_claim in held.judged if (row := _claim_row(judged_claim)) is not None]
    if not rows:
        return None
    words = "; ".join(f"{row['claim']} {row['shown']} against {row['printed']}: {row['outcome']}" for row in rows)
    title = "Recomputed figures, as difference from the printed ones"
    return Chart("claims", title, f"{title}. {words}.", _drawing(rows))


def _claim_row(judged_claim: JudgedClaim) -> Row | None:
    claim, result = judged_claim.claim, judged_claim.result
    if len(claim.values) != 1 or is_of_cells(claim) or result.own is None or result.low is None or result.high is None:
        return None
    value = claim.values[0]
    percents = {
        name: 100 * (end / value - 1) for name, end in (("own", result.own), ("low", result.low), ("high", result.high))
    }
    return {
        "claim": claim.claim_id,
        "words": claim_words(judged_claim),
        "printed": printed_words(claim),
        "shown": own_words(claim, result),
        "outcome": result.outcome,
        **percents,
    }


def _drawing(rows: Sequence[Row]) -> Drawing:
    names = [row["claim"] for row in rows]
    x_axis = dict(
        title="difference from the printed figure, percent; whiskers: 95 % interval",
        labelExpr="datum.value == 0 ? 'as printed' : format(datum.value, '+')",
        tickMinStep=1,
        tickCount=8,
    )
    y_axis = dict(title=None, labelLimit=120, ticks=False, domain=False)
    tooltip = [
        field_of("claim:N", title="claim"),
        field_of("words:N", title="says"),
        field_of("printed:N", title="printed"),
        field_of("shown:N", title="here"),
        field_of("outcome:N", title="verdict"),
    ]
    base = drawing_of(rows).encode(y=field_of("claim:N", sort=names, axis=y_axis), tooltip=tooltip)
    print_line = (
        drawing_of([{"print": 0}]).mark_rule(strokeDash=[4, 3], color="var(--quiet)").encode(x=field_of("print:Q"))
    )
    whisker = base.mark_rule(strokeWidth=3, strokeCap="round", color="var(--ink)", opacity=0.45).encode(
        x=field_of("low:Q", axis=x_axis), x2=field_of("high")
    )
    scale = dict(domain=list(_SHAPES), range=list(_SHAPES.values()))
    legend = dict(title=None, orient="top", symbolFillColor="var(--ink)", symbolStrokeColor="var(--ink)")
    dot = base.mark_point(filled=True, size=80, opacity=1, color="var(--ink)").encode(
        x=field_of("own:Q", axis=x_axis), shape=field_of("outcome:N", scale=scale, legend=legend)
    )
    return layer(print_line, whisker, dot, height=_ROW_PX * len(rows), autosize=AUTOSIZE)
