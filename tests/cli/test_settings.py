"""Settings as people look them up and give them on the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno.cli import main

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"
STUDY = """\
targets = ["mysql:9.7", "mariadb:11.8"]
workload = {name = "oltp_read_only", tables = 1, rows = 1000}
axes = {tier = "64MB", concurrency = 1}
[settings]
redo.capacity = "1GB"
"""


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: one of its own takes a second of processor time to start."""

    def command(*arguments: str) -> Done:
        capsys.readouterr()
        return Done(main(list(arguments)), *capsys.readouterr())

    return command


def test_one_parameter_is_told_with_its_values_and_the_options_that_carry_it() -> None:
    """By the program itself."""
    argv, environment = [str(PROGRAM), "settings", "redo.capacity"], {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "8 MiB to 512 GiB" in done.stdout and "unless set  256 MiB" in done.stdout
    assert re.search(r"innodb_redo_log_capacity: mysql, percona 8\.0\.30 ", done.stdout)
    assert "rocksdb_max_total_wal_size: mariadb, percona (rocksdb)" in done.stdout


def test_described_parameters_stand_apart_by_one_empty_line_and_end_in_none(run: Run) -> None:
    text = run("settings", "redo.capacity", "flush.page_cleaners").stdout
    assert text.count("\n\n") == 1 and "\n\nflush.page_cleaners\n" in text
    assert not text.endswith("\n\n")


def test_all_of_them_are_listed_for_programs(run: Run) -> None:
    rows = json.loads(run("settings", "--json").stdout)
    assert len(rows) > 90
    assert {"parameter", "unless_set", "values", "meaning", "unit", "servers"} <= rows[0].keys()


def test_what_a_value_becomes_on_a_server_is_shown(run: Run) -> None:
    options = ("--engine", "mysql:5.7", "--set", "redo.capacity=4GB", "--set", "commit.durability=relaxed", "--json")
    rows = {row["option"]: row for row in json.loads(run("settings", *options).stdout)}
    assert rows["innodb_log_file_size"]["value"] == str(2 << 30)
    assert rows["innodb_flush_log_at_trx_commit"]["value"] == "2"
    assert rows["innodb_flush_log_at_trx_commit"]["why"].endswith(" full")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("settings", "redoo"), " 'redo'?"),
        (("settings", "--set", "redo.capacity=4GB"), "add --engine"),
        (("settings", "--engine", "mysql:9.7", "--set", "redo.file_buffering=off"), "mariadb 10.8.4 and later"),
        (("compare", "mysql:9.7", "--set", "redo.capcity=4GB"), " 'redo.capacity'?"),
        (("compare", "mysql:9.7", "--set", "redo.capacity"), "sets nothing"),
        (("compare", "mysql:9.7", "--set", "trx.snapshot_isolation=on"), "mysql:9.7: trx.snapshot_isolation = ON"),
        (("compare", "mysql:9.7", "--policy", "vendor", "--set", "redo.capacity=4GB"), "policy = "),
    ],
)
def test_a_wrong_setting_is_answered_before_anything_is_fetched(
    arguments: tuple[str, ...], said: str, run: Run
) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and said in done.stderr, done.stderr


def test_a_plan_tells_policy_and_settings(tmp_path: Path, run: Run) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    told = run("plan", str(tmp_path / "s.toml"))
    assert told.returncode == 0, told.stderr
    assert re.search(r"policy: aligned, .*\nsettings: redo\.capacity = 1 GiB", told.stdout)
    planned = json.loads(run("plan", str(tmp_path / "s.toml"), "--json").stdout)
    assert planned["policy"] == "aligned" and planned["settings"] == {"redo.capacity": 1 << 30}


def test_another_policy_has_no_place_for_settings_and_says_so(tmp_path: Path, run: Run) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    done = run("run", str(tmp_path / "s.toml"), "--policy", "vendor")
    assert done.returncode == 2 and "redo.capacity" in done.stderr


def test_settings_are_found_by_an_option_of_a_server_and_by_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    for word, name in (("innodb-flush-log-at-trx-commit", "commit.durability"), ("checkpoints", "io.flush_sync")):
        assert main(["settings", word, "--json"]) == 0
        assert name in [row["parameter"] for row in json.loads(capsys.readouterr().out)]


def test_a_study_that_comes_with_dbdyno_is_called_by_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first", "studies/first.toml"):
        assert main(["plan", name, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["study"] == "first"


def test_the_buffer_pool_is_answered_by_the_memory_tier(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("innodb_buffer_pool_size", "memory.budget"):
        assert main(["settings", word]) == 0
        assert "--memory" in capsys.readouterr().out
    assert main(["settings", "innodb_buffer_pool_size", "redo.capacity", "--json"]) == 0
    assert [row["parameter"] for row in json.loads(capsys.readouterr().out)] == ["redo.capacity"]
