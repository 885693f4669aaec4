"""The report as Markdown and as PDF."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chromium import skip_without
from dbdyno.cli import main
from dbdyno.core import HostError
from dbdyno.hosts import LocalHost
from dbdyno.report import analyse_study, build_markdown, build_pdf, markdown_text, print_summary, summary_json
from dbdyno.report._blocks import Column, Fold, Paragraph, Table
from dbdyno.report._markdown_text import escaped, to_markdown
from dbdyno.store import StoredRun, StoredStudy
from error_codes import raises_code


def tables(text: str) -> list[list[str]]:
    """Rows of each table."""
    return [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]


def test_the_answer_stands_above_what_weakens_it_and_the_tables(results: StoredStudy) -> None:
    text = markdown_text(results)
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert heads[0].startswith(f"## {results.study.question[:40]}")
    assert heads[1:] == ["### Limitations", "### Why", "### Every place", "### Capacity", "### Fairness", "### How"]
    first_words = analyse_study(results).answer.sentences[0].partition(":")[0]
    assert text.index(first_words) < text.index("Limitations") < text.index("Windows of 12 s")
    cells, pairs, *_ = tables(text)
    assert (len(cells), len(pairs)) == (2 + 18, 2 + 18)
    assert "- MySQL 9.7: MySQL 9.7.4" in text


def test_page_terminal_markdown_and_json_say_who_is_fastest_at_the_smallest_memory(
    results: StoredStudy, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = analyse_study(results).answer.sentences[1]
    assert sentence.startswith("MariaDB 11.8 is fastest at 64 MiB and 16 connections: MySQL 9.7 is ")
    assert sentence in json.dumps(summary_json(results), ensure_ascii=False)
    assert sentence in markdown_text(results).replace("\\", "")
    print_summary(results)
    assert sentence in " ".join(capsys.readouterr().out.split())
    page = Path(address.removeprefix("file://")).read_text(encoding="utf-8").replace("\u00a0", " ")
    assert page.index(sentence) < page.index("more findings")


def test_every_row_of_a_table_has_as_many_cells_as_its_head(broken: StoredStudy) -> None:
    for table in tables(markdown_text(broken)):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1


HOSTILE = "a|b\n# head\n<img src=x> `code` @root fixes #12 https://x.example [l](y) *b*"


def test_words_from_files_neither_format_nor_link_nor_notify(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    def change(run: StoredRun) -> StoredRun:
        return replace(run, record=replace(run.record, status="suspect", reason=HOSTILE, version=HOSTILE))

    text = markdown_text(write(tmp_path / "hostile", change=change, most=4))
    assert "<img" not in text
    assert "\n# head" not in text
    assert not re.search(r"@root|#12|https://|(?<!\\)\[l", text)
    assert "@<!-- -->root fixes #<!-- -->12" in text


def test_the_line_that_unfolds_something_neither_formats_nor_notifies() -> None:
    text = to_markdown([Fold("favours a@root <b>\n\n# #12", [Paragraph("x")])])
    assert "<summary>favours a@<!-- -->root &lt;b&gt;  # #<!-- -->12</summary>" in text


def test_a_study_without_any_run_is_told_in_markdown(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    results = write(tmp_path / "none", most=0)
    text = markdown_text(results)
    assert analyse_study(results).answer.sentences[0] in text
    assert tables(text) == []


def test_markdown_is_printed_or_written_beside_the_records(
    results: StoredStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(results.path), "--format", "md", "-o", "-"]) == 0
    printed = capsys.readouterr().out
    assert printed == markdown_text(results)
    assert main(["report", str(results.path), "--format", "md", "-o", str(tmp_path / "sub" / "r.md")]) == 0
    assert (tmp_path / "sub" / "r.md").read_text() == printed
    assert main(["report", str(results.path), "--format", "md", "-o", str(tmp_path)]) == 2
    capsys.readouterr()
    assert main(["report", str(results.path), "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert main(["report", str(results.path), "--format", "pdf", "-o", "-"]) == 2


def test_a_machine_without_a_browser_is_told_what_to_install(
    results: StoredStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with raises_code(HostError, "browser-missing") as found:
        build_pdf(results, tmp_path / "x.pdf", LocalHost())
    assert "apt-get install chromium" in found.value.remedy


def test_a_browser_that_prints_nothing_is_told(results: StoredStudy, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="PDF"):
        build_pdf(results, tmp_path / "x.pdf", LocalHost(), Path("/bin/true"))
    assert not (tmp_path / "x.pdf").exists()


@pytest.mark.browser
@skip_without
def test_the_page_is_printed_with_its_charts(results: StoredStudy, tmp_path: Path) -> None:
    pdf = build_pdf(results, tmp_path / "report.pdf", LocalHost(), is_full=True).read_bytes()
    assert pdf.startswith(b"%PDF")
    assert page_count(pdf) >= 5


def page_count(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.browser
@skip_without
def test_two_sheets_are_printed_unless_all_of_it_is_asked_for(results: StoredStudy, tmp_path: Path) -> None:
    pdf = build_pdf(results, tmp_path / "report.pdf", LocalHost()).read_bytes()
    assert page_count(pdf) == 2
    assert main(["report", str(results.path), "--full"]) == 2


def test_a_link_is_written_through_and_not_replaced(results: StoredStudy, tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("old")
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "kept.md")
    build_markdown(results, link)
    assert link.is_symlink()
    assert (tmp_path / "kept.md").read_text().startswith("## ")


def test_ten_thousand_characters_of_a_name_leave_room_for_the_rest_of_a_comment() -> None:
    columns = [Column("target"), Column("TPS", is_number=True)]
    table = to_markdown([Table("long", "Long names", columns, [["x" * 10_000, "1"], ["|" * 10_000, "2"]])])
    assert len(table) < 1_000
    assert "x…" in table
    assert len(escaped("y" * 10_000)) < 2_100


@pytest.mark.parametrize("text", ["1. Which", "12) Which", "# Which", "## Which", "- Which", "+ Which", "---"])
def test_no_first_word_makes_a_list_or_a_heading(text: str) -> None:
    backslash = escaped(text).index("\\")
    assert escaped(text) == text[:backslash] + "\\" + text[backslash:]
    assert escaped(text)[backslash + 1] in ".)#+-", "Markdown shows a backslash before letters and digits"
