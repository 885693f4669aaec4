"""Shows the results in the terminal, with blocks shared with Markdown: answer, cells, types, conditions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Console, Group

from dbdyno.analyse import (
    CellJudgement,
    assumed_words,
    by_place,
    cell_level_words,
    courses_words,
    judge_sentinel,
    pair_at,
    place_namer,
    ratio_words,
    sentinel_words,
    summarise_courses,
)
from dbdyno.core import Comparison, TypeFigures, target_title
from dbdyno.report._blocks import Block, Column, Fold, Heading, ListOf, Paragraph, Table, TextSpan, Words, titled_list
from dbdyno.report._fairness import fairness_line
from dbdyno.report._fairness_blocks import difference_lines
from dbdyno.report._format import (
    client_share,
    decider_words,
    figure,
    limitations_title,
    milliseconds,
    opening_sentence,
    p_words,
    rank_words,
    verdict_words,
)
from dbdyno.report._server_lifecycle import lifecycle_lines
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.report._terminal_text import to_terminal
from dbdyno.store import StoredStudy
from dbdyno.study import question_words

_P_ADJUSTED = "p values are adjusted over the pairs of a place (Holm)"
_MOST_CELLS_BY_TYPE = 4
"""Cells whose transaction types a terminal lists; more would fill screens."""


def print_summary(results: StoredStudy, console: Console | None = None, *, has_why: bool = False) -> None:
    """Print answer, table and limitations to standard output; see `summary_table`."""
    (console or Console(highlight=False)).print(summary_table(results, has_why=has_why))


def summary_table(results: StoredStudy, *, has_why: bool = False) -> Group:
    """Return answer, table and limitations, to be printed by rich.

    Parameters
    ----------
    has_why : with the explanation of a difference, for which the histograms of all statements are read; else the
        command that gives it is named
    """
    return to_terminal(_summary_blocks(analyse_study(results), has_why=has_why))


def _summary_blocks(analysis: StudyAnalysis, *, has_why: bool) -> Iterator[Block]:
    yield from answer_blocks(analysis)
    if cells := cells_table(analysis):
        yield cells
    conditions = (*analysis.settings_lines, _durability_line(analysis), fairness_line(analysis.fairness))
    course = (*lifecycle_lines(analysis.lives), client_line(analysis), *course_lines(analysis))
    yield from (Paragraph(line, "quiet") for line in (*conditions, *course) if line)
    yield from _types_blocks(analysis)
    yield from _limitation_blocks(analysis)
    yield from titled_list("Fairness", difference_lines(analysis))
    yield from _why_blocks(analysis) if has_why else _explain_hint_blocks(analysis)


def _limitation_blocks(analysis: StudyAnalysis) -> list[Block]:
    """Return the gravest limitation in a sentence, then all others and its whole text."""
    limitations = analysis.limitations
    if not limitations:
        return []
    opening = opening_sentence(limitations[0].text)
    is_whole = opening == limitations[0].text
    others = limitations[1:] if is_whole else limitations
    title = limitations_title(len(limitations), is_first_whole=is_whole)
    return [*titled_list("Limitations", [opening]), *([Fold(title, [ListOf(others)])] if others else [])]


def _types_blocks(analysis: StudyAnalysis) -> Iterator[Block]:
    """Yield new orders a minute, and the transaction types of a few cells; of many, where to see them."""
    if orders := orders_table(analysis):
        yield Fold(orders.caption, [orders])
    if len(analysis.types) > _MOST_CELLS_BY_TYPE:
        words = (
            f"transaction types of {len(analysis.types)} cells: dbdyno report {shlex.quote(str(analysis.results.path))}"
        )
        yield Paragraph(words, "quiet")
    elif types := types_table(analysis):
        yield Fold(types.caption, [types])


def _why_blocks(analysis: StudyAnalysis) -> list[Block]:
    from dbdyno.report.why._choice import why_lines  # late: a tenth of a summary's time, seldom needed

    return titled_list("Why", why_lines(analysis))


def _explain_hint_blocks(analysis: StudyAnalysis) -> list[Block]:
    """Name the command that explains a difference, where there is one and its statements were measured."""
    is_measured = any(record.imported is None for record in analysis.records)
    if len(analysis.targets) < 2 or not is_measured or not by_place(analysis.judgements):
        return []
    return [Paragraph(""), Paragraph(f"why: dbdyno explain {shlex.quote(str(analysis.results.path))}", "quiet")]


def _durability_line(analysis: StudyAnalysis) -> str:
    """Return the one class of all targets; empty where they differ and the table has a column for it."""
    classes = set(durability_classes(analysis).values())
    return f"durability of all targets: {classes.pop()}" if len(classes) == 1 else ""


def answer_blocks(analysis: StudyAnalysis) -> list[Block]:
    """Return the question, what makes the whole doubtful, and the answer."""
    warnings = [words for words in (analysis.scaled_words, analysis.fairness.warning) if words]
    answer = analysis.answer
    lead, further = answer.sentences[: answer.lead_count], answer.sentences[answer.lead_count :]
    return [
        Heading(question_words(analysis.study), 2),
        *(Paragraph((TextSpan(words),)) for words in warnings),
        *(Paragraph(_answer_sentence(words, not index)) for index, words in enumerate(lead)),
        *([ListOf(further)] if further else []),
    ]


def _answer_sentence(words: str, is_first: bool) -> Words:
    """Return a sentence of the answer; of the first the verdict, which is what comes before its figures, is bold."""
    verdict, colon, figures = words.partition(": ")
    return (TextSpan(verdict + colon.strip()), f" {figures}") if is_first and figures else words


def cells_table(analysis: StudyAnalysis) -> Table | None:
    """Return every judged cell, next to the best of its place; what a commit survives where that differs."""
    places = by_place(analysis.judgements)
    if not places:
        return None
    classes = durability_classes(analysis)
    has_durability_column = len(set(classes.values())) > 1
    names = [Column("where", is_group=True), Column("target", is_name=True)]
    names += [Column("durability")] if has_durability_column else []
    has_ranks = any(len(group) > 1 for group in places.values())
    titles = [_measure_title(analysis), *(["place", "of the first"] if has_ranks else []), "p95", "p99"]
    rows, place_words = [], place_namer(places)
    for place, group in sorted(places.items()):
        ranked = sorted(group, key=lambda judgement: (not judgement.decides, -(judgement.tps_mean or 0.0)))
        for judgement in ranked:
            target = judgement.cell.target
            durability_cells = [classes.get(target, "")] if has_durability_column else []
            rank_figures = _rank_figures(analysis, judgement, ranked[0], len(group)) if has_ranks else []
            figures = [cell_level_words(judgement), *rank_figures, *_quantile_figures(analysis, judgement)]
            rows.append([place_words(place), target_title(target), *durability_cells, *figures])
    columns = [*names, *(Column(title, is_number=True) for title in titles)]
    return Table("cells", "Every place", columns, rows, _legend_text(analysis) if has_ranks else "")


def _measure_title(analysis: StudyAnalysis) -> str:
    """Return what the first number is; a search has its own."""
    return "TPS, 95 %" if analysis.study.pacing.search is None else "highest rate, per second"


def _rank_figures(analysis: StudyAnalysis, judgement: CellJudgement, best: CellJudgement, count: int) -> list[str]:
    """Return the places that a cell may hold, and its ratio to the best of its place."""
    target, place = judgement.cell.target, judgement.place
    pair = pair_at(place, target, best.cell.target, analysis.comparisons_at.get(place, ()))
    return [
        rank_words(analysis.ranks[place][target], count) if judgement.decides else "not settled",
        "" if pair is None else _ratio_to_first(pair),
    ]


def _quantile_figures(analysis: StudyAnalysis, judgement: CellJudgement) -> list[str]:
    quantiles = analysis.quantiles_of.get(judgement.cell, {})
    return [milliseconds(quantiles.get(quantile)) for quantile in ("p95", "p99")]


def _ratio_to_first(pair: Comparison) -> str:
    """Return the ratio to the first of the place, marked if that is no difference; nothing if it has not settled."""
    if pair.verdict == "not settled":
        return ""
    number, interval = ratio_words(pair.ratio, pair.low, pair.high).split(", ", 1)
    mark = {"undecided": "? ", "same": "= "}.get(pair.verdict, "")
    return f"{mark}{number} ({interval.replace(' to ', '-')})"


def _legend_text(analysis: StudyAnalysis) -> str:
    """Return what the table's marks mean, and on which spread between repeats its verdicts rest if none was seen."""
    words = "place: possible places, ties overlap; ?: undecided; =: equal to within 3 %"
    words += f"; {_P_ADJUSTED}" if analysis.comparisons else ""
    if any(pair.verdict == "not settled" for pair in analysis.comparisons):
        words += "; (level): throughput has not settled, so it is not compared"
    assumed_spread = max((p.assumed_spread for p in analysis.comparisons if p.assumed_spread is not None), default=None)
    return (
        f"{words}; verdicts on cells with one run hold {assumed_words(assumed_spread)}"
        if assumed_spread is not None
        else words
    )


