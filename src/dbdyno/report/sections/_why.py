"""Why: shows which parts of a transaction's time the difference of two targets consists of."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dbdyno.analyse import Place
from dbdyno.analyse.explain import Explanation
from dbdyno.report._blocks import (
    Block,
    Fold,
    Section,
    Table,
    folded,
    grid,
    rest,
    section,
    subtitle,
    to_see,
)
from dbdyno.report._html import element
from dbdyno.report.charts import Chart, bridge_chart, part_colours, processors_bridge, stacked_time_charts
from dbdyno.report.sections._flame import deep_parts
from dbdyno.report.sections._frame import Page
from dbdyno.report.why._blocks import (
    causes_table,
    counted_table,
    parts_table,
    proof_notes,
    proofs_table,
    threads_table,
    users_table,
    why_lists,
    why_sentences,
)
from dbdyno.report.why._choice import ABOUT_THREADS, Why

_TO_SEE = (
    "Filled: decided. Dashed: undecided, or less than 3 % of the shorter time. Grey: not accounted for. Lines: "
    "95\xa0% intervals. A step shows where the time is spent, not what caused it."
)


def why_section(page: Page, why: Why) -> Section | None:
    """Return three lines, a bridge, the causes; the other splits folded. Nothing where no cell has a time.

    The bridge has the parts that the lines name.
    """
    if why.place is None:
        return None
    splits = [split for split in (_by_user_blocks(why), _by_thread_blocks(why), _by_statement_blocks(why)) if split]
    first_split, other_splits = splits[:1], splits[1:]
    stacked_blocks = [*_stacked_time_blocks(page, why), *_thread_panels(page, why)]
    other_blocks = [*itertools.chain(*other_splits), *stacked_blocks]
    work_table = counted_table(why)
    work = "Work counted by the servers, and its time"
    return section(
        "why",
        "Why: where the time of a transaction goes",
        *why_sentences(why),
        *itertools.chain(*first_split),
        *_causes_blocks(why),
        *_table_with_note(proofs_table(why)),
        *proof_notes(why),
        *([] if why.deep is None else deep_parts(why.deep)),
        rest("why", "Time by connections and by server threads", *other_blocks) if other_blocks else None,
        folded(work, to_see(work_table.note), work_table) if work_table else None,
        *why_lists(why),
    )


def _table_with_note(table: Table | None) -> list[Block]:
    return [] if table is None else [subtitle(table.note), table]


def _by_user_blocks(why: Why) -> list[Block]:
    """Return whose work the processors did, where that is decided."""
    chart = processors_bridge(why)
    return [] if chart is None else [chart, to_see(_TO_SEE)]


def _by_thread_blocks(why: Why) -> list[Block]:
    """Return what the server's session threads did; nothing where they were not watched."""
    chart = None if why.thread_gap is None else bridge_chart(why.thread_gap, "why-threads-bridge")
    return _bridge_blocks(chart, threads_table(why), users_table(why))


def _by_statement_blocks(why: Why) -> list[Block]:
    return _bridge_blocks(None if why.gap is None else bridge_chart(why.gap), parts_table(why))


def _bridge_blocks(chart: Chart | None, *tables: Table | None) -> list[Block]:
    if chart is None:
        return []
    table_blocks = [block for table in tables for block in _table_with_note(table)]
    return [chart, to_see(_TO_SEE), Fold("All parts as a table", table_blocks, "data")]


def _causes_blocks(why: Why) -> list[Block]:
    """Return the causes; folded where none is decided."""
    table = causes_table(why)
    if table is None or why.ranking is None:
        return []
    return _table_with_note(table) if why.ranking.decided else [folded(table.caption, *_table_with_note(table))]


def _stacked_time_blocks(page: Page, why: Why) -> list[Block]:
    if why.explanation is None or why.place is None:
        return []
    charts = stacked_time_charts(why.explanation, why.place, page.analysis.targets)
    text = "Milliseconds per transaction at each number of connections, by part; all panels have the same scale."
    return [subtitle(text), *_panel_blocks(why.explanation, why.place, charts)] if charts else []


def _panel_blocks(explanation: Explanation, place: Place, charts: Sequence[Chart]) -> list[Block]:
    """Return the key of stacked times, and a panel a target."""
    key = [
        element("li", element("span", class_="swatch", style=f"--c:{colour}", aria_hidden="true"), words)
        for words, colour in part_colours(explanation, place)
    ]
    label = "Parts and their colours, from bottom to top"
    return [element("ul", *key, class_="key", style="margin-bottom:1em", aria_label=label), grid(charts)]


def _thread_panels(page: Page, why: Why) -> list[Block]:
    """Return the time of all targets by what the server's threads did."""
    if why.threads is None or why.place is None:
        return []
    charts = stacked_time_charts(why.threads, why.place, page.analysis.targets, "why-threads-stacked")
    return [subtitle(ABOUT_THREADS), *_panel_blocks(why.threads, why.place, charts)] if charts else []
