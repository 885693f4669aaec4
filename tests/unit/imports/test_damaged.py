"""Damaged logs: each thing that can't be read is named with its line, and the rest is read."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import sysbench_log
from numbers_in import numbers_in
from trees import imported

TPS = [100.0 + (n % 7) for n in range(90)]


def test_an_empty_log_is_named_and_stands_as_a_failed_run(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": "", "a/8.log": sysbench_log.log(TPS, threads=8)})
    assert [(diagnostic.path, diagnostic.line) for diagnostic in outcome.diagnostics] == [("a/4.log", 1)]
    assert {record.run.cell.concurrency: record.status for record in results.records()} == {4: "failed", 8: "good"}


def test_a_log_cut_in_a_line_names_that_line_and_keeps_the_seconds_before(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS)
    cut = text[: text.index("[ 50s ]") + 30]
    outcome, results = imported(tmp_path, {"a/4.log": cut})
    at = cut.count("\n") + 1
    assert [c.line for c in outcome.diagnostics] == [at, at]
    cut_line = cut.rpartition("\n")[2].strip()
    assert [c.text.endswith(cut_line) for c in outcome.diagnostics].count(True) == 1
    (record,) = results.records()
    assert (record.status, record.figures.window_s, record.figures.tps_mean) == (
        "suspect",
        49.0,
        pytest.approx(sum(TPS[:49]) / 49),
    )
    assert record.figures.latency_ns is None


def test_a_log_cut_in_its_last_report_does_not_take_half_a_report(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS)
    outcome, results = imported(tmp_path, {"a/4.log": text[: text.index("Threads fairness")]})
    (record,) = results.records()
    assert record.status == "suspect"
    assert numbers_in(record.reason) == []  # without its report it would say after which second it ends
    assert record.figures.latency_ns is None
    assert len(outcome.diagnostics) == 1


def test_a_damaged_line_costs_one_second(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS).replace("[ 30s ] thds: 4 tps: 101.00", "[ 30s ] thds: 4 tps: 1#1.00")
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (diagnostic,) = outcome.diagnostics
    assert text.split("\n")[diagnostic.line - 1].startswith("[ 30s ]")
    (record,) = results.records()
    seconds = results.seconds(record.run.run_id).values("second")
    assert (len(seconds), 29 in seconds) == (89, False)
    assert {caveat.code for caveat in record.caveats} >= {"missing-intervals"}


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    raw = sysbench_log.log(TPS).encode().replace(b"[ 20s ] thds", b"[ 20\xff\xfe ] thds")
    outcome, results = imported(tmp_path, {"a/4.log": raw})
    line = sysbench_log.log(TPS).split("\n").index(sysbench_log.line(20, TPS[19]).rstrip("\n")) + 1
    assert {diagnostic.line for diagnostic in outcome.diagnostics} == {line}
    assert any("not UTF-8" in diagnostic.text for diagnostic in outcome.diagnostics)
    assert len(results.seconds(results.records()[0].run.run_id)) == 89


def test_a_line_overwritten_with_noise_is_named_where_its_second_is_missing(tmp_path: Path) -> None:
    old = sysbench_log.line(40, TPS[39])
    text = sysbench_log.log(TPS).replace(old, "x" * 60 + "\n")
    outcome, _ = imported(tmp_path, {"a/4.log": text})
    (diagnostic,) = outcome.diagnostics
    assert text.split("\n")[diagnostic.line - 1] == "x" * 60


def test_seconds_that_go_back_are_named_and_left_out(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS).replace("[ 60s ]", "[ 6s ]").replace("[ 70s ]", "[ 7000s ]")
    outcome, results = imported(tmp_path, {"a/4.log": text})
    assert [numbers_in(c.text) for c in outcome.diagnostics] == [[6, 59], [7000, 71]]
    assert max(results.seconds(results.records()[0].run.run_id).values("second")) == 89


def test_two_versions_in_one_log_are_named(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS) + sysbench_log.log(TPS, version="1.1.0-abc", threads=4)
    outcome, results = imported(tmp_path, {"a/4.log": text})
    (diagnostic,) = outcome.diagnostics
    assert re.search(r"\b1\.1\.0-abc .*\b1\.0\.20 ", diagnostic.text)
    assert text.split("\n")[diagnostic.line - 1].startswith("sysbench 1.1.0")
    assert [record.run.repeat for record in results.records()] == [1, 2]


def test_a_log_without_its_head_takes_the_threads_from_its_lines(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS, threads=6)
    _, results = imported(tmp_path, {"a/x.log": text[text.index("[ 10s ]") :]}, pattern="{target}/*.log")
    (record,) = results.records()
    assert (record.run.cell.concurrency, record.figures.window_s) == (6, 81.0)
    assert "interval-unknown" not in {caveat.code for caveat in record.caveats}


def test_a_gzip_file_that_ends_early_gives_what_is_in_it(tmp_path: Path) -> None:
    packed = gzip.compress(sysbench_log.log(TPS * 30).encode())
    outcome, results = imported(tmp_path, {"a/4.log.gz": packed[: len(packed) // 2]})
    assert any("gzip data" in diagnostic.text for diagnostic in outcome.diagnostics)
    assert results.records()[0].status == "suspect"


def test_a_name_that_contradicts_the_log_is_named_and_the_log_believed(tmp_path: Path) -> None:
    outcome, results = imported(tmp_path, {"a/16.log": sysbench_log.log(TPS, threads=8)})
    assert numbers_in(outcome.diagnostics[0].text) == [16, 8]
    assert results.records()[0].run.cell.concurrency == 8


def test_a_damaged_total_is_named(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS).replace("total number of events:              ", "total number of events:        x")
    outcome, _ = imported(tmp_path, {"a/4.log": text})
    (diagnostic,) = outcome.diagnostics
    label, value = next(line for line in text.split("\n") if "        x" in line).split(":")
    assert f"'{label.strip()}'" in diagnostic.text and diagnostic.text.endswith(f": {value.strip()}")
    assert text.split("\n")[diagnostic.line - 1].startswith(label)


def test_windows_line_ends_and_utf_16_are_no_damage(tmp_path: Path) -> None:
    text = sysbench_log.log(TPS)
    files: dict[str, str | bytes] = {"a/4.log": text.replace("\n", "\r\n"), "b/4.log": text.encode("utf-16")}
    outcome, results = imported(tmp_path, files)
    assert outcome.diagnostics == ()
    assert [record.status for record in results.records()] == ["good", "good"]
