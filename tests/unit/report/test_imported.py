"""The page of imported runs: what they can't tell is said, and nothing is made up in its place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import sysbench_log
import tool_logs
from dbdyno.report import diff_results, gather, markdown_text, page_text, summary_json
from dbdyno.store import Results
from trees import imported

TPS = [100.0 + n % 7 for n in range(700)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    stalled = list(TPS)
    stalled[300:307] = [10.0] * 7
    files = {
        "old/4.log": sysbench_log.log(stalled),
        "new/4.log": sysbench_log.log([3 * tps for tps in TPS]),
        "new/8.log": sysbench_log.log([4 * tps for tps in TPS], threads=8),
        "new/16.log": "",
    }
    return imported(tmp_path_factory.mktemp("imported"), files)[1]


def test_runs_that_nobody_planned_are_not_missing(results: Results) -> None:
    evidence = gather(results)
    assert [record.status for record in evidence.records].count("missing") == 0
    codes = {caveat.code for caveat in evidence.weaknesses}
    assert {"imported", "not-in-the-logs", "one-repeat"} <= codes
    assert {"fixed-order", "shared-cores"}.isdisjoint(codes)


def test_the_printed_percentile_is_shown_as_printed_and_no_other(results: Results) -> None:
    evidence = gather(results)
    assert {(x.quantile, x.value_ns, x.is_told) for x in evidence.latency} == {("p95", 5_000_000, True)}
    page = page_text(results)
    assert "As the tool printed them for each whole run" in page
    assert "median of the seconds&#x27; percentiles" in page or "median of the seconds' percentiles" in page


def test_stalled_seconds_are_counted_over_all_seconds_of_a_long_run(results: Results) -> None:
    assert "7 stalled seconds" in page_text(results)


def test_the_page_says_where_runs_come_from_and_what_was_not_read(results: Results) -> None:
    page = page_text(results)
    assert 'data-csv="origin"' in page
    assert 'data-csv="not-read"' in page
    assert "the log is empty" in page
    assert "Targets take turns" not in page
    assert "imported 20" in page


def test_the_summary_for_programs_has_unknowns_as_null(results: Results) -> None:
    cells = summary_json(results)["cells"]
    assert isinstance(cells, list)
    good = next(cell for cell in cells if cell["status"] == "good")
    assert (good["tier_bytes"], good["route"], good["latency_ns"]["p99"]) == (0, "unknown", None)


def test_neither_study_nor_pages_tell_what_the_logs_do_not(results: Results) -> None:
    assert set(tomllib.loads(results.study_text)["measure"]) == {"window", "repeats"}
    assert summary_json(results)["policy"] is None
    page, pasted = page_text(results), markdown_text(results)
    assert "form of statements, random numbers, order, pinning" in page
    assert "warm-up, form of statements, random numbers and order not told" in pasted
    assert "measured 20" not in pasted and "imported 20" in pasted
    assert "prepared" not in pasted and "as-written" not in pasted


def test_pacings_are_told_as_far_as_logs_tell_them(tmp_path: Path) -> None:
    rates = {f"a/{rate}.log": sysbench_log.log(TPS, rate=rate) for rate in (100, 200)}
    both = imported(tmp_path / "rates", rates, "{target}/*.log")[1]
    assert "several pacings, told apart as workloads" in markdown_text(both)
    one = imported(tmp_path / "one", {"a/4.log": sysbench_log.log(TPS, rate=100)})[1]
    assert "100 a second" in markdown_text(one)
    hammerdb = imported(tmp_path / "h", {"a/hammerdb.log": tool_logs.hammerdb(6000, 13_800)}, None, tool="hammerdb")[1]
    assert "pacing not told by the logs" in markdown_text(hammerdb)


def test_folders_of_logs_are_compared_with_a_caveat_on_how_their_runs_were_made(
    results: Results, tmp_path: Path
) -> None:
    faster = {"new/4.log": sysbench_log.log([4 * tps for tps in TPS])}
    found = diff_results(results, imported(tmp_path, faster)[1])
    assert [change.outcome for change in found.of("tps")] == ["faster"]
    caveat = next(caveat for caveat in found.caveats if caveat.code == "made-unchecked")
    assert str(tmp_path) in caveat.text and str(results.path) in caveat.text
