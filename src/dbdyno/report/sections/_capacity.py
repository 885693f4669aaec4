"""Capacity: shows peak, collapse, what more connections and memory bring, and where the scalability law fits."""

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
from dbdyno.core import format_memory, target_title
from dbdyno.report._blocks import Column, ListOf, Section, Table, data_behind, rest, section, subtitle, to_see
from dbdyno.report.sections._frame import Page

_SHOWN = 2


def capacity_section(page: Page) -> Section | None:
    """Words and two tables; nothing for a study of one concurrency."""
    found = page.analysis.capacity
    if not found:
        return None
    sentences = capacity_sentences(found)
    return section(
        "capacity",
        "Capacity: peak and collapse of each target",
        subtitle(
            "The peak is the best concurrency and all that show no difference from it (Holm over the concurrencies). "
            "A collapse is a higher concurrency with clearly lower throughput, by 3 % or more."
        ),
        ListOf(sentences[:_SHOWN]),
        rest(
            "capacity",
            "Peak, collapse and memory of each target",
            ListOf(sentences[_SHOWN:]) if sentences[_SHOWN:] else None,
            _table(page, found),
            to_see(_law_words(found)),
            data_behind(_step_table(page, found), "Throughput gained by each step to more connections"),
        ),
    )


def _table(page: Page, found: tuple[CapacityJudgement, ...]) -> Table:
    """Columns that say the same in every row are left out."""
    titles = ("workload", "route", "memory", "than with less memory")
    parts = [[each.workload, each.route, format_memory(each.tier_bytes), _more_memory(each)] for each in found]
    telling = [len({row[index] for row in parts}) > 1 for index in range(len(titles))]
    where = [[cell for cell, tells in zip(row, telling, strict=True) if tells] for row in parts]
    columns = [Column("target", is_name=True)]
    columns += [Column(title) for title, tells in zip(titles, telling, strict=True) if tells]
    columns += [Column("highest TPS", is_number=True), Column("at connections", is_number=True)]
    columns += [Column("collapse, of the peak"), Column("law of scalability")]
    rows = [[target_title(each.target), *own, *_figures(each)] for each, own in zip(found, where, strict=True)]
    facets = [_about(page, each) for each in found]
    return Table("capacity", "Peak, collapse and memory of each target", columns, rows, facets=facets)


def _about(page: Page, found: CapacityJudgement) -> str:
    return page.facets.of(found.workload, found.route, found.tier_bytes, targets=[found.target])


def _figures(found: CapacityJudgement) -> list[str]:
    falls = [f"{_ratio(step)} at {step.after:,}" for step in found.falls]
    return [plus_minus(*level_interval(found.best)), peak_words(found), "; ".join(falls) or "none seen", _law(found)]


def _more_memory(found: CapacityJudgement) -> str:
    step = found.more_memory
    return "" if step is None else f"{_ratio(step)} ({format_memory(step.before)})"


def _law(found: CapacityJudgement) -> str:
    fit = found.fit
    if fit is None:
        return "fewer than 6 concurrencies"
    if not fit.is_shown:
        return f"misses by up to {fit.largest_residual:.0%}: not drawn"
    return f"within {fit.largest_residual:.1%}: contention {fit.contention:.2%}, coherence {fit.coherence:.4%}"


def _law_words(found: tuple[CapacityJudgement, ...]) -> str:
    drawn = sum(each.fit is not None and each.fit.is_shown for each in found)
    base = "Peak and collapse come from measured points."
    if not drawn:
        return f"{base} Straight lines join them: nothing was measured in between."
    return (
        f"{base} The Universal Scalability Law comes within 10 % of every point for {drawn} of {len(found)} curves, "
        "which it draws; straight lines join the points of the others."
    )


def _step_table(page: Page, found: tuple[CapacityJudgement, ...]) -> Table:
    columns = [Column("target", is_name=True), Column("workload"), Column("memory")]
    columns += [Column(title, is_number=True) for title in ("from", "to", "ratio")]
    rows = [
        [
            target_title(each.target),
            each.workload,
            format_memory(each.tier_bytes),
            f"{s.before:,}",
            f"{s.after:,}",
            _ratio(s),
        ]
        for each in found
        for s in each.steps
    ]
    facets = [_about(page, each) for each in found for _ in each.steps]
    title = "Throughput after each step divided by that before, with 95 % intervals"
    return Table("connection-steps", title, columns, rows, facets=facets)


def _ratio(step: CapacityStep) -> str:
    number, interval = ratio_words(step.ratio, step.low, step.high).split(", ", 1)
    return f"{number} ({interval})"
