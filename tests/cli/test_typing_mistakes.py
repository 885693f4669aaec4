"""A hundred slips of the keyboard and words of other tools: each is answered at once by the word that was meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.cli import main
from error_codes import told_errors

C = "compare mysql:9.7 "
MISTAKES = {
    "comapre mysql:9.7": "'compare'",
    "compre": "'compare'",
    "comparison": "'compare'",
    "benchmark mysql:9.7": "dbdyno compare",
    "bench": "dbdyno compare",
    "start": "dbdyno run",
    "runn first": "'run'",
    "rnu first": "'run'",
    "plna first": "'plan'",
    "shwo x": "'show'",
    "shw": "'show'",
    "status": "dbdyno show",
    "reprot x": "'report'",
    "diif a b": "'diff'",
    "dif a b": "'diff'",
    "histroy x": "'history'",
    "imprt sysbench x": "'import'",
    "clams x": "'claims'",
    "jugde x": "'judge'",
    "audti x": "'audit'",
    "engine": "'engines'",
    "engins": "'engines'",
    "list": "dbdyno engines",
    "docter": "'doctor'",
    "clen": "'clean'",
    "setings": "'settings'",
    "calibarte": "'calibrate'",
    "selfcheck": "'self-check'",
    "self_check": "'self-check'",
    "serv": "'serve'",
    "version": "dbdyno --version",
    "help": "dbdyno -h",
    "sysbench": "dbdyno import sysbench",
    "compare mysq:9.7": "'mysql'",
    "compare mariadbb:11.8": "'mariadb'",
    "compare MariaDB-11.8": "mariadb:11.8",
    "compare mysql9.7": "mysql:9.7",
    "compare mysql-8.0": "mysql:8.0",
    "compare mysql/8.0": "mysql:8.0",
    "compare mysql": "mysql:9.7",
    "compare mysql:": "mysql:9.7",
    "compare mysql:latest": "mysql:9.7",
    "compare mariadb": "mariadb:11.8",
    "compare :9.7": "mariadb:11.8",
    "compare mariadb:10.11 11.8": "mariadb:11.8",
    C + "--tables 1 --time 60": "--time 60s?",
    C + "--duration 60": "--duration 60s?",
    C + "--clients 16": "--concurrency 16?",
    C + "--iterations 3": "--repeats 3?",
    C + "--buffer-pool 1GB": "--memory 1GB?",
    C + "--dry-run": "dbdyno plan",
    C + "--repeats three": "--repeats 3",
    C + "--repeats 1e1": "--repeats 10?",
    C + "--rows 1e6": "--rows 1000000?",
    C + "--table-size 10k": "--table-size 10000?",
    C + "mysql:9.7": "dbdyno self-check mysql:9.7",
    "compare mysql:9.7,mariadb:11.8": "separate engines by a space: mysql:9.7 mariadb:11.8",
    "compare postgres:17": "mariadb, mysql, percona",
    "compare help": "dbdyno compare --help",
    "help compare": "dbdyno compare --help",
    C + "--workload ./orders.lua": "dbdyno-load script ./orders.lua run",
    C + "--workload tpcc --tables 4": "--warehouses",
    C + "--workload linkbench --rows 100": "--maxid1",
    C + "--vary tier=1GB,4GB": "--tier 1GB,4GB?",
    C + "--vary threads=1,4": "--threads 1,4?",
    C + "--vary innodb_redo_log_capacity=1GB,4GB": "--vary redo.capacity=1GB,4GB?",
    C + "--vary innodb_buffer_pool_size=1GB,4GB": "--memory 1GB,4GB?",
    C + "--vary tabels=1,4": "'tables'",
    C + "--vary redo.capacity=1GB --vary redo.capacity=4GB": "--vary redo.capacity=1GB,4GB",
    C + "--set foo=1": "no setting contains 'foo'",
    "compare --server 127.0.0.1:99999": "port 99999 is above 65535",
    "compare --server mysql://root@h:3306": "--server root@h:3306?",
    "show a b": "dbdyno diff",
    "show x --csv": "--json",
    "show x --format json": "--json?",
    "diff a b --format markdown": "'md'",
    "engines rm mysql:9.7": "'remove'",
    "engines install mysql:9.7": "'get'",
    "import k6 x": "sysbench",
    "history x --metric latency": "'p50', 'p95', 'p99'",
    "diff a b --fail-on latency:10%": "p99:10%?",
    "diff a b --fail-on faster:3%": "slower:3%?",
    "settings durable": "'commit.durability'",
    "settings inodb_buffer_pool_size": "'innodb_buffer_pool_size'",
    "settings --engine postgres:17": "mariadb, mysql, percona",
    "show x --markdown": "--format md",
    "show x --pdf": "--format pdf",
    "judge a.log b.log": "import sysbench",
    "import sysbench a.log b.log": "one folder",
    "import /etc/hostname": "import sysbench /etc/hostname",
    "compare mariadb 11.8 mysql 9.7": "dbdyno compare mariadb:11.8 mysql:9.7?",
    "compare mysql:9.7 mariadb 11.8": "dbdyno compare mysql:9.7 mariadb:11.8?",
    "compare mariadb:11.8 vs mysql:9.7": "separate engines by a space only",
    "compare mariadb:11,8 mysql:9.7": "did you mean mariadb:11.8?",
    "compare mariadb:v11.8": "did you mean mariadb:11.8?",
    C + "--threads 1 4 16": "--concurrency 1,4,16",
    C + "-t 16": "--threads",
    C + "--socket /tmp/x.sock": "--server socket:PATH",
    "compare --server localhost:3306 -u root": "--server USER@HOST:PORT",
    "compare --server localhost:3306 --password x": "DBDYNO_SERVER_PASSWORD",
    "compare --server localhost:3306 --server-tls enabled": "off, preferred, required",
    C + "--set commit_durability=relaxed": "'commit.durability'",
    "engines get mysql:9.7@/opt/mysql": "mysql:9.7@basedir:/opt/mysql?",
    "engines get mysql:9.7@/opt/mysql.tar.gz": "mysql:9.7@archive:/opt/mysql.tar.gz?",
    "engines get mysql:9.7@archive=/x.tar.gz": "mysql:9.7@archive:/x.tar.gz?",
    "engines get mysql:9.7@tarball:/x.tar.gz": "'archive'",
    "resume": "dbdyno run STUDY.toml",
    "ls": "dbdyno engines",
    "rm x": "dbdyno clean",
    "init": "dbdyno compare",
    "test": "dbdyno self-check",
    "open x": "dbdyno show DIR",
    "export x": "dbdyno report DIR",
    "upgrade mariadb:10.11 mariadb:11.8": "dbdyno compare OLD NEW",
    "show x --watch": "dbdyno serve DIR",
    "diff a b --threshold 3%": "--fail-on slower:3%",
    "diff a b --match mysql:9.6 mysql:9.7": "--match BASE=NEW",
    "judge a.log --warmup 10": "by itself",
    "-V": "dbdyno --version",
    C + "--host bench@db1:2222": "ssh://bench@db1:2222",
    "doctor --host db1:2222": "'Port 2222' under 'Host db1'",
    "diff a": "--match",
    "plan": "dbdyno plan first",
    "run": "dbdyno run first",
    "gather a": "dbdyno gather results/part-1 results/part-2 -o results/whole",
    "claims x": "--against percona-2026",
    "self-check mysql:9.7 mariadb:11.8": "dbdyno compare",
    C + "--window": "--window TIME",
    "history .": "no study was found",
    "diff a b --fail-on slower:3": "slower:3%",
    "compare percon:8.0": "'percona'",
    C + "--concurency 4": "--concurrency",
    C + "--thread 4": "--threads",
    C + "--warmup 10s": "--warm-up",
    C + "--warm_up 10s": "--warm-up",
    C + "--windows 10s": "--window",
    C + "--windwo 10s": "--window",
    C + "--repeat 3": "--repeats",
    C + "--tiers 64MB": "--tier",
    C + "--mem 64MB": "--memory",
    C + "--worklaod x": "--workload",
    C + "--table 3": "--tables",
    C + "--tabels 3": "--tables",
    C + "--row 3": "--rows",
    C + "--tablesize 3": "--table-size",
    C + "--sentinal x": "--sentinel",
    C + "--polcy vendor": "--policy",
    C + "--quite": "--quiet",
    C + "--freshh": "--fresh",
    C + "--pin_server 0": "--pin-server",
    C + "--window 10": "--window 10s?",
    C + "--window 90": "--window 90s?",
    C + "--window 10sec": '"12s"',
    C + "--window abc": '"12s"',
    C + "--warm-up 5": "--warm-up 5s?",
    C + "--tier 64": "--tier 64MB?",
    C + "--memory 64,512": "--memory 64MB,512MB?",
    C + "--tier 64megs": '"64MB"',
    C + "--tier 1M": "8MB",
    C + "--tier 0": '"64MB"',
    C + "--concurrency four": "--concurrency 1,4,16",
    C + "--concurrency 1-16": "--concurrency 1,4,16",
    C + "--route tcp": '"socket", "loopback"',
    C + "--protocol binary": '"prepared", "text"',
    C + "--policy vender": "'vendor'",
    C + "--rate fast": "--rate 500",
    C + "--workload oltp": "'oltp_read_only'",
    C + "--workload oltp_raed_only": "'oltp_read_only'",
    C + "--workload linkbnech": "'linkbench'",
    C + "--set redo.capcity=1GB": "'redo.capacity'",
    C + "--set redo_capacity=1GB": "redo.capacity",
    C + "--set redo.capacity": "--set redo.capacity=4GB",
    C + "--set redo.capacity=big": '"256MB"',
    C + "--set innodb_redo_log_capacity=1GB": "'redo.capacity'",
    C + "--set innodb_buffer_pool_size=1GB": "--tier",
    C + "--set commit.durability=strict": '"full"',
    C + "--vary redo.capacity": "--vary redo.capacity=1GB,4GB",
    "run frist": "'first'",
    "run studys/frist.toml": "'first'",
    "run percona": "'percona-2026'",
    "run percona-2026 --scale smal": "'small'",
    "run first --policy vender": "'vendor'",
    "plan first --within 3": "3s",
    "plan first --target-half-width 2": "2%",
    "report . --format pdff": "'pdf'",
    "diff . . --fail-on slowr:3%": "slower:3%",
    "import sysbnch logs": "'sysbench'",
    "settings redo.capcity": "'redo.capacity'",
    "settings --engine mysql": "mysql:9.7",
    "engines gett mysql:9.7": "'get'",
}


def test_there_are_a_hundred() -> None:
    assert len(MISTAKES) >= 100


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_answered_by_what_was_meant(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(line.split())
    except SystemExit as end:
        code = int(end.code or 0)
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert MISTAKES[line] in printed.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["show", "audit", "report"])
def test_a_command_without_its_folder_names_the_newest_results(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for age, name in ((20, "older"), (10, "newest"), (30, "oldest")):
        manifest = tmp_path / "results" / name / "manifest.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text("{}")
        os.utime(manifest, (10**9 - age, 10**9 - age))
    with pytest.raises(SystemExit):
        main([command])
    assert f"hint: dbdyno {command} results/newest" in capsys.readouterr().err


def test_a_folder_with_a_space_in_its_name_belongs_to_one_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "build 9"
    with told_errors() as errors:
        assert main(["compare", f"mysql:9.7@basedir:{folder}", "--force", "--quiet", "-o", str(tmp_path / "out")]) == 2
    assert [error.code for error in errors] == ["not-a-folder"]
    assert f" {folder} " in capsys.readouterr().err


@pytest.mark.parametrize("source", ["archive", "basedir"])
def test_a_storage_engine_after_the_path_is_put_in_its_place(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = tmp_path / "build"
    build.touch() if source == "archive" else build.mkdir()
    for place, is_hinted in ((f"{build}+rocksdb", True), (f"{build}-absent+rocksdb", False)):
        assert main(["engines", "get", f"mariadb:11.8@{source}:{place}"]) == 2
        assert ("FAMILY:VERSION+rocksdb@" in capsys.readouterr().err) is is_hinted
