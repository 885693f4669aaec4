"""A stored study in the audit's words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.audit import Audit, audit
from dbdyno.audit.studies import inspected_set, study_sets
from dbdyno.core import Run
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredRun, StoredStudy
from dbdyno.study import parse_study
from stored_study import HOST, TWINS, TWO, stored, write_study


def outcome(result: Audit, rule_id: str) -> str:
    found = [finding.severity for finding in result.findings if finding.rule.rule_id == rule_id]
    decided = [decision.outcome for decision in result.decisions if decision.rule.rule_id == rule_id]
    return (found or decided)[0]


def audited(folder: Path, text: str = TWO, change: Any = lambda run, fields: None) -> Audit:
    return audit(study_sets(write_study(folder / "results", text, change)))


def test_throughput_is_that_of_the_seconds_in_which_misses_were_read(tmp_path: Path) -> None:
    def lengths(name: str, unread: tuple[int, ...]) -> tuple[int, int]:
        def missed(run: Run, fields: dict[str, Any]) -> None:
            fields["unread"] = unread

        facts = study_sets(write_study(tmp_path / name, TWINS, missed))[0].targets[0]
        return len(facts.run["transactions_each_second"]), len(facts.counters_each_second["pool.misses"])

    seconds, read = lengths("whole", ())
    assert seconds == read
    assert lengths("part", (3, 4, 5)) == (seconds - 3, read - 3)


def test_two_identical_targets_differ_in_nothing(tmp_path: Path) -> None:
    result = audited(tmp_path, TWINS)
    assert [finding.rule.rule_id for finding in result.findings] == []


@pytest.mark.parametrize(
    "rule_id",
    [
        "tls-effective-mismatch",
        "protocol-compression-mismatch",
        "socket-vs-tcp",
        "table-collation-mismatch",
        "schema-ddl-mismatch",
        "data-volume-mismatch",
        "isolation-mismatch",
        "aborted-work-counted",
        "client-cpu-contention",
        "time-order-confound",
        "carry-over-between-steps",
        "allocator-mismatch",
        "warmup-mismatch",
        "ulimit-mismatch",
        "asked-not-effective",
        "packaged-conf-included",
        "evidence-captured-too-early",
        "host-mismatch",
    ],
)
def test_what_dumps_leave_undecided_a_study_decides(tmp_path: Path, rule_id: str) -> None:
    assert outcome(audited(tmp_path, TWINS), rule_id) == "clear"


def test_sessions_encrypted_in_one_run_alone_are_mixed(tmp_path: Path) -> None:
    def encrypted_once(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "mysql:9.7" and run.repeat == 1 and run.cell.concurrency == 1:
            fields["session"]["tls_cipher"] = "TLS_AES_256_GCM_SHA384"

    result = audited(tmp_path, change=encrypted_once)
    found = next(f for f in result.findings if f.rule.rule_id == "tls-effective-mismatch")
    assert found.values == {"mixed": ("mysql:9.7",), "plain": ("mariadb:11.8",)}
    assert found.certainty == "read"


def test_errors_of_all_runs_count_against_all_transactions(tmp_path: Path) -> None:
    def conflicts(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "mysql:9.7" and run.cell.concurrency == 4:
            fields["errors"] = {"1213": 240}  # of 1200 in each of two runs, none in the two others

    result = audited(tmp_path, change=conflicts)
    found = next(f for f in result.findings if f.rule.rule_id == "aborted-work-counted")
    shares = [(value.partition(" of ")[0], targets) for value, targets in found.values.items()]
    assert shares == [("0 %", ("mariadb:11.8",)), ("10 %", ("mysql:9.7",))]


def test_the_load_at_the_highest_concurrency_speaks_for_a_target(tmp_path: Path) -> None:
    def busy(run: Run, fields: dict[str, Any]) -> None:
        idle = 0.1 if run.cell.concurrency == 4 else 3.0
        fields["telemetry"] = [("host.cpu.idle", idle, "cpus"), *fields["telemetry"][1:]]

    assert outcome(audited(tmp_path, change=busy), "client-cpu-contention") == "low"


def test_processors_that_wait_for_a_disk_are_idle(tmp_path: Path) -> None:
    def waiting(run: Run, fields: dict[str, Any]) -> None:
        times = [("host.cpu.idle", 0.1, "cpus"), ("host.cpu.iowait", 2.5, "cpus")]
        fields["telemetry"] = [*times, *fields["telemetry"][1:]]

    usual = outcome(audited(tmp_path / "usual"), "client-cpu-contention")
    assert outcome(audited(tmp_path / "waiting", change=waiting), "client-cpu-contention") == usual == "clear"


def test_a_memory_limit_leaves_no_room_for_a_hidden_cache(tmp_path: Path) -> None:
    """20 GB are free on the machine, but the limit leaves 20 MB of them: less than the buffer pool."""

    def free(run: Run, fields: dict[str, Any]) -> None:
        is_buffered = run.cell.target == "mysql:9.7"
        path = {"innodb_flush_method": "fsync"} if is_buffered else {"innodb_data_file_buffering": "OFF"}
        fields["variables"] |= {**path, "innodb_buffer_pool_size": "268435456"}

    def limited(run: Run, fields: dict[str, Any]) -> None:
        free(run, fields)
        fields["life"] = {"memory": {"limit_bytes": 320_000_000}}
        fields["telemetry"] = [*fields["telemetry"], ("server.limit.anonymous", 300e6, "bytes")]

    rule_id = "page-cache-as-hidden-cache"
    assert outcome(audited(tmp_path / "free", change=free), rule_id) == "critical"
    assert outcome(audited(tmp_path / "limited", change=limited), rule_id) == "clear"


def test_tables_of_another_collation_or_definition_are_critical(tmp_path: Path) -> None:
    def other(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "mysql:9.7":
            fields["schema"]["columns"][0][3] = "utf8mb4_0900_ai_ci"
            fields["schema"]["ddl"] = {"sbtest1": "CREATE TABLE `sbtest1` (`id` int, KEY `c` (`id`)) ENGINE=InnoDB"}

    result = audited(tmp_path, change=other)
    assert outcome(result, "table-collation-mismatch") == "critical"
    assert outcome(result, "schema-ddl-mismatch") == "critical"


def test_counters_that_were_sampled_as_rates_grow_again(tmp_path: Path) -> None:
    def at_the_wall(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "mysql:9.7":
            fields["telemetry"][6] = ("engine.redo.waits", 3.0, "ops/s")

    assert outcome(audited(tmp_path, change=at_the_wall), "redo-saturated") == "high"


def test_results_without_schema_and_process_leave_their_rules_undecided(tmp_path: Path) -> None:
    def older(run: Run, fields: dict[str, Any]) -> None:
        fields["schema"], fields["process"] = {}, {}

    result = audited(tmp_path, change=older)
    assert outcome(result, "schema-ddl-mismatch") == "undecided"
    assert outcome(result, "allocator-mismatch") == "undecided"


def test_a_target_of_which_nothing_ran_is_not_set_beside_others(tmp_path: Path) -> None:
    def fails(run: Run, fields: dict[str, Any]) -> None:
        fields["status"] = "failed" if run.cell.target == "mysql:9.7" else "good"

    sets = study_sets(write_study(tmp_path / "results", change=fails))
    assert [[target.name for target in one.targets] for one in sets] == [["mariadb:11.8"]]


def test_workloads_and_routes_are_campaigns_and_tiers_stand_apart(tmp_path: Path) -> None:
    text = TWO.replace('tier = ["64MB"]', 'tier = ["64MB", "128MB"]\nroute = ["socket", "loopback"]')
    sets = study_sets(write_study(tmp_path / "results", text))
    assert [(one.campaign, one.tier) for one in sets] == [
        ("socket", "64 MiB"),
        ("socket", "128 MiB"),
        ("loopback", "64 MiB"),
        ("loopback", "128 MiB"),
    ]
    assert {target.session["transport"] for target in sets[2].targets} == {"loopback"}


def test_of_imported_runs_nothing_is_claimed_that_their_files_do_not_hold(tmp_path: Path) -> None:
    """Machine, order, restored data and aborted work are dbdyno's to tell of its own runs alone."""
    text = TWINS.replace('tier = ["64MB"]', 'tier = ["64MB"]\nroute = ["socket"]')
    text += '[imported]\ntool = "sysbench"\norigin = "logs"\n'
    sets = study_sets(write_study(tmp_path / "results", text))
    assert sets[0].study == {"writes": True, "max_threads": 4}
    target = sets[0].targets[0]
    assert (dict(target.host), set(target.run)) == ({}, {"transactions_each_second"})
    assert target.option_file is not None
    result = audit(sets)
    for rule_id in ("aborted-work-counted", "client-cpu-contention", "time-order-confound", "carry-over-between-steps"):
        assert outcome(result, rule_id) == "undecided"


