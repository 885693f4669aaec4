"""`dbdyno audit` as programs and people see it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbdyno.core import Caveat, Run
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study, read_study
from stored_study import HOST, TWINS, TWO, stored, write_study

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(
        [str(PROGRAM), "audit", *arguments], capture_output=True, text=True, timeout=60, check=False, env=environment
    )


def target(folder: Path, version: str, **variables: str) -> None:
    folder.mkdir(parents=True)
    rows = {"version": version, "innodb_buffer_pool_size": "134217728", **variables}
    (folder / "variables.txt").write_text("".join(f"{name}\t{value}\n" for name, value in rows.items()))


def test_a_high_finding_is_told_with_value_unit_and_remedy_and_ends_in_1(tmp_path: Path) -> None:
    target(tmp_path / "mysql/8.4.8", "8.4.8", innodb_max_dirty_pages_pct="90", innodb_max_dirty_pages_pct_lwm="10")
    target(tmp_path / "mysql/5.7.44", "5.7.44", innodb_max_dirty_pages_pct="75", innodb_max_dirty_pages_pct_lwm="0")
    done = run(str(tmp_path))
    assert done.returncode == 1
    assert re.search(r"^\W*HIGH .*\[dirty-limit-mismatch\]", done.stdout, re.MULTILINE)
    assert "75 %: mysql/5.7.44" in done.stdout and "remedy: Set innodb_max_dirty_pages_pct" in done.stdout
    assert "UNDECIDED" in done.stdout and "clear" in done.stdout.splitlines()[-1]
    assert done.stderr == ""


def test_campaigns_on_different_machines_are_told_apart(tmp_path: Path) -> None:
    for campaign, machine in (("local", "node1"), ("remote", "node3")):
        for name in ("mysql/8.4.8", "mysql/8.0.45"):
            target(tmp_path / campaign / name, name.rpartition("/")[2], hostname=machine)
    told = run(str(tmp_path)).stdout
    assert re.search(r"HIGH .*\[host-mismatch\] .*campaigns\n  node1: local\n  node3: remote\n", told)


def test_programs_get_a_list_and_with_all_every_rule(tmp_path: Path) -> None:
    target(tmp_path / "a", "8.4.8", log_bin="ON")
    target(tmp_path / "b", "11.8.6-MariaDB", log_bin="OFF")
    found = json.loads(run(str(tmp_path), "--json").stdout)
    binlog = next(entry for entry in found if entry["id"] == "binlog-enabled-mismatch")
    assert binlog["severity"] == "critical" and binlog["targets"] == ["a", "b"]
    assert binlog["values"] == {"binlog.enabled": {"OFF": ["b"], "ON": ["a"]}}
    assert {entry["outcome"] for entry in found} == {"finding"}
    everything = json.loads(run(str(tmp_path), "--json", "--all").stdout)
    assert len({entry["id"] for entry in everything}) == 99
    undecided = next(entry for entry in everything if entry["id"] == "socket-vs-tcp")
    assert (undecided["outcome"], undecided["missing"]) == ("undecided", "session:transport")


def test_without_a_critical_or_high_finding_it_ends_in_0(tmp_path: Path) -> None:
    for name in ("a", "b"):
        target(tmp_path / name, "8.4.8")
    done = run(str(tmp_path))
    assert done.returncode == 0
    assert re.search(r"MEDIUM .*\[evidence-captured-too-early\]", done.stdout)


def test_nothing_to_audit_is_a_wrong_request(tmp_path: Path) -> None:
    done = run(str(tmp_path / "nothing"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f" {tmp_path / 'nothing'} " in done.stderr and "hint:" in done.stderr


def test_a_file_that_cannot_be_read_is_named_on_the_side(tmp_path: Path) -> None:
    target(tmp_path / "a", "8.4.8")
    (tmp_path / "a/status.txt").write_bytes(b"\x00" * 100)
    done = run(str(tmp_path), "--json")
    assert "a/status.txt " in done.stderr
    assert json.loads(done.stdout)


def test_a_study_s_own_results_are_audited_and_its_study_is_mended(tmp_path: Path) -> None:
    def relaxed(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "mysql:9.7":
            fields["variables"]["innodb_flush_log_at_trx_commit"] = "2"
            fields["server_cnf"] = "[mysqld]\ninnodb_flush_log_at_trx_commit = 2\nskip_log_bin\n"

    tables = '[[target]]\nengine = "mariadb:11.8"\n[[target]]\nengine = "mysql:9.7"\n'
    tables += '[target.settings]\ninnodb_flush_log_at_trx_commit = "2"\n'
    text = TWO.replace('targets = ["mariadb:11.8", "mysql:9.7"]', tables)
    write_study(tmp_path / "results", text, relaxed)
    (tmp_path / "mine.toml").write_text(text)
    found = run(str(tmp_path / "results"), "--json")
    assert found.returncode == 1
    assert [entry["id"] for entry in json.loads(found.stdout) if entry["severity"] == "critical"] == [
        "commit-policy-mismatch"
    ]
    fix = ("--fix", str(tmp_path / "mine.toml"), str(tmp_path / "results"), "-o", str(tmp_path / "fair.toml"))
    fixed = run(*fix)
    assert fixed.returncode == 0, fixed.stderr
    assert "mysql:9.7: innodb_flush_log_at_trx_commit = 2 " in fixed.stdout
    written = (tmp_path / "fair.toml").read_text()
    assert re.match(r"# .*dbdyno audit --fix .*\bmine\.toml", written)
    assert "commit-policy-mismatch" in written and not read_study(tmp_path / "fair.toml").target("mysql:9.7").settings
    again = run(*fix)
    assert again.returncode == 2 and str(tmp_path / "fair.toml") in again.stderr
    assert (tmp_path / "fair.toml").read_text() == written


def test_fix_calls_a_difference_as_grave_as_the_audit_does(tmp_path: Path) -> None:
    """Relaxed commits help the slower target here, so they can't be why the other one leads."""

    def relaxed_and_slow(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target == "other":
            fields["variables"]["innodb_flush_log_at_trx_commit"] = "2"
            fields["tps"] = 50.0

    write_study(tmp_path / "results", TWINS, relaxed_and_slow)
    (tmp_path / "mine.toml").write_text(TWINS)
    found = next(
        entry
        for entry in json.loads(run(str(tmp_path / "results"), "--json").stdout)
        if entry["id"] == "commit-policy-mismatch"
    )
    fixed = run("--fix", str(tmp_path / "mine.toml"), str(tmp_path / "results"), "-o", str(tmp_path / "fair.toml"))
    assert found["severity"] == "medium"
    assert re.search(rf"medium, .* \[{found['id']}\]", fixed.stdout), fixed.stdout


def test_what_came_about_while_servers_were_driven_is_told_apart(tmp_path: Path) -> None:
    def tuned(run_made: Run, fields: dict[str, Any]) -> None:
        fields["variables_after"] = dict(fields["variables"])
        if run_made.cell.target == "other":
            fields["variables_after"]["innodb_flush_log_at_trx_commit"] = "2"
            fields["caveats"] = (Caveat("variables-changed", "innodb_flush_log_at_trx_commit from 1 to 2"),)

    write_study(tmp_path / "two", TWINS, tuned)
    done = run(str(tmp_path / "two"))
    assert done.returncode == 1
    assert "[commit-policy-mismatch]" in done.stdout.partition("SINCE THE SERVERS WERE DRIVEN")[2]
    since = [(entry["id"], entry.get("since")) for entry in json.loads(run(str(tmp_path / "two"), "--json").stdout)]
    assert ("commit-policy-mismatch", "while driven") in since


def test_servers_that_were_only_looked_at_are_audited_too(tmp_path: Path) -> None:
    results = write_study(tmp_path / "driven", TWINS)
    study = parse_study(results.study_text, "study.toml")
    fresh = Results.create(tmp_path / "looked", results.study_text, {}, HOST, study_name="two")
    with fresh.writing() as writer:
        for made in make_plan(study).runs[:2]:
            name = made.cell.target
            look = stored(made, "mariadb", lambda run_made, fields: None)
            variables = {**look.variables, "innodb_flush_log_at_trx_commit": "1" if name == "one" else "2"}
            record = replace(look.record, status="missing", span=replace(look.record.span, started_ns=0))
            writer.write_inspection(replace(look, record=record, variables=variables))
    done = run(str(tmp_path / "looked"))
    assert done.returncode == 1
    assert "first run" in done.stderr
    assert "[commit-policy-mismatch]" in done.stdout
