"""Machine, build, order."""

from __future__ import annotations

from typing import Any

import pytest

from audit_cases import (
    facts,
    outcome,
    verdict,
    with_facts,
)
from dbdyno.audit import ComparisonSet, TargetFacts, audit, what


def test_names_of_containers_are_no_machines() -> None:
    a, b = facts("a", hostname="3f2a9c01d4e5"), facts("b", hostname="0123456789ab")
    assert outcome("host-mismatch", a, b) == "undecided"
    named = tuple(
        facts(n, more={"summary": {"hostname": h}}, hostname="3f2a9c01d4e5") for n, h in (("a", "x"), ("b", "y"))
    )
    assert outcome("host-mismatch", *named) == "finding"


def test_campaigns_on_different_machines_are_told_though_each_is_alike_in_itself() -> None:
    def campaign(name: str, machine: str) -> ComparisonSet:
        return ComparisonSet(tuple(facts(target, hostname=machine) for target in ("a", "b")), campaign=name)

    found = audit([campaign("local", "node1"), campaign("remote", "node3"), campaign("remote read-only", "node3")])
    (one,) = [finding for finding in found.findings if finding.rule.rule_id == "host-mismatch"]
    assert (one.between, one.values) == (True, {"node1": ("local",), "node3": ("remote", "remote read-only")})
    assert what(one) == f"{one.rule.title}: node1 (local), node3 (remote; remote read-only)"
    assert "host-mismatch" not in {decision.rule.rule_id for decision in found.decisions}
    same = audit([campaign("local", "node1"), campaign("remote", "node1")])
    assert not [finding for finding in same.findings if finding.rule.rule_id == "host-mismatch"]
    assert [d.outcome for d in same.decisions if d.rule.rule_id == "host-mismatch"] == ["clear", "clear"]


def test_runs_must_repeat_and_interleave() -> None:
    def one(name: str, *times: int) -> TargetFacts:
        return with_facts(name, run={"start_times": list(times)})

    assert outcome("time-order-confound", one("a", 1), one("b", 2)) == "finding"
    assert outcome("time-order-confound", one("a", 1, 2), one("b", 3, 4)) == "finding"
    assert outcome("time-order-confound", one("a", 1, 3), one("b", 2, 4)) == "clear"
    assert outcome("time-order-confound", one("a", 1)) == "not applicable"


def test_suffixes_of_distributions_are_compared_where_there_are_any() -> None:
    x = {"version_compile_machine": "x86_64"}
    a = facts("a", "10.11.16-MariaDB-ubu2204", **x)
    b = facts("b", "11.8.6-MariaDB-0+deb13u1 from Debian", **x)
    assert verdict("build-provenance-mismatch", a, b, facts("c", **x)).values == {"deb13": ("b",), "ubu2204": ("a",)}
    machines = facts("c", **x), facts("d", version_compile_machine="aarch64")
    assert verdict("build-provenance-mismatch", *machines).certainty == "read"


@pytest.mark.parametrize(
    ("version", "stage"),
    [
        ("9.7.0-er", "er"),
        ("5.7.4-m14", "m14"),
        ("12.0.1-MariaDB", "before 12.0.2"),
        ("10.1.7-MariaDB", "before 10.1.8"),
    ],
)
def test_unfinished_releases_beside_finished_ones_are_labelled(version: str, stage: str) -> None:
    result = verdict("maturity-mismatch", facts("a", version), facts("b", "8.4.8"))
    assert set(result.values) == {stage}
    assert outcome("maturity-mismatch", facts("a", version), facts("b", version)) == "clear"
    assert outcome("maturity-mismatch", facts("a", "12.1.2-MariaDB"), facts("b", "5.7.44-48-log")) == "clear"


def test_percona_reports_home_unless_told_not_to() -> None:
    def percona(**variables: str) -> TargetFacts:
        values = {"version": "8.0.45-36", "version_comment": "Percona Server (GPL)", "event_scheduler": "OFF"}
        return TargetFacts("a", variables=values | variables)

    other = facts("b", event_scheduler="DISABLED")
    assert verdict("hidden-background-work", percona(), other).values == {"telemetry": {"ON": ("a",)}}
    assert outcome("hidden-background-work", percona(percona_telemetry_disable="ON"), other) == "clear"


def test_a_ladder_without_resets_repeats_its_first_step() -> None:
    study = {"step_order": [1, 4, 16], "reset_between_steps": False}
    assert outcome("carry-over-between-steps", facts("a"), study=study) == "finding"
    repeated = study | {"first_step_difference": 0.01}
    assert outcome("carry-over-between-steps", facts("a"), study=repeated) == "clear"
    assert outcome("carry-over-between-steps", facts("a"), study=study | {"step_order": [4, 1, 16]}) == "clear"


def test_a_client_without_processors_of_its_own_takes_the_servers() -> None:
    def one(name: str, share: float, **more: Any) -> TargetFacts:
        return with_facts(name, host={"client_cpu_share": share, **more})

    assert outcome("client-cpu-contention", one("a", 0.2), one("b", 0.1)) == "finding"
    assert outcome("client-cpu-contention", one("a", 0.1, idle_share=0.05), one("b", 0.1)) == "finding"
    busy = [one("a", 0.12, idle_share=0.0), one("b", 0.2, idle_share=0.0), one("c", 0.08, idle_share=0.0)]
    assert verdict("client-cpu-contention", *busy[:2]).severity is None, "that of the rule"
    assert verdict("client-cpu-contention", busy[0], busy[2]).severity == "low", "the client takes as much from both"
    pinned = (one("a", 0.2, cpu_partition=True), one("b", 0.1, cpu_partition=True))
    assert outcome("client-cpu-contention", *pinned) == "not applicable"
