"""Small parts of the report: palette, settings, thinning, labels."""

from __future__ import annotations

import colorsys
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sysbench_log
from dbdyno.core import Target, parse_engine_name
from dbdyno.engines import counter_ids
from dbdyno.report import StudyAnalysis, analyse_study, page_text
from dbdyno.report._converter import ChartConverter
from dbdyno.report._html import Html, element, script_json
from dbdyno.report._palette import palette_of
from dbdyno.report._runs import seconds_of_runs
from dbdyno.report._series import downsampled, run_series
from dbdyno.report._settings import requested_settings, variable_rows
from dbdyno.report.charts._style import concurrency_axis, end_labels
from dbdyno.report.charts._vega_lite import layer
from dbdyno.store import StoredRun, StoredStudy, TelemetryRow
from dbdyno.tables import Table
from trees import imported

TABLES = ("differences", "only-some")


@pytest.fixture(scope="module")
def analysis(results: StoredStudy) -> StudyAnalysis:
    return analyse_study(results)


def target(name: str) -> Target:
    return Target(name, parse_engine_name(name))


def test_the_newest_version_of_a_family_is_the_strongest() -> None:
    looks = palette_of([target(f"mysql:{version}") for version in ("5.6", "5.7", "9.7", "8.0", "8.4")]).looks
    light = [sum(bytes.fromhex(look.light[1:])) for look in looks]
    assert light[2] < light[4] < light[3] < light[1] < light[0]


@pytest.mark.parametrize("versions", [("10.11", "11.8"), ("10.6", "10.11", "11.8"), ("10.6", "10.11", "11.4", "11.8")])
def test_up_to_four_targets_of_one_family_have_hues_that_can_be_told_apart(versions: tuple[str, ...]) -> None:
    looks = palette_of([target(f"mariadb:{version}") for version in versions]).looks
    for colours in ([look.light for look in looks], [look.dark for look in looks]):
        hues = sorted(360 * colorsys.rgb_to_hsv(*(byte / 255 for byte in bytes.fromhex(c[1:])))[0] for c in colours)
        turns = [after - before for before, after in zip(hues, [*hues[1:], hues[0] + 360], strict=True)]
        assert min(turns) > 30


def test_no_two_targets_look_alike_even_without_colour() -> None:
    looks = palette_of([target(name) for name in ("mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7", "foo:1")]).looks
    assert len({look.light for look in looks}) == len({look.shape for look in looks}) == 4
    assert len({look.dash for look in looks}) == 4


def test_series_are_thinned_without_losing_extremes() -> None:
    values = np.random.default_rng(1).normal(1000, 10, 5000)
    values[1234], values[4321] = 0.0, 9999.0
    seconds, kept = (part.tolist() for part in downsampled(np.arange(5000), values))
    assert len(kept) <= 600
    assert (min(kept), max(kept)) == (0.0, 9999.0)
    assert seconds == sorted(seconds)


def test_the_series_of_a_run_tells_warm_up_from_window(results: StoredStudy) -> None:
    found = run_series(results, sorted(results.run_ids())[0])
    assert found["phases"] == [
        {"phase": "warm-up", "from": -0.5, "to": 3.5},
        {"phase": "window", "from": 3.5, "to": 15.5},
    ]
    throughput = found["panels"][0]
    assert throughput["key"] == "tps"
    assert len(throughput["lines"][0]["v"]) == 16


