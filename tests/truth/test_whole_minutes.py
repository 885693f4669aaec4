"""A freeze of ten seconds, and a minute of twice as much as the server can do: what becomes of the requests."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from load_runs import LoadRun, count_above, exact_quantile_ns, histogram, quantile_ns
from null_server import StatementLog
from whole_minutes import (
    CAPACITY,
    CONNECTIONS_OF_FREEZE,
    CONNECTIONS_OF_OVERLOAD,
    FREEZE_AT_S,
    FREEZE_S,
    OVERLOAD_RATE,
    OVERLOAD_S,
    RATE_OF_FREEZE,
    Pair,
)

pytestmark = pytest.mark.truth
S = 1_000_000_000
MS = 1_000_000


@pytest.fixture(scope="module")
def frozen(begun: dict[str, Pair]) -> LoadRun:
    return begun["freeze"].load.finish(FREEZE_S + 60)


@pytest.fixture(scope="module")
def overloaded(begun: dict[str, Pair]) -> LoadRun:
    return begun["overload"].load.finish(OVERLOAD_S + 60)


@pytest.fixture(scope="module")
def log_of_freeze(begun: dict[str, Pair], frozen: LoadRun) -> StatementLog:
    return _complete_log(begun["freeze"])


@pytest.fixture(scope="module")
def log_of_overload(begun: dict[str, Pair], overloaded: LoadRun) -> StatementLog:
    return _complete_log(begun["overload"])


def _complete_log(pair: Pair) -> StatementLog:
    """Complete only when the server has ended."""
    pair.server.stop()
    return StatementLog.read(pair.log_path, "point_select")


def _true_backlog(run: LoadRun, log: StatementLog, rate: int) -> NDArray[np.int64]:
    """At each second's end: the requests that were due, without those that had reached the server."""
    seconds = np.arange(1, len(run.window) + 1)
    return rate * seconds - np.searchsorted(np.sort(log.arrived_ns), run.start["monotonic_ns"] + seconds * S)


def test_a_freeze_is_in_the_response_times_of_all_that_waited_for_it(frozen: LoadRun) -> None:
    assert (frozen.exit_code, frozen.end["status"]) == (0, "complete"), frozen.errors
    response = histogram(frozen.window, "transactions", "response")
    # A tenth of all was due in the freeze and waited 10 s to 0 s: half of it over 5 s, a tenth of it over 9 s.
    assert quantile_ns(response, 0.95) / S == pytest.approx(5.0, rel=0.02)
    assert quantile_ns(response, 0.99) / S == pytest.approx(9.0, rel=0.02)
    print(f"freeze: p95 {quantile_ns(response, 0.95) / S:.3f} s, p99 {quantile_ns(response, 0.99) / S:.3f} s")


def test_a_freeze_is_in_the_service_time_of_what_was_under_way_alone(frozen: LoadRun) -> None:
    service = histogram(frozen.window, "statements", "service")
    assert quantile_ns(service, 0.99) < 5 * MS
    print(f"freeze: p99 of service time {quantile_ns(service, 0.99) / MS:.3f} ms")
    assert service.get_max_value() / S == pytest.approx(10.0, rel=0.02)
    assert count_above(service, 5 * S) == CONNECTIONS_OF_FREEZE


def test_a_freeze_loses_no_request_and_is_the_longest_silence(frozen: LoadRun, log_of_freeze: StatementLog) -> None:
    end = frozen.end
    assert end["scheduled"] == end["completed"] + end["failed"] + end["unsent"] == FREEZE_S * RATE_OF_FREEZE
    assert (end["failed"], end["unsent"]) == (0, 0)
    assert end["longest_silence_ns"] / S == pytest.approx(10.0, rel=0.02)
    backlog = np.array([second["backlog"] for second in frozen.window])
    # The server's log, for the machine may keep a program from its processor just as the freeze begins: what was due in
    # that time waits with the others. A statement may be under way to the server as a second ends.
    assert backlog == pytest.approx(_true_backlog(frozen, log_of_freeze, RATE_OF_FREEZE), abs=2)
    in_freeze = slice(FREEZE_AT_S, FREEZE_AT_S + 10)
    assert np.diff(backlog[in_freeze]) == pytest.approx(RATE_OF_FREEZE, abs=2)
    assert RATE_OF_FREEZE - CONNECTIONS_OF_FREEZE - 2 <= backlog[FREEZE_AT_S] < RATE_OF_FREEZE
    assert np.delete(backlog, in_freeze).max() < RATE_OF_FREEZE / 2


def test_an_overload_completes_and_accounts_for_every_request(overloaded: LoadRun) -> None:
    assert (overloaded.exit_code, overloaded.end["status"]) == (0, "complete"), overloaded.errors
    end = overloaded.end
    assert end["scheduled"] == end["completed"] + end["failed"] + end["unsent"] == OVERLOAD_S * OVERLOAD_RATE
    assert end["failed"] == end["abandoned"] == 0
    assert end["in_flight_at_end"] == CONNECTIONS_OF_OVERLOAD
    in_seconds = sum(counts["completed"] for second in overloaded.seconds for counts in second["transactions"].values())
    assert end["completed"] == in_seconds + end["in_flight_at_end"]
    assert in_seconds == pytest.approx(CAPACITY * OVERLOAD_S, rel=0.02)
    assert end["unsent"] == overloaded.window[-1]["backlog"]


def test_the_backlog_of_an_overload_grows_by_what_exceeds_the_capacity(
    overloaded: LoadRun, log_of_overload: StatementLog
) -> None:
    backlog = np.array([second["backlog"] for second in overloaded.window])
    # A statement may be under way to the server as a second ends.
    assert backlog == pytest.approx(_true_backlog(overloaded, log_of_overload, OVERLOAD_RATE), abs=2)
    slope, _start = np.polyfit(np.arange(OVERLOAD_S), backlog, 1)
    print(f"overload: the backlog grows by {slope:.1f} a second to {backlog[-1]}")
    assert slope == pytest.approx(OVERLOAD_RATE - CAPACITY, rel=0.02)


def test_the_response_times_of_an_overload_are_those_of_its_queue(
    overloaded: LoadRun, log_of_overload: StatementLog
) -> None:
    order = np.argsort(log_of_overload.arrived_ns, kind="stable")
    # The n-th to arrive was the n-th to be due: the queue is served in its order.
    due_ns = overloaded.start["monotonic_ns"] + np.arange(len(order)) * S // OVERLOAD_RATE
    truth_ns = log_of_overload.replied_ns[order] - due_ns
    response = histogram(overloaded.window, "transactions", "response")
    truth_ns = truth_ns[: response.get_total_count()]
    for q in (0.1, 0.5, 0.9, 0.99, 0.999):
        assert quantile_ns(response, q) == pytest.approx(exact_quantile_ns(truth_ns, q), rel=0.005), q
    # Who ends at second t was due at t * capacity / rate, so the last ones waited half of the run.
    assert response.get_max_value() / S == pytest.approx(OVERLOAD_S * (1 - CAPACITY / OVERLOAD_RATE), rel=0.02)
    service = histogram(overloaded.window, "statements", "service")
    assert quantile_ns(service, 0.5) / S == pytest.approx(CONNECTIONS_OF_OVERLOAD / CAPACITY, rel=0.02)
