"""`dbdyno judge`: the same figures for programs and for people, drawings, and exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sysbench_log
from dbdyno.analyse import SeriesJudgement, assumed_words, compare_runs, judge_series
from dbdyno.cli import main
from dbdyno.cli._judgement import judged_object, print_group
from dbdyno.tables.series._rows import Rows, ordered
from planted_series import jump, noisy, ramp, stalled, wave
from public_series import EXPECTED, EXPECTED_GROUP, RUNS, close, series_file

PLANTED = {
    "settled": noisy(jump(360, 700, 1000)),
    "rising": noisy(ramp(0.2)),
    "<b>swinging</b> & [red]": noisy(wave(60, 0.3)),
    "stalling": noisy(stalled()),
    "dead": np.zeros(900),
    "short": np.full(30, 50.0),
}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    path = tmp_path / "planted.csv"
    rows = [
        f"{run},{second + 1},{tps!r}" for run, series in PLANTED.items() for second, tps in enumerate(series.tolist())
    ]
    path.write_text("\n".join(["run,second,tps", *rows]))
    return path


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        code = main(["judge", *map(str, arguments)])
    except SystemExit as end:
        code = int(end.code or 0)
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    return code, printed.out, printed.err


def test_every_expected_field_of_the_public_runs_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = asked(capsys, series_file(tmp_path), "--json")
    runs = json.loads(printed)["runs"]
    assert code == 0
    assert sorted(runs) == RUNS
    for run, expected in EXPECTED.items():
        shown = {field: runs[run][field] for field in expected}
        assert shown == {
            field: [close(each) for each in value]
            if isinstance(value, list)
            else close(value)
            if isinstance(value, float)
            else value
            for field, value in expected.items()
        }, run


def test_programs_and_people_are_told_the_same(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = asked(capsys, planted, "--json")
    runs = json.loads(printed)["runs"]
    statuses = {name: run["status"] for name, run in runs.items()}
    assert list(statuses.values()) == ["steady", "drifting", "cyclic", "noisy", "dead", "too-short"]
    code, lines, _ = asked(capsys, planted)
    assert code == 0
    words = {"steady": "steady", "drifting": "drifting", "cyclic": "steady waves", "noisy": "noisy"}
    for name, status in statuses.items():
        (line,) = [line for line in lines.splitlines() if line.startswith(name)]
        assert words.get(status, status.replace("-", " ")) in line
    assert "10 (5.6 %), longest 5 s" in lines


def test_one_run_can_be_asked_for_and_a_misspelt_one_is_answered(
    planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed, _ = asked(capsys, planted, "--json", "--run", "rising")
    assert list(json.loads(printed)["runs"]) == ["rising"]
    code, _, words = asked(capsys, planted, "--run", "risign")
    assert code == 2
    assert "'rising'" in words


def test_strict_tells_by_its_exit_code_whether_all_runs_can_be_built_on(
    planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(capsys, planted, "--strict")[0] == 1
    assert asked(capsys, planted, "--strict", "--run", "settled", "--run", "stalling")[0] == 0


@pytest.mark.parametrize("name", ["runs.svg", "runs.PNG"])
def test_runs_are_drawn_and_hostile_names_stay_text(
    name: str, planted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, words = asked(capsys, planted, "--plot", tmp_path / name)
    assert code == 0
    assert name in words
    drawn = (tmp_path / name).read_bytes()
    assert drawn.startswith(b"<svg" if name.endswith("svg") else b"\x89PNG")
    if name.endswith("svg"):
        assert b"<b>" not in drawn
        assert b"var(--" not in drawn


def test_a_drawing_in_another_form_is_refused_at_once(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, words = asked(capsys, planted, "--plot", "runs.pdf")
    assert (code, printed) == (2, "")
    assert ".svg or .png" in words


def test_a_group_leaves_out_runs_that_give_no_finding_and_says_so(
    planted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed, words = asked(capsys, planted, "--group", "--json")
    group = json.loads(printed)["group"]
    assert sorted(group["rank_intervals"]) == ["<b>swinging</b> & [red]", "settled", "stalling"]
    assert "rising, dead, short" in words
    _, whole, words = asked(capsys, planted, "--group", "--over", "whole", "--spread", "0.02", "--json")
    left_out, warned = words.splitlines()
    assert left_out.endswith("): dead, short") and warned.startswith("warning: ") and "rising (drifting)" in warned
    verdicts = {name: pair["verdict"] for name, pair in json.loads(whole)["group"]["pairs"].items()}
    assert {verdict for name, verdict in verdicts.items() if "rising" in name} == {"not settled"}
    assert "not settled" not in {verdict for name, verdict in verdicts.items() if "rising" not in name}
    assert "not settled" in asked(capsys, planted, "--group", "--over", "whole")[1]
    assert "dead" not in json.loads(whole)["group"]["rank_intervals"]
    assert json.loads(whole)["group"]["sigma_b"] == 0.02
    assert "rising" in json.loads(whole)["group"]["rank_intervals"]
    assert "settled" in asked(capsys, planted, "--group")[1]


def test_a_group_says_by_how_much_runs_differ_and_which(capsys: pytest.CaptureFixture[str]) -> None:
    series = {name: judge_series(noisy(jump(0, tps, tps))) for name, tps in (("a", 1000), ("b", 800), ("c", 700))}
    group = compare_runs({name: (run.whole.mean, run.whole.half_width) for name, run in series.items()})
    print_group(group, series, "whole")
    printed = capsys.readouterr().out
    for pair in group.pairs:
        assert pair.verdict == "different"
        if pair.better == "a":
            low, high = pair.difference.interval()
            size = f"{100 * (1 - 1 / pair.difference.ratio):.0f} % slower"
            assert f"{size} ({100 * (1 - 1 / low):.0f} to {100 * (1 - 1 / high):.0f} %)" in printed
    assert re.search(r": c .*\b1\d % slower \(\d+ to \d+ %\) .*\bb\.", " ".join(printed.split()))
    assert re.search(r"\ba .*\b2\d\.\d % faster \([\d.]+ to [\d.]+ %\) .*\bb\.", printed)


def two_levels(first_tps: float, second_tps: float) -> dict[str, SeriesJudgement]:
    return {name: judge_series(noisy(jump(0, tps, tps))) for name, tps in (("a", first_tps), ("b", second_tps))}


def test_single_runs_are_compared_as_cautiously_as_in_a_study_and_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs 5 % apart differ if repeats spread by 1.2 %, and do not if they spread by 2.6 %, as repeats well may."""
    rows = [
        f"{name},{second},{value}"
        for name, tps in (("a", 1050), ("b", 1000), ("c", 500))
        for second, value in enumerate(noisy(jump(0, tps, tps)))
    ]
    path = tmp_path / "runs.csv"
    path.write_text("run,second,tps\n" + "\n".join(rows) + "\n")
    group = json.loads(asked(capsys, path, "--group", "--json")[1])["group"]
    assert (group["sigma_b"], group["sigma_b_is_default"]) == (0.026, True)
    near, far = group["pairs"]["a / b"], group["pairs"]["a / c"]
    assert (near["verdict"], near["stands_to"], far["verdict"]) == ("undecided", None, "different")
    assert far["stands_to"] > 0.2 and far["assumed_spread"] == 0.026
    assert {pair[key] for pair in group["pairs"].values() for key in ("p", "p_adjusted")} == {None}
    printed = asked(capsys, path, "--group")[1]
    assert " 2.6 %\n" in printed
    assert re.search(rf"different, {assumed_words(0.026)} \([\w ]+ 2\d %\)", printed)
    assert " 2.6 % (--spread)" in " ".join(printed.split())
    known = json.loads(asked(capsys, path, "--group", "--spread", "0.012", "--json")[1])["group"]
    assert known["pairs"]["a / b"]["verdict"] == "different"
    assert known["pairs"]["a / b"]["stands_to"] < 0.026


