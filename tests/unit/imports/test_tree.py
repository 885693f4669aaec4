"""Trees of logs: which cell a run belongs to, which files belong to it, and what becomes of all that is odd."""

from __future__ import annotations

import gzip
import hashlib
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sysbench_log
from dbdyno.core import StoreError, TreeError
from dbdyno.imports import ImportRequest, import_logs
from dbdyno.imports._fields import NOT_NAMED
from dbdyno.imports.sysbench._figures import IGNORED_OR_ORDERED
from dbdyno.report import page_text
from dbdyno.store import StoredStudy
from dbdyno.study import parse_study
from error_codes import raises_code
from trees import imported

TPS = [100.0 + (n % 7) for n in range(70)]
VARIABLES = "version\t8.0.45\nversion_comment\tMySQL Community Server - GPL\ninnodb_buffer_pool_size\t2147483648\n"
VARIABLES += "default_storage_engine\tInnoDB\nreport_password\thush\nsync_binlog\t1\n"


def test_the_published_layout_is_recognised_with_all_its_scenarios(tmp_path: Path) -> None:
    folders = ("benchmark_logs", "benchmark_logs_read_only", "benchmark_remote_logs", "benchmark_remote_logs_read_only")
    files = {
        f"{folder}/percona-server/8.4.7-7/Tier{tier}G_RW_{threads}th.sysbench.txt": sysbench_log.log(
            [tps + tier + 10 * index for tps in TPS], threads=threads
        )
        for index, folder in enumerate(folders)
        for tier in (2, 12)
        for threads in (1, 4)
    }
    outcome, results = imported(tmp_path, files, None)
    assert (outcome.layouts, outcome.diagnostics, outcome.runs_count) == (("percona-2026",), (), 16)
    study = parse_study(results.study_text, "s")
    assert study.tiers_bytes == (2 << 30, 12 << 30)
    assert study.routes == ("loopback", "network")
    assert [choice.name for choice in study.workloads] == ["sysbench/oltp_read_only", "sysbench/oltp_read_write"]
    (target,) = study.targets
    assert (target.name, target.engine.family, target.engine.version) == ("percona-server 8.4.7-7", "percona", "8.4.7")
    assert results.records()[0].version == "8.4.7-7"


def test_a_part_of_the_published_tree_is_named_as_in_the_whole(tmp_path: Path) -> None:
    log = sysbench_log.log(TPS, threads=1)
    part = tmp_path / "benchmark_logs_read_only" / "mariadb" / "10.11.16"
    _, results = imported(part, {"Tier2G_RW_1th.sysbench.txt": log}, None)
    cell = results.records()[0].run.cell
    # Here "logs" stands between, so neither scenario nor engine can be told.
    assert (cell.workload, cell.tier_bytes) == (NOT_NAMED, 0)
    (part / "Tier2G_RW_1th.sysbench.txt").write_text(log)
    import_logs(ImportRequest(part, tmp_path / "o", "x"), lambda *_: None)
    cell = next(r.run.cell for r in StoredStudy.open(tmp_path / "o").records() if r.run.cell.tier_bytes)
    assert (cell.target, cell.workload) == ("mariadb 10.11.16", "sysbench/oltp_read_only")


def test_runs_of_another_ordered_length_are_no_repeats(tmp_path: Path) -> None:
    hour, three = TPS * 2, TPS * 6
    files = {
        "a/1/4.log": sysbench_log.log(hour),
        "a/2/4.log": sysbench_log.log([tps + 1 for tps in hour]),
        "a/3/4.log": sysbench_log.log(three),
        "a/4/4.log": sysbench_log.log(three)[:2500],
    }
    _, results = imported(tmp_path, files, "{target}/*/{threads}.log")
    found = {
        (r.run.cell.workload.partition(", ")[2], r.run.repeat, round(r.figures.window_s)) for r in results.records()
    }
    cut_s = next(round(record.figures.window_s) for record in results.records() if record.status == "suspect")
    assert found == {("140 s", 1, 140), ("140 s", 2, 140), ("420 s", 1, 420), ("unknown length", 1, cut_s)}
    study = parse_study(results.study_text, "s")
    assert len(study.workloads) == 3
    assert {choice.name for choice in study.workloads} == {NOT_NAMED}
    assert len({choice.label for choice in study.workloads}) == 3


