"""Renders the explanation as blocks: the terminal's and Markdown's, and the tables next to the page's charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console

from dbdyno.analyse.explain import Gap
from dbdyno.report._altered import altered_caveats
from dbdyno.report._blocks import Block, Column, Fold, Heading, ListOf, Paragraph, Table, TextSpan, Words, titled_list
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report._terminal_text import to_terminal
from dbdyno.report.why._causes import ABOUT_CAUSES, ABOUT_USERS, cause_rows, user_rows
from dbdyno.report.why._choice import (
    ABOUT,
    ABOUT_COUNTED,
    ABOUT_NETWORK,
    ABOUT_THREADS,
    Why,
    furthest_lines,
    moment_lines,
    route_lines,
    step_lines,
)
from dbdyno.report.why._deep import ABOUT_DEEP, KINDS, DeepProfile, Waiting, deep_lines, deep_rows
from dbdyno.report.why._proofs import ABOUT_PROOFS, proof_lines, proof_rows
from dbdyno.report.why._rows import counted_rows, network_rows, part_rows, side_titles

_OVER_NETWORK = "Over the network"
_FURTHEST = "Where other targets are furthest behind the best"
_MOST_FUNCTIONS = 4
"""Functions in a terminal."""


def print_why(analysis: StudyAnalysis, why: Why, console: Console) -> None:
    """Print the explanation to a console."""
    warning = analysis.fairness.warning
    limitations = titled_list("Limitations", [warning] if warning else [])
    console.print(to_terminal([*why_blocks(why, _MOST_FUNCTIONS), *limitations]))


def why_markdown(analysis: StudyAnalysis, why: Why) -> str:
    """Return the explanation as Markdown."""
    altered_paragraphs = (Paragraph(caveat.text) for caveat in altered_caveats(analysis.results))
    return to_markdown([Heading("Why"), *altered_paragraphs, *why_blocks(why)])


def why_blocks(why: Why, most_functions: int | None = None) -> Iterator[Block]:
    """Yield three lines, the causes, and folded what they rest on."""
    yield from why_sentences(why)
    if causes := causes_table(why):
        yield causes
    if proofs := proofs_table(why):
        yield Fold(proofs.caption, [proofs, *proof_notes(why)])
    if why.deep is not None:
        yield Fold("Time by function", [*_function_blocks(why.deep, most_functions), Paragraph(ABOUT_DEEP, "quiet")])
    for table in (parts_table(why), threads_table(why), users_table(why), counted_table(why)):
        if table is not None:
            yield Fold(table.caption, [table])
    yield from why_lists(why)


def _function_blocks(deep: DeepProfile, max_rows: int | None) -> Iterator[Block]:
    yield ListOf(deep_lines(deep))
    for kind in KINDS:
        if table := functions_table(deep, kind):
            yield from (Heading(table.caption, 4), replace(table, rows=table.rows[:max_rows]))


def why_sentences(why: Why) -> list[Block]:
    """Return the answer in words, its first line bold."""
    first_line, *other_lines = why.lines
    return [Paragraph((TextSpan(first_line),)), *map(Paragraph, other_lines)]


def causes_table(why: Why) -> Table | None:
    """Return the causes, and how much of the difference each one's parts are."""
    if why.ranking is None:
        return None
    columns = [Column("grade"), Column("cause"), Column("difference, ms", True)]
    columns += [Column(title, is_detail=True) for title in ("settings that differ", "what would remove it")]
    rows = cause_rows(why.ranking)
    filled = [index for index in range(len(columns)) if any(row[index] for row in rows)]
    columns, rows = [columns[index] for index in filled], [[row[index] for index in filled] for row in rows]
    return Table("why-causes", "Causes of the difference", columns, rows, ABOUT_CAUSES)