def test_without_two_settled_runs_no_lead_is_claimed(capsys: pytest.CaptureFixture[str]) -> None:
    series = two_levels(1000, 500)
    means = {name: (run.whole.mean, run.whole.half_width) for name, run in series.items()}
    group = compare_runs(means, unsettled=["b"])
    assert group.ranks == {"a": (1, 2), "b": (1, 2)}
    print_group(group, series, "whole")
    printed = capsys.readouterr().out
    assert "faster" not in printed and re.search(r"\blead\b.*\bsettled\b", printed)


def test_a_lead_that_is_not_shown_is_not_claimed(capsys: pytest.CaptureFixture[str]) -> None:
    series = {name: judge_series(noisy(jump(0, tps, tps))) for name, tps in (("a", 1000), ("b", 990))}
    group = compare_runs({name: (run.whole.mean, run.whole.half_width) for name, run in series.items()})
    print_group(group, series, "whole")
    printed = capsys.readouterr().out
    assert re.search(r"\blead\b.*: a .*[\d.]+ % slower .*[\d.]+ % faster .*\bb\b", printed)


def test_the_public_group_leads_and_ranks_as_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of the ten has not settled: it may hold any place, which widens the others' by one at most."""
    expected = EXPECTED_GROUP["sigma_b=0.012"]
    chosen = [word for run in expected["rank_intervals"] for word in ("--run", run)]
    options = ("--group", "--over", "whole", "--spread", "0.012", "--json")
    group = json.loads(asked(capsys, series_file(tmp_path), *chosen, *options)[1])["group"]
    assert group["summary"]["pairs"] == expected["summary"]["pairs"] == 45
    untested = [name for name, pair in group["pairs"].items() if pair["verdict"] == "not settled"]
    assert len(untested) == 9 and all("RO-My8_0-bp32-t128" in name for name in untested)
    assert group["rank_intervals"].pop("RO-My8_0-bp32-t128") == [1, 10]
    for run, (first, last) in group["rank_intervals"].items():
        expected_first, expected_last = expected["rank_intervals"][run]
        assert first in (expected_first, expected_first - 1) and last in (expected_last, expected_last + 1)
    assert (group["lead"]["best"], group["lead"]["next_best"]) == ("RO-Ma10_11-bp32-t128", "RO-Ma12_1-bp32-t128")
    assert [group["lead"][key] for key in ("ratio", "lo", "hi")] == pytest.approx([1.344, 1.279, 1.412], abs=1e-3)


