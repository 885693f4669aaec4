"""The results in the terminal: answer, table with intervals and ties, caveats. Meaning never rests on colour."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

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
from dbdyno.report._fairness import fairness_line
from dbdyno.report._format import client_share, figure, milliseconds, printable, rank_words
from dbdyno.report._server_lifecycle import lifecycle_lines
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.store import StoredStudy
from dbdyno.study import question_words, settings_lines


def print_summary(results: StoredStudy, console: Console | None = None, *, has_why: bool = False) -> None:
    """Print answer, table and caveats to standard output; see `summary_table`."""
    (console or Console(highlight=False)).print(summary_table(results, has_why=has_why))


def summary_table(results: StoredStudy, *, has_why: bool = False) -> Group:
    """Answer, table and caveats, to be printed by rich.

    Parameters
    ----------
    has_why : with the explanation of the best two, for which the histograms of all statements are read; else the
        command that gives it is named
    """
    analysis = analyse_study(results)
    parts = [Text(question_words(analysis.study), style="bold"), Text()]
    warnings = [words for words in (analysis.scaled_words, analysis.fairness.warning) if words]
    parts += [Text(f"  {line}", style="bold" if line else "") for words in warnings for line in (words, "")]
    parts += [_sentence(words, is_first=not index) for index, words in enumerate(analysis.answer.sentences)]
    why = _why(analysis) if has_why else _where_why(analysis)
    limitations = titled_list("Limitations", [caveat.text for caveat in analysis.limitations])
    told = (*settings_lines(analysis.study), _durability_line(analysis), fairness_line(analysis.fairness))
    fair = [Text(line, style="dim") for line in told if line]
    legend = Text(legend_words(analysis), style="dim")
    client = Text(client_line(analysis), style="dim")
    fair += [Text(line, style="dim") for line in lifecycle_lines(analysis.lives)]
    courses = summarise_courses(analysis.stored)
    sentinel = judge_sentinel(analysis.records)
    watched = [Text(f"sentinel: {sentinel_words(sentinel)}", style="dim")] if sentinel else []
    driven = [Text(f"driven: {courses_words(courses)}", style="dim")] if courses else []
    return Group(
        *parts,
        Text(),
        _table(analysis),
        legend,
        *fair,
        client,
        *driven,
        *watched,
        *_types(analysis),
        *limitations,
        *why,
    )


def _why(analysis: StudyAnalysis) -> list[RenderableType]:
    from dbdyno.report._why import why_lines  # late: a tenth of the time of a summary, which seldom needs it

    return titled_list("Why", why_lines(analysis))


def _where_why(analysis: StudyAnalysis) -> list[RenderableType]:
    """Name the command that explains a difference, where there is one and its statements were measured."""
    is_measured = any(record.imported is None for record in analysis.records)
    if len(analysis.targets) < 2 or not is_measured:
        return []
    return [Text(f"\nwhy: dbdyno explain {shlex.quote(str(analysis.results.path))}", style="dim")]


def _sentence(words: str, *, is_first: bool) -> Text:
    """A sentence of the answer; of the first the verdict, which is what comes before its figures, is bold."""
    verdict, colon, figures = words.partition(": ")
    return Text.assemble("  ", (f"{verdict}{colon}", "bold" if is_first else ""), figures)


def titled_list(title: str, lines: Sequence[str]) -> list[RenderableType]:
    """A heading with a list below it; nothing where the list is empty."""
    if not lines:
        return []
    return [Text(), Text(title, style="bold"), *(Padding(Text(f"- {printable(line)}"), (0, 0, 0, 2)) for line in lines)]


def durability_classes(analysis: StudyAnalysis) -> dict[str, str]:
    """Durability class of each target that ran."""
    return {target: analysis.fairness.durability(target) for target in analysis.fairness.promises}


def _durability_line(analysis: StudyAnalysis) -> str:
    """The one class of all targets; empty where they differ and the table has a column for it."""
    classes = set(durability_classes(analysis).values())
    return f"durability of all targets: {classes.pop()}" if len(classes) == 1 else ""


def _table(analysis: StudyAnalysis) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", overflow="ellipsis", no_wrap=True, max_width=44)
    for title in (measure_title(analysis), "place", "of the first", "p95", "p99"):
        table.add_column(title, justify="right", no_wrap=True)
    classes = durability_classes(analysis)
    if len(set(classes.values())) > 1:
        table.add_column("a commit survives")
    places = by_place(analysis.judgements)
    place_words = place_namer(places)
    for place, group in sorted(places.items()):
        words = place_words(place)
        table.add_row(Text(words, style="bold"))
        ordered = by_level(group)
        for judgement in ordered:
            row = cell_row(analysis, judgement, ordered[0], len(group))
            survives = [classes.get(judgement.cell.target, "")] if len(set(classes.values())) > 1 else []
            table.add_row(*(Text(cell) for cell in (*row, *survives)))
    return table


def by_level(group: Sequence[CellJudgement]) -> list[CellJudgement]:
    """Cells of a place, the most work first; those that have not settled last."""
    return sorted(group, key=lambda judgement: (not judgement.decides, -(judgement.tps_mean or 0.0)))


def legend_words(analysis: StudyAnalysis) -> str:
    """What the marks of the table mean, and on which spread between repeats its verdicts rest where none was seen."""
    words = "place: places it may hold, ties overlap; ?: undecided; =: the same to within 3 %"
    if any(pair.verdict == "not settled" for pair in analysis.comparisons):
        words += "; (level): its throughput has not settled, so nothing is compared with it"
    assumed = max((p.assumed_spread for p in analysis.comparisons if p.assumed_spread is not None), default=None)
    return f"{words}; one run a cell: verdicts hold {assumed_words(assumed)}" if assumed is not None else words


def _types(analysis: StudyAnalysis) -> list[RenderableType]:
    """Transaction types of each cell, and new orders a minute, in the shape in which TPC-C results are published."""
    parts: list[RenderableType] = []
    for cell in analysis.types:
        where = cell.group.cell
        nopm = cell.rate_words(lambda rates: rates.server_nopm if rates.nopm is None else rates.nopm)
        tpm = cell.rate_words(lambda rates: rates.server_tpm if rates.tpm is None else rates.tpm)
        orders = f": {nopm} NOPM, {tpm} TPM" if nopm else ""
        heading = f"{target_title(where.target)}, {where.concurrency} connections{orders}"
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


def client_line(analysis: StudyAnalysis) -> str:
    """What the client used of what it can do here, over all judged runs."""
    judged = [record for judgement in analysis.judgements for record in judgement.judged]
    shares = [share for record in judged if (share := client_share(record)) is not None]
    if not shares:
        return "client: how much of what it can do here it used is not known"
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    used = high if low == high else f"{low} to {high}"
    plain = (
        "" if all(record.client_use_basis == "calibration" for record in judged) else " (not calibrated in all runs)"
    )
    return f"client: used {used} of what it can do here{plain}"


def measure_title(analysis: StudyAnalysis) -> str:
    """What the first number is; a search has its own."""
    return "TPS, 95 %" if analysis.study.pacing.search is None else "rate held, a second"


def cell_row(analysis: StudyAnalysis, judgement: CellJudgement, best: CellJudgement, count: int) -> list[str]:
    """A cell beside the best of its place: target, level, places it may hold, ratio to the best, p95 and p99."""
    target, place = judgement.cell.target, judgement.place
    tps = cell_level_words(judgement)
    pair = pair_at(place, target, best.cell.target, analysis.comparisons_at.get(place, ()))
    against = "" if pair is None else _against(pair)
    found = analysis.quantiles_of.get(judgement.cell, {})
    quantiles = [milliseconds(found[q]) if q in found else "" for q in ("p95", "p99")]
    return [
        f"  {target_title(target)}",
        tps,
        rank_words(analysis.ranks[place][target], count) if judgement.decides else "not settled",
        against,
        *quantiles,
    ]


def _against(pair: Comparison) -> str:
    """Ratio to the first of the place, marked where that is not a difference; nothing where it has not settled."""
    if pair.verdict == "not settled":
        return ""
    number, interval = ratio_words(pair.ratio, pair.low, pair.high).split(", ", 1)
    mark = {"undecided": "? ", "same": "= "}.get(pair.verdict, "")
    return f"{mark}{number} ({interval.replace(' to ', '-')})"
