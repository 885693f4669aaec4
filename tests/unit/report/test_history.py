"""Many results folders in a row: planted moves are found with their cause, what is not alike stays out."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import history_studies
from dbdyno.analyse import parse_criterion
from dbdyno.core import RequestError, Run, StoreError
from dbdyno.report.history import (
    MEASURES,
    check_history_rules,
    gather_history,
    history_object,
    history_page_text,
    rule_lines,
    save_otava,
    since_ns,
)
from dbdyno.report.history._words import history_caveats
from dbdyno.store import Results, gather
from error_codes import raises_code

NIGHTS = 10
_MYSQL_ONLY = history_studies.NIGHTLY.replace('"mariadb:11.8", ', "")


def _nights(top: Path, level: Callable[[int, Run], float], **more: object) -> Path:
    for night in range(NIGHTS):
        versions = {"mysql:9.7": "9.7.5"} if night >= 6 and more.get("new_mysql") else {}
        history_studies.write_night(
            top / f"night-{night}", night, lambda run, n=night: level(n, run), versions=versions
        )
    return top


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MySQL 9.7.5 comes with night 6 and does 10 % less; MariaDB stays."""

    def level(night: int, run: Run) -> float:
        return 300.0 if run.cell.target == "mariadb:11.8" else 240.0 * (0.9 if night >= 6 else 1.0)

    return _nights(tmp_path_factory.mktemp("slower"), level, new_mysql=True)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything becomes slower with night 6, and MySQL's version is new, too."""
    return _nights(
        tmp_path_factory.mktemp("machine"),
        lambda night, run: (300.0 if run.cell.target == "mariadb:11.8" else 240.0) * (0.9 if night >= 6 else 1.0),
        new_mysql=True,
    )


def test_a_planted_move_is_told_with_its_studies_and_its_cause(slower: Path) -> None:
    history = gather_history([slower])
    ((cell, move),) = history.moves("tps")
    assert cell.cell.target == "mysql"
    assert [history.studies[point.study].label for point in (move.before, move.after)] == ["night-5", "night-6"]
    assert move.level.low < 0.9 < move.level.high
    assert move.outcome == "slower" and move.is_finding
    assert ("server", "mysql 9.7.4 innodb", "mysql 9.7.5 innodb") in [
        (row.what, row.base, row.new) for row in history.changed_at(move)
    ]


def test_a_rule_is_broken_by_the_move_and_not_by_an_old_one(slower: Path) -> None:
    history = gather_history([slower])
    (rule,) = check_history_rules(history, [parse_criterion("slower:3%")])
    assert rule.is_broken
    assert re.match(r"FAIL slower:3%: mysql .*64 MiB and 4 connections: -", rule_lines(history, rule)[0])
    (later,) = check_history_rules(history, [parse_criterion("slower:3%")], since_ns(history, "night-7"))
    assert not later.is_broken
    (milder,) = check_history_rules(history, [parse_criterion("slower:20%")], since_ns(history, "2026-01-01"))
    (line,) = rule_lines(history, milder)
    assert re.match(r"PASS slower:20%: .*\b2 series", line)


def test_a_short_history_tells_what_it_can_not_see(tmp_path: Path) -> None:
    for night in range(3):
        history_studies.write_night(tmp_path / f"{night}", night, lambda run: 100.0)
    history = gather_history([tmp_path])
    (rule,) = check_history_rules(history, [parse_criterion("slower:3%")])
    assert (rule.is_broken, rule.outcome) == (False, "NOT SHOWN")
    (line,) = rule_lines(history, rule)
    assert re.match(r"NOT SHOWN slower:3%: .*\b2 series .*\b2 ", line)


