"""What the sections of a page say of studies in which something is planted, missing or alone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analyse import vague_words
from dbdyno.core import Caveat
from dbdyno.report import _study_analysis, analyse_study, markdown_text, page_text, summary_json
from dbdyno.report.sections import _how, _latency, _stability
from dbdyno.store import StoredRun, StoredStudy
from page_parts import TWO_TARGETS, page_data, section_of

PageOf = Callable[..., str]
SMALL_STUDY = TWO_TARGETS.replace('read_write"', 'read_write"\ntables = 4\nrows = 50000')
LADDER = TWO_TARGETS.replace("[1, 4]", "[1, 4, 16, 32, 64, 128]").replace(
    '["mariadb:11.8", "mysql:9.7"]', '["mysql:9.7"]'
)


QUIRK_TEXT = "after the run, some conditions do not hold, as with the imitated tool: order lines (Q-ST-4)."


def with_quirk(run: StoredRun) -> StoredRun:
    caveat = Caveat("quirk-broke-condition", QUIRK_TEXT)
    return replace(run, record=replace(run.record, caveats=(*run.record.caveats, caveat)))


def test_quirks_that_texts_name_link_to_what_they_do(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    page = page_text(write(tmp_path / "quirks", text=f'name = "quirks"\n{TWO_TARGETS}', change=with_quirk))
    link = '<a href="#quirk-q-st-4">Q-ST-4</a>'
    head = page[: page.index('id="throughput"')]
    assert f"order lines ({link})" in head, "a limitation"
    assert link in section_of(page, "how"), "a run's caveat"
    data = section_of(page, "data")
    assert '<dt><span id="quirk-q-st-4">Q-ST-4</span></dt>' in data and link not in data
    assert page.count('id="quirk-q-st-4"') == 1


@pytest.fixture
def page_of(write: Callable[..., StoredStudy], tmp_path: Path) -> PageOf:
    """The page of a study, of which the text is given without its name."""

    def page(name: str, text: str, **changes: Any) -> str:
        return page_text(write(tmp_path / name, text=f'name = "{name}"\n' + text, **changes))

    return page


def test_a_scaled_study_says_so_above_its_answer(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    results = write(tmp_path / "small", text='name = "small"\nscaled = "small"\n' + LADDER, most=2)
    analysis = analyse_study(results)
    level = re.search(r"[\d.,]+ ± [\d.,]+", analysis.answer.sentences[0])
    assert level is not None and "(small)" in analysis.scaled_words
    for text in (page_text(results), markdown_text(results)):
        assert analysis.scaled_words in text.partition(level[0])[0]


def test_capacity_tells_peak_collapse_and_which_curves_are_drawn_by_the_law(page_of: PageOf) -> None:
    def scaled(run: StoredRun) -> StoredRun:
        n = run.record.run.cell.concurrency
        tps = 120 * n / (1 + 0.03 * (n - 1) + 0.002 * n * (n - 1)) * (1 + 0.004 * run.record.run.repeat)
        return replace(
            run, record=replace(run.record, figures=replace(run.record.figures, tps_mean=tps, tps_half_width=tps / 100))
        )

    page = page_of("ladder", LADDER, change=scaled)
    section = section_of(page, "capacity")
    assert re.search(r"MySQL 9\.7 peaks .*\b16 connections\b.*collapses\b.* lower\b.*\b128 \(", section)
    assert " 1 of 1 curve: " in section
    rows = [row for rows in page_data(page)["specs"]["answer"]["datasets"].values() for row in rows]
    assert sum(row.get("shown") == "scalability law" for row in rows) == 60


def test_a_study_of_one_concurrency_has_no_capacity(page_of: PageOf) -> None:
    assert 'id="capacity"' not in page_of("flat", TWO_TARGETS.replace("[1, 4]", "[4]"))


def test_runs_that_stand_out_come_before_the_overview_of_all(broken: StoredStudy) -> None:
    text = page_text(broken)
    large = text[text.index('class="strip-grid"') : text.index('class="overview-grid"')]
    small = text[text.index('class="overview-grid"') : text.index('data-key="strips-rest"')]
    assert large.count('class="no-strip"') == 1
    assert large.count("data-run=") == 1
    assert small.count("data-run=") == 29
    assert small.count('class="odd"') == 1
    assert small.count('class="no-strip"') == 1 + 6


def test_a_good_run_of_which_no_second_is_known_is_not_said_to_have_failed(results: StoredStudy) -> None:
    record = analyse_study(results).records[0]
    assert _stability._badness(record, None) == 0
    assert _stability._badness(replace(record, status="failed"), None) > 0
    assert _stability._runs_sentence([record], 0, {}).endswith(" 1 good run without seconds cannot be judged.")


def table_head(page: str, name: str) -> list[str]:
    """Titles of a table's columns."""
    table = page.partition(f'data-csv="{name}"')[2].partition("</thead>")[0]
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall("<th.*?</th>", table, flags=re.S)]


