"""The page as text: complete, honest, and deaf to hostile names."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dbdyno.core import StoreError
from dbdyno.report import analyse_study, build_page, page_text, save_charts
from dbdyno.store import StoredRun, StoredStudy
from error_codes import raises_code
from page_parts import TWO_TARGETS, expanded, page_data, run_of

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

    study = 'name = "x"\nquestion = "</title></script><script>alert(3)</script>"\n' + TWO_TARGETS
    found = outline(page_text(write(tmp_path / "hostile", text=study, change=change, most=6)))
    assert found.tags.count("script") == 4
    assert "img" not in found.tags
    assert found.handlers == []


def test_a_study_without_any_run_has_a_page(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    results = write(tmp_path / "none", most=0)
    page = page_text(results)
    assert analyse_study(results).answer.sentences[0] in page
    assert outline(page).open == []


def test_one_target_at_one_place_has_a_page(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = TWO_TARGETS.replace(', "mysql:9.7"', "").replace("[1, 4]", "[4]").replace("repeats = 2", "repeats = 1")
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
    text = TWO_TARGETS.replace('"mysql:9.7"', '"mysql:8.4", "mysql:9.7"')
    results = write(tmp_path / "versions", text='name = "versions"\n' + text)
    saved = {path.stem for path in save_charts(results, tmp_path / "figures")}
    shown = page_data(page_text(results))["specs"].keys() - {"answer"}  # which is one of the others
    assert "upgrades-1" in shown
    assert shown <= saved
