"""What upgrades brought: steps from each version to the next, told with interval, never across families."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from dbdyno.analyse import Upgrade, answer, compare_averages, compare_targets, judge_cells, upgrades
from dbdyno.analyse._upgrades import upgrade_sentence
from dbdyno.core import RunRecord, SettledPart

MakeStudy = Callable[..., list[RunRecord]]
PLACE = ("sysbench/oltp_read_write", "socket", 512 << 20, 16)
LEVELS = {"mysql:9.7": 50.0, "mysql:5.7": 100.0, "mysql:8.0": 80.0, "mariadb:11.8": 120.0, "mariadb:10.11": 120.0}


def versioned(records: list[RunRecord], versions: Mapping[str, str] | None = None) -> list[RunRecord]:
    """Records whose family and version are those of the target's name, or the given version."""
    known = {**{name: name.partition(":")[2] for name in LEVELS}, **(versions or {})}
    return [
        replace(one, family=one.run.cell.target.partition(":")[0], version=known[one.run.cell.target])
        for one in records
    ]


def upgrades_of(records: list[RunRecord]) -> list[Upgrade]:
    judgements = judge_cells(records)
    return upgrades(judgements, compare_targets(judgements))


def test_each_version_is_held_against_the_one_before_it(study: MakeStudy) -> None:
    found = upgrades_of(versioned(study(LEVELS)))
    steps = [(step.old, step.new) for step in found]
    assert steps == [("mysql:5.7", "mysql:8.0"), ("mysql:8.0", "mysql:9.7"), ("mariadb:10.11", "mariadb:11.8")]
    assert [step.title for step in found][:2] == ["MySQL 5.7 → 8.0", "MySQL 8.0 → 9.7"]


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_loss_lies_in_the_interval_at_every_place(study: MakeStudy, seed: int) -> None:
    first, second, _ = upgrades_of(versioned(study(LEVELS, seed=seed, spread=0.02, repeats=4)))
    for step, truth in ((first, 0.8), (second, 0.625)):
        assert len(step.changes) == 6
        held = [change.low < truth < change.high for change in step.changes.values()]
        assert sum(held) >= 5, "95 % intervals"
        assert all(change.ratio < 1 for change in step.shown())


def test_targets_of_one_version_are_no_upgrade(study: MakeStudy) -> None:
    levels = {"mysql:8.0": 80.0, "mysql:8.0 tuned": 90.0, "mariadb:11.8": 100.0}
    records = versioned(study(levels), {"mysql:8.0": "8.0.31", "mysql:8.0 tuned": "8.0.31"})
    assert upgrades_of(records) == []


def test_a_run_that_is_not_made_yet_has_no_version(study: MakeStudy) -> None:
    """It carries what the study file names, 8.0, while the server is 8.0.31."""
    levels = {"mysql:8.0": 80.0, "mysql:8.0 tuned": 90.0}
    records = versioned(study(levels), dict.fromkeys(levels, "8.0.31"))
    unmade_cell = records[-1].run.cell
    unmade = [
        replace(one, status="missing", version="8.0", figures=replace(one.figures, tps_mean=None))
        if one.run.cell == unmade_cell
        else one
        for one in records
    ]
    assert upgrades_of(unmade) == []


def test_another_storage_engine_is_no_upgrade(study: MakeStudy) -> None:
    records = versioned(study(LEVELS))
    other = [replace(one, storage_engine="rocksdb") if one.run.cell.target == "mysql:8.0" else one for one in records]
    assert [(step.old, step.new) for step in upgrades_of(other)] == [
        ("mysql:5.7", "mysql:9.7"),
        ("mariadb:10.11", "mariadb:11.8"),
    ]


def test_the_sentence_tells_the_largest_changes_first_and_counts_what_is_not_shown(study: MakeStudy) -> None:
    found = upgrades_of(versioned(study(LEVELS)))
    words = upgrade_sentence(found, PLACE, lambda place: "512 MiB and 16 connections")
    assert re.fullmatch(
        r"Upgrades .*512 MiB and 16 connections: MySQL 9\.7 .*[\d.]+ % slower .*8\.0 \([\d.]+ to [\d.]+ %\); "
        r"MySQL 8\.0 .*\d\d % slower .*5\.7 \(\d+ to \d+ %\); .*1 .*\.",
        words,
    )
    assert upgrade_sentence(found, ("w", "socket", 1, 1), lambda place: "nowhere") == ""


