"""Proofs of planted truth: what takes the time is proved, what does not is refuted, what can't be told stays open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse.explain import Breakdown, Claim, Effect, Part, Proof, ProofTimes, judge_proof, rest_of
from dbdyno.analyse.explain._proof import _TOO_WIDE, _verdict, _VerdictWords
from dbdyno.core import Cell, Route, Run

CONTROL = Cell("mysql:9.7", 512 << 20, 8, "sysbench/oltp_write_only", "socket")
ALTERED = replace(CONTROL, target="mysql:9.7 redo-capacity")
REMOVED = ("thread.redo_space",)
PARTS = {"thread.on_cpu": 0.4, "thread.client": 0.6, "thread.redo_flush": 2.0, "thread.redo_space": 3.0}


def _breakdowns(
    cell: Cell, parts: Mapping[str, float], random: np.random.Generator, rounds: int = 4, spread: float = 0.02
) -> list[Breakdown]:
    runs = []
    for number in range(rounds):
        luck = random.normal(0, spread)
        named = tuple(
            Part(name, name, ms * math.exp(luck + random.normal(0, spread)), "planted") for name, ms in parts.items()
        )
        total = sum(part.ms for part in named)
        runs.append(
            Breakdown(Run(cell, number + 1, number, 1, ""), "threads", total, (*named, rest_of(total, named)), 1)
        )
    return runs


def _proof(
    altered: Mapping[str, float],
    *,
    seed: int = 1,
    before: Mapping[str, float] = PARTS,
    removes: tuple[str, ...] = REMOVED,
    processors: int = 16,
    spread: float = 0.02,
    gap_ms: float = 3.0,
) -> Proof:
    random = np.random.default_rng(seed)
    runs = {
        CONTROL: _breakdowns(CONTROL, before, random, spread=spread),
        ALTERED: _breakdowns(ALTERED, altered, random, spread=spread),
    }
    return judge_proof(ProofTimes(runs, CONTROL, ALTERED, removes, processors, 0.05, gap_ms))


def test_a_part_that_takes_the_time_is_proved() -> None:
    proof = _proof({**PARTS, "thread.redo_space": 0.0})
    assert proof.verdict == "proved"
    assert proof.predicted is not None and proof.observed is not None
    assert proof.predicted.ms == pytest.approx(-3.0, rel=0.1)
    assert proof.observed.ms == pytest.approx(-3.0, rel=0.2)
    assert proof.observed.low < -3.0 < proof.observed.high
    half = proof.predicted.high - proof.predicted.ms
    assert proof.predicted.ms - proof.predicted.low == pytest.approx(half) and 0 < half < 0.5


def test_cells_that_two_benches_made_prove_nothing() -> None:
    """Earlier versions gave each of several benches one of the two, where memory or the workload was changed."""
    random = np.random.default_rng(1)
    sides = {CONTROL: ("a", PARTS), ALTERED: ("b", {**PARTS, "thread.redo_space": 0.0})}
    runs = {
        cell: [replace(run, bench=bench) for run in _breakdowns(cell, parts, random)]
        for cell, (bench, parts) in sides.items()
    }
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, REMOVED, 16, 0.05, 3.0))
    assert (proof.verdict, proof.observed) == ("undecided", None)
    assert "bench" in proof.reason


def test_a_wait_that_another_takes_the_place_of_is_refuted() -> None:
    """The part goes away and the time does not: it was hidden behind the flushes."""
    proof = _proof({**PARTS, "thread.redo_space": 0.0, "thread.redo_flush": 5.0})
    assert proof.verdict == "refuted"
    assert proof.also["thread.redo_flush"] == pytest.approx(3.0, rel=0.2)


def test_a_wait_whose_place_another_takes_in_part_stays_open() -> None:
    proof = _proof({**PARTS, "thread.redo_space": 0.0, "thread.redo_flush": 3.2}, spread=0.005)
    assert proof.verdict == "undecided"
    assert "place" in proof.reason and list(proof.also) == ["thread.redo_flush"]


def test_what_holds_nothing_and_brings_nothing_is_refuted() -> None:
    before = {**PARTS, "thread.redo_space": 0.01}
    assert _proof(before, before=before).verdict == "refuted"


def test_what_holds_nothing_and_brings_something_stays_open() -> None:
    before = {**PARTS, "thread.redo_space": 0.01}
    proof = _proof({**before, "thread.redo_flush": 0.5}, before=before)
    assert proof.verdict == "undecided"


def test_an_alteration_that_leaves_the_part_in_place_decides_nothing() -> None:
    proof = _proof({**PARTS, "thread.redo_space": 2.9})
    assert proof.verdict == "undecided"
    assert "in place" in proof.reason


def test_time_that_is_gained_elsewhere_proves_nothing() -> None:
    """The sessions still wait for room in the redo log; its flushes went away."""
    proof = _proof({**PARTS, "thread.redo_space": 2.9, "thread.redo_flush": 0.0, "thread.client": 0.2})
    assert proof.observed is not None and proof.observed.ms == pytest.approx(-2.5, rel=0.1)
    assert (proof.verdict, proof.changed) == ("undecided", ())
    assert "gained elsewhere" in proof.reason


def test_parts_that_changed_are_told_from_those_that_stayed() -> None:
    before = {**PARTS, "thread.commit_order": 0.02}
    proof = _proof(
        {**before, "thread.redo_space": 0.1}, before=before, removes=("thread.redo_space", "thread.commit_order")
    )
    assert (proof.verdict, proof.changed) == ("proved", ("thread.redo_space",))


def test_more_than_the_part_may_come_back_and_is_named() -> None:
    proof = _proof({**PARTS, "thread.redo_space": 0.0, "thread.redo_flush": 0.2})
    assert proof.verdict == "proved"
    assert list(proof.also) == ["thread.redo_flush"]


def test_processors_bound_what_can_come_back() -> None:
    """Eight connections of 0.45 ms of work on one processor take 3.6 ms, whatever they wait for."""
    altered = {**PARTS, "thread.redo_space": 0.0, "thread.run_queue": 0.6}
    proof = _proof(altered, processors=1)
    assert proof.predicted is not None
    assert proof.predicted.ms == pytest.approx(3.6 - 6.0, rel=0.1)
    assert proof.predicted.low < proof.predicted.ms - 0.01 and proof.predicted.ms + 0.01 < proof.predicted.high
    assert proof.verdict == "proved"


def test_connections_that_rest_leave_the_processors_idle_meanwhile() -> None:
    """Eight connections that rest for 100 ms after 0.85 ms of work keep one processor busy for 6 % of the time."""
    random = np.random.default_rng(1)
    runs = {
        CONTROL: _breakdowns(CONTROL, {**PARTS, "thread.on_cpu": 0.8}, random),
        ALTERED: _breakdowns(ALTERED, {**PARTS, "thread.on_cpu": 0.8, "thread.redo_space": 0.0}, random),
    }
    times = ProofTimes(runs, CONTROL, ALTERED, REMOVED, 1, 0.05, 3.0)
    assert judge_proof(times).predicted is None
    proof = judge_proof(replace(times, rest_ms=100.0))
    assert proof.verdict == "proved"
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(-3.0, rel=0.1)
    assert "processors" not in proof.reason


def test_used_up_processors_refute_nothing() -> None:
    """What is waited for on the redo log is waited for on the processors once the log is fast."""
    before = {"thread.on_cpu": 0.7, "thread.run_queue": 2.3, "thread.redo_space": 3.0}
    altered = {**before, "thread.run_queue": 5.3, "thread.redo_space": 0.0}
    proof = _proof(altered, before=before, processors=1)
    assert (proof.verdict, proof.predicted) == ("undecided", None)
    assert proof.observed is not None
    assert "processors" in proof.reason and "processors" not in _proof(altered, before=before, processors=8).reason


def test_a_control_without_sampled_threads_refutes_nothing() -> None:
    random = np.random.default_rng(1)
    runs = {cell: _breakdowns(cell, PARTS, random) for cell in (CONTROL, ALTERED)}
    runs[CONTROL] = [replace(run, parts=()) for run in runs[CONTROL]]
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, REMOVED, 16, 0.05, 3.0))
    assert (proof.verdict, proof.predicted) == ("undecided", None)
    assert "not sampled" in proof.reason
    runs = {cell: _breakdowns(cell, PARTS, random) for cell in (CONTROL, ALTERED)}
    runs[ALTERED] = [replace(run, parts=()) for run in runs[ALTERED]]
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, REMOVED, 16, 0.05, 3.0))
    assert proof.verdict == "undecided" and proof.predicted is not None


@pytest.mark.parametrize(("route", "predicted_ms"), [("network", -3.0), ("loopback", -1.2)])
def test_a_client_on_its_own_host_takes_none_of_the_server_s_processors(route: Route, predicted_ms: float) -> None:
    random = np.random.default_rng(1)
    control, altered = replace(CONTROL, route=route), replace(ALTERED, route=route)
    runs = {
        control: _breakdowns(control, PARTS, random),
        altered: _breakdowns(altered, {**PARTS, "thread.redo_space": 0.0}, random),
    }
    proof = judge_proof(ProofTimes(runs, control, altered, REMOVED, 2, 0.8, 3.0))
    assert proof.predicted is not None
    assert proof.predicted.ms == pytest.approx(predicted_ms, rel=0.1)


def test_noise_leaves_it_open() -> None:
    assert _proof({**PARTS, "thread.redo_space": 0.0}, spread=0.6).verdict == "undecided"


def test_nothing_is_predicted_without_threads_or_parts() -> None:
    proof = _proof({**PARTS, "thread.redo_space": 0.0}, removes=())
    assert (proof.verdict, proof.predicted) == ("undecided", None)
    assert proof.observed is not None
    random = np.random.default_rng(1)
    runs = {
        cell: [replace(run, split="statements") for run in _breakdowns(cell, PARTS, random)]
        for cell in (CONTROL, ALTERED)
    }
    assert judge_proof(ProofTimes(runs, CONTROL, ALTERED, REMOVED, 16, 0.05, 3.0)).predicted is None


def test_time_that_slower_calls_add_elsewhere_proves_nothing() -> None:
    random = np.random.default_rng(1)
    altered = {**PARTS, "thread.client": PARTS["thread.client"] + 0.5}
    runs = {
        cell: [_with_flushes(run) for run in _breakdowns(cell, parts, random, spread=0.005)]
        for cell, parts in ((CONTROL, PARTS), (ALTERED, altered))
    }
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, ("thread.redo_flush",), 16, 0.05, 3.0, slows_ms=1.0))
    assert proof.verdict == "undecided" and "elsewhere" in proof.reason


@pytest.mark.parametrize(("grown_ms", "verdict"), [(0.5, "proved"), (0.0, "refuted")])
def test_a_slow_down_tells_whether_calls_are_waited_for(grown_ms: float, verdict: str) -> None:
    """Half a flush in each transaction, each 1 ms slower: 0.5 ms come on top, or none if they are hidden."""
    random = np.random.default_rng(1)
    altered = {**PARTS, "thread.redo_flush": PARTS["thread.redo_flush"] + grown_ms}
    runs = {
        cell: _breakdowns(cell, parts, random, spread=0.005) for cell, parts in ((CONTROL, PARTS), (ALTERED, altered))
    }
    flushing = {cell: [_with_flushes(run) for run in own] for cell, own in runs.items()}
    removes = ("thread.redo_flush",)
    proof = judge_proof(ProofTimes(flushing, CONTROL, ALTERED, removes, 16, 0.05, 3.0, slows_ms=1.0))
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(0.5)
    assert proof.verdict == verdict
    assert "gained" not in proof.reason and ("added" in proof.reason) == (verdict == "refuted")


@pytest.mark.parametrize(("work", "grown_ms", "verdict"), [(0.5, 0.5, "proved"), (0.1, 0.1, "undecided")])
def test_a_small_delay_refutes_nothing_of_a_large_difference(work: float, grown_ms: float, verdict: str) -> None:
    random = np.random.default_rng(1)
    altered = {**PARTS, "thread.redo_flush": PARTS["thread.redo_flush"] + grown_ms}
    runs = {
        cell: [
            replace(run, parts=tuple(replace(part, work=work) for part in run.parts))
            for run in _breakdowns(cell, parts, random, spread=0.005)
        ]
        for cell, parts in ((CONTROL, PARTS), (ALTERED, altered))
    }
    times = ProofTimes(runs, CONTROL, ALTERED, ("thread.redo_flush",), 16, 0.05, 20.0, slows_ms=1.0)
    assert judge_proof(times).verdict == verdict


def test_flushes_that_a_server_does_not_count_are_waited_for_once() -> None:
    random = np.random.default_rng(1)
    slower = {**PARTS, "thread.redo_flush": PARTS["thread.redo_flush"] + 1.0}
    runs = {CONTROL: _breakdowns(CONTROL, PARTS, random), ALTERED: _breakdowns(ALTERED, slower, random)}
    removes = ("thread.redo_flush",)
    times = ProofTimes(runs, CONTROL, ALTERED, removes, 16, 0.05, 3.0, slows_ms=1.0, least_calls=1.0)
    proof = judge_proof(times)
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(1.0)
    assert judge_proof(replace(times, least_calls=0.0)).predicted is None
    assert judge_proof(replace(times, removes=("thread.absent",))).predicted is None


def test_calls_are_counted_also_in_runs_in_which_no_sample_found_them() -> None:
    random = np.random.default_rng(1)
    slower = {**PARTS, "thread.redo_flush": PARTS["thread.redo_flush"] + 0.5}
    runs = {CONTROL: _breakdowns(CONTROL, PARTS, random), ALTERED: _breakdowns(ALTERED, slower, random)}
    flushing = {cell: [_with_flushes(run) for run in own] for cell, own in runs.items()}
    rare = flushing[CONTROL][0]
    unseen = tuple(part for part in rare.parts if part.part_id != "thread.redo_flush")
    flushing[CONTROL][0] = replace(rare, parts=unseen, unsampled_work={"thread.redo_flush": 0.5})
    removes = ("thread.redo_flush",)
    proof = judge_proof(ProofTimes(flushing, CONTROL, ALTERED, removes, 16, 0.05, 3.0, slows_ms=1.0))
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(0.5)


def _with_flushes(run: Breakdown) -> Breakdown:
    parts = tuple(
        replace(part, work=0.5, unit="flushes") if part.part_id == "thread.redo_flush" else part for part in run.parts
    )
    return replace(run, parts=parts)


@pytest.mark.parametrize(
    ("predicted_ms", "observed", "verdict", "words"),
    [
        # What counts is 0.2 ms of the 0.8 to be explained. Less than that is predicted:
        (0.1, (0.0, -0.1, 0.19), "refuted", "nothing"),
        (0.1, (0.3, 0.1, 0.5), "undecided", "elsewhere"),
        (0.1, (0.1, -0.1, 0.39), "refuted", "nothing"),
        (0.1, (0.1, -0.1, 0.4), "undecided", _TOO_WIDE),
        (0.1, (0.25, 0.1, 0.39), "undecided", "elsewhere"),
        # Three quarters of it came, or as much as was predicted may have:
        (3.0, (2.25, 2.0, 2.5), "proved", ""),
        (3.0, (2.2, 1.4, 3.0), "proved", ""),
        (3.0, (9.0, 8.0, 10.0), "proved", ""),
        (3.0, (2.2, 1.9, 2.9), "undecided", "part"),
        (3.0, (1.0, 0.4, 1.6), "undecided", "part"),
        (3.0, (2.5, -0.1, 5.1), "undecided", _TOO_WIDE),
        (3.0, (1.0, -0.4, 2.4), "undecided", _TOO_WIDE),
        # Not half of it can have come, or less than counts:
        (3.0, (1.0, 0.6, 1.49), "refuted", "little"),
        (3.0, (-1.0, -1.5, -0.5), "refuted", "little"),
        (0.3, (0.0, -0.1, 0.19), "refuted", "little"),
        (0.3, (0.0, -0.3, 0.25), "undecided", _TOO_WIDE),
    ],
)
def test_a_verdict_is_what_the_interval_of_the_effect_allows(
    predicted_ms: float, observed: tuple[float, float, float], verdict: str, words: str
) -> None:
    predicted = Effect(predicted_ms, predicted_ms - 0.05, predicted_ms + 0.05)
    said = _VerdictWords("nothing", "elsewhere", "little", "part", "stayed")
    assert _verdict(predicted, Effect(*observed), 0.2, 0.8, said) == (verdict, words)


@pytest.mark.parametrize(("gap_ms", "verdict"), [(25.0, "proved"), (40.0, "refuted"), (-40.0, "refuted")])
def test_a_tenth_of_what_is_to_be_explained_is_the_least_that_counts(gap_ms: float, verdict: str) -> None:
    """The part holds 3 ms: a tenth of 25 is less, a tenth of 40 is more."""
    assert _proof({**PARTS, "thread.redo_space": 0.0}, gap_ms=gap_ms).verdict == verdict


def test_a_slow_down_adds_as_much_as_its_calls_and_their_delay() -> None:
    """Two calls of one part and one of another, each 0.25 ms slower: 0.75 ms; in one run of four there is one more."""
    random = np.random.default_rng(1)
    works = {"thread.redo_flush": 2.0, "thread.redo_space": 1.0}
    runs = {cell: _breakdowns(cell, PARTS, random) for cell in (CONTROL, ALTERED)}
    runs = {
        cell: [
            replace(run, parts=tuple(replace(part, work=works.get(part.part_id)) for part in run.parts)) for run in own
        ]
        for cell, own in runs.items()
    }
    more = runs[CONTROL][0]
    parts = tuple(replace(part, work=2.0) if part.part_id == "thread.redo_space" else part for part in more.parts)
    runs[CONTROL][0] = replace(more, parts=parts)
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, tuple(works), 16, 0.05, 3.0, slows_ms=0.25))
    assert proof.predicted == Effect(pytest.approx(0.25 * 3.25), 0.75, 1.0)


def test_a_cell_without_a_level_is_named() -> None:
    runs = {CONTROL: _breakdowns(CONTROL, PARTS, np.random.default_rng(1))}
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, REMOVED, 16, 0.05, 3.0))
    assert (proof.verdict, proof.observed) == ("undecided", None)
    assert ALTERED.target in proof.reason and CONTROL.target not in proof.reason.replace(ALTERED.target, "")


def test_true_causes_are_seldom_refuted_and_false_ones_seldom_proved() -> None:
    true = [_proof({**PARTS, "thread.redo_space": 0.0}, seed=seed, spread=0.05).verdict for seed in range(60)]
    hidden = {**PARTS, "thread.redo_space": 0.0, "thread.redo_flush": 5.0}
    false = [_proof(hidden, seed=seed, spread=0.05).verdict for seed in range(60)]
    assert true.count("proved") >= 54 and true.count("refuted") == 0
    assert false.count("refuted") >= 48 and false.count("proved") <= 1


def test_a_wrong_cause_is_refuted_where_noise_leaves_room_for_less_than_half_of_the_difference() -> None:
    """Its parts hold nothing, and the interval reaches beyond a tenth of the difference, but not to half of it."""
    before = {**PARTS, "thread.redo_space": 0.01}
    proof = _proof({**before, "thread.client": 0.5}, before=before, spread=0.05, gap_ms=4.0)
    assert proof.observed is not None and -2.0 < proof.observed.low < -0.4
    assert proof.verdict == "refuted"
    assert _proof(before, before=before, spread=0.05, gap_ms=0.5).verdict == "undecided"


def test_waits_that_take_the_place_of_the_removed_ones_are_not_predicted_to_go() -> None:
    """Without a binary log the flush of the redo log is waited for again, as on the other target."""
    before = {**PARTS, "thread.redo_flush": 0.1, "thread.commit_order": 3.5}
    after = {**before, "thread.commit_order": 0.0, "thread.redo_flush": 1.7}
    random = np.random.default_rng(1)
    runs = {CONTROL: _breakdowns(CONTROL, before, random), ALTERED: _breakdowns(ALTERED, after, random)}
    times = ProofTimes(runs, CONTROL, ALTERED, ("thread.commit_order",), 16, 0.05, 1.9)
    assert judge_proof(times).verdict == "undecided"
    proof = judge_proof(replace(times, brought_back_ms=1.6))
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(-1.9, rel=0.1)
    assert proof.verdict == "proved"


DEARER = {**PARTS, "thread.on_cpu": 0.8, "thread.run_queue": 0.6}
CLAIM = Claim({"thread.on_cpu": 0.5, "thread.run_queue": 0.5}, 0.2)


def _claimed(claim: Claim, altered: Mapping[str, float], *, gap_ms: float = 0.7, spread: float = 0.01) -> Proof:
    random = np.random.default_rng(1)
    runs = {
        cell: _breakdowns(cell, parts, random, spread=spread) for cell, parts in ((CONTROL, DEARER), (ALTERED, altered))
    }
    return judge_proof(ProofTimes(runs, CONTROL, ALTERED, tuple(claim.shares), 16, 0.05, gap_ms, claim=claim))


def test_a_share_of_processor_time_that_a_cause_claims_is_proved() -> None:
    proof = _claimed(CLAIM, {**DEARER, "thread.on_cpu": 0.4, "thread.run_queue": 0.3})
    assert proof.verdict == "proved"
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(-0.7, rel=0.05)
    assert proof.predicted.high - proof.predicted.ms >= 0.2 * 0.7, "the claim itself is known no better"
    assert set(proof.changed) == set(CLAIM.shares)


def test_a_claim_whose_setting_takes_nothing_away_is_refuted() -> None:
    """The setting is off, as the server showed: parts that stay are an answer, not a failed alteration."""
    assert _claimed(CLAIM, DEARER).verdict == "refuted"


def test_a_cause_that_claims_nothing_is_refuted_where_nothing_comes() -> None:
    proof = _claimed(Claim({}), DEARER)
    assert (proof.verdict, proof.predicted) == ("refuted", Effect(0.0, 0.0, 0.0).times(-1))


def test_processor_time_that_stays_bounds_what_a_claim_predicts() -> None:
    """Half of 0.8 ms of work and 0.05 of the client's remain: eight connections on one processor take 3.6 ms."""
    before = {"thread.on_cpu": 0.8, "thread.run_queue": 5.0}
    claim = Claim({"thread.on_cpu": 0.5, "thread.run_queue": 0.9}, 0.2)
    random = np.random.default_rng(1)
    after = {"thread.on_cpu": 0.4, "thread.run_queue": 3.2}
    runs = {cell: _breakdowns(cell, parts, random) for cell, parts in ((CONTROL, before), (ALTERED, after))}
    proof = judge_proof(ProofTimes(runs, CONTROL, ALTERED, tuple(claim.shares), 1, 0.05, 2.0, claim=claim))
    assert proof.predicted is not None and proof.predicted.ms == pytest.approx(3.6 - 5.8, rel=0.1)
    assert (proof.verdict, "processors" in proof.reason) == ("proved", True)
