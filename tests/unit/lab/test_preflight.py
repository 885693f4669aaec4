"""Before the first run each target's server is looked at, and an auditor may end the study there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbdyno.core import ConfigureError, Run
from dbdyno.lab import AuditFinding, ServersAudited
from dbdyno.store import Results, StoredRun
from dbdyno.study import Study

Lab = Any  # the fixture of conftest.py, which can't be imported by name
GRAVE = AuditFinding("commit-policy-mismatch", "critical", "what a commit waits for", "the other")


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
    outcome = laboratory.walk(auditor=auditor)
    assert outcome.complete
    assert sorted(look.record.run.cell.target for look in auditor.looks) == ["mariadb:11.8", "mysql:9.7"]
    assert {look.record.run.cell.concurrency for look in auditor.looks} == {4}
    assert {look.variables["version"] for look in auditor.looks} == {"1"}
    assert all(look.start["session"] for look in auditor.looks), "the load's own connections were asked"
    kinds = [type(event).__name__ for event in laboratory.events]
    assert kinds.index("ServersAudited") < kinds.index("RunStarted")
    assert laboratory.bench.ran[2:] == [run.run_id for run in laboratory.plan.runs]


def test_what_was_seen_and_said_is_stored(laboratory: Lab) -> None:
    laboratory.walk(auditor=PaperAuditor(stops=False))
    results = laboratory.results
    [entry] = [entry for entry in results.journal() if entry.event == "servers-audited"]
    assert entry.facts["findings"][0]["id"] == "commit-policy-mismatch"
    assert sorted(look.record.run.cell.target for look in results.looks()) == ["mariadb:11.8", "mysql:9.7"]
    assert all(look.record.status == "missing" for look in results.looks())
    assert results.verify() == ()


def test_a_refused_study_makes_no_run_and_a_milder_one_goes_on(laboratory: Lab) -> None:
    outcome = laboratory.walk(auditor=PaperAuditor(stops=True))
    assert (outcome.refused, outcome.complete, outcome.missing) == (True, False, 4)
    assert laboratory.results.records() == ()
    assert laboratory.bench.alive == set()
    assert [entry.event for entry in laboratory.results.journal()][-1] == "study-refused"
    assert laboratory.walk(auditor=PaperAuditor(stops=False)).complete


def test_a_server_that_can_not_be_looked_at_is_left_to_its_runs(laboratory: Lab) -> None:
    broken = "mysql:9.7"

    def refuse(run: Run, server: object) -> None:
        if run.cell.target == broken:
            raise ConfigureError(f"{broken} did not start")

    laboratory.bench.on_run = refuse
    auditor = PaperAuditor(stops=False)
    laboratory.walk(auditor=auditor)
    assert [look.record.run.cell.target for look in auditor.looks] == ["mariadb:11.8"]
    assert [entry.facts["target"] for entry in laboratory.results.journal() if entry.event == "server-not-audited"] == [
        broken
    ]


def test_variables_are_stored_from_after_the_load_too(laboratory: Lab) -> None:
    laboratory.walk()
    run_id = laboratory.plan.runs[0].run_id
    assert laboratory.results.document(run_id, "variables_after") == {"version": "1"}


def test_a_variable_that_somebody_sets_while_the_load_runs_is_a_caveat_of_that_run(laboratory: Lab) -> None:
    def drifting(run: Run, server: Any) -> None:
        if run == laboratory.plan.runs[0]:
            values = iter([{"innodb_io_capacity": "200"}, {"innodb_io_capacity": "2000"}])
            server.variables = lambda: next(values)

    laboratory.bench.on_run = drifting
    laboratory.walk()
    caveats = [
        [c.text for c in record.caveats if c.code == "variables-changed"] for record in laboratory.results.records()
    ]
    assert [len(texts) for texts in caveats] == [1, 0, 0, 0]
    assert "innodb_io_capacity from 200 to 2000" in caveats[0][0]
