"""Shows the space that tables take next to the speed at which they are worked on."""

from __future__ import annotations

from dbdyno.analyse import cell_level_words
from dbdyno.core import format_bytes
from dbdyno.report._blocks import Section, rest, section, subtitle, to_see
from dbdyno.report.sections._frame import Page, alike_words, brief_table


def space_section(page: Page) -> Section | None:
    """Return one table; nothing where no table was measured."""
    cells = page.analysis.space
    if not cells:
        return None
    groups = [cell.group for cell in cells]
    titles = ("TPS", "rows", "bytes per row", "on disk after filling", "on disk after the runs")
    rows = []
    for cell in cells:
        size = [
            f"{cell.rows:,}",
            f"{cell.bytes_per_row:,.0f}",
            format_bytes(cell.filled_bytes),
            _size_range_words(cell.grown_bytes),
        ]
        rows.append((cell.group, [cell_level_words(cell.group), *size]))
    subtitle_text = "Disk space of all tables with their indexes."
    return section(
        "space",
        "Space",
        subtitle(f"{subtitle_text}{alike_words(groups)}"),
        rest(
            "space",
            "Space of every cell",
            brief_table(page, "space", "Space of every cell", titles, rows, groups),
            to_see(
                "Allocated blocks of the tables' files, without the holes of compressed pages. If a storage engine "
                "has no file per table: the server's estimate. After the runs: minimum and maximum of the repeats."
            ),
        ),
    )


def _size_range_words(sizes: tuple[int, ...]) -> str:
    if not sizes:
        return "-"
    smallest, largest = format_bytes(min(sizes)), format_bytes(max(sizes))
    return smallest if smallest == largest else f"{smallest} to {largest}"