def comparisons_table(analysis: StudyAnalysis, facets: Sequence[str] = ()) -> Table:
    """Return every two targets of a place, and what would decide it where it is open; `facets` as a table has them."""
    pairs = analysis.comparisons
    places = [(pair.workload, pair.route, pair.tier_bytes, pair.concurrency) for pair in pairs]
    place_words = place_namer(places)
    rows = [
        [
            place_words(place),
            target_title(pair.left),
            target_title(pair.right),
            ratio_words(pair.ratio, pair.low, pair.high),
            verdict_words(pair),
            p_words(pair),
            decider_words(pair),
        ]
        for place, pair in zip(places, pairs, strict=True)
    ]
    columns = [Column("where"), Column("left"), Column("right"), Column("left / right", True), Column("verdict")]
    columns += [Column("adjusted p", True), Column("needed to decide: repeats, or")]
    caption = f"Ratios with 95 % intervals; {_P_ADJUSTED}"
    return Table("comparisons", caption, columns, rows, facets=facets)


def durability_classes(analysis: StudyAnalysis) -> dict[str, str]:
    """Return the durability class of each target that ran."""
    return {target: analysis.fairness.durability(target) for target in analysis.fairness.promises}


def client_line(analysis: StudyAnalysis) -> str:
    """Return what the client used of what it can do here, over all judged runs."""
    judged_records = [record for judgement in analysis.judgements for record in judgement.judged]
    shares = [share for record in judged_records if (share := client_share(record)) is not None]
    if not shares:
        return "client: the share of its maximum rate is unknown"
    low, high = f"{100 * min(shares):.0f}", f"{100 * max(shares):.0f} %"
    used_words = high if high == f"{low} %" else f"{low} to {high}"
    calibrated_count = sum(record.cpu.client_use_basis == "calibration" for record in judged_records)
    basis_words = " (calibrated in some runs only)" if calibrated_count else " (not calibrated)"
    basis_words = "" if calibrated_count == len(judged_records) else basis_words
    return f"client: used {used_words} of its maximum rate{basis_words}"


