"""The page as text: complete, honest, and deaf to hostile names."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analyse import vague_words
from dbdyno.core import StoreError
from dbdyno.report import analyse_study, build_page, markdown_text, page_text, save_charts, summary_json
from dbdyno.report.sections import _head, _how, _latency, _stability
from dbdyno.store import StoredRun, StoredStudy
from error_codes import raises_code

VOID = {"br", "hr", "img", "input", "meta", "link", "path", "line", "circle", "rect"}


class Outline(HTMLParser):
    """Tags opened, ids, and whether every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    return found


def page_data(page: str) -> dict[str, Any]:
    """What the page's script reads."""
    found: dict[str, Any] = json.loads(re.search(r'id="page-data">(.*?)</script>', page, flags=re.S)[1])
    found["specs"] = {
        name: json.loads(unpacked(spec)) if isinstance(spec, str) else spec for name, spec in found["specs"].items()
    }
    return found


def unpacked(text: str) -> str:
    return zlib.decompress(base64.b64decode(text)).decode()


def expanded(page: str) -> str:
    """The page with the rows of its long tables."""
    return re.sub(r'<tbody data-packed="([^"]+)"[^>]*>', lambda found: "<tbody>" + unpacked(found[1]), page)


def run_of(page: str, run_id: str) -> dict[str, Any]:
    """What is shown when a run is opened."""
    packed = json.loads(re.search(r'id="runs-data">(.*?)</script>', page, flags=re.S)[1])
    found: dict[str, Any] = json.loads(unpacked(packed[run_id]))
    return found


@pytest.fixture(scope="module")
def page(results: StoredStudy) -> str:
    return page_text(results)


def test_the_checksums_of_data_and_results_stand_side_by_side(page: str) -> None:
    _, _, rest = page.partition('data-csv="dataset-checksums"')
    datasets, _, results = rest.partition('data-csv="result-checksums"')
    assert datasets.count("c3" * 32) == 3
    assert results.count("a1" * 32) == 3
    assert results.count("b2" * 32) == 3


def test_the_space_of_a_target_stands_beside_its_speed(page: str) -> None:
    _, _, rest = page.partition('data-csv="space"')
    table, _, _ = rest.partition("</table>")
    assert "on disk" in table
    assert table.count("50 MiB") == table.count("<tr ")
    assert "262" in table, "50 MiB over 200,000 rows"


def test_sections_stand_in_the_order_of_the_design(page: str) -> None:
    ids = outline(page).ids
    order = ["answer", "throughput", "latency", "ranks", "stability", "settings", "how", "data"]
    assert [anchor for anchor in ids if anchor in order] == order
    assert len(ids) == len(set(ids))
    assert outline(page).open == []


def test_the_answer_and_what_weakens_it_come_first(page: str) -> None:
    head = page[page.index("<h1") : page.index('id="throughput"')]
    assert "% slower (" in head
    assert "Limitations" in head
    assert re.search(r'data-code="shared-cores"[^>]*>.* 2 cores', head)


def test_nothing_refers_to_a_network(page: str) -> None:
    without_bundle = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert not re.search(r'(?:src|href)="(?!#|data:)', without_bundle)
    assert "url(" not in without_bundle
    assert "@import" not in without_bundle
    assert "default-src 'none'" in page


def test_the_policy_names_exactly_the_scripts_of_the_page(page: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.S)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    policy = re.search(r"script-src ([^;]*);", page)
    assert policy
    assert policy[1].split() == [f"'sha256-{digest}'" for digest in hashes]


def test_every_run_can_be_opened_with_its_telemetry(page: str) -> None:
    runs = page_data(page)["runs"]
    assert len(runs) == 36
    opened = run_of(page, runs[0]["id"])
    titles = {panel["title"] for panel in opened["panels"]}
    assert {"Throughput", "Disk bytes", "CPU of the machine by mode", "Dirty pages", "Checkpoint age"} <= titles
    assert set(re.findall('data-run="([^"]*)"', page)) == {run["id"] for run in runs}
    assert [phase["phase"] for phase in opened["phases"]] == ["warm-up", "window"]


def test_a_run_tells_its_files_with_checksums(page: str, results: StoredStudy) -> None:
    run_id = page_data(page)["runs"][0]["id"]
    told = {name: sha256 for name, _, sha256 in run_of(page, run_id)["files"]}
    stored = {n: facts.sha256 for n, facts in results.manifest.files.items() if n.startswith(f"runs/{run_id}/")}
    assert told == stored
    assert any(name.endswith("seconds.parquet") for name in told)


def test_every_chart_is_described_and_has_its_data_behind_it(page: str) -> None:
    charts = re.findall(r'data-chart="([^"]+)" role="application"[^>]* aria-label="([^"]+)"', page)
    assert {name for name, _ in charts} == set(page_data(page)["specs"])
    assert all(len(words) > 40 for _, words in charts)
    for table in ("cells", "comparisons", "response-times", "runs", "differences"):
        assert f'data-csv="{table}"' in page


def test_files_are_listed_with_their_checksums(page: str, results: StoredStudy) -> None:
    text = expanded(page)
    for name, facts in results.manifest.files.items():
        assert name in text
        assert facts.sha256 in text