def test_a_rule_that_allows_less_than_a_change_point_needs_finds_smaller_ones(tmp_path: Path) -> None:
    top = _nights(
        tmp_path, lambda night, run: 300.0 * (0.981 if night >= 6 and run.cell.target != "mariadb:11.8" else 1)
    )
    strict = parse_criterion("slower:1%")
    history = gather_history([top], least_move=strict.allowed)
    (found,) = check_history_rules(history, [strict])
    assert found.outcome == "FAIL"
    assert history_object(history, "tps", [found])["parameters"] == {"most_p": 0.001, "least_move": 0.01}
    assert " 1 % or more" in history_page_text(history, "tps")
    (unseen,) = check_history_rules(gather_history([top]), [strict])
    assert unseen.outcome == "NOT SHOWN"


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirteen nights without a change: a rule of 5 % passes."""
    top = tmp_path_factory.mktemp("steady")
    for night in range(13):
        history_studies.write_night(top / f"{night:02}", night, lambda run: 100.0)
    return top


@pytest.mark.parametrize(
    ("newest", "has_no_good_run"),
    [
        ({"failed": "mysql:9.7"}, True),
        ({"unsettled": "mysql:9.7"}, False),
        ({"text": _MYSQL_ONLY, "failed": "mysql:9.7"}, True),
        ({"text": _MYSQL_ONLY.replace("rows = 1000", "rows = 2000")}, False),
    ],
)
def test_a_series_without_a_value_to_compare_in_its_newest_study_is_not_shown_to_hold(
    steady: Path, tmp_path: Path, newest: dict[str, Any], has_no_good_run: bool
) -> None:
    history_studies.write_night(tmp_path / "13", 13, lambda run: 100.0, **newest)
    history = gather_history([steady, tmp_path])
    for since, lines in ((0, {"mysql"}), (history.studies[-1].at_ns, {"mysql"} | _absent_lines(newest))):
        (rule,) = check_history_rules(history, [parse_criterion("slower:5%")], since)
        lost = {series.cell.target: series for series in rule.unmeasured}
        assert set(lost) == lines
        assert lost["mysql"].has_no_good_run == rule.has_lost_series == has_no_good_run
        assert history.studies[lost["mysql"].study].label.endswith("13")
        assert rule.outcome == "NOT SHOWN"
        assert any(lost["mysql"].reason in line for line in rule_lines(history, rule))
        rows = history_object(history, "tps", [rule])["rules"][0]["unmeasured"]  # type: ignore[index]
        assert ("mysql", has_no_good_run) in [(row["line"], row["has_no_good_run"]) for row in rows]


def _absent_lines(newest: dict[str, Any]) -> set[str]:
    return {"mariadb"} if "text" in newest else set()


def test_a_rule_fails_if_no_series_has_a_good_run_in_its_newest_study(tmp_path: Path) -> None:
    history_studies.write_night(tmp_path / "13", 13, lambda run: 100.0, text=_MYSQL_ONLY, failed="mysql:9.7")
    history_studies.write_night(tmp_path / "11", 11, lambda run: 100.0, text=_MYSQL_ONLY)
    history_studies.write_night(tmp_path / "12", 12, lambda run: 100.0, text=_MYSQL_ONLY)
    history = gather_history([tmp_path])
    (rule,) = check_history_rules(history, [parse_criterion("slower:5%")])
    assert (rule.outcome, rule.checked) == ("FAIL", 0)


def test_response_times_are_followed_the_other_way_round(slower: Path) -> None:
    history = gather_history([slower], measures=["tps", "p99"])
    (rule,) = check_history_rules(history, [parse_criterion("p99:5%")])
    ((_, move),) = rule.broken
    assert move.outcome == "longer"


def test_what_the_machine_did_breaks_no_rule(machine: Path) -> None:
    history = gather_history([machine])
    moves = {cell.cell.target: move for cell, move in history.moves("tps")}
    assert moves["mysql"].alike == ("mariadb",)
    assert not moves["mysql"].is_finding
    assert moves["mariadb"].alike == ()  # nothing recorded of it changed, but nobody else stayed the same
    (rule,) = check_history_rules(history, [parse_criterion("slower:3%")])
    assert [cell.cell.target for cell, _ in rule.open] == ["mysql"]


def test_where_all_stayed_the_same_and_moved_the_page_names_the_machine(tmp_path: Path) -> None:
    _nights(tmp_path, lambda night, run: 300.0 if night < 6 else 270.0)
    page = history_page_text(gather_history([tmp_path]), "tps")
    assert re.search(r"\b2 of 2 series moved, and ", page)


def test_studies_of_other_things_are_left_out_with_the_reason(tmp_path: Path) -> None:
    def level(run: Run) -> float:
        return 100.0

    text = history_studies.NIGHTLY.replace("rows = 1000", "rows = 2000")
    history_studies.write_night(tmp_path / "a", 0, level, text=text)
    for night, name in ((1, "b"), (2, "c")):
        history_studies.write_night(tmp_path / name, night, level)
    history_studies.write_night(tmp_path / "d", 3, level, host={**history_studies.HOST, "logical_cpu_count": 8})
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "study.toml").write_text("name = 1")
    (tmp_path / "e" / "manifest.json").write_text("{}")
    with raises_code(RequestError, "no-common-cell"):
        gather_history([tmp_path])
    history = gather_history([tmp_path], despite=["host"])
    assert [point.study for point in history.cells["tps"][0].points] == [1, 2, 3]
    reasons = {left.label: left.reason for left in history.omitted}
    assert "table_size 2000, now 1000" in reasons["a"]
    assert "e/manifest.json" in reasons["e"]
    host = gather_history([tmp_path / "b", tmp_path / "c"])
    assert len(host.studies) == 2


def test_a_folder_and_what_was_gathered_from_it_are_one_study(tmp_path: Path) -> None:
    for night in range(2):
        history_studies.write_night(tmp_path / f"{night}", night, lambda run: 100.0)
    gather([Results.open(tmp_path / "1")], tmp_path / "whole")
    history = gather_history([tmp_path])
    assert [study.label for study in history.studies] == ["0", "1"]
    assert [left.label for left in history.omitted if left.cell is None] == ["whole"]


def test_versions_of_one_study_are_a_line_by_version_and_apart_by_date(tmp_path: Path) -> None:
    targets = '["mariadb:11.8", "mariadb:10.11", "mariadb:11.4"]'
    text = history_studies.NIGHTLY.replace('["mariadb:11.8", "mysql:9.7"]', targets)
    for night in range(3):
        history_studies.write_night(tmp_path / f"{night}", night, lambda run: 100.0, text=text)
    by_date = gather_history([tmp_path])
    assert {cell.cell.target for cell in by_date.cells["tps"]} == {"mariadb:10.11", "mariadb:11.4", "mariadb:11.8"}
    by_version = gather_history([tmp_path], order="version")
    (cell,) = by_version.cells["tps"]
    assert cell.cell.target == "mariadb"
    assert [point.version for point in cell.points] == ["10.11"] * 3 + ["11.4"] * 3 + ["11.8.6"] * 3


def test_a_history_needs_two_studies(slower: Path, tmp_path: Path) -> None:
    with raises_code(RequestError, "one-study"):
        gather_history([slower / "night-0"])
    with raises_code(StoreError, "not-a-folder", str(tmp_path / "absent")):
        gather_history([tmp_path / "absent"])
    with raises_code(RequestError, "unknown-date", "'someday'"):
        since_ns(gather_history([slower]), "someday")
    with raises_code(RequestError, "unknown-rule", "'missing'"):
        check_history_rules(gather_history([slower]), [parse_criterion("missing")])


def test_the_object_is_json_and_names_studies_by_index(slower: Path) -> None:
    history = gather_history([slower])
    rules = check_history_rules(history, [parse_criterion("slower:3%")])
    found = json.loads(json.dumps(history_object(history, "tps", rules), allow_nan=False))
    (series,) = [row for row in found["series"] if row["line"] == "mysql"]
    (move,) = series["change_points"]
    assert [found["studies"][move[end]]["label"] for end in ("from_study", "to_study")] == ["night-5", "night-6"]
    assert found["rules"][0]["held"] is False


def test_files_for_otava_hold_every_point(slower: Path, tmp_path: Path) -> None:
    history = gather_history([slower], measures=MEASURES)
    configuration, *tables = save_otava(history, tmp_path)
    text = configuration.read_text()
    assert len(tables) == 2
    for table in tables:
        assert f'  "{table.stem}":' in text
        rows = list(csv.DictReader(table.read_text().splitlines()))
        assert len(rows) == NIGHTS
        assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)
        assert all(float(row["throughput_tps"]) > 0 and float(row["latency_p99_ms"]) > 0 for row in rows)


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    hostile = json.dumps("<script>alert(1)</script>'\"\\")
    text = history_studies.NIGHTLY.replace('targets = ["mariadb:11.8", "mysql:9.7"]', "")
    text += f'[[target]]\nname = {hostile}\nengine = "mariadb:11.8"\n'
    for night in range(8):
        folder = tmp_path / f"n{night}'<img src=x onerror=alert(1)>"
        history_studies.write_night(folder, night, lambda run, n=night: 100.0 * math.exp(-0.2 * (n > 4)), text=text)
    page = history_page_text(gather_history([tmp_path]), "tps")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert len(re.findall("<script", page)) == 3


def test_series_that_are_in_one_study_only_are_named(tmp_path: Path) -> None:
    for night in range(3):
        text = history_studies.NIGHTLY if night == 2 else _MYSQL_ONLY
        history_studies.write_night(tmp_path / f"night-{night}", night, lambda run: 240.0, text=text)
    history = gather_history([tmp_path])
    caveats = {caveat.code: caveat.text for caveat in history_caveats(history, "tps")}
    assert re.match(r"1 series .*\(mariadb\)", caveats["single-study"])
    assert caveats["no-unchanged-target"].startswith("Only mysql is in several studies,")


def test_studies_of_other_targets_are_no_history_and_their_targets_are_named(tmp_path: Path) -> None:
    for night, target in enumerate(("mariadb:11.8", "mysql:9.7")):
        text = _MYSQL_ONLY.replace("mysql:9.7", target)
        history_studies.write_night(tmp_path / f"night-{night}", night, lambda run: 240.0, text=text)
    with pytest.raises(RequestError) as caught:
        gather_history([tmp_path])
    assert caught.value.why == "night-0: mariadb:11.8\nnight-1: mysql:9.7"
    assert "allow-mismatch" not in caught.value.remedy


def test_a_copy_of_a_study_is_no_further_point(slower: Path, tmp_path: Path) -> None:
    nights = shutil.copytree(slower, tmp_path / "nights")
    before = gather_history([nights])
    first = sorted(path.name for path in nights.iterdir())[0]
    shutil.copytree(nights / first, nights / "again")
    after = gather_history([nights])
    assert len(after.studies) == len(before.studies)
    assert len([omission for omission in after.omitted if omission.cell is None]) == 1
