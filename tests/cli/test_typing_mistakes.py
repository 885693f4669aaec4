"""Slips of the keyboard and words of other tools: each is answered at once by the word that was meant."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.lab import find_generator
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
    "hlep": "dbdyno -h",
    "hlep show": "dbdyno show --help",
    "instal mysql:9.7": "dbdyno engines get",
    "verison": "dbdyno --version",
    "lits": "dbdyno engines",
    "strat": "dbdyno run",
    "COMPARE mysql:9.7": "'compare'",
    "stop": "Ctrl-C",
    "logs": "dbdyno show DIR",
    "config": "dbdyno settings",
    "info": "dbdyno doctor",
    "man": "install.md",
    "-help": "'--help'?",
    "--verison": "'--version'?",
    "show --jsno": "'--json'?",
    "show --jsno x": "'--json'?",
    "show -x foo": "dbdyno show -h",
    "show nosuch": "name the folder that -o named",
    "show /etc/hostname": "name the folder that -o named",
    "report . --fromat md": "'--format'?",
    "report . md": "--format md?",
    "explain . --depe": "'--deep'?",
    "serve . --port http": "--port 8017",
    "serve nosuch": "name a folder that contains results folders",
    "diff": "dbdyno diff results/before results/after",
    "diff a --fail_on slower:3%": "'--fail-on'?",
    "history /etc/hostname": "name a results folder",
    "history . --metric p98": "'p99'?",
    "import sysbench": "dbdyno import sysbench LOGS -o DIR",
    "import hammerdb -o out": "dbdyno import hammerdb LOGS -o DIR",
    "import hammerdb /etc/hostname -o out": "dbdyno judge",
    "import mysqlslap x": "tpcc-mysql",
    "judge": "dbdyno judge seconds.csv",
    "judge nosuch.log": "a log of sysbench",
    "judge /etc/hostname": "--report-interval=1",
    "judge a.csv --columns tps": "its columns: run, second, tps",
    "audit nosuch": "a folder with dumps of SHOW VARIABLES",
    "audit . mysql:9.7": "one folder",
    "engines mysql:9.7": "dbdyno engines get mysql:9.7?",
    "engines list mysql": "dbdyno engines get ENGINE",
    "engines get": "dbdyno engines get mariadb:11.8",
    "engines remove": "dbdyno engines remove mariadb:11.8",
    "engines --refersh": "'--refresh'?",
    "engines get mysql:9.7@https://h/m.tar.gz": "mysql:9.7@archive:https://h/m.tar.gz?",
    "settings mysql:9.7": "--engine mysql:9.7?",
    "doctor mysql:9.7": "dbdyno compare mysql:9.7",
    "calibrate now": "takes no names",
    "clean mysql:9.7": "dbdyno engines remove",
    "clean --dry-run": "--remove",
    "clean -y": "--remove",
    "self-check mysql:9.7 --widnow 10s": "'--window'?",
    "self-check mysql:9.7 --window 10": "10s?",
    "plan mysql:9.7": "dbdyno compare mysql:9.7",
    "plan mysql:9.7 mariadb:11.8": "dbdyno compare mariadb:11.8 mysql:9.7 --plan",
    "plan first --scale tiny": "omit --scale",
    "plan first --where connection=32": "'connections'?",
    "plan first --from nosuch": "name the folder that -o named",
    "plan /etc/hostname": "see the examples in studies/",
    "run first --window 10s": "change it in a copy",
    "run first --part 4/3": "--part 1/3",
    "run .": "give its path, or one of",
    "run first -o": "--output DIR",
    "gather nosuch other -o out": "name the folder that -o named",
    "compare first": "dbdyno run first",
    "compare studies/mine.toml": "dbdyno run studies/mine.toml",
    "compare ./build": "mysql:9.7@basedir:./build",
    "compare mysql-9.7.tar.gz": "mysql:9.7@archive:mysql-9.7.tar.gz",
    "compare mysql:9.7@https://h/m.tar.gz": "mysql:9.7@archive:https://h/m.tar.gz?",
    "compare mariadb:11.8-rocksdb": "mariadb:11.8+rocksdb?",
    "compare mariadb:11.8_rocksdb": "mariadb:11.8+rocksdb?",
    "compare mysql:8.x": "mysql:8?",
    "compare mysql:9.7 , mariadb:11.8": "separate engines by a space only",
    "compare maria:11.8": "'mariadb'",
    C + "--tier 4GB,": "--tier 4GB?",
    C + "--tier 50%": '"64MB"',
    C + "--concurrency 1,,4": "--concurrency 1,4,16",
    C + "--repeats 0": "from 1 to 50",
    C + "--window 1ms": "at least 2 s",
    C + "--rate 0": "--rate is 0.0 but must be a number above 0",
    C + "--pin-server all": "--pin-server is 'all'",
    C + "--seed abc": "--seed 1",
    C + "--route network": "add --host USER@HOST",
    C + "--workload sysbench": "--workload sysbench/oltp_read_write?",
    C + "--workload queries.sql": "sql:DIRECTORY",
    C + "--workload TPCC": "'tpcc'?",
    C + "--warehouses 10": "--workload tpcc --warehouses 10?",
    C + "--maxid1 1000": "--workload linkbench --maxid1 1000?",
    C + "--rows 1,000": "--rows 1000?",
    C + "--json": "dbdyno show DIR --json",
    C + "--verbose": "without --quiet, progress is printed",
    C + "-n 5": "--repeats?",
    C + "--server root:secret@localhost:3306": "DBDYNO_SERVER_PASSWORD",
    "compare --server localhost:abc": "--server 127.0.0.1:3306",
}


def test_there_are_two_hundred() -> None:
    assert len(MISTAKES) >= 200


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


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("oltp_read_only --treads=4 run", "--threads"),
        ("oltp_read_only --mysql_sokcet=/s run", "--mysql-socket"),
        ("oltp_read_only --tabel-size=10 run", "--table-size"),
        ("oltp_raed_only run", "oltp_read_only"),
        ("oltp_read_only rnu", "run"),
        ("oltp_read_only --wholly-else=1 run", ""),
    ],
)
def test_in_sysbenchs_form_a_slip_is_answered_at_a_terminal_alone(tmp_path: Path, words: str, meant: str) -> None:
    sysbench = tmp_path / "sysbench"
    sysbench.symlink_to(find_generator())
    argv = [str(sysbench), *words.split()]
    at_terminal, piped = stderr_at_terminal(argv), subprocess.run(argv, capture_output=True, text=True, check=False)
    assert piped.returncode == 1
    assert at_terminal.removeprefix(piped.stderr) == (f"hint: did you mean {meant}?\n" if meant else "")


def stderr_at_terminal(argv: list[str]) -> str:
    """Return what a command writes to standard error where that is a terminal."""
    ours, its = os.openpty()
    parts = []
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        with os.fdopen(its, "wb") as standard_error:
            subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=standard_error, check=False)
        with suppress(OSError):  # the last reader of a closed terminal gets an error, not an end
            while part := terminal.read(4096):  # each write may come alone
                parts.append(part)
    return b"".join(parts).decode().replace("\r\n", "\n")
