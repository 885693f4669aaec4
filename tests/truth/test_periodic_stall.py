"""A server that stalls for a tenth of each second, as both loops see it.

A tenth of all requests is due in a stall and waits for its end, 100 ms to 0 ms: a hundredth of all waits over 90 ms.
A closed loop sends nothing while it waits, so it sees one slow statement a connection and stall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from load_runs import POINT_SELECT, LoadRun, RunningLoad, exact_quantile_ns, histogram, quantile_ns
from null_server import NullServer, StatementLog

pytestmark = pytest.mark.truth
S, MS = 1_000_000_000, 1_000_000
STALL = ("--stall", "100ms/1s")
RATE, SECONDS, CONNECTIONS = 5_000, 20, 64


def drive(folder: Path, server: NullServer, *arguments: str) -> LoadRun:
    common = ["--threads", str(CONNECTIONS), "--warm-up", "2s", "--seed", "1", "--report-interval", "0"]
    with RunningLoad(POINT_SELECT, server.target, [*common, *arguments], folder) as load:
        run = load.finish(120)
    assert (run.exit_code, run.end["status"]) == (0, "complete"), run.errors
    return run


@dataclass(frozen=True)
class Stalled:
    """A run, and the server's log of it."""

    run: LoadRun
    log: StatementLog

    def truth_ns(self) -> NDArray[np.int64]:
        """Response times by the server's log: the n-th to arrive was the n-th to be due."""
        order = np.argsort(self.log.arrived_ns, kind="stable")
        due_ns = self.run.start["monotonic_ns"] + np.arange(len(order)) * S // RATE
        first = RATE * self.run.window[0]["second"]
        return (self.log.replied_ns[order] - due_ns)[first : first + RATE * SECONDS]

    def quiet_seconds(self) -> list[dict[str, Any]]:
        """Those in which the server was silent in its stalls only: the machine did not stand still on its own."""
        gaps_ns = np.diff(self.log.replied_ns)
        unplanned = (gaps_ns > 10 * MS) & (abs(gaps_ns - 100 * MS) > 2 * MS)
        replied_s = (self.log.replied_ns - self.run.start["monotonic_ns"]) // S
        disturbed = {*replied_s[:-1][unplanned], *replied_s[1:][unplanned]}
        return [second for second in self.run.window if second["second"] not in disturbed]


@pytest.fixture(scope="module")
def open_loop(truth_folder: Path) -> Stalled:
    pacing = ("--rate", str(RATE), "--arrivals", "constant", "--time", f"{SECONDS}s")
    return stalled(truth_folder, "open", (), pacing)


@pytest.fixture(scope="module")
def closed_loop(truth_folder: Path) -> Stalled:
    return stalled(truth_folder, "closed", ("--capacity", str(RATE)), ("--time", "10s"))


def stalled(folder: Path, name: str, faults: tuple[str, ...], pacing: tuple[str, ...]) -> Stalled:
    log = folder / f"stall-{name}.csv"
    with NullServer(folder, *STALL, *faults, "--log", str(log)) as server:
        run = drive(folder, server, *pacing)
        server.stop()
    return Stalled(run, StatementLog.read(log, "point_select"))


def test_a_stall_is_in_the_response_times_of_an_open_loop(open_loop: Stalled) -> None:
    quiet = open_loop.quiet_seconds()
    assert len(quiet) >= SECONDS // 5, f"the machine stood still in all seconds but {len(quiet)}"
    found = [quantile_ns(histogram([second], "transactions", "response"), 0.99) / MS for second in quiet]
    # Of each second, because a processor that comes late at the end of a stall delays all that waited in it.
    assert np.median(found) == pytest.approx(90, abs=2)
    print(
        f"p99 {np.median(found):.2f} ms, in single seconds {min(found):.2f} to {max(found):.2f}, {len(found)} of them"
    )


def test_response_times_in_stalls_are_those_of_the_servers_log(open_loop: Stalled) -> None:
    response = histogram(open_loop.run.window, "transactions", "response")
    truth_ns = open_loop.truth_ns()
    assert response.get_total_count() == pytest.approx(RATE * SECONDS, abs=RATE / 100)
    for q in (0.92, 0.95, 0.99, 0.999):
        assert quantile_ns(response, q) == pytest.approx(exact_quantile_ns(truth_ns, q), abs=MS), q


def test_an_open_loop_is_labelled_and_shows_its_longest_silence(open_loop: Stalled) -> None:
    assert "open loop: " in open_loop.run.text and "closed loop" not in open_loop.run.text
    longest_ns = np.diff(open_loop.log.replied_ns).max()
    assert open_loop.run.end["longest_silence_ns"] == pytest.approx(longest_ns, abs=5 * MS)
    assert longest_ns > 99 * MS


def test_a_closed_loop_hides_the_stall_and_says_so(closed_loop: Stalled) -> None:
    run = closed_loop.run
    service = histogram(run.window, "transactions", "service")
    # Nine tenths of the time its 64 connections wait for 64 others; it is blind in the rest.
    assert quantile_ns(service, 0.95) < 30 * MS
    assert run.text.count("closed loop: ") >= 2 and "open loop" not in run.text
    assert run.start["pacing"]["kind"] == "closed"


def test_a_closed_loop_shows_the_longest_silence_of_the_server(closed_loop: Stalled) -> None:
    silence_ns = closed_loop.run.end["longest_silence_ns"]
    longest_ns = np.diff(closed_loop.log.replied_ns).max()
    assert silence_ns == pytest.approx(longest_ns, abs=5 * MS)
    assert longest_ns > 99 * MS
    assert re.search(rf"longest silence +{silence_ns / MS:.0f} ms ", closed_loop.run.text)