def test_the_page_of_a_small_study_is_a_few_megabytes_at_most(page: str) -> None:
    assert len(page.encode()) < 3_000_000


def test_failed_missing_and_suspect_runs_are_shown(broken: StoredStudy) -> None:
    page = page_text(broken)
    assert re.search(r"\b6 missing\b.*\b1 failed\b.*\b1 suspect\b", page)
    assert "&lt;b&gt;signal 11&lt;/b&gt;" in page
    assert "<b>signal 11</b>" not in page
    assert "repeat 1: failed" in page


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u2028"


def test_hostile_text_stays_text(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    def change(run: StoredRun) -> StoredRun | None:
        record = replace(run.record, version=HOSTILE, status="suspect", reason=HOSTILE * 50)
        return replace(run, record=record, variables={HOSTILE: HOSTILE * 200}, server_log=HOSTILE)

    study = 'name = "x"\nquestion = "</title></script><script>alert(3)</script>"\n' + STUDY_REST
    found = outline(page_text(write(tmp_path / "hostile", text=study, change=change, most=6)))
    assert found.tags.count("script") == 4
    assert "img" not in found.tags
    assert found.handlers == []


STUDY_REST = """
targets = ["mariadb:11.8", "mysql:9.7"]
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["64MB"]
concurrency = [1, 4]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""


def test_a_study_without_any_run_has_a_page(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    results = write(tmp_path / "none", most=0)
    page = page_text(results)
    assert analyse_study(results).answer.sentences[0] in page
    assert outline(page).open == []


def test_one_target_at_one_place_has_a_page(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = STUDY_REST.replace(', "mysql:9.7"', "").replace("[1, 4]", "[4]").replace("repeats = 2", "repeats = 1")
    page = page_text(write(tmp_path / "one", text='name = "one"\n' + text))
    assert 'data-code="one-repeat"' in page
    assert 'id="ranks"' not in page


def test_an_unwritable_place_is_named(results: StoredStudy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with raises_code(StoreError, "not-writable", str(tmp_path / "file" / "page.html")):
        build_page(results, tmp_path / "file" / "page.html")


def test_charts_are_saved_as_svg_and_png(broken: StoredStudy, tmp_path: Path) -> None:
    files = save_charts(broken, tmp_path / "figures")
    names = {path.name for path in files}
    assert {"throughput-1.svg", "throughput-1.png", "timeline.svg"} <= names
    svg = (tmp_path / "figures" / "throughput-1.svg").read_text()
    assert "var(--" not in svg
    assert "MySQL 9.7" in svg
    assert (tmp_path / "figures" / "throughput-1.png").read_bytes().startswith(b"\x89PNG")


def test_every_chart_of_the_page_is_saved(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = STUDY_REST.replace('"mysql:9.7"', '"mysql:8.4", "mysql:9.7"')
    results = write(tmp_path / "versions", text='name = "versions"\n' + text)
    saved = {path.stem for path in save_charts(results, tmp_path / "figures")}
    shown = page_data(page_text(results))["specs"].keys() - {"answer"}  # which is one of the others
    assert "upgrades-1" in shown
    assert shown <= saved


LADDER = STUDY_REST.replace("[1, 4]", "[1, 4, 16, 32, 64, 128]").replace(
    '["mariadb:11.8", "mysql:9.7"]', '["mysql:9.7"]'
)


def test_a_scaled_study_says_so_above_its_answer(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    results = write(tmp_path / "small", text='name = "small"\nscaled = "small"\n' + LADDER, most=2)
    analysis = analyse_study(results)
    level = re.search(r"[\d.,]+ ± [\d.,]+", analysis.answer.sentences[0])
    assert level is not None and "(small)" in analysis.scaled_words
    for text in (page_text(results), markdown_text(results)):
        assert analysis.scaled_words in text.partition(level[0])[0]


def test_capacity_tells_peak_collapse_and_which_curves_are_drawn_by_the_law(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def scaled(run: StoredRun) -> StoredRun:
        n = run.record.run.cell.concurrency
        tps = 120 * n / (1 + 0.03 * (n - 1) + 0.002 * n * (n - 1)) * (1 + 0.004 * run.record.run.repeat)
        return replace(
            run, record=replace(run.record, figures=replace(run.record.figures, tps_mean=tps, tps_half_width=tps / 100))
        )

    page = page_text(write(tmp_path / "ladder", text='name = "ladder"\n' + LADDER, change=scaled))
    _, _, rest = page.partition('id="capacity"')
    section, _, _ = rest.partition("</section>")
    assert re.search(r"MySQL 9\.7 peaks .*\b16 connections\b.*collapses\b.* lower\b.*\b128 \(", section)
    assert " 1 of 1 curve: " in section
    rows = [row for rows in page_data(page)["specs"]["answer"]["datasets"].values() for row in rows]
    assert sum(row.get("shown") == "scalability law" for row in rows) == 60


def test_a_study_of_one_concurrency_has_no_capacity(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = 'name = "flat"\n' + STUDY_REST.replace("[1, 4]", "[4]")
    assert 'id="capacity"' not in page_text(write(tmp_path / "flat", text=text))


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


SMALL_STUDY = STUDY_REST.replace('read_write"', 'read_write"\ntables = 4\nrows = 50000')


def table_head(page: str, name: str) -> list[str]:
    """Titles of a table's columns."""
    table = page.partition(f'data-csv="{name}"')[2].partition("</thead>")[0]
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall("<th.*?</th>", table, flags=re.S)]


