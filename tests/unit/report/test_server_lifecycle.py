"""Times of servers, memory limits and deaths, as the page, the terminal and programs are told of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from dbdyno.report import analyse_study
from dbdyno.report._page import page_text
from dbdyno.report._server_lifecycle import lifecycle_lines
from dbdyno.report._summary import summary_json
from dbdyno.store import Results, StoredRun, StoredStudy

MIB = 1 << 20
MEMORY = {
    "limit_bytes": 704 * MIB,
    "peak_bytes": 704 * MIB,
    "used_bytes": 600 * MIB,
    "page_cache_bytes": 300 * MIB,
    "anonymous_bytes": 290 * MIB,
    "limit_hits": None,
    "refaulted_pages": 1234,
    "oom_kills": 0,
}
DEATH = {"kind": "assertion", "words": "w", "exit_code": -6, "excerpt": "<b>stack</b> of it", "kernel_line": ""}


@pytest.fixture(scope="module")
def lived(write: Callable[..., StoredStudy], tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    """A study with memory limits and recoveries, in which one server died."""

    def change(run: StoredRun) -> StoredRun:
        index = run.record.run.order_index
        life = {"start_ns": (1 + index) * 10**9, "shutdown_ns": 2 * 10**9, "recovery_ns": 7 * 10**9, "memory": MEMORY}
        if index != 3:
            return replace(run, life=life)
        reason = "the server died: an assertion failed (signal 6, abort): fil0fil.cc:7483\nfil0fil.cc"
        failed = replace(
            run.record,
            status="failed",
            fault="assertion",
            reason=reason,
            figures=replace(run.record.figures, tps_mean=None),
        )
        return StoredRun(failed, life={"start_ns": 10**9, "death": DEATH})

    return write(tmp_path_factory.mktemp("lived") / "first", change=change)


def test_the_page_shows_times_limits_and_the_log_of_a_dead_server(lived: Results) -> None:
    page = page_text(lived)
    section = page[page.index('id="life"') :]
    assert "recovery" in section
    assert "7 s" in section
    assert "704 MiB" in section
    assert "1,234" in section
    assert "fil0fil.cc:7483" in section
    assert "&lt;b&gt;stack&lt;/b&gt; of it" in section


def test_the_terminal_names_times_and_deaths(lived: Results) -> None:
    lines = lifecycle_lines(analyse_study(lived).lives)
    assert any(re.search(r"recovery 7 s.* 100 % .* 704 MiB", line) for line in lines)
    assert "assertion" in lines[-1]
    analysis = analyse_study(lived)
    assert list(dict.fromkeys(life.target for life in analysis.lives.targets)) == list(analysis.targets)


def test_programs_get_them_too(lived: Results) -> None:
    told = summary_json(lived)
    lives = told["lives"]
    assert isinstance(lives, list)
    assert lives[0]["limit_bytes"] == 704 * MIB
    assert set(lives[0]["recovery_ns"]) == {7 * 10**9}
    cells = told["cells"]
    assert isinstance(cells, list)
    assert [cell["fault"] for cell in cells if cell["fault"]] == ["assertion"]


def test_a_study_without_them_has_no_such_section(results: StoredStudy) -> None:
    assert 'id="life"' not in page_text(results)
    assert lifecycle_lines(analyse_study(results).lives) == []
