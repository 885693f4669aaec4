"""What the page's filter, its maps, boxes and its packing rest on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbdyno.analyse import assumed_words, window_stalls
from dbdyno.core import Cell
from dbdyno.report import StudyAnalysis, analyse_study
from dbdyno.report._blocks import Column, Table
from dbdyno.report._downsample import LADDER, Downsampling, packed_run, packed_sample
from dbdyno.report._facets import facets_of
from dbdyno.report._html import to_html
from dbdyno.report._marks import run_marks
from dbdyno.report._relative_throughput import RelativeThroughput, relative_throughputs
from dbdyno.report._runs import RunThroughput, boxes_of_windows, seconds_of_runs
from dbdyno.report.charts import Chart, spark
from dbdyno.report.charts._claims import _drawing
from dbdyno.report.charts._heat import _heat_row, _lead
from dbdyno.report.sections._throughput import _INTERVAL_WORDS, _interval_words
from dbdyno.stats import settled_part
from dbdyno.store import StoredStudy
from page_parts import unpacked


@pytest.fixture(scope="module")
def analysis(results: StoredStudy) -> StudyAnalysis:
    return analyse_study(results)


def test_every_cell_carries_a_token_of_each_axis(analysis: StudyAnalysis) -> None:
    facets = facets_of(analysis.study, analysis.records)
    cell = next(record.run.cell for record in analysis.records if record.run.cell.concurrency == 4)
    tokens = facets.of_cell(cell).split()
    assert sorted(token[0] for token in tokens) == ["c", "m", "r", "t", "w"]
    assert facets.of(targets=["mariadb:11.8", "mysql:9.7"]) == "t0 t2"
    assert len(set(facets.target.keys)) == 3


def test_a_target_that_may_be_first_is_told_apart_from_one_that_may_not(analysis: StudyAnalysis) -> None:
    at_best = {(s.cell.target, s.cell.tier_bytes >> 20): s for s in relative_throughputs(analysis) if s.at == 0}
    large = {target: found.may_be_first for (target, memory), found in at_best.items() if memory == 512}
    assert large == {"mariadb:11.8": True, "mariadb:11.8+rocksdb": False, "mysql:9.7": True}
    small = at_best["mysql:9.7", 64]
    assert small.low is not None
    assert small.high is not None
    assert small.low < 0.8 < small.high < 1
    assert not small.may_be_first
    assert small.cell.concurrency == 16


def test_a_box_holds_the_middle_half_of_all_repeats(analysis: StudyAnalysis) -> None:
    boxes = boxes_of_windows(analysis, seconds_of_runs(analysis))
    assert len(boxes) == 18
    for box in boxes:
        assert box.seconds == 24
        values = [box.minimum, box.low, box.lower, box.median, box.upper, box.high, box.maximum]
        assert values == sorted(values)


def test_stalls_of_a_short_window_lie_on_the_axis_of_the_run() -> None:
    marks = run_marks(window_stalls(np.array([100.0, 100.0, 1.0, 2.0, 100.0, 100.0]), None).is_stalled, 10, None)
    assert marks["stalls"] == [[11.5, 13.5]]
    assert marks["words"] == ["1 stall, 2 s, longest 2 s"]


def test_a_beginning_that_still_rises_is_no_stall() -> None:
    rising = np.concatenate([np.linspace(5.0, 40.0, 100), np.random.default_rng(3).normal(100.0, 2.0, 600)])
    rising[400:404] = 10.0
    judged = settled_part(rising)
    assert judged is not None and (judged.start_s, judged.stalled_s) == (100, 4)
    assert run_marks(window_stalls(rising, judged).is_stalled, 10, judged)["stalls"] == [[409.5, 413.5]]


def run_of(window: np.ndarray) -> RunThroughput:
    return RunThroughput(np.arange(len(window)) + 10, window, 0, 10, window, settled_part(window))


def drawn(name: str, strip: str) -> list[tuple[float, float]]:
    """Where the points of a line lie, or from where to where the marks reach, in pixels."""
    if name == "spark-stall":
        rects = re.findall(r'<rect x="(-?\d+)" y="28" width="(\d+)"', strip)
        return [(float(x), float(x) + float(width)) for x, width in rects]
    (path,) = re.findall(rf'd="M([^"]+)" class="{name}"', strip)
    return [(float(x), float(y)) for x, _, y in (point.partition(",") for point in path.split("L"))]


def test_seconds_of_little_throughput_are_no_stalls_on_a_strip() -> None:
    """At 5 TPS a third of all seconds lies below half the median, by chance alone."""
    window = np.random.default_rng(1).poisson(5, 300).astype(float)
    assert (window < 2.5).sum() > 20
    run = run_of(window)
    assert len(run.stalled_s) == 0
    assert drawn("spark-stall", spark(run, 20.0, has_stalls=True)) == []


def test_a_strip_is_drawn_over_time() -> None:
    window = np.concatenate([np.random.default_rng(1).normal(100, 5, 400), np.zeros(200)])
    strip = spark(replace(run_of(window), judged=None), 120.0, has_stalls=True)
    first_zero_px = next(x for x, y in drawn("spark-line", strip) if y == 27)
    assert first_zero_px == pytest.approx(132 * 400 / 599, abs=3)
    (stall,) = drawn("spark-stall", strip)
    assert stall == pytest.approx((132 * 400 / 599, 132), abs=2)


def test_stalled_reports_of_more_than_a_second_are_marked_where_they_begin() -> None:
    run = RunThroughput(np.arange(0, 120, 10), np.array([100.0] * 11 + [9.0]), 0, 0, np.zeros(0), None)
    assert run.stalled_s.tolist() == [110]


@pytest.mark.parametrize(
    ("low", "decides", "words"), [(0.5, True, "0.53"), (None, True, "not known"), (None, False, "(0.53)")]
)
def test_the_map_prints_a_ratio_as_its_table_does(
    monkeypatch: pytest.MonkeyPatch, low: float | None, decides: bool, words: str
) -> None:
    monkeypatch.setattr("dbdyno.report.charts._heat.cell_level_words", lambda *_: "")
    cell = Cell("mysql:9.7", 1 << 30, 16, "w", "socket")
    group: Any = SimpleNamespace(cell=cell, decides=decides, is_settled=decides, trusted=True)
    throughput = RelativeThroughput(group, 16, 0.53, low, low and 0.56, None, None, 2)
    row = _heat_row(throughput, {cell.target: "MySQL"})
    assert row["value"] == row["shown"].partition(" (0.5")[0] == throughput.ratio_text(2) == words
    assert row["is_known"] == (words != "not known")
    assert row["trusted"] == decides
    assert throughput.ratio_text().replace("0.530", "0.53") == words


def test_the_map_begins_with_who_leads_with_which_memory() -> None:
    def row(target: str, memory: str, ratio: float, *, first: bool, at: int = 0) -> dict[str, Any]:
        known = {"is_known": True, "trusted": True, "value": f"{ratio:.2f}"}
        return {"target": target, "memory": memory, "at": at, "ratio": ratio, "first": first, **known}

    def column(memory: str, *ratios: float, first: int) -> list[dict[str, Any]]:
        names = ("mysql:9.7", "mariadb:11.8", "percona:8.0", "mysql:8.0")
        return [row(n, memory, r, first=i < first) for i, (n, r) in enumerate(zip(names, ratios, strict=True))]

    small, large = column("64 MiB", 1.0, 0.9, 0.8, 0.7, first=1), column("1 GiB", 1.0, 0.99, 0.8, 0.5, first=2)
    lead = _lead([*small, *large, row("mysql:9.7", "1 GiB", 0.1, first=True, at=4)])
    assert lead.startswith("MySQL 9.7 leads with 64 MiB; MySQL 9.7 or MariaDB 11.8 leads with 1 GiB.")
    assert lead.endswith("MySQL 8.0 with 1 GiB, has 0.50 of the best.")
    assert _lead(small).startswith("MySQL 9.7 leads. ")
    assert _lead(column("64 MiB", 1.0, 0.99, 0.98, 0.97, first=4)).startswith("4 of 4 targets may be first.")
    assert _lead([{**one, "first": False, "trusted": False} for one in small]) == ""
    two = [*small[:2], {**small[2], "trusted": False}]
    assert _lead(two) == "Of those that settled, MySQL 9.7 leads. The lowest, MariaDB 11.8, has 0.90 of the best."


def series(seconds: int) -> dict[str, Any]:
    values = np.random.default_rng(1).normal(1000, 100, (9, seconds))
    values[:, seconds // 2] = 0.0
    at: dict[str, Any] = {"s": np.arange(seconds), "step": 1, "after_gaps": np.zeros(0)}
    line, *others = ({"name": f"m{n}", **at, "v": own} for n, own in enumerate(values))
    panels = [{"title": "Throughput", "unit": "", "lines": [line], "key": "tps", "log": False}]
    panels += [{"title": "t", "unit": "", "lines": [other], "key": "", "log": False} for other in others]
    return {"phases": [], "panels": panels, "seconds": seconds}


def test_a_page_with_room_keeps_every_second() -> None:
    run = series(900)
    thinning, packed = packed_sample({"run": run}, 10**6)
    told = json.loads(unpacked(packed["run"]))
    assert thinning == LADDER[0]
    assert not told["thinned"]
    assert len(told["panels"][0]["lines"][0]["v"]) == 900


@pytest.mark.parametrize("budget", [0, 30_000, 60_000, 200_000, 10**7])
def test_the_least_thinning_with_which_a_sample_fits_is_that_of_packing_all_of_it_each_time(budget: float) -> None:
    sample = {f"run {seconds}": series(seconds) for seconds in (300, 900, 3600, 60)}
    all_packed = [{name: packed_run(run, thinning) for name, run in sample.items()} for thinning in LADDER]
    fitting = [index for index, packed in enumerate(all_packed) if sum(map(len, packed.values())) <= budget]
    chosen = fitting[0] if fitting else len(LADDER) - 1
    assert packed_sample(sample, budget) == (LADDER[chosen], all_packed[chosen])


def test_a_thinning_is_given_up_with_the_first_run_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    packed_thinnings: list[Downsampling] = []

    def counted(run: Any, thinning: Downsampling) -> str:
        packed_thinnings.append(thinning)
        return packed_run(run, thinning)

    monkeypatch.setattr("dbdyno.report._downsample.packed_run", counted)
    packed_sample({f"run {number}": series(900) for number in range(5)}, 1.0)
    assert [packed_thinnings.count(thinning) for thinning in LADDER] == [1] * (len(LADDER) - 1) + [5]


def test_a_page_without_room_thins_telemetry_first_and_keeps_extremes() -> None:
    run = series(900)
    budget = 6_000
    packed = packed_sample({"run": run}, budget)[1]["run"]
    told = json.loads(unpacked(packed))
    assert len(packed) <= budget
    assert told["thinned"]
    throughput, *others = (panel["lines"][0] for panel in told["panels"])
    assert len(throughput["v"]) > 3 * len(others[0]["v"])
    assert min(throughput["v"]) == min(others[0]["v"]) == 0
    assert others[0]["s"] + sum(others[0]["d"]) <= 900


def _packed_values(values: list[float]) -> dict[str, Any]:
    line = {"name": "m", "s": np.arange(len(values)), "v": np.array(values), "step": 1, "after_gaps": np.zeros(0)}
    run = {"phases": [], "panels": [{"title": "t", "lines": [line], "key": "", "log": False}], "seconds": len(values)}
    packed: dict[str, Any] = json.loads(unpacked(packed_run(run, LADDER[0])))["panels"][0]["lines"][0]
    return packed


def test_a_line_is_packed_as_whole_numbers_that_end_at_one_decimal_place() -> None:
    cases = [([0.5, 12.25, 0.0], 2, [50, 1225, 0]), ([3.0, 100.0], 0, [3, 100]), ([1.5e9, 2e9], -8, [15, 20])]
    cases += [([0.0, -0.0], 0, [0, 0]), ([1234.56, 0.1], 1, [12350, 1])]
    for values, place, numbers in cases:
        packed = _packed_values(values)
        assert (packed.get("p", 0), packed["v"]) == (place, numbers), values
        assert all(isinstance(number, int) for number in packed["v"])


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9))
def test_a_packed_line_gives_four_significant_digits_back(values: list[float]) -> None:
    packed = _packed_values(values)
    place = packed.get("p", 0)
    read = [value / 10**place if place > 0 else value * 10**-place for value in packed["v"]]
    assert read == pytest.approx(values, rel=5.001e-4, abs=1e-290)
    assert all(number == float(f"{number:.4g}") for number in read if 1e-18 < abs(number) < 1e18)


def test_a_packed_line_names_its_gaps_its_step_and_whether_it_is_thinned() -> None:
    seconds = np.concatenate([np.arange(0, 100, 5), np.arange(300, 400, 5)])
    line = {"name": "m", "s": seconds, "v": np.arange(40.0), "step": 5, "after_gaps": np.array([300])}
    run = {"phases": [], "panels": [{"title": "t", "lines": [line], "key": "", "log": False}], "seconds": 400}
    whole, thinned = (
        json.loads(unpacked(packed_run(run, Downsampling(most, most, 0))))["panels"][0]["lines"][0] for most in (40, 8)
    )
    assert (whole["u"], whole["g"], "t" in whole) == (5, [20], False)
    assert thinned["t"] is True
    kept_s = np.cumsum([thinned["s"], *thinned["d"]])
    (after,) = thinned["g"]
    assert kept_s[after - 1] < 100 < 300 <= kept_s[after]


def test_long_tables_are_packed_and_lose_nothing() -> None:
    rows = [[f"<b>{index}</b>"] for index in range(501)]
    assert "data-packed" not in to_html([Table("t", "t", [Column("a")], rows[:500])])
    text = to_html([Table("t", "t", [Column("a")], rows, facets=["t0"] * 501)])
    packed = text.partition('data-packed="')[2].partition('"')[0]
    body = unpacked(packed)
    assert body.count('<tr data-f="t0">') == 501
    assert "&lt;b&gt;500&lt;/b&gt;" in body
    assert "<b>" not in body


def test_the_line_of_the_print_is_not_about_connections() -> None:
    row = {"claim": "a", "words": "", "printed": "1", "shown": "1", "outcome": "holds", "own": 0, "low": -1, "high": 1}
    datasets = Chart("claims", "", "", _drawing([row])).spec()["datasets"]
    rows = [each for dataset in datasets.values() for each in dataset]
    assert len(rows) == 2
    assert not any(each.keys() & {"at", "concurrency", "target", "memory", "workload", "route"} for each in rows)


def test_the_words_on_intervals_name_the_commonest_kind_and_whose_spread_is_assumed() -> None:
    def words(*kinds: str) -> str:
        cells = [SimpleNamespace(interval_kind=k, assumed_spread=0.026 if "assumed" in k else None) for k in kinds]
        page: Any = SimpleNamespace(analysis=SimpleNamespace(judgements=cells))
        return _interval_words(page)

    repeats, assumed = "repeats, moderated", "one run, assumed spread"
    assert words(repeats, assumed).startswith(_INTERVAL_WORDS[repeats])
    assert re.search(rf"; .*\bone run: {assumed_words(0.026)}$", words(repeats, assumed))
    assert words(assumed, repeats) == f"{_INTERVAL_WORDS[assumed]} {assumed_words(0.026)}"
    assert "2.6" not in words(repeats, repeats)
