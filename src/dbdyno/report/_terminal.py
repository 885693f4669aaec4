"""The results in the terminal: answer, table with intervals and ties, caveats. Meaning never rests on colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import (
    CellJudgement,
    by_place,
    courses_words,
    judge_sentinel,
    pair_at,
    place_words,
    plus_minus,
    ratio_words,
    sentinel_words,
    summarise_courses,
)
from dbdyno.core import Comparison, TypeFigures
from dbdyno.report._client import client_share
from dbdyno.report._evidence import Evidence, gather
from dbdyno.report._fairness import fairness_line
from dbdyno.report._format import figure, milliseconds, rank_words
from dbdyno.report._life import life_lines
from dbdyno.store import Results
from dbdyno.study import settings_lines


def print_summary(results: Results, console: Console | None = None) -> None:
    """Print answer, table and caveats to standard output."""
    (console or Console(highlight=False)).print(summary_table(results))


def summary_table(results: Results) -> Group:
    """Answer, table and caveats, to be printed by rich."""
    evidence = gather(results)
    parts = [Text(evidence.study.question, style="bold"), Text()]
    warnings = [words for words in (evidence.scaled_words, evidence.fairness.warning) if words]
    parts += [Text(f"  {line}", style="bold" if line else "") for words in warnings for line in (words, "")]
    parts += [Text(f"  {sentence}") for sentence in evidence.answer.sentences]
    lines = [Padding(Text(f"- {caveat.text}"), (0, 0, 0, 2)) for caveat in evidence.weaknesses]
    heading = [Text(), Text("What weakens it", style="bold")] if lines else []
    told = (*settings_lines(evidence.study), _durability_line(evidence), fairness_line(evidence.fairness))
    fair = [Text(line, style="dim") for line in told if line]
    legend = Text("place: places it may hold, ties overlap; ?: undecided; =: the same to within 3 %", style="dim")
    client = Text(client_line(evidence), style="dim")
    fair += [Text(line, style="dim") for line in life_lines(evidence.lives)]
    courses = summarise_courses(evidence.stored)
    sentinel = judge_sentinel(evidence.records)
    watched = [Text(f"sentinel: {sentinel_words(sentinel)}", style="dim")] if sentinel else []
    driven = [Text(f"driven: {courses_words(courses)}", style="dim")] if courses else []
    return Group(
        *parts, Text(), _table(evidence), legend, *fair, client, *driven, *watched, *_types(evidence), *heading, *lines
    )


def durability_classes(evidence: Evidence) -> dict[str, str]:
    """Durability class of each target that ran."""
    return {target: evidence.fairness.durability(target) for target in evidence.fairness.promises}


def _durability_line(evidence: Evidence) -> str:
    """The one class of all targets; empty where they differ and the table has a column for it."""
    classes = set(durability_classes(evidence).values())
    return f"durability of all targets: {classes.pop()}" if len(classes) == 1 else ""


def _table(evidence: Evidence) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", overflow="ellipsis", no_wrap=True, max_width=44)
    for title in (measure_title(evidence), "place", "of the first", "p95", "p99"):
        table.add_column(title, justify="right", no_wrap=True)
    classes = durability_classes(evidence)
    if len(set(classes.values())) > 1:
        table.add_column("a commit survives")
    places = by_place(evidence.judgements)
    for place, group in sorted(places.items()):
        words = place_words(place, list(places)).removeprefix("with ").replace(" at ", ", ", 1)
        table.add_row(Text(words, style="bold"))
        ordered = sorted(group, key=lambda judgement: -(judgement.tps_mean or 0.0))
        for judgement in ordered:
            row = cell_row(evidence, judgement, ordered[0], len(group))
            survives = [classes.get(judgement.cell.target, "")] if len(set(classes.values())) > 1 else []
            table.add_row(*(Text(cell) for cell in (*row, *survives)))
    return table


def _types(evidence: Evidence) -> list[RenderableType]:
    """Transaction types of each cell, and new orders a minute, in the shape in which TPC-C results are published."""
    parts: list[RenderableType] = []
    for cell in evidence.types:
        where = cell.group.cell
        nopm = cell.rate_words(lambda rates: rates.server_nopm if rates.nopm is None else rates.nopm)
        tpm = cell.rate_words(lambda rates: rates.server_tpm if rates.tpm is None else rates.tpm)
        orders = f": {nopm} NOPM, {tpm} TPM" if nopm else ""
        heading = f"{where.target}, {where.concurrency} connections{orders}"
        parts += [Text(), Text(heading, style="bold"), _type_table(cell.types)]
    return parts


def _type_table(types: Sequence[TypeFigures]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for title in ("count", "TPS", "mean", "p95", "p99"):
        table.add_column(title, justify="right", no_wrap=True)
    for figures in types:
        table.add_row(*(Text(word) for word in _type_row(figures)))
    return table


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    quantiles = (None, None) if latency is None else (latency.p95, latency.p99)
    times = [milliseconds(value) for value in (figures.mean_ns, *quantiles)]
    return [f"  {figures.name}", f"{figures.completed:,}", figure(figures.tps), *times]


def client_line(evidence: Evidence) -> str:
    """What the client used of what it can do here, over all judged runs."""
    judged = [record for judgement in evidence.judgements for record in judgement.judged]
    shares = [share for record in judged if (share := client_share(record)) is not None]
    if not shares:
        return "client: how much of what it can do here it used is not known"
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    used = high if low == high else f"{low} to {high}"
    plain = (
        "" if all(record.client_use_basis == "calibration" for record in judged) else " (not calibrated in all runs)"
    )
    return f"client: used {used} of what it can do here{plain}"


def measure_title(evidence: Evidence) -> str:
    """What the first number is; a search has its own."""
    return "TPS, 95 %" if evidence.study.pacing.search is None else "rate held, a second"


def cell_row(evidence: Evidence, judgement: CellJudgement, best: CellJudgement, count: int) -> list[str]:
    """A cell beside the best of its place: target, level, places it may hold, ratio to the best, p95 and p99."""
    target, place = judgement.cell.target, judgement.place
    tps = plus_minus(judgement.tps_mean or 0.0, judgement.tps_low or 0.0, judgement.tps_high or 0.0)
    pair = pair_at(place, target, best.cell.target, evidence.comparisons)
    against = "" if pair is None else _against(pair)
    found = {x.quantile: x.value_ns for x in evidence.latency if x.cell == judgement.cell}
    quantiles = [milliseconds(found[q]) if q in found else "" for q in ("p95", "p99")]
    return [
        f"  {target}",
        tps,
        rank_words(evidence.ranks[place][target], count),
        against,
        *quantiles,
    ]


def _against(pair: Comparison) -> str:
    """Ratio to the first of the place, marked where that is not a difference."""
    number, interval = ratio_words(pair.ratio, pair.low, pair.high).split(", ", 1)
    mark = {"undecided": "? ", "same": "= "}.get(pair.verdict, "")
    return f"{mark}{number} ({interval.replace(' to ', '-')})"
