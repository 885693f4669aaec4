"""Why, by what the server's threads did: a planted wait is found, the parts add up, and what is missing is said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.analyse.explain import THREAD_PARTS, Breakdown
from dbdyno.core import Caveat, Run
from dbdyno.report import StudyAnalysis, analyse_study, markdown_text, page_text, why_object, why_of
from dbdyno.store import StoredRun
from explained_study import LAST_PLACE, SIX_PLACES, PlantedTimes

PAIR = ("mariadb:11.8", "mysql:9.7")
ALIKE = {"on_cpu": 0.3, "run_queue": 0.2, "wait.client": 0.2, "wait.redo_flush": 0.2, "wait.latch": 0.1}
SLOW = {"mysql:9.7": {"commit": 1.6, "point_select": 1.2}}


def _analysis(
    folder: Path, states: Mapping[str, Mapping[str, float]], seed: int = 1, axes: str = SIX_PLACES
) -> StudyAnalysis:
    factors = SLOW if states.get(PAIR[0]) != states.get(PAIR[1]) else {}
    return analyse_study(PlantedTimes(factors, seed=seed, axes=axes, states=states).write(folder))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> StudyAnalysis:
    slow = {"on_cpu": 0.25, "run_queue": 0.15, "wait.client": 0.15, "wait.redo_flush": 0.4, "wait.latch": 0.05}
    return _analysis(tmp_path_factory.mktemp("why") / "threads", {PAIR[0]: ALIKE, PAIR[1]: slow})


def _breakdowns(analysis: StudyAnalysis) -> list[Breakdown]:
    assert analysis.thread_explanation is not None
    return [run for runs in analysis.thread_explanation.breakdowns.values() for run in runs]


def test_the_planted_wait_is_first_and_the_parts_make_the_difference(analysis: StudyAnalysis) -> None:
    gap = why_of(analysis).thread_gap
    assert gap is not None
    assert (gap.left.target, gap.right.target) == PAIR
    assert gap.parts[0].part_id == "thread.redo_flush"
    assert gap.parts[0].difference.verdict == "decided"
    assert sum(part.difference.ms for part in gap.parts) == pytest.approx(gap.total.ms)
    assert any("redo flush" in line for line in why_of(analysis).lines[1:])


def test_parts_add_up_to_the_time_of_each_run(analysis: StudyAnalysis) -> None:
    for run in _breakdowns(analysis):
        assert run.named_share == pytest.approx(1.0, abs=0.002)
        assert {part.part_id for part in run.parts} <= {*THREAD_PARTS, "rest"}
        assert run.by_id()["thread.on_cpu"].ms == pytest.approx(0.275 * run.total_ms, rel=0.3)


def test_page_markdown_and_program_have_it(analysis: StudyAnalysis) -> None:
    why = why_of(analysis)
    names = ("why-threads-bridge", "why-threads-stacked-1", "why-threads-stacked-2")
    page, markdown = page_text(analysis.results), markdown_text(analysis.results)
    assert all(f'data-chart="{name}"' in page for name in names)
    assert why.thread_gap is not None
    assert all(f"| {part.words} |" in markdown for part in why.thread_gap.parts)
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))["threads"]
    assert found["gap"]["parts"][0]["id"] == "thread.redo_flush"
    assert len(found["cells"]) == 12


@pytest.mark.parametrize(("flushes", "words"), [(1.0, "more flushes"), (0.5, "longer")])
def test_a_wait_is_told_as_more_work_or_as_dearer_work(tmp_path: Path, flushes: float, words: str) -> None:
    slow = {**ALIKE, "wait.redo_flush": 0.4, "wait.client": 0.0}
    counted = {PAIR[0]: {"engine.io.fsyncs": 0.5}, PAIR[1]: {"engine.io.fsyncs": flushes}}
    planted = PlantedTimes({}, axes=LAST_PLACE, states={PAIR[0]: ALIKE, PAIR[1]: slow}, counted=counted)
    why = why_of(analyse_study(planted.write(tmp_path / "counted")), PAIR)
    assert why.thread_gap is not None
    flush = next(part for part in why.thread_gap.parts if part.part_id == "thread.redo_flush")
    assert (flush.left_work, flush.right_work) == pytest.approx((0.5, flushes))
    assert flush.by_work_ms is not None and flush.by_cost_ms is not None
    assert flush.by_work_ms + flush.by_cost_ms == pytest.approx(flush.difference.ms)
    assert any(words in line for line in why.lines)


def test_a_long_history_is_read_from_the_results(tmp_path: Path) -> None:
    slow = {"on_cpu": 0.6, "run_queue": 0.2, "wait.client": 0.1, "wait.redo_flush": 0.1}
    counted = {PAIR[0]: {"engine.history.length": 90.0}, PAIR[1]: {"engine.history.length": 2e6}}
    planted = PlantedTimes(SLOW, axes=LAST_PLACE, states={PAIR[0]: ALIKE, PAIR[1]: slow}, counted=counted)
    ranking = why_of(analyse_study(planted.write(tmp_path / "history")), PAIR).ranking
    assert ranking is not None and ranking.causes[0].cause.cause_id == "purge-lag"


def test_equal_threads_have_no_decided_part(tmp_path: Path) -> None:
    decided = 0
    for seed in range(20):
        analysis = _analysis(tmp_path / f"{seed}", {target: ALIKE for target in PAIR}, seed, LAST_PLACE)
        gap = why_of(analysis).thread_gap
        decided += gap is not None and bool(gap.with_verdict("decided"))
    assert decided <= 1


def test_much_time_without_a_name_is_called_partial(tmp_path: Path) -> None:
    unnamed = {**ALIKE, "wait.redo_flush": 0.0, "wait.not_named": 0.2}
    analysis = _analysis(tmp_path / "partial", {target: unnamed for target in PAIR}, axes=LAST_PLACE)
    assert all("partial" in run.missing for run in _breakdowns(analysis))


def test_without_watched_threads_there_is_no_second_split(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path / "none", {})
    assert analysis.thread_explanation is None
    why = why_of(analysis)
    assert why.thread_gap is None and len(why.lines) == 3
    assert "why-threads" not in page_text(analysis.results)


def test_one_target_without_watched_threads_leaves_the_whole_time(tmp_path: Path) -> None:
    analysis = _analysis(tmp_path / "half", {PAIR[0]: ALIKE}, axes=LAST_PLACE)
    why = why_of(analysis)
    assert why.thread_gap is not None and why.thread_gap.parts == ()
    assert why.thread_gap.missing and f"Note: {why.thread_gap.missing}." in why.lines[-1]


class _SomeWatched(PlantedTimes):
    """The threads of the slower target were watched in this many of its runs."""

    watched = 3

    def stored(self, run: Run) -> StoredRun:
        stored = super().stored(run)
        if run.cell.target == PAIR[1] and run.repeat > self.watched:
            caveat = Caveat("session-threads", "activity of the server's threads is unknown: the sampler came late")
            return replace(stored, record=replace(stored.record, caveats=(caveat,)), telemetry=[])
        return stored


@pytest.mark.parametrize(("watched", "has_parts"), [(2, True), (1, False)])
def test_a_run_without_watched_threads_leaves_the_split_to_the_others(
    tmp_path: Path, watched: int, has_parts: bool
) -> None:
    """One of three samplers that came late on a busy machine took the parts from all three runs, without a word."""
    slow = {**ALIKE, "wait.redo_flush": 0.4, "wait.client": 0.0}
    planted = _SomeWatched(SLOW, axes=LAST_PLACE, states={PAIR[0]: ALIKE, PAIR[1]: slow})
    planted.watched = watched
    why = why_of(analyse_study(planted.write(tmp_path / "some")), PAIR)
    assert why.thread_gap is not None and bool(why.thread_gap.parts) == has_parts
    assert ("parts of mysql:9.7 are of 2 of 3 runs" in why.lines[-1]) == has_parts
    assert "the sampler came late" in why.lines[-1]
    assert why.ranking is not None
    assert why.ranking.causes[0].cause.cause_id == ("redo-flushes" if has_parts else "commits")


def test_without_the_kernel_s_account_of_the_threads_the_statements_tell(tmp_path: Path) -> None:
    states = {name: share for name, share in ALIKE.items() if name != "run_queue"}
    planted = PlantedTimes(SLOW, axes=LAST_PLACE, states={target: states for target in PAIR})
    analysis = analyse_study(planted.write(tmp_path / "account"))
    why = why_of(analysis, PAIR)
    assert why.thread_gap is not None and why.thread_gap.parts == ()
    assert why.ranking is not None and why.ranking.causes[0].claims.keys() <= {"statement.commit"}
    assert page_text(analysis.results) and markdown_text(analysis.results)
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))["threads"]
    assert len(found["missing"]) == 1 and "kernel" in found["missing"][0]