def course_lines(analysis: StudyAnalysis) -> list[str]:
    """Return what the runs made of lengths that were left to them, and what the sentinel saw of the machine."""
    courses, sentinel = summarise_courses(analysis.stored), judge_sentinel(analysis.records)
    driven_lines = [f"driven: {courses_words(courses)}"] if courses else []
    return [*driven_lines, *([f"sentinel: {sentinel_words(sentinel)}"] if sentinel else [])]


def orders_table(analysis: StudyAnalysis) -> Table | None:
    """Return new orders and transactions a minute of each cell, in the shape in which TPC-C results are published."""
    cells = [cell for cell in analysis.types if cell.rates]
    place_words = place_namer(cell.group.place for cell in analysis.types)
    rows = [
        [
            place_words(cell.group.place),
            target_title(cell.group.cell.target),
            cell.rate_words(lambda rates: rates.server_nopm if rates.nopm is None else rates.nopm),
            cell.rate_words(lambda rates: rates.server_tpm if rates.tpm is None else rates.tpm),
        ]
        for cell in sorted(cells, key=lambda cell: cell.group.place)
    ]
    columns = [Column("where", is_group=True), Column("", is_name=True), Column("NOPM", True), Column("TPM", True)]
    note = "means of the repeats (lowest to highest); NOPM: new orders per minute, TPM: all transactions per minute"
    return Table("orders", "New orders per minute", columns, rows, note) if rows else None


def types_table(analysis: StudyAnalysis) -> Table | None:
    """Return transaction types of each cell."""
    place_words = place_namer(cell.group.place for cell in analysis.types)
    rows = [
        [f"{target_title(cell.group.cell.target)} at {place_words(cell.group.place)}", *_type_row(figures)]
        for cell in analysis.types
        for figures in cell.types
    ]
    titles = ("count", "TPS", "mean", "p95", "p99")
    columns = [Column("where", is_group=True), Column("type", is_name=True), *(Column(title, True) for title in titles)]
    return Table("types", "Transaction types", columns, rows) if rows else None


def _type_row(figures: TypeFigures) -> list[str]:
    latency = figures.latency_ns
    quantiles = (None, None) if latency is None else (latency.p95, latency.p99)
    times = [milliseconds(value) for value in (figures.mean_ns, *quantiles)]
    return [figures.name, f"{figures.completed:,}", figure(figures.tps), *times]
