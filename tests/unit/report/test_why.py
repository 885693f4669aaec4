"""Why: a planted slowness is found from stored histograms, its parts add up, and what is missing is said."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import altair as alt
import pytest
from rich.console import Console

import sysbench_log
from dbdyno.analyse.explain import PARTS, REST, THREAD_PARTS, USER_PARTS
from dbdyno.core import RequestError, Run
from dbdyno.report import (
    analyse_study,
    markdown_text,
    page_text,
    print_why,
    summary_table,
    why_markdown,
    why_object,
    why_of,
)
from dbdyno.report._blocks import TextSpan
from dbdyno.report.charts import why_charts
from dbdyno.report.why._choice import furthest_lines
from dbdyno.store import IntervalRow, StoredRun, StoredStudy
from explained_study import CLIENT_NS, STATEMENTS, PlantedTimes
from trees import imported

SLOW = {"mysql:9.7": {"commit": 1.6, "point_select": 1.2}}
PAIR = ("mariadb:11.8", "mysql:9.7")
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "parts.md"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return PlantedTimes(SLOW).write(tmp_path_factory.mktemp("why") / "planted")


def test_the_planted_parts_are_told_first_in_the_order_of_their_size(results: StoredStudy) -> None:
    why = why_of(analyse_study(results))
    assert why.gap is not None
    assert (why.gap.left.target, why.gap.right.target) == PAIR
    assert (why.gap.left.tier_bytes >> 20, why.gap.left.concurrency) == (512, 16)
    decided = [part.part_id for part in why.gap.with_verdict("decided")]
    assert decided[:2] == ["statement.commit", "statement.point_select"]
    assert len(why.lines) == 3
    assert "COMMIT" in why.lines[1]


def test_the_answer_and_the_explanation_decide_alike_everywhere(tmp_path: Path) -> None:
    analysis = analyse_study(PlantedTimes({"mysql:9.7": {"commit": 1.08}}).write(tmp_path / "near"))
    verdicts = set()
    for pair in analysis.comparisons:
        gap = why_of(analysis, (pair.left, pair.right), f"{pair.tier_bytes >> 20}MB,{pair.concurrency}").gap
        assert gap is not None
        assert gap.is_decided == (pair.verdict == "different")
        assert (gap.total.low > 0 or gap.total.high < 0) == (pair.low > 1 or pair.high < 1)
        verdicts.add(gap.total.verdict)
    assert len(verdicts) > 1


class Resting(PlantedTimes):
    """Connections that rest for so long that both targets commit as many transactions."""

    def stored(self, run: Run) -> StoredRun:
        found = super().stored(run)
        seconds = [replace(row, tps=100.0 + row.second % 3) for row in found.seconds]
        figures = replace(found.record.figures, tps_mean=101.0, tps_half_width=0.5)
        return replace(found, record=replace(found.record, figures=figures), seconds=seconds)


def test_where_connections_rest_the_times_decide_and_not_the_throughputs(tmp_path: Path) -> None:
    planted = Resting(SLOW)
    planted.text += '[pacing]\nthink = "5s"\n'
    analysis = analyse_study(planted.write(tmp_path / "resting"))
    assert {pair.verdict for pair in analysis.comparisons} == {"same"}
    gap = why_of(analysis, PAIR, "512MB,16").gap
    assert gap is not None and gap.is_decided
    assert 0 < gap.total.low < gap.total.ms < gap.total.high


def test_a_third_target_is_told_where_it_is_furthest_behind(tmp_path: Path) -> None:
    planted = PlantedTimes({**SLOW, "mysql:8.0": {"insert": 9.0}})
    planted.text = planted.text.replace('"mysql:9.7"]', '"mysql:9.7", "mysql:8.0"]')
    analysis = analyse_study(planted.write(tmp_path / "three"))
    first = why_of(analysis).furthest[0]
    assert first.gap is not None
    assert (first.gap.left.target, first.gap.right.target) == ("mariadb:11.8", "mysql:8.0")
    assert first.gap.with_verdict("decided")[0].part_id == "statement.insert"
    assert [span.text for span in furthest_lines(why_of(analysis))[0] if isinstance(span, TextSpan)] == [first.lines[0]]
    assert why_of(analysis, PAIR).furthest == ()


class SlowWithLittleMemory(PlantedTimes):
    """Targets that differ with 64 MiB only."""

    def stored(self, run: Run) -> StoredRun:
        factors = self.factors
        self.factors = factors if run.cell.tier_bytes == 64 << 20 else {}
        try:
            return super().stored(run)
        finally:
            self.factors = factors


def test_where_the_answers_place_shows_no_difference_the_widest_one_is_told(tmp_path: Path) -> None:
    analysis = analyse_study(SlowWithLittleMemory({"mysql:9.7": {"commit": 3.0}}).write(tmp_path / "two"))
    why = why_of(analysis)
    assert why.gap is not None and why.place is not None
    assert why.gap.is_decided and why.gap.left.tier_bytes == why.place[2] == 64 << 20
    assert why.gap.with_verdict("decided")[0].part_id == "statement.commit"
    assert len(why.lines) == 3 and "512 MiB" in why.lines[2] and "512 MiB" not in why.lines[0]
    assert why.furthest == ()
    asked = why_of(analysis, at="512MB").gap
    assert asked is not None and not asked.is_decided


def test_a_slower_target_is_told_before_one_that_is_as_fast_as_the_best(tmp_path: Path) -> None:
    planted = PlantedTimes({"mysql:8.0": {"commit": 3.0}})
    planted.text = planted.text.replace('"mysql:9.7"]', '"mysql:9.7", "mysql:8.0"]')
    gap = why_of(analyse_study(planted.write(tmp_path / "three"))).gap
    assert gap is not None
    assert gap.left.target in PAIR and gap.right.target == "mysql:8.0"
    assert gap.is_decided


def test_parts_make_the_time_and_the_difference_within_the_bins_of_histograms(results: StoredStudy) -> None:
    explanation = analyse_study(results).explanation
    assert explanation is not None
    for runs in explanation.breakdowns.values():
        for run in runs:
            assert run.named_share == pytest.approx(1.0, abs=0.002)
            assert run.transaction_ms == pytest.approx(run.total_ms, rel=0.002)
            statements = [part for part in run.parts if part.part_id.startswith("statement.")]
            assert {part.part_id.partition(".")[2] for part in statements} == set(STATEMENTS)
            cpu = run.by_id()["client.cpu"]
            assert cpu.ms == pytest.approx(16 * CLIENT_NS / 1e6)
            assert {part.part_id.partition(".")[0] for part in run.parts} <= {name.partition(".")[0] for name in PARTS}
    gap = why_of(analyse_study(results)).gap
    assert gap is not None
    assert gap.named_ms == pytest.approx(gap.total.ms, rel=0.02)
    assert gap.left_named_share == pytest.approx(1.0, abs=0.002)


def test_a_pair_and_a_place_are_chosen_by_name(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    why = why_of(analysis, ("mysql:9.7", "mariadb:11.8"), "64MB, 4")
    assert why.gap is not None
    assert (why.gap.left.target, why.gap.left.tier_bytes >> 20, why.gap.left.concurrency) == ("mysql:9.7", 64, 4)
    assert why.gap.total.ms < 0
    turned = why_of(analysis, PAIR, "64MB,4").gap
    assert turned is not None
    assert turned.total.ms == pytest.approx(-why.gap.total.ms)
    assert {gap.right.concurrency for gap in why.steps} == {4, 16}


@pytest.mark.parametrize(
    ("pair", "at"),
    [
        (("mysql:9.8", "mariadb:11.8"), ""),
        (("mysql:9.7", "mysql:9.7"), ""),
        (PAIR, "2GB"),
        ((), "512MB,17"),
        ((), "nonsense"),
        ((), ","),
    ],
)
def test_an_unknown_pair_or_place_is_refused_with_what_there_is(
    results: StoredStudy, pair: tuple[str, ...], at: str
) -> None:
    with pytest.raises(RequestError) as refused:
        why_of(analyse_study(results), pair, at)
    assert refused.value.why or refused.value.remedy


def test_programs_get_the_parts_and_their_factors(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    found = json.loads(json.dumps(why_object(analysis, why_of(analysis)), allow_nan=False))
    assert found["schema_version"] == 1
    gap = found["gap"]
    parts = {part["id"]: part for part in gap["parts"]}
    assert sum(part["difference_ms"] for part in gap["parts"]) == pytest.approx(gap["difference_ms"])
    select = parts["statement.point_select"]
    assert select["left_work"] == pytest.approx(10.0)
    assert select["by_work_ms"] + select["by_cost_ms"] == pytest.approx(select["difference_ms"])
    assert len(found["cells"]) == 12
    assert {cell["parts"][-1]["id"] for cell in found["cells"]} == {REST}


def test_page_markdown_and_terminal_have_the_same_lines(results: StoredStudy) -> None:
    analysis = analyse_study(results)
    why = why_of(analysis)
    page, markdown = page_text(results), markdown_text(results)
    console = Console(width=400, file=io.StringIO(), record=True)
    console.print(summary_table(results, has_why=True))
    print_why(analysis, why, console)
    terminal = console.export_text()
    for line in why.lines:
        assert line in terminal.replace("- ", "")
        assert line.replace("_", "\\_") in markdown
        assert line.replace("'", "&#x27;") in page or line in page
    assert page.index('id="why"') < page.index('id="throughput"')
    assert why_markdown(analysis, why).startswith("### Why")


def test_the_bridge_ends_where_the_other_target_begins(results: StoredStudy) -> None:
    why = why_of(analyse_study(results))
    assert why.gap is not None
    charts = {chart.name: chart for chart in why_charts(why, analyse_study(results).targets)}
    assert set(charts) == {"why-bridge", "why-stacked-1", "why-stacked-2"}
    for chart in charts.values():
        alt.Chart.from_dict(chart.spec(), validate=True)
    rows = next(iter(charts["why-bridge"].spec()["datasets"].values()))
    steps = sorted(rows, key=lambda row: row["order"])
    assert steps[0]["to"] == pytest.approx(why.gap.total.left_ms)
    assert steps[-2]["to"] == pytest.approx(why.gap.total.right_ms, rel=1e-3), "a rest below 0.1 % has no step"
    assert [step["from"] for step in steps[1:-1]] == pytest.approx([step["to"] for step in steps[:-2]])
    assert {step["kind"] for step in steps} <= {"total", "more", "less", "rest"}


class _Altered(PlantedTimes):
    """As planted, but with runs that failed, were not made, or threw attempts away."""

    def __init__(self, kind: str, factors: Mapping[str, Mapping[str, float]] = SLOW, **settings: int) -> None:
        super().__init__(factors, **settings)  # type: ignore[arg-type]
        self.kind = kind

    def stored(self, run: Run) -> StoredRun:
        found = super().stored(run)
        if self.kind == "failed" and run.cell.target == "mysql:9.7" and run.cell.concurrency == 16:
            return StoredRun(
                replace(
                    found.record,
                    status="failed",
                    reason="it died",
                    figures=replace(found.record.figures, tps_mean=None),
                )
            )
        if self.kind == "bare":
            return replace(found, intervals=[row for row in found.intervals if row.kind == "transaction"])
        if self.kind == "repeated" and run.cell.target == "mysql:9.7" and run.cell.concurrency == 16:
            return replace(found, intervals=[_repeated(row) for row in found.intervals])
        return found


def _repeated(row: IntervalRow) -> IntervalRow:
    """A twentieth of the attempts failed in the end, and of the statements so many more were sent."""
    if row.kind == "transaction":
        return replace(row, completed=row.completed * 20 // 21, retries_json=json.dumps({"1213": row.completed // 21}))
    return row


def test_a_place_where_one_target_failed_is_not_compared(tmp_path: Path) -> None:
    results = _Altered("failed").write(tmp_path / "failed")
    analysis = analyse_study(results)
    why = why_of(analysis)
    assert why.place is not None
    with pytest.raises(RequestError):
        why_of(analysis, PAIR, "512MB,16")
    assert why_of(analysis, PAIR).gap is not None


def test_without_statement_times_only_the_whole_time_is_told(tmp_path: Path) -> None:
    results = _Altered("bare").write(tmp_path / "bare")
    analysis = analyse_study(results)
    why = why_of(analysis)
    assert why.gap is not None
    assert why.gap.parts == ()
    assert why.gap.total.ms > 0
    assert why.gap.missing
    assert not why_charts(why, analysis.targets)
    assert 'id="why"' in page_text(results)


def test_attempts_that_were_thrown_away_are_a_part(tmp_path: Path) -> None:
    explanation = analyse_study(_Altered("repeated").write(tmp_path / "repeated")).explanation
    assert explanation is not None
    for cell, runs in explanation.breakdowns.items():
        has_part = any("thrown-away" in run.by_id() for run in runs)
        assert has_part == (cell.target == "mysql:9.7" and cell.concurrency == 16)
    run = next(runs[0] for runs in explanation.breakdowns.values() if "thrown-away" in runs[0].by_id())
    assert run.by_id()["thrown-away"].ms == pytest.approx(run.total_ms / 21, rel=0.05)
    assert run.by_id()["statement.commit"].work == pytest.approx(1.0, rel=0.01)


def test_one_target_has_steps_and_no_pair(tmp_path: Path) -> None:
    planted = PlantedTimes({})
    planted.text = planted.text.replace('"mariadb:11.8", "mysql:9.7"', '"mariadb:11.8"')
    results = planted.write(tmp_path / "one")
    analysis = analyse_study(results)
    why = why_of(analysis)
    assert why.gap is None
    assert [(gap.left.concurrency, gap.right.concurrency) for gap in why.steps] == [(1, 4), (4, 16)]
    with pytest.raises(RequestError):
        why_of(analysis, ("mariadb:11.8", "mysql:9.7"))


def test_one_run_of_each_rests_on_an_assumed_spread(tmp_path: Path) -> None:
    why = why_of(analyse_study(PlantedTimes(SLOW, repeats=1).write(tmp_path / "single")))
    assert why.gap is not None
    assert why.gap.assumed_spread is not None
    assert all(part.difference.p_adjusted is None for part in why.gap.parts)


def test_imported_logs_tell_whole_times_alone(tmp_path: Path) -> None:
    tps = [100.0 + n % 7 for n in range(300)]
    files = {"old/4.log": sysbench_log.log(tps), "new/4.log": sysbench_log.log([3 * each for each in tps])}
    analysis = analyse_study(imported(tmp_path, files)[1])
    why = why_of(analysis)
    assert why.gap is not None
    assert why.gap.parts == ()
    assert why.gap.total.right_ms == pytest.approx(3 * why.gap.total.left_ms, rel=0.02)
    assert "its log" in why.lines[1]
    assert len(why.lines) == 2
    assert not any(line in str(summary_table(analysis.results, has_why=True)) for line in why.lines)


def test_the_reference_lists_the_parts_as_they_are() -> None:
    head = (
        "# Parts of a transaction's time\n\n"
        "What `dbdyno explain` and the report's section *Why* split the time of a transaction into. Written from the "
        "table that the\ncode reads, by `DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/report/test_why.py`. "
        "[Where the time goes](../concepts/explanation.md)\nhas the formulas.\n\n"
        "| id | part | what it holds | read from | counted in |\n|---|---|---|---|---|\n"
    )
    rows = [
        f"| `{name}{'.TYPE' if name == 'statement' else ''}` | {kind.words} | {kind.meaning} | {kind.source} | "
        f"{kind.unit or '-'} |\n"
        for name, kind in PARTS.items()
    ]
    threads = (
        "\n## By what the server's threads did\n\n"
        "The same time split a second way, where the server's session threads were watched.\n\n"
        "| id | part | what it holds | read from | counted in |\n|---|---|---|---|---|\n"
    )
    threads += "".join(
        f"| `{name}` | {kind.words} | {kind.meaning} | {kind.source} | {kind.unit or '-'} |\n"
        for name, kind in THREAD_PARTS.items()
    )
    users = (
        "\n## By whose work the processors did\n\n"
        "The same time where both targets use up the processors: each user's time on them and all waiting for it.\n\n"
        "| id | part | what it holds | read from |\n|---|---|---|---|\n"
    )
    users += "".join(
        f"| `processors.{name}` | {kind.words} | {kind.meaning} | {kind.source} |\n"
        for name, kind in USER_PARTS.items()
    )
    text = head + "".join(rows) + threads + users
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        REFERENCE.write_text(text)
    assert REFERENCE.read_text() == text
