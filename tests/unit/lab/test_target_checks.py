"""Before the first run targets are audited, and send back the same results for the same events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbdyno.core import ConfigureError, Fingerprint, Run
from dbdyno.lab import AuditFinding, ResultsCompared, ServersAudited
from dbdyno.lab._target_checks import PreflightInspection
from dbdyno.plan import PartOfStudy, make_plan, runs_of_part
from dbdyno.store import Results, StoredRun
from dbdyno.study import Study

Lab = Any  # the fixture of conftest.py, which can't be imported by name
GRAVE = AuditFinding(
    "commit-policy-mismatch", "critical", "durability of commits", "the other", "Set it.", is_fixable=True
)


class PaperAuditor:
    def __init__(self, *, stops: bool) -> None:
        self.stops = stops
        self.looks: list[StoredRun] = []

    def __call__(self, results: Results, study: Study, looks: Sequence[StoredRun]) -> ServersAudited:
        self.looks = list(looks)
        names = tuple(look.record.run.cell.target for look in looks)
        return ServersAudited("here", names, (GRAVE,), 3, self.stops)


def test_both_servers_are_looked_at_at_one_place_before_any_run(laboratory: Lab) -> None:
    auditor = PaperAuditor(stops=False)
    outcome = laboratory.run_all(auditor=auditor)
    assert outcome.complete
    assert sorted(look.record.run.cell.target for look in auditor.looks) == ["mariadb:11.8", "mysql:9.7"]
    assert {look.record.run.cell.concurrency for look in auditor.looks} == {4}
    assert {look.variables["version"] for look in auditor.looks} == {"1"}
    assert all(look.start["session"] for look in auditor.looks), "the load's own connections were asked"
    kinds = [type(event).__name__ for event in laboratory.events]
    assert kinds.index("ServersAudited") < kinds.index("RunStarted")
    assert laboratory.bench.ran[2:] == [run.run_id for run in laboratory.plan.runs]


@pytest.mark.parametrize("seed", range(1, 9))
def test_servers_of_a_part_are_looked_at_where_it_compares_them_and_not_at_its_sentinel(
    laboratory: Lab, seed: int
) -> None:
    tiers_bytes = (64 << 20, 128 << 20)
    study = replace(laboratory.study, tiers_bytes=tiers_bytes, sentinel="mysql:9.7", repeats=2, seed=seed)
    plan = make_plan(study)
    part = replace(plan, runs=runs_of_part(study, plan.runs, PartOfStudy(1, 4)))
    inspection = PreflightInspection(cast("Any", SimpleNamespace(plan=part)), PaperAuditor(stops=False))
    runs = [inspection._inspection_run(target.name) for target in study.targets]
    assert all(run in part.runs and not run.is_sentinel for run in runs)
    assert len({(run.cell.tier_bytes, run.cell.workload, run.cell.concurrency) for run in runs}) == 1


def test_what_was_seen_and_said_is_stored(laboratory: Lab) -> None:
    laboratory.run_all(auditor=PaperAuditor(stops=False))
    results = laboratory.results
    [entry] = [entry for entry in results.journal() if entry.event == "servers-audited"]
    assert entry.facts["findings"][0]["id"] == "commit-policy-mismatch"
    assert sorted(look.record.run.cell.target for look in results.inspections()) == ["mariadb:11.8", "mysql:9.7"]
    assert all(look.record.status == "missing" for look in results.inspections())
    assert results.verify() == ()


def test_a_refused_study_makes_no_run_and_a_milder_one_goes_on(laboratory: Lab) -> None:
    outcome = laboratory.run_all(auditor=PaperAuditor(stops=True))
    assert (outcome.refused, outcome.complete, outcome.missing) == (True, False, 4)
    assert laboratory.results.records() == ()
    assert laboratory.bench.alive == set()
    assert [entry.event for entry in laboratory.results.journal()][-1] == "study-refused"
    assert laboratory.run_all(auditor=PaperAuditor(stops=False)).complete


def test_a_server_that_can_not_be_looked_at_is_left_to_its_runs(laboratory: Lab) -> None:
    broken = "mysql:9.7"

    def refuse(run: Run, server: object) -> None:
        if run.cell.target == broken:
            raise ConfigureError(f"{broken} did not start")

    laboratory.bench.on_run = refuse
    auditor = PaperAuditor(stops=False)
    laboratory.run_all(auditor=auditor)
    assert [look.record.run.cell.target for look in auditor.looks] == ["mariadb:11.8"]
    assert [entry.facts["target"] for entry in laboratory.results.journal() if entry.event == "server-not-audited"] == [
        broken
    ]


def test_variables_are_stored_from_after_the_load_too(laboratory: Lab) -> None:
    laboratory.run_all()
    run_id = laboratory.plan.runs[0].run_id
    assert laboratory.results.document(run_id, "variables_after") == {"version": "1"}


def test_a_variable_that_somebody_sets_while_the_load_runs_is_a_caveat_of_that_run(laboratory: Lab) -> None:
    def drifting(run: Run, server: Any) -> None:
        if run == laboratory.plan.runs[0]:
            values = iter([{"innodb_io_capacity": "200"}, {"innodb_io_capacity": "2000"}])
            server.variables = lambda: next(values)

    laboratory.bench.on_run = drifting
    laboratory.run_all()
    caveats = [
        [c.text for c in record.caveats if c.code == "variables-changed"] for record in laboratory.results.records()
    ]
    assert [len(texts) for texts in caveats] == [1, 0, 0, 0]
    assert "innodb_io_capacity from 200 to 2000" in caveats[0][0]


SAMPLE = json.loads((Path(__file__).parents[3] / "contract/samples/fingerprint-records.jsonl").read_text())


@pytest.fixture
def comparing(laboratory: Lab) -> Lab:
    laboratory.study = replace(laboratory.study, equivalence_events=500)
    return laboratory


def comparisons(lab: Lab) -> list[Any]:
    return [event.comparison for event in lab.events if isinstance(event, ResultsCompared)]


def test_equal_results_are_told_and_kept(comparing: Lab) -> None:
    assert comparing.run_all().complete
    (comparison,) = comparisons(comparing)
    assert (comparison.targets_count, comparison.events_count, comparison.unlike) == (2, 500, {})
    kept = comparing.results.fingerprints("mysql:9.7")["sysbench/oltp_read_write"]
    assert isinstance(kept.made, Fingerprint)
    assert kept.made.content_sha256 == SAMPLE["content_sha256"]
    assert comparing.results.verify() == ()


def test_each_target_has_a_server_of_its_own_for_it_before_the_runs(comparing: Lab) -> None:
    comparing.run_all()
    assert len(comparing.bench.ran) == 2 + 4
    assert comparing.bench.alive == set()


def test_a_target_that_holds_other_rows_is_named_with_the_table_and_the_study_did_not_hold(comparing: Lab) -> None:
    def other_rows(target: str) -> str:
        changed = {"content_sha256": "0" * 64, "tables": [SAMPLE["tables"][0] | {"rows": 11}]}
        return json.dumps(SAMPLE | changed if target == "mysql:9.7" else SAMPLE)

    comparing.bench.fingerprint_of = other_rows
    outcome = comparing.run_all()
    assert outcome.results_differ
    assert not outcome.complete
    assert outcome.good == 4, "the runs are made all the same"
    ((target, words),) = comparisons(comparing)[0].unlike.items()
    assert target == "mysql:9.7" and words.endswith(" district")


def test_a_server_that_can_not_be_compared_is_named_and_the_runs_are_made(comparing: Lab) -> None:
    comparing.bench.fingerprint_of = lambda target: "" if target == "mysql:9.7" else json.dumps(SAMPLE)
    outcome = comparing.run_all()
    assert outcome.good == 4
    assert not outcome.results_differ
    assert "no ink" in comparisons(comparing)[0].unknown["mysql:9.7"]


def test_what_was_compared_is_not_compared_again(comparing: Lab) -> None:
    comparing.run_all()
    first = comparing.results.fingerprints("mysql:9.7")
    comparing.bench.fingerprint_of = lambda target: pytest.fail("sent again")
    for run in list(comparing.results.run_ids())[:1]:  # a run to be made again
        folder = comparing.results.run_folder(run)
        folder.rename(folder.with_name(f".gone-{run}"))
    assert comparing.run_all().complete
    assert comparing.results.fingerprints("mysql:9.7") == first


def test_one_target_or_none_asked_for_compares_nothing(laboratory: Lab) -> None:
    laboratory.run_all()
    assert comparisons(laboratory) == []
    assert laboratory.results.fingerprints("mysql:9.7") == {}
