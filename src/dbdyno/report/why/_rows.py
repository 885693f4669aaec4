"""Gives what was chosen as the rows of tables that terminal, Markdown and page share."""

from __future__ import annotations

from dbdyno.analyse.explain import Gap, PartGap, least_total, ms_words
from dbdyno.core import counted, target_title
from dbdyno.report._format import figure
from dbdyno.report.why._choice import Why


def side_titles(gap: Gap) -> tuple[str, str]:
    """Return what distinguishes both sides: their targets, or their connections."""
    if gap.left.target == gap.right.target:
        return counted(gap.left.concurrency, "connection"), counted(gap.right.concurrency, "connection")
    return target_title(gap.left.target), target_title(gap.right.target)


def part_rows(gap: Gap) -> list[list[str]]:
    """Return a row a part, the largest difference first, and the whole time last."""
    scale = least_total(gap.total.left_ms, gap.total.right_ms)
    rows = [_part_row(part, scale) for part in gap.parts]
    whole_time = PartGap("total", "whole time", gap.total)
    return [*rows, _part_row(whole_time, scale)]


def _part_row(part: PartGap, scale: float) -> list[str]:
    difference = part.difference
    interval_words = (
        f"{ms_words(difference.low, scale, signed=True)} to {ms_words(difference.high, scale, signed=True)}"
    )
    return [
        part.words,
        ms_words(difference.left_ms, scale),
        ms_words(difference.right_ms, scale),
        f"{ms_words(difference.ms, scale, signed=True)} ({interval_words})",
        difference.verdict,
        _work_words(part),
        *(_signed_ms(value, scale) for value in (part.by_work_ms, part.by_cost_ms)),
    ]


def _work_words(part: PartGap) -> str:
    """Return the work per transaction on both sides, once where it is the same."""
    if part.left_work is None or part.right_work is None:
        return ""
    work_texts = [figure(work, 3) if work else "0" for work in (part.left_work, part.right_work)]
    return " → ".join(dict.fromkeys(work_texts))


def _signed_ms(value: float | None, scale: float) -> str:
    return "" if value is None else ms_words(value, scale, signed=True)


def counted_rows(why: Why) -> list[list[str]]:
    """Return a row a kind of work."""
    if why.gap is None:
        return []
    scale = least_total(why.gap.total.left_ms, why.gap.total.right_ms)
    return [
        [
            f"{row.kind.words}, {row.kind.unit}",
            *(figure(work, 3) if work else "0" for work in (row.left_work, row.right_work)),
            _from_to_words(_ms_per_work(row.left_ms, row.left_work), _ms_per_work(row.right_ms, row.right_work), 1e-6),
            _from_to_words(row.left_ms, row.right_ms, scale / 1e3),
            _signed_ms(row.by_work_ms, scale),
            _signed_ms(row.by_cost_ms, scale),
        ]
        for row in why.counted
    ]


def _ms_per_work(ms: float | None, work: float) -> float | None:
    return None if ms is None or not work else ms / work


def _from_to_words(left: float | None, right: float | None, least: float) -> str:
    if left is None and right is None:
        return ""
    return " → ".join("-" if value is None else "0" if value < least else figure(value, 3) for value in (left, right))


def network_rows(why: Why) -> list[list[str]]:
    """Return a row a cell over a network, next to the time on the route inside the host where that was measured."""
    near_ms = {gap.right: gap.total.left_ms for gap in why.routes}
    rows = []
    for time in why.network:
        scale = min(time.total_ms, near_ms.get(time.cell, time.total_ms))
        rows.append(
            [
                target_title(time.cell.target),
                time.cell.route,
                f"{time.cell.concurrency:,}",
                ms_words(time.total_ms, scale),
                f"{figure(time.round_trips, 3)} × {figure(time.round_trip_ms, 3)} ms",
                ms_words(time.waiting_ms, scale),
                "" if time.transmission_ms is None else ms_words(time.transmission_ms, scale),
                ms_words(time.rest_ms, scale),
                f"{100 * time.network_share:.0f} %",
                ms_words(near_ms[time.cell], scale) if time.cell in near_ms else "",
                "" if time.more_work_ms is None else _signed_ms(time.more_work_ms, scale),
            ]
        )
    return rows