def test_tables_of_cells_tell_routes_apart(page_of: PageOf) -> None:
    names = ("cells", "runs", "standings", "connection-steps", "response-times", "percentiles", "seconds-of-windows")
    page = page_of("routes", SMALL_STUDY.replace("[1, 4]", '[1, 4]\nroute = ["socket", "loopback"]'))
    one_route = page_of("one", SMALL_STUDY)
    for name in (*names, "space"):
        assert "route" in table_head(page, name), name
        assert "route" not in table_head(one_route, name), name


TWO_FAMILIES = """
name = "families"
targets = ["mysql:9.7"]
[[workload]]
name = "sysbench/oltp_read_write"
[[workload]]
name = "tpcc/standard"
[[workload]]
name = "tpcc/hammerdb"
[axes]
tier = ["64MB"]
concurrency = [4]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""


def test_workloads_with_the_same_options_and_other_tables_have_each_its_own_space(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    results = write(tmp_path / "families", text=TWO_FAMILIES)
    (stored,) = (results.dataset("mysql:9.7") or {})["datasets"]
    rows = {"sysbench/oltp_read_write": 10_000, "tpcc/standard": 500_000, "tpcc/hammerdb": 600_000}
    datasets = [{**stored, "workload": name, "options": {}, "rows_total": count} for name, count in rows.items()]
    with results.writing() as writer:
        writer.write_dataset("mysql:9.7", {"datasets": datasets})
    cells = analyse_study(StoredStudy.open(results.path)).space
    assert {cell.group.cell.workload: cell.rows for cell in cells} == rows


def test_runs_in_the_order_of_the_study_file_are_not_said_to_take_turns(page_of: PageOf) -> None:
    def order(name: str, text: str) -> str:
        return page_of(name, text, most=2).partition('data-key="order-rest"')[2].partition("</details>")[0]

    written = order("written", TWO_TARGETS.replace("repeats = 2", 'repeats = 2\norder = "as-written"'))
    assert _how._WRITTEN_ORDER_WORDS in written and _how._ORDER_WORDS not in written
    assert _how._ORDER_WORDS in order("turns", TWO_TARGETS)
    assert "take turns" not in order("one", TWO_TARGETS.replace(', "mysql:9.7"', ""))


def test_only_runs_that_were_made_are_counted(page_of: PageOf) -> None:
    whole, part = (page_of(f"most-{most}", TWO_TARGETS, most=most) for most in (99, 4))
    counts = [re.search(r">(\d+ of )?(\d+) runs\b[^<:]*: none ", page) for page in (whole, part)]
    assert [count and count.groups() for count in counts] == [(None, "8"), ("4 of ", "8")], (
        "windows of 12 s cannot be judged, so that all have settled does not stand before it"
    )


def test_runs_of_the_sentinel_are_no_part_of_the_product(page_of: PageOf) -> None:
    text = TWO_TARGETS.replace("repeats = 2", 'repeats = 2\nsentinel = "mysql:9.7"')
    kicker = page_of("watched", text).partition('class="kicker"')[2].partition("</p>")[0]
    total, *factors, added = map(int, re.findall(r"(\d+) (?:run|target|conc|repeat|of the sentinel)", kicker))
    assert (total, math.prod(factors), added) == (14, 8, 6)
    assert total == math.prod(factors) + added


def second_mariadb_run_faster(run: StoredRun, factor: float) -> StoredRun:
    figures, record = run.record.figures, run.record
    if record.run.repeat != 2 or not record.run.cell.target.startswith("mariadb"):
        return run
    figures = replace(figures, tps_mean=figures.tps_mean and figures.tps_mean * factor)
    return replace(run, record=replace(record, figures=figures))


def test_the_speed_of_runs_that_disagree_is_the_same_in_every_table(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    change = partial(second_mariadb_run_faster, factor=30.0)
    results = write(tmp_path / "vague", text='name = "vague"\n' + SMALL_STUDY, change=change)
    page = page_text(results)
    space = page.partition('data-csv="space"')[2].partition("</table>")[0]
    (disagreeing, *_) = (group for group in analyse_study(results).judgements if group.is_vague)
    assert space.count(vague_words(disagreeing)) == 2
    ratios = re.findall(r"<tr.*?</tr>", page.partition('data-csv="standings"')[2].partition("</table>")[0], flags=re.S)
    assert sum("not known" in row for row in ratios) == 3
    capacity: Any = summary_json(results)["capacity"]
    mariadb, mysql = capacity
    assert (mariadb["low"], mariadb["high"]) == (None, None)
    assert mysql["low"] < mysql["peak_tps"] < mysql["high"]


def test_the_first_chart_says_why_a_point_has_no_interval(page_of: PageOf) -> None:
    def first_screen(name: str, **changes: Any) -> str:
        return page_of(name, SMALL_STUDY, **changes).partition('id="answer"')[2].partition("</header>")[0]

    reason = "the runs disagree or are too noisy"
    assert reason in first_screen("wide", change=partial(second_mariadb_run_faster, factor=1.8))
    assert reason not in first_screen("narrow")


def test_captions_of_the_throughput_name_what_is_drawn(page_of: PageOf) -> None:
    def throughput(name: str, text: str) -> str:
        return section_of(page_of(name, text), "throughput")

    curves = throughput("curves", SMALL_STUDY)
    assert "; bands: 95 % intervals" in curves and "Where bands overlap" in curves
    bars = throughput("bars", SMALL_STUDY.replace("[1, 4]", "[4]"))
    assert "; whiskers: 95 % intervals" in bars and "bands" not in bars
    alone = throughput("alone", SMALL_STUDY.replace(', "mysql:9.7"', ""))
    assert "overlap" not in alone and 'data-csv="comparisons"' not in alone


def test_short_runs_that_were_not_repeated_are_said_to_have_no_whiskers(page_of: PageOf) -> None:
    def section(repeats: int) -> str:
        text = SMALL_STUDY.replace("repeats = 2", f"repeats = {repeats}")
        return section_of(page_of(f"r{repeats}", text), "latency")

    assert "Whiskers: 95 % intervals between repeats." in section(2)
    once = section(1)
    assert "No whiskers: one run" in once and "between repeats" not in once


def test_response_times_say_where_a_whisker_that_leaves_its_panel_ends(page_of: PageOf) -> None:
    def change(run: StoredRun) -> StoredRun:
        record = run.record
        times = record.figures.latency_ns
        assert times is not None
        factor = 4 if record.run.repeat == 2 else 1
        figures = replace(record.figures, latency_ns=replace(times, p99=times.p99 * factor))
        return replace(run, record=replace(record, figures=figures))

    assert _latency._CUT_WORDS in section_of(page_of("wide", SMALL_STUDY, change=change), "latency")
    assert _latency._CUT_WORDS not in section_of(page_of("narrow", SMALL_STUDY), "latency")


def test_the_first_chart_of_response_times_has_a_percentile_that_most_cells_have(
    page_of: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short windows know p99 only where much is done: a chart of it shows one target and not its rivals."""
    judge = _study_analysis.judge_latency

    def without_p99(targets: set[str], *facts: Any) -> list[Any]:
        return [x for x in judge(*facts) if x.quantile != "p99" or x.cell.target not in targets]

    def first_charts(name: str, without: set[str]) -> list[str]:
        monkeypatch.setattr(_study_analysis, "judge_latency", partial(without_p99, without))
        page = section_of(page_of(name, SMALL_STUDY), "latency")
        folded_at = page.index("<details") if "<details" in page else len(page)
        return re.findall(r'id="chart-latency-\d+-(p\d+)"', page[:folded_at])

    assert first_charts("all", set()) == ["p99"]
    assert first_charts("half", {"mysql:9.7"}) == ["p95"]
