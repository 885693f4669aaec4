"""Logs of every tool, damaged in the same ways: what can't be read is named with file and line, the rest imported."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import sysbench_log
import tool_logs
from dbdyno.core import TreeError
from dbdyno.imports import TOOLS
from error_codes import raises_code
from trees import imported

ORDERS = [500 + 10 * (n % 5) for n in range(12)]
LOGS: dict[str, Callable[[], str]] = {
    "sysbench": lambda: sysbench_log.log([100.0 + n % 7 for n in range(90)]),
    "hammerdb": lambda: tool_logs.hammerdb(counter=[13_800 + 60 * (n % 4) for n in range(12)]),
    "tpcc-mysql": lambda: tool_logs.tpcc_mysql(ORDERS),
    "linkbench": lambda: tool_logs.linkbench([1000.0 + n % 5 for n in range(12)]),
    "go-tpc": lambda: tool_logs.go_tpc(ORDERS),
}
every_tool = pytest.mark.parametrize("tool", sorted(LOGS))


def test_every_tool_is_tried_here() -> None:
    assert set(LOGS) == set(TOOLS)


@every_tool
def test_a_whole_log_is_good_and_nothing_is_wrong_with_it(tmp_path: Path, tool: str) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": LOGS[tool]()}, tool=tool)
    assert (outcome.diagnostics, [r.status for r in results.records()]) == ((), ["good"])
    assert results.verify() == ()


@every_tool
def test_an_empty_log_is_named_and_stands_as_a_failed_run(tmp_path: Path, tool: str) -> None:
    outcome, results = imported(tmp_path, {"a/8.log": "", "b/4.log": LOGS[tool]()}, tool=tool)
    assert [(diagnostic.path, diagnostic.line) for diagnostic in outcome.diagnostics] == [("a/8.log", 1)]
    assert {r.run.cell.target: r.status for r in results.records()} == {"a": "failed", "b": "good"}


@every_tool
@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_a_truncated_log_is_never_good_and_its_end_is_named(tmp_path: Path, tool: str, share: float) -> None:
    text = LOGS[tool]()
    cut = text[: int(share * len(text))]
    outcome, results = imported(tmp_path, {"a/4.log": cut}, tool=tool)
    assert {r.status for r in results.records()} <= {"suspect", "failed"}
    last = cut.rstrip("\n").count("\n") + 1
    assert max(diagnostic.line for diagnostic in outcome.diagnostics) in (last, last + 1)


@every_tool
def test_a_packed_log_that_ends_early_gives_what_is_in_it(tmp_path: Path, tool: str) -> None:
    packed = gzip.compress(LOGS[tool]().encode(), compresslevel=1)
    outcome, results = imported(tmp_path, {"a/4.log.gz": packed[: int(0.7 * len(packed))]}, tool=tool)
    assert any("gzip data" in diagnostic.text for diagnostic in outcome.diagnostics)
    assert {r.status for r in results.records()} <= {"suspect", "failed"}


@every_tool
def test_a_whole_packed_log_is_like_any_other(tmp_path: Path, tool: str) -> None:
    outcome, results = imported(tmp_path, {"a/4.log.gz": gzip.compress(LOGS[tool]().encode())}, tool=tool)
    assert (outcome.diagnostics, [r.status for r in results.records()]) == ((), ["good"])


@every_tool
def test_bytes_that_are_no_text_are_named_and_cost_no_run(tmp_path: Path, tool: str) -> None:
    raw = LOGS[tool]().encode()
    middle = raw.index(b"\n", len(raw) // 2)
    outcome, results = imported(tmp_path, {"a/4.log": raw[:middle] + b"\n\xff\xfe noise" + raw[middle:]}, tool=tool)
    line = raw[:middle].count(b"\n") + 2
    assert any(c.line == line and "not UTF-8" in c.text for c in outcome.diagnostics)
    assert [r.status for r in results.records()] == ["good"]


@every_tool
def test_windows_line_ends_are_no_damage(tmp_path: Path, tool: str) -> None:
    outcome, results = imported(tmp_path, {"a/4.log": LOGS[tool]().replace("\n", "\r\n")}, tool=tool)
    assert (outcome.diagnostics, [r.status for r in results.records()]) == ((), ["good"])


@every_tool
def test_a_hostile_name_stays_a_name(tmp_path: Path, tool: str) -> None:
    name = "<script>alert('x')"
    _, results = imported(tmp_path, {f"{name}/4.log": LOGS[tool]()}, tool=tool)
    assert results.records()[0].run.cell.target == name


@every_tool
def test_a_tree_of_another_tool_is_refused(tmp_path: Path, tool: str) -> None:
    other = next(text for name, text in sorted(LOGS.items()) if name != tool)
    with raises_code(TreeError, "no-runs", TOOLS[tool].title):
        imported(tmp_path, {"a/4.log": other()}, None, tool=tool)


@every_tool
def test_iostat_beside_a_log_becomes_its_telemetry(tmp_path: Path, tool: str) -> None:
    seconds = {"sysbench": 90, "hammerdb": 180, "tpcc-mysql": 140}.get(tool, 120)
    text = "Linux 6.8.0 (node1) \t03/12/2026 \t_x86_64_\t(80 CPU)\n\n"
    for number in range(seconds + 1):
        text += "Device            r/s     w/s     rMB/s     wMB/s   %util\n"
        text += f"sda     1.00    {number}.00      1.00     2.00   50.00\n\n"
    _, results = imported(
        tmp_path, {"a/4.log": LOGS[tool](), "a/4.iostat.txt": text}, "{target}/{threads}.log", tool=tool
    )
    (record,) = results.records()
    rows = [r for r in results.telemetry(record.run.run_id).rows() if r["metric"] == "iostat.sda.writes"]
    lead = {"hammerdb": 60, "tpcc-mysql": 20}.get(tool, 0)
    assert (rows[0]["second"], rows[0]["value"]) == (0, 1.0 + lead)
    assert len(rows) == round(record.figures.window_s)


@pytest.mark.parametrize("tool", ["sysbench", "hammerdb"])
def test_mixed_versions_are_told_where_a_tool_tells_its_own(tmp_path: Path, tool: str) -> None:
    text = LOGS[tool]()
    old = text.replace("sysbench 1.0.20", "sysbench 1.1.0").replace("HammerDB CLI v5.0", "HammerDB CLI v4.2")
    _, results = imported(tmp_path, {"a/4.log": text, "b/4.log": text + "\n", "c/4.log": old}, tool=tool)
    mixed = [r.run.cell.target for r in results.records() if "mixed-versions" in {c.code for c in r.caveats}]
    assert mixed == ["c"]
