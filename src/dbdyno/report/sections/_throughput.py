"""Shows the one chart with the answer, and the ranks that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analyse import CellJudgement, assumed_words, cell_level_words
from dbdyno.core import Cell, counted, format_memory, target_title
from dbdyno.report._blocks import Block, Column, Section, Table, data_behind, grid, rest, section, subtitle, to_see
from dbdyno.report._format import (
    figure,
    milliseconds,
    most_client_words,
    rank_words,
    workload_title,
)
from dbdyno.report._relative_throughput import AT_BEST, RelativeThroughput
from dbdyno.report._terminal import comparisons_table
from dbdyno.report.charts import MOST_BANDS, Chart, rank_charts
from dbdyno.report.sections._frame import Page, against_words, cell_table, no_interval_words

_INTERVAL_WORDS = {
    "repeats, moderated": "95 % intervals from the spread between repeats, moderated over all cells",
    "repeats": "95 % intervals from the spread between repeats",
    "one run, borrowed spread": "95 % intervals; cells with one run borrow the spread of other cells",
    "one run, assumed spread": "95 % intervals of one run each",
}

FEW_TARGETS = 3
"""Targets whose curves can be told apart at a glance; of more the map of ratios is the first chart."""
_MAP_BESIDE = "The map is next to the answer. "
_MAP_COLOURS = "Darker (on a dark page: brighter) is nearer to the best. Framed: may be first."
_BESIDE = "The chart is next to the answer. "


def throughput_section(page: Page, charts: Sequence[Chart], *, is_shown: bool = False) -> Section:
    """Return the throughput against concurrency.

    Parameters
    ----------
    is_shown : whether the only chart stands next to the answer already
    """
    study = page.analysis.study
    workload = ", ".join(workload_title(choice.name) for choice in study.workloads)
    measured = "Transactions per second"
    if study.pacing.search is not None:
        measured = f"Highest rate in transactions per second that kept {study.pacing.search.slo}"
    measure = f"{measured} {against_words(study.concurrencies)}, {workload}, windows of {study.window_words}"
    if not charts:
        return section("throughput", "Throughput", to_see("No run has a throughput yet."))
    has_untrusted = any(group.judged and not group.decides for group in page.analysis.judgements)
    is_line = len(study.concurrencies) > 1  # else each target has a bar
    untrusted_marks = "Hollow points" if is_line else "Pale bars"
    untrusted_words = (
        f" {untrusted_marks} are suspect or unsettled runs; no finding uses them." if has_untrusted else ""
    )
    has_bands = is_line and len(page.palette.looks) <= MOST_BANDS
    marks = "bands" if has_bands else "whiskers"
    pairs = page.analysis.comparisons
    overlap_words = f" Where {marks} overlap, the second table shows whether targets differ." if pairs else ""
    return section(
        "throughput",
        page.analysis.answer.headline,
        subtitle(f"{measure}; {marks}: {_interval_words(page)}."),
        grid([] if is_shown else charts),
        to_see(
            f"{_BESIDE if is_shown else ''}Higher is better.{overlap_words}{untrusted_words}{no_interval_words(page)}"
        ),
        data_behind(_cell_table(page)),
        data_behind(_pair_table(page), "All comparisons as a table") if pairs else None,
    )


def rank_section(
    page: Page, maps: Sequence[Chart], throughputs: Sequence[RelativeThroughput], *, is_shown: bool = False
) -> Section | None:
    """Return ranks as intervals, and a map of how far each target is from the best.

    Parameters
    ----------
    is_shown : whether the only map stands next to the answer already
    """
    charts = rank_charts(page.analysis, page.palette)
    if not charts and not maps:
        return None
    parts = _map_parts(page, maps, throughputs, is_shown=is_shown)
    if len(page.palette.looks) <= FEW_TARGETS and parts:
        parts = [rest("map", "Throughput relative to the best target, as a map", *parts)]
    return section("ranks", "Ranks", *parts, *_whisker_parts(page, charts))


def _whisker_parts(page: Page, charts: Sequence[Chart]) -> list[Block]:
    """Return whiskers; none for more targets than whiskers are drawn of: the map has their places."""
    undecided_count = sum(pair.verdict == "undecided" for pair in page.analysis.comparisons)
    unsettled_count = sum(pair.verdict == "not settled" for pair in page.analysis.comparisons)
    undecided_words = f"Undecided: {undecided_count} of {counted(len(page.analysis.comparisons), 'comparison')}" + (
        f", not settled: {unsettled_count}. An unsettled target may hold any place." if unsettled_count else "."
    )
    if not charts:
        return [to_see(undecided_words)]
    return [
        rest(
            "ranks",
            "Possible places of each target",
            subtitle("1 is the highest throughput; a whisker spans all possible places"),
            grid(charts),
            to_see(f"Whiskers that overlap are ties. {undecided_words}"),
        )
    ]


def _map_parts(
    page: Page, maps: Sequence[Chart], throughputs: Sequence[RelativeThroughput], *, is_shown: bool
) -> list[Block]:
    if not maps:
        return []
    has_choice = len(page.analysis.study.concurrencies) > 1
    choice_words = (
        " Each target at its best connections, or at those selected above. Taking the best of several overstates it "
        "by about the noise."
        if has_choice
        else ""
    )
    return [
        subtitle(f"Throughput relative to the best target of the column, and the possible places.{choice_words}"),
        grid([] if is_shown else maps),
        to_see(f"{_MAP_BESIDE if is_shown else ''}{_MAP_COLOURS}{_missing_ratio_words(throughputs)}"),
        data_behind(_standing_table(page, throughputs)),
    ]


def _missing_ratio_words(throughputs: Sequence[RelativeThroughput]) -> str:
    words = ""
    if not all(throughput.group.decides for throughput in throughputs):
        words += " In brackets: suspect or unsettled runs."
    if not all(throughput.has_ratio for throughput in throughputs):
        words += " Not known: the runs disagree too much for a ratio."
    return words


def _standing_table(page: Page, throughputs: Sequence[RelativeThroughput]) -> Table:
    columns = [Column("target"), Column("workload"), *page.route_columns, Column("memory"), Column("where")]
    columns += [Column("connections", True)]
    columns += [Column(title, True) for title in ("TPS", "over the best", "low", "high", "place")]
    rows, facets = [], []
    for throughput in throughputs:
        cell, group = throughput.cell, throughput.group
        basis_words = "at its best" if throughput.at == AT_BEST else "at the same"
        places = None if throughput.first is None or throughput.last is None else (throughput.first, throughput.last)
        rows.append(
            [
                target_title(cell.target),
                cell.workload,
                *page.route_cells(cell.route),
                format_memory(cell.tier_bytes),
                basis_words,
                f"{cell.concurrency:,}",
                cell_level_words(group),
                throughput.ratio_text(),
                "" if throughput.low is None else f"{throughput.low:.3f}",
                "" if throughput.high is None else f"{throughput.high:.3f}",
                rank_words(places, throughput.of) if places else throughput.why_no_place,
            ]
        )
        facets.append(page.facets.of_cell(cell))
    return Table(
        "standings", ("Throughput relative to the best target, with 95 % intervals"), columns, rows, facets=facets
    )


def _interval_words(page: Page) -> str:
    kinds = [group.interval_kind for group in page.analysis.judgements if group.interval_kind]
    common_kind = max(dict.fromkeys(kinds), key=kinds.count) if kinds else "one run, assumed spread"
    assumed_spreads = [g.assumed_spread for g in page.analysis.judgements if g.assumed_spread is not None]
    words = _INTERVAL_WORDS[common_kind]
    if not assumed_spreads:
        return words
    separator = " " if common_kind == "one run, assumed spread" else "; cells with one run: "
    return f"{words}{separator}{assumed_words(max(assumed_spreads))}"


def _cell_table(page: Page) -> Table:
    titles = ("TPS", "low", "high", "runs", "place", "median", "p95", "p99", "client used")
    order = {target: index for index, target in enumerate(page.analysis.targets)}
    groups = sorted(page.analysis.judgements, key=lambda group: (group.place, order.get(group.cell.target, 0)))
    latency: dict[Cell, dict[str, int]] = {}
    for judgement in page.analysis.latency:
        latency.setdefault(judgement.cell, {})[judgement.quantile] = judgement.value_ns
    rows = [(group.cell, _cell_row(page, group, latency.get(group.cell, {}))) for group in groups]
    return cell_table(page, "cells", "Throughput of every cell with its 95 % interval", titles, rows)


def _cell_row(page: Page, group: CellJudgement, quantile_values: Mapping[str, int]) -> list[str]:
    cell = group.cell
    places = page.analysis.ranks.get(group.place, {})
    rank = rank_words(places[cell.target], len(places)) if cell.target in places else ""
    rank = rank if group.is_settled else "not settled"
    quantiles = [milliseconds(quantile_values[q]) if q in quantile_values else "" for q in ("p50", "p95", "p99")]
    numbers = ["", "", ""]
    if group.tps_mean is not None:
        low, high = group.tps_low or 0.0, group.tps_high or 0.0
        interval_cells = ["", ""] if group.is_vague else [figure(low), figure(high)]
        numbers = [cell_level_words(group), *interval_cells]
    runs = f"{len(group.judged)} of {len(group.runs)}" + ("" if group.trusted else ", not trusted")
    return [*numbers, runs, rank, *quantiles, most_client_words(group.judged)]


def _pair_table(page: Page) -> Table:
    pairs = page.analysis.comparisons
    tokens_of = page.facets.of
    facets = [tokens_of(p.workload, p.route, p.tier_bytes, p.concurrency, targets=[p.left, p.right]) for p in pairs]
    return comparisons_table(page.analysis, facets)