def test_smaller_changes_are_counted_with_between_what_they_lie(study: MakeStudy) -> None:
    ends = ((0.5, 0.6), (0.97, 0.98), (1.02, 1.04))
    shown = [
        replace(step, changes={PLACE: replace(step.changes[PLACE], verdict="different", ratio=low, low=low, high=high)})
        for step, (low, high) in zip(upgrades_of(versioned(study(LEVELS))), ends, strict=True)
    ]
    words = upgrade_sentence([*[shown[0]] * 3, *shown[1:]], PLACE, lambda place: "here")
    assert words.endswith("; 2 smaller changes: each between 3 % slower and 4 % faster.")


def test_upgrades_of_cells_that_were_run_once_name_the_spread_that_they_assume(study: MakeStudy) -> None:
    for repeats in (1, 2):
        words = upgrade_sentence(upgrades_of(versioned(study(LEVELS, repeats=repeats))), PLACE, lambda place: "here")
        assert words.startswith("Upgrades at here, if repeats spread by 2.6 %: ") == (repeats == 1)


def test_one_upgrade_whose_runs_are_too_unlike_hides_no_interval_of_the_others(study: MakeStudy) -> None:
    ends = ((0.1, 9.0), (0.97, 1.05), (0.98, 1.06))
    open_steps = [
        replace(
            step, changes={PLACE: replace(step.changes[PLACE], verdict="undecided", ratio=1.01, low=low, high=high)}
        )
        for step, (low, high) in zip(upgrades_of(versioned(study(LEVELS))), ends, strict=True)
    ]
    words = upgrade_sentence(open_steps, PLACE, lambda place: "here")
    assert "for 2 upgrades: each between 3 % slower and 6 % faster; 1 other cannot be compared, " in words


@pytest.mark.parametrize("verdict", ["same", "undecided", "not settled"])
def test_only_an_undecided_upgrade_shows_no_difference(study: MakeStudy, verdict: str) -> None:
    found = upgrades_of(versioned(study(LEVELS)))
    open_steps = [
        replace(step, changes={PLACE: replace(step.changes[PLACE], verdict=verdict, ratio=1.01, low=0.97, high=1.05)})
        for step in found
    ]
    words = upgrade_sentence(open_steps, PLACE, lambda place: "512 MiB")
    assert words.startswith("Upgrades with 512 MiB") or words.startswith("Upgrades at 512 MiB")
    assert bool(re.search(r" 3 % slower .* 5 % faster", words)) == (verdict == "undecided")
    assert ("settled" in words) == (verdict == "not settled")


def test_upgrades_of_a_version_without_an_average_are_counted(study: MakeStudy) -> None:
    """MySQL 8.0 has settled nowhere, so neither the upgrade to it nor the one from it has an average."""
    part = SettledPart("drifting", 900, 0, 80.0, 8.0, change=-0.08)
    records = [
        replace(one, settled=part) if one.run.cell.target == "mysql:8.0" else one for one in versioned(study(LEVELS))
    ]
    judgements = judge_cells(records)
    found = upgrades(judgements, compare_targets(judgements), compare_averages(judgements))
    assert [bool(step.averages) for step in found] == [False, False, True]
    assert upgrade_sentence(found, PLACE, lambda place: "512 MiB").endswith("; 2 others have no average.")


def test_the_answer_tells_upgrades_of_three_targets_and_not_of_two(study: MakeStudy) -> None:
    def told(levels: dict[str, float]) -> bool:
        judgements = judge_cells(versioned(study(levels)))
        return any(
            words.startswith("Upgrades at ") for words in answer(judgements, compare_targets(judgements)).sentences
        )

    assert told(LEVELS)
    assert not told({name: LEVELS[name] for name in ("mysql:8.0", "mysql:9.7")})
