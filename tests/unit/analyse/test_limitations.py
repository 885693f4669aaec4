"""What weakens a study is said, once each, and nothing is said that is not so."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import dbdyno
from dbdyno.analyse import StudyFacts, compare_targets, judge_cells, limitations, with_remedy
from dbdyno.analyse._remedies import REMEDIES, REMEDIES_OF_LOGS, REMEDIES_OF_RUNS
from dbdyno.analyse._series_caveats import _OF_STATUS
from dbdyno.audit import rules
from dbdyno.core import (
    CLIENT_BOUND,
    ONE_MACHINE,
    OTHER_LOAD,
    STEAL,
    Caveat,
    Comparison,
    CpuUse,
    ResultComparison,
    RunRecord,
)
from dbdyno.measure._wall_clock import CLOCK_JUMP
from numbers_in import numbers_in

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]

GOOD = StudyFacts(window_s=900, repeats=6, is_closed=False, cores=64, shares_cores=False)


def said(facts: StudyFacts, records: list[RunRecord]) -> dict[str, str]:
    judgements = judge_cells(records)
    found = limitations(facts, records, judgements, compare_targets(judgements))
    assert len({caveat.code for caveat in found}) == len(found)
    return {caveat.code: caveat.text for caveat in found}


def test_a_long_repeated_open_loop_study_with_clear_findings_has_no_caveat(
    study: MakeStudy,
) -> None:
    assert said(GOOD, study({"a": 200.0, "b": 100.0}, repeats=6)) == {}


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"window_s": 12.0}, "short-window", "12 s"),
        ({"window_s": 12.0}, "short-window", "settled"),
        ({"window_s": 179.0}, "short-window", "below 180 s"),
        ({"window_s": 300.0}, "short-window", "below 600 s"),
        ({"repeats": 2}, "few-repeats", "2 repeats"),
        ({"repeats": 1}, "one-repeat", "assumed"),
        ({"shares_cores": True, "cores": 2}, "shared-cores", "2 cores"),
        ({"is_closed": True}, "closed-loop", "understate"),
        ({"is_interleaved": False}, "fixed-order", "drift"),
    ],
)
def test_each_weakness_of_the_design_is_named(
    study: MakeStudy, change: dict[str, float], code: str, words: str
) -> None:
    assert (
        words
        in said(replace(GOOD, **change), study({"a": 200.0, "b": 100.0}, repeats=int(change.get("repeats", 6))))[code]
    )


@pytest.mark.parametrize("looked_at, chance", [((2,), "9.8 %"), ((2, 4), "14 %")])
def test_repeats_that_were_added_to_results_cost_certainty(
    study: MakeStudy, looked_at: tuple[int, ...], chance: str
) -> None:
    found = said(replace(GOOD, repeats_looked_at=looked_at), study({"a": 200.0, "b": 100.0}, repeats=6))
    assert set(found) == {"repeats-raised"}
    assert chance in found["repeats-raised"] and " and ".join(map(str, looked_at)) in found["repeats-raised"]


def test_a_study_without_a_good_run_says_nothing_of_the_width_of_intervals(study: MakeStudy) -> None:
    failed = [replace(record, status="failed") for record in study({"a": 200.0}, repeats=1)]
    assert "few-repeats" not in said(replace(GOOD, repeats=1), failed)


def test_targets_that_make_other_results_are_said_first_with_what_differs(study: MakeStudy) -> None:
    apart = ResultComparison("tpcc", 500, 3, {"mysql:9.7": "other rows in orders"}, {})
    facts = replace(GOOD, is_closed=True, results=(apart,))
    found = said(facts, study({"a": 200.0, "b": 100.0}, repeats=6))
    assert next(iter(found)) == "results-differ"
    assert re.search(rf"MySQL 9\.7 .*\btpcc \({apart.unlike['mysql:9.7']}\)", found["results-differ"])


def test_results_that_were_not_compared_are_a_caveat_and_equal_ones_are_none(study: MakeStudy) -> None:
    records = study({"a": 200.0, "b": 100.0}, repeats=6)
    assert "equivalence_events = 0" in said(replace(GOOD, are_results_compared=False), records)["results-unchecked"]
    unknown = ResultComparison("tpcc", 500, 1, {}, {"mysql:9.7": "no start\nlog"})
    assert " tpcc (no start)" in said(replace(GOOD, results=(unknown,)), records)["results-unchecked"]
    assert said(replace(GOOD, results=(ResultComparison("tpcc", 500, 2, {}, {}),)), records) == {}


def test_repeats_that_spread_far_more_than_their_seconds_are_told(study: MakeStudy) -> None:
    levels = {"a": 200.0, "b": 100.0}
    steady = said(GOOD, study(levels, repeats=6, spread=0.01))
    unsteady = said(GOOD, study(levels, repeats=6, spread=0.1))
    few_cells = said(GOOD, study(levels, repeats=6, spread=0.1, tiers=(64 << 20,)))
    assert "repeats-apart" not in steady | few_cells
    percent = re.search(r"spread by ([\d.]+) %", unsteady["repeats-apart"])
    assert percent is not None
    assert 7 <= float(percent[1]) <= 13


def test_runs_that_are_not_good_are_counted_with_the_first_reason(record: MakeRecord) -> None:
    records = [record(), record(repeat=2, status="failed", reason="the server died", figures={"tps_mean": None})]
    assert "1 failed" in said(GOOD, records)["runs-not-good"]
    assert "the server died" in said(GOOD, records)["runs-not-good"]


def test_a_cell_whose_other_runs_failed_is_not_said_to_have_been_run_once(study: MakeStudy) -> None:
    first, *others = study({"a": 200.0, "b": 100.0}, repeats=3)
    failed = [
        replace(one, status="failed", figures=replace(one.figures, tps_mean=None))
        if one.run.cell == first.run.cell
        else one
        for one in others
    ]
    text = said(replace(GOOD, repeats=3), [first, *failed])["one-repeat"]
    assert text.startswith("1 of 12 cells rests on a single run: ") and "only once" not in text


def test_runs_that_are_not_made_yet_are_no_failures(record: MakeRecord) -> None:
    missing = record(repeat=3, status="missing", reason="not run yet", figures={"tps_mean": None})
    found = said(GOOD, [record(), record(repeat=2), missing])
    assert "runs-not-good" not in found
    assert "2 of 3 runs" in found["runs-missing"]
    assert "--retry-failed" not in found["runs-missing"]
    running = said(replace(GOOD, is_running=True), [record(), record(repeat=2), missing])
    assert "runs-missing" not in running
    assert "2 of 3 runs" in running["still-running"] and "resumes" not in running["still-running"]
    failed = record(repeat=4, status="failed", reason="the server died", figures={"tps_mean": None})
    found = said(GOOD, [record(), missing, failed])
    assert "runs-missing" not in found
    assert all(words in found["runs-not-good"] for words in ("1 missing", "1 failed", "the server died"))


def test_a_busy_client_is_named(record: MakeRecord) -> None:
    bound = record(cpu=CpuUse(client_use_share=0.93), caveats=(Caveat(CLIENT_BOUND, "seen when it was measured"),))
    assert "up to 93 %" in said(GOOD, [bound])["client-bound"]
    assert "client-bound" not in said(GOOD, [record(cpu=CpuUse(client_use_share=0.5))])


def test_a_busy_client_of_an_older_version_is_named(record: MakeRecord) -> None:
    bound = record(cpu=CpuUse(client_busy_share=0.91), caveats=(Caveat(CLIENT_BOUND, "seen when it was measured"),))
    assert "up to 91 %" in said(GOOD, [bound])["client-bound"]


def test_errors_are_listed_by_code(record: MakeRecord) -> None:
    runs = [record(repeat=index, figures={"errors": {"1213": 1 + index}}) for index in (1, 2)]
    assert "5 × error 1213" in said(GOOD, runs)["errors"]


def test_conflicts_that_were_all_repeated_are_no_errors_to_correct(record: MakeRecord) -> None:
    figures = {"errors": {"1180": 4, "1213": 1}, "retries": 5}
    assert "4 × error 1180" in said(GOOD, [record(figures=figures)])["errors-retried"]
    assert "errors" in said(GOOD, [record(figures={**figures, "retries": 4})])


def test_the_log_of_a_dead_server_is_not_part_of_the_sentence(record: MakeRecord) -> None:
    dead = record(status="failed", reason="tables could not be filled: the server died: signal 11\nThread 7:\n#0 main")
    text = said(GOOD, [dead])["runs-not-good"]
    assert "signal 11." in text and "Thread 7" not in text


def test_undecided_pairs_are_counted(study: MakeStudy) -> None:
    text = said(GOOD, study({"a": 103.0, "b": 100.0}, spread=0.05))["undecided"]
    assert numbers_in(text)[0] == 6


@pytest.mark.parametrize(
    ("needed", "numbers"),
    [
        ([5, *[None] * 9], ["10", "10", "9", "100"]),
        ([5, 7, 20, None], ["4", "4", "7", "1", "100"]),
        ([5, 7, 20], ["3", "3", "7", "20"]),
        ([5], ["5"]),
    ],
)
def test_pairs_that_no_repeats_decide_count_among_those_open(needed: list[int | None], numbers: list[str]) -> None:
    pairs = [
        Comparison("a", "b", "w", 1, 1, "socket", 1.0, 0.9, 1.1, 0.5, "undecided", repeats_needed=count)
        for count in needed
    ]
    (text,) = [caveat.text for caveat in limitations(GOOD, [], [], pairs) if caveat.code == "undecided"]
    assert re.findall(r"\b\d+\b", text.partition(" dbdyno plan")[0]) == numbers
    assert (" decide it." in text) == (len(needed) == 1)


@pytest.mark.parametrize(("needed", "words"), [([None], "decide it."), ([None, None], "decide them.")])
def test_pairs_that_no_number_of_repeats_decides_do_not_ask_for_more_repeats(needed: list[None], words: str) -> None:
    pairs = [Comparison("a", "b", "w", 1, 1, "socket", 1.0, 0.2, 5.0, 0.9, "undecided") for _ in needed]
    found = {caveat.code: caveat.text for caveat in limitations(GOOD, [], [], pairs)}
    assert "undecided" not in found
    assert words in found["undecidable"] and "Raise repeats" not in found["undecidable"]


def test_caveats_of_runs_are_gathered_once(record: MakeRecord) -> None:
    caveat = Caveat("clock-jump", "the wall clock was set during the run")
    records = [record(caveats=(caveat,)), record(repeat=2, caveats=(caveat,))]
    assert said(GOOD, records)["clock-jump"].startswith(f"2 runs: {caveat.text}. ")


def test_what_others_used_while_runs_were_measured_comes_before_what_shows_for_it(record: MakeRecord) -> None:
    caveats = (Caveat("steal", "the hypervisor took 2.5 %"), Caveat("other-load", "others used 0.70 of 2"))
    found = said(GOOD, [record(caveats=caveats), record(repeat=2, caveats=caveats[:1]), record(repeat=3)])
    assert f" 2 runs: {caveats[0].text}." in found["steal"] and f" 1 run: {caveats[1].text}." in found["other-load"]
    facts = replace(GOOD, is_closed=True)
    for more, fewer in (caveats, caveats[::-1]):
        records = [record(caveats=(more, fewer)), record(repeat=2, caveats=(more,))]
        codes = [caveat.code for caveat in limitations(facts, records, [], [])]
        assert codes.index(more.code) < codes.index(fewer.code) < codes.index("closed-loop")


SOURCE = Path(dbdyno.__file__).parent
ELSEWHERE = ("report/diff/", "report/history/", "analyse/claims/")
"""Caveats of comparisons of studies and of published claims: no limitations of a study."""
PASSED_ON = {
    ("analyse/_limitations.py", "code"),
    ("imports/_identity.py", "code"),
    ("report/_fairness.py", "f'audit-{first.rule.rule_id}'"),
}
"""Where a caveat's code is a variable: those of runs, those that a caller names, those with a rule's remedy."""


SHARED_CODES = {
    "CLIENT_BOUND": CLIENT_BOUND,
    "CLOCK_JUMP": CLOCK_JUMP,
    "ONE_MACHINE": ONE_MACHINE,
    "OTHER_LOAD": OTHER_LOAD,
    "STEAL": STEAL,
}


def code_words(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each caveat's code in the product's source, as its file says it: a word in quotes, or an expression."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(ELSEWHERE):
            continue
        tree = ast.parse(path.read_text())
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            function = call.func.id if isinstance(call.func, ast.Name) else ""
            if function in ("Caveat", "_with_caveat"):
                argument = call.args[function == "_with_caveat"]
                for code in alternatives(argument, constants):
                    yield name, code


def alternatives(code: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield what an expression for a code can be."""
    if isinstance(code, ast.IfExp):
        yield from (*alternatives(code.body, constants), *alternatives(code.orelse, constants))
    elif isinstance(code, ast.Starred):
        values = constants[ast.unparse(code.value)]
        assert isinstance(values, ast.Tuple)
        yield from alternatives(values.elts[0], constants)
    elif isinstance(code, ast.Name) and code.id in constants:
        yield from alternatives(constants[code.id], constants)
    elif isinstance(code, ast.Name) and code.id in SHARED_CODES:
        yield repr(SHARED_CODES[code.id])
    elif ast.unparse(code) == "state.status":
        yield from map(repr, sorted(set(_OF_STATUS) - {"cyclic"}))
    else:
        yield ast.unparse(code)


