"""Neutral settings in a study file: read in their units, written back, and wrong ones named with their line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.study import Study, check_running_servers, parse_study, read_study, study_text
from error_codes import raises_code

HEAD = """\
targets = ["mariadb:11.8+rocksdb"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""
TARGETS = """\
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
[[target]]
engine = "mariadb:11.8"
[[target]]
engine = "mysql:9.7"
[target.settings]
flush.neighbors = 1
"""


def study_of(settings: str, head: str = HEAD) -> Study:
    return parse_study(f"{head}[settings]\n{settings}", "s.toml")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('redo.capacity = "4GB"', {"redo.capacity": 4 << 30}),
        ("redo = {capacity = 1073741824}", {"redo.capacity": 1 << 30}),
        ('"redo.capacity" = "1GiB"', {"redo.capacity": 1 << 30}),
        ('commit.durability = "Relaxed"', {"commit.durability": "relaxed"}),
        ('trx.isolation = "read committed"', {"trx.isolation": "READ-COMMITTED"}),
        ("server.performance_schema = true", {"server.performance_schema": "ON"}),
        ('trx.lock-wait-timeout = "2min"', {"trx.lock_wait_timeout": 120}),
        ('charset.collation = "utf8mb4_bin"', {"charset.collation": "utf8mb4_bin"}),
        ("flush.lsm_block_compression = 'LZ4'", {"flush.lsm_block_compression": "lz4"}),
    ],
)
def test_a_setting_is_read_in_its_unit_and_survives_being_written(written: str, read: dict[str, object]) -> None:
    study = study_of(written)
    assert study.settings == read
    assert parse_study(study_text(study), "again.toml") == parse_study(study_text(study), "s.toml")
    assert parse_study(study_text(study), "again.toml").settings == read


@pytest.mark.parametrize(
    ("written", "line", "said"),
    [
        ('redo.capcity = "4GB"', 5, " 'redo.capacity'?"),
        ('\ncapacity = "4GB"', 6, "redo.capacity"),
        ("innodb_io_capacity = 5", 5, "[target.options]"),
        ('redo.capacity = "4 parsecs"', 5, 'a size such as "256MB"'),
        ('redo.capacity = "1MB"', 5, "from 8 MiB to 512 GiB"),
        ('commit.durability = "none"', 5, 'one of "full", "relaxed", "periodic"'),
        ("io.capacity = 1.5", 5, "a whole number"),
        ("flush.dirty_max = 120", 5, "from 5 % to 99 %"),
        ('trx.lock_wait_timeout = "500ms"', 5, "seconds"),
        ("redo = {log_buffer = 5}", 5, "from 2 MiB to 1 GiB"),
        ("\n[settings.io]\ncapacity = 5", 7, "from 100 to 1000000"),
        ("flush.page_cleaners = 2", 5, "'flush.page_cleaners'"),
        ('memory.budget = "1GB"', 5, "axes.tier"),
    ],
)
def test_a_wrong_setting_is_answered_with_its_line_and_what_is_allowed(written: str, line: int, said: str) -> None:
    with pytest.raises(StudyError) as caught:
        study_of(written)
    assert caught.value.what.startswith(f"s.toml:{line}: ")
    assert said in f"{caught.value.what} {caught.value.why} {caught.value.remedy}"


def test_a_memory_budget_is_the_tier_of_a_study_that_names_none() -> None:
    head = HEAD.replace('tier = "64MB", ', "")
    study = study_of('memory.budget = "2GB"\nredo.capacity = "1GB"', head)
    assert study.tiers_bytes == (2 << 30,) and list(study.settings) == ["redo.capacity"]


def test_a_target_has_the_settings_of_all_but_for_its_own() -> None:
    study = parse_study(TARGETS + "[settings]\nflush.neighbors = 2\nio.capacity = 500\n", "s.toml")
    mariadb, mysql = study.targets
    assert study.settings_of(mariadb) == {"flush.neighbors": "2", "io.capacity": 500}
    assert study.settings_of(mysql) == {"flush.neighbors": "1", "io.capacity": 500}
    assert parse_study(study_text(study), "s.toml") == study


def test_settings_of_another_storage_engine_pass_a_target_by() -> None:
    both = HEAD.replace('"mariadb:11.8+rocksdb"', '"mariadb:11.8", "mariadb:11.8+rocksdb"')
    study = study_of('flush.page_cleaners = 2\nmemory.write_buffers = "16MB"\ncommit.durability = "relaxed"', both)
    innodb, rocksdb = (set(study.settings_of(target)) for target in study.targets)
    assert innodb == {"flush.page_cleaners", "commit.durability"}
    assert rocksdb == {"memory.write_buffers", "commit.durability"}