def proofs_table(why: Why) -> Table | None:
    """Return what experiments said of the causes."""
    columns = [Column("altered", is_name=True), Column("on"), Column("ms before", True), Column("ms altered", True)]
    columns += [Column(title) for title in ("predicted", "observed", "verdict")]
    caption = "Proofs: time saved when a cause was altered"
    return Table("why-proofs", caption, columns, proof_rows(why.proofs), ABOUT_PROOFS) if why.proofs else None


def proof_notes(why: Why) -> list[Block]:
    """Return why a proof is undecided, what bounds it, and what else changed with it."""
    lines = proof_lines(why.proofs)
    return [ListOf(lines)] if lines else []


def functions_table(deep: DeepProfile, kind: Waiting) -> Table | None:
    """Return the functions that differ most in their own time."""
    rows = deep_rows(deep, kind)
    numbers = (*(f"{title}, own ms" for title in deep.titles), "difference", "with callees")
    columns = [Column("function"), *(Column(title, is_number=True) for title in numbers)]
    caption = f"Functions with the largest difference in own time {KINDS[kind]}, ms per transaction"
    return Table(f"why-deep-{kind}", caption, columns, rows) if rows else None


def parts_table(why: Why) -> Table | None:
    """Return the time by what the client waited for."""
    if why.gap is None or not why.gap.parts:
        return None
    return Table("why-parts", "Time by statement", _part_columns(why.gap), part_rows(why.gap), ABOUT)


def threads_table(why: Why) -> Table | None:
    """Return the time by what the server's threads did."""
    if why.thread_gap is None or not why.thread_gap.parts:
        return None
    columns = _part_columns(why.thread_gap)
    return Table("why-threads", "Time by server threads", columns, part_rows(why.thread_gap), ABOUT_THREADS)


def users_table(why: Why) -> Table | None:
    """Return who used the processors meanwhile."""
    rows = user_rows(why.known)
    if why.thread_gap is None or not rows:
        return None
    columns = _function_columns("threads", *side_titles(why.thread_gap), "difference")
    return Table("why-processors", "Threads on the processors", columns, rows, ABOUT_USERS)


def counted_table(why: Why) -> Table | None:
    """Return what the servers counted, and its time."""
    rows = counted_rows(why)
    if why.gap is None or not rows:
        return None
    titles = side_titles(why.gap)
    columns = _function_columns("counted per transaction", *titles, "ms each", "ms", "by count", "by cost")
    return Table("why-counted", "Work counted by the servers", columns, rows, ABOUT_COUNTED)


def why_lists(why: Why) -> list[Block]:
    """Return other wide differences; what more connections and the network add; how stalls and waves differ."""
    lists: dict[str, Sequence[Words]] = {
        _FURTHEST: furthest_lines(why),
        "More connections": step_lines(why),
        _OVER_NETWORK: route_lines(why),
        "Stalls and waves": moment_lines(why),
    }
    tables = {_OVER_NETWORK: network_table(why)}
    folds: list[Block] = []
    for title, lines in lists.items():
        table = tables.get(title)
        blocks: list[Block] = [*([ListOf(lines)] if lines else []), *([table] if table else [])]
        folds += [Fold(title, blocks)] if blocks else []
    return folds


def network_table(why: Why) -> Table | None:
    """Return how much of the time over a network is the network's."""
    columns = [Column("target", is_name=True), Column("route")]
    titles = ("connections", "ms per transaction", "round trips", "round trips, ms", "transmission, ms", "rest, ms")
    columns += [Column(title, is_number=True) for title in (*titles, "network", "near, ms", "more work, ms")]
    rows = network_rows(why)
    return Table("why-network", "Time of the network", columns, rows, ABOUT_NETWORK) if rows else None


def _part_columns(gap: Gap) -> list[Column]:
    side_headings = (f"{side}, ms" for side in side_titles(gap))
    return _function_columns("part", *side_headings, "difference, ms", "verdict", "count", "by count", "by cost")


def _function_columns(name: str, *numbers: str) -> list[Column]:
    return [Column(name, is_name=True), *(Column(title, is_number=True) for title in numbers)]
