"""`dbdyno plan`: how sure a study will be, what would make it surer, and what it can't answer."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.cli._plan_precision import plan_precision, precision_object
from dbdyno.core import EngineName, StudyError
from dbdyno.stats import Variation
from dbdyno.study import parse_study

STUDY = """
targets = ["mysql:9.7", "mariadb:11.8"]
[workload]
name = "sysbench/oltp_read_write"
tables = 4
rows = 50000
[axes]
tier = ["64MB"]
concurrency = [1, 4, 16, 64]
[measure]
warm_up = "60s"
window = "300s"
repeats = 2
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DBDYNO_HOME", str(tmp_path))  # no study has shown how far repeats spread here
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["plan", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_published_network_campaign_plans_before_its_host_is_known(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = Path(__file__).parents[2] / "studies/percona-2026.toml"
    _, printed, _ = asked(capsys, published, "--json")
    local_runs = json.loads(printed)["runs"]
    code, printed, _ = asked(capsys, published, "--scale", "network", "--json")
    assert code == 0
    runs = json.loads(printed)["runs"]
    assert len(runs) == 2 * len(local_runs)
    assert Counter(run["route"] for run in runs) == dict.fromkeys(("loopback", "network"), len(local_runs))
    _, printed, _ = asked(capsys, published, "--scale", "network")
    assert "servers on db1 (bench@db1.example); clients by loopback there" in " ".join(printed.split())


def test_a_plan_of_one_repeat_foresees_the_spread_that_verdicts_assume(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(STUDY.replace("repeats = 2", "repeats = 1"))
    _, printed, _ = asked(capsys, study)
    assert " 2.6 %" in " ".join(printed.split())
    _, printed, _ = asked(capsys, study, "--json")
    certainty = json.loads(printed)["certainty"]
    assert certainty["planned_spread"] == 0.026
    assert certainty["planned"]["half_width"] > 1.96 * 0.026


def test_a_plan_ends_with_its_certainty_and_what_it_leaves_open(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, _ = asked(capsys, study)
    assert code == 0
    words = " ".join(printed.split())
    assert re.search(r"assumed: .*\b1\.2 % ", words)
    assert re.search(r'±2 % .*repeats = \d+, window = "\d+s"', words)
    assert "can't answer" in words
    assert re.search(r"- \S.* disk: .*\btier\b", words)


def test_runs_are_listed_when_asked_for_and_the_rest_fits_a_screen(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, short, _ = asked(capsys, study)
    _, long, _ = asked(capsys, study, "--runs")
    runs = json.loads(asked(capsys, study, "--json")[1])["runs"]
    assert len(short.splitlines()) <= 40
    assert len(long.splitlines()) == len(short.splitlines()) + len(runs) + 2


def test_a_wish_that_takes_too_long_ends_with_1_and_names_what_fits(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, _ = asked(capsys, study, "--target-half-width", "1%", "--within", "1h")
    assert code == 1
    assert re.search(r"\b1 h ±1 % .*; .*±[\d.]+ %, .*repeats = \d+, window = ", printed)
    assert asked(capsys, study, "--target-half-width", "1%", "--within", "40h")[0] == 0
    _, printed, _ = asked(capsys, study, "--target-half-width", "1%", "--within", "1min")
    assert "60 s" in printed


def test_programs_read_designs_that_keep_the_wish(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = asked(capsys, study, "--json", "--target-half-width", "1.5 %")
    found = json.loads(printed)
    assert found["certainty"]["designs"]
    assert all(design["half_width"] <= 0.015 for design in found["certainty"]["designs"])
    assert found["certainty"]["is_possible"] is True
    assert any("64 connections" in words for words in found["unanswered"])


def test_results_whose_cells_all_spread_alike_give_a_plan_that_programs_can_read() -> None:
    """Each cell is then worth infinitely many repeats to the others, for which JSON has no number."""
    measured = Variation(0.012, 0.003, math.inf), "seen elsewhere"
    precision = plan_precision(parse_study(STUDY, "study.toml"), None, measured, None, 10**9)
    assert precision is not None
    found = json.loads(json.dumps(precision_object(precision), allow_nan=False))
    assert (found["spread"], found["prior_df"]) == (0.012, None)


def test_a_search_has_a_precision_of_its_own(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study.write_text(STUDY.replace("[axes]", '[pacing]\npromise = "p99 < 20ms"\nfirst_rate = 100\n[axes]'))
    code, printed, _ = asked(capsys, study)
    assert code == 0
    assert "`precision` in [pacing]" in printed
    assert asked(capsys, study, "--within", "400h")[0] == 0
    code, printed, _ = asked(capsys, study, "--within", "1min")
    assert code == 1
    assert "1 min" in printed


def test_a_memory_limit_is_named(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study.write_text(STUDY + '\n[limits]\nmemory = "tier + 1GB"\n')
    code, printed, _ = asked(capsys, study)
    assert code == 0
    assert "tier + 1GB" in printed


def test_a_study_of_several_benches_shows_what_more_or_fewer_of_them_gain(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both tiers at two workloads are four pieces: the third bench has two, the fifth to eighth share rounds."""
    hosts = "".join(f'[hosts.db{name}]\n[bench.{name}]\nserver = "db{name}"\n' for name in "abc")
    text = STUDY.replace('"64MB"', '"64MB", "512MB"').replace("[workload]", "[[workload]]")
    text = text.replace("[axes]", '[[workload]]\nname = "sysbench/oltp_read_only"\n[axes]')
    study.write_text(text + hosts)
    _, printed, _ = asked(capsys, study)
    lines = [line.strip() for line in printed.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("benches "))
    assert lines[start].split() == ["benches", "makespan", "idle", "machine", "time"]
    rows = [re.split(r"  +", line) for line in lines[start + 1 : start + 6]]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "8"]
    assert [row[4:] for row in rows] == [[], [], ["this study: a, b, c"], [], []]
    assert lines[start + 6].startswith("preparing ")
    found = json.loads(asked(capsys, study, "--json")[1])
    times = {dealt["machines"]: dealt for dealt in found["bench_counts"]}
    assert found["benches"] == times[3]
    assert [times[count]["idle_share"] for count in (1, 2, 4)] == pytest.approx([0, 0, 0], abs=1e-6)
    assert times[3]["makespan_ns"] == times[2]["makespan_ns"] > times[4]["makespan_ns"] > times[8]["makespan_ns"]
    assert [row[2] for row in rows] == [f"{100 * times[int(row[0])]['idle_share']:.0f} %" for row in rows]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target-half-width", "2"], "half-width"),
        (["--within", "soon"], "not a duration"),
        (["--from", "/nowhere"], "folder"),
    ],
)
def test_a_wrong_wish_ends_with_2(
    options: list[str], words: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, said = asked(capsys, study, *options)
    assert (code, printed) == (2, "")
    assert words in said


def test_compare_shows_its_plan_and_leaves_nothing(
    study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = study.parent / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    options = "--rows 50000 --tables 4 --tier 64MB --concurrency 1,4,16,64 --warm-up 60s --window 300s --repeats 2"
    code = main(["compare", "mysql:9.7", "mariadb:11.8", *options.split(), "--name", "study", "--plan"])
    printed, _ = capsys.readouterr()
    assert (code, [*folder.iterdir()]) == (0, [])
    assert printed == asked(capsys, study)[1]


def test_two_short_windows_are_not_said_to_give_a_narrower_interval_than_a_long_one(
    tmp_path: Path, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two cells nothing is known but two runs each: their interval is three times that of one run."""
    few = tmp_path / "few.toml"
    few.write_text(study.read_text().replace("[1, 4, 16, 64]", "[16]"))
    assert main(["plan", str(few)]) == 0
    printed = capsys.readouterr().out
    widths = [
        plan.planned.half_width
        for repeats in (2, 1)
        if (
            plan := plan_precision(
                parse_study(few.read_text().replace("repeats = 2", f"repeats = {repeats}"), "few"),
                None,
                (Variation(0.012, 0.003, 6.0), ""),
                None,
                0,
            )
        )
    ]
    assert widths[0] > 2 * widths[1]
    assert "2 repeats of 60 s have a smaller standard error than one of 900 s" in printed and "narrower" not in printed


def test_a_plan_names_engines_that_this_machine_can_not_have(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def source_note(name: EngineName, *_: object) -> str:
        if name.version == "8.4":
            raise StudyError(f"{name} is not available", "", "write mysql:8.4@archive:FILE")
        return "from elsewhere" if name.version == "8.0" else ""

    monkeypatch.setattr("dbdyno.provision.source_note", source_note)
    assert main(["compare", "mysql:8.4", "mysql:8.0", "mysql:9.7", "--plan"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("engine ")]
    assert lines == [
        "engine  mysql:8.4: can't run here: not available; write mysql:8.4@archive:FILE",
        "engine  mysql:8.0: from elsewhere",
    ]
