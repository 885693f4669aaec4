"""Shows what each transaction type did, and new orders per minute, as TPC-C results are published."""

from __future__ import annotations

from dbdyno.core import TypeFigures
from dbdyno.report._blocks import Column, Section, Table, section, subtitle, to_see
from dbdyno.report._format import figure, milliseconds
from dbdyno.report._types import CellTypes
from dbdyno.report.sections._frame import Page, alike_words, brief_table

_QUANTILES = "Percentiles from the histograms of all repeats together. Lower is better."
_TOLD_QUANTILES = (
    "Means and percentiles as printed by the tool; of several repeats the middle one, of an even number the "
    "larger of the two in the middle. Lower is better."
)
_RATES = (
    " NOPM: new orders per minute, without those rolled back; TPM: transactions of all types per minute. Client and "
    "server count separately. The server's TPM includes the rollbacks of repeated attempts. If they differ otherwise, "
    "something else used the server or work was lost."
)


def types_section(page: Page) -> Section | None:
    """Return two tables; nothing for workloads with one transaction type."""
    cells = page.analysis.types
    if not cells:
        return None
    groups = [cell.group for cell in cells]
    tables = [_type_table(page, cells)]
    sentence = _QUANTILES if page.analysis.study.imported is None else _TOLD_QUANTILES
    if any(cell.rates for cell in cells):
        tables.insert(0, _rate_table(page, cells))
        sentence += _RATES
    subtitle_text = (
        "Counts, rates and response times by transaction type; rates are means over the repeats, with minimum and "
        "maximum."
    )
    return section(
        "types", "Transaction types", subtitle(f"{subtitle_text}{alike_words(groups)}"), *tables, to_see(sentence)
    )


def _rate_table(page: Page, cells: list[CellTypes]) -> Table:
    groups = [cell.group for cell in cells]
    titles = ("NOPM", "TPM", "NOPM by the server", "TPM by the server", "TPM / NOPM (by the mix)")
    rows = [
        (
            cell.group,
            [
                cell.rate_words(lambda rates: rates.nopm),
                cell.rate_words(lambda rates: rates.tpm),
                cell.rate_words(lambda rates: rates.server_nopm),
                cell.rate_words(lambda rates: rates.server_tpm),
                _ratio_words(cell),
            ],
        )
        for cell in cells
        if cell.rates
    ]
    return brief_table(page, "orders", "New orders and transactions per minute", titles, rows, groups)


def _ratio_words(cell: CellTypes) -> str:
    pairs = [(r.server_nopm, r.server_tpm) if r.nopm is None else (r.nopm, r.tpm) for r in cell.rates]
    orders, transactions = (sum(value or 0.0 for value in values) for values in zip(*pairs, strict=True))
    if not orders or not transactions:
        return ""
    by_mix = cell.rates[0].ratio_by_mix
    return f"{transactions / orders:.3f}" + ("" if by_mix is None else f" ({by_mix:.3f})")


def _type_table(page: Page, cells: list[CellTypes]) -> Table:
    groups = [cell.group for cell in cells]
    titles = ("count", "TPS", "mean", "median", "p95", "p99", "repeats", "failed", "rolled back")
    columns: list[str | Column] = [Column("type", is_name=True, most=40), *titles]
    rows = [(cell.group, _type_row(figures)) for cell in cells for figures in cell.types]
    return brief_table(page, "types", "All transaction types of all cells", columns, rows, groups)


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    quantiles = (None, None, None) if latency is None else (latency.p50, latency.p95, latency.p99)
    times = [milliseconds(value) for value in (figures.mean_ns, *quantiles)]
    counts = [f"{count:,}" if count else "" for count in (figures.retries, figures.failed, figures.rolled_back)]
    return [figures.name, f"{figures.completed:,}", figure(figures.tps), *times, *counts]
