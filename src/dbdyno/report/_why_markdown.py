"""The explanation as Markdown: a section of the report, and what `dbdyno explain --format md` prints."""

from __future__ import annotations

from dbdyno.report._deep import ABOUT_DEEP, KINDS, deep_lines, deep_rows, deep_titles
from dbdyno.report._markdown_text import bullets, escaped, folded, table_text
from dbdyno.report._proofs import ABOUT_PROOFS, PROOF_TITLES, proof_lines, proof_rows
from dbdyno.report._why import (
    ABOUT,
    ABOUT_COUNTED,
    ABOUT_THREADS,
    Why,
    counted_rows,
    counted_titles,
    moment_lines,
    part_rows,
    part_titles,
    route_lines,
    side_titles,
    step_lines,
)
from dbdyno.report._why_causes import ABOUT_CAUSES, ABOUT_USERS, cause_rows, cause_titles, user_rows, user_titles


def why_blocks(why: Why) -> list[str]:
    """Blocks of the section, its heading first."""
    blocks = ["### Why", *(escaped(line) for line in why.lines)]
    if why.ranking is not None:
        titles = [title or "grade" for title in cause_titles()]
        blocks += [table_text(titles, 0, cause_rows(why.ranking)), ABOUT_CAUSES]
    if why.proofs:
        notes = "\n\n".join([bullets(proof_lines(why.proofs)), escaped(ABOUT_PROOFS)])
        blocks += folded("Proofs", f"{table_text(PROOF_TITLES, 5, proof_rows(why.proofs))}\n\n{notes}")
    if why.deep is not None:
        tables = [
            table_text([f"function, {words}", *deep_titles(why.deep)[1:]], 1, rows)
            for kind, words in KINDS.items()
            if (rows := deep_rows(why.deep, kind))
        ]
        blocks += folded("In which functions", "\n\n".join([bullets(deep_lines(why.deep)), *tables, ABOUT_DEEP]))
    if why.gap is not None and why.gap.parts:
        titles = [title or "verdict" for title in part_titles(why.gap)]
        blocks += folded("The time, part by part", table_text(titles, 7, part_rows(why.gap)) + f"\n\n{escaped(ABOUT)}")
    if why.thread_gap is not None and why.thread_gap.parts:
        titles = [title or "verdict" for title in part_titles(why.thread_gap)]
        rows = part_rows(why.thread_gap)
        blocks += folded("What the server's threads did", table_text(titles, 7, rows) + f"\n\n{escaped(ABOUT_THREADS)}")
    users = user_rows(why.known)
    if why.thread_gap is not None and users:
        titles = user_titles(side_titles(why.thread_gap))
        blocks += folded("Who ran meanwhile", table_text(titles, 3, users) + f"\n\n{ABOUT_USERS}")
    rows = counted_rows(why)
    if why.gap is not None and rows:
        blocks += folded(
            "Work that the servers counted",
            table_text(counted_titles(why.gap), 6, rows) + f"\n\n{escaped(ABOUT_COUNTED)}",
        )
    lists = (
        ("More connections", step_lines(why)),
        ("Over the network", route_lines(why)),
        ("Stalls and waves", moment_lines(why)),
    )
    for title, lines in lists:
        blocks += folded(title, bullets(lines)) if lines else []
    return blocks


def why_markdown(why: Why) -> str:
    """The section alone."""
    return "\n\n".join(why_blocks(why)) + "\n"
