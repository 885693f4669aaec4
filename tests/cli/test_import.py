"""`dbdyno import` at the command line: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import sysbench_log
import tool_logs
from dbdyno.cli import main
from dbdyno.cli._import import TOOL_STORIES
from dbdyno.imports import TOOLS
from dbdyno.store import StoredStudy
from error_codes import told_errors

IOSTAT = """Linux 6.8.0 (node1) \t03/13/2026 \t_x86_64_\t(80 CPU)

Device            r/s     rMB/s  %util
sda             1.00      2.00   3.00
"""
TPS = [100.0 + n % 7 for n in range(70)]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for target, level in (("old", 1.0), ("new", 1.5)):
        (folder / target).mkdir(parents=True)
        for threads in (1, 8):
            text = sysbench_log.log([level * tps for tps in TPS], threads=threads)
            (folder / target / f"{threads}.log").write_text(text)
    return folder


def test_a_whole_tree_is_imported_shown_and_reported(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"
    assert main(["import", "sysbench", str(logs), "--pattern", "{target}/{threads}.log", "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(out)
    assert re.search(r"\b4 runs \(4 good\).*\b2 targets", said.err)
    assert main(["show", str(out), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert {pair["verdict"] for pair in summary["comparisons"]} == {"different"}
    assert "missing" not in {cell["status"] for cell in summary["cells"]}
    assert main(["report", str(out)]) == 0
    assert (out / "report.html").stat().st_size > 100_000


def test_what_can_not_be_read_is_on_standard_error_and_makes_the_exit_code_1(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (logs / "new" / "8.log").write_text("")
    arguments = ["import", "sysbench", str(logs), "--pattern", "{target}/{threads}.log", "-o", str(tmp_path / "r")]
    assert main(arguments) == 1
    assert "warning: new/8.log:1: " in capsys.readouterr().err


def test_equal_warnings_are_one_line_that_comes_after_what_matters(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in ("new", "old"):
        for threads in (1, 8):
            (logs / target / f"{threads}.log").rename(logs / target / f"{threads}.sysbench.txt")
            lines = "".join(f"1.0   0   0|   0  {n}k\n" if n % 5 else "torn | 1\n" for n in range(70))
            head = "---procs--- -dsk/total-\nrun blk new| read  writ\n"
            (logs / target / f"{threads}.dstat.txt").write_text(head + lines)
            (logs / target / f"{threads}.iostat").write_text("")
            (logs / target / f"{threads}.iostat.txt").write_text(IOSTAT)
    (logs / "new" / "16.sysbench.txt").write_text("")
    arguments = [
        "import",
        "sysbench",
        str(logs),
        "--pattern",
        "{target}/{threads}.sysbench.txt",
        "-o",
        str(tmp_path / "r"),
    ]
    assert main(arguments) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith(("warning", "note"))]
    assert len(told) == 3
    assert told[0].startswith("warning: new/16.sysbench.txt:1: ")
    assert re.match(r"note: 52 .*\b4 files, .* new/1\.dstat\.txt:8: ", told[1])
    assert re.match(r"note: 4 files, .* new/1\.iostat:1: ", told[2])


def test_lines_of_readings_alone_leave_the_exit_code_0(logs: Path, tmp_path: Path) -> None:
    (logs / "new" / "8.dstat.txt").write_text("---procs---\nrun blk new|\n" + "1.0   0   0|\n" * 70 + "torn | 1\n")
    arguments = ["import", "sysbench", str(logs), "--pattern", "{target}/{threads}.log", "-o", str(tmp_path / "r")]
    assert main(arguments) == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--pattern", "{threads"], "{threads"),
        (["--set", "colour=red"], "colour=red"),
        (["--pattern", "{target}/{threads}.txt"], "sysbench"),
    ],
)
def test_a_wrong_request_is_refused_with_2_and_leaves_nothing(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    out = tmp_path / "deep" / "r"
    assert main(["import", "sysbench", str(logs), "-o", str(out), *more]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()
    assert not list(tmp_path.glob("**/.r*"))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with told_errors() as errors:
        assert main(["import", "sysbench", str(tmp_path / "none"), "-o", str(tmp_path / "r")]) == 2
    assert [error.code for error in errors] == ["missing"]
    assert str(tmp_path / "none") in capsys.readouterr().err


def test_one_log_is_imported_alone(logs: Path, tmp_path: Path) -> None:
    log = (logs / "new" / "8.log").rename(tmp_path / "before.log")
    assert main(["import", "sysbench", str(log), "-o", str(tmp_path / "one"), "--quiet"]) == 0
    results = StoredStudy.open(tmp_path / "one")
    assert [record.run.cell.target for record in results.records()] == ["before.log"]
    assert "before.log" in results.study.question


def test_a_study_that_was_imported_is_not_run(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "sysbench", str(logs), "-o", str(tmp_path / "r"), "--quiet"]) == 0
    with told_errors() as errors:
        assert main(["run", str(tmp_path / "r" / "study.toml")]) == 2
    assert [error.code for error in errors] == ["imported"]
    assert str(tmp_path / "r" / "study.toml") in capsys.readouterr().err


def test_every_tool_that_is_read_has_a_help_of_its_own() -> None:
    assert set(TOOL_STORIES) == set(TOOLS)


def test_without_a_tool_the_request_is_wrong_and_one_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import"]) == 2
    assert "dbdyno import sysbench LOGS -o DIR" in capsys.readouterr().err


def test_a_run_of_hammerdb_is_imported_shown_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target, tpm in (("a", 13_800), ("b", 20_700)):
        folder = tmp_path / "logs" / target
        folder.mkdir(parents=True)
        (folder / "hammerdb.log").write_text(
            tool_logs.hammerdb(tpm * 10 // 23, tpm, counter=[tpm + n for n in range(12)])
        )
        (folder / "hdbxtprofile.log").write_text(tool_logs.hammerdb_profile())
    out = tmp_path / "results"
    assert main(["import", "hammerdb", str(tmp_path / "logs"), "-o", str(out)]) == 0
    assert main(["show", str(out)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"\b9,000 +20,700\b", shown), "NOPM and TPM"
    assert "new_order" in shown
    assert main(["report", str(out)]) == 0
    page = (out / "report.html").read_text()
    assert re.search(r"HammerDB in logs\b", page)
    assert "286 µs" in page or "0.286 ms" in page


def test_a_published_ratio_of_new_orders_is_held_against_logs_of_hammerdb(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for storage, nopm, tpm in (("tidesdb", 69_320, 160_779), ("innodb", 16_816, 39_251)):
        for repeat in (1, 2, 3):
            folder = tmp_path / "logs" / storage / f"iter{repeat}"
            folder.mkdir(parents=True)
            (folder / "hammerdb.log").write_text(tool_logs.hammerdb(nopm + repeat - 2, tpm + repeat - 2, users=8))
    given = [word for field in ("engine=mariadb", "version=11.8.6", "tier=64MB") for word in ("--set", field)]
    pattern = "{storage_engine}/iter{repeat}/hammerdb.log"
    out = str(tmp_path / "results")
    assert main(["import", "hammerdb", str(tmp_path / "logs"), "-o", out, "--pattern", pattern, *given]) == 0
    assert main(["claims", out, "--against", "tidesdb-2026", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.partition("\n")[2])
    outcomes = {row["id"]: row["outcome"] for row in printed["claims"]}
    assert outcomes["T26-05"] == "holds"
    assert {outcomes[name] for name in ("T26-01", "T26-02", "T26-03", "T26-04")} == {"holds"}


def test_a_claim_of_two_memories_is_decided_where_one_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The archive behind the report holds runs with 25 and with 140 GB, and the report prints those with 140."""
    for tier, levels in (("BP25", (3000.0, 2900.0)), ("BP140", (7487.0, 4910.0))):
        for engine, tps in zip(("mysql-8.0.21", "mariadb-10.5.4"), levels, strict=True):
            folder = tmp_path / "logs" / f"res-tpcc-8.0.21-2020-07-16-21-28/{engine}.{tier}"
            folder.mkdir(parents=True)
            series = [tps * (1 + 0.01 * (-1) ** second) for second in range(10_000)]
            (folder / "res.thr56txt").write_text(sysbench_log.log(series, threads=56))
    out = str(tmp_path / "results")
    assert main(["import", "sysbench", str(tmp_path / "logs"), "-o", out]) == 0
    outcomes = {}
    for words in ((), ("--where", "memory=140GB"), ("--where", "memory=25GB")):
        capsys.readouterr()
        assert main(["claims", out, "--against", "checkpoint-2020", "--json", *words]) == 0
        rows = json.loads(capsys.readouterr().out)["claims"]
        outcomes[words] = {row["id"]: row["outcome"] for row in rows}
    chosen, other = outcomes["--where", "memory=140GB"], outcomes["--where", "memory=25GB"]
    assert {chosen[name] for name in ("C20-01", "C20-02", "C20-03")} == {"holds"}
    assert {other[name] for name in ("C20-01", "C20-02", "C20-03")} == {"does not hold"}
    assert "holds" not in {outcomes[()][name] for name in ("C20-01", "C20-02", "C20-03")}


def test_a_file_that_is_no_log_is_not_called_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello\n")
    assert main(["import", "sysbench", str(file), "-o", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr().err
    assert "notes.txt is no log of sysbench" in printed and "dbdyno judge" in printed
    assert "in it" not in printed


def test_a_results_folder_is_not_imported_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(SystemExit):
        main(["import", str(tmp_path)])
    assert f"hint: it is a results folder already: dbdyno show {tmp_path}" in capsys.readouterr().err
