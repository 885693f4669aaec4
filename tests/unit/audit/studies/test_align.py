"""A study without what its audit found: overrides go, defaults meet, and what stays is said with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit_cases import MARIADB_11_8, facts
from dbdyno.audit import ComparisonSet, rules
from dbdyno.audit.studies import AlignedStudy, align_study, study_sets
from dbdyno.audit.studies._remedies import _document
from dbdyno.core import Run
from dbdyno.engines import neutral_parameters
from dbdyno.study import Study, parse_study, study_text
from stored_study import TWINS, TWO, write_study

MYSQL = "9.7.4"


def study_of(mariadb: str = "", mysql: str = "", more: str = "") -> Study:
    text = TWO.replace(
        'targets = ["mariadb:11.8", "mysql:9.7"]',
        f'[[target]]\nname = "a"\nengine = "mariadb:11.8"\n[target.options]\n{mariadb}\n'
        f'[[target]]\nname = "b"\nengine = "mysql:9.7"\n[target.options]\n{mysql}\n',
    )
    return parse_study(text + more, "study.toml")


def mended(study: Study, a: dict[str, str], b: dict[str, str], **groups: Any) -> AlignedStudy:
    targets = (facts("a", MARIADB_11_8, more=groups, **a), facts("b", MYSQL, more=groups, **b))
    return align_study(study, [ComparisonSet(targets)])


def outcome(result: AlignedStudy, rule_id: str) -> Any:
    return next(o for o in result.outcomes if o.finding.rule.rule_id == rule_id)


def test_an_option_of_one_target_that_dbdyno_sets_on_all_is_taken_out() -> None:
    study = study_of(mysql='innodb_flush_log_at_trx_commit = "2"\ninnodb_stats_persistent = "ON"')
    name = "innodb_flush_log_at_trx_commit"
    result = mended(study, {name: "1"}, {name: "2"})
    (change,) = outcome(result, "commit-policy-mismatch").changes
    assert change.startswith("b: innodb_flush_log_at_trx_commit = 2 ")
    assert dict(result.study.target("b").options) == {"innodb_stats_persistent": "ON"}


def test_compression_of_one_binary_log_is_taken_out_under_mariadbs_name() -> None:
    binlog = 'log_bin = "binlog"\n'
    study = study_of(mariadb=binlog + 'log_bin_compress = "ON"', mysql=binlog)
    same = {"log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL", "binlog_checksum": "CRC32"}
    same |= {"binlog_row_metadata": "MINIMAL"}
    a = {**same, "binlog_annotate_row_events": "OFF", "log_bin_compress": "ON"}
    b = {**same, "binlog_rows_query_log_events": "OFF", "binlog_transaction_compression": "OFF"}
    found = outcome(mended(study, a, b), "binlog-content-mismatch")
    assert (found.changes, found.is_left) == (("a: log_bin_compress = ON removed",), False)


def test_options_are_known_by_what_they_stand_for() -> None:
    study = study_of(mariadb='log-bin = "binlog"')
    result = mended(study, {"log_bin": "ON"}, {"log_bin": "OFF"})
    (change,) = outcome(result, "binlog-enabled-mismatch").changes
    assert change.startswith("a: log_bin = binlog ")


def test_a_default_that_dbdyno_leaves_alone_gets_one_value_on_all() -> None:
    name = "innodb_adaptive_flushing"
    result = mended(study_of(), {name: "OFF"}, {name: "ON"})
    assert result.study.settings == {"flush.adaptive": "ON"}
    assert not any(target.settings or target.options for target in result.study.targets)


def test_an_override_gives_way_to_defaults_where_those_agree() -> None:
    """Adaptive flushing is on by default in both; dbdyno leaves it alone."""
    name = "innodb_adaptive_flushing"
    result = mended(study_of(mariadb=f'{name} = "OFF"'), {name: "OFF"}, {name: "ON"})
    (change,) = outcome(result, "adaptive-flushing-mismatch").changes
    assert change.startswith(f"a: {name} = OFF ")
    assert not any(target.settings or target.options for target in result.study.targets)


def test_a_server_without_the_option_decides_what_the_others_get() -> None:
    """MySQL 9.7 has no thread pool, which is one thread a connection."""
    result = mended(
        study_of(), {"thread_handling": "pool-of-threads"}, {"thread_handling": "one-thread-per-connection"}
    )
    assert result.study.settings == {"server.thread_handling": "one-thread-per-connection"}


def test_what_no_setting_removes_stays_with_its_reason() -> None:
    a = {"innodb_doublewrite": "ON"}
    b = a | {"innodb_doublewrite_files": "2", "innodb_doublewrite_pages": "128"}
    left = outcome(mended(study_of(), a, b), "doublewrite-batching-mismatch")
    assert left.is_left and "fixed" in left.why


@pytest.mark.parametrize(
    ("rule_id", "option", "a", "b"),
    [
        ("lock-model-mismatch", "innodb_deadlock_detect", "ON", "OFF"),
        ("checksum-mismatch", "innodb_checksum_algorithm", "crc32", "innodb"),
    ],
)
def test_what_the_study_itself_sets_is_not_left_for_the_design_of_a_server(
    rule_id: str, option: str, a: str, b: str
) -> None:
    result = mended(study_of(mysql=f'{option} = "{b}"'), {option: a}, {option: b})
    found = outcome(result, rule_id)
    assert (len(found.changes), found.is_left) == (1, False)
    assert found.changes[0].startswith(f"b: {option} = {b} ")
    assert not result.study.target("b").options


def test_compression_that_a_setting_made_is_taken_out() -> None:
    found = mended(
        study_of(mariadb='innodb_compression_default = "ON"'), {"innodb_compression_default": "ON"}, {}
    ).outcomes[0]
    assert found.finding.rule.rule_id == "compression-mismatch"
    assert (len(found.changes), found.is_left) == (1, False)


def test_a_fixed_area_is_left_although_the_others_batch_is_taken_out() -> None:
    study = study_of(mysql='innodb_doublewrite_pages = "4"')
    a = {"innodb_doublewrite": "ON"}
    b = a | {"innodb_doublewrite_files": "2", "innodb_doublewrite_pages": "4"}
    found = outcome(mended(study, a, b), "doublewrite-batching-mismatch")
    assert len(found.changes) == 1 and found.is_left and "fixed" in found.why


def test_differences_of_dumps_that_dbdyno_holds_equal_need_no_setting() -> None:
    result = mended(study_of(), {"innodb_flush_log_at_trx_commit": "2"}, {"innodb_flush_log_at_trx_commit": "1"})
    held = outcome(result, "commit-policy-mismatch")
    assert not held.changes and not held.is_left and "dbdyno's settings" in held.why


@pytest.mark.parametrize(
    ("rule_id", "a", "b"),
    [
        ("redo-capacity-mismatch", {"innodb_log_file_size": "100663296"}, {"innodb_redo_log_capacity": "4294967296"}),
        ("performance-schema-mismatch", {"performance_schema": "OFF"}, {"performance_schema": "ON"}),
        ("gtid-mismatch", {"log_bin": "ON"}, {"log_bin": "ON", "gtid_mode": "ON"}),
    ],
)
def test_what_dbdyno_sets_in_other_words_is_held_too(rule_id: str, a: dict[str, str], b: dict[str, str]) -> None:
    status = {"innodb_redo_log_capacity_resized": b.get("innodb_redo_log_capacity", "1")}
    result = mended(study_of(), a, b, status=status)
    changed = [o.finding.rule.rule_id for o in result.outcomes if o.changes]
    assert rule_id not in changed
    assert not any(o.is_left for o in result.outcomes if o.finding.rule.rule_id == rule_id)
    assert not any(target.settings or target.options for target in result.study.targets)


def test_one_input_gets_one_value_for_all_tiers() -> None:
    """The first tier's finding sets it; the second one's neither takes it out again nor sets another."""
    name = "innodb_adaptive_flushing"
    tiers = [
        ComparisonSet((facts("a", MARIADB_11_8, **{name: a}), facts("b", MYSQL, **{name: b})), tier=tier)
        for tier, a, b in (("2G", "OFF", "ON"), ("12G", "ON", "OFF"))
    ]
    result = align_study(study_of(), tiers)
    first, second = [o for o in result.outcomes if o.finding.rule.rule_id == "adaptive-flushing-mismatch"]
    assert first.changes and not second.changes and not second.is_left
    assert list(result.study.settings) == ["flush.adaptive"]


def test_a_running_server_is_not_dbdyno_s_to_configure() -> None:
    text = TWO.replace("mysql:9.7", "mysql@server:mine") + '[servers.mine]\nuser = "u"\nsocket = "/s"\n'
    targets = (
        facts("mariadb:11.8", MARIADB_11_8, innodb_flush_log_at_trx_commit="1"),
        facts("mysql@server:mine", MYSQL, innodb_flush_log_at_trx_commit="2"),
    )
    result = align_study(parse_study(text, "study.toml"), [ComparisonSet(targets)])
    left = outcome(result, "commit-policy-mismatch")
    assert left.is_left and "option file" in left.why


def test_one_repeat_becomes_two_and_processors_are_divided(tmp_path: Path) -> None:
    def busy(run: Run, fields: dict[str, Any]) -> None:
        fields["telemetry"] = [("host.cpu.idle", 0.0, "cpus"), *fields["telemetry"][1:]]

    text = TWINS.replace("repeats = 2", "repeats = 1")
    results = write_study(tmp_path / "results", text, busy)
    study = align_study(parse_study(text, "study.toml"), study_sets(results)).study
    assert (study.repeats, study.pinning.server, study.pinning.client) == (2, (0, 1, 2), (3,))


def test_conflicts_of_myrocks_are_waits_at_a_level_that_all_targets_get(tmp_path: Path) -> None:
    """At REPEATABLE READ MyRocks aborted 8.7 % of sysbench's transactions on small tables, at READ COMMITTED none."""

    def conflicts(run: Run, fields: dict[str, Any]) -> None:
        fields["errors"] = {"1213": 100} if run.cell.target == "other" else {}

    results = write_study(tmp_path / "results", TWINS, conflicts)
    rocks = parse_study(
        TWINS.replace('"other"\nengine = "mariadb:11.8"', '"other"\nengine = "mariadb:11.8+rocksdb"'), "s"
    )
    assert align_study(rocks, study_sets(results)).study.settings == {"trx.isolation": "READ-COMMITTED"}
    innodb_alone = align_study(parse_study(TWINS, "s"), study_sets(results))
    assert outcome(innodb_alone, "aborted-work-counted").is_left
    assert not any(target.settings or target.options for target in innodb_alone.study.targets)


def test_identical_targets_leave_a_study_as_it_is(tmp_path: Path) -> None:
    study = parse_study(TWINS, "study.toml")
    result = align_study(study, study_sets(write_study(tmp_path / "results", TWINS)))
    assert result.outcomes == () and result.study == study


def test_a_mended_study_reads_back_as_itself() -> None:
    study = mended(study_of(mysql='log_bin = "x"'), {"log_bin": "OFF"}, {"log_bin": "ON"}).study
    assert parse_study(study_text(study), "new.toml") == study


@pytest.mark.parametrize("group", ["quantities", "rules", "left"])
def test_remedies_name_rules_and_parameters_that_exist(group: str) -> None:
    entries = _document()[group]
    named = [row["rule"] for row in entries] if group == "left" else list(entries) if group == "rules" else []
    assert set(named) <= {rule.rule_id for rule in rules()}
    if group != "left":
        assert {name for names in entries.values() for name in names} <= set(neutral_parameters())
