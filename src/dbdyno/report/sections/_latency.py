"""Response times: shows them at the places of the throughput."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from dbdyno.analyse import CURVE_QUANTILES, SHORTEST_NOISE_S, STATUS_WORDS
from dbdyno.core import Cell, RunRecord, ToolFigures, counted, verb_for
from dbdyno.report._blocks import Block, Column, Section, Table, data_behind, grid, rest, section, subtitle, to_see
from dbdyno.report._format import figure, milliseconds
from dbdyno.report.charts import QUANTILE_WORDS, curve_charts, latency_charts
from dbdyno.report.sections._frame import Page, cell_table

_FIRST = ("p99", "p95", "p50")
"""The first of these quantiles that enough cells have: its charts stand in the page, the others are folded."""
_ENOUGH_CELLS = 0.75
"""Share of the cells with response times; with fewer, a chart shows one target's points and not its rivals'."""
_CUT_WORDS = " Where a whisker leaves its panel, the table has its end."
_CURVE_COLUMNS = (0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)


def latency_section(page: Page) -> Section:
    """Return quantiles against concurrency."""
    charts = latency_charts(page.analysis, page.palette)
    tool_table = printed_table(page)
    if not charts and not tool_table:
        return section("latency", "Response times", to_see("No run has response times yet."))
    cell_counts: Counter[str] = Counter(judgement.quantile for judgement in page.analysis.latency)
    first_quantile = quantile_to_show(cell_counts)
    first_charts = [chart for chart in charts if chart.name.endswith(f"-{first_quantile}")]
    other_charts = [chart for chart in charts if chart not in first_charts]
    closed = page.analysis.facts.is_closed
    kind = (
        "closed loop, measured from the sending of a transaction: waits behind a stall are not included"
        if closed
        else f"{page.analysis.study.pacing.words}, measured from when a transaction was due"
    )
    return section(
        "latency",
        "Response times, " + ("closed loop" if closed else _open_words(page)),
        subtitle(f"Milliseconds on a log scale; {kind}. {_source_words(page)} {_whisker_words(page)}."),
        grid(first_charts),
        rest("latency", "More percentiles", grid(other_charts)) if other_charts else None,
        to_see(
            "Lower is better. A percentile needs 20 transactions beyond it; those of one stall count as one."
            f"{_folded_words(first_quantile, cell_counts)}"
            f"{_CUT_WORDS if any(chart.is_cut for chart in charts) else ''}"
        ),
        data_behind(_latency_table(page)),
        *_curve_blocks(page),
        *([data_behind(tool_table, "Figures printed by the tool, by run")] if tool_table else []),
    )


def quantile_to_show(cell_counts: Mapping[str, int]) -> str:
    """Return the highest quantile that enough cells have, else the one that most have.

    Parameters
    ----------
    cell_counts : of each quantile how many cells have it

    >>> quantile_to_show({"p50": 18, "p95": 17, "p99": 6})
    'p95'
    >>> quantile_to_show({"p50": 18, "p95": 18, "p99": 15})
    'p99'
    """
    most_cells = max(cell_counts.values(), default=0)
    enough = [quantile for quantile in _FIRST if cell_counts.get(quantile, 0) >= _ENOUGH_CELLS * most_cells]
    return enough[0] if enough else max(_FIRST, key=lambda quantile: cell_counts.get(quantile, 0))


def _folded_words(first_quantile: str, cell_counts: Mapping[str, int]) -> str:
    """Return how few cells have the highest quantile, where its charts are folded for that."""
    highest = _FIRST[0]
    count = cell_counts.get(highest, 0)
    if first_quantile == highest or not count:
        return ""
    cells = counted(max(cell_counts.values()), "cell")
    return f" {QUANTILE_WORDS[highest]} is folded: {count:,} of {cells} {verb_for(count, 'has', 'have')} it."


def _curve_blocks(page: Page) -> list[Block]:
    """Return the whole distribution, of cells that have histograms."""
    charts = curve_charts(page.analysis, page.palette)
    missing_count = sum(bool(group.judged) for group in page.analysis.judgements) - len(page.analysis.curves)
    if not charts:
        return [to_see("No curve by percentile: only single percentiles are stored for these runs.")]
    has_choice = len(page.analysis.study.concurrencies) > 1
    choice_words = " Each target at its best connections, or at those selected above." if has_choice else ""
    missing_words = (
        f" No curve for {counted(missing_count, 'cell')}: too little is stored." if missing_count > 0 else ""
    )
    return [
        rest(
            "curves",
            "Response time by percentile",
            subtitle(f"Each step of the axis adds a nine.{choice_words}"),
            grid(charts),
            to_see(
                "A line ends at the last percentile with 20 independent transactions beyond it, at most p99.99. "
                f"Where it bends up, a few transactions wait for something that most do not.{missing_words}"
            ),
            data_behind(_curve_table(page)),
        )
    ]


def _curve_table(page: Page) -> Table:
    shown_quantiles = [q for q in CURVE_QUANTILES if any(abs(q - main) < 1e-9 for main in _CURVE_COLUMNS)]
    rows: list[tuple[Cell, list[str]]] = []
    for curve in page.analysis.curves:
        values = dict(zip(curve.quantiles, curve.values_ns, strict=True))
        rows.append((curve.cell, [milliseconds(values.get(q)) for q in shown_quantiles]))
    titles = [f"p{100 * q:.6g}" for q in shown_quantiles]
    return cell_table(page, "percentiles", "Response time by percentile", titles, rows)


def _source_words(page: Page) -> str:
    """Return where the quantiles come from."""
    printed_count = sum(x.is_told for x in page.analysis.latency)
    if not printed_count:
        return "From the histograms of all repeats together."
    words = (
        "As printed by the tool for each whole run, in its steps; of several runs the middle one, of an even number "
        "the larger of the two in the middle."
    )
    if printed_count < len(page.analysis.latency):
        return f"From histograms where the logs have them; otherwise {words[0].lower()}{words[1:]}"
    return words


def _whisker_words(page: Page) -> str:
    """Return what whiskers are, and which points have none: a short run that was not repeated, or none but printed."""
    kinds: set[str] = {judgement.interval_of for judgement in page.analysis.latency}
    kind_words = {
        frozenset({"repeats"}): "95 % intervals between repeats",
        frozenset({"noise"}): (
            "95 % intervals of the noise within the one run (block bootstrap of seconds), without the spread between "
            "repeats"
        ),
        frozenset({"repeats", "noise"}): (
            "95 % intervals between repeats; for cells with one run, of the noise within that run"
        ),
    }
    words = kind_words.get(frozenset(kinds - {""}), "")
    if "" not in kinds and words:
        return f"Whiskers: {words}"
    bare_words = f"one run with fewer than {SHORTEST_NOISE_S} seconds of histograms has no interval"
    return f"Whiskers: {words}; {bare_words}" if words else f"No whiskers: {bare_words}"


def _open_words(page: Page) -> str:
    pacing = page.analysis.study.pacing
    if pacing.search is not None:
        return "at the highest rate that held"
    return "varied rate" if pacing.stretches else "fixed rate"


def _latency_table(page: Page) -> Table:
    numbers = ("value", "low", "high", "transactions beyond", "independent")
    rows = [
        (
            x.cell,
            [
                QUANTILE_WORDS[x.quantile],
                milliseconds(x.value_ns),
                milliseconds(x.low_ns) if x.low_ns else "",
                milliseconds(x.high_ns) if x.high_ns else "",
                f"{x.beyond_count:,}",
                f"{x.independent_count:,.0f}" if x.independent_count is not None else "",
                {"repeats": "repeats", "noise": "one run, noise alone", "": ""}[x.interval_of],
            ],
        )
        for x in page.analysis.latency
    ]
    titles: list[str | Column] = [Column("quantile"), *numbers, Column("interval of")]
    return cell_table(page, "response-times", "Response-time percentiles with 95 % intervals", titles, rows)


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


def printed_table(page: Page) -> Table | None:
    """Return a row a run; None where no run was imported."""
    records = page.analysis.stored
    rows = [
        (record.run.cell, _latency_row(record, record.imported)) for record in records if record.imported is not None
    ]
    title = "Figures printed by the tool; a median of percentiles is not a percentile"
    return cell_table(page, "printed", title, ("repeat", *_TITLES), rows) if rows else None


def _level_cell(record: RunRecord) -> str:
    """Return the level; why there is none where it could be judged; empty where it could not."""
    if record.settled is None or record.level_tps is None:
        return ""
    return figure(record.level_tps) if record.is_settled else STATUS_WORDS[record.settled.status]


def _latency_row(record: RunRecord, tool: ToolFigures) -> list[str]:
    times = (tool.percentile_ns, tool.second_percentile_ns_median, tool.min_ns, tool.mean_ns, tool.max_ns)
    return [
        str(record.run.repeat),
        "" if record.figures.tps_mean is None else figure(record.figures.tps_mean),
        _level_cell(record),
        "" if tool.tps is None else figure(tool.tps),
        "" if tool.percentile is None else f"p{tool.percentile:g}",
        *(milliseconds(value) for value in times),
    ]