def looks_of(folder: Path, change: Any = lambda run, fields: None) -> tuple[StoredStudy, list[StoredRun]]:
    """A folder without runs, and what was seen of both targets before the first."""
    study = parse_study(TWINS, "study.toml")
    results = Results.create(folder, TWINS, {}, HOST, study_name="two")
    made = [stored(run, "mariadb", change) for run in make_plan(study).runs[:2]]
    return results, [
        replace(
            look,
            record=replace(look.record, status="missing", span=replace(look.record.span, started_ns=0, ended_ns=0)),
        )
        for look in made
    ]


def test_identical_servers_that_were_only_looked_at_differ_in_nothing(tmp_path: Path) -> None:
    results, looks = looks_of(tmp_path / "looked")
    result = audit([inspected_set(results, parse_study(TWINS, "study.toml"), looks)])
    told = [finding.rule.rule_id for finding in result.findings]
    assert told == ["evidence-captured-too-early"], "which is true, and no difference between servers"
    assert outcome(result, "tls-effective-mismatch") == "clear", "the load's own connections were asked"


def test_a_server_that_was_looked_at_stands_beside_one_that_was_driven(tmp_path: Path) -> None:
    def relaxed(run: Run, fields: dict[str, Any]) -> None:
        fields["variables"]["innodb_flush_log_at_trx_commit"] = "2"

    driven = write_study(tmp_path / "driven", TWINS)
    _, looks = looks_of(tmp_path / "looked", relaxed)
    alone = [look for look in looks if look.record.run.cell.target == "one"]
    result = audit([inspected_set(driven, parse_study(TWINS, "study.toml"), alone)])
    assert result.targets == ("one", "other")
    assert outcome(result, "commit-policy-mismatch") == "critical"
