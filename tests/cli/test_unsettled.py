"""Every command on logs of which some have not settled: levels, verdicts, gates and stalls as the judge has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import sysbench_log
from dbdyno.analyse import judge_cells, vague_words
from dbdyno.cli import main
from dbdyno.report import analyse_study, markdown_text, page_text
from dbdyno.store import StoredStudy
from planted_series import jump, noisy, ramp
from trees import imported

LATE = noisy(jump(300, 45, 103), 1)
FIRM = noisy(60.0, 2)
MOVING = noisy(0.2 * ramp(0.8), 3)
SHORT = [300.0 + n % 5 for n in range(120)]


def written(folder: Path, **levels: np.ndarray | list[float]) -> Path:
    files = {f"{name}/4.log": sysbench_log.log([float(tps) for tps in tps_list]) for name, tps_list in levels.items()}
    return imported(folder, files)[1].path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("logs"), late=LATE, firm=FIRM, moving=MOVING)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(list(words))
    return code, capsys.readouterr().out


def test_the_verdict_of_the_judge_is_stored_with_the_run_and_not_worked_out_again(results: Path) -> None:
    stored = StoredStudy.open(results)
    kept = {record.run.cell.target: record.settled for record in stored.records()}
    assert {name: found.status for name, found in kept.items() if found} == {
        "late": "steady",
        "firm": "steady",
        "moving": "drifting",
    }
    judged = analyse_study(stored).stored
    assert [record.settled for record in judged] == [record.settled for record in stored.records()]


def test_show_has_the_level_of_the_settled_part_and_the_whole_window_next_to_it(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = printed(capsys, "show", str(results))
    assert code == 0
    assert f"(whole window {LATE.mean():.1f})" in text
    assert "moving" in text and "not settled" in text
    code, text = printed(capsys, "show", str(results), "--json")
    found = json.loads(text)
    cells = {cell["target"]: cell for cell in found["cells"]}
    assert cells["late"]["tps_mean"] == pytest.approx(LATE[300:].mean(), rel=1e-4)
    assert cells["late"]["window_tps_mean"] == pytest.approx(LATE.mean(), rel=1e-4)
    assert (cells["late"]["settled"]["start_s"], cells["late"]["settled"]["stalled_s"]) == (300, 0)
    assert [cells[name]["is_settled"] for name in ("late", "firm", "moving")] == [True, True, False]
    pairs = {frozenset((pair["left"], pair["right"])): pair for pair in found["comparisons"]}
    assert pairs[frozenset(("late", "firm"))]["verdict"] == "different"
    for other in ("late", "firm"):
        pair = pairs[frozenset(("moving", other))]
        assert (pair["verdict"], pair["p_adjusted"]) == ("not settled", None)
        assert re.match(r"moving, repeat 1 .*\(\+", pair["remedy"])


def test_no_p_is_told_for_an_assumption_and_the_assumption_is(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = printed(capsys, "show", str(results), "--json")
    pair = next(p for p in json.loads(text)["comparisons"] if p["verdict"] == "different")
    assert (pair["p_adjusted"], pair["assumed_spread"]) == (None, 0.026)
    assert pair["stands_to"] == pytest.approx(np.log(103 / 60) / 1.96 / np.sqrt(2), rel=0.05)
    stored = StoredStudy.open(results)
    for words in (markdown_text(stored), page_text(stored)):
        assert " 2.6 %" in words
        assert "not settled" in words


def test_a_slow_start_is_no_stall_on_the_page(results: Path) -> None:
    page = page_text(StoredStudy.open(results))
    assert "stalled second" not in page.replace("stalled seconds of the settled part", "").replace(
        ">stalled seconds<", ""
    )


def test_response_times_of_the_whole_run_are_told_to_be_that(results: Path) -> None:
    codes = {r.run.cell.target: {c.code for c in r.caveats} for r in StoredStudy.open(results).records()}
    assert "whole-run-quantiles" in codes["late"]
    assert "whole-run-quantiles" not in codes["firm"]


def test_a_gate_shows_nothing_on_a_level_that_moves(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = written(tmp_path, late=LATE, firm=FIRM, moving=MOVING)
    code, text = printed(capsys, "diff", str(results), str(same), "--fail-on", "slower:20%")
    assert code == 1
    (line,) = [line for line in text.splitlines() if line.startswith("NOT SHOWN slower:20%:")]
    assert "moving" in line and "warm up" in line
    code, text = printed(capsys, "diff", str(results), str(same), "--fail-on", "slower:20%", "--undecided", "pass")
    assert code == 0
    slower = written(tmp_path / "slower", late=0.5 * LATE, firm=FIRM, moving=0.5 * MOVING)
    code, text = printed(capsys, "diff", str(results), str(slower), "--fail-on", "slower:3%", "--json")
    found = json.loads(text)
    assert (code, found["outcome"]) == (1, "FAIL")
    assert [row["target"] for row in found["rules"][0]["broken"]] == ["late"]
    assert "moving" in {row["target"] for row in found["rules"][0]["open"]}


def test_windows_too_short_to_be_judged_are_compared_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = written(tmp_path, one=SHORT, other=[2 * tps for tps in SHORT])
    _, text = printed(capsys, "show", str(short), "--json")
    found = json.loads(text)
    assert [cell["settled"] for cell in found["cells"]] == [None, None]
    assert [pair["verdict"] for pair in found["comparisons"]] == ["different"]


def test_repeats_that_disagree_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        f"{target}/{repeat}/4.log": sysbench_log.log([tps + n % 3 for n in range(120)])
        for target, levels in {"torn": (368.0, 1307.0), "firm": (500.0, 501.0)}.items()
        for repeat, tps in enumerate(levels, start=1)
    }
    out = imported(tmp_path, files, "{target}/{repeat}/{threads}.log")[1].path
    code, text = printed(capsys, "show", str(out))
    assert code == 0
    assert "369 and 1,308" in text
    (vague,) = {vague_words(group) for group in judge_cells(StoredStudy.open(out).records()) if group.is_vague}
    assert vague in text
    assert "[0 to" not in text
    _, text = printed(capsys, "show", str(out), "--json")
    (pair,) = json.loads(text)["comparisons"]
    assert (pair["low"], pair["high"]) == (None, None)
    _, text = printed(capsys, "diff", str(out), str(out), "--match", "firm=torn")
    assert "369 and 1,308 ?" in " ".join(text.split())
    assert re.search(r"\?: .*\bdisagree\b", " ".join(text.split()))
    assert re.search(r"not known \([^)]+\)", " ".join(text.split()))
