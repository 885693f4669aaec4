"""Deep profiles beside a study: functions and flame graphs in every form, nothing of them judged, names escaped."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from chromium import launched, needs_chromium
from dbdyno.core import Stack
from dbdyno.plan import deep_study
from dbdyno.report import StudyAnalysis, analyse_study, build_page, markdown_text, page_text, why_object, why_of
from dbdyno.report.why._deep import deep_lines
from dbdyno.store import StackProfile, StoredStudy, deep_folder
from dbdyno.study import study_text
from explained_study import PlantedTimes
from page_visit import Visit

playwright = pytest.importorskip("playwright.sync_api")

A, B = "mariadb:11.8", "mysql:9.7"
ODD = "operator<<'\"&</svg>"
ON_CPU = {
    A: {("sessions", "do_command", "filesort"): 500, ("sessions", "do_command", "[mariadbd]"): 900, ("flusher",): 100},
    B: {("sessions", "do_command", "filesort", ODD): 1500, ("sessions", "do_command", "[mysqld]"): 400},
}
OFF_CPU = {target: {("sessions", "redo flush", "do_command", "fsync"): 2_000_000} for target in (A, B)}


def _profile(target: str, **more: object) -> StackProfile:
    facts = {"transactions": 1000, "rate_hz": 100, "on_cpu_unit_ms": 10.0, "off_cpu_unit_ms": 0.001, "cut_off": 0}
    on_cpu: dict[Stack, int] = ON_CPU[target]
    return StackProfile({**facts, "missing": {}, **more}, on_cpu, OFF_CPU[target])


def _study(folder: Path, profiles: dict[str, StackProfile] | None = None) -> StudyAnalysis:
    results = PlantedTimes({B: {"commit": 2.0}}).write(folder)
    gap = why_of(analyse_study(results)).gap
    assert gap is not None
    study = deep_study(results.study, gap.left, gap.right)
    counted = {A: {"server.cpu.user": 0.010, "server.cpu.system": 0.004}}
    planted = PlantedTimes({}, profiles=profiles or {A: _profile(A), B: _profile(B)}, counted=counted)
    planted.text = study_text(study)
    planted.write(deep_folder(folder, "1234"))
    return analyse_study(StoredStudy.open(folder))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> StudyAnalysis:
    return _study(tmp_path_factory.mktemp("deep") / "study")


def test_functions_are_told_per_transaction_and_add_up(analysis: StudyAnalysis) -> None:
    deep = json.loads(json.dumps(why_object(analysis, why_of(analysis)), allow_nan=False))["deep"]
    on_cpu = deep["on_cpu"]
    assert (on_cpu["left_ms"], on_cpu["right_ms"]) == pytest.approx((15.0, 19.0))
    assert (on_cpu["left_unnamed_ms"], on_cpu["right_unnamed_ms"]) == pytest.approx((9.0, 4.0))
    assert sum(each["difference_ms"] for each in on_cpu["functions"]) == pytest.approx(4.0)
    assert on_cpu["functions"][0]["name"] == ODD
    assert (deep["left_counted_ms"], deep["right_counted_ms"]) == (pytest.approx(14.0), None)
    assert deep["off_cpu"]["left_ms"] == deep["off_cpu"]["right_ms"] == pytest.approx(2.0)


def test_the_study_is_judged_as_without_it_and_another_place_has_none(analysis: StudyAnalysis, tmp_path: Path) -> None:
    plain = analyse_study(PlantedTimes({B: {"commit": 2.0}}).write(tmp_path / "plain"))
    assert [one.cell for one in analysis.judgements] == [one.cell for one in plain.judgements]
    assert why_of(analysis).lines == why_of(plain).lines
    assert why_of(plain).deep is None
    assert why_of(analysis, at="64MB,4").deep is None
    assert why_object(plain, why_of(plain))["deep"] is None
    assert StoredStudy.open(analysis.results.path).verify() == ()


def test_the_page_draws_both_sides_escaped_and_gives_the_stacks_back(analysis: StudyAnalysis) -> None:
    page = page_text(analysis.results)
    part = page[page.index('id="why-deep"') : page.index("Where sessions were blocked")]
    assert ODD not in part
    assert "operator&lt;&lt;'\"&amp;&lt;/svg&gt;" in part
    frames = re.findall(r'<svg class="fr ([^"]*)" x="([\d.]+)%" y="\d+" width="([\d.]+)%"', part)
    assert frames and all(float(x) + float(width) <= 100.01 for _, x, width in frames)
    assert {"fg", "fr3"} <= {name for classes, _, _ in frames for name in classes.split()}
    packed = re.findall(r'href="data:application/gzip;base64,([^"]+)"', part)
    text = gzip.decompress(base64.b64decode(packed[0])).decode()
    assert text == f"sessions;do_command;[mysqld] 400\nsessions;do_command;filesort;{ODD} 1500\n"


def test_what_limits_a_profile_is_told_by_name(tmp_path: Path) -> None:
    bare = replace(_profile(A, missing={"off_cpu": "no sampler"}, cut_off=900), off_cpu={})
    analysis = _study(tmp_path / "study", {A: bare, B: _profile(B)})
    text = markdown_text(analysis.results)
    assert "no sampler" in text
    assert re.search(r"\b60 % [^%]*\bstacks\b", text) and re.search(r"\b60 % [^%]*\bCPU\b", text)
    assert why_of(analysis).deep is not None
    assert why_object(analysis, why_of(analysis))["deep"]["off_cpu"] is None  # type: ignore[index]


def test_a_profile_without_the_kernel_says_so_and_is_held_against_user_time(tmp_path: Path) -> None:
    user_only = _profile(A, command=["perf", "record", "-e", "cpu-clock:u", "-F", "99"])
    analysis = _study(tmp_path / "study", {A: user_only, B: _profile(B)})
    deep = why_of(analysis).deep
    assert deep is not None
    assert deep.counted_ms == (pytest.approx(10.0), None)
    (line,) = (line for line in deep_lines(deep) if "without the kernel" in line)
    assert line.startswith("MariaDB 11.8:")


@pytest.mark.browser
@needs_chromium[1]
@pytest.mark.parametrize("width", [1280, 360])
def test_a_frame_is_read_by_keys_and_enlarged(analysis: StudyAnalysis, tmp_path: Path, width: int) -> None:
    address = build_page(analysis.results, tmp_path / "report.html").as_uri()
    with playwright.sync_playwright() as driver:
        browser = launched(driver)
        visit = Visit(browser, address, width)
        figure = visit.page.locator("#why-deep .flame-figure").first
        words, frames = figure.locator(".flame-words"), figure.locator("svg.fr")
        frames.first.focus()
        for _ in range(3):
            visit.page.keyboard.press("ArrowDown")
        assert words.text_content().startswith("filesort: 15.00 ms here")
        box = frames.first.bounding_box()
        visit.page.keyboard.press("Enter")
        enlarged = figure.locator("svg.fr:focus").bounding_box()
        assert enlarged["width"] == pytest.approx(box["width"], abs=2)
        assert figure.get_by_role("button", name="Show the whole graph").is_visible()
        visit.page.keyboard.press("Escape")
        assert figure.locator("svg.fr:focus").bounding_box()["width"] < enlarged["width"]
        assert visit.fits()
        assert visit.said == []
        browser.close()
