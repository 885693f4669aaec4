"""Servers: shows start, shutdown and recovery times, effects of memory limits, and crashes."""

from __future__ import annotations

from dbdyno.analyse import place_namer
from dbdyno.core import format_bytes, format_duration, format_memory, target_title
from dbdyno.report._blocks import Block, Box, Column, Heading, Section, Table, folded, rest, section, subtitle, to_see
from dbdyno.report._html import element, to_html
from dbdyno.report._server_lifecycle import TIMES, ServerCrash, TargetLifecycle
from dbdyno.report.sections._frame import Page

_MOST_DEATHS = 40
_TITLES = {"start_ns": "start to login", "shutdown_ns": "clean shutdown", "recovery_ns": "recovery after a kill"}


def life_section(page: Page) -> Section | None:
    """Return two tables and what the logs of dead servers say; nothing where nothing was recorded."""
    lives = page.analysis.lives
    if not (lives.targets or lives.deaths):
        return None
    crashes = [_crashes_box(page, lives.deaths)] if lives.deaths else []
    tables: list[Block] = []
    if lives.targets:
        tables.append(_times_table(lives.targets))
    limited_lives = [life for life in lives.targets if life.limit_bytes is not None]
    if limited_lives:
        tables.append(_memory_table(limited_lives))
    times_fold = rest(
        "life",
        "Times of starts, shutdowns and recoveries",
        subtitle("Medians over all runs of a target at a memory budget, with minimum and maximum."),
        *tables,
        to_see(_explanation_sentences(bool(limited_lives))),
    )
    return section("life", "Servers: start, shutdown, recovery, memory", *crashes, times_fold)


def _explanation_sentences(is_bounded: bool) -> str:
    words = (
        "Start: from the command to the administrator's first login. Recovery: from the start on the data of a "
        "killed server, read from disk, to the login; later rollback is not included."
    )
    if is_bounded:
        words += (
            " Memory: the highest use of any run, page cache included; then page cache and server memory at its end. "
            "Pages read again had been evicted from the page cache because of the limit."
        )
    return words


def _times_table(lives: tuple[TargetLifecycle, ...]) -> Table:
    names = [name for name in TIMES if any(life.times_ns.get(name) for life in lives)]
    columns = [Column("target", is_name=True), Column("memory"), Column("runs", True)]
    columns += [Column(_TITLES[name], True) for name in names]
    rows = []
    for life in lives:
        runs = str(len(life.times_ns["start_ns"]))
        rows.append(
            [
                target_title(life.target),
                format_memory(life.tier_bytes),
                runs,
                *(_span_cell(life, name) for name in names),
            ]
        )
    return Table("lives", "Start, shutdown and recovery", columns, rows)


def _span_cell(life: TargetLifecycle, name: str) -> str:
    values, median = life.times_ns.get(name), life.median_ns(name)
    if not values or median is None:
        return "-"
    shortest, longest = format_duration(min(values)), format_duration(max(values))
    return format_duration(median) + (f" ({shortest} to {longest})" if len(values) > 1 else "")


def _memory_table(lives: list[TargetLifecycle]) -> Table:
    titles = ("limit", "most used", "page cache", "its own", "pages read again")
    columns = [Column("target", is_name=True), Column("memory"), *(Column(title, True) for title in titles)]
    rows = [[target_title(life.target), format_memory(life.tier_bytes), *_memory_cells(life)] for life in lives]
    return Table("memory-limits", "Memory of servers under their limits", columns, rows)


def _memory_cells(life: TargetLifecycle) -> list[str]:
    peak, cache, own_bytes, reread_count = life.memory.values()
    sizes = [
        format_bytes(value) if value is not None else "unknown" for value in (life.limit_bytes, peak, cache, own_bytes)
    ]
    return [*sizes, "unknown" if reread_count is None else f"{reread_count:,}"]


def _crashes_box(page: Page, crashes: tuple[ServerCrash, ...]) -> Box:
    items = []
    cells = [record.run.cell for record in page.analysis.records]
    place_words = place_namer((cell.workload, cell.route, cell.tier_bytes, cell.concurrency) for cell in cells)
    for crash in crashes[:_MOST_DEATHS]:
        cell = crash.record.run.cell
        place = cell.workload, cell.route, cell.tier_bytes, cell.concurrency
        head = f"{target_title(cell.target)}, {place_words(place)}, repeat {crash.record.run.repeat}: {crash.words}"
        log = [folded("From the logs", element("pre", crash.excerpt))] if crash.excerpt else []
        items.append(element("li", head, to_html(log)))
    if len(crashes) > _MOST_DEATHS:
        items.append(element("li", f"and {len(crashes) - _MOST_DEATHS:,} more"))
    return Box([Heading("Runs lost to server failures"), element("ul", *items)])
