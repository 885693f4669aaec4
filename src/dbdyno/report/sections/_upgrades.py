"""Upgrades: shows what each step from one version of a server to the next brought or cost."""

from __future__ import annotations

from dbdyno.analyse import Upgrade, place_namer, place_of
from dbdyno.core import Comparison
from dbdyno.report._blocks import Section, Table, data_behind, grid, section, subtitle, to_see
from dbdyno.report._upgrades import averages_table, change_cells, change_columns, upgrades_table
from dbdyno.report.charts import upgrade_charts
from dbdyno.report.sections._frame import Page


def upgrades_section(page: Page) -> Section | None:
    """Return a map for each memory size and a line for each upgrade; nothing without two versions of a server."""
    if not page.analysis.upgrades:
        return None
    averages = averages_table(page.analysis)
    return section(
        "upgrades",
        "Upgrades: what each version brought",
        subtitle("Change of throughput in percent from each version of a server to the next in the study."),
        grid(upgrade_charts(page.analysis)),
        to_see(
            "Red: slower; blue: faster; =: no difference shown; –: not settled. Three times as fast or more: as a "
            "multiple (×). Column all: on average over all numbers of connections."
        ),
        upgrades_table(page.analysis),
        *([data_behind(averages, averages.caption)] if averages else []),
        data_behind(_changes_table(page), "All upgrades at all places"),
    )


def _changes_table(page: Page) -> Table:
    name = place_namer(place_of(pair) for pair in page.analysis.comparisons)
    steps = [(upgrade, change) for upgrade in page.analysis.upgrades for change in upgrade.changes.values()]
    rows = [change_cells(upgrade, change, name(place_of(change))) for upgrade, change in steps]
    caption = "Change of throughput by upgrade and place, with 95 % intervals"
    return Table(
        "upgrade-changes", caption, change_columns("where"), rows, facets=[_facet_tokens(page, *step) for step in steps]
    )


def _facet_tokens(page: Page, upgrade: Upgrade, change: Comparison) -> str:
    return page.facets.of(*place_of(change), targets=[upgrade.old, upgrade.new])
