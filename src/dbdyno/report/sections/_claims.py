"""What a published report prints beside what this study found: one row a claim."""

from __future__ import annotations

from dbdyno.report._blocks import Section, rest, section, subtitle, to_see
from dbdyno.report._claims import CLAIMS_TITLE, CheckedClaims, claims_table, claims_words
from dbdyno.report.charts import claims_chart

_TO_SEE = (
    "On the report's own logs the calculation must give the print, rounded as it was; on any results the print must "
    "lie in the 95 % interval of what has settled. A first place needs a clear difference to all others, a statement "
    "about everything all of its cells: where that fails, a cross stands although the figure is right. Not settled: it "
    "rests on a run without a level that lasts. Results of another machine say nothing against the report."
)


def claims_section(held: CheckedClaims | None) -> Section | None:
    """A chart of the figures and the table; nothing where the study follows no report."""
    if held is None:
        return None
    # Not the filter's: a claim is about what it names, whatever is shown.
    return section(
        "claims",
        CLAIMS_TITLE,
        subtitle(claims_words(held)),
        claims_chart(held),
        rest("claims", f"{len(held.judged)} claims, recomputed", claims_table(held), to_see(_TO_SEE)),
    )
