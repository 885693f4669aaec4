"""What the audit before the first run says of servers, in lines, and when it stops a study."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.cli._progress import audit_lines, auditor
from dbdyno.lab import ServersAudited
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredRun
from dbdyno.study import AuditStop, parse_study
from numbers_in import numbers_in
from stored_study import HOST, TWINS, stored

STUDY = parse_study(TWINS, "study.toml")


def inspections(*, relaxed: bool) -> list[StoredRun]:
    made = [stored(run, "mariadb", lambda run, fields: None) for run in make_plan(STUDY).runs[:2]]
    seen = [
        replace(look, record=replace(look.record, status="missing", span=replace(look.record.span, started_ns=0)))
        for look in made
    ]
    if relaxed:
        variables = {**seen[0].variables, "innodb_flush_log_at_trx_commit": "2"}
        seen[0] = replace(seen[0], variables=variables, server_cnf=seen[0].server_cnf.replace("= 1", "= 2"))
    return seen


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results.create(tmp_path / "two", TWINS, {}, HOST, study_name="two")


@pytest.mark.parametrize(("stop_at", "stops"), [("never", False), ("critical", True), ("high", True)])
def test_a_critical_difference_is_told_in_a_line_and_stops_whom_it_should(
    results: Results, stop_at: AuditStop, stops: bool
) -> None:
    told = auditor(stop_at)(results, STUDY, inspections(relaxed=True))
    assert told.stops == stops
    first, second, *rest = audit_lines(told)
    assert re.match(r"  ✘ .* sysbench/oltp_read_write, 64 MiB, socket: 1 critical", first)
    assert second.strip().startswith("critical: ") and second.endswith("  [commit-policy-mismatch]")
    assert "Favours" in second
    assert any("Ctrl-C" in line for line in rest) == (not stops)


def test_a_hint_to_fix_stands_only_where_settings_can_remove_a_difference(results: Results) -> None:
    told = auditor("never")(results, STUDY, inspections(relaxed=True))
    assert "dbdyno audit --fix " in last_line(told) and numbers_in(last_line(told)) == []
    (policy,) = told.findings
    volume = replace(policy, rule_id="data-volume-mismatch", severity="high", is_fixable=False)
    assert "dbdyno audit --fix" in last_line(replace(told, findings=(policy, volume)))
    assert numbers_in(last_line(replace(told, findings=(policy, volume)))) == [1]
    assert "--fix" not in last_line(replace(told, findings=(volume,)))
    remedy_lines = [line for line in audit_lines(replace(told, findings=(policy, volume))) if volume.remedy in line]
    assert len(remedy_lines) == 1


def last_line(told: ServersAudited) -> str:
    return list(audit_lines(told))[-1]


def test_servers_that_are_alike_get_one_line_and_go_on_even_where_high_differences_stop(results: Results) -> None:
    told = auditor("high")(results, STUDY, inspections(relaxed=False))
    assert (told.stops, told.findings) == (False, ())
    [line] = audit_lines(told)
    assert re.match(r"  ✔ .* sysbench/oltp_read_write, 64 MiB, socket: ", line)
