"""`dbdyno explain`: what is printed in each form, and the exit code of a request that can't be answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import Profiler
from dbdyno.plan import ProofStudy
from dbdyno.store import proof_notes
from explained_study import LAST_PLACE, PlantedTimes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("explain") / "planted"
    PlantedTimes({"mysql:9.7": {"commit": 1.6}}).write(place)
    return str(place)


def test_the_text_names_the_planted_part_and_the_whole_time(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", folder]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert "MySQL 9.7" in lines[0]
    assert "COMMIT" in lines[1]
    assert any(line.startswith("whole time") and "decided" in line for line in lines)
    assert printed.err == ""


def test_json_and_markdown_hold_the_same_lines(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", folder, "--at", "64MB,4", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["gap"]["left"]["tier_bytes"], found["gap"]["left"]["concurrency"]) == (64 << 20, 4)
    assert found["gap"]["parts"][0]["id"] == "statement.commit"
    assert main(["explain", folder, "--at", "64MB,4", "--format", "md"]) == 0
    assert found["lines"][0] in capsys.readouterr().out


def test_a_place_that_is_missing_is_answered_by_one_that_is_there(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", folder, "--at", "3GB"]) == 2
    [hint] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hint: ")]
    assert main(["explain", folder, *hint.removeprefix("hint: write for example ").split()]) == 0


def test_without_a_profiler_or_the_right_to_use_it_a_deep_profile_is_refused_before_it_begins(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["explain", folder, "--deep"]) == 3
    printed = capsys.readouterr()
    assert all(words in printed.err for words in Profiler("", None).obstacle())
    assert "linux-perf" in printed.err
    assert not (Path(folder) / "deep").exists()


SHARES = {"on_cpu": 0.2, "run_queue": 0.05, "wait.client": 0.1}


@pytest.mark.parametrize(
    ("fast", "slow", "altered"),
    [
        ({"wait.redo_flush": 0.65}, {"wait.redo_flush": 0.05, "wait.data_read": 0.6}, {"buffer-pool"}),
        ({"wait.redo_flush": 0.65}, {"wait.redo_flush": 0.05, "wait.row_lock": 0.6}, {"uniform-keys"}),
        (
            {"wait.row_lock": 0.05},
            {"wait.row_lock": 0.6, "wait.data_read": 0.02},
            {"uniform-keys"},
        ),  # not a small cause
    ],
)
def test_plain_proofs_are_of_causes_that_slow_the_altered_target(
    fast: dict[str, float],
    slow: dict[str, float],
    altered: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The faster target's flushes are no reason to relax those of the slower one."""
    states = {"mariadb:11.8": {**SHARES, **fast}, "mysql:9.7": {**SHARES, **slow}}
    PlantedTimes({"mysql:9.7": {"commit": 4.0}}, states=states).write(tmp_path / "planted")
    studies: list[ProofStudy] = []
    monkeypatch.setattr("dbdyno.cli._prove._run_proof_study", lambda *given: studies.append(given[2]))
    assert main(["explain", str(tmp_path / "planted"), "--prove", "--quiet"]) == 0
    assert {study.alteration.alteration_id for study in studies} == altered
    assert {study.control.target for study in studies} == {"mysql:9.7"}


def test_a_dataset_1000_times_as_large_is_made_only_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    states = {"mariadb:11.8": {**SHARES, "wait.row_lock": 0.1}, "mysql:9.7": {**SHARES, "wait.row_lock": 0.6}}
    planted = PlantedTimes({"mysql:9.7": {"commit": 4.0}}, states=states)
    planted.text = planted.text.replace("rows = 50000", 'rows = 50000\nrand_type = "uniform"')
    planted.write(tmp_path / "planted")
    studies: list[ProofStudy] = []
    monkeypatch.setattr("dbdyno.cli._prove._run_proof_study", lambda *given: studies.append(given[2]))
    for names, code in ((), 2), (("row-locks",), 2), (("more-rows",), 0):
        studies.clear()
        assert main(["explain", str(tmp_path / "planted"), "--quiet", "--prove", *names]) == code
        assert [study.alteration.alteration_id for study in studies] == (
            ["more-rows"] if names == ("more-rows",) else []
        )


def test_proofs_of_two_pairs_with_one_slower_target_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = PlantedTimes({"mysql:9.7": {"commit": 4.0}})
    planted.text = planted.text.replace('"mysql:9.7"]', '"mysql:9.7", "mysql:8.4"]')
    results = planted.write(tmp_path / "planted").path
    monkeypatch.setattr("dbdyno.cli._prove.run_beside", lambda study, folder, choices: folder.mkdir(exist_ok=True))
    others = ["mariadb:11.8", "mysql:8.4"]
    for pair in [*((other, "mysql:9.7") for other in others), ("mysql:9.7", others[0])]:
        asked = ["--prove", "durability-relaxed", "--quiet", "--pair", *pair]
        assert main(["explain", str(results), *asked]) == 0
    notes = proof_notes(results).values()
    assert {note.control.target for note in notes} == {"mysql:9.7"}
    pairs = sorted(sorted((note.left.target, note.right.target)) for note in notes)
    assert pairs == [[other, "mysql:9.7"] for other in others]


