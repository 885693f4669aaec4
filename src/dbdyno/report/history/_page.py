"""Builds the page of a history: what moved, a chart and table per series, what was left out, the method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dbdyno.analyse import METHOD, MOST_P, CellHistory, Measure
from dbdyno.core import counted
from dbdyno.report._blocks import (
    Column,
    ListOf,
    Paragraph,
    Section,
    Table,
    data_behind,
    grid,
    section,
    subtitle,
    there,
)
from dbdyno.report._document import document
from dbdyno.report._format import clock_time, figure
from dbdyno.report._html import Html, element, shortened, to_html
from dbdyno.report._palette import Palette
from dbdyno.report._write_atomic import write_atomic
from dbdyno.report.charts import history_chart
from dbdyno.report.history._gather import History
from dbdyno.report.history._words import (
    MEASURE_WORDS,
    between_words,
    cell_words,
    changed_words,
    end_words,
    grouped_words,
    headline,
    history_caveats,
    is_telling,
    level_words,
    move_words,
    smallest_words,
    value_words,
)

_CONTENTS = (
    ("answer", "Answer"),
    ("series", "Series"),
    ("moves", "Change points"),
    ("points", "Data"),
    ("method", "Method"),
)
_MOST_SENTENCES = 3
_METHOD_WORDS = (
    "Each study gives one value per cell. The energy statistic (E-divisive, in windows of 50 studies) finds where a "
    f"series splits best. A split is a change point if Student's t between both levels gives p below {MOST_P:g} and "
    "the levels differ by {least_move} or more; the weakest splits are dropped first. Levels are geometric means. The "
    "interval of a change follows from the spread between studies and is never narrower than the intervals of the "
    "studies. If an unchanged target shows the same change, the machine changed."
)


def build_history_page(history: History, measure: Measure, out: Path) -> Path:
    """Write the page of a history; the file that was written.

    Raises
    ------
    StoreError : the file can't be written
    """
    return write_atomic(out, history_page_text(history, measure).encode())


def history_page_text(history: History, measure: Measure) -> str:
    """Return the page of a history."""
    specs: dict[str, dict[str, Any]] = {}
    sections = (
        _head_section(history, measure),
        _series_section(history, measure, specs),
        _moves_section(history, measure),
        _points_section(history, measure),
        _method_section(history, measure),
    )
    body = to_html(there(sections))
    title = f"History: {headline(history, measure)}"
    return document(title, _CONTENTS, body, {"specs": specs}, Palette(()), "history.js")


def _head_section(history: History, measure: Measure) -> Html:
    first, last = history.studies[0], history.studies[-1]
    names = dict.fromkeys(study.side.study.name for study in history.studies)
    kicker = f"{', '.join(names)}: {counted(len(history.studies), 'study', 'studies')}, "
    kicker += f"{clock_time(first.at_ns)[:10]} to {clock_time(last.at_ns)[:10]}, by {history.order}"
    sentences = grouped_words(history, measure)[:_MOST_SENTENCES] or [_stillness_sentence(history, measure)]
    answer = element("div", element("h2", "Answer"), to_html(map(Paragraph, sentences)), class_="answer")
    caveats = history_caveats(history, measure)
    limitations = (
        element("div", element("h2", "Limitations"), to_html([ListOf(caveats)]), class_="weak") if caveats else ""
    )
    return element(
        "section",
        element("p", kicker, class_="kicker"),
        element("h1", headline(history, measure)),
        element("div", answer, limitations, class_="first"),
        id="answer",
    )


def _stillness_sentence(history: History, measure: Measure) -> str:
    if history.moves(measure):
        return "Unchanged targets show every one of these changes, too."
    smallest_ratios = sorted(cell.smallest for cell in history.cells[measure] if is_telling(cell))
    if not smallest_ratios:
        return "Too few studies to separate a change from the spread between them."
    middle = figure(100 * (smallest_ratios[len(smallest_ratios) // 2] - 1), 2)
    return f"In half of the series, the next study must differ by {middle} % or more to be a change point."


def _series_section(history: History, measure: Measure, specs: dict[str, dict[str, Any]]) -> Section:
    labels = {index: study.label for index, study in enumerate(history.studies)}
    figures = []
    sorted_cells = sorted(history.cells[measure], key=lambda cell: -len(cell.moves))
    for number, cell in enumerate(cell for cell in sorted_cells if len(cell.points) > 1):
        title = cell_words(history, cell.cell)
        chart = history_chart(f"history-{number + 1}", title, _series_sentence(history, cell), cell, labels)
        specs[chart.name] = chart.spec()
        canvas = element(
            "div",
            class_="chart",
            data_chart=chart.name,
            role="img",
            aria_label=chart.description[:4000],
            style=f"min-height:{specs[chart.name]['height'] + 60}px",
        )
        caption = element("figcaption", shortened(title, 90))
        figures.append(
            element("figure", caption, canvas, element("p", _series_sentence(history, cell), class_="to-see"))
        )
    words = MEASURE_WORDS[measure].capitalize()
    unit = "transactions per second" if measure == "tps" else "milliseconds"
    text = f"{words}, {unit}. Points are studies with 95 % intervals, lines are levels. Axes begin at zero."
    return section("series", "Series", subtitle(text), grid(figures))


def _series_sentence(history: History, cell: CellHistory) -> str:
    resolution_words = (
        f" The next study can show a change of {smallest_words(cell)} or more." if is_telling(cell) else ""
    )
    if not cell.moves:
        return f"No change point in {counted(len(cell.points), 'study', 'studies')}.{resolution_words}"
    moves = [f"{move_words(move)} {between_words(history, move)}" for move in cell.moves]
    return f"{'; '.join(moves)}.{resolution_words}"


def _moves_section(history: History, measure: Measure) -> Section | None:
    if not history.moves(measure):
        return None
    return section("moves", "Change points", _change_point_table(history, measure))


def _change_point_table(history: History, measure: Measure) -> Table:
    """Return every change point, the worst first."""
    columns = [
        Column("series", is_name=True, most=60),
        Column("change, 95 %", True),
        Column("outcome"),
        Column("levels", True),
        Column("p", True),
        Column("from", is_name=True, most=40),
        Column("to", is_name=True, most=40),
        Column("recorded changes"),
        Column("same change in"),
    ]
    rows = [
        [
            cell_words(history, cell.cell),
            move_words(move),
            move.outcome,
            level_words(move),
            f"{move.level.p:.1g}",
            *end_words(history, move),
            changed_words(history, move),
            ", ".join(move.alike),
        ]
        for cell, move in history.moves(measure)
    ]
    return Table("change-points", "All change points, worst first", columns, rows)


def _points_section(history: History, measure: Measure) -> Section:
    columns = [
        Column("series", is_name=True, most=60),
        Column("study", is_name=True, most=60),
        Column("began"),
        Column("target", is_name=True, most=60),
        Column("version"),
        *(Column(title, True) for title in (MEASURE_WORDS[measure], "low", "high", "runs")),
    ]
    rows = [
        [
            cell_words(history, cell.cell),
            history.studies[point.study].label,
            clock_time(history.studies[point.study].at_ns),
            point.cell.target,
            point.version,
            *(value_words(measure, value, point.low, point.high) for value in (point.value, point.low, point.high)),
            str(point.runs),
        ]
        for cell in history.cells[measure]
        for point in cell.points
    ]
    parts = [data_behind(Table("points", "Every point", columns, rows), "All points as a table")]
    if history.omitted:
        omitted_rows = [
            [row.label, cell_words(history, row.cell) if row.cell else "the folder", row.reason]
            for row in history.omitted
        ]
        columns = [Column("study", is_name=True, most=60), Column("cell", is_name=True, most=60)]
        columns.append(Column("reason", most=300))
        parts.append(data_behind(Table("left-out", "Left out", columns, omitted_rows), "Excluded"))
    return section("points", "Data", *parts)


def _method_section(history: History, measure: Measure) -> Section:
    spreads = sorted(cell.spread for cell in history.cells[measure] if cell.spread == cell.spread)
    words = _METHOD_WORDS.format(least_move=f"{100 * history.least_move:g} %")
    if spreads:
        words += f" Spread between studies: {figure(100 * spreads[0], 2)} to {figure(100 * spreads[-1], 2)} %."
    return section("method", "Method", Paragraph(words), Paragraph(f"Method {METHOD}.", "quiet"))
