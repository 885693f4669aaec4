"""What each transaction type did, and new orders a minute: the shape in which TPC-C results are published."""

from __future__ import annotations

from dbdyno.analyse import listed
from dbdyno.core import TypeFigures, format_bytes
from dbdyno.report._format import milliseconds
from dbdyno.report._html import Column, Html, shortened, table
from dbdyno.report._types import CellTypes
from dbdyno.report.sections._frame import Page, section, subtitle, to_see

_RATES = (
    " NOPM: new orders a minute that were not rolled back; TPM: transactions of all types. The client counts what it "
    "was told, the server what it did; where both differ, somebody else worked on the server, or work was lost."
)
_AXES = (Column("workload"), Column("memory", is_name=True), Column("connections", True))


def types_section(page: Page) -> Html:
    """Two tables; nothing for workloads with one transaction type."""
    cells = page.evidence.types
    if not cells:
        return Html("")
    parts = [_type_table(cells)]
    sentence = "Quantiles are read from the histograms of all repeats together. Lower is better."
    if any(cell.rates for cell in cells):
        parts.insert(0, _rate_table(cells))
        sentence += _RATES
    what = (
        "Counts, rates and response times by transaction type; rates are means over the repeats, with their extremes."
    )
    return section("types", "Transaction types", subtitle(f"{what}{_alike_words(cells)}"), *parts, to_see(sentence))


def _rate_table(cells: list[CellTypes]) -> Html:
    titles = ("NOPM", "TPM", "NOPM by the server", "TPM by the server", "TPM / NOPM")
    columns = [*_place_columns(cells), *(Column(title, True) for title in titles)]
    rows = [
        [
            *_place(cell, cells),
            cell.rate_words(lambda rates: rates.nopm),
            cell.rate_words(lambda rates: rates.tpm),
            cell.rate_words(lambda rates: rates.server_nopm),
            cell.rate_words(lambda rates: rates.server_tpm),
            _ratio_words(cell),
        ]
        for cell in cells
        if cell.rates
    ]
    return table("orders", "New orders and transactions a minute", columns, rows)


def _ratio_words(cell: CellTypes) -> str:
    orders, transactions = (sum(values) for values in zip(*((r.nopm, r.tpm) for r in cell.rates), strict=True))
    if not orders:
        return ""
    by_mix = cell.rates[0].ratio_by_mix
    return f"{transactions / orders:.3f}" + ("" if by_mix is None else f" ({by_mix:.3f} by the mix)")


def _type_table(cells: list[CellTypes]) -> Html:
    titles = ("count", "TPS", "mean", "median", "p95", "p99", "repeats", "failed", "rolled back")
    columns = [*_place_columns(cells), Column("type", is_name=True), *(Column(title, True) for title in titles)]
    rows = [[*_place(cell, cells), *_type_row(figures)] for cell in cells for figures in cell.types]
    return table("types", "Every transaction type of every cell", columns, rows)


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    times = ["", "", "", ""]
    if latency is not None and figures.mean_ns is not None:
        times = [milliseconds(value) for value in (figures.mean_ns, latency.p50, latency.p95, latency.p99)]
    counts = [f"{count:,}" if count else "" for count in (figures.retries, figures.failed, figures.rolled_back)]
    return [shortened(figures.name, 40), f"{figures.completed:,}", f"{figures.tps:,.4g}", *times, *counts]


def _place_columns(cells: list[CellTypes]) -> list[Column]:
    """The target, and of the axes those on which cells differ: what is the same in all rows is said once, above."""
    return [Column("target"), *(column for column, differs in zip(_AXES, _differing(cells), strict=True) if differs)]


def _place(cell: CellTypes, cells: list[CellTypes]) -> list[str]:
    where = zip(_axis_words(cell), _differing(cells), strict=True)
    return [cell.group.cell.target, *(words for words, differs in where if differs)]


def _alike_words(cells: list[CellTypes]) -> str:
    words = zip(_axis_words(cells[0]), _AXES, _differing(cells), strict=True)
    alike = [f"{axis.title} {value}" for value, axis, differs in words if not differs]
    return f" All rows: {listed(alike)}." if alike else ""


def _differing(cells: list[CellTypes]) -> list[bool]:
    return [len(set(values)) > 1 for values in zip(*(_axis_words(cell) for cell in cells), strict=True)]


def _axis_words(cell: CellTypes) -> tuple[str, str, str]:
    where = cell.group.cell
    return where.workload, format_bytes(where.tier_bytes), f"{where.concurrency:,}"