@pytest.mark.parametrize("asked", [["--rounds", "0"], ["--rounds", "51"], ["--window", "0s"], ["--window", "1ms"]])
@pytest.mark.parametrize("what", [["--prove"], ["--prove", "durability-relaxed"]])
def test_runs_that_no_study_can_have_are_refused_before_anything_is_written(
    folder: str, capsys: pytest.CaptureFixture[str], asked: list[str], what: list[str]
) -> None:
    assert main(["explain", folder, *what, *asked]) == 2
    printed = capsys.readouterr()
    assert ("repeats" if asked[0] == "--rounds" else "window") in printed.err
    assert not (Path(folder) / "proofs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pair", "mysql:9.8", "mariadb:11.8"], "mysql:9.7"),
        (["--pair", "mysql:9.7", "mysql:9.7"], "itself"),
        (["--at", "512MB,3"], "512 MiB and 16 connections"),
        (["--at", "2GB"], "--at 512MB,16"),
    ],
)
def test_a_pair_or_place_that_is_not_there_ends_with_2(
    folder: str, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["explain", folder, *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize(("slower", "brought_back"), [("mysql:9.7", True), ("mariadb:11.8", False)])
def test_a_proof_expects_the_waits_that_the_other_target_has_instead(
    slower: str, brought_back: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The faster target waits for its redo flushes, the slower one for its turn in the binary log."""
    faster = "mariadb:11.8" if slower == "mysql:9.7" else "mysql:9.7"
    waits = {"wait.redo_flush": 0.05, "wait.commit_order": 0.6}
    faster_waits = {"wait.redo_flush": 0.65} if brought_back else {}
    states = {faster: {**SHARES, **faster_waits}, slower: {**SHARES, **waits}}
    planted = PlantedTimes({slower: {"commit": 4.0}}, states=states)
    planted.text = f"{planted.text}\n[settings]\n'binlog.enabled' = 'ON'\n"
    results = planted.write(tmp_path / "planted").path
    monkeypatch.setattr("dbdyno.cli._prove.run_beside", lambda study, folder, choices: folder.mkdir(exist_ok=True))
    assert main(["explain", str(results), "--prove", "binary-log-off", "--quiet"]) == 0
    (note,) = proof_notes(results).values()
    assert note.control.target == slower
    assert (note.brought_back_ms > 0.1) == brought_back


@pytest.mark.parametrize(("engine", "has_claim"), [("mysql:9.7", True), ("mariadb:11.8", False)])
def test_a_proof_of_a_share_of_processor_time_notes_what_its_cause_claims(
    engine: str, has_claim: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between different servers nothing tells how much of the processor time is the setting's: nothing is predicted."""
    plain = {"on_cpu": 0.4, "run_queue": 0.2, "wait.client": 0.4}
    planted = PlantedTimes(
        {"watched": {"point_select": 2.0}},
        states={"plain": plain, "watched": {**plain, "on_cpu": 1.2}},
        variables={
            "plain": {"version": "9.7.4" if has_claim else "11.8.6-MariaDB", "performance_schema": "OFF"},
            "watched": {"version": "9.7.4", "performance_schema": "ON"},
        },
        axes=LAST_PLACE,
    )
    targets = f'[[target]]\nname = "plain"\nengine = "{engine}"\n[[target]]\nname = "watched"\nengine = "mysql:9.7"\n'
    targets += 'settings = {"server.performance_schema" = "ON"}\n'
    planted.text = planted.text.replace('targets = ["mariadb:11.8", "mysql:9.7"]\n', targets)
    planted.write(tmp_path / "planted")
    monkeypatch.setattr("dbdyno.cli._prove.run_beside", lambda study, folder, choices: folder.mkdir(exist_ok=True))
    assert main(["explain", str(tmp_path / "planted"), "--prove", "performance-schema", "--quiet"]) == 0
    (note,) = proof_notes(tmp_path / "planted").values()
    assert note.alteration == "performance-schema-off"
    if has_claim:
        assert note.claimed is not None and 0.2 < note.claimed["thread.on_cpu"] < 0.9
        assert set(note.removes) == set(note.claimed) <= {"thread.on_cpu", "thread.run_queue"}
        assert 0 < note.claimed_error < 1
    else:
        assert (note.claimed, note.removes) == (None, ())
