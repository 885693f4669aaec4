"""Rules that a comparison is held against: what passes, fails or is not shown, with words, objects and exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analyse import parse_criterion
from dbdyno.report import StudyDiff, diff_results
from dbdyno.report.diff._rules import check_rules
from dbdyno.store import StoredStudy
from slowed_study import SMALL, asked, crashed_at_four

PAIR = "mariadb:11.8=mysql:9.7"
Write = Callable[..., StoredStudy]


def test_a_cell_that_base_never_ran_well_is_not_counted_as_held(
    base: StoredStudy, write: Write, tmp_path: Path
) -> None:
    before = write(tmp_path / "before", text=SMALL, change=crashed_at_four)
    (rule,) = check_rules(diff_results(before, base), [parse_criterion("missing")])
    assert (rule.outcome, rule.checked) == ("PASS", 4)
    within = diff_results(base, base, renamed={"mysql:9.7": "mariadb:11.8"})
    (rule,) = check_rules(within, [parse_criterion("missing")])
    assert (rule.outcome, rule.checked) == ("PASS", 3), "targets that nobody paired are not checked"


def test_a_cell_without_a_good_run_is_missing_whatever_else_keeps_it_from_being_compared(
    base: StoredStudy, write: Write, tmp_path: Path
) -> None:
    text = SMALL.replace('window = "12s"', 'window = "14s"')
    found = diff_results(base, write(tmp_path / "longer", text=text, change=crashed_at_four))
    assert found.changes == ()
    assert {left.cell.concurrency: left.is_missing for left in found.left_out} == {1: False, 4: True, 16: False}
    (rule,) = check_rules(found, [parse_criterion("missing")])
    assert (rule.outcome, len(rule.missing), rule.checked) == ("FAIL", 2, 6)
    assert "died" in rule.missing[0].reason and "14 s" in rule.missing[0].reason


def test_repeats_that_would_decide_a_rule_count_the_cells_that_were_tested(diff: StudyDiff) -> None:
    """A slow cell that is not beyond chance needs fewer repeats where it was tested alone."""
    first, *others = diff.of("tps")
    slow = replace(first, ratio=0.7, low=0.3, high=1.6, verdict="undecided", is_significant=False, sd=0.2, remedy="")
    unsettled = [replace(change, verdict="not settled", is_significant=False, remedy="settle") for change in others]
    criterion = parse_criterion("slower:16%")
    (rule,) = check_rules(replace(diff, changes=(slow, *unsettled)), [criterion])
    repeats, more_repeats = (criterion.repeats_for(slow, family) for family in (1, len(diff.of("tps"))))
    assert repeats is not None and more_repeats is not None and repeats < more_repeats
    assert rule.open[0].remedy == f"{repeats} repeats would decide"


def test_a_broken_rule_ends_with_1_and_a_line_for_each_cell(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, _ = asked(capsys, base.path, new.path, "--fail-on", "slower:3%", "--fail-on", "missing")
    assert code == 1
    failed = [line for line in printed.splitlines() if line.startswith("FAIL slower:3%: mysql:9.7 ")]
    assert len(failed) == 3
    assert " 512 MiB and 16 connections: -15" in failed[2]
    assert re.search(r"^PASS missing: .*\b6 cells", printed, re.MULTILINE)
    assert printed.splitlines()[-1] == "FAIL: 2 rules, 1 FAIL, 1 PASS"
    assert asked(capsys, base.path, new.path)[0] == 0
    assert asked(capsys, base.path, new.path, "--fail-on", "slower:30%")[0] == 0
    assert asked(capsys, base.path, new.path, "--fail-on", "p99:10%")[0] == 1
    assert asked(capsys, new.path, base.path, "--fail-on", "slower:3%", "--fail-on", "p99:10%")[0] == 0


def test_what_is_not_shown_fails_a_build_unless_it_is_told_to_pass(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, _ = asked(capsys, base.path, new.path, "--fail-on", "slower:16%")
    assert code == 1
    shown = [line for line in printed.splitlines() if line.startswith("NOT SHOWN slower:16%: mysql:9.7 ")]
    assert len(shown) == 3
    assert re.search(r"\b\d+ repeats\b", shown[0])
    assert "PASS" not in printed
    assert printed.splitlines()[-1].startswith("NOT SHOWN: 1 rule; ")
    assert asked(capsys, base.path, new.path, "--fail-on", "slower:16%", "--strict")[0] == 1
    assert asked(capsys, base.path, new.path, "--fail-on", "slower:16%", "--undecided", "pass")[0] == 0
    assert asked(capsys, base.path, new.path, "--fail-on", "slower:3%", "--undecided", "pass")[0] == 1
    code, printed, _ = asked(capsys, base.path, new.path, "--fail-on", "slower:16%", "--json")
    found = json.loads(printed)
    assert (code, found["outcome"], found["rules"][0]["outcome"]) == (1, "NOT SHOWN", "NOT SHOWN")
    assert all(re.match(r"\d+ repeats\b", row["remedy"]) for row in found["rules"][0]["open"])


def test_a_cell_that_crashed_in_the_new_folder_is_not_passed(
    base: StoredStudy, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "crash", text=SMALL, change=crashed_at_four)
    code, printed, _ = asked(capsys, base.path, other.path, "--fail-on", "slower:30%")
    assert code == 1
    assert re.search(rf"NOT SHOWN slower:30%: mysql:9\.7 .*512 MiB and 4 connections: .*{other.path}", printed)


def test_a_rule_that_nothing_could_be_held_against_is_broken(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    single = write(tmp_path / "single", text=SMALL.replace("repeats = 3", "repeats = 1"))
    code, printed, _ = asked(capsys, single.path, single.path, "--match", PAIR, "--fail-on", "p99:10%")
    assert code == 1
    assert "FAIL p99:10%: no cell" in printed
    again = json.loads(asked(capsys, single.path, single.path, "--match", PAIR, "--json")[1])
    (caveat,) = [caveat["text"] for caveat in again["caveats"] if caveat["code"] == "one-repeat"]
    assert caveat in " ".join(printed.split())


def test_programs_read_the_same_as_people(
    base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, _ = asked(capsys, base.path, new.path, "--json", "--fail-on", "slower:3%")
    found = json.loads(printed)
    assert code == 1
    assert (found["schema_version"], found["method"]) == (1, "dbdyno-stats/1")
    tps = [row for row in found["changes"] if row["measure"] == "tps"]
    assert [row["outcome"] for row in tps] == ["same", "slower"] * 3
    assert found["rules"][0]["held"] is False
    assert len(found["rules"][0]["broken"]) == 3
