"""Capacity: shows peak, fall beyond it, what more connections and memory bring, and where the scalability law fits."""

from __future__ import annotations

from dbdyno.analyse import (
    CapacityJudgement,
    CapacityStep,
    capacity_sentences,
    level_interval,
    peak_words,
    plus_minus,
    ratio_words,
)
from dbdyno.core import counted, format_memory, percent, target_title
from dbdyno.report._blocks import Column, ListOf, Section, Table, data_behind, rest, section, subtitle, to_see
from dbdyno.report.sections._frame import Page

_SHOWN = 2


def capacity_section(page: Page) -> Section | None:
    """Return words and two tables; nothing for a study of one concurrency."""
    judgements = page.analysis.capacity
    if not judgements:
        return None
    sentences = capacity_sentences(judgements)
    return section(
        "capacity",
        "Capacity: each target's peak and what lies beyond it",
        subtitle(
            "The peak is the best concurrency and all that show no difference from it (Holm over the concurrencies). "
            "A fall is a higher concurrency with clearly lower throughput, by 3 % or more; a third less is a collapse."
        ),
        ListOf(sentences[:_SHOWN]),
        rest(
            "capacity",
            "Peak, fall and memory of each target",
            ListOf(sentences[_SHOWN:]) if sentences[_SHOWN:] else None,
            _capacity_table(page, judgements),
            to_see(_law_words(judgements)),
            data_behind(_step_table(page, judgements), "Throughput gained by each step to more connections"),
        ),
    )


def _capacity_table(page: Page, judgements: tuple[CapacityJudgement, ...]) -> Table:
    """Build the table without columns that say the same in every row."""
    titles = ("workload", "route", "memory", "than with less memory")
    axis_cells = [
        [judgement.workload, judgement.route, format_memory(judgement.tier_bytes), _more_memory_words(judgement)]
        for judgement in judgements
    ]
    are_distinct = [len({row[index] for row in axis_cells}) > 1 for index in range(len(titles))]
    place_rows = [
        [cell for cell, is_distinct in zip(row, are_distinct, strict=True) if is_distinct] for row in axis_cells
    ]
    columns = [Column("target", is_name=True)]
    columns += [Column(title) for title, is_distinct in zip(titles, are_distinct, strict=True) if is_distinct]
    columns += [Column("highest TPS", is_number=True), Column("at connections", is_number=True)]
    columns += [Column("beyond it, of the peak"), Column("law of scalability")]
    rows = [
        [target_title(judgement.target), *place_cells, *_figure_cells(judgement)]
        for judgement, place_cells in zip(judgements, place_rows, strict=True)
    ]
    facets = [_facet_tokens(page, judgement) for judgement in judgements]
    return Table("capacity", "Peak, fall and memory of each target", columns, rows, facets=facets)


def _facet_tokens(page: Page, judgement: CapacityJudgement) -> str:
    return page.facets.of(judgement.workload, judgement.route, judgement.tier_bytes, targets=[judgement.target])


def _figure_cells(judgement: CapacityJudgement) -> list[str]:
    falls = [f"{_ratio_cell(step)} at {step.after:,}" for step in judgement.falls]
    return [
        plus_minus(*level_interval(judgement.best)),
        peak_words(judgement),
        "; ".join(falls) or "none shown",
        _law_fit_words(judgement),
    ]


def _more_memory_words(judgement: CapacityJudgement) -> str:
    step = judgement.more_memory
    return "" if step is None else f"{_ratio_cell(step)} ({format_memory(step.before)})"


def _law_fit_words(judgement: CapacityJudgement) -> str:
    fit = judgement.fit
    if fit is None:
        return "fewer than 6 concurrencies"
    if not fit.is_shown:
        return f"misses by up to {percent(fit.largest_residual)}: not drawn"
    parameters = f"contention {percent(fit.contention, 2)}, coherence {percent(fit.coherence, 4)}"
    return f"within {percent(fit.largest_residual, 1)}: {parameters}"


def _law_words(judgements: tuple[CapacityJudgement, ...]) -> str:
    drawn_count = sum(judgement.fit is not None and judgement.fit.is_shown for judgement in judgements)
    base = "Peak and fall come from measured points."
    if not drawn_count:
        return f"{base} Straight lines join them: nothing was measured in between."
    others_words = "" if drawn_count == len(judgements) else " Straight lines join the points of the others."
    return (
        f"{base} The Universal Scalability Law is drawn for {drawn_count} of {counted(len(judgements), 'curve')}: "
        f"there it comes within 10 % of every point.{others_words}"
    )


def _step_table(page: Page, judgements: tuple[CapacityJudgement, ...]) -> Table:
    columns = [Column("target", is_name=True), Column("workload"), *page.route_columns, Column("memory")]
    columns += [Column(title, is_number=True) for title in ("from", "to", "ratio")]
    rows = [
        [
            target_title(judgement.target),
            judgement.workload,
            *page.route_cells(judgement.route),
            format_memory(judgement.tier_bytes),
            f"{s.before:,}",
            f"{s.after:,}",
            _ratio_cell(s),
        ]
        for judgement in judgements
        for s in judgement.steps
    ]
    facets = [_facet_tokens(page, judgement) for judgement in judgements for _ in judgement.steps]
    title = "Throughput after each step divided by that before, with 95 % intervals"
    return Table("connection-steps", title, columns, rows, facets=facets)


def _ratio_cell(step: CapacityStep) -> str:
    number, interval = ratio_words(step.ratio, step.low, step.high).split(", ", 1)
    return f"{number} ({interval})"