@pytest.mark.parametrize("rate", [None, 100])
def test_ordered_rollbacks_are_known_also_where_cells_differ_by_rate_or_length(
    tmp_path: Path, rate: int | None
) -> None:
    no_errors, two_errors = (f"ignored errors:                      {count} " for count in (0, 2))
    logs = [sysbench_log.log(TPS * times, rate=rate).replace(no_errors, two_errors) for times in (2, 6)]
    files = {f"tpcc/{number}/4.log": text for number, text in enumerate([*logs, sysbench_log.log(TPS * 2)])}
    _, results = imported(tmp_path, files, "{target}/*/{threads}.log", "workload=tpcc/sysbench-tpcc")
    records = [record for record in results.records() if record.figures.errors]
    assert len({record.run.cell.workload for record in records}) == 2
    assert [record.figures.errors for record in records] == [{IGNORED_OR_ORDERED: 2}] * 2


def test_runs_that_end_by_a_number_of_events_stay_repeats(tmp_path: Path) -> None:
    files = {f"a/{n}/4.log": sysbench_log.log(TPS + TPS[: 13 * n]) for n in (1, 2, 3)}
    _, results = imported(tmp_path, files, "{target}/*/{threads}.log")
    assert sorted(record.run.repeat for record in results.records()) == [1, 2, 3]
    assert {record.run.cell.workload for record in results.records()} == {NOT_NAMED}


@pytest.mark.parametrize(
    ("path", "target", "tier"),
    [
        (
            "res-tpcc-mysql-8.0.21-2020-07-14-06-33/mysql-8.0.21.BP25/thr56/res.txt",
            "mysql 8.0.21, mysql-8.0.21",
            25 << 30,
        ),
        ("res-mysql-tpcc-NVME-BP25GB-2020-07-28-19-03/lru512/res.thr56.txt", "mysql, NVME, lru512", 25 << 30),
        ("res-mysql-8.0.21-tpcc-2020-07-29-11-42/io15000/res.thr56.txt", "mysql 8.0.21, io15000", 0),
        ("res-mariadb-tpcc-2020-07-29-13-26/io15000/res.thr56.txt", "mariadb, io15000", 0),
        ("BP140/mysql/mysql-8.0.21.BP140/res.thr56txt", "mysql 8.0.21", 140 << 30),
        ("res-tpcc-8.0.21-2020-07-22-08-46/ps8-BP140.NVMe.io2000/res.thr56txt", "ps8, NVMe, io2000", 140 << 30),
        ("res-tpcc-8.0.21-2020-07-19-14-45/mysql-BP25.SSD.io4000/res.thr56txt", "mysql, SSD, io4000", 25 << 30),
        ("res-tpcc-8.0.21-2020-07-17-06-45/mysql-8.0.21.BP25.lru256/res.thr56txt", "mysql 8.0.21, lru256", 25 << 30),
        ("res-tpcc-8.0.21-2020-07-16-21-28/mariadb-10.5.4.BP140/res.thr56txt", "mariadb 10.5.4", 140 << 30),
        (
            "res-tpcc-8.0.21-2020-07-21-16-12/mariadb-BP140.NVMe.io15000/res.thr56txt",
            "mariadb, NVMe, io15000",
            140 << 30,
        ),
        (
            "res-mysql-8.0.21-tpcc-NVME-BP25GB-2020-07-21-07-59/io7000/res.thr56.txt",
            "mysql 8.0.21, NVME, io7000",
            25 << 30,
        ),
        (
            "res-mariadb-10.5.5-BP25-SSD-tpcc-2020-08-12-19-36/io2000/res.thr56.txt",
            "mariadb 10.5.5, SSD, io2000",
            25 << 30,
        ),
    ],
)
def test_the_layout_of_2020_is_recognised(tmp_path: Path, path: str, target: str, tier: int) -> None:
    outcome, results = imported(tmp_path, {path: sysbench_log.log(TPS, threads=56)}, None)
    cell = results.records()[0].run.cell
    assert (cell.target, cell.tier_bytes, cell.workload) == (target, tier, "tpcc/sysbench-tpcc")
    assert outcome.diagnostics == ()