@pytest.mark.parametrize(
    ("own", "line", "said"),
    [
        ("flush.neighbours = 1", 8, " 'flush.neighbors'?"),
        ('memory.budget = "1GB"', 8, "memory.budget"),
        ('memory.write_buffers = "16MB"', 8, "innodb"),
        ("innodb_io_capcity = 5", 8, "[target.options]"),
    ],
)
def test_a_wrong_setting_of_a_target_is_found_in_its_own_table(own: str, line: int, said: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(TARGETS.replace("flush.neighbors = 1", own), "s.toml")
    assert caught.value.what.startswith(f"s.toml:{line}: ")
    assert said in f"{caught.value.what} {caught.value.why} {caught.value.remedy}"


def test_server_options_among_the_settings_are_options_as_in_older_study_files() -> None:
    target = parse_study(TARGETS + "innodb-adaptive-flushing = false\n", "s.toml").targets[1]
    assert target.options == {"innodb_adaptive_flushing": "OFF"} and target.settings == {"flush.neighbors": "1"}


def test_a_scale_changes_single_settings() -> None:
    text = HEAD + '[settings]\nredo.capacity = "4GB"\nredo.log_buffer = "8MB"\ncommit.durability = "relaxed"\n'
    text = text.replace("+rocksdb", "") + '[scale.small.settings]\nredo.capacity = "256MB"\n'
    study = parse_study(text, "s.toml", "small")
    assert study.settings == {
        "redo.capacity": 256 << 20,
        "redo.log_buffer": 8 << 20,
        "commit.durability": "relaxed",
    }


def tuned(tmp_path: Path, more: str = "", policy: str = "tuned") -> Path:
    (tmp_path / "my.cnf").write_text(
        "[client]\nuser = x\n[mysqld-9.7]\nskip-log-bin\nslow-query-log\ninnodb_io_capacity=900\n"
    )
    path = tmp_path / "s.toml"
    target = f'[[target]]\nengine = "mysql:9.7"\noptions_file = "my.cnf"\n{more}'
    path.write_text(f'policy = "{policy}"\n' + HEAD.partition("\n")[2] + target)
    return path


def test_a_tuned_target_keeps_what_its_file_said_and_the_files_digest(tmp_path: Path) -> None:
    study = read_study(tuned(tmp_path))
    target = study.targets[0]
    assert target.file_options == {"skip_log_bin": "", "slow_query_log": None, "innodb_io_capacity": "900"}
    assert target.options_sha256 == hashlib.sha256((tmp_path / "my.cnf").read_bytes()).hexdigest()
    (tmp_path / "my.cnf").unlink()
    assert parse_study(study_text(study), "elsewhere/s.toml") == study


@pytest.mark.parametrize(
    ("more", "policy", "said"),
    [
        (f'options_sha256 = "{"0" * 64}"', "tuned", "my.cnf is not"),
        ('options_file = "other.cnf"', "tuned", "other.cnf"),
        ("[target.settings]\nredo.capacity = '1GB'", "tuned", "policy = "),
        ("[target.options]\ninnodb_io_capacity = 5", "vendor", "policy = "),
        ("", "aligned", 'policy is "aligned"'),
        ("", "best", "'best'"),
    ],
)
def test_policies_are_not_mixed(more: str, policy: str, said: str, tmp_path: Path) -> None:
    path = tuned(tmp_path, more, policy)
    if "other.cnf" in more:
        path.write_text(path.read_text().replace('options_file = "my.cnf"\n', ""))
    with pytest.raises(StudyError) as caught:
        read_study(path)
    assert said in caught.value.what and str(path) in caught.value.what


def test_a_tuned_study_needs_a_file_for_each_target(tmp_path: Path) -> None:
    path = tuned(tmp_path)
    path.write_text(path.read_text() + '[[target]]\nengine = "mysql:8.0"\n')
    with raises_code(StudyError, "options-file-missing", "mysql:8.0"):
        read_study(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mysqld]\n!include other.cnf\n", ":2: .*!include other.cnf"),
        ("[client]\nuser = x\n", "my.cnf has"),
        ("sync_binlog = 1\n[mysqld]\n", ":1: 'sync_binlog'"),
        ("[mysqld]\n<<<<\nsync_binlog = 1\n", ":2: .*: <<<<"),
    ],
)
def test_an_option_file_that_is_none_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tuned(tmp_path)
    (tmp_path / "my.cnf").write_text(text)
    with pytest.raises(StudyError, match=said):
        read_study(path)


_RUNNING = """
{targets}
workload.name = "oltp_read_write"
axes = {{tier = {tier}, concurrency = 1}}
[servers.mine]
socket = "/run/s"
user = "u"
"""
_ALONE = 'targets = ["mysql@server:mine"]'
_WITH_ANOTHER = 'targets = ["mysql@server:mine", "mysql:9.7"]'
_WITH_ITS_OWN = (
    '[[target]]\nengine = "mysql@server:mine"\nsettings = {redo.capacity = "1GB"}\n[[target]]\nengine = "mysql:9.7"'
)


@pytest.mark.parametrize(
    ("targets", "tier", "more", "named"),
    [
        (_ALONE, '"64MB"', '[settings]\nredo.capacity = "1GB"', "redo.capacity"),
        (_ALONE, '["64MB", "1GB"]', "", "its memory"),
    ],
)
def test_values_that_a_running_server_does_not_get_are_no_comparison(
    targets: str, tier: str, more: str, named: str
) -> None:
    study = parse_study(_RUNNING.format(targets=targets, tier=tier) + more, "s.toml")
    with raises_code(StudyError, "running-server") as refused:
        check_running_servers(study)
    assert named in refused.value.what


def test_a_setting_of_the_running_server_alone_is_refused_next_to_other_targets() -> None:
    text = 'workload.name = "oltp_read_write"\naxes = {tier = "64MB", concurrency = 1}\n'
    text += f'{_WITH_ITS_OWN}\n[servers.mine]\nsocket = "/run/s"\nuser = "u"\n'
    with raises_code(StudyError, "running-server"):
        check_running_servers(parse_study(text, "s.toml"))


@pytest.mark.parametrize(
    ("targets", "tier", "more"),
    [
        (_ALONE, '"64MB"', ""),
        (_WITH_ANOTHER, '["64MB", "1GB"]', '[settings]\nredo.capacity = "1GB"'),
    ],
)
def test_engines_that_dbdyno_starts_get_settings_next_to_a_running_server(targets: str, tier: str, more: str) -> None:
    check_running_servers(parse_study(_RUNNING.format(targets=targets, tier=tier) + more, "s.toml"))