TPS_OF_ALL_SIZES = [0.0, 1e-300, 1e-9, 0.5, 3.0, 25.0, 1000.0, 1e6, 1e12]


@settings(max_examples=150, deadline=None)
@given(
    levels=st.lists(st.sampled_from(TPS_OF_ALL_SIZES), min_size=1, max_size=8),
    seconds=st.integers(1, 500),
    noise=st.sampled_from([0.0, 1e-12, 0.02, 0.5]),
)
@example(levels=[0.0, 0.0, 1e-9, 0.0], seconds=492, noise=0.0)
@example(levels=[0.0, 1000.0], seconds=65, noise=0.0)
def test_every_series_gives_an_object_that_programs_can_read(levels: list[float], seconds: int, noise: float) -> None:
    shape = np.resize(np.repeat(levels, 41), seconds) * (1 - noise * np.random.default_rng(seconds).random(seconds))
    rows = Rows(np.arange(seconds) * 1.0, shape, np.arange(seconds))
    (run,) = ordered("planted", "line", {"a": rows})
    judged = {"a": judge_series(run.tps), "b": judge_series(run.tps[::-1])}
    wholes = {name: each.whole for name, each in judged.items() if each.whole and run.tps.any()}
    found = judged_object(judged, compare_runs({name: (each.mean, each.half_width) for name, each in wholes.items()}))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("wrong", ["-1", "1.5", "much"])
def test_a_spread_that_is_no_share_is_refused(wrong: str, planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, planted, "--group", f"--spread={wrong}")[0] == 2


def test_a_broken_file_is_answered_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("run,second,tps\na,1,5\na,2,fast\n")
    code, printed, words = asked(capsys, path)
    assert (code, printed) == (2, "")
    assert re.match(rf"error: {path}, line 3: .*\btps\b.*'fast'", words)


@pytest.mark.parametrize(
    ("name", "content"), [("seconds.xyz", None), ("empty.csv", b""), ("seconds.xlsx", b"PK\x03\x04\xc7\xff")]
)
def test_what_is_no_series_is_answered_with_all_forms_that_are_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, _, words = asked(capsys, tmp_path / name)
    assert code == 2
    assert "sysbench" in words.partition("hint: ")[2]


def test_the_help_names_all_forms_of_a_file_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = asked(capsys, "--help")
    assert code == 0
    assert "The file is CSV, Parquet or a log of sysbench (" in " ".join(printed.split())


def test_a_log_of_sysbench_is_judged_as_it_was_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "night.log"
    levels = PLANTED["settled"].tolist()
    lines = [sysbench_log.line(second + 1, tps) for second, tps in enumerate(levels)]
    log.write_text(sysbench_log.head() + "".join(lines) + sysbench_log.tail(round(sum(levels)), len(levels)))
    code, printed, _ = asked(capsys, log, "--json")
    assert code == 0
    assert list(json.loads(printed)["runs"]) == ["night"]