def test_logs_that_no_name_explains_keep_apart_and_say_what_is_unknown(tmp_path: Path) -> None:
    files = {"old.log": sysbench_log.log(TPS), "new.log": sysbench_log.log([2 * tps for tps in TPS])}
    _, results = imported(tmp_path, files, None)
    records = results.records()
    assert sorted(record.run.cell.target for record in records) == ["new.log", "old.log"]
    assert {(r.run.cell.tier_bytes, r.run.cell.route, r.run.cell.workload) for r in records} == {
        (0, "unknown", NOT_NAMED)
    }
    assert "unknown memory" in page_text(results)


def test_a_folder_a_target_is_kept_where_threads_tell_its_logs_apart(tmp_path: Path) -> None:
    files = {
        f"{folder}/run{threads}.txt": sysbench_log.log([tps + shift for tps in TPS], threads=threads)
        for shift, folder in enumerate(("one", "two"))
        for threads in (1, 8)
    }
    outcome, results = imported(tmp_path, files, None)
    assert {record.run.cell.target for record in results.records()} == {"one", "two"}
    assert outcome.runs_count == 4


def test_the_echoed_command_tells_workload_and_route(tmp_path: Path) -> None:
    command = "$ sysbench oltp_update_index --mysql-host=10.0.0.7 --mysql-password=hush run\n"
    _, results = imported(tmp_path, {"a.log": command + sysbench_log.log(TPS)}, None)
    (record,) = results.records()
    assert (record.run.cell.workload, record.run.cell.route) == ("sysbench/oltp_update_index", "network")
    folder = results.run_folder(record.run.run_id)
    assert all(b"hush" not in path.read_bytes() for path in folder.iterdir())


def test_settings_belong_to_the_logs_whose_names_begin_with_theirs(tmp_path: Path) -> None:
    files = {
        "m/Tier2G.vars.txt": VARIABLES,
        "m/Tier2G.status.txt": "Questions\t7\n",
        "m/Tier2G.cnf.txt": "[mysqld]\nsync_binlog = 1\ninnodb_buffer_pool_size = 2G\nmax_connections=9\n",
        "m/Tier2G_RW_4th.sysbench.txt": sysbench_log.log(TPS),
        "m/Tier12G_RW_4th.sysbench.txt": sysbench_log.log([tps + 1 for tps in TPS]),
    }
    _, results = imported(tmp_path, files, "Tier{tier}G_{workload}_{threads}th*")
    by_tier = {record.run.cell.tier_bytes >> 30: record for record in results.records()}
    run = by_tier[2].run.run_id
    assert results.document(run, "variables")["version"] == "8.0.45"
    assert results.document(run, "variables")["report_password"] == "(left out)"
    assert results.document(run, "status_before") == {"Questions": "7"}
    settings = {row["option"]: (row["asked"], row["effective"]) for row in results.document(run, "settings")}
    assert settings["innodb_buffer_pool_size"] == ("2G", "2G")
    assert settings["max_connections"] == ("9", None)
    assert results.document(by_tier[12].run.run_id, "variables") == {}
    assert (by_tier[2].family, by_tier[2].version, by_tier[2].storage_engine) == ("mysql", "8.0.45", "innodb")


def test_passwords_of_option_files_are_not_stored(tmp_path: Path) -> None:
    option_file = (
        "[mysqld]\nreport-password = hush1\nwsrep_sst_auth = root:hush2\nsync_binlog = 1\n"
        "authentication_ldap_simple_bind_root_pwd = hush3\n#report_password = hush4\n"
    )
    files = {
        "config/mysql.cnf": option_file,
        "mysql/8.0.45/Tier2G.cnf.txt": option_file,
        "mysql/8.0.45/Tier2G.vars.txt": VARIABLES + "authentication_ldap_simple_bind_root_pwd\thush3\n",
        "mysql/8.0.45/Tier2G_RW_4th.sysbench.txt": sysbench_log.log(TPS),
    }
    _, results = imported(tmp_path, files, "{engine}/{version}/Tier{tier}G_{workload}_{threads}th*")
    engine = results.engine(results.records()[0].run.cell.target)
    assert engine is not None
    hidden = "(left out)"
    assert engine["option_files"][0]["options"] == {
        "report_password": hidden,
        "wsrep_sst_auth": hidden,
        "sync_binlog": "1",
        "authentication_ldap_simple_bind_root_pwd": hidden,
    }
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file() and b"hush" in path.read_bytes()] == []


