"""Tables in narrow terminals."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dbdyno.report._blocks import Block, Column, Paragraph, Table, Terms
from dbdyno.report._html import to_html
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._terminal_text import to_terminal

NAMES = ("MariaDB 10.11", "MariaDB 11.8")
VAGUE = "66.1 and 98.2, 2 runs too noisy for an interval"
UNKNOWN = "? not known (the runs are too unlike)"


def printed(block: Block, width: int, *more: Block) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(to_terminal([block, *more]))
    return out.getvalue()


def table_of(tps: str, ratio: str) -> Table:
    titles = ("TPS, 95 %", "place", "of the first", "p95", "p99")
    columns = [
        Column("where", is_group=True),
        Column("target", is_name=True),
        *(Column(title, True) for title in titles),
    ]
    rows = [["64 MiB and 8 connections", name, tps, "1-2", ratio, "86.1 ms", "129 ms"] for name in NAMES]
    return Table("summary", "Summary", columns, rows)


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_a_narrow_table_loses_no_word(width: int) -> None:
    """Words about runs that can't be compared are long; they once took all the width of the names."""
    table = table_of(VAGUE, UNKNOWN)
    words = printed(table, width).split()
    for word in " ".join((*NAMES, VAGUE, UNKNOWN, *(column.title for column in table.columns[2:]))).split():
        assert word in words
    assert words.count("MariaDB") == len(NAMES) and words.count("1-2") == len(NAMES)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_number_and_its_interval_stay_on_one_line(width: int) -> None:
    lines = printed(table_of("1,450 ± 240", "0.77 (0.63-0.93)"), width).splitlines()
    for name in NAMES:
        assert any(name in line and "1,450 ± 240" in line and "0.77 (0.63-0.93)" in line for line in lines)


def test_a_table_without_room_is_a_list_of_each_rows_values() -> None:
    """Eight columns in 60 letters were names and intervals of three letters a line, some of them cut off."""
    numbers = (
        "MySQL 9.7, ms",
        "MariaDB 11.8 + MyRocks, ms",
        "difference, ms",
        "verdict",
        "count",
        "by count",
        "by cost",
    )
    columns = [Column("part", is_name=True), *(Column(title, True) for title in numbers)]
    cells = ["4.9", "12.9", "+7.9 (-4.9 to +20.8)", "undecided", "0.999 → 0.994", "0.0", "+8.0"]
    text = printed(Table("parts", "Parts", columns, [["non_index_update", *cells], ["COMMIT", *cells]]), 60)
    assert max(map(len, text.splitlines())) <= 60 and "…" not in text
    assert {"non_index_update", "COMMIT"} <= {line.strip() for line in text.splitlines()}
    assert " ".join(text.split()).count("difference, ms +7.9 (-4.9 to +20.8) · verdict undecided") == 2


def test_terms_within_a_term_stand_below_it_in_every_form() -> None:
    terms = Terms([("redo capacity", Terms([("2 GiB", "one"), ("4 GiB", "other")])), ("remedy", "set it")])
    lines = [line.rstrip() for line in printed(terms, 60, Paragraph("1 rule")).splitlines()]
    assert lines == ["  redo capacity", "    2 GiB: one", "    4 GiB: other", "  remedy: set it", "", "1 rule"]
    markdown = ["- **redo capacity**:", "  - **2 GiB**: one", "  - **4 GiB**: other", "- **remedy**: set it"]
    assert to_markdown([terms]).splitlines() == markdown
    inner = "<dl><dt>2 GiB</dt><dd>one</dd><dt>4 GiB</dt><dd>other</dd></dl>"
    assert to_html([terms]) == f"<dl><dt>redo capacity</dt><dd>{inner}</dd><dt>remedy</dt><dd>set it</dd></dl>"
