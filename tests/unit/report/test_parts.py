"""Small parts of the report: palette, settings, thinning, labels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbdyno.core import Target, parse_engine_name
from dbdyno.report import StudyAnalysis, analyse_study
from dbdyno.report._html import Html, element, script_json
from dbdyno.report._palette import palette_of
from dbdyno.report._series import downsampled, run_series
from dbdyno.report._settings import requested_settings, variable_rows
from dbdyno.report.charts._style import end_labels
from dbdyno.store import Results


@pytest.fixture(scope="module")
def analysis(results: Results) -> StudyAnalysis:
    return analyse_study(results)


def target(name: str) -> Target:
    return Target(name, parse_engine_name(name))


def test_the_newest_version_of_a_family_is_the_strongest() -> None:
    looks = palette_of([target("mysql:5.7"), target("mysql:9.7"), target("mysql:8.4")]).looks
    light = [sum(bytes.fromhex(look.light[1:])) for look in looks]
    assert light[1] < light[2] < light[0]


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


def test_the_series_of_a_run_tells_warm_up_from_window(results: Results) -> None:
    found = run_series(results, sorted(results.run_ids())[0])
    assert found["phases"] == [
        {"phase": "warm-up", "from": -0.5, "to": 3.5},
        {"phase": "window", "from": 3.5, "to": 15.5},
    ]
    throughput = found["panels"][0]
    assert throughput["key"] == "tps"
    assert len(throughput["lines"][0]["v"]) == 16


def test_every_metric_is_drawn_in_one_panel_only(results: Results) -> None:
    run_id = sorted(results.run_ids())[0]
    names = [line["name"] for panel in run_series(results, run_id)["panels"] for line in panel["lines"]]
    metrics = set(results.telemetry(run_id)["metric"].to_pylist())
    assert metrics <= set(names)
    assert len(names) == len(set(names))


def test_settings_that_follow_the_tier_are_shown_for_each_tier(analysis: StudyAnalysis) -> None:
    pool = next(row for row in requested_settings(analysis)["mysql:9.7"] if row.option == "innodb_buffer_pool_size")
    assert pool.effective == "64 MiB: 67108864; 512 MiB: 536870912"
    assert pool.reason == "the tier"


def test_differences_between_targets_are_marked_and_accidents_left_out(analysis: StudyAnalysis) -> None:
    rows = {row.name: row for row in variable_rows(analysis)}
    assert rows["binlog_row_image"].differs
    assert not rows["max_connections"].differs
    assert rows["rocksdb_wal_bytes"].values == ("0", "0", "")
    assert not rows.keys() & {"port", "server_id"}


@given(st.text())
def test_no_text_can_leave_its_element(text: str) -> None:
    assert element("p", text, title=text).count("<") == 2
    assert "<" not in script_json(text)
    assert isinstance(element("p", text), Html)


@given(st.lists(st.floats(1, 1000), min_size=1, max_size=12))
def test_labels_never_overlap_where_there_is_room(values: list[float]) -> None:
    rows = [{"target": f"t{i}", "concurrency": 4, "tps": value} for i, value in enumerate(values)]
    placed = sorted(row["label_y"] for row in end_labels(rows, "tps", 0.0, 1000.0, 250, log=False))
    gaps = [(b - a) * 250 / 1000 for a, b in itertools.pairwise(placed)]
    assert all(gap > 12.9 for gap in gaps)
