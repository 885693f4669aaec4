"""The public logs of 2026 imported anew: each printed claim gets the verdict that the raw logs give by hand."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from dbdyno.analyse.claims import published
from dbdyno.cli import main
from dbdyno.report import analyse_study, markdown_text, page_text
from dbdyno.stats import steady_state
from dbdyno.store import StoredStudy
from numbers_in import numbers_in

ARCHIVE = Path(__file__).parents[3] / "shared" / "data" / "archives" / "percona-2026-rw-local.tar.xz"
pytestmark = pytest.mark.skipif(not ARCHIVE.exists(), reason="needs ../shared/data/archives")
HOLD = {"P26-01", "P26-02", "P26-05", "P26-09", "P26-10", "P26-17"}
REFUTED = {"P26-11", "P26-12"}
UNSETTLED = {"P26-13", "P26-16"}
CONNECTIONS = (1, 4, 16, 32, 64, 128, 256, 512)
ENGINES = (
    "mariadb 10.11.16", "mariadb 11.4.10", "mariadb 12.1.2", "mysql 5.7.44", "mysql 8.0.45", "mysql 8.4.8",
    "mysql 9.6.0", "percona 5.7.44-48", "percona 8.0.45-36", "percona 8.4.7-7",
)  # fmt: skip
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
    assert numbers_in(claims["P26-11"]["reason"]) == [14, 24]
    assert numbers_in(claims["P26-12"]["reason"]) == [25.098]
    assert {name for name, row in claims.items() if row["outcome"] == "not settled"} == UNSETTLED
    assert "mariadb 11.4.10" in claims["P26-16"]["reason"]


def test_what_can_not_be_told_says_what_is_not_there(claims: dict[str, dict[str, Any]]) -> None:
    silent = {name: row for name, row in claims.items() if row["outcome"] == "can't be told"}
    absent = {name for name, row in silent.items() if row["reason"].startswith("not in the results: ")}
    assert silent.keys() - absent == {"P26-18"}
    # No fall that is shown is no plateau: the peaks, and where throughput may be lower.
    concurrencies = re.findall(r" (\d+)\b(?!\.)", claims["P26-18"]["reason"])
    assert concurrencies == ["64", "128", "512", "64", "128", "256", "512"]
    assert claims["P26-03"]["reason"].endswith("sysbench/oltp_read_only")
    assert claims["P26-21"]["reason"].endswith("route network")


def test_own_figures_are_those_of_the_raw_logs(claims: dict[str, dict[str, Any]], logs: Path) -> None:
    levels = [row for row in claims.values() if row["own"] is not None and row["at"]["concurrency"]]
    assert {row["id"] for row in levels} == HOLD | {"P26-16"}
    for row in levels:
        at = row["at"]
        own = settled(logs, at["engine"], at["tier_bytes"] >> 30, at["concurrency"])
        assert row["own"] == pytest.approx(own, rel=1e-6)
        assert own == pytest.approx(tps(logs, at["engine"], at["tier_bytes"] >> 30, at["concurrency"]), rel=3e-2)


def test_ratios_over_memory_are_those_of_the_raw_logs(claims: dict[str, dict[str, Any]], logs: Path) -> None:
    for name, most, least in (("P26-12", 512, 64), ("P26-13", 64, 256)):
        engine = claims[name]["at"]["engine"]
        own = settled(logs, engine, 32, most) / settled(logs, engine, 2, least)
        assert claims[name]["own"] == pytest.approx(own, rel=1e-6)


def test_what_is_counted_is_what_the_raw_logs_give_by_hand(claims: dict[str, dict[str, Any]], logs: Path) -> None:
    levels = {
        "P26-01": ("percona 8.4.7-7", 32, 512),
        "P26-02": ("mysql 8.4.8", 32, 512),
        "P26-05": ("percona 5.7.44-48", 2, 512),
        "P26-09": ("mysql 5.7.44", 32, 64),
        "P26-10": ("mysql 5.7.44", 32, 512),
        "P26-16": ("percona 5.7.44-48", 12, 512),
        "P26-17": ("mysql 8.0.45", 12, 512),
    }
    by_hand: dict[str, tuple[list[float], bool]] = {}
    for name, place in levels.items():
        figure = tps(logs, *place)
        by_hand[name] = ([figure], round(figure) == claims[name]["printed"][0])
    growth = {engine: best(logs, engine, 32) / best(logs, engine, 2) for engine in ENGINES}
    for name, engine, extreme in (("P26-12", "percona 8.4.7-7", max), ("P26-13", "mysql 5.7.44", min)):
        is_extreme = growth[engine] == extreme(growth.values())
        by_hand[name] = ([growth[engine]], is_extreme and round(growth[engine], 1) == claims[name]["printed"][0])
    below = [
        1 - tps(logs, "percona 8.0.45-36", tier, n) / tps(logs, "mysql 8.0.45", tier, n)
        for tier in (2, 12, 32)
        for n in CONNECTIONS
    ]
    by_hand["P26-11"] = ([min(below), max(below)], max(map(abs, below)) < 0.03)
    plateau = [best(logs, engine, 2) for engine in ("mysql 8.4.8", "percona 8.4.7-7")]
    by_hand["P26-18"] = (plateau, all(520 <= level <= 540 for level in plateau))
    told = {name for name, row in claims.items() if row["counted"]}
    assert told == by_hand.keys()
    for name, (figures, gives) in by_hand.items():
        assert claims[name]["figures"] == pytest.approx(figures), name
        assert claims[name]["gives_print"] is gives, name
    assert re.search(r"\b10 \D+ 3 %", claims["P26-11"]["counted"])
    assert sum(abs(each) < 0.03 for each in below) == 10


def test_every_claim_is_shown_with_its_sentence_and_what_was_counted(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["claims", str(results), "--against", "percona-2026"]) == 0
    lines = capsys.readouterr().out
    sentences = [claim.sentence for claim in published("percona-2026").claims]
    assert all(f"       claim: {sentence}\n" in lines for sentence in sentences)
    assert re.search(r"cells counted: mysql 8\.4\.8: 13,325\.2 TPS .*\b900 s .*\b512 connections ", lines)
    assert lines.count("       claim: ") == 26


def test_strict_ends_with_1_and_a_wrong_report_with_2(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", str(results), "--against", "percona-2026", "--strict"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert numbers_in(lines[-1]) == [26, 6, 2, 2, 16]
    assert sum(re.match(r"P26-\d\d [-+~?] ", line) is not None for line in lines) == 26
    assert main(["claims", str(results), "--against", "nobody-2026"]) == 2


def settled(logs: Path, engine: str, tier_gb: int, connections: int) -> float:
    """Mean of the settled part of the seconds in the raw log."""
    seconds = [
        float(tps) for tps in re.findall(r"^\[ \d+s \].* tps: ([\d.]+) ", raw(logs, engine, tier_gb, connections), re.M)
    ]
    window = steady_state(seconds).window
    assert window is not None
    return window.mean


def best(logs: Path, engine: str, tier_gb: int) -> float:
    """The most that an engine does at any number of connections; the empty log is none."""
    known = [n for n in CONNECTIONS if (engine, tier_gb, n) != ("mysql 5.7.44", 2, 512)]
    return max(tps(logs, engine, tier_gb, n) for n in known)


def tps(logs: Path, engine: str, tier_gb: int, connections: int) -> float:
    """Transactions a second that sysbench itself printed."""
    match = re.search(r"transactions: +\d+ +\(([\d.]+) per sec", raw(logs, engine, tier_gb, connections))
    assert match is not None
    return float(match[1])


def raw(logs: Path, engine: str, tier_gb: int, connections: int) -> str:
    family, version = engine.split()
    (folder,) = (logs / "percona-2026" / "benchmark_logs" / FOLDERS[family]).glob(f"{version}*")
    return (folder / f"Tier{tier_gb}G_RW_{connections}th.sysbench.txt").read_text()


def test_the_page_and_its_markdown_hold_the_claims_of_the_archive_unasked(results: Path) -> None:
    stored = StoredStudy.open(results)
    page, markdown = page_text(stored), markdown_text(stored)
    assert 'href="#claims"' in page
    assert re.search(r"\b26 \D+ 6 \D+ 2 \D+ 2 \D+ 16 \D", page)
    assert 'data-chart="claims"' in page
    rows = [line for line in markdown.splitlines() if line.startswith("| P26-")]
    assert len(rows) == 26
    assert "13,385 TPS | 13,360 ± 700 TPS |" in next(row for row in rows if "P26-01" in row)


def test_claims_are_pasted_as_the_page_has_them(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", str(results), "--against", "percona-2026", "--format", "md"]) == 0
    pasted = capsys.readouterr().out.strip()
    assert pasted in markdown_text(StoredStudy.open(results))


def test_a_study_may_be_held_against_another_report(results: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["report", str(results), "--against", "sysbench-2012", "-o", str(page)]) == 0
    assert "2 claims: 0 hold" in page.read_text()
    assert main(["report", str(results), "--against", "nobody-2026", "-o", str(page)]) == 2


def test_a_log_of_the_report_is_known_when_it_is_packed_and_not_when_a_digit_was_changed(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "benchmark_logs/mysql/8.4.8/Tier32G_RW_512th.sysbench.txt"
    text = (logs / "percona-2026" / name).read_bytes()
    for kind, content, ending in (("packed", gzip.compress(text), ".gz"), ("other", text.replace(b"8", b"9", 1), "")):
        path = tmp_path / kind / f"{name}{ending}"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        assert main(["import", "sysbench", str(tmp_path / kind), "-o", str(tmp_path / f"r-{kind}"), "--quiet"]) == 0
    capsys.readouterr()
    gives = {}
    for kind in ("packed", "other"):
        assert main(["claims", str(tmp_path / f"r-{kind}"), "--against", "percona-2026", "--json"]) == 0
        gives[kind] = {row["id"]: row["gives_print"] for row in json.loads(capsys.readouterr().out)["claims"]}["P26-02"]
    assert gives == {"packed": True, "other": None}


def test_the_answer_names_what_the_readers_of_the_report_saw_first(results: Path) -> None:
    """MariaDB leads with few connections and collapses with many; MySQL and Percona Server lead there."""
    found = analyse_study(StoredStudy.open(results)).answer
    smaller_memory, crossover, fall = found.sentences[1:4]
    assert found.lead_count >= 4
    assert " at 2 GiB and " in smaller_memory
    assert re.search(
        r"^Percona Server 8\.4\.7-7 overtakes MariaDB 10\.11\.16 between 16 and 256 connections", crossover
    )
    assert re.search(
        r"^4 targets collapse .* at 32 GiB: MariaDB 12\.1\.2 by 69 % \(65 to 72 %\), .* at 512 connections", fall
    )
