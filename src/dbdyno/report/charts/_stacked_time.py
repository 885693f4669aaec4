"""Draws milliseconds per transaction, stacked by part, against connections: equal panels, one per target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analyse import Place
from dbdyno.analyse.explain import REST, Explanation, Part
from dbdyno.core import Cell, counted, target_title
from dbdyno.report._format import figure, significant
from dbdyno.report.charts._style import AUTOSIZE, Chart, Row
from dbdyno.report.charts._vega_lite import Drawing, drawing_of, field_of, layer

HEIGHT = 220
_MOST_PARTS = 6
_OTHERS = "all others"
_COLOURS = ("var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s7)")
_OTHERS_COLOUR, _REST_COLOUR = "var(--h2)", "var(--warm)"


def stacked_time_charts(
    explanation: Explanation, place: Place, targets: Sequence[str], prefix: str = "why-stacked"
) -> list[Chart]:
    """Return a chart for each target that has parts at a place's workload, route and memory.

    Parameters
    ----------
    targets : in the order of the study
    prefix : of the charts' names
    """
    cells = [cell for cell in explanation.breakdowns if (cell.workload, cell.route, cell.tier_bytes) == place[:3]]
    parts_by_cell = {cell: known_parts for cell in cells if (known_parts := explanation.parts_of(cell))}
    if not parts_by_cell:
        return []
    named, highest_ms = (
        _colours_by_words(parts_by_cell),
        max(sum(max(part.ms, 0.0) for part in cell_parts) for cell_parts in parts_by_cell.values()),
    )
    charts = []
    for index, target in enumerate(targets):
        rows = [
            row
            for cell, cell_parts in parts_by_cell.items()
            if cell.target == target
            for row in _cell_rows(cell, cell_parts, named)
        ]
        if rows:
            name, drawing = f"{prefix}-{index + 1}", _drawing(rows, named, highest_ms)
            charts.append(Chart(name, target_title(target), _description(target, rows), drawing, place[:3]))
    return charts


def part_colours(explanation: Explanation, place: Place) -> list[tuple[str, str]]:
    """Return words and colour of each part of these charts, from the bottom up: their key."""
    cells = [cell for cell in explanation.breakdowns if (cell.workload, cell.route, cell.tier_bytes) == place[:3]]
    return list(_colours_by_words({cell: explanation.parts_of(cell) for cell in cells}).items())


def _colours_by_words(parts_by_cell: Mapping[Cell, Sequence[Part]]) -> dict[str, str]:
    """Map words -> colour of the largest parts, which are shown apart; then of the others and of the rest."""
    sums: dict[str, float] = {}
    for part in (part for cell_parts in parts_by_cell.values() for part in cell_parts if part.part_id != REST):
        sums[part.words] = sums.get(part.words, 0.0) + part.ms
    largest = sorted(sums, key=lambda words: -sums[words])[:_MOST_PARTS]
    return {
        **dict(zip(largest, _COLOURS, strict=False)),
        _OTHERS: _OTHERS_COLOUR,
        _rest_words(parts_by_cell): _REST_COLOUR,
    }


def _rest_words(parts_by_cell: Mapping[Cell, Sequence[Part]]) -> str:
    return next(
        (part.words for cell_parts in parts_by_cell.values() for part in cell_parts if part.part_id == REST), "rest"
    )


def _cell_rows(cell: Cell, cell_parts: Sequence[Part], named: Mapping[str, str]) -> list[Row]:
    sums: dict[str, float] = dict.fromkeys(named, 0.0)
    for part in cell_parts:
        sums[part.words if part.words in named else _OTHERS] += part.ms
    place = {"target": cell.target, "concurrency": cell.concurrency}
    return [
        {**place, "part": words, "order": order, "ms": significant(max(ms, 0.0)), "shown": f"{figure(ms, 3)} ms"}
        for order, (words, ms) in enumerate(sums.items())
    ]


def _drawing(rows: Sequence[Row], named: Mapping[str, str], highest_ms: float) -> Drawing:
    scale = dict(domain=list(named), range=list(named.values()))
    bars = drawing_of(rows).encode(
        x=field_of("concurrency:O", axis=dict(title="connections", labelAngle=0), scale=dict(paddingInner=0.25)),
        y=field_of(
            "ms:Q",
            stack="zero",
            scale=dict(domain=[0, highest_ms], nice=True),
            axis=dict(title="milliseconds"),
        ),
        color=field_of("part:N", scale=scale, legend=None),
        order=field_of("order:Q"),
        tooltip=[
            field_of("part:N"),
            field_of("shown:N", title="per transaction"),
            field_of("concurrency:O", title="connections"),
        ],
    )
    stacked_bars = bars.mark_bar(stroke="var(--paper)", strokeWidth=0.6)
    return layer(stacked_bars, height=HEIGHT, padding={"left": 4, "top": 8, "bottom": 4, "right": 4}, autosize=AUTOSIZE)


def _description(target: str, rows: Sequence[Row]) -> str:
    part_words = [
        f"{row['part']} {row['shown']} at {counted(row['concurrency'], 'connection')}" for row in rows if row["ms"]
    ]
    return f"Milliseconds per transaction of {target_title(target)} by part. " + "; ".join(part_words) + "."
