"""What imported tools printed of their own runs, beside the figures that are computed here from their seconds."""

from __future__ import annotations

from dbdyno.analyse import STATUS_WORDS
from dbdyno.core import RunRecord, ToolFigures, format_memory, target_title
from dbdyno.report._format import figure, milliseconds
from dbdyno.report._html import Column, Html, table
from dbdyno.report.sections._frame import Page

_TITLES = (
    "TPS, mean of all intervals",
    "TPS of the settled part",
    "TPS as printed",
    "percentile",
    "of the run, as printed",
    "median of the seconds' percentiles",
    "least",
    "mean",
    "greatest",
)


def printed_table(page: Page) -> Html | None:
    """A row a run; None where no run was imported."""
    told = [record for record in page.analysis.stored if record.imported is not None]
    rows = [_row(record, record.imported) for record in told if record.imported is not None]
    if not rows:
        return None
    columns = [Column("target"), Column("workload"), Column("memory"), Column("connections", True)]
    columns += [Column("repeat", True), *(Column(title, True) for title in _TITLES)]
    facets = [page.facets.of_cell(record.run.cell) for record in told]
    title = "Figures that the tool printed; a median of percentiles is no percentile"
    return table("printed", title, columns, rows, facets=facets)


def _settled(record: RunRecord) -> str:
    """The level; why there is none where it could be judged; empty where it could not."""
    if record.settled is None or record.level_tps is None:
        return ""
    return figure(record.level_tps) if record.is_settled else STATUS_WORDS[record.settled.status]


def _row(record: RunRecord, tool: ToolFigures) -> list[str]:
    cell = record.run.cell
    place = [target_title(cell.target), cell.workload, format_memory(cell.tier_bytes), f"{cell.concurrency:,}"]
    times = (tool.percentile_ns, tool.second_percentile_ns_median, tool.min_ns, tool.mean_ns, tool.max_ns)
    return [
        *place,
        str(record.run.repeat),
        "" if record.tps_mean is None else figure(record.tps_mean),
        _settled(record),
        "" if tool.tps is None else figure(tool.tps),
        "" if tool.percentile is None else f"p{tool.percentile:g}",
        *(milliseconds(value) for value in times),
    ]
