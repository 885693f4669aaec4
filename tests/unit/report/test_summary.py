"""The object for programs and the summary in the terminal."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from dbdyno.report import analyse_study, print_summary, summary_json
from dbdyno.report._terminal import cells_table
from dbdyno.store import StoredRun, StoredStudy

CELL_FIELDS = {
    "target",
    "family",
    "version",
    "storage_engine",
    "workload",
    "tier_bytes",
    "concurrency",
    "route",
    "repeat",
    "status",
    "reason",
    "window_s",
    "tps_mean",
    "tps_half_width",
    "qps_mean",
    "latency_ns",
    "transactions",
    "statements",
    "errors",
    "retries",
    "client_cpu_ns_per_statement",
    "server_cpu_ns_per_transaction",
}


def test_the_object_has_every_promised_field(results: StoredStudy) -> None:
    found = json.loads(json.dumps(summary_json(results), allow_nan=False))
    assert (found["schema_version"], found["study"], len(found["cells"])) == (1, "first", 36)
    assert all(cell.keys() >= CELL_FIELDS for cell in found["cells"])
    assert set(found["cells"][0]["latency_ns"]) == {"p50", "p95", "p99", "p999", "max"}
    assert len(found["comparisons"]) == 18
    assert len(found["averages"]) == 6  # three pairs with two memory sizes
    assert all(pair.keys() == found["comparisons"][0].keys() - {"concurrency"} for pair in found["averages"])
    place = {"left", "right", "tier_bytes", "concurrency", "route", "workload"}
    assert all(pair.keys() >= place | {"ratio", "low", "high", "verdict"} for pair in found["comparisons"])


def test_planted_differences_are_in_the_comparisons(results: StoredStudy) -> None:
    found = {
        (pair["left"], pair["right"], pair["tier_bytes"] >> 20, pair["concurrency"]): pair
        for pair in summary_json(results)["comparisons"]
    }
    for (left, right, tier, _), pair in found.items():
        if "mariadb:11.8+rocksdb" in (left, right):
            assert pair["verdict"] == "different"
        elif tier == 512:
            assert pair["verdict"] != "different"
        else:
            ratio = pair["ratio"] if left == "mariadb:11.8" else 1 / pair["ratio"]
            assert 1.2 < ratio < 1.3


def test_runs_that_are_missing_or_failed_are_listed_with_reasons(broken: StoredStudy) -> None:
    cells = summary_json(broken)["cells"]
    status = [cell["status"] for cell in cells]
    assert (status.count("missing"), status.count("failed"), status.count("suspect")) == (6, 1, 1)
    assert all(cell["reason"] for cell in cells if cell["status"] != "good")
    failed = next(cell for cell in cells if cell["status"] == "failed")
    assert failed["tps_mean"] is None
    assert failed["latency_ns"] is None


def printed(results: StoredStudy, width: int = 80) -> str:
    out = io.StringIO()
    print_summary(results, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def test_the_terminal_shows_intervals_ties_and_caveats_in_80_columns(results: StoredStudy) -> None:
    text = printed(results)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "…" not in text
    assert "512 MiB and 16 connections" in text
    assert "±" in text
    assert "1-2" in text
    assert "Windows of 12 s" in text
    assert any(re.match(r" *client: .*\b7 % ", line) for line in text.splitlines())
    assert analyse_study(results).answer.sentences[0] in " ".join(text.split())


def test_the_terminal_begins_its_limitations_with_a_sentence_and_repeats_them_in_full(results: StoredStudy) -> None:
    text = " ".join(printed(results).split())
    limitations = [caveat.text for caveat in analyse_study(results).limitations]
    opening = limitations[0].partition(". ")[0]
    title = f"All {len(limitations)} limitations in full, and what would remove each"
    assert f"Limitations - {opening}. {title} - {limitations[0]} - {limitations[1]}" in text
    assert all(words in text for words in limitations)


def test_the_terminal_survives_a_study_that_went_wrong(broken: StoredStudy) -> None:
    text = " ".join(printed(broken).split())
    assert re.search(r"\b6 missing\b.*\b1 failed\b.*\b1 suspect\b", text)
    assert "<b>signal 11</b>" in text


def test_only_cells_with_one_run_are_said_to_have_one(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    def fail_second(run: StoredRun) -> StoredRun:
        if run.record.run.cell.target != "mysql:9.7" or run.record.run.repeat != 2:
            return run
        figures = replace(run.record.figures, tps_mean=None, latency_ns=None)
        return StoredRun(replace(run.record, status="failed", reason="died", figures=figures))

    text = """
name = "few"
targets = ["mariadb:11.8", "mysql:9.7"]
workload = {name = "sysbench/oltp_read_write", tables = 4, rows = 50000}
axes = {tier = "64MB", concurrency = 4}
measure = {warm_up = "4s", window = "12s", repeats = 2}
"""
    table = cells_table(analyse_study(write(tmp_path / "few", text=text, change=fail_second)))
    assert table is not None
    assert "verdicts on cells with one run hold if repeats spread by" in str(table)
    assert "one run a cell" not in str(table)


def test_a_single_target_has_neither_places_nor_ratios(write: Callable[..., StoredStudy], tmp_path: Path) -> None:
    text = """
name = "alone"
targets = ["mariadb:11.8"]
workload = {name = "sysbench/oltp_read_write", tables = 4, rows = 50000}
axes = {tier = "64MB", concurrency = 4}
measure = {warm_up = "4s", window = "12s", repeats = 2}
"""
    table = cells_table(analyse_study(write(tmp_path / "alone", text=text)))
    assert table is not None
    assert [column.title for column in table.columns] == ["where", "target", "TPS, 95 %", "p95", "p99"]
    assert {len(row) for row in table.rows} == {5}
    assert table.note == ""
