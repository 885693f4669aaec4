"""What a published report prints beside what this study found: one row a claim."""

from __future__ import annotations

from dbdyno.analyse.claims import MARKS, JudgedClaim, about, arithmetic_words, own_words, printed_words
from dbdyno.report._claims import CheckedClaims
from dbdyno.report._html import Column, Html, table
from dbdyno.report.charts import claims_chart
from dbdyno.report.sections._frame import Page, rest, section, subtitle, to_see

_TO_SEE = (
    "On the report's own logs the calculation must give the print, rounded as it was; on any results the print must "
    "lie in the 95 % interval of what has settled. A first place needs a clear difference to all others, a statement "
    "about everything all of its cells: where that fails, a cross stands although the figure is right. Not settled: it "
    "rests on a run without a level that lasts. Results of another machine say nothing against the report."
)


def claims_section(page: Page, held: CheckedClaims | None) -> Html:
    """A chart of the figures and the table, what was told first; nothing where the study follows no report."""
    if held is None:
        return Html("")
    columns = [
        Column("claim", is_name=True),
        Column("verdict", is_name=True),
        Column("what it says"),
        Column("what was counted"),
        Column("printed", True),
        Column("here, 95 %", True),
        Column("what to know of it"),
    ]
    with_figures_first = sorted(held.judged, key=lambda row: row.result.own is None)
    rows = [_row(row) for row in with_figures_first]
    # Not the filter's: a claim is about what it names, whatever is shown.
    what = f"{held.report.title}. {held.tally}."
    chart = claims_chart(held)
    return section(
        "claims",
        "What the report prints, and what is found here",
        subtitle(what),
        page.place(chart) if chart else "",
        rest(
            "claims",
            f"{len(rows)} claims, recomputed",
            table("claims", f"Claims of {held.report.report_id}, recomputed", columns, rows),
            to_see(_TO_SEE),
        ),
    )


def _row(row: JudgedClaim) -> list[str]:
    claim, result = row.claim, row.result
    verdict = f"{MARKS[result.outcome]} {result.outcome}"
    return [
        claim.claim_id,
        verdict,
        claim.sentence,
        arithmetic_words(result),
        printed_words(claim),
        own_words(claim, result),
        about(result),
    ]
