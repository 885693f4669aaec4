"""Builds the second sheet of paper: figures of every place, or of each target at its best, and the method."""

from __future__ import annotations

import itertools

from dbdyno.analyse import CellJudgement, cell_level_words
from dbdyno.core import counted
from dbdyno.report._blocks import Block, Heading, Section, section, subtitle, to_see
from dbdyno.report._format import milliseconds, rank_words
from dbdyno.report._relative_throughput import best_groups
from dbdyno.report.sections._frame import Page, alike_words, brief_table
from dbdyno.report.sections._method import method_list

_MOST_ROWS = 24
"""Rows that leave room for the method."""


def paper_section(page: Page) -> Section:
    """Return a table that fits, and how it was measured."""
    return section(
        "paper",
        "Figures and method",
        *_figure_blocks(page),
        Heading("Method"),
        method_list(page),
        to_see("All sections: the HTML page, or dbdyno report --format pdf --full."),
    )


def _figure_blocks(page: Page) -> list[Block]:
    measured_groups = [group for group in page.analysis.judgements if group.tps_mean is not None]
    if not measured_groups:
        return []
    title = "Every place"
    if len(measured_groups) > _MOST_ROWS:
        most_memory_first = sorted(
            best_groups(measured_groups), key=lambda group: (*group.place[:2], -group.cell.tier_bytes)
        )
        measured_groups, title = most_memory_first, "Each target at its best connections"
    shown_groups = measured_groups[:_MOST_ROWS]
    rest_words = (
        f" {counted(len(measured_groups) - len(shown_groups), 'further row')} left out."
        if len(measured_groups) > len(shown_groups)
        else ""
    )
    titles = ("TPS, 95 %", "median", "p99", "place")
    value_cells = [_value_cells(page, group) for group in shown_groups]
    has_values = [any(cells) for cells in zip(*value_cells, strict=True)]
    rows = [
        (group, list(itertools.compress(cells, has_values)))
        for group, cells in zip(shown_groups, value_cells, strict=True)
    ]
    shown_titles = list(itertools.compress(titles, has_values))
    return [
        subtitle(f"{title}, response times of all repeats together.{alike_words(shown_groups)}{rest_words}"),
        brief_table(page, "paper", "Throughput, response times and places", shown_titles, rows, shown_groups),
    ]


def _value_cells(page: Page, group: CellJudgement) -> list[str]:
    times = {
        judgement.quantile: judgement.value_ns for judgement in page.analysis.latency if judgement.cell == group.cell
    }
    ranks = page.analysis.ranks.get(group.place, {})
    rank = ranks.get(group.cell.target)
    rank_text = rank_words(rank, len(ranks)) if rank and group.is_settled else "not settled" if ranks else ""
    return [cell_level_words(group), *(milliseconds(times.get(q)) for q in ("p50", "p99")), rank_text]
