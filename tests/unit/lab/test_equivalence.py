"""Each target is sent the same events before the runs, and what it makes of them is compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import Fingerprint
from dbdyno.lab import ResultsCompared

SAMPLE = json.loads((Path(__file__).parents[3] / "contract/samples/fingerprint-records.jsonl").read_text())
Lab = Any  # the fixture of conftest.py, which can't be imported by name


@pytest.fixture
def comparing(laboratory: Lab) -> Lab:
    laboratory.study = replace(laboratory.study, equivalence_events=500)
    return laboratory


def comparisons(lab: Lab) -> list[Any]:
    return [event.comparison for event in lab.events if isinstance(event, ResultsCompared)]


def test_equal_results_are_told_and_kept(comparing: Lab) -> None:
    assert comparing.walk().complete
    (comparison,) = comparisons(comparing)
    assert (comparison.targets_count, comparison.events_count, comparison.unlike) == (2, 500, {})
    kept = comparing.results.fingerprints("mysql:9.7")["sysbench/oltp_read_write"]
    assert isinstance(kept.made, Fingerprint)
    assert kept.made.content_sha256 == SAMPLE["content_sha256"]
    assert comparing.results.verify() == ()


def test_each_target_has_a_server_of_its_own_for_it_before_the_runs(comparing: Lab) -> None:
    comparing.walk()
    assert len(comparing.bench.ran) == 2 + 4
    assert comparing.bench.alive == set()


def test_a_target_that_holds_other_rows_is_named_with_the_table_and_the_study_did_not_hold(comparing: Lab) -> None:
    def other_rows(target: str) -> str:
        changed = {"content_sha256": "0" * 64, "tables": [SAMPLE["tables"][0] | {"rows": 11}]}
        return json.dumps(SAMPLE | changed if target == "mysql:9.7" else SAMPLE)

    comparing.bench.fingerprint_of = other_rows
    outcome = comparing.walk()
    assert outcome.results_differ
    assert not outcome.complete
    assert outcome.good == 4, "the runs are made all the same"
    assert comparisons(comparing)[0].unlike == {"mysql:9.7": "other rows in district"}


def test_a_server_that_can_not_be_compared_is_named_and_the_runs_are_made(comparing: Lab) -> None:
    comparing.bench.fingerprint_of = lambda target: "" if target == "mysql:9.7" else json.dumps(SAMPLE)
    outcome = comparing.walk()
    assert outcome.good == 4
    assert not outcome.results_differ
    assert "no ink" in comparisons(comparing)[0].unknown["mysql:9.7"]


def test_what_was_compared_is_not_compared_again(comparing: Lab) -> None:
    comparing.walk()
    first = comparing.results.fingerprints("mysql:9.7")
    comparing.bench.fingerprint_of = lambda target: pytest.fail("sent again")
    for run in list(comparing.results.run_ids())[:1]:  # a run to be made again
        folder = comparing.results.run_folder(run)
        folder.rename(folder.with_name(f".gone-{run}"))
    assert comparing.walk().complete
    assert comparing.results.fingerprints("mysql:9.7") == first


def test_one_target_or_none_asked_for_compares_nothing(laboratory: Lab) -> None:
    laboratory.walk()
    assert comparisons(laboratory) == []
    assert laboratory.results.fingerprints("mysql:9.7") == {}
