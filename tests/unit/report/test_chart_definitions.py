"""Every kind of chart of a study keeps to Vega-Lite's schema, and holds its rows; a report itself checks neither."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from altair.utils.schemapi import validate_jsonschema
from altair.vegalite.v6.schema.core import load_schema
from jsonschema import ValidationError

from dbdyno.analyse import CellJudgement, judge_series
from dbdyno.report import StudyAnalysis, analyse_study
from dbdyno.report._palette import palette_of
from dbdyno.report._runs import boxes_of_windows, seconds_of_runs
from dbdyno.report.charts import (
    Chart,
    box_charts,
    curve_charts,
    heat_charts,
    judged_chart,
    latency_charts,
    rank_charts,
    seconds_template,
    throughput_charts,
    timeline_chart,
    upgrade_charts,
)
from dbdyno.report.charts._upgrades import _brief_change
from dbdyno.report.charts._vega_lite import drawing_of, layer
from dbdyno.store import StoredStudy

SEVEN_AT_ONE_PLACE = """
name = "place"
targets = ["mariadb:10.11", "mariadb:11.8", "mysql:8.0", "mysql:8.4", "mysql:9.7", "percona:8.0", "percona:8.4"]
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = ["512MB"]
concurrency = [16]
[measure]
warm_up = "4s"
window = "12s"
repeats = 2
"""


@pytest.fixture(scope="module")
def charts(results: StoredStudy) -> list[Chart]:
    analysis = analyse_study(results)
    palette = palette_of(analysis.study.targets)
    makers = (throughput_charts, latency_charts, curve_charts, rank_charts, heat_charts)
    found = [chart for maker in makers for chart in maker(analysis, palette)]
    timeline = timeline_chart(analysis, palette)
    boxes = boxes_of_windows(analysis, seconds_of_runs(analysis))
    return [*found, *box_charts(analysis, palette, boxes), *([timeline] if timeline else [])]


SCHEMA = load_schema()


def check_schema(chart: Chart) -> None:
    check_specification(chart.spec())


def check_specification(spec: dict[str, Any]) -> None:
    """With two rows of each dataset, as the schema says little of rows and checking many takes long."""
    datasets = {name: rows[:2] for name, rows in spec.get("datasets", {}).items()}
    validate_jsonschema({**spec, "datasets": datasets}, SCHEMA)  # raises


def test_every_chart_keeps_to_the_schema(charts: list[Chart]) -> None:
    assert len(charts) >= 5
    for chart in charts:
        check_schema(chart)


@pytest.mark.parametrize("log", [False, True])
def test_the_seconds_of_a_run_keep_to_the_schema(log: bool) -> None:
    check_specification(seconds_template(log=log))


def test_a_judged_run_keeps_to_the_schema() -> None:
    random = np.random.default_rng(1)
    check_schema(judged_chart("run", judge_series(100 + random.normal(0, 1, 300))))


def test_rows_that_several_layers_have_are_held_once() -> None:
    rows = [{"at": 1}, {"at": 2}]
    points, others = drawing_of(rows).mark_point(), drawing_of([{"at": 3}]).mark_rule()
    drawing = layer(layer(points, points.transform_filter("datum.at > 1")), others, drawing_of(rows).mark_line())
    assert drawing.definition() == {
        "layer": [
            {
                "data": {"name": "data-1"},
                "layer": [
                    {"mark": {"type": "point"}},
                    {"mark": {"type": "point"}, "transform": [{"filter": "datum.at > 1"}]},
                ],
            },
            {"data": {"name": "data-2"}, "mark": {"type": "rule"}},
            {"data": {"name": "data-1"}, "mark": {"type": "line"}},
        ],
        "datasets": {"data-1": rows, "data-2": [{"at": 3}]},
    }


@pytest.fixture(scope="module")
def at_one_place(write: Callable[..., StoredStudy], tmp_path_factory: pytest.TempPathFactory) -> StudyAnalysis:
    return analyse_study(write(tmp_path_factory.mktemp("place") / "study", text=SEVEN_AT_ONE_PLACE))


def marks(specification: Any) -> set[str]:
    """Of all layers."""
    mark = specification.get("mark")
    own = {mark["type"] if isinstance(mark, dict) else mark} if mark else set()
    return own.union(*(marks(layer) for layer in specification.get("layer", ())))


def test_one_number_of_connections_has_bars_and_dots_with_intervals(at_one_place: StudyAnalysis) -> None:
    palette = palette_of(at_one_place.study.targets)
    throughput, latency = throughput_charts(at_one_place, palette), latency_charts(at_one_place, palette)
    assert throughput and latency
    for chart in throughput:
        check_schema(chart)
        assert marks(chart.spec()) == {"bar", "rule", "text"}
    for chart in latency:
        assert marks(chart.spec()) == {"point", "rule", "text"}


def test_whiskers_give_way_to_the_map_beyond_six_targets(at_one_place: StudyAnalysis) -> None:
    palette = palette_of(at_one_place.study.targets)
    assert rank_charts(at_one_place, palette) == []
    assert len(heat_charts(at_one_place, palette)) == 1


def test_an_interval_that_says_nothing_is_no_band(results: StoredStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = analyse_study(results)
    monkeypatch.setattr(CellJudgement, "is_vague", property(lambda _: True))
    charts = throughput_charts(analysis, palette_of(analysis.study.targets))
    rows = [row for chart in charts for rows in chart.spec()["datasets"].values() for row in rows if row.get("runs")]
    assert rows and {(row["low"], row["high"]) for row in rows} == {(None, None)}


def test_every_chart_holds_rows_and_no_text_in_their_place(charts: list[Chart]) -> None:
    for chart in charts:
        named = chart.spec()["datasets"]
        assert named and all(
            isinstance(rows, list) and all(isinstance(row, dict) for row in rows) for rows in named.values()
        )


def test_what_reads_a_place_lies_over_the_lines(charts: list[Chart]) -> None:
    """A line is one mark: over the columns it would take the pointer from them."""
    over_places = [chart for chart in charts if chart.name.startswith(("throughput-", "latency-"))]
    assert over_places
    for chart in over_places:
        layers = [layer for layer in chart.spec()["layer"] if "mark" in layer]
        lines = [index for index, layer in enumerate(layers) if layer["mark"]["type"] == "line"]
        columns = [index for index, layer in enumerate(layers) if layer["mark"].get("opacity") == 0]
        assert max(lines) < min(columns)
        assert not any(layers[index]["encoding"].get("tooltip") for index in lines)


def test_the_order_of_runs_names_each_run(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    chart = timeline_chart(analysis, palette_of(analysis.study.targets))
    assert chart is not None
    (rows,) = chart.spec()["datasets"].values()
    assert sorted(row["run"] for row in rows) == sorted(results.run_ids())


@pytest.mark.parametrize(("ratio", "words"), [(1.014, "+1"), (0.997, "-0.3"), (1.0004, "+0.04"), (0.8, "-20")])
def test_a_small_change_is_never_a_signed_zero(ratio: float, words: str) -> None:
    assert _brief_change(ratio) == words


def test_a_wrong_definition_would_be_seen() -> None:
    wrong = {"data": {"name": "rows"}, "datasets": {"rows": [{"a": 1}]}, "mark": {"type": "no such mark"}}
    with pytest.raises(ValidationError, match="no such mark"):
        check_specification(wrong)


def test_upgrades_have_a_field_for_each_step(at_one_place: StudyAnalysis) -> None:
    (chart,) = upgrade_charts(at_one_place)
    check_schema(chart)
    steps = {(step.old, step.new) for step in at_one_place.upgrades}
    (rows,) = {name: rows for name, rows in chart.spec()["datasets"].items() if rows}.values()
    assert len(rows) == len(steps) == 4
    assert {row["target"] for row in rows} == {new for _, new in steps}


def test_averages_of_upgrades_have_a_column_and_no_number_that_the_filter_knows(
    write: Callable[..., StoredStudy], tmp_path: Path
) -> None:
    text = SEVEN_AT_ONE_PLACE.replace("concurrency = [16]", "concurrency = [1, 4, 16]")
    (chart,) = upgrade_charts(analyse_study(write(tmp_path / "study", text=text)))
    (rows,) = {name: rows for name, rows in chart.spec()["datasets"].items() if rows}.values()
    # The page's filter shows rows whose concurrency is the number of connections that was chosen.
    assert {row["column"]: row["concurrency"] for row in rows} == {"1": 1, "4": 4, "16": 16, "all": 0}
    assert len(rows) == 16
