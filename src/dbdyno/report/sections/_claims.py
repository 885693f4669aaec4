"""Claims: compares what a published report prints with what this study found, one row per claim."""

from __future__ import annotations

from dbdyno.core import counted
from dbdyno.report._blocks import Section, rest, section, subtitle, to_see
from dbdyno.report._claims import CLAIMS_TITLE, CheckedClaims, claims_table, claims_words
from dbdyno.report.charts import claims_chart

_TO_SEE = (
    "On the report's own logs, the calculation must give the printed figure, rounded as in print. On other results, "
    "the printed figure must lie in the 95 % interval of the settled runs. A first place needs a clear difference "
    "from all others; a statement about all cells needs every cell. If that fails, a cross appears although the "
    "figure is right. Not settled: a run behind it has no steady level. Results of a different machine do not "
    "contradict the report."
)


def claims_section(held: CheckedClaims | None) -> Section | None:
    """Return a chart of the figures and the table; nothing where the study follows no report."""
    if held is None:
        return None
    # Not filtered: a claim names its own cells, whatever is selected.
    return section(
        "claims",
        CLAIMS_TITLE,
        subtitle(claims_words(held)),
        claims_chart(held),
        rest("claims", f"{counted(len(held.judged), 'claim')}, recomputed", claims_table(held), to_see(_TO_SEE)),
    )