def test_memory_that_no_name_tells_is_the_servers_buffer_pool(tmp_path: Path) -> None:
    files = {"a/variables.txt": VARIABLES, "a/x.log": sysbench_log.log(TPS)}
    _, results = imported(tmp_path, files, None)
    assert results.records()[0].run.cell.tier_bytes == 2 << 30


def test_memory_that_name_and_server_tell_differently_is_a_caveat(tmp_path: Path) -> None:
    files = {"a/vars.txt": VARIABLES, "a/32G_4.log": sysbench_log.log(TPS)}
    _, results = imported(tmp_path, files, "{tier}_{threads}.log")
    (record,) = results.records()
    assert record.run.cell.tier_bytes == 32 << 30
    assert "tier-differs" in {caveat.code for caveat in record.caveats}


def test_a_tier_without_a_unit_is_asked_back(tmp_path: Path) -> None:
    with raises_code(TreeError, "tier-unclear", "'25'"):
        imported(tmp_path, {"25_4.log": sysbench_log.log(TPS)}, "{tier}_{threads}.log")
    assert not (tmp_path / "out").exists()


def test_a_copy_is_no_repeat_and_other_logs_of_a_cell_are(tmp_path: Path) -> None:
    log = sysbench_log.log(TPS)
    files = {"x/a/4.log": log, "y/a/4.log": log, "z/a/4.log": sysbench_log.log([tps + 1 for tps in TPS])}
    outcome, results = imported(tmp_path, files)
    assert [record.run.repeat for record in results.records()] == [1, 2]
    (copy,) = outcome.diagnostics
    assert (copy.path, copy.line) == ("y/a/4.log", 1) and " x/a/4.log" in copy.text


def test_the_same_bytes_in_another_cell_are_a_caveat(tmp_path: Path) -> None:
    log = sysbench_log.log(TPS)
    outcome, results = imported(tmp_path, {"a/4.log": log, "b/4.log": log})
    assert outcome.diagnostics == ()
    assert [c.code for r in results.records() for c in r.caveats].count("same-bytes") == 1


def test_repeats_named_in_the_path_are_kept(tmp_path: Path) -> None:
    files = {f"a/r{n}/4.log": sysbench_log.log([tps + n for tps in TPS]) for n in (2, 3)}
    _, results = imported(tmp_path, files, "{target}/r{repeat}/{threads}.log")
    assert [record.run.repeat for record in results.records()] == [2, 3]


def test_given_fields_hold_for_all_logs(tmp_path: Path) -> None:
    _, results = imported(
        tmp_path, {"a/4.log": sysbench_log.log(TPS)}, "{target}/{threads}.log", "route=network", "tier=2G"
    )
    cell = results.records()[0].run.cell
    assert (cell.route, cell.tier_bytes) == ("network", 2 << 30)


def test_a_log_that_fits_no_pattern_is_named(tmp_path: Path) -> None:
    files = {"a/4.log": sysbench_log.log(TPS), "a/notes.txt": sysbench_log.log(TPS, threads=9), "a/readme.md": "hello"}
    outcome, _ = imported(tmp_path, files)
    assert [(c.path, c.line) for c in outcome.diagnostics] == [("a/notes.txt", 1)]
    assert outcome.others_count == 1


def test_open_loops_at_several_rates_are_cells_of_their_own(tmp_path: Path) -> None:
    files = {f"a{rate}/4.log": sysbench_log.log(TPS, rate=rate) for rate in (50, 100)}
    _, results = imported(tmp_path, files)
    assert {r.run.cell.workload for r in results.records()} == {f"{NOT_NAMED} at 50/s", f"{NOT_NAMED} at 100/s"}
    assert "closed" not in {c.code for r in results.records() for c in r.caveats}


