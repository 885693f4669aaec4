"""Proofs beside a study of planted times: judged, shown everywhere, and the cause's grade follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbdyno.analyse.explain import (
    Cause,
    Difference,
    Gap,
    Proof,
    ProofTimes,
    ProofVerdict,
    RunTimes,
    causes,
    judge_proof,
)
from dbdyno.configure import own_values
from dbdyno.core import AlteredError, Cell, Run
from dbdyno.plan import alterations, proof_study
from dbdyno.report import StudyAnalysis, Why, analyse_study, markdown_text, page_text, why_object, why_of
from dbdyno.report.why import _proofs
from dbdyno.report.why._proofs import StoredProof, proved_causes
from dbdyno.store import FolderCheck, ProofNote, StoredStudy, write_proof_note
from dbdyno.study import study_text
from error_codes import raises_code
from explained_study import LAST_PLACE, SIX_PLACES, PlantedTimes

FAST, SLOW = "mariadb:11.8", "mysql:9.7"
ALIKE = {"on_cpu": 0.2, "run_queue": 0.05, "wait.client": 0.25, "wait.redo_flush": 0.5}
STALLED = {"on_cpu": 0.12, "run_queue": 0.03, "wait.client": 0.15, "wait.redo_flush": 0.3, "wait.redo_space": 0.4}
LONGER = {"commit": 3.0, "index_update": 3.0, "insert": 3.0}


def _study(folder: Path, pinning: str = "", axes: str = LAST_PLACE) -> StudyAnalysis:
    planted = PlantedTimes({SLOW: LONGER}, repeats=4, axes=axes, states={FAST: ALIKE, SLOW: STALLED})
    planted.text += pinning
    return analyse_study(planted.write(folder))


def _prove(analysis: StudyAnalysis, *, comes_back: bool) -> Why:
    """Store what an experiment would have: the redo log larger, and the waits for room in it gone."""
    gap = why_of(analysis).gap
    assert gap is not None and gap.right.target == SLOW
    row = alterations()["redo-capacity"]
    made = proof_study(analysis.study, gap.right, row, base=own_values(gap.right.tier_bytes))
    note = ProofNote(
        "redo-capacity", made.words, gap.left, gap.right, made.control, made.altered, row.removes, gap.total.ms
    )
    folder = write_proof_note(analysis.results.path, "redo-capacity-1234", note)
    other = ALIKE if comes_back else {**STALLED, "wait.redo_space": 0.0, "wait.redo_flush": 0.7}
    times = {SLOW: LONGER, made.altered.target: {} if comes_back else LONGER}
    planted = PlantedTimes(times, seed=2, states={SLOW: STALLED, made.altered.target: other})
    planted.text = study_text(made.study)
    planted.write(folder)
    return why_of(analyse_study(StoredStudy.open(analysis.results.path)))


@pytest.mark.parametrize(
    ("comes_back", "verdict", "grade"), [(True, "proved", "caused by"), (False, "refuted", "refuted")]
)
def test_a_proof_decides_the_grade_of_its_cause(tmp_path: Path, comes_back: bool, verdict: str, grade: str) -> None:
    analysis = _study(tmp_path / "study")
    assert why_of(analysis).ranking is not None
    assert analysis.results.path == tmp_path / "study"
    why = _prove(analysis, comes_back=comes_back)
    (found,) = why.proofs
    assert found.proof.verdict == verdict
    assert why.ranking is not None
    grades = {one.cause.cause_id: one.grade for one in why.ranking.causes}
    assert grades["redo-small"] == grade
    if not comes_back:
        assert why.ranking.causes[-1].cause.cause_id == "redo-small"
    assert list(found.proof.also) == ([] if comes_back else ["redo flush"])


@pytest.mark.parametrize(
    ("pinning", "processors", "has_client"),
    [
        ("", 4, True),
        ('[pinning]\nserver = "0"\nclient = "1"\n', 1, False),
        ('[pinning]\nserver = "0-1"\nclient = "1"\n', 2, True),
        ('[pinning]\nserver = "0-1"\n', 2, False),
    ],
)
def test_the_bound_counts_the_processors_that_the_server_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pinning: str, processors: int, has_client: bool
) -> None:
    judged: list[ProofTimes] = []

    def judge(times: ProofTimes) -> Proof:
        judged.append(times)
        return judge_proof(times)

    monkeypatch.setattr(_proofs, "judge_proof", judge)
    why = _prove(_study(tmp_path / "study", pinning), comes_back=False)
    assert {times.processors for times in judged} == {processors}
    assert {times.client_cpu_ms > 0 for times in judged} == {has_client}
    # 16 connections that are on a processor for 12 % of T use up one or two processors without the wait, too.
    assert processors == 2 or why.proofs[0].proof.verdict == ("undecided" if processors == 1 else "refuted")


@pytest.mark.parametrize(("rests", "rest_ms"), [(True, 1597.5), (False, 0.0)])
def test_connections_rest_for_what_their_transactions_leave_of_the_time(rests: bool, rest_ms: float) -> None:
    """16 connections commit 10 transactions of 2.5 ms in a second."""
    run = RunTimes(Run(LEFT, 1, 0, 1, ""), rests, 10.0, 100, 100, 250.0)
    assert _proofs._rest_ms([run, run]) == pytest.approx(rest_ms)


LEFT, RIGHT = (Cell(target, 512 << 20, 16, "sysbench/oltp_read_write", "socket") for target in (FAST, SLOW))
NO_CHANGE = Difference(1.0, 2.0, 0.9, 1.1, 0.01, "decided")
GAP = Gap(LEFT, RIGHT, NO_CHANGE, (), None, None, 4)


def _graded(
    alteration: str, verdict: ProofVerdict, control: Cell = RIGHT, changed: tuple[str, ...] | None = None
) -> set[tuple[str, bool]]:
    """Return the causes of which a proof says what it found, by default one that changed all parts of its row."""
    row = alterations()[alteration]
    note = ProofNote(alteration, "", LEFT, RIGHT, control, control, row.removes, 1.0, row.slows_ns / 1e6)
    proof = Proof(verdict, 2.0, 1.0, None, None, changed=row.removes if changed is None else changed)
    graded = proved_causes([StoredProof(note, proof)], GAP)
    assert set(graded.values()) <= {verdict}
    return set(graded)


@pytest.mark.parametrize(
    ("alteration", "proved", "refuted_only"),
    [
        (
            "durability-relaxed",
            {"durability", "more-flushes", "redo-flushes", "commit-order", "commits"},
            {"slow-flushes"},
        ),
        ("buffer-pool", {"buffer-pool-small", "reads"}, {"slow-reads"}),
        ("block-cache", {"block-cache-small", "reads"}, {"slow-reads"}),
        ("delayed-reads", {"block-cache-small", "reads", "slow-reads"}, {"buffer-pool-small"}),
        ("binary-log-off", {"binary-log-written", "binary-log-bytes", "binary-log-slow"}, set()),
    ],
)
def test_a_proof_grades_what_its_alteration_can_tell_of_the_side_that_it_ran_on(
    alteration: str, proved: set[str], refuted_only: set[str]
) -> None:
    """Fewer reads don't show that each was slow; slower reads don't show that there were too many."""
    assert proved <= {name for name, _ in _graded(alteration, "proved")}
    assert not refuted_only & {name for name, _ in _graded(alteration, "proved")}
    refuted = _graded(alteration, "refuted")
    assert {name for name, _ in refuted} == {name for name, _ in _graded(alteration, "proved")} | refuted_only
    assert {is_against for _, is_against in refuted} == {False}
    assert {is_against for _, is_against in _graded(alteration, "refuted", LEFT)} == {True}


@pytest.mark.parametrize(
    ("changed", "proved"),
    [
        ("thread.redo_flush", {"durability", "more-flushes", "redo-flushes", "commits"}),
        ("thread.commit_order", {"commit-order", "commits"}),
    ],
)
def test_a_cause_whose_own_part_kept_its_time_is_not_proved(changed: str, proved: set[str]) -> None:
    """Relaxed durability removes three waits; what came back from one of them says nothing of the other two."""
    assert {name for name, _ in _graded("durability-relaxed", "proved", changed=(changed,))} == proved


@pytest.mark.parametrize("cause", [cause for cause in causes() if cause.alteration], ids=lambda cause: cause.cause_id)
def test_an_alteration_removes_a_part_that_its_cause_claims(cause: Cause) -> None:
    """Otherwise the prediction is about other time, and what the cause claims can be refuted by it."""
    removes, claimed = alterations()[cause.alteration].removes, {claim.part for claim in cause.all_claims}
    is_by_thread = all(part.startswith("thread.") for part in claimed)
    assert not removes or not is_by_thread or claimed & set(removes)


@pytest.mark.parametrize(("changed", "graded"), [(("thread.on_cpu",), {("performance-schema", False)}), ((), set())])
def test_an_alteration_that_removes_a_share_of_parts_grades_its_own_cause_alone(
    changed: tuple[str, ...], graded: set[tuple[str, bool]]
) -> None:
    """Processor time that goes with performance_schema says nothing of more rows, which claim the same parts."""
    parts = {"thread.on_cpu": 0.3, "thread.run_queue": 0.3}
    note = ProofNote("performance-schema-off", "", LEFT, RIGHT, RIGHT, RIGHT, tuple(parts), 1.0, claimed=parts)
    proof = Proof("proved", 2.0, 1.0, None, None, changed=changed)
    assert set(proved_causes([StoredProof(note, proof)], GAP)) == graded


@pytest.mark.parametrize("alteration", ["durability-relaxed", "redo-capacity", "buffer-pool"])
def test_the_binary_log_is_proved_by_its_own_alteration_alone(alteration: str) -> None:
    assert not {name for name, _ in _graded(alteration, "proved") if name.startswith("binary-log")}


def test_page_markdown_and_program_have_it(tmp_path: Path) -> None:
    why = _prove(_study(tmp_path / "study"), comes_back=True)
    results = StoredStudy.open(tmp_path / "study")
    page = page_text(results)
    assert 'data-csv="why-proofs"' in page and "redo.capacity 256 MiB to 2 GiB" in page
    assert "redo.capacity" in markdown_text(results)
    (found,) = json.loads(json.dumps(why_object(analyse_study(results), why), allow_nan=False))["proofs"]
    assert (found["alteration"], found["verdict"]) == ("redo-capacity", "proved")
    assert found["predicted"]["low"] <= found["predicted"]["ms"] <= found["predicted"]["high"] < 0


def test_a_proof_of_another_pair_or_without_runs_is_not_shown(tmp_path: Path) -> None:
    analysis = _study(tmp_path / "study", axes=SIX_PLACES)
    gap = why_of(analysis).gap
    assert gap is not None
    note = ProofNote("redo-capacity", "", gap.left, gap.right, gap.right, gap.right, (), 1.0)
    write_proof_note(analysis.results.path, "redo-capacity-5678", note)
    assert why_of(analyse_study(StoredStudy.open(analysis.results.path))).proofs == ()
    _prove(analysis, comes_back=True)
    again = analyse_study(StoredStudy.open(analysis.results.path))
    assert len(why_of(again).proofs) == 1
    assert why_of(again, at="64MB,4").proofs == ()


def test_a_proof_that_can_not_be_read_decides_nothing_and_is_named(tmp_path: Path) -> None:
    """Versions before this one let `--rounds 0` write a study that no reader takes."""
    _prove(_study(tmp_path / "study"), comes_back=True)
    folder = tmp_path / "study" / "proofs" / "redo-capacity-1234"
    file = folder / "study.toml"
    file.write_text(file.read_text().replace("repeats = 4", "repeats = 0"))
    results = StoredStudy.open(tmp_path / "study", check=FolderCheck(allow_altered=True))
    why = why_of(analyse_study(results))
    (found,) = why.proofs
    assert (found.proof.verdict, found.proof.observed) == ("undecided", None)
    assert str(folder) in found.proof.reason and why.ranking is not None
    assert "caused by" not in {one.grade for one in why.ranking.causes}
    assert json.dumps(why_object(analyse_study(results), why), allow_nan=False)
    assert "repeats" in markdown_text(results)


@pytest.mark.parametrize("name", ["redo-capacity-1234.json", "redo-capacity-1234/journal.jsonl"])
def test_an_altered_proof_is_refused_unless_it_may_be(tmp_path: Path, name: str) -> None:
    _prove(_study(tmp_path / "study"), comes_back=True)
    file = tmp_path / "study" / "proofs" / name
    file.write_text(file.read_text().replace("redo", "rodo", 1) if name.endswith(".json") else "")
    with raises_code(AlteredError, "altered"):
        why_of(analyse_study(StoredStudy.open(tmp_path / "study")))
    allowed = StoredStudy.open(tmp_path / "study", check=FolderCheck(allow_altered=True))
    assert len(why_of(analyse_study(allowed)).proofs) == 1