def test_every_limitation_says_what_would_remove_it() -> None:
    found = set(code_words(SOURCE))
    named = {ast.literal_eval(code) for _, code in found if code.startswith("'")} | {OTHER_LOAD, STEAL}
    assert len(named) > 100
    assert named == REMEDIES.keys() | REMEDIES_OF_RUNS.keys()
    assert {pair for pair in found if not pair[1].startswith("'")} == PASSED_ON
    assert not REMEDIES.keys() & REMEDIES_OF_RUNS.keys()
    assert set(REMEDIES_OF_LOGS) < named
    assert all(rule.remedy for rule in rules())


def test_a_caveat_of_runs_says_what_would_remove_it(record: MakeRecord) -> None:
    caveat = Caveat("page-cache-unbounded", "MyRocks could use all free memory")
    text = said(GOOD, [record(caveats=(caveat,))])["page-cache-unbounded"]
    assert text == f"1 run: {caveat.text}. {REMEDIES_OF_RUNS['page-cache-unbounded']}"
    assert "[limits]" in text, "the setting to write"


@pytest.mark.parametrize("code", ["errors", "results-unchecked", "waves", CLIENT_BOUND])
def test_a_remedy_is_said_once_and_for_logs_it_names_no_command_of_a_study(code: str) -> None:
    once = with_remedy(Caveat(code, "Seen."))
    assert once.text == f"Seen. {REMEDIES[code]}"
    assert with_remedy(once) == once
    of_logs = with_remedy(Caveat("results-unchecked", "Seen."), is_imported=True).text
    assert "equivalence_events" not in of_logs


def test_errors_without_a_code_are_told_in_words(record: MakeRecord) -> None:
    found = said(GOOD, [record(figures={"errors": {"ignored error (code not in the log)": 451}})])["errors"]
    assert 451 in numbers_in(found)