def test_tables_of_cells_tell_routes_apart(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    names = ("cells", "runs", "standings", "connection-steps", "response-times", "percentiles", "seconds-of-windows")
    text = 'name = "routes"\n' + SMALL_STUDY.replace("[1, 4]", '[1, 4]\nroute = ["socket", "loopback"]')
    page = page_text(write(tmp_path / "routes", text=text))
    one_route = page_text(write(tmp_path / "one", text='name = "one"\n' + SMALL_STUDY))
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


def test_runs_in_the_order_of_the_study_file_are_not_said_to_take_turns(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def order(name: str, text: str) -> str:
        page = page_text(write(tmp_path / name, text=f'name = "{name}"\n' + text, most=2))
        return page.partition('data-key="order-rest"')[2].partition("</details>")[0]

    written = order("written", STUDY_REST.replace("repeats = 2", 'repeats = 2\norder = "as-written"'))
    assert _how._WRITTEN_ORDER_WORDS in written and _how._ORDER_WORDS not in written
    assert _how._ORDER_WORDS in order("turns", STUDY_REST)
    assert "take turns" not in order("one", STUDY_REST.replace(', "mysql:9.7"', ""))


def test_only_runs_that_were_made_are_counted(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = 'name = "part"\n' + STUDY_REST
    whole, part = (page_text(write(tmp_path / f"{most}", text=text, most=most)) for most in (99, 4))
    counts = [re.search(r">(\d+ of )?(\d+) runs\b[^<:]*: none ", page) for page in (whole, part)]
    assert [count and count.groups() for count in counts] == [(None, "8"), ("4 of ", "8")], (
        "windows of 12 s cannot be judged, so that all have settled does not stand before it"
    )


def test_runs_of_the_sentinel_are_no_part_of_the_product(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = 'name = "watched"\n' + STUDY_REST.replace("repeats = 2", 'repeats = 2\nsentinel = "mysql:9.7"')
    kicker = page_text(write(tmp_path / "watched", text=text)).partition('class="kicker"')[2].partition("</p>")[0]
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


def test_the_first_chart_says_where_a_band_that_leaves_it_ends(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def first_screen(name: str, **changes: Any) -> str:
        page = page_text(write(tmp_path / name, text=f'name = "{name}"\n' + SMALL_STUDY, **changes))
        return page.partition('id="answer"')[2].partition("</header>")[0]

    assert _head._CUT_WORDS in first_screen("wide", change=partial(second_mariadb_run_faster, factor=1.8))
    assert _head._CUT_WORDS not in first_screen("narrow")


def test_captions_of_the_throughput_name_what_is_drawn(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    def throughput(name: str, text: str) -> str:
        page = page_text(write(tmp_path / name, text=f'name = "{name}"\n' + text))
        return page.partition('id="throughput"')[2].partition("</section>")[0]

    curves = throughput("curves", SMALL_STUDY)
    assert "; bands: 95 % intervals" in curves and "Where bands overlap" in curves
    bars = throughput("bars", SMALL_STUDY.replace("[1, 4]", "[4]"))
    assert "; whiskers: 95 % intervals" in bars and "bands" not in bars
    alone = throughput("alone", SMALL_STUDY.replace(', "mysql:9.7"', ""))
    assert "overlap" not in alone and 'data-csv="comparisons"' not in alone


def test_short_runs_that_were_not_repeated_are_said_to_have_no_whiskers(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def section(repeats: int) -> str:
        text = f'name = "r{repeats}"\n' + SMALL_STUDY.replace("repeats = 2", f"repeats = {repeats}")
        page = page_text(write(tmp_path / f"r{repeats}", text=text))
        return page.partition('id="latency"')[2].partition("</section>")[0]

    assert "Whiskers: 95 % intervals between repeats." in section(2)
    once = section(1)
    assert "No whiskers: one run" in once and "between repeats" not in once


def test_response_times_say_where_a_whisker_that_leaves_its_panel_ends(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def change(run: StoredRun) -> StoredRun:
        record = run.record
        times = record.figures.latency_ns
        assert times is not None
        factor = 4 if record.run.repeat == 2 else 1
        figures = replace(record.figures, latency_ns=replace(times, p99=times.p99 * factor))
        return replace(run, record=replace(record, figures=figures))

    def section(name: str, **changes: Any) -> str:
        page = page_text(write(tmp_path / name, text=f'name = "{name}"\n' + SMALL_STUDY, **changes))
        return page.partition('id="latency"')[2].partition("</section>")[0]

    assert _latency._CUT_WORDS in section("wide", change=change)
    assert _latency._CUT_WORDS not in section("narrow")
