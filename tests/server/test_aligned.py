"""What a study sets reaches its servers, and aligned targets differ in nothing that a setting could remove."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from apart_home import new_home
from dbdyno.audit import Finding, audit
from dbdyno.audit.studies import align_study, study_sets
from dbdyno.core import Home, MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import StudyHosts, find_generator, run_study
from dbdyno.plan import make_plan
from dbdyno.store import Results, StoredStudy
from dbdyno.study import Study, parse_study, read_study, study_text

pytestmark = pytest.mark.server
STUDY = """
workload = {name = "oltp_read_write", tables = 1, rows = 5000}
axes = {tier = "64MB", concurrency = 2}
pacing = {rate_per_s = 50}
measure = {warm_up = "1s", window = "3s", repeats = 1, equivalence_events = 50}
pinning = {server = "0", client = "1"}
"""
# What a process takes besides its cache is no setting; whether a short warm-up suffices and pages are put off alike,
# windows of seconds on a busy machine don't tell.
NO_SETTING: dict[str, set[str]] = {
    "memory-budget-mismatch": {"host:rss_bytes"},
    "page-engine-flush-debt": set(),
    "redo-saturated": set(),
    "aborted-work-counted": set(),  # a deadlock among few transactions
}


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Shared, so that what two studies fill alike is filled once."""
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    yield from new_home()


def measured(study: Study, path: Path, home: Home) -> StoredStudy:
    facts = asdict(LocalHost().facts())
    results = Results.open_or_create(path, study_text(study), {}, facts, study_name=study.name)
    outcome = run_study(study, make_plan(study), results, StudyHosts(LocalHost(), home), lambda event: None)
    results = StoredStudy.open(path)
    assert outcome.complete, [record.reason for record in results.records()]
    return results


def grave(results: StoredStudy) -> list[Finding]:
    return [f for f in audit(study_sets(results)).findings if f.severity in ("critical", "high")]


def removable(finding: Finding) -> bool:
    inputs = NO_SETTING.get(finding.rule.rule_id)
    return inputs is None or not set(finding.values) >= inputs


def options(results: StoredStudy, target: str) -> dict[str, tuple[str, str, str]]:
    """What was asked for and is in effect, by option, and who asked."""
    run = next(record.run for record in results.records() if record.run.cell.target == target)
    rows = results.document(run.run_id, "settings")
    return {row["option"]: (row["asked"], row["effective"], row["source"]) for row in rows}


def test_identical_targets_have_no_difference_at_all(tmp_path: Path, home: Home) -> None:
    study = STUDY.replace("repeats = 1", "repeats = 2")  # the order of single runs would be a difference
    twins = "".join(f'[[target]]\nname = "{name}"\nengine = "mariadb:11.8"\n' for name in ("one", "other"))
    findings = audit(study_sets(measured(parse_study(study + twins, "twins.toml"), tmp_path / "r", home))).findings
    of_the_machine = {"warmup-mismatch", *NO_SETTING} - {"memory-budget-mismatch"}
    assert {finding.rule.rule_id for finding in findings} <= of_the_machine, findings


def test_aligned_targets_differ_in_nothing_that_a_setting_removes(tmp_path: Path, home: Home) -> None:
    text = 'targets = ["mariadb:11.8", "mysql:9.7"]\n' + STUDY
    text += '[settings]\nredo.capacity = "128MB"\ncommit.durability = "relaxed"\nbinlog.enabled = true\n'
    text += 'charset.server = "latin1"\n'
    results = measured(parse_study(text, "aligned.toml"), tmp_path / "r", home)
    assert not [finding for finding in grave(results) if removable(finding)]
    mariadb, mysql = options(results, "mariadb:11.8"), options(results, "mysql:9.7")
    for capacity in (mariadb["innodb_log_file_size"], mysql["innodb_redo_log_capacity"]):
        assert capacity == (str(128 << 20), str(128 << 20), "settings")
    assert (
        mariadb["innodb_flush_log_at_trx_commit"] == mysql["innodb_flush_log_at_trx_commit"] == ("2", "2", "settings")
    )
    schemas = [results.document(record.run.run_id, "schema") for record in results.records()]
    assert {tuple(column[2:]) for schema in schemas for column in schema["columns"]} == {
        ("latin1", "latin1_swedish_ci")
    }
    assert mariadb["log_bin"][1] == mysql["log_bin"][1] == "ON" and mariadb["sync_binlog"][1] == "0"


def test_servers_as_their_vendors_leave_them_differ_and_a_tuned_one_has_its_file(tmp_path: Path, home: Home) -> None:
    vendor = parse_study('policy = "vendor"\ntargets = ["mariadb:11.8", "mysql:9.7"]\n' + STUDY, "vendor.toml")
    results = measured(vendor, tmp_path / "vendor", home)
    assert set(options(results, "mysql:9.7")) == {"innodb_buffer_pool_size", "innodb_buffer_pool_chunk_size"}
    found = {finding.rule.rule_id for finding in grave(results)}
    assert {"binlog-enabled-mismatch", "performance-schema-mismatch", "table-collation-mismatch"} & found
    assert "binlog-enabled-mismatch" in found
    mended = align_study(vendor, study_sets(results))
    assert mended.study.policy == "aligned"
    assert not [o for o in mended.outcomes if o.is_left and o.finding.severity == "critical" and removable(o.finding)]
    (tmp_path / "mine.cnf").write_text("[mysqld]\ninnodb_io_capacity = 900\nskip-log-bin\nport = 3306\n")
    (tmp_path / "tuned.toml").write_text(
        'policy = "tuned"\n' + STUDY + '[[target]]\nengine = "mysql:9.7"\noptions_file = "mine.cnf"\n'
    )
    tuned = measured(read_study(tmp_path / "tuned.toml"), tmp_path / "tuned", home)
    assert options(tuned, "mysql:9.7")["innodb_io_capacity"] == ("900", "900", "file")
    assert "port" not in options(tuned, "mysql:9.7")
    assert json.dumps(tuned.study_text).count("options_sha256") == 1
