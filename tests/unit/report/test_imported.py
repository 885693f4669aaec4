"""The page of imported runs: what they can't tell is said, and nothing is made up in its place."""

from __future__ import annotations

import re
import tomllib
from html import escape
from pathlib import Path

import pytest

import sysbench_log
import tool_logs
from dbdyno.imports._fields import NOT_NAMED
from dbdyno.report import analyse_study, diff_results, markdown_text, page_text, summary_json
from dbdyno.report._format import workload_title
from dbdyno.report._pacing import pacing_words
from dbdyno.report.sections import _how, _latency
from dbdyno.store import StoredStudy
from trees import imported

TPS = [100.0 + n % 7 for n in range(700)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    stalled = list(TPS)
    stalled[500:507] = [10.0] * 7
    files = {
        "old/4.log": sysbench_log.log(stalled),
        "new/4.log": sysbench_log.log([3 * tps for tps in TPS]),
        "new/8.log": sysbench_log.log([4 * tps for tps in TPS], threads=8),
        "new/16.log": "",
    }
    return imported(tmp_path_factory.mktemp("imported"), files)[1]


def test_runs_that_nobody_planned_are_not_missing(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    assert [record.status for record in analysis.records].count("missing") == 0
    codes = {caveat.code for caveat in analysis.limitations}
    assert {"imported", "not-in-the-logs", "one-repeat"} <= codes
    assert {"fixed-order", "shared-cores"}.isdisjoint(codes)


def test_the_printed_percentile_is_shown_as_printed_and_no_other(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    assert {(x.quantile, x.value_ns, x.is_told) for x in analysis.latency} == {("p95", 5_000_000, True)}
    page = page_text(results)
    printed = page.partition('data-csv="printed"')[2].partition("</table>")[0]
    shown = [title for title in _latency._TITLES if f">{title}</th>" in printed]
    assert shown == list(_latency._TITLES)
    first_row = printed.partition("<tbody>")[2].partition("</tr>")[0]
    assert re.findall(r">(p\d+|[\d.]+ ms)<", first_row)[:3] == ["p95", "5 ms", "5 ms"]


def test_stalled_seconds_are_counted_over_all_seconds_of_the_settled_part(results: StoredStudy) -> None:
    assert "7 stalled seconds" in page_text(results)


def test_the_page_says_where_runs_come_from_and_what_was_not_read(results: StoredStudy) -> None:
    page = page_text(results)
    assert 'data-csv="origin"' in page
    assert 'data-csv="not-read"' in page
    not_read = [entry.facts for entry in results.journal() if entry.event == "not-read"]
    assert not_read and all(escape(str(value)) in page for facts in not_read for value in facts.values())
    assert _how._ORDER_WORDS not in page and _how._IMPORTED_WORDS in page
    assert "imported 20" in page


def test_the_summary_for_programs_has_unknowns_as_null(results: StoredStudy) -> None:
    cells = summary_json(results)["cells"]
    assert isinstance(cells, list)
    good = next(cell for cell in cells if cell["status"] == "good")
    assert (good["tier_bytes"], good["route"], good["latency_ns"]["p99"]) == (0, "unknown", None)


def test_neither_study_nor_pages_tell_what_the_logs_do_not(results: StoredStudy) -> None:
    assert set(tomllib.loads(results.study_text)["measure"]) == {"window", "repeats"}
    assert summary_json(results)["policy"] is None
    page, pasted = page_text(results), markdown_text(results)
    assert 'data-code="not-in-the-logs"' in page
    assert "order unknown" in pasted
    assert "measured 20" not in pasted and "imported 20" in pasted
    assert "prepared" not in pasted and "as-written" not in pasted


def test_pacings_are_told_as_far_as_logs_tell_them(tmp_path: Path) -> None:
    rates = {f"a/{rate}.log": sysbench_log.log(TPS, rate=rate) for rate in (100, 200)}
    both = imported(tmp_path / "rates", rates, "{target}/*.log")[1]
    assert "several pacings" in markdown_text(both)
    one = imported(tmp_path / "one", {"a/4.log": sysbench_log.log(TPS, rate=100)})[1]
    assert "100 a second" in markdown_text(one)
    hammerdb = imported(tmp_path / "h", {"a/hammerdb.log": tool_logs.hammerdb(6000, 13_800)}, None, tool="hammerdb")[1]
    analysis = analyse_study(hammerdb)
    assert pacing_words(analysis) != analysis.study.pacing.words and pacing_words(analysis) in markdown_text(hammerdb)


def test_folders_of_logs_are_compared_with_a_caveat_on_how_their_runs_were_made(
    results: StoredStudy, tmp_path: Path
) -> None:
    faster = {"new/4.log": sysbench_log.log([4 * tps for tps in TPS])}
    found = diff_results(results, imported(tmp_path, faster)[1])
    assert [change.outcome for change in found.of("tps")] == ["faster"]
    caveat = next(caveat for caveat in found.caveats if caveat.code == "made-unchecked")
    assert str(tmp_path) in caveat.text and str(results.path) in caveat.text


def test_routes_that_ran_on_different_machines_are_told_on_the_first_screen(tmp_path: Path) -> None:
    variables = "version\t8.4.8\nversion_comment\tMySQL Community Server - GPL\nhostname\t{}\n"
    head = "Linux 6.8.0 ({}) \t03/13/2026 \t_x86_64_\t(80 CPU)\n\nDevice            r/s     rMB/s  %util\n"
    files = {}
    for scenario, node in (("benchmark_logs", "node1"), ("benchmark_remote_logs", "node3")):
        for threads in (1, 4):
            stem = f"{scenario}/mysql/8.4.8/Tier2G_RW_{threads}th"
            files[f"{stem}.sysbench.txt"] = sysbench_log.log([tps + threads for tps in TPS[:100]], threads=threads)
            files[f"{stem}.iostat.txt"] = head.format(node) + "sda  1.00  2.00  3.00\n" * 100
        # A container names itself, so only the readings beside the load tell the machine.
        files[f"{scenario}/mysql/8.4.8/Tier2G.vars.txt"] = variables.format("3f2a9c01d4e5")
    analysis = analyse_study(imported(tmp_path, files, None)[1])
    (caveat,) = [found for found in analysis.limitations if found.code == "audit-host-mismatch"]
    (finding,) = [found for found in analysis.fairness.audit.findings if found.rule.rule_id == "host-mismatch"]
    assert f", {finding.rule.title}: node1 (loopback), node3 (network)." in caveat.text
    assert finding.between


def test_targets_that_ran_on_different_machines_are_a_finding(tmp_path: Path) -> None:
    variables = "version\t{}\nversion_comment\tMySQL Community Server - GPL\nhostname\t3f2a9c01d4e5\n"
    head = "Linux 6.8.0 ({}) \t03/13/2026 \t_x86_64_\t(80 CPU)\n\nDevice            r/s     rMB/s  %util\n"
    files = {}
    for version, nodes in (("8.4.8", ("node1", "node1")), ("8.0.45", ("node1", "node2"))):
        for threads, node in zip((1, 4), nodes, strict=True):
            stem = f"benchmark_logs/mysql/{version}/Tier2G_RW_{threads}th"
            files[f"{stem}.sysbench.txt"] = sysbench_log.log([tps + threads for tps in TPS[:100]], threads=threads)
            files[f"{stem}.iostat.txt"] = head.format(node) + "sda  1.00  2.00  3.00\n" * 100
        files[f"benchmark_logs/mysql/{version}/Tier2G.vars.txt"] = variables.format(version)
    analysis = analyse_study(imported(tmp_path, files, None)[1])
    (finding,) = [found for found in analysis.fairness.audit.findings if found.rule.rule_id == "host-mismatch"]
    assert not finding.between
    assert finding.values == {"node1": ("mysql 8.4.8",), "node1 and node2": ("mysql 8.0.45",)}


def test_what_no_log_tells_is_no_name(results: StoredStudy) -> None:
    pasted, page = markdown_text(results), page_text(results)
    assert "unknown:+" not in pasted + page and "+unknown" not in pasted + page
    assert pasted.count(": server unknown") == len(analyse_study(results).targets)
    assert workload_title(NOT_NAMED) in pasted and NOT_NAMED not in pasted
    assert f"{NOT_NAMED};" not in page
    assert "machine:" not in pasted and "? processors" not in pasted
    assert "All 1 " not in pasted and "<summary>The comparison</summary>" in pasted
