"""What sections of the page are made of: headings, charts in their places, tables behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dbdyno.analyse import CellJudgement, counted, listed
from dbdyno.core import format_memory, target_title
from dbdyno.report._facets import Facets
from dbdyno.report._html import Column, Html, element, folded, joined, shortened
from dbdyno.report._palette import Palette, TargetStyle
from dbdyno.report._stills import StillDrawings
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.charts import ENDS, Chart, short_names

_LONGEST_SUMMARY = 1500
LONGEST_NAME = 60
"""Of a target in a sentence, letters."""


@dataclass(slots=True)
class Page:
    """The page while it is being made: sections add the definitions of the charts that they place."""

    analysis: StudyAnalysis
    palette: Palette
    facets: Facets
    stills: StillDrawings
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def place(self, chart: Chart) -> Html:
        """A figure whose chart is drawn when it is scrolled to. Its description is read to those who can't see it."""
        self.specs[chart.name] = {key: part for key, part in chart.spec().items() if key not in ("config", "$schema")}
        height = self.specs[chart.name].get("height", 200)
        still, packed = self.stills.of(chart.name, self.specs[chart.name])
        canvas = element(
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
        caption = element("figcaption", element("span", chart.title, class_="title"))
        anchor, about = f"chart-{chart.name}", self._about(chart) or None
        return element("figure", caption, self._names(chart), canvas, class_="panel", id=anchor, data_f=about)

    def symbol(self, look: TargetStyle) -> Html:
        """A target's shape in its colour, as charts have it."""
        style = f"--c:var(--{look.variable})"
        return element("span", class_=f"swatch {look.shape}", style=style, aria_hidden="true")

    def _names(self, chart: Chart) -> Html:
        """The key of lines whose ends have no room for names: on a narrow page."""
        if not any(layer.get("name") == ENDS for layer in self.specs[chart.name].get("layer", ())):
            return Html("")
        names = short_names(self.palette.targets, LONGEST_NAME)
        items = [
            element("span", self.symbol(look), names[look.target], data_f=self.facets.of(targets=[look.target]) or None)
            for look in self.palette.looks
        ]
        return element("p", *items, class_="names")

    def worded(self, text: str) -> Html:
        """A sentence in which very long names of targets are shortened, whole on hover."""
        long = sorted((name for name in self.analysis.targets if len(name) > LONGEST_NAME), key=len, reverse=True)
        if not long:
            return joined([text])
        parts = re.split("(" + "|".join(map(re.escape, long)) + ")", text)
        return joined(shortened(part, LONGEST_NAME) if part in long else part for part in parts)

    def _about(self, chart: Chart) -> str:
        """Tokens of the workload, route and memory that all of a chart is about."""
        return self.facets.of(*chart.panel) if chart.panel else ""


def section(anchor: str, title: str, *children: str) -> Html:
    """A section with a heading that can be linked."""
    heading = element("h2", element("a", title, href=f"#{anchor}", class_="anchor"), id=f"{anchor}-title")
    return element("section", heading, *children, id=anchor, aria_labelledby=f"{anchor}-title")


def subtitle(text: str) -> Html:
    """What is measured, in which unit, over which window."""
    return element("p", text, class_="subtitle")


def to_see(text: str) -> Html:
    """The sentence under a chart that says what to see."""
    return element("p", text, class_="to-see")


def grid(figures: Sequence[Html]) -> Html:
    """Small multiples, side by side where there is room."""
    return element("div", *figures, class_="grid")


def against_words(concurrencies: Sequence[int]) -> str:
    """Where a level stands.

    >>> against_words([16]), against_words([1, 16])
    ('at 16 connections', 'against connections')
    """
    return "against connections" if len(concurrencies) > 1 else f"at {counted(concurrencies[0], 'connection')}"


def rest(anchor: str, words: str, *children: str) -> Html:
    """What few readers of a section go on to; it opens, too, for a link to something in it, and in print."""
    return folded(words, *children, class_="rest", data_key=f"{anchor}-rest")


def data_behind(table: Html, what: str = "The data as a table") -> Html:
    """A chart's data, on demand."""
    return folded(what, table, class_="data")


_AXES = (Column("workload"), Column("memory", is_name=True), Column("connections", True))


def place_columns(groups: Sequence[CellJudgement]) -> list[Column]:
    """The columns."""
    return [Column("target"), *(column for column, differs in zip(_AXES, _differing(groups), strict=True) if differs)]


def place(group: CellJudgement, groups: Sequence[CellJudgement]) -> list[str]:
    """What stands in them for one cell."""
    where = zip(_words(group), _differing(groups), strict=True)
    return [target_title(group.cell.target), *(words for words, differs in where if differs)]


def alike_words(groups: Sequence[CellJudgement]) -> str:
    """The axes that have no column, as a sentence with a blank before it."""
    words = zip(_words(groups[0]), _AXES, _differing(groups), strict=True)
    alike = [f"{axis.title} {value}" for value, axis, differs in words if not differs]
    return f" All rows: {listed(alike)}." if alike else ""


def _differing(groups: Sequence[CellJudgement]) -> list[bool]:
    return [len(set(values)) > 1 for values in zip(*(_words(group) for group in groups), strict=True)]


def _words(group: CellJudgement) -> tuple[str, str, str]:
    cell = group.cell
    return cell.workload, format_memory(cell.tier_bytes), f"{cell.concurrency:,}"