def test_a_second_that_was_not_reported_did_nothing_and_has_no_response_time(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    def change(run: StoredRun) -> StoredRun:
        assert not isinstance(run.seconds, Table)
        rows = [row for row in run.seconds if row.second not in (7, 8)]
        rows[5] = replace(rows[5], p95_ns=None)
        return replace(run, seconds=rows)

    results = write(tmp_path / "gaps", change=change, most=1)
    panels = run_series(results, next(iter(results.run_ids())))["panels"]
    lines = {line["name"]: line for panel in panels for line in panel["lines"]}
    assert lines["throughput"]["s"].tolist() == list(range(16))
    assert np.flatnonzero(lines["throughput"]["v"] == 0).tolist() == [7, 8]
    assert lines["throughput"]["after_gaps"].tolist() == []
    assert lines["p99"]["after_gaps"].tolist() == [9]
    assert lines["p95"]["after_gaps"].tolist() == [6, 9]
    assert {line["step"] for line in lines.values()} == {1}
    (run_seconds,) = seconds_of_runs(analyse_study(results)).values()
    assert run_seconds.second.tolist() == list(range(16))
    assert run_seconds.tps[run_seconds.window_from :].tolist() == run_seconds.window.tolist()


def test_a_long_report_of_another_tool_covers_its_seconds(tmp_path: Path) -> None:
    tps = [100.0 + n % 7 for n in range(200)]
    results = imported(tmp_path, {"a/4.log": sysbench_log.log(tps, interval=10)})[1]
    (throughput,) = run_series(results, next(iter(results.run_ids())))["panels"][0]["lines"]
    assert (throughput["step"], throughput["after_gaps"].tolist()) == (10, [])
    assert throughput["v"].min() > 99


def test_every_metric_is_drawn_in_one_panel_only(results: StoredStudy) -> None:
    run_id = sorted(results.run_ids())[0]
    names = [line["name"] for panel in run_series(results, run_id)["panels"] for line in panel["lines"]]
    metrics = set(results.telemetry(run_id).values("metric"))
    assert metrics <= set(names)
    assert len(names) == len(set(names))


def test_compactions_are_drawn_with_the_flushes_of_an_lsm_tree(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    names = {f"engine.lsm.{name}_bytes" for name in ("flush", "compaction_read", "compaction_write")}
    assert {name.removeprefix("engine.") for name in names} <= set(counter_ids())

    def change(run: StoredRun) -> StoredRun:
        assert not isinstance(run.telemetry, Table)
        return replace(run, telemetry=(*run.telemetry, *(TelemetryRow(3, name, 9.0, "bytes/s") for name in names)))

    results = write(tmp_path / "lsm", change=change, most=1)
    panels = run_series(results, next(iter(results.run_ids())))["panels"]
    (panel,) = (panel for panel in panels if panel["title"] == "Compaction and memtable flush")
    assert {line["name"] for line in panel["lines"]} == names


@pytest.mark.parametrize(("value", "key"), [(0.0, "other"), (2.0, "")])
def test_a_network_that_lost_nothing_has_no_panel_until_a_reader_adds_it(
    write: Callable[..., StoredStudy], tmp_path: Path, value: float, key: str
) -> None:
    again = TelemetryRow(3, "network.tcp.retransmitted", value, "ops/s")

    def change(run: StoredRun) -> StoredRun:
        assert not isinstance(run.telemetry, Table)
        return replace(run, telemetry=(*run.telemetry, again))

    results = write(tmp_path / "lossy", change=change, most=1)
    (panel,) = (
        panel
        for panel in run_series(results, next(iter(results.run_ids())))["panels"]
        if any(line["name"] == again.metric for line in panel["lines"])
    )
    assert panel["key"] == key


def test_settings_that_follow_the_tier_are_shown_for_each_tier(analysis: StudyAnalysis) -> None:
    pool = next(row for row in requested_settings(analysis)["mysql:9.7"] if row.option == "innodb_buffer_pool_size")
    assert pool.effective == "64 MiB: 67108864; 512 MiB: 536870912"
    assert pool.reason == "the tier"


def test_differences_between_targets_are_marked_and_accidents_left_out(analysis: StudyAnalysis) -> None:
    rows = {row.name: row for row in variable_rows(analysis)}
    assert rows["binlog_row_image"].differs
    assert not rows["max_connections"].differs
    assert rows["rocksdb_wal_bytes"].values == ("0", "0", None)
    assert not rows.keys() & {"port", "server_id"}


@given(st.text())
def test_no_text_can_leave_its_element(text: str) -> None:
    assert element("p", text, title=text).count("<") == 2
    assert "<" not in script_json(text)
    assert isinstance(element("p", text), Html)


def label_heights(values: dict[str, float], height: int = 250) -> dict[str, float]:
    """Where the names of targets stand in a drawing from 0 to 1,000, pixels from the bottom."""
    rows = [{"target": name, "concurrency": at, "tps": tps} for name, tps in values.items() for at in (1, 4)]
    x, y_scale = concurrency_axis([1, 4]), dict(domain=[0, 1000], nice=False)
    palette = palette_of([target(f"mysql:{number}") for number in range(len(values))])
    drawing = layer(end_labels(rows, x, "tps", y_scale, height, palette), height=height, padding=0)
    with ChartConverter() as converter:
        svg = converter.svg(json.dumps(drawing.definition()))
    found = re.findall(r'translate\([0-9.]+,(-?[0-9.]+)\)"[^>]*>([^<]+)</text>', svg)
    middle = 4  # of a line of text, below which its baseline is
    return {name: height + middle - float(y) for y, name in found if name in values}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_labels_never_overlap_where_there_is_room(seed: int) -> None:
    values = {f"t{i}": float(v) for i, v in enumerate(np.random.default_rng(seed).uniform(1, 1000, 12) ** seed % 1000)}
    placed = label_heights(values)
    assert placed.keys() == values.keys()
    heights = sorted(placed.values())
    assert all(above - below > 12.9 for below, above in itertools.pairwise(heights))
    assert heights[-1] <= 251


def test_labels_with_room_stand_where_their_lines_end() -> None:
    placed = label_heights({"low": 100.0, "hostile \"]</text>'__proto__": 400.0, "high": 1000.0})
    assert placed["low"] == pytest.approx(25, abs=1.5)
    assert placed["high"] == pytest.approx(250, abs=1.5)


def test_labels_of_lines_that_meet_move_as_little_as_needed() -> None:
    placed = label_heights({"a": 40.0, "b": 48.0, "c": 400.0})
    assert [round(placed[name] - placed["a"]) for name in "bc"] == [13, 90]


def test_an_empty_value_is_not_a_missing_variable(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    def change(run: StoredRun) -> StoredRun:
        mode = "" if run.record.run.cell.target.startswith("mysql") else "STRICT"
        return replace(run, variables={**run.variables, "sql_mode": mode, "init_connect": ""})

    results = write(tmp_path / "empty", change=change)
    rows = {row.name: row for row in variable_rows(analyse_study(results))}
    assert (rows["sql_mode"].values, rows["sql_mode"].differs) == (("STRICT", "STRICT", ""), True)
    assert (rows["init_connect"].values, rows["init_connect"].differs) == (("", "", ""), False)
    page = page_text(results)
    different, partial = (page.partition(f'data-csv="{name}"')[2].partition("</table>")[0] for name in TABLES)
    assert "sql_mode" in different and "(empty)" in different and "binlog_row_image" in different
    assert "sql_mode" not in partial and "init_connect" not in partial and "rocksdb_wal_bytes" in partial


def test_a_study_without_variables_does_not_call_them_equal(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    page = page_text(write(tmp_path / "none", change=lambda run: replace(run, variables={})))
    assert "No variables" in page
    assert "are equal" not in page and 'data-csv="variables"' not in page
