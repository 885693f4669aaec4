"""Four outcomes of a rule, who takes part, certainty, and joining over tiers."""

from __future__ import annotations

from audit_cases import (
    MARIADB_10_11,
    MARIADB_11_8,
    MYSQL_5_7,
    MYSQL_8_0,
    MYSQL_8_4,
    audited,
    facts,
    found,
    outcome,
    verdict,
)
from dbdyno.audit import ComparisonSet, TargetFacts, all_data, audit, finding_data, missing_words, rules


def test_values_that_differ_are_a_finding_with_who_has_which() -> None:
    result = verdict(
        "adaptive-hash-mismatch",
        facts("a", innodb_adaptive_hash_index="OFF"),
        facts("b", innodb_adaptive_hash_index="1"),
    )
    assert result.outcome == "finding"
    assert result.values == {"index.adaptive_hash": {"OFF": ("a",), "ON": ("b",)}}
    assert result.certainty == "read"


def test_values_that_are_spelled_otherwise_are_clear() -> None:
    pair = facts("a", innodb_adaptive_hash_index="OFF"), facts("b", innodb_adaptive_hash_index="0")
    assert outcome("adaptive-hash-mismatch", *pair) == "clear"


def test_a_value_that_is_not_there_is_undecided_and_never_clear() -> None:
    result = verdict("adaptive-hash-mismatch", facts("a", innodb_adaptive_hash_index="OFF"), facts("b"))
    assert result.outcome == "undecided"
    assert result.lacks == {"b": "variable innodb_adaptive_hash_index"}


def test_a_difference_is_found_though_a_third_target_is_unknown() -> None:
    pair = facts("a", innodb_adaptive_hash_index="OFF"), facts("b", innodb_adaptive_hash_index="ON")
    result = verdict("adaptive-hash-mismatch", *pair, facts("c"))
    assert (result.outcome, result.lacks) == ("finding", {"c": "variable innodb_adaptive_hash_index"})


def test_with_one_target_left_a_comparison_is_not_applicable() -> None:
    mysql = facts("a", log_bin="ON", gtid_mode="ON")
    assert outcome("gtid-mismatch", mysql, facts("b", MARIADB_11_8, log_bin="ON")) == "not applicable"
    assert (
        verdict("gtid-mismatch", mysql, facts("b", MYSQL_8_0, log_bin="OFF", gtid_mode="OFF")).outcome
        == "not applicable"
    )
    assert outcome("gtid-mismatch", mysql, facts("b", MYSQL_8_0, log_bin="ON", gtid_mode="OFF")) == "finding"


def test_a_condition_that_cannot_be_told_leaves_the_rule_undecided() -> None:
    result = verdict("binlog-sync-mismatch", facts("a", log_bin="ON", sync_binlog="1"), facts("b", sync_binlog="0"))
    assert (result.outcome, result.lacks) == ("undecided", {"b": "variable log_bin"})


def test_rules_of_lsm_engines_stay_undecided_until_the_tables_engine_is_stated() -> None:
    open_question = facts("a"), facts("b")
    stated = tuple(facts(name, more={"storage_engine": "innodb"}) for name in "ab")
    assert outcome("lsm-compaction-debt", *open_question) == "undecided"
    assert outcome("lsm-compaction-debt", *stated) == "not applicable"


def test_rules_of_innodb_leave_lsm_targets_out() -> None:
    pages = facts("a", MARIADB_11_8, innodb_adaptive_hash_index="ON")
    lsm = facts("b", MARIADB_11_8, more={"storage_engine": "rocksdb"}, innodb_adaptive_hash_index="OFF")
    assert outcome("adaptive-hash-mismatch", pages, lsm) == "not applicable"


def test_a_family_without_the_quantity_is_left_out_and_listed() -> None:
    pair = facts("a", MYSQL_8_0, innodb_use_fdatasync="OFF"), facts("b", innodb_use_fdatasync="ON")
    result = verdict("fdatasync-mismatch", *pair, facts("c", MARIADB_11_8), facts("d", MYSQL_5_7))
    assert result.values == {"io.fdatasync": {"OFF": ("a",), "ON": ("b",)}}
    assert result.not_offered == {"io.fdatasync": ("c", "d")}


def test_a_finding_is_as_certain_as_its_weakest_value() -> None:
    read = facts("mysql-5.7", MYSQL_5_7, innodb_max_dirty_pages_pct="75", innodb_max_dirty_pages_pct_lwm="0")
    result = verdict("dirty-limit-mismatch", read, TargetFacts("mysql-8.4.8", option_file={}))
    assert (result.outcome, result.certainty) == ("finding", "asked")


def test_equal_findings_of_tiers_are_one_and_different_ones_stand_apart() -> None:
    def tier(name: str, cleaners: str) -> ComparisonSet:
        pair = facts("a", innodb_page_cleaners=cleaners), facts("b", MARIADB_11_8)
        return ComparisonSet(pair, tier=name)

    result = audit([tier("2G", "1"), tier("12G", "8"), tier("32G", "8"), tier("64G", "4")])
    flushing = found(result, "flush-threads-mismatch")
    assert [finding.tiers for finding in flushing] == [("12G", "32G"), ("64G",)]
    assert not [d for d in result.decisions if d.rule.rule_id == "flush-threads-mismatch"]


def test_campaigns_are_judged_apart() -> None:
    one = ComparisonSet((facts("a", performance_schema="ON"), facts("b", performance_schema="ON")), "local")
    two = ComparisonSet((facts("a", performance_schema="OFF"), facts("b", performance_schema="OFF")), "network")
    result = audit([one, two])
    assert not found(result, "performance-schema-mismatch")
    assert len(result.with_outcome("clear")) + len(result.with_outcome("undecided")) + len(
        result.with_outcome("not applicable")
    ) + len({(f.campaign, f.rule.rule_id) for f in result.findings}) == 2 * len(rules())


def test_the_worst_finding_comes_first() -> None:
    pair = (
        facts("a", performance_schema="ON", log_bin="ON", skip_name_resolve="ON"),
        facts("b", performance_schema="OFF", log_bin="OFF", skip_name_resolve="OFF"),
    )
    severities = [finding.severity for finding in audited(*pair).findings]
    order = ["critical", "high", "medium", "low", "info"]
    assert severities == sorted(severities, key=order.index)
    assert severities[0] == "critical"


def test_a_finding_names_the_targets_it_helps() -> None:
    pair = facts("a", log_bin="ON"), facts("b", MARIADB_10_11, log_bin="OFF")
    finding = found(audited(*pair), "binlog-enabled-mismatch")[0]
    assert finding.favours.endswith(": b")
    data = finding_data(finding)
    assert data["targets"] == ["a", "b"]
    assert {"id", "severity", "targets", "values", "favours", "remedy", "tiers", "certainty", "what"} <= set(data)
    assert data["what"].endswith(": OFF (b), ON (a)")


def test_all_outcomes_are_told_for_programs() -> None:
    result = audited(facts("a"), facts("b", MYSQL_8_4))
    data = all_data(result)
    assert len({entry["id"] for entry in data}) == len(rules())
    assert {entry["outcome"] for entry in data} == {"finding", "undecided", "clear", "not applicable"}
    undecided = next(d for d in result.decisions if d.rule.rule_id == "socket-vs-tcp")
    assert missing_words(undecided) == "session:transport"


def test_targets_with_nothing_known_are_undecided_and_not_a_crash() -> None:
    result = audited(TargetFacts("a"), TargetFacts("b", option_file={}))
    assert {f.rule.rule_id for f in result.findings} == {"evidence-captured-too-early"}
