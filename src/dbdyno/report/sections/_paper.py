"""Builds the second sheet of paper: figures of every place, or of each target at its best, and the method."""

from __future__ import annotations

from dbdyno.analyse import CellJudgement, cell_level_words
from dbdyno.core import counted
from dbdyno.report._blocks import Block, Heading, Section, section, subtitle, to_see
from dbdyno.report._format import milliseconds, rank_words
from dbdyno.report._relative_throughput import best_groups
from dbdyno.report.sections._frame import Page, alike_words, brief_table
from dbdyno.report.sections._how import method_list

_MOST_ROWS = 24
"""That leave room for the method."""


def paper_section(page: Page) -> Section:
    """A table that fits, and how it was measured."""
    return section(
        "paper",
        "Figures and method",
        *_figures(page),
        Heading("Method"),
        method_list(page),
        to_see("All sections: the HTML page, or dbdyno report --format pdf --full."),
    )


def _figures(page: Page) -> list[Block]:
    judged = [group for group in page.analysis.judgements if group.tps_mean is not None]
    if not judged:
        return []
    what = "Every place"
    if len(judged) > _MOST_ROWS:
        most_memory_first = sorted(best_groups(judged), key=lambda group: (*group.place[:2], -group.cell.tier_bytes))
        judged, what = most_memory_first, "Each target at its best connections"
    shown = judged[:_MOST_ROWS]
    left = f" {counted(len(judged) - len(shown), 'further row')} left out." if len(judged) > len(shown) else ""
    titles = ("TPS, 95 %", "median", "p99", "place")
    rows = [(group, _values(page, group)) for group in shown]
    return [
        subtitle(f"{what}, response times of all repeats together.{alike_words(shown)}{left}"),
        brief_table(page, "paper", "Throughput, response times and places", titles, rows, shown),
    ]


def _values(page: Page, group: CellJudgement) -> list[str]:
    times = {found.quantile: found.value_ns for found in page.analysis.latency if found.cell == group.cell}
    ranks = page.analysis.ranks.get(group.place, {})
    held = ranks.get(group.cell.target)
    place_held = rank_words(held, len(ranks)) if held and group.is_settled else "not settled" if ranks else ""
    return [cell_level_words(group), *(milliseconds(times.get(q)) for q in ("p50", "p99")), place_held]
