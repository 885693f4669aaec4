"""What is answered to a wrong request: words, hint and exit code, and nothing started."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.cli._run import _STORED
from error_codes import told_errors
from stored_study import TWO, write_study

ROOT = Path(__file__).parents[2]
STUDY = str(ROOT / "studies" / "first.toml")
COMPARE_FAR = ["compare", "mysql:9.7", "--host", "bench@db1", "--host-address", "10.1.0.2", "--route", "network"]


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    try:
        code = main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return code, printed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", STUDY, "--jsn"], "--json"),
        (["explain", "results", "--pair", "mysql:9.7"], "needs 2 values"),
        (["explain", "results", "--fromat", "md"], " '--format'?"),
        (["nonsense"], "'nonsense'"),
        (["comapre"], " 'compare'?"),
        (["import", "sysbnch", "logs"], " 'sysbench'?"),
        (["engines", "lst"], " 'list'?"),
        (["report", "x", "--format", "markdwn"], "choose from"),
        (["--jsn"], "unrecognized"),
        (["compare", "mariadb 11.8"], "FAMILY:VERSION"),
        (["compare", "mariadbb:11.8"], " 'mariadb'?"),
        (["compare", "mysql:9.7", "--tables", "four"], "whole number"),
        (["compare", "mysql:9.7", "--table", "4"], " '--tables'?"),
        (["compare", "mysql:9.7", "--rows"], "--rows"),
        (["compare", "mysql:9.7", "--workload", "oltp_raed_only"], " 'oltp_read_only'"),
        (["compare", "mysql:9.7", "--tier", "64 bananas"], "error: --tier is '64 bananas' but must be a memory size"),
        (
            ["compare", "mysql:9.7", "--tier", "64MB,2XB"],
            "error: --tier contains '2XB' but each entry must be a memory size",
        ),
        (["compare", "mysql:9.7", "--concurrency", "1,x"], "error: --concurrency '1,x'"),
        (["compare", "mysql:9.7", "--threads", "1..16"], "error: --threads '1..16' is not a list of numbers"),
        (["compare", "mysql:9.7", "--users", "x"], "hint: write for example --users 1,4,16"),
        (["compare", "mysql:9.7", "--window", "1s"], " 2 s"),
        (["compare", "mysql:9.7", "--repeats", "0"], " from 1"),
        (["compare", "mysql:9.7", "mysql:9.7"], "named twice"),
        (["compare", "mysql8.0"], " mysql:8.0?"),
        (["compare", "mysql-5.7"], " mysql:5.7?"),
        (["compare", "mariadb"], " mariadb:11.8"),
        (["compare", "mysql:latest"], " mysql:9.7"),
        (["compare", "mysql:9.7", "--window", "10"], "--window 10s?"),
        (["compare", "mysql:9.7", "--tier", "512"], "--tier 512MB?"),
        (["compare", "mysql:9.7", "--set", "innodb_flush_log_at_trx_commit=1"], " 'commit.durability'"),
        (["compare", "mysql:9.7", "--set", "innodb_buffer_pool_size=1GB"], "--tier"),
        (["compare", "mysql:9.7", "--thread", "4"], " '--threads'?"),
        (["compare", "mysql:9.7", "--tabels", "4"], " '--tables'?"),
        (["compare", "mysql:9.7", "--threads", "4", "--time", "60"], "--time 60s?"),
        (["compare", "mysql:9.7", "--memory", "64 bananas"], "memory size"),
        (["compare", "mysql:9.7", "--vary", "redo.capacity"], "--vary 'redo.capacity'"),
        (["compare", "mysql:9.7", "--vary", "redo.capcity=1GB"], " 'redo.capacity'?"),
        (["compare", "mysql:9.7", "--client", "c1,c2"], "--client needs --host"),
        (["compare", "mysql:9.7", "--client", "16"], " --concurrency 16?"),
        ([*COMPARE_FAR, "--client", "c1,bench@db1"], "db1 is"),
        ([*COMPARE_FAR, "--client", "c1,c2", "--concurrency", "1"], " 2 client hosts"),
        (["plan", "frist"], " 'first'?"),
        (["run", "percona"], " 'percona-2026'?"),
        (["run", "percona-2026", "--scale", "network"], "db1.example"),
        (["doctor", "percona-2026", "--scale", "network"], "db1.example"),
        (["run", "percona-2026", "--scale", "network", "--host", "bench@db1"], "--host-address"),
        (["run", "percona-2026", "--host", "bench@db1"], "an image"),
        (["run", "first", "--client", "16"], " connections=16?"),
        (["run", "first", "--host-home", "/data"], "--host-home needs --host"),
        (["settings", "--engine", "mysqll:9.7"], " 'mysql'?"),
        (["judge", "seconds.csv", "--spread", "wide"], "'wide'"),
        (["compare", "mysql:9.7", "--rate", "nan"], "finite"),
        (["compare", "mysql:9.7", "--rate", "inf"], "finite"),
        (["compare", "mysql:9.7", "--rate", "-5"], "number above 0"),
        (["compare", "mysql:9.7", "--tier", "9" * 400 + "TB"], "memory size"),
        (["compare", "mysql:9.7", "--window", "9" * 400 + "h"], "duration"),
        (["compare", "mysql:9.7", "--pin-server", "0-99999999999"], "processors"),
        (["compare", "mysql:9.7", "--name", "../escape"], "'../escape'"),
        (["compare", "mysql:9.7", "--name", "n" * 10_000], "'nnnn"),
        (["compare", "mysql:9.7", "--name", "a\x7fb", "-o", "x"], r"'a\x7fb'"),
        (["compare", "mysql:9.7", "--name", "a\udcffb", "-o", "x"], r"'a\udcffb'"),
    ],
)
def test_a_wrong_request_exits_with_2_and_says_what_is_allowed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, words = _refused(capsys, *arguments)
    assert code == 2
    assert words.startswith("error: ")
    assert said in words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["plan", "absent.toml"], "unreadable", "absent.toml"),
        (["show", "/absent"], "not-results", "/absent"),
        (["report", "/absent"], "not-results", "/absent"),
        (["explain", "/absent"], "not-results", "/absent"),
        (["compare", "mysql:9.7", "--tier", "900TB"], "memory-exceeded", "TiB"),
    ],
)
def test_a_request_that_cannot_be_met_exits_with_2_and_has_a_code(
    arguments: list[str],
    code: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with told_errors() as errors:
        exit_code, words = _refused(capsys, *arguments)
    assert (exit_code, [error.code for error in errors]) == (2, [code])
    assert said in words
    assert list(tmp_path.iterdir()) == []


def test_a_disk_too_small_is_found_before_anything_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with told_errors() as errors:
        code, words = _refused(
            capsys, "compare", "mysql:9.7", "--tables", "100", "--rows", "2000000000", "--tier", "64MB"
        )
    assert (code, [error.code for error in errors]) == (3, ["disk-exceeded"])
    assert "TiB" in words


def test_a_workload_that_drives_a_second_server_is_no_studys(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workload.toml").write_text('[transactions.look]\nrole = "reader"\nstatements = ["DO 1"]\n')
    (tmp_path / "study.toml").write_text(
        'question = "?"\ntargets = ["mariadb:11.8"]\n[[workload]]\n'
        f'name = "sql:{tmp_path}"\n[axes]\ntier = ["64MB"]\nconcurrency = [1]\n'
    )
    code, words = _refused(capsys, "plan", "study.toml")
    assert code == 2
    assert "--target reader=ADDRESS" in words


def test_a_folder_that_holds_something_else_is_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with told_errors() as errors:
        code, words = _refused(capsys, "run", STUDY, "-o", str(tmp_path))
    assert (code, [error.code for error in errors]) == (2, ["not-results"])
    assert str(tmp_path) in words
    assert [entry.name for entry in tmp_path.iterdir()] == ["precious.txt"]


def test_a_plan_touches_nothing_and_names_every_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan", STUDY, "--runs"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("round 1, place") == 18
    assert "mariadb:11.8+rocksdb" in printed
    assert list(tmp_path.iterdir()) == []


def test_a_studys_name_leads_to_no_folder_elsewhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = Path(STUDY).read_text()
    for name in ("../elsewhere", "/elsewhere", ".hidden", "a\\u0000b", "long" * 100):
        (tmp_path / "study.toml").write_text(text.replace('name = "first"', f'name = "{name}"'))
        code, words = _refused(capsys, "run", "study.toml")
        assert code == 2
        assert "folder" in words and "-o" in words
    assert [entry.name for entry in tmp_path.iterdir()] == ["study.toml"]


def test_what_would_steer_a_terminal_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, words = _refused(capsys, "show", "/absent\x1b]0;owned\x07\u202e")
    assert code == 2
    assert "/absent?]0;owned?? " in words


def test_ten_thousand_characters_do_not_fill_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    code, words = _refused(capsys, "compare", "x" * 10_000)
    assert code == 2
    assert len(words) < 5_000


def test_a_study_too_large_for_the_machine_names_its_smaller_scale(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    study = tmp_path / "large.toml"
    study.write_text(
        'targets = ["mariadb:11.8"]\nworkload.name = "sysbench/oltp_read_only"\n'
        'axes = {tier = "900TB", concurrency = 1}\n[scale.small.axes]\ntier = "800TB"\n'
    )
    code, said = _refused(capsys, "run", str(study), "-o", str(tmp_path / "out"))
    assert code in (2, 3)
    assert "--scale small" in said
    _, said = _refused(capsys, "run", str(study), "--scale", "small", "-o", str(tmp_path / "out"))
    assert "--scale" not in said


def test_a_study_that_could_not_be_read_back_from_its_results_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    study = tmp_path / "long.toml"
    study.write_text(
        'targets = ["mariadb:11.8"]\nworkload.name = "oltp_read_only"\n'
        'axes = {tier = "64MB", concurrency = 1}\npacing.think = "9999999999999h"\n'
    )
    code, said = _refused(capsys, "run", str(study), "-o", str(tmp_path / "out"))
    assert code == 2
    assert "'think' is" in said and _STORED not in said
    assert not (tmp_path / "out").exists()


def test_folders_of_which_nothing_is_comparable_are_told_what_to_allow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = TWO.replace("rows = 1000", "rows = 2000").replace('"mariadb:11.8"', '"mysql:8.0"')
    folders = [str(write_study(tmp_path / name, text).path) for name, text in (("base", TWO), ("new", changed))]
    assert main(["diff", *folders]) == 2
    printed = capsys.readouterr()
    assert "error: no cell could be compared\n  different workload" in printed.err
    assert (hint := re.search(r"hint: (--allow-mismatch \S+) ", printed.err))
    assert main(["diff", *folders, *hint[1].split()]) == 0
    capsys.readouterr()
    elsewhere = str(write_study(tmp_path / "else", TWO.replace("concurrency = [1, 4]", "concurrency = 8")).path)
    assert main(["diff", folders[0], elsewhere]) == 2
    assert "--allow-mismatch" not in capsys.readouterr().err
