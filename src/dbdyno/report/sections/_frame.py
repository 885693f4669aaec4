"""Gives sections what they share: charts in their places, shortened long names, tables with a row per cell."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbdyno.analyse import CellJudgement, listed
from dbdyno.core import Cell, counted, format_memory, target_title
from dbdyno.report._blocks import Block, Column, Table
from dbdyno.report._facets import Facets
from dbdyno.report._html import Html, element, join_html, shortened, to_html
from dbdyno.report._palette import Palette, TargetStyle
from dbdyno.report._stills import StillDrawings
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts import ENDS, Chart, short_names
from dbdyno.study import named_quirks

_LONGEST_SUMMARY = 1500
LONGEST_NAME = 60
"""Letters of a target in a sentence."""


@dataclass(slots=True)
class Page:
    """Builds the page: sections add the definitions of the charts that they place."""

    analysis: StudyAnalysis
    palette: Palette
    facets: Facets
    stills: StillDrawings
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    quirks: Mapping[str, str] = field(init=False)
    """What the quirks do that runs of this page name, by their id."""
    _apart: re.Pattern[str] | None = field(init=False)
    """Finds what is not plain text in a sentence: long names, longest first, and quirks."""

    def __post_init__(self) -> None:
        named = " ".join(caveat.text for record in self.analysis.records for caveat in record.caveats)
        self.quirks = dict(named_quirks(named))
        long_names = sorted((name for name in self.analysis.targets if len(name) > LONGEST_NAME), key=len, reverse=True)
        patterns = [*map(re.escape, long_names), *(rf"\b{quirk_id}\b" for quirk_id in self.quirks)]
        self._apart = re.compile(f"({'|'.join(patterns)})") if patterns else None

    @property
    def route_columns(self) -> list[Column]:
        """Return the column of the route, where the study has several."""
        return [Column("route")] if len(self.analysis.study.routes) > 1 else []

    def route_cells(self, route: str) -> list[str]:
        """Return what stands in a row below `route_columns`."""
        return [route] if self.route_columns else []

    def rendered(self, blocks: Iterable[Block | None]) -> Html:
        """Return blocks with their charts in place; nothing for a section that there is not."""
        return to_html((block for block in blocks if block is not None), self.place, self.worded)

    def place(self, chart: Chart, is_folded: bool = False) -> Html:
        """Return a figure whose chart is drawn when scrolled to. Its description is for those who can't see it."""
        self.specs[chart.name] = {key: value for key, value in chart.spec().items() if key not in ("config", "$schema")}
        height = self.specs[chart.name].get("height", 200)

        def canvas(still: Html, packed: str | None) -> Html:
            return element(
                "div",
                still,
                class_="chart",
                data_still=packed,
                data_chart=chart.name,
                role="application",
                aria_roledescription="chart",
                aria_label=f"{chart.description[:_LONGEST_SUMMARY]} Arrow keys read the points.",
                tabindex=0,
                style=f"min-height:{int(height) + 50}px",
            )

        chart_canvas = self.stills.place(chart.name, self.specs[chart.name], canvas, is_folded=is_folded)
        caption = element("figcaption", element("span", chart.title, class_="title"))
        anchor, facet_tokens = f"chart-{chart.name}", self._chart_facets(chart) or None
        return element(
            "figure", caption, self._names_key(chart), chart_canvas, class_="panel", id=anchor, data_f=facet_tokens
        )

    def symbol(self, look: TargetStyle) -> Html:
        """Return a target's shape in its colour, as charts have it."""
        style = f"--c:var(--{look.variable})"
        return element("span", class_=f"swatch {look.shape}", style=style, aria_hidden="true")

    def _names_key(self, chart: Chart) -> Html:
        """Return the key of lines whose ends have no room for names: on a narrow page."""
        if not any(layer.get("name") == ENDS for layer in self.specs[chart.name].get("layer", ())):
            return Html("")
        names = short_names(self.palette.targets, LONGEST_NAME)
        items = [
            element("span", self.symbol(look), names[look.target], data_f=self.facets.of(targets=[look.target]) or None)
            for look in self.palette.looks
        ]
        return element("p", *items, class_="names")

    def worded(self, text: str) -> Html:
        """Return a sentence with very long names of targets shortened, whole on hover, and quirks linked."""
        if self._apart is None:
            return join_html([text])
        return join_html(self._part_html(part) for part in self._apart.split(text))

    def _part_html(self, part: str) -> str:
        if part in self.quirks:
            return element("a", part, href=f"#{quirk_anchor(part)}")
        return shortened(part, LONGEST_NAME) if part in self.analysis.targets else part

    def _chart_facets(self, chart: Chart) -> str:
        """Return the tokens of the workload, route and memory that all of a chart is about."""
        return self.facets.of(*chart.panel) if chart.panel else ""


