"""Why: shows which parts of a transaction's time the difference of the best two consists of."""

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
    data_behind,
    folded,
    grid,
    rest,
    section,
    subtitle,
    to_see,
)
from dbdyno.report._html import element
from dbdyno.report._why import ABOUT_THREADS, Why
from dbdyno.report._why_blocks import (
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
from dbdyno.report.charts import Chart, bridge_chart, part_colours, stacked_time_charts
from dbdyno.report.sections._flame import deep_parts
from dbdyno.report.sections._frame import Page

_TO_SEE = (
    "Filled: decided. Dashed: undecided, or less than 3 % of the shorter time. Grey: not accounted for. Lines: "
    "95\xa0% intervals. A step shows where the time is spent, not what caused it."
)


def why_section(page: Page, why: Why) -> Section | None:
    """Three lines, a bridge, the causes; the other splits folded. Nothing where no cell has a time."""
    if why.place is None:
        return None
    splits = [split for split in (_by_user(why), _by_statement(why)) if split]
    first, others = splits[:1], splits[1:]
    against = [*itertools.chain(*others), *_stacked(page, why), *_threads(page, why)]
    counted = counted_table(why)
    work = "Work counted by the servers, and its time"
    return section(
        "why",
        "Why: where the time of a transaction goes",
        *why_sentences(why),
        *itertools.chain(*first),
        *_causes(why),
        *_described(proofs_table(why)),
        *proof_notes(why),
        *([] if why.deep is None else deep_parts(why.deep)),
        rest("why", "Time by connections and by server threads", *against) if against else None,
        folded(work, to_see(counted.note), counted) if counted else None,
        *why_lists(why),
    )


def _described(table: Table | None) -> list[Block]:
    return [] if table is None else [subtitle(table.note), table]


def _by_user(why: Why) -> list[Block]:
    """Return whose work the processors did, where that is decided."""
    gap = why.user_gap
    chart = None if gap is None or not gap.with_verdict("decided") else bridge_chart(gap, "why-processors-bridge")
    return [] if chart is None else [chart, to_see(_TO_SEE)]


def _by_statement(why: Why) -> list[Block]:
    table, chart = parts_table(why), None if why.gap is None else bridge_chart(why.gap)
    if table is None or chart is None:
        return []
    return [chart, to_see(_TO_SEE), Fold("All parts as a table", _described(table), "data")]


def _causes(why: Why) -> list[Block]:
    """The causes; folded where none is decided."""
    table = causes_table(why)
    if table is None or why.ranking is None:
        return []
    return _described(table) if why.ranking.decided else [folded(table.caption, *_described(table))]


def _stacked(page: Page, why: Why) -> list[Block]:
    if why.explanation is None or why.place is None:
        return []
    charts = stacked_time_charts(why.explanation, why.place, page.analysis.targets)
    text = "Milliseconds per transaction at each number of connections, by part; all panels have the same scale."
    return [subtitle(text), *_panels(why.explanation, why.place, charts)] if charts else []


def _panels(explanation: Explanation, place: Place, charts: Sequence[Chart]) -> list[Block]:
    """The key of stacked times, and a panel a target."""
    key = [
        element("li", element("span", class_="swatch", style=f"--c:{colour}", aria_hidden="true"), words)
        for words, colour in part_colours(explanation, place)
    ]
    label = "Parts and their colours, from bottom to top"
    return [element("ul", *key, class_="key", style="margin-bottom:1em", aria_label=label), grid(charts)]


def _threads(page: Page, why: Why) -> list[Block]:
    """The same time by what the server's threads did: bridge, panels and table."""
    if why.threads is None or why.place is None:
        return []
    table = threads_table(why)
    bridge = None if why.thread_gap is None else bridge_chart(why.thread_gap, "why-threads-bridge")
    shown: list[Block] = []
    if table is not None and bridge is not None:
        shown = [bridge, data_behind(table, "As a table"), *_described(users_table(why))]
    charts = stacked_time_charts(why.threads, why.place, page.analysis.targets, "why-threads-stacked")
    panels = _panels(why.threads, why.place, charts) if charts else []
    return [subtitle(ABOUT_THREADS), *shown, *panels] if shown or panels else []
