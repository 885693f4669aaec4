"""Shows all runs on one screen: small drawings in a table of targets by connections, outliers framed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dbdyno.core import RunRecord, counted, target_title
from dbdyno.report._html import Html, element, shortened
from dbdyno.report._runs import RunThroughput
from dbdyno.report.charts import panel_title, spark
from dbdyno.report.sections._frame import Page

_POINTS = 36
"""Points of a small drawing."""

Panel = tuple[str, str, int]


def overview(page: Page, seconds: Mapping[str, RunThroughput], odd: set[str]) -> Html:
    """Return a table for each workload, route and memory size.

    Parameters
    ----------
    odd : ids of runs that are framed
    """
    highest_tps: dict[tuple[Panel, int], float] = defaultdict(float)
    by_cell: dict[Panel, dict[tuple[str, int], list[RunRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in page.analysis.records:
        cell = record.run.cell
        panel = (cell.workload, cell.route, cell.tier_bytes)
        by_cell[panel][cell.target, cell.concurrency].append(record)
        if (run_seconds := seconds.get(record.run.run_id)) is not None and len(run_seconds.tps):
            highest_tps[panel, cell.concurrency] = max(
                highest_tps[panel, cell.concurrency], float(run_seconds.tps.max())
            )
    panels = [_panel_html(page, panel, cells, seconds, highest_tps, odd) for panel, cells in by_cell.items()]
    return element("div", *panels, class_="overview-grid")


def _panel_html(
    page: Page,
    panel: Panel,
    cells: Mapping[tuple[str, int], Sequence[RunRecord]],
    seconds: Mapping[str, RunThroughput],
    highest_tps: Mapping[tuple[Panel, int], float],
    framed_ids: set[str],
) -> Html:
    places = sorted({concurrency for _, concurrency in cells})
    variables = {look.target: look.variable for look in page.palette.looks}
    head = [element("th", "connections", scope="col"), *(element("th", f"{n:,}", scope="col") for n in places)]
    rows = []
    for target in page.analysis.targets:
        run_cells = [
            element(
                "td",
                *(
                    _small_strip(r, seconds.get(r.run.run_id), highest_tps[panel, n], framed_ids)
                    for r in cells.get((target, n), ())
                ),
            )
            for n in places
        ]
        name = element("th", shortened(target_title(target), 34), scope="row")
        facet_tokens, style = page.facets.of(targets=[target]) or None, f"--c:var(--{variables[target]})"
        rows.append(element("tr", name, *run_cells, data_f=facet_tokens, style=style))
    columns = " ".join(["-", *(page.facets.of(concurrency=n) or "-" for n in places)])
    title = panel_title(page.analysis, *panel)
    table = element(
        "table",
        element("caption", title),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="overview",
        data_cols=columns,
    )
    facet_tokens = page.facets.of(*panel) or None
    return element(
        "div", table, class_="scroll", tabindex=0, role="region", aria_label=f"Runs, {title}", data_f=facet_tokens
    )


def _small_strip(
    record: RunRecord, run_seconds: RunThroughput | None, highest_tps: float, framed_ids: set[str]
) -> Html:
    words = f"{target_title(record.run.cell.target)}, {counted(record.run.cell.concurrency, 'connection')}"
    words = f"{words}, {record.run.repeat_words}: {record.status}"[:400]
    if run_seconds is None or not len(run_seconds.tps):
        return element("span", "✕", class_="no-strip", title=words)
    return element(
        "button",
        spark(run_seconds, highest_tps, most=_POINTS),
        type="button",
        class_="odd" if record.run.run_id in framed_ids else None,
        data_run=record.run.run_id,
        aria_label=f"{words}. Open its seconds.",
        aria_controls="detail",
        title=words,
    )
