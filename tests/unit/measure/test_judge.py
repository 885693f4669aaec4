"""When a run is failed, suspect or good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dbdyno.core import percent
from dbdyno.measure import Judgement, judge, window_figures
from dbdyno.measure._records import EndRecord, IntervalRecord, LoadHost, SearchAnswer
from dbdyno.stats import settled_part
from numbers_in import numbers_in

Make = Callable[..., IntervalRecord]
COMPLETE = EndRecord("complete", "", 1)


def judged(seconds: list[IntervalRecord], end: EndRecord | None = COMPLETE, **more: Any) -> Judgement:
    figures = window_figures(seconds, first_second=0, seconds_count=len(seconds), open_loop=False)
    return judge(seconds, figures, end, concurrency=4, **more)


def codes(judgement: Judgement) -> set[str]:
    return {caveat.code for caveat in judgement.caveats}


def test_a_quiet_run_is_good(interval: Make) -> None:
    judgement = judged([interval(i) for i in range(180)])
    assert judgement == Judgement("good", "", ())


@pytest.mark.parametrize("seconds", [12, 60, 179])
def test_a_window_that_is_not_judged_is_good_with_a_caveat(seconds: int, interval: Make) -> None:
    assert settled_part([100.0] * seconds) is None
    judgement = judged([interval(i) for i in range(seconds)])
    assert judgement.status == "good"
    assert codes(judgement) == {"short-window"}


def test_a_missing_second_makes_a_window_no_shorter(interval: Make) -> None:
    seconds = [interval(i) for i in range(180) if i != 90]
    figures = window_figures(seconds, first_second=0, seconds_count=180, open_loop=False)
    assert codes(judge(seconds, figures, COMPLETE, concurrency=4)) == {"missing-seconds"}


def test_a_server_that_died_fails_the_run(interval: Make) -> None:
    judgement = judged([interval(0), interval(1)], server_exit="signal 9")
    assert judgement.status == "failed"
    assert judgement.reason.endswith(": signal 9")


def test_a_load_that_failed_fails_the_run_in_its_own_words(interval: Make) -> None:
    end = EndRecord("failed", "error 1146 on point_select", None)
    judgement = judged([interval(0)], end)
    assert judgement.status == "failed"
    assert judgement.reason.endswith(f": {end.reason}")


def test_a_load_without_an_end_fails_the_run(interval: Make) -> None:
    assert judged([interval(0)], None).status == "failed"


def test_a_window_without_a_transaction_fails_the_run(interval: Make) -> None:
    judgement = judged([interval(0, 0), interval(1, 0)])
    assert judgement.status == "failed" and judgement.reason


def test_a_missing_second_makes_the_run_suspect(interval: Make) -> None:
    seconds = [interval(0), interval(2)]
    figures = window_figures(seconds, first_second=0, seconds_count=3, open_loop=False)
    judgement = judge(seconds, figures, COMPLETE, concurrency=4)
    assert judgement.status == "suspect"
    assert "missing-seconds" in codes(judgement)
    assert numbers_in(judgement.reason) == [1]


def test_a_client_at_its_limit_makes_the_run_suspect(interval: Make) -> None:
    assert judged([interval(0, busy=(0.81,)), interval(1, busy=(0.81,))]).status == "suspect"
    assert judged([interval(0, busy=(0.79,)), interval(1, busy=(0.79,))]).status == "good"


def test_a_wall_clock_that_was_set_makes_the_run_suspect(interval: Make) -> None:
    steady = [interval(0, wall_offset_ns=0), interval(1, wall_offset_ns=90_000_000)]
    jumped = [interval(0, wall_offset_ns=0), interval(1, wall_offset_ns=-110_000_000)]
    assert judged(steady).status == "good"
    assert "clock-jump" in codes(judged(jumped))


def test_lost_connections_make_the_run_suspect(interval: Make) -> None:
    assert "connections-lost" in codes(judged([interval(0), interval(1, live=3)]))
    assert "connections-lost" in codes(judged([interval(0), interval(1, reconnects=1)]))


def test_connections_lost_in_the_warm_up_do_not_count(interval: Make) -> None:
    seconds = [interval(0, phase="warm-up", live=2), interval(1), interval(2)]
    figures = window_figures(seconds, first_second=1, seconds_count=2, open_loop=False)
    assert judge(seconds, figures, COMPLETE, concurrency=4).status == "good"


def test_failed_transactions_make_the_run_suspect_and_repeated_ones_do_not(interval: Make) -> None:
    assert judged([interval(0, errors={"1213": 50}), interval(1)]).status == "good"
    judgement = judged([interval(0, failed=5, errors={"1062": 5}), interval(1)])
    assert judgement.status == "suspect"
    assert "1062 (5×)" in judgement.reason


def test_a_search_that_met_the_clients_limit_or_did_not_end_is_suspect(interval: Make) -> None:
    seconds = [interval(i) for i in range(180)]
    late = SearchAnswer(900.0, 1000.0, 7, reason="the client was late", client_bound=True)
    cut = SearchAnswer(900.0, 1000.0, 60, reason="60 probes", complete=False)
    for search, code in ((late, "client-bound"), (cut, "unfinished-search")):
        judgement = judged(seconds, EndRecord("complete", "", 1, search=search))
        assert judgement.status == "suspect"
        assert codes(judgement) == {code}
        assert search.reason in judgement.reason


@pytest.mark.parametrize(
    ("failed", "errors", "status", "code"),
    [
        (5, {"1213": 5}, "good", "conflicts-given-up"),
        (5, {"1213": 4, "1020": 1}, "good", "conflicts-given-up"),
        (5, {"1213": 4, "1062": 1}, "suspect", "failed-transactions"),
        (50, {"1213": 50}, "suspect", "failed-transactions"),
    ],
)
def test_a_few_conflicts_that_are_given_up_weaken_a_run_and_many_make_it_suspect(
    interval: Make, failed: int, errors: dict[str, int], status: str, code: str
) -> None:
    judgement = judged([interval(0, failed=failed, errors=errors), interval(1)])
    assert judgement.status == status
    assert code in {caveat.code for caveat in judgement.caveats}


def test_a_lost_path_fails_the_run_whether_or_not_the_connections_came_back(interval: Make) -> None:
    """Seconds in which nothing reached the server say nothing of it, however the load ended."""
    gone = EndRecord("failed", "error 2013 on commit: Connection timed out", None, failure_kind="network")
    told = EndRecord("failed", "network: the path to db:3306 was lost", None, failure_kind="network")
    back = EndRecord("complete", "", 1, outages=2, paths_lost=((4 * 10**9, 10 * 10**9), (15 * 10**9, None)))
    for end, words in (
        (gone, "network: error 2013 on commit: Connection timed out"),
        (told, "network: the path to db:3306 was lost"),
        (back, "network: the path to the server was lost (6.0 s, to the end)"),
    ):
        judgement = judged([interval(second) for second in range(180)], end)
        assert (judgement.status, judgement.fault) == ("failed", "network")
        assert judgement.reason.startswith(words)


def test_a_server_that_gave_no_answer_in_time_is_a_fault_of_its_own(interval: Make) -> None:
    end = EndRecord("failed", "nothing within 300 s", None, failure_kind="no-answer")
    assert judged([interval(0)], end).fault == "no-answer"


def test_a_dead_server_is_the_reason_where_the_path_seems_lost_too(interval: Make) -> None:
    end = EndRecord("failed", "x", None, failure_kind="network")
    judgement = judged([interval(0)], end, server_exit="signal 9")
    assert judgement.reason.endswith(": signal 9")
    assert judgement.fault == ""


def test_an_outage_that_the_server_made_is_no_lost_path(interval: Make) -> None:
    judgement = judged([interval(second) for second in range(180)], EndRecord("complete", "", 1, outages=1))
    assert (judgement.status, judgement.fault) == ("good", "")


def test_a_storage_engines_own_conflicts_are_conflicts_of_its_runs_alone(interval: Make) -> None:
    seconds = [interval(i, failed=5, errors={"1180": 5}) for i in range(180)]
    assert judged(seconds).status == "suspect"
    judgement = judged(seconds, conflicts={"1020", "1205", "1213", "1180"})
    assert judgement.status == "good" and codes(judgement) == {"conflicts-given-up"}


def caveats_of_hosts(interval: Make, *hosts: LoadHost) -> list[tuple[str, str]]:
    judgement = judged([interval(i) for i in range(180)], EndRecord("complete", "", 1, hosts=hosts))
    assert judgement.status == "good"
    return [(caveat.code, caveat.text) for caveat in judgement.caveats]


def test_client_hosts_that_begin_together_and_have_time_left_need_no_caveat(interval: Make) -> None:
    hosts = (LoadHost("c1", -1_000_000, 0.5, 0.01), LoadHost("c2", 4_000_000, 0.5, 0.01))
    assert caveats_of_hosts(interval, *hosts) == []


@pytest.mark.parametrize(("busy", "waits"), [(0.99, 0.0), (0.2, 0.5)])
def test_a_client_host_that_limits_the_client_is_named(interval: Make, busy: float, waits: float) -> None:
    ((code, text),) = caveats_of_hosts(interval, LoadHost("c1", 0, 0.2, 0.0), LoadHost("c2", 0, busy, waits))
    assert code == "client-host-bound"
    assert text.startswith("c2 ") and f" {percent(busy)} " in text


def test_client_hosts_that_begin_apart_are_named_with_how_far(interval: Make) -> None:
    hosts = (LoadHost("c1", -2_000_000, 0.2, 0.0), LoadHost("c2", 4_000_000, 0.2, 0.0), LoadHost("c3", 0, 0.2, 0.0))
    assert caveats_of_hosts(interval, *hosts) == [("start-skew", "c2 began 6.0 ms after c1")]
