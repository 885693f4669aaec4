"""Two results folders compared: what changed, what can't be compared and why, words, objects and exit codes."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from dbdyno.analyse import TargetShift
from dbdyno.core import RequestError
from dbdyno.report import StudyDiff, diff_results
from dbdyno.report.diff._blocks import print_diff
from dbdyno.report.diff._caveats import _machine_caveats
from dbdyno.report.diff._diff import _match_cells
from dbdyno.report.diff._mismatch import _window_mismatch
from dbdyno.report.diff._side import DiffSide
from dbdyno.store import StoredRun, StoredStudy, gather
from dbdyno.study import Imported
from error_codes import raises_code
from history_studies import write_night
from rewritten_results import as_written
from slowed_study import SMALL, asked, mysql_crashed_at_four

Write = Callable[..., StoredStudy]


def codes(diff: StudyDiff) -> set[str]:
    return {caveat.code for caveat in diff.caveats}


def test_cells_stand_in_the_order_of_the_study_with_their_planted_change(diff: StudyDiff) -> None:
    found = [(change.new.concurrency, change.new.target, change.outcome) for change in diff.of("tps")]
    expected = {"mariadb:11.8": "same", "mysql:9.7": "slower"}
    assert found == [(n, target, outcome) for n in (1, 4, 16) for target, outcome in expected.items()]
    assert all(abs(c.ratio - 0.85) < 0.01 for c in diff.of("tps") if c.new.target == "mysql:9.7")


def test_what_changed_is_told_and_what_belongs_to_one_life_is_not(diff: StudyDiff) -> None:
    rows = {(row.where, row.what): (row.base, row.new) for row in diff.changed}
    assert rows["mysql:9.7", "innodb_io_capacity"] == ("absent", "200")
    assert rows["mysql:9.7", "server"] == ("mysql 9.7.4 innodb", "mysql 9.7.5 innodb")
    assert {where for where, _ in rows} == {"mysql:9.7"}
    assert not {what for _, what in rows} & {"port", "server_id"}


def test_the_number_of_changes_counts_those_that_are_not_listed(diff: StudyDiff) -> None:
    row = diff.changed[0]
    changed = tuple(replace(row, what=f"variable_{number}") for number in range(30))
    out = io.StringIO()
    print_diff(replace(diff, changed=changed), [], Console(file=out, width=100), every=False)
    [title] = (line for line in out.getvalue().splitlines() if line.startswith("What else changed"))
    assert re.findall(r"\d+", title) == ["30"]


def test_an_unchanged_target_tells_whether_the_machine_moved(
    base: StoredStudy, diff: StudyDiff, write: Write, tmp_path: Path
) -> None:
    assert list(diff.shifts) == ["mariadb:11.8"]
    assert "machine-moved" not in codes(diff)

    def all_slower(run: StoredRun) -> StoredRun:
        return replace(
            run,
            record=replace(
                run.record, figures=replace(run.record.figures, tps_mean=(run.record.figures.tps_mean or 0) * 0.9)
            ),
        )

    moved = diff_results(base, write(tmp_path / "moved", text=SMALL, change=all_slower))
    words = [caveat.text for caveat in moved.caveats if caveat.code == "machine-moved"]
    assert len(words) == 2
    assert "moved by -10.0 %" in words[0]


@pytest.mark.parametrize(("low", "high", "is_shown"), [(1.02, 1.06, True), (0.95, 1.14, False)])
def test_a_machine_is_not_said_to_have_changed_by_what_may_be_chance(
    diff: StudyDiff, low: float, high: float, is_shown: bool
) -> None:
    (caveat,) = _machine_caveats((diff.base, diff.new), {"a": TargetShift("a", 3, 1.04, low, high)})
    assert (caveat.code, "moved by +4.0 %" in caveat.text) == ("machine-moved", True)
    assert ("may" in caveat.text) != is_shown


def test_without_an_unchanged_target_a_slow_machine_can_not_be_told(
    base: StoredStudy, write: Write, tmp_path: Path
) -> None:
    def patched(run: StoredRun) -> StoredRun:
        return replace(run, variables={**run.variables, "new_option": "1"})

    found = diff_results(base, write(tmp_path / "patched", text=SMALL, change=patched))
    assert found.shifts == {}
    assert "no-unchanged-target" in codes(found)


@pytest.mark.parametrize(
    ("kind", "old", "replacement", "words"),
    [
        ("workload", "tables = 4", "tables = 4\nrange_size = 10", "range_size its default, now 10"),
        ("window", 'window = "12s"', 'window = "20s"', "window 12 s, now 20 s"),
        ("pacing", "[axes]", "[pacing]\nrate_per_s = 500\n[axes]", "closed loop, now 500 a second"),
    ],
)
def test_cells_that_measured_something_else_are_left_out_with_the_reason(
    kind: str, old: str, replacement: str, words: str, base: StoredStudy, write: Write, tmp_path: Path
) -> None:
    other = write(tmp_path / "other", text=SMALL.replace(old, replacement))
    found = diff_results(base, other)
    assert found.changes == ()
    assert len(found.left_out) == 6
    assert all(words in left.reason for left in found.left_out)
    despite = diff_results(base, other, despite=[kind])
    assert len(despite.of("tps")) == 6
    assert f"despite-{kind}" in codes(despite)
    assert "study" in {row.where for row in despite.changed}


def rewritten(results: StoredStudy, name: str, change: Callable[[dict[str, object]], None]) -> StoredStudy:
    """The same folder with a document changed."""
    for path in results.path.glob(name):
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
    return as_written(results.path)


def test_other_rows_and_another_machine_are_obstacles(base: StoredStudy, write: Write, tmp_path: Path) -> None:
    other = write(tmp_path / "rows", text=SMALL)
    rewritten(other, "datasets/mysql*.json", lambda d: d["datasets"][0].update(content_sha256="dd" * 32))
    found = diff_results(base, other)
    assert {left.cell.target for left in found.left_out} == {"mysql:9.7"}
    assert re.search(r" c3c3\w*, .* dddd", found.left_out[0].reason)
    rewritten(other, "host.json", lambda d: d.update(logical_cpu_count=64, kernel="6.9"))
    found = diff_results(base, StoredStudy.open(other.path))
    assert len(found.left_out) == 6
    assert found.left_out[0].reason.endswith(": processors 2, now 64")
    assert ("machine", "kernel") in {(row.where, row.what) for row in found.changed}


def test_rows_without_a_checksum_are_compared_with_a_caveat(base: StoredStudy, write: Write, tmp_path: Path) -> None:
    other = write(tmp_path / "unknown", text=SMALL)
    rewritten(other, "datasets/*.json", lambda d: d["datasets"][0].pop("content_sha256"))
    found = diff_results(base, other)
    assert (len(found.of("tps")), "dataset-unchecked" in codes(found)) == (6, True)


def test_cells_of_one_side_and_cells_without_a_good_run_are_listed(
    base: StoredStudy, write: Write, tmp_path: Path
) -> None:
    other = write(tmp_path / "crashed", text=SMALL.replace("[1, 4, 16]", "[4, 16, 32]"), change=mysql_crashed_at_four)
    found = diff_results(base, other)
    reasons = {(left.cell.target, left.cell.concurrency): (left.reason, left.is_missing) for left in found.left_out}
    assert reasons["mysql:9.7", 1] == (f"only in {base.path}", True)
    assert reasons["mysql:9.7", 32] == (f"only in {other.path}", False)
    reason, is_missing = reasons["mysql:9.7", 4]
    assert is_missing and reason.endswith(f" {other.path} (failed: the server died)")


def test_a_cell_that_base_never_ran_well_is_not_missing(write: Write, tmp_path: Path) -> None:
    before = write(tmp_path / "before", text=SMALL, change=mysql_crashed_at_four)
    found = diff_results(before, write(tmp_path / "after", text=SMALL.replace("[1, 4, 16]", "[1, 16]")))
    missing = {(left.cell.target, left.cell.concurrency): left.is_missing for left in found.left_out}
    assert missing == {("mariadb:11.8", 4): True, ("mysql:9.7", 4): False}


def test_a_target_that_answers_otherwise_than_before_is_told(base: StoredStudy, write: Write, tmp_path: Path) -> None:
    other = write(tmp_path / "answers", text=SMALL)
    rewritten(other, "fingerprints/mysql*.json", lambda d: d["fingerprints"][0].update(content_sha256="00" * 32))
    text = next(c.text for c in diff_results(base, other).caveats if c.code == "results-differ")
    assert "mysql:9.7 in sysbench/oltp_read_write" in text


def test_targets_of_other_names_are_compared_when_paired(base: StoredStudy, write: Write, tmp_path: Path) -> None:
    other = write(tmp_path / "next", text=SMALL.replace("mysql:9.7", "mysql:9.8"))
    assert {change.new.target for change in diff_results(base, other).of("tps")} == {"mariadb:11.8"}
    found = diff_results(base, other, renamed={"mysql:9.8": "mysql:9.7"})
    assert {(c.base.target, c.new.target) for c in found.of("tps")} >= {("mysql:9.7", "mysql:9.8")}
    within = diff_results(base, base, renamed={"mysql:9.7": "mariadb:11.8"})  # two builds of one study
    assert {(c.base.target, c.new.target) for c in within.of("tps")} == {("mariadb:11.8", "mysql:9.7")}
    assert within.left_out == ()
    with raises_code(RequestError, "unknown-target", " mysql:8", str(base.path)):
        diff_results(base, other, renamed={"mysql:9.8": "mysql:8"})


def test_a_folder_is_not_compared_with_itself(
    base: StoredStudy, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A gate on it would be green on nothing."""
    link = tmp_path / "link"
    link.symlink_to(base.path)
    for words in ([base.path, base.path], [base.path, link], [base.path, base.path, "--match", "mysql:9.7=mysql:9.7"]):
        code, printed, error = asked(capsys, *words, "--fail-on", "slower:3%")
        assert (code, printed) == (2, "")
        assert "same folder" in error and "--match mariadb:11.8=mysql:9.7;" in error
    with raises_code(RequestError, "unknown-target", "new"):
        diff_results(base, base, renamed={"new": "base"})