def quirk_anchor(quirk_id: str) -> str:
    """Return the id of the element that says what a quirk does.

    >>> quirk_anchor("Q-ST-4")
    'quirk-q-st-4'
    """
    return f"quirk-{quirk_id.lower()}"


def no_interval_words(page: Page) -> str:
    """Return why some levels are drawn without an interval; empty where all have one."""
    is_any_vague = any(judgement.is_vague for judgement in page.analysis.judgements)
    return " Where there is no interval, the runs disagree or are too noisy for one." if is_any_vague else ""


def against_words(concurrencies: Sequence[int]) -> str:
    """Return where a level stands.

    >>> against_words([16]), against_words([1, 16])
    ('at 16 connections', 'against connections')
    """
    return "against connections" if len(concurrencies) > 1 else f"at {counted(concurrencies[0], 'connection')}"


def cell_table(
    page: Page, name: str, caption: str, titles: Sequence[str | Column], rows: Iterable[tuple[Cell, Sequence[str]]]
) -> Table:
    """Return a table of cells: what each is, then its own values; titles alone are those of numbers."""
    listed_rows = list(rows)
    columns = [Column("target"), Column("workload"), *page.route_columns]
    columns += [Column("memory"), Column("connections", True)]
    columns += [Column(title, True) if isinstance(title, str) else title for title in titles]
    table_rows = [
        [
            target_title(cell.target),
            cell.workload,
            *page.route_cells(cell.route),
            format_memory(cell.tier_bytes),
            f"{cell.concurrency:,}",
            *values,
        ]
        for cell, values in listed_rows
    ]
    return Table(name, caption, columns, table_rows, facets=[page.facets.of_cell(cell) for cell, _ in listed_rows])


_AXES = (Column("workload"), Column("route"), Column("memory", is_name=True), Column("connections", True))


def brief_table(
    page: Page,
    name: str,
    caption: str,
    titles: Sequence[str | Column],
    rows: Iterable[tuple[CellJudgement, Sequence[str]]],
    groups: Sequence[CellJudgement],
) -> Table:
    """Return `cell_table` with a column only for what differs between all groups; `alike_words` states the rest."""
    listed_rows, differing = list(rows), _differing_parts(groups)
    columns = [Column("target"), *itertools.compress(_AXES, differing)]
    columns += [Column(title, True) if isinstance(title, str) else title for title in titles]
    table_rows = [
        [target_title(group.cell.target), *itertools.compress(_group_words(group), differing), *values]
        for group, values in listed_rows
    ]
    return Table(
        name, caption, columns, table_rows, facets=[page.facets.of_cell(group.cell) for group, _ in listed_rows]
    )


def alike_words(groups: Sequence[CellJudgement]) -> str:
    """Return the axes that have no column, as a sentence with a blank before it."""
    words = zip(_group_words(groups[0]), _AXES, _differing_parts(groups), strict=True)
    alike_axes = [f"{axis.title} {value}" for value, axis, differs in words if not differs]
    return f" All rows: {listed(alike_axes)}." if alike_axes else ""


def _differing_parts(groups: Sequence[CellJudgement]) -> list[bool]:
    return [len(set(values)) > 1 for values in zip(*(_group_words(group) for group in groups), strict=True)]


def _group_words(group: CellJudgement) -> tuple[str, str, str, str]:
    cell = group.cell
    return cell.workload, cell.route, format_memory(cell.tier_bytes), f"{cell.concurrency:,}"
