"""Why: with which parts of a transaction's time the difference of the best two goes."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse import Place
from dbdyno.analyse.explain import Explanation
from dbdyno.report._html import Column, Html, element, folded, table
from dbdyno.report._proofs import ABOUT_PROOFS, PROOF_TITLES, proof_lines, proof_rows
from dbdyno.report._why import (
    ABOUT,
    ABOUT_COUNTED,
    ABOUT_THREADS,
    Why,
    counted_rows,
    counted_titles,
    moment_lines,
    part_rows,
    part_titles,
    route_lines,
    side_titles,
    step_lines,
)
from dbdyno.report._why_causes import ABOUT_CAUSES, ABOUT_USERS, cause_rows, cause_titles, user_rows, user_titles
from dbdyno.report.charts import Chart, bridge_chart, part_colours, stacked_time_charts
from dbdyno.report.sections._flame import deep_parts
from dbdyno.report.sections._frame import Page, data_behind, grid, rest, section, subtitle, to_see

_TO_SEE = (
    "Filled: decided. Dashed: undecided, or less than 3 % of the shorter time. Grey: not accounted for. Lines are "
    "95\u00a0% intervals. A step says where the time is, not what brought it there."
)


def why_section(page: Page, why: Why) -> Html:
    """Three lines, the bridge, the stacked times and their tables; nothing where no cell has a time."""
    if why.place is None:
        return Html("")
    first, *others = (page.worded(line) for line in why.lines)
    against = [*_stacked(page, why), *_threads(page, why)]
    return section(
        "why",
        "Why: where the time of a transaction goes",
        element("p", element("b", first)),
        *(element("p", line) for line in others),
        *_bridge(page, why),
        *_causes(why),
        *_proofs(why),
        *([] if why.deep is None else deep_parts(why.deep)),
        rest("why", "The parts against connections, and what the server's threads did", *against) if against else "",
        *_counted(why),
        *_steps(page, why),
    )


def _bridge(page: Page, why: Why) -> list[Html]:
    chart = None if why.gap is None else bridge_chart(why.gap)
    if why.gap is None or chart is None:
        return []
    columns = _columns(part_titles(why.gap))
    rows = part_rows(why.gap)
    behind = data_behind(table("why-parts", "The time, part by part", columns, rows), "All parts as a table")
    return [subtitle(ABOUT), page.place(chart), to_see(_TO_SEE), behind]


def _proofs(why: Why) -> list[Html]:
    """What experiments said of the causes."""
    if not why.proofs:
        return []
    columns = [Column(title, is_name=index == 0, is_number=index in (2, 3)) for index, title in enumerate(PROOF_TITLES)]
    shown = table("why-proofs", "Proofs: what came back when a cause was altered", columns, proof_rows(why.proofs))
    lines = [element("li", line) for line in proof_lines(why.proofs)]
    return [subtitle(ABOUT_PROOFS), shown, element("ul", *lines) if lines else Html("")]


def _causes(why: Why) -> list[Html]:
    """The causes, and how much of the difference each one's parts are."""
    if why.ranking is None:
        return []
    columns = [Column(title) for title in cause_titles()]
    shown = table("why-causes", "What it goes with, cause by cause", columns, cause_rows(why.ranking))
    return [subtitle(ABOUT_CAUSES), shown]


def _stacked(page: Page, why: Why) -> list[Html]:
    if why.explanation is None or why.place is None:
        return []
    charts = stacked_time_charts(why.explanation, why.place, page.analysis.targets)
    text = "Milliseconds per transaction against connections, by part; all panels have the same scale."
    return [subtitle(text), *_panels(page, why.explanation, why.place, charts)] if charts else []


def _panels(page: Page, explanation: Explanation, place: Place, charts: Sequence[Chart]) -> list[Html]:
    """The key of stacked times, and a panel a target."""
    key = [
        element("li", element("span", class_="swatch", style=f"--c:{colour}", aria_hidden="true"), words)
        for words, colour in part_colours(explanation, place)
    ]
    return [
        element(
            "ul",
            *key,
            class_="key",
            style="margin-bottom:1em",
            aria_label="Parts and their colours, from the bottom up",
        ),
        grid([page.place(chart) for chart in charts]),
    ]


def _threads(page: Page, why: Why) -> list[Html]:
    """The same time by what the server's threads did: bridge, panels and table."""
    if why.threads is None or why.place is None:
        return []
    gap = why.thread_gap
    bridge = None if gap is None else bridge_chart(gap, "why-threads-bridge")
    charts = stacked_time_charts(why.threads, why.place, page.analysis.targets, "why-threads-stacked")
    shown = [page.place(bridge)] if bridge is not None else []
    if gap is not None and bridge is not None:
        columns, rows = _columns(part_titles(gap)), part_rows(gap)
        shown.append(data_behind(table("why-threads", "The time by server threads", columns, rows), "As a table"))
        if users := user_rows(why.known):
            ran = table("why-processors", "Who ran meanwhile", _columns(user_titles(side_titles(gap))), users)
            shown += [subtitle(ABOUT_USERS), ran]
    panels = _panels(page, why.threads, why.place, charts) if charts else []
    return [subtitle(ABOUT_THREADS), *shown, *panels] if shown or panels else []


def _counted(why: Why) -> list[Html]:
    rows = counted_rows(why)
    if why.gap is None or not rows:
        return []
    inner = table("why-counted", "Work that the servers counted", _columns(counted_titles(why.gap)), rows)
    return [folded("Work that the servers counted, and its time", to_see(ABOUT_COUNTED), inner)]


def _steps(page: Page, why: Why) -> list[Html]:
    """What more connections add, and what is different in stalls and waves."""
    lists = (
        ("More connections", step_lines(why)),
        ("Over the network", route_lines(why)),
        ("Stalls and waves", moment_lines(why)),
    )
    return [
        folded(title, element("ul", *(element("li", page.worded(line)) for line in lines)))
        for title, lines in lists
        if lines
    ]


def _columns(titles: Sequence[str]) -> list[Column]:
    return [Column(titles[0], is_name=True), *(Column(title, is_number=True) for title in titles[1:])]