def test_targets_of_one_folder_are_compared_without_words_of_two_folders(
    base: StoredStudy, write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Their runs alternate, so a machine that moved hits both."""
    code, printed, _ = asked(capsys, base.path, base.path, "--match", "mariadb:11.8=mysql:9.7")
    assert code == 0
    assert "mysql:9.7 against mariadb:11.8" in printed
    assert "unchanged target" not in printed and "Not compared" not in printed and "(was" not in printed
    assert printed.count(str(base.path)) == 1
    in_order = write(tmp_path / "order", text=SMALL.replace("[measure]", '[measure]\norder = "as-written"'))
    found = diff_results(in_order, in_order, renamed={"mysql:9.7": "mariadb:11.8"})
    assert "not-interleaved" in codes(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fail-on", "faster:3%"], "faster:3%"),
        (["--allow-mismatch", "hots"], " 'host'?"),
        (["--match", "mysql:9.7"], "'mysql:9.7'"),
        (["--match", "mysql:9.7=mariadb:11.8", "--match", "mysql:8.4=mariadb:11.8"], "mysql:9.7 and with mysql:8.4"),
    ],
)
def test_a_wrong_request_ends_with_2(
    options: list[str], words: str, base: StoredStudy, new: StoredStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, said = asked(capsys, base.path, new.path, *options)
    assert (code, printed) == (2, "")
    assert words in said


def test_folders_with_nothing_in_common_end_with_2(
    base: StoredStudy, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "elsewhere", text=SMALL.replace("[1, 4, 16]", "[64]"), most=0)
    assert asked(capsys, base.path, other.path)[0] == 2
    with raises_code(RequestError, "no-common-cell", str(base.path), str(other.path)):
        diff_results(base, other)
    shorter = write(tmp_path / "shorter", text=SMALL.replace('"12s"', '"10s"'), most=6)
    code, printed, said = asked(capsys, base.path, shorter.path)
    assert code == 2
    assert "window 12 s, now 10 s" in said
    assert "window 12 s, now 10 s" in printed


def test_words_of_a_folder_stay_words(
    base: StoredStudy, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def hostile(run: StoredRun) -> StoredRun:
        return replace(run, variables={**run.variables, "init_connect": "[bold red]x[/] \x1b]0;y"})

    other = write(tmp_path / "hostile", text=SMALL, change=hostile)
    _, printed, _ = asked(capsys, base.path, other.path, "--all")
    assert "[bold red]x[/]" in printed
    assert "\x1b" not in printed


def imported(folder: StoredStudy, suffix: str, window_s: int) -> DiffSide:
    """A side as an import makes it: with a length behind the workload's name, or without."""
    side = DiffSide.of(folder)
    choices = tuple(replace(choice, label=choice.label + suffix) for choice in side.study.workloads)
    told = Imported("sysbench", "/logs")
    study = replace(side.study, workloads=choices, imported=told, window_ns=window_s * 10**9)
    named = [replace(cell, workload=cell.workload + suffix) for cell in side.judgements]
    groups = [replace(group, cell=cell) for cell, group in zip(named, side.judgements.values(), strict=True)]
    return replace(side, study=study, judgements=dict(zip(named, groups, strict=True)))


def matched(sides: tuple[DiffSide, DiffSide]) -> int:
    """How many cells stand beside each other, with nothing in the way of the comparison of their lengths."""
    pairs, _ = _match_cells(sides, {target.name: target.name for target in sides[1].study.targets})
    free = [pair for pair in pairs if _window_mismatch(*sides, (pair[0].cell, pair[1].cell)) is None]
    return len(free)


def test_a_folder_whose_names_tell_lengths_meets_one_that_has_a_single_length(base: StoredStudy) -> None:
    plain, labelled = imported(base, "", 3601), imported(base, ", 3600 s", 10_000)
    assert matched((plain, labelled)) == matched((labelled, plain)) == len(plain.judgements)
    assert matched((labelled, labelled)) == len(plain.judgements)
    assert matched((imported(base, "", 10_000), labelled)) == 0
    assert matched((plain, imported(base, ", unknown length", 3600))) == 0


def test_a_copy_of_a_folder_is_not_compared_with_it(
    base: StoredStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build that copies its base and resumes the study there would always pass."""
    copied = tmp_path / "copied"
    shutil.copytree(base.path, copied)
    with raises_code(RequestError, "copy"):
        diff_results(base, StoredStudy.open(copied))
    assert asked(capsys, base.path, copied, "--fail-on", "slower:3%")[0] == 2
    assert diff_results(base, StoredStudy.open(copied), renamed={"mysql:9.7": "mariadb:11.8"}).changes


def test_a_gathered_folder_is_not_compared_with_its_part(tmp_path: Path) -> None:
    first, second = (write_night(tmp_path / f"{night}", night, lambda run: 100.0) for night in range(2))
    for part, name in ((first, "first"), (second, "second")):
        gather([part], tmp_path / name)
    for pair in ((first.path, tmp_path / "first"), (tmp_path / "first", first.path)):
        with raises_code(RequestError, "copy"):
            diff_results(*(StoredStudy.open(path) for path in pair))
    second_side = DiffSide.of(StoredStudy.open(tmp_path / "second"))
    assert not DiffSide.of(first).shares_runs_with(second_side)