def test_open_loops_at_one_rate_give_the_study_its_pacing(tmp_path: Path) -> None:
    _, results = imported(tmp_path, {"a/4.log": sysbench_log.log(TPS, rate=100)})
    assert parse_study(results.study_text, "s").pacing.rate_per_s == 100.0


def test_packed_files_are_read_as_they_are(tmp_path: Path) -> None:
    packed = gzip.compress(sysbench_log.log(TPS).encode())
    outcome, results = imported(tmp_path, {"a/4.log.gz": packed})
    assert (outcome.diagnostics, len(results.records())) == ((), 1)


def test_results_know_their_files_and_are_as_written(tmp_path: Path) -> None:
    log = sysbench_log.log(TPS)
    _, results = imported(tmp_path, {"a/4.log": log})
    (record,) = results.records()
    (origin,) = results.document(record.run.run_id, "origin")
    assert origin["path"] == "a/4.log"
    assert origin["sha256"] == hashlib.sha256(log.encode()).hexdigest()
    assert results.verify() == ()
    assert not list(tmp_path.glob(".out*"))


def test_an_output_that_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with raises_code(StoreError, "output-exists"):
        imported(tmp_path, {"a/4.log": sysbench_log.log(TPS)})


def test_results_can_be_written_into_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logs" / "a").mkdir(parents=True)
    (tmp_path / "logs" / "a" / "4.log").write_text(sysbench_log.log(TPS))
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    outcome = import_logs(ImportRequest(tmp_path / "logs", Path(), "x"), lambda _what, _done, _total: None)
    assert outcome.runs_count == len(StoredStudy.open(Path()).records()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs", "out"]


@pytest.mark.parametrize("files", [{}, {"readme.txt": "nothing here"}])
def test_a_folder_without_a_log_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "logs").mkdir()
    with raises_code(TreeError, "no-runs", "sysbench", str(tmp_path / "logs")):
        imported(tmp_path, files, None)


class Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"


def test_hostile_names_and_words_stay_text(tmp_path: Path) -> None:
    name = HOSTILE.replace("/", "_")
    command = f"$ sysbench '{'x' * 10_000}<script>' --a={'<b>' * 50} run\n"
    files: dict[str, str | bytes] = {
        f"{name}/4.log": command + sysbench_log.log(TPS),
        f"{name}/8.log": sysbench_log.head(8) + f"FATAL: {HOSTILE}{'y' * 10_000}\x1b[2J\n",
        f"{name}/vars.txt": f"version\t{HOSTILE}\nsql_mode\t{HOSTILE * 100}\n",
        f"{name}/my.cnf": f"[mysqld]\nsql_mode={HOSTILE * 50}\n",
        "\u202e\u0301\u4e2d" * 30 + "/4.log": sysbench_log.log([tps + 1 for tps in TPS]),
    }
    outcome, results = imported(tmp_path, files)
    page = page_text(results)
    tags = Tags()
    tags.feed(page)
    assert tags.found.count("script") == 4
    assert "img" not in tags.found
    assert "&lt;script" in page
    assert not any("\x1b" in str(diagnostic) for diagnostic in outcome.diagnostics)
    assert all(len(str(diagnostic)) < 1000 for diagnostic in outcome.diagnostics)


def test_names_that_are_no_text_are_stored_as_escapes(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / os.fsdecode(b"a\xff")
    folder.mkdir(parents=True)
    (folder / "4.log").write_text(sysbench_log.log(TPS))
    outcome, results = imported(tmp_path, {})
    assert outcome.runs_count == 1
    assert "\\udcff" in results.document(results.records()[0].run.run_id, "origin")[0]["path"]


def test_links_in_a_circle_and_pipes_are_passed_by(tmp_path: Path) -> None:
    logs = tmp_path / "logs" / "a"
    logs.mkdir(parents=True)
    (logs / "round").symlink_to(tmp_path / "logs", target_is_directory=True)
    os.mkfifo(logs / "8.log")
    outcome, _ = imported(tmp_path, {"a/4.log": sysbench_log.log(TPS)})
    assert (outcome.runs_count, outcome.diagnostics) == (1, ())
