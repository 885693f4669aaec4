"""The public logs of 2026 imported anew: each printed claim gets the verdict that the raw logs give by hand."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.report import markdown_text, page_text
from dbdyno.store import Results

ARCHIVE = Path(__file__).parents[3] / "shared" / "data" / "archives" / "percona-2026-rw-local.tar.xz"
pytestmark = pytest.mark.skipif(not ARCHIVE.exists(), reason="needs ../shared/data/archives")
HOLD = {"P26-01", "P26-02", "P26-05", "P26-09", "P26-10", "P26-16", "P26-17"}
REFUTED = {"P26-11", "P26-18"}
FOLDERS = {"mysql": "mysql", "percona": "percona-server", "mariadb": "mariadb"}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def results(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results") / "p26"
    # One log of the archive ends in an error, so the import says 1.
    assert main(["import", "sysbench", str(logs), "-o", str(out)]) in (0, 1)
    return out


@pytest.fixture
def claims(results: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    assert main(["claims", str(results), "--against", "percona-2026", "--json"]) == 0
    return {row["id"]: row for row in json.loads(capsys.readouterr().out)["claims"]}


def test_the_verdicts_are_those_found_by_hand(claims: dict[str, dict[str, Any]]) -> None:
    assert {name for name, row in claims.items() if row["outcome"] == "holds"} == HOLD
    assert {name for name, row in claims.items() if row["outcome"] == "does not hold"} == REFUTED
    assert claims["P26-11"]["reason"] == "11 of 24 cells clearly differ by more"
    assert claims["P26-18"]["reason"] == "; ".join(
        f"{engine} peaks at 64 connections and does clearly less at 128 and 512"
        for engine in ("mysql 8.4.8", "percona 8.4.7-7")
    )


def test_what_can_not_be_told_says_what_is_not_there(claims: dict[str, dict[str, Any]]) -> None:
    silent = {name: row for name, row in claims.items() if row["outcome"] == "can't be told"}
    absent = {name for name, row in silent.items() if row["reason"].startswith("not in the results: ")}
    assert silent.keys() - absent == {"P26-12", "P26-13"}
    assert claims["P26-03"]["reason"].endswith("sysbench/oltp_read_only")
    assert claims["P26-21"]["reason"].endswith("route network")
    assert "mysql 8.4.8 and mysql 9.6.0" in claims["P26-12"]["reason"]
    assert "without a good run" in claims["P26-13"]["reason"]


def test_own_figures_are_those_of_the_raw_logs(claims: dict[str, dict[str, Any]], logs: Path) -> None:
    levels = [row for row in claims.values() if row["own"] is not None and row["at"]["concurrency"]]
    assert len(levels) == len(HOLD)
    for row in levels:
        at = row["at"]
        assert row["own"] == pytest.approx(tps(logs, at["engine"], at["tier_bytes"] >> 30, at["concurrency"]), rel=2e-3)


def test_ratios_over_memory_are_those_of_the_raw_logs(claims: dict[str, dict[str, Any]], logs: Path) -> None:
    for name, most, least in (("P26-12", 512, 64), ("P26-13", 64, 256)):
        engine = claims[name]["at"]["engine"]
        assert claims[name]["own"] == pytest.approx(tps(logs, engine, 32, most) / tps(logs, engine, 2, least), rel=2e-3)


def test_the_raw_logs_refute_what_is_refuted(logs: Path) -> None:
    alike = [tps(logs, engine, 12, 512) for engine in ("mysql 8.0.45", "percona 8.0.45-36")]
    assert alike[1] / alike[0] < 0.7
    for engine in ("mysql 8.4.8", "percona 8.4.7-7"):
        plateau = [tps(logs, engine, 2, n) for n in (64, 128, 512)]
        assert plateau[1] / plateau[0] < 0.96
        assert plateau[2] / plateau[0] < 0.94


def test_strict_ends_with_1_and_a_wrong_report_with_2(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", str(results), "--against", "percona-2026", "--strict"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "26 claims: 7 hold, 2 do not hold, 17 can't be told"
    assert sum(line.startswith(("+ P26-", "- P26-", "? P26-")) for line in lines) == 26
    assert main(["claims", str(results), "--against", "nobody-2026"]) == 2


def tps(logs: Path, engine: str, tier_gb: int, connections: int) -> float:
    """Transactions a second that sysbench itself printed."""
    family, version = engine.split()
    (folder,) = (logs / "percona-2026" / "benchmark_logs" / FOLDERS[family]).glob(f"{version}*")
    text = (folder / f"Tier{tier_gb}G_RW_{connections}th.sysbench.txt").read_text()
    match = re.search(r"transactions: +\d+ +\(([\d.]+) per sec", text)
    assert match is not None
    return float(match[1])


def test_the_page_and_its_markdown_hold_the_claims_of_the_archive_unasked(results: Path) -> None:
    stored = Results.open(results)
    page, markdown = page_text(stored), markdown_text(stored)
    assert 'href="#claims"' in page
    assert "26 claims: 7 hold, 2 do not hold, 17 can't be told" in page
    assert 'data-chart="claims"' in page
    rows = [line for line in markdown.splitlines() if line.startswith("| P26-")]
    assert len(rows) == 26
    assert "13,385 TPS | 13,390 ± 340 TPS |" in next(row for row in rows if "P26-01" in row)


def test_claims_are_pasted_as_the_page_has_them(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", str(results), "--against", "percona-2026", "--format", "md"]) == 0
    pasted = capsys.readouterr().out.strip()
    assert pasted in markdown_text(Results.open(results))


def test_a_study_may_be_held_against_another_report(results: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["report", str(results), "--against", "sysbench-2012", "-o", str(page)]) == 0
    assert "2 claims: 0 hold" in page.read_text()
    assert main(["report", str(results), "--against", "nobody-2026", "-o", str(page)]) == 2
