"""Service times of a known law: what is reported against the server's own log of every statement.

Times are long (up to seconds, on many connections), because the log ends when a reply is written and the
client's time when it is read: the tenth of a millisecond between them must be small against half a percent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from load_runs import POINT_SELECT, LoadRun, RunningLoad, exact_quantile_ns, histogram, quantile_ns
from null_server import NullServer, StatementLog

pytestmark = pytest.mark.truth
QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
RATE, SECONDS = 1_200, 20
# Both laws leave well over RATE times their mean of connections free, so that none waits for one.
LAWS = {"exponential:400ms": 1_000, "two-peak:2s@97%,6s@3%": 2_900}


@dataclass(frozen=True)
class Known:
    """A run, and for each of its seconds the true service times of the statements that ended in it."""

    law: str
    run: LoadRun
    truth_ns: list[NDArray[np.int64]]

    def truth_of_window_ns(self) -> NDArray[np.int64]:
        """The true times of all judged seconds, which begin when the slowest statements have begun to end."""
        return np.concatenate([self.truth_ns[second["second"]] for second in self.run.window])


@pytest.fixture(scope="module")
def known(truth_folder: Path) -> Iterator[dict[str, Known]]:
    """All laws at the same time, each with a server and a load of its own."""
    with ExitStack() as stack:
        servers, loads = {}, {}
        for cpu, (law, connections) in enumerate(LAWS.items()):
            log = truth_folder / f"{law.partition(':')[0]}.csv"
            server = stack.enter_context(NullServer(truth_folder, "--delay", law, "--log", str(log), cpu=cpu))
            servers[law] = (server, log)
            pacing = ["--rate", str(RATE), "--warm-up", "7s", "--time", f"{SECONDS}s", "--report-interval", "0"]
            arguments = [*pacing, "--threads", str(connections), "--seed", "3", "--workers", "1"]
            load = RunningLoad(POINT_SELECT, server.target, arguments, truth_folder, cpu=cpu)
            loads[law] = stack.enter_context(load)
        runs = {law: load.finish(SECONDS + 90) for law, load in loads.items()}
        for server, _log in servers.values():
            server.stop()
        yield {law: Known(law, run, truth_of(run, servers[law][1])) for law, run in runs.items()}


def truth_of(run: LoadRun, log_path: Path) -> list[NDArray[np.int64]]:
    """The server's own times, dealt to the client's seconds.

    A client reads replies in the order they were written, up to the order within one wake-up. So the first as many
    lines of the log as the client counted in its first second are those of that second, and so on: exactly, wherever
    a reply on the edge of a second was counted.
    """
    log = StatementLog.read(log_path, "point_select")
    counts = [second["statements"]["point_select"]["completed"] for second in run.seconds]
    ends = np.cumsum(counts)
    assert ends[-1] <= len(log.took_ns), "more statements were counted than answered"
    return [log.took_ns[end - count : end] for end, count in zip(ends, counts, strict=True)]


@pytest.mark.parametrize("law", LAWS)
def test_every_quantile_of_every_second_is_the_servers_own(known: dict[str, Known], law: str) -> None:
    run, truth_ns = known[law].run, known[law].truth_ns
    assert (run.exit_code, run.end["status"], run.error_counts()) == (0, "complete", {}), run.errors
    assert len(run.window) == SECONDS
    off = {}
    for second in run.window:
        service = histogram([second], "statements", "service")
        true_ns = truth_ns[second["second"]]
        assert service.get_total_count() == len(true_ns) > RATE / 2
        for q in QUANTILES:
            if len(true_ns) * (1 - q) >= 1:  # otherwise it would be the maximum under another name
                off[second["second"], q] = quantile_ns(service, q) / exact_quantile_ns(true_ns, q) - 1
    assert {q for _second, q in off} == set(QUANTILES)
    worst = max(off, key=lambda place: abs(off[place]))
    print(f"{law}: worst of {len(off)} quantiles: {off[worst]:+.3%} at {worst}")
    assert abs(off[worst]) <= 0.005, f"second and quantile {worst}: {off[worst]:+.3%}"


@pytest.mark.parametrize("law", LAWS)
def test_every_quantile_of_the_window_is_the_servers_own(known: dict[str, Known], law: str) -> None:
    run = known[law].run
    true_ns = known[law].truth_of_window_ns()
    for group in ("statements", "transactions"):
        service = histogram(run.window, group, "service")
        for q in QUANTILES:
            assert quantile_ns(service, q) == pytest.approx(exact_quantile_ns(true_ns, q), rel=0.005), (group, q)
        assert service.get_max_value() == pytest.approx(true_ns.max(), rel=0.005)
        assert service.get_mean_value() == pytest.approx(true_ns.mean(), rel=0.005)


def test_the_servers_times_follow_the_law(known: dict[str, Known]) -> None:
    """Otherwise both sides could be wrong together: a server that answered at once would be met as well."""
    exponential, peaks = (known[law].truth_of_window_ns() / 1e9 for law in LAWS)
    for q in (0.5, 0.9, 0.99):
        assert np.quantile(exponential, q) == pytest.approx(-0.4 * math.log(1 - q), rel=0.05)
    slow = peaks > 4
    assert slow.mean() == pytest.approx(0.03, abs=0.004)
    assert np.median(peaks[slow]) == pytest.approx(6.0, rel=0.005)
    assert np.median(peaks[~slow]) == pytest.approx(2.0, rel=0.005)
