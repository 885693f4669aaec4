"""Severity by effect: what a difference can do to a measured ranking."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from dbdyno.audit import ComparisonSet, Finding, TargetFacts, audit, rules
from dbdyno.audit.studies import Ranking, weigh_findings
from dbdyno.audit.studies._effect import _effects
from dbdyno.core import Comparison
from dbdyno.study import Study, parse_study
from numbers_in import numbers_in
from stored_study import TWO

MIB = 1024**2
COMMIT = {"derived:commit_class": {"sync-each-commit": ("a",), "write-each-commit": ("b",)}}


@pytest.fixture(scope="module")
def study() -> Study:
    return parse_study(TWO, "study.toml")


def pair(ratio: float, low: float, high: float, verdict: Any = "different") -> Comparison:
    """Throughput of a over b, at 64 MiB and 4 connections."""
    told = (ratio, low, high, 0.01, verdict)
    return Comparison("a", "b", "w", 64 * MIB, 4, "socket", *told, is_significant=verdict == "different")


def finding(rule_id: str, values: Mapping[str, Any]) -> Finding:
    rule = next(rule for rule in rules() if rule.rule_id == rule_id)
    return Finding(rule, rule.severity, "", ("64 MiB",), ("a", "b"), values, "read", "", "", {}, {})


def weighed(
    study: Study,
    found: Finding,
    *pairs: Comparison,
    levels: Any = None,
    data_bytes: int | None = None,
    storage_engine: str = "rocksdb",
) -> Finding:
    schema = {"data_bytes": data_bytes} if data_bytes else {}
    targets = tuple(TargetFacts(name, schema=schema, storage_engine=storage_engine) for name in "ab")
    here = ComparisonSet(targets, tier="64 MiB")
    (one,) = weigh_findings([found], study, [here], Ranking(pairs, levels or {}))
    return one


def test_a_lead_that_the_difference_helps_leaves_it_critical_and_is_named(study: Study) -> None:
    found = weighed(study, finding("commit-policy-mismatch", COMMIT), pair(0.5, 0.4, 0.6))
    assert found.severity == "critical"
    assert " 64 MiB and 4 connections (" in found.remark and " 67 %)" in found.remark


def test_what_helps_the_loser_cannot_explain_the_winners_lead(study: Study) -> None:
    found = weighed(study, finding("commit-policy-mismatch", COMMIT), pair(2.0, 1.5, 2.5))
    assert found.severity == "medium" and "cannot overturn" in found.remark


def test_a_longer_route_cannot_explain_a_lead(study: Study) -> None:
    def reached_by(name: str, route: str) -> TargetFacts:
        return TargetFacts(name, variables={"version": "8.4.8"}, session={"transport": route}, storage_engine="innodb")

    here = ComparisonSet((reached_by("a", "network"), reached_by("b", "socket")), tier="64 MiB")
    found = [one for one in audit([here]).findings if one.rule.rule_id == "socket-vs-tcp"]
    severities = [
        weigh_findings(found, study, [here], Ranking([told], {}))[0].severity
        for told in (pair(2.0, 1.5, 2.5), pair(0.5, 0.4, 0.6))
    ]
    assert severities == ["medium", "high"]


def test_of_values_in_one_place_of_the_order_either_may_help(study: Study) -> None:
    """Commits that sync the binary log each thousandth time wait for less than those that sync it each time."""
    values = {"binlog.sync": {"0": ("c",), "1": ("b",), "1000": ("a",)}}
    behind_both = [replace(pair(0.5, 0.4, 0.6), left="c", right=name) for name in "ab"]
    found = weighed(study, finding("binlog-sync-mismatch", values), pair(2.0, 1.5, 2.5), *behind_both)
    assert found.severity == "critical"
    assert "a is faster than b" in found.remark


def test_where_nothing_is_decided_a_finding_is_high_at_most(study: Study) -> None:
    behind = weighed(study, finding("commit-policy-mismatch", COMMIT), pair(1.2, 0.9, 1.6, "undecided"))
    ahead = weighed(study, finding("commit-policy-mismatch", COMMIT), pair(0.8, 0.6, 1.1, "undecided"))
    assert (behind.severity, ahead.severity) == ("high", "high")


@pytest.mark.parametrize(("low", "high", "interval"), [(0.6, 1.1, [9.1, 67]), (0.01, 90.0, [])])
def test_an_undecided_pair_has_no_lead_to_explain(study: Study, low: float, high: float, interval: list[float]) -> None:
    told = pair(0.8, low, high, "undecided")
    aborted = {"0 % of the transactions": ("b",), "2 % of the transactions": ("a",)}
    for rule_id, values, worth in (("commit-policy-mismatch", COMMIT, []), ("aborted-work-counted", aborted, [2])):
        remark = weighed(study, finding(rule_id, values), told).remark
        assert sorted(numbers_in(remark)) == sorted([*worth, 64, 4, *interval])  # a lead would be a number more


@pytest.mark.parametrize(("share", "severity"), [("0.09", "info"), ("2", "high")])
def test_less_than_a_percent_decides_nothing_that_is_open(study: Study, share: str, severity: str) -> None:
    """All of the interval has b behind; it is undecided because many comparisons are tested together."""
    aborted = {"0 % of the transactions": ("b",), f"{share} % of the transactions": ("a",)}
    found = weighed(study, finding("aborted-work-counted", aborted), pair(1.25, 1.01, 1.54, "undecided"))
    assert found.severity == severity


def test_that_targets_are_the_same_may_be_due_to_the_difference(study: Study) -> None:
    found = weighed(study, finding("commit-policy-mismatch", COMMIT), pair(1.001, 0.98, 1.02, "same"))
    assert found.severity == "critical"


@pytest.mark.parametrize(
    ("share", "low", "severity"),
    [("0.14", 1.3, "info"), ("2.1", 1.3, "low"), ("30", 1.3, "critical"), ("12", 1.3, "medium")],
)
def test_aborted_work_is_worth_its_share(study: Study, share: str, low: float, severity: str) -> None:
    values = {"0 % of the transactions": ("a",), f"{share} % of the transactions": ("b",)}
    assert weighed(study, finding("aborted-work-counted", values), pair(1.5, low, 1.8)).severity == severity


def test_more_memory_is_worth_what_the_next_tier_brought_to_the_other_one(study: Study) -> None:
    values = {"host:rss_bytes": {str(100 * MIB): ("b",), str(200 * MIB): ("a",)}}
    found, lead = finding("memory-budget-mismatch", values), pair(1.3, 1.2, 1.4)
    at = ("b", "w", "socket", 4)
    assert weighed(study, found, lead).severity == "critical"  # 1 + 100/64 in proportion
    assert weighed(study, found, lead, levels={at: {64 * MIB: 100.0, 512 * MIB: 130.0}}).severity == "critical"
    assert weighed(study, found, lead, levels={at: {64 * MIB: 100.0, 512 * MIB: 110.0}}).severity == "medium"
    assert weighed(study, found, lead, levels={at: {64 * MIB: 100.0, 128 * MIB: 110.0}}).severity == "critical"
    assert weighed(study, found, lead, data_bytes=60 * MIB).severity == "info"


def test_what_has_no_effect_hides_nothing(study: Study) -> None:
    values = {"host:rss_bytes": {str(100 * MIB): ("b",), str(200 * MIB): ("a",)}}
    behind = pair(0.4, 0.2, 0.9, "undecided")
    found = weighed(study, finding("memory-budget-mismatch", values), behind, data_bytes=60 * MIB)
    assert found.severity == "info"
    assert re.search(r"\ba\b.*\bb\b.* 80 % slower .* 10 % slower", found.remark)
    assert numbers_in(found.remark) == [64, 4, 80, 10]  # what it is worth would be a number more


def test_memory_beside_the_buffer_pool_saves_no_read(study: Study) -> None:
    resident = {"host:rss_bytes": {str(100 * MIB): ("b",), str(200 * MIB): ("a",)}}
    caches = {"derived:cache_bytes": {str(64 * MIB): ("b",), str(128 * MIB): ("a",)}}
    lead = pair(1.3, 1.2, 1.4)
    found = finding("memory-budget-mismatch", resident)
    assert weighed(study, found, lead, storage_engine="innodb").severity == "info"
    assert weighed(study, found, lead, storage_engine="rocksdb").severity == "critical"
    found = finding("memory-budget-mismatch", caches | resident)
    assert weighed(study, found, lead, storage_engine="innodb").severity == "critical"


def test_without_a_known_direction_either_may_be_helped(study: Study) -> None:
    values = {"charset.collation": {"latin1_bin": ("a",), "utf8mb4_general_ci": ("b",)}}
    found = finding("table-collation-mismatch", values)
    assert [weighed(study, found, pair(*told)).severity for told in ((2.0, 1.5, 2.5), (0.5, 0.4, 0.6))] == [
        "critical"
    ] * 2


def test_where_nothing_was_measured_the_rules_severity_stays(study: Study) -> None:
    found = finding("commit-policy-mismatch", COMMIT)
    assert weighed(study, found) == found
    assert weighed(study, found, pair(2.0, 1.5, 2.5, "not settled")) == found


def test_every_critical_or_high_rule_has_a_row_and_every_figure_a_source() -> None:
    assert set(_effects()) == {rule.rule_id for rule in rules() if rule.severity in ("critical", "high")}
    words = {"ratio", "share", "memory", "asked", "unlimited", "unknown"}
    for rule_id, effect in _effects().items():
        assert effect.source if isinstance(effect.size, (float, dict)) else effect.size in words, rule_id


@pytest.mark.parametrize(
    ("rule_id", "values", "low", "severity", "worth"),
    [
        ("asked-not-effective", {"io.capacity: asked 200, effective 100": ("a",)}, 1.5, "high", "is unknown"),
        ("query-cache-on", {"ON": ("a",)}, 9.0, "critical", "no known limit"),
        ("table-collation-mismatch", {"X": ("a",), "Y": ("b",)}, 2.6, "medium", "up to 150 %"),
        ("charset-mismatch", {"LATIN1": ("a",), "UTF8MB4": ("b",)}, 1.5, "high", "up to 150 %"),
        ("charset-mismatch", {"UTF8MB4": ("a",), "LATIN1": ("b",)}, 1.5, "medium", "behind"),
        ("socket-vs-tcp", {"SOCKET": ("a",), "LOOPBACK": ("b",)}, 1.5, "high", "up to 54 %"),
        ("socket-vs-tcp", {"SOCKET": ("a",), "LOOPBACK": ("b",)}, 1.6, "medium", "up to 54 %"),
        ("socket-vs-tcp", {"SOCKET": ("a",), "NETWORK": ("b",)}, 9.0, "high", "no known limit"),
        (
            "isolation-mismatch",
            {"REPEATABLE-READ": ("a",), "READ-COMMITTED": ("b",)},
            1.1,
            "critical",
            "no known limit",
        ),
    ],
)
def test_a_lead_is_held_against_what_the_difference_is_worth(
    study: Study, rule_id: str, values: Mapping[str, Any], low: float, severity: str, worth: str
) -> None:
    """Target a leads by at least so much. What nobody knows is high at most; what has no limit stays."""
    named = tuple(name for names in values.values() for name in names)
    found = replace(finding(rule_id, values), targets=named)
    after = weighed(study, found, pair(1.1 * low, low, 1.2 * low))
    assert after.severity == severity
    assert worth in after.remark, after.remark


@pytest.mark.parametrize(
    ("amounts", "low", "severity", "worth"),
    [
        ({"b": (1024.0, 512.0)}, 1.9, "critical", "up to 100 %"),
        ({"b": (1536.0, 768.0)}, 2.1, "medium", "up to 100 %"),
        ({}, 2.1, "critical", "no known limit"),
    ],
)
def test_less_than_was_asked_for_is_worth_the_ratio_of_both(
    study: Study, amounts: dict[str, tuple[float, float]], low: float, severity: str, worth: str
) -> None:
    """The words of the finding say other numbers, which nobody reads."""
    found = finding("redo-files-in-group-noop", {"asked 7 GiB, effective 1 GiB": ("b",)})
    after = weighed(study, replace(found, targets=("b",), asked_and_effective=amounts), pair(1.1 * low, low, 1.2 * low))
    assert after.severity == severity
    assert worth in after.remark, after.remark


@pytest.mark.parametrize("ratio", [7.06, 1 / 7.06])
def test_runs_that_are_too_unlike_give_no_lead_in_percent(study: Study, ratio: float) -> None:
    aborted = {"0 % of the transactions": ("a",), "2 % of the transactions": ("b",)}
    for rule_id, values in (("commit-policy-mismatch", COMMIT), ("aborted-work-counted", aborted)):
        found = weighed(study, finding(rule_id, values), pair(ratio, ratio / 1000, ratio * 1000, "undecided"))
        assert not re.search(r"\d{3,}", found.remark.replace("64 MiB", ""))
