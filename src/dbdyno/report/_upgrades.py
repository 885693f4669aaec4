"""Lists what upgrades brought, as tables that the page and Markdown share."""

from __future__ import annotations

from dbdyno.analyse import Upgrade, change_words, panel_namer, place_namer, place_of
from dbdyno.core import Comparison
from dbdyno.report._blocks import Column, Table
from dbdyno.report._format import verdict_words
from dbdyno.report._study_analysis import StudyAnalysis


def upgrades_table(analysis: StudyAnalysis) -> Table:
    """Return for each upgrade how often it is faster and slower, and where it brought and cost most."""
    name = place_namer(place_of(pair) for pair in analysis.comparisons)

    def extreme(change: Comparison | None) -> str:
        if change is None:
            return ""
        return f"{change_words(change.ratio, change.low, change.high)}: {name(place_of(change))}"

    rows = []
    for upgrade in analysis.upgrades:
        shown_changes = upgrade.shown()
        gains, losses = [c for c in shown_changes if c.ratio > 1], [c for c in shown_changes if c.ratio < 1]
        open_count = len(upgrade.changes) - len(shown_changes)
        counts = [f"{count:,}" for count in (len(gains), len(losses), open_count)]
        extreme_changes = (gains[0] if gains else None, losses[-1] if losses else None)
        rows.append([upgrade.title, *counts, *map(extreme, extreme_changes)])
    columns = [Column("upgrade", is_name=True)]
    columns += [Column(title, is_number=True) for title in ("faster at", "slower at", "no difference shown at")]
    columns += [Column("most gained"), Column("most lost")]
    caption = "Upgrades: at how many places the newer version is faster or slower, with 95 % intervals"
    return Table("upgrades", caption, columns, rows)


def averages_table(analysis: StudyAnalysis) -> Table | None:
    """Return each upgrade's average over all concurrencies, by workload, route and memory; None if none is averaged."""
    changes = [(upgrade, change) for upgrade in analysis.upgrades for change in upgrade.averages.values()]
    if not changes:
        return None
    name = panel_namer(place_of(pair) for pair in analysis.comparisons)
    rows = [change_cells(upgrade, change, name(place_of(change))) for upgrade, change in changes]
    caption = "Upgrades on average over all numbers of connections, with 95 % intervals"
    return Table("upgrade-averages", caption, change_columns("with"), rows)


def change_columns(where_title: str) -> list[Column]:
    """Return the columns of a table that has a row for each change of an upgrade."""
    return [Column("upgrade", is_name=True), Column(where_title), Column("change", True), Column("verdict")]


def change_cells(upgrade: Upgrade, change: Comparison, where: str) -> list[str]:
    """Return the row of such a table."""
    return [upgrade.title, where, change_words(change.ratio, change.low, change.high), verdict_words(change)]
