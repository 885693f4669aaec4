"""Errors of a server at known rates: counted by code, repeated within bounds, named, and never hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from error_codes import load_codes
from load_runs import POINT_SELECT, READ_WRITE, LoadRun, RunningLoad, histogram
from null_server import NullServer
from numbers_in import numbers_in
from recording_proxy import RecordingProxy

pytestmark = pytest.mark.truth
MS = 1_000_000
MIX = {1213: 3.0, 1205: 1.0, 1020: 0.1}


def drive(folder: Path, server: NullServer, *arguments: str, workload: str = POINT_SELECT) -> LoadRun:
    common = ["--warm-up", "0s", "--seed", "1", "--report-interval", "0"]
    with RunningLoad(workload, server.target, [*common, *arguments], folder) as load:
        return load.finish(120)


@pytest.fixture(scope="module")
def mixed(truth_folder: Path) -> Iterator[tuple[LoadRun, dict[str, int]]]:
    """300,000 events, at a rate that leaves the machine to the tests beside, and what the server says it answered."""
    mix = ",".join(f"{code}:{share}%" for code, share in MIX.items())
    with NullServer(truth_folder, "--errors", mix, "--seed", "11") as server:
        run = drive(truth_folder, server, "--rate", "15000", "--events", "300000", "--threads", "32")
        yield run, server.stop()["errors"]


def test_an_error_mix_is_recovered_by_code(mixed: tuple[LoadRun, dict[str, int]]) -> None:
    run, errors_of_server = mixed
    assert (run.exit_code, run.end["status"]) == (0, "complete"), run.errors
    answered = histogram(run.seconds, "statements", "service").get_total_count()
    found = run.error_counts()
    print({code: f"{100 * count / answered:.4f} %" for code, count in found.items()})
    for code, share in MIX.items():
        assert 100 * found[code] / answered == pytest.approx(share, abs=0.1), code
    assert {str(code): count for code, count in found.items()} == errors_of_server


def test_every_event_of_an_error_mix_is_repeated_until_it_succeeds(mixed: tuple[LoadRun, dict[str, int]]) -> None:
    run, _errors = mixed
    assert run.retry_counts() == run.error_counts()
    assert (run.end["completed"], run.end["failed"], run.end["unsent"]) == (300_000, 0, 0)
    answered = histogram(run.seconds, "statements", "service").get_total_count()
    assert answered == 300_000 + run.error_counts().total()
    first = histogram(run.seconds, "transactions", "first_attempt").get_total_count()
    again = sum(counts["completed_after_retry"] for second in run.seconds for counts in second["transactions"].values())
    # Of all first attempts 4.1 % fail, whatever becomes of the second.
    assert (first, 100 * again / first) == (300_000, pytest.approx(4.1, abs=0.15))


def test_errors_are_counted_at_the_statement_they_befell(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--errors", "1213:every=10", "--errors-on", "commit") as server:
        run = drive(truth_folder, server, "--events", "2000", "--threads", "8", workload=READ_WRITE)
        errors_of_server = server.stop()["errors"]
    by_statement = {
        name: sum(sum(second["statements"][name]["errors"].values()) for second in run.seconds)
        for name in run.start["statement_types"]
    }
    # Each tenth COMMIT fails and its event is repeated, so 2,000 events take 2,222 of them.
    assert {name: count for name, count in by_statement.items() if count} == {"commit": 222}
    assert errors_of_server == {"1213": 222}
    assert run.end["completed"] == 2_000


def test_an_error_that_stays_is_tried_a_bounded_number_of_times_and_named(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--errors", "1213:100%") as server:
        arguments = ("--retry-limit", "4", "--retry-pause", "0s", "--rate", "200", "--arrivals", "constant")
        run = drive(truth_folder, server, *arguments, "--time", "3s", "--threads", "4")
    end = run.end
    assert (end["status"], end["scheduled"], end["completed"], end["failed"]) == ("complete", 600, 0, 600)
    failed = [sum(counts["failed"] for counts in second["transactions"].values()) for second in run.seconds]
    assert failed == pytest.approx([200] * 3, abs=20)  # the load goes on
    assert run.error_counts() == {1213: 5 * sum(failed)}
    assert run.retry_counts() == {1213: 4 * sum(failed)}
    assert "errors                 1213 × 3,000" in run.text
    assert "failed 600" in run.text
    assert "error 1213 on point_select: " in run.errors


def test_an_error_that_is_not_ignored_ends_the_run_with_its_code_and_statement(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--errors", "1146:every=500") as server:
        run = drive(truth_folder, server, "--rate", "1000", "--time", "30s", "--threads", "4")
    assert (run.exit_code, run.end["status"], run.end["error_code"]) == (3, "failed", 1146)
    assert "point_select" in run.end["reason"] and "1146" in run.end["reason"]
    assert load_codes(run.errors) == ["server-error"]
    assert "1146" in run.errors and "point_select" in run.errors
    assert run.end["completed"] == 499
    assert run.end["scheduled"] == run.end["completed"] + run.end["failed"] + run.end["unsent"]


@pytest.mark.parametrize(("draws", "alike"), [("same", True), ("new", False)])
def test_a_repeat_has_the_draws_that_were_asked_for(truth_folder: Path, draws: str, alike: bool) -> None:
    with NullServer(truth_folder, "--errors", "1213:every=2") as server, RecordingProxy(str(server.socket)) as proxy:
        target = ["--host", "127.0.0.1", "--port", str(proxy.port), "--no-password"]
        arguments = ["--repeat-draws", draws, "--events", "20", "--threads", "1", "--rows", "1000000"]
        with RunningLoad(POINT_SELECT, target, arguments, truth_folder) as load:
            run = load.finish(60)
    assert run.end["completed"] == 20
    sent = [line for recording in proxy.recordings for line in recording.lines if line.startswith("E\t")]
    # Each second statement fails, so from the second event on each takes two attempts.
    pairs = list(zip(sent[1::2], sent[2::2], strict=False))
    assert len(pairs) == 19
    assert [first == second for first, second in pairs] == [alike] * 19


def test_pauses_before_repeats_are_in_the_response_times(truth_folder: Path) -> None:
    """Half of all attempts fail and the third waits 10 ms on average, each next one twice as long, to 64 times.

    So each number of attempts adds half of 5 ms to the mean, up to the ninth; those above it, together, twice that.
    """
    means = {}
    for pause in ("0s", "20ms"):
        with NullServer(truth_folder, "--errors", "1213:50%", "--seed", "5") as server:
            # At a rate, not closed: a loop without pauses would fill the processors and slow itself down.
            arguments = ("--rate", "2000", "--events", "12000", "--threads", "512")
            run = drive(truth_folder, server, "--retry-limit", "none", "--retry-pause", pause, *arguments)
        assert run.end["completed"] == 12_000
        means[pause] = histogram(run.seconds, "transactions", "response").get_mean_value() / MS
    print(means)
    assert means["20ms"] - means["0s"] == pytest.approx(20.0, rel=0.15)


def test_a_full_max_prepared_stmt_count_stops_the_load_with_a_way_out(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--max-prepared", "100") as server:
        run = drive(truth_folder, server, "--threads", "64", "--time", "2s", workload=READ_WRITE)
    assert (run.exit_code, run.end["status"], run.end["completed"]) == (3, "failed", 0)
    assert load_codes(run.errors) == ["prepared-statements-refused"]
    assert {100, 64} <= set(numbers_in(run.errors)) and "--prepared-full text" in run.errors


def test_statements_over_max_prepared_stmt_count_go_as_text_and_are_counted(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--max-prepared", "100") as server:
        arguments = ("--threads", "64", "--rate", "500", "--time", "3s", "--prepared-full", "text")
        run = drive(truth_folder, server, *arguments, workload=READ_WRITE)
    assert (run.exit_code, run.end["status"], run.error_counts()) == (0, "complete", {}), run.errors
    with NullServer(truth_folder) as server:
        whole = drive(truth_folder, server, "--threads", "64", "--time", "1s", workload=READ_WRITE).start
    assert (run.start["prepared_statements"], whole["statements_as_text"]) == (100, 0)
    assert run.start["statements_as_text"] == whole["prepared_statements"] - 100 > 0
    (warning,) = [text for text in run.messages if "max_prepared_stmt_count" in text]
    assert {whole["prepared_statements"], 100} <= set(numbers_in(warning))
    assert warning in run.errors


def test_a_conflict_at_commit_is_repeated_where_it_is_named_and_another_cause_is_not(truth_folder: Path) -> None:
    """Some storage engines report conflicts as 1180 at COMMIT, a code that covers other errors, too."""
    faults = ("--errors", "1180:every=10", "--errors-on", "commit")
    with NullServer(truth_folder, *faults) as server:
        named = ("--events", "2000", "--threads", "8", "--also-repeat", "1180/149")
        run = drive(truth_folder, server, *named, workload=READ_WRITE)
        assert server.stop()["errors"] == {"1180": 222}
    assert (run.end["status"], run.end["completed"], run.end["failed"]) == ("complete", 2_000, 0)
    assert run.retry_counts() == run.error_counts() == {1180: 222}
    for more in ((), ("--also-repeat", "1180/28")):
        with NullServer(truth_folder, *faults) as server:
            run = drive(truth_folder, server, "--events", "2000", "--threads", "8", *more, workload=READ_WRITE)
        assert (run.exit_code, run.end["status"], run.end["error_code"]) == (3, "failed", 1180)
        assert "1180 on commit" in run.end["reason"] and "149" in run.end["reason"]
