"""When events are due: what the server saw against what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from load_runs import POINT_SELECT, LoadRun, RunningLoad, histogram, quantile_ns
from null_server import NullServer, StatementLog

pytestmark = pytest.mark.truth
S, MS = 1_000_000_000, 1_000_000

RATE, SECONDS = 500, 30
THINK_MS, SERVICE_MS, USERS = 100, 25, 50
ARGUMENTS = {
    "poisson": ["--rate", str(RATE), "--arrivals", "poisson", "--threads", "64"],
    "constant": ["--rate", str(RATE), "--arrivals", "constant", "--threads", "64"],
    "think": ["--think", f"{THINK_MS}ms", "--threads", str(USERS)],
    "think-constant": ["--think", f"{THINK_MS}ms", "--think-distribution", "constant", "--threads", str(USERS)],
    "steps": ["--rate", "200:10s,600:10s,0:3s,400:7s", "--arrivals", "constant", "--threads", "64"],
    "ramp": ["--rate", "0..600:30s", "--arrivals", "constant", "--threads", "64"],
}
# The constant arrivals tell when the machine stood still, so they share the processor of the random ones.
CPUS = {"poisson": 0, "constant": 0, "think": 1, "think-constant": 1, "steps": 0, "ramp": 1}
SERVICE = f"constant:{SERVICE_MS}ms"


@dataclass(frozen=True)
class Paced:
    """A run and the instants at which its statements arrived, nanoseconds since it began."""

    run: LoadRun
    arrived_ns: NDArray[np.int64]

    def counts(self, bin_ns: int, shift_ns: int = 0) -> NDArray[np.int64]:
        """Arrivals in each stretch of this length; with a shift, of stretches that begin so much later."""
        stretches = SECONDS * S // bin_ns
        return np.histogram(self.arrived_ns - shift_ns, bins=stretches, range=(0, SECONDS * S))[0]

    def dispersion(self, bin_ns: int, quiet: NDArray[np.bool_]) -> float:
        """Variance over mean of the counts: 1 for independent arrivals, whatever the length."""
        counts = self.counts(bin_ns)[quiet]
        return float(counts.var() / counts.mean())


def quiet_stretches(watched: Paced, constant: Paced, bin_ns: int) -> NDArray[np.bool_]:
    """Where as many of the constant arrivals came as were due; elsewhere the machine stood still, or caught up."""
    shift_ns = watched.run.start["monotonic_ns"] - constant.run.start["monotonic_ns"]
    due = RATE * bin_ns / S
    held = np.abs(constant.counts(bin_ns, shift_ns) - due) <= max(1.0, due / 50)
    return held & np.append(True, held[:-1]) & np.append(held[1:], True)


@pytest.fixture(scope="module")
def paced(truth_folder: Path) -> Iterator[dict[str, Paced]]:
    """All of them at the same time: together they are some 3,000 statements a second."""
    with ExitStack() as stack:
        servers, loads = {}, {}
        for name, arguments in ARGUMENTS.items():
            cpu = CPUS[name]
            options = ("--delay", SERVICE, "--log", str(truth_folder / f"{name}.csv"))
            servers[name] = stack.enter_context(NullServer(truth_folder, *options, cpu=cpu))
            common = ["--warm-up", "0s", "--time", f"{SECONDS}s", "--seed", "4", "--report-interval", "0"]
            load = RunningLoad(POINT_SELECT, servers[name].target, [*common, *arguments], truth_folder, cpu=cpu)
            loads[name] = stack.enter_context(load)
        runs = {name: load.finish(SECONDS + 60) for name, load in loads.items()}
        for server in servers.values():
            server.stop()
    found = {}
    for name, run in runs.items():
        assert (run.exit_code, run.end["status"]) == (0, "complete"), run.errors
        log = StatementLog.read(truth_folder / f"{name}.csv", "point_select")
        found[name] = Paced(run, np.sort(log.arrived_ns) - run.start["monotonic_ns"])
    yield found


def started(run: LoadRun) -> NDArray[np.int64]:
    """Events started in each second."""
    return np.array([sum(counts["started"] for counts in second["transactions"].values()) for second in run.seconds])


def test_poisson_arrivals_have_the_spread_of_independent_visitors(paced: dict[str, Paced]) -> None:
    poisson, constant = paced["poisson"], paced["constant"]
    # 15,000 arrivals: the rate is known to 0.8 %, the dispersion to 2.6 % in 3,000 stretches and to 8 % in 300.
    assert len(poisson.arrived_ns) / SECONDS == pytest.approx(RATE, rel=0.04)
    for bin_ns, precision in ((10 * MS, 0.13), (100 * MS, 0.4)):
        quiet = quiet_stretches(poisson, constant, bin_ns)
        assert quiet.mean() > 0.2, "the machine stood still most of the time"
        assert poisson.dispersion(bin_ns, quiet) == pytest.approx(1.0, abs=precision), bin_ns
        print(f"dispersion {poisson.dispersion(bin_ns, quiet):.3f} in {quiet.sum()} stretches of {bin_ns // MS} ms")


def test_constant_arrivals_have_no_spread(paced: dict[str, Paced]) -> None:
    constant = paced["constant"]
    # Each is due 2 ms after the one before it: a machine that stands still at the very end leaves the last ones unsent.
    arrived = len(constant.arrived_ns)
    assert 0.99 * RATE * SECONDS < arrived <= RATE * SECONDS
    late_ns = constant.arrived_ns - np.arange(arrived) * S // RATE
    assert late_ns.min() >= 0
    assert np.median(late_ns) < MS
    assert started(constant.run).tolist() == pytest.approx([RATE] * SECONDS, abs=RATE / 5)


@pytest.mark.parametrize(("law", "precision"), [("think", 0.03), ("think-constant", 0.02)])
def test_the_rate_of_thinking_users_follows_from_think_and_service_time(
    paced: dict[str, Paced], law: str, precision: float
) -> None:
    run = paced[law].run
    expected_per_s = USERS / ((THINK_MS + SERVICE_MS) / 1000)
    assert started(run)[1:].mean() == pytest.approx(expected_per_s, rel=precision)
    response = histogram(run.window[1:], "transactions", "response")
    # The pause is in no time that is measured.
    assert quantile_ns(response, 0.5) / MS == pytest.approx(SERVICE_MS, rel=0.05)


def test_a_rate_in_steps_is_kept_in_each_second(paced: dict[str, Paced]) -> None:
    expected = [200] * 10 + [600] * 10 + [0] * 3 + [400] * 7
    counts = paced["steps"].counts(S)
    assert counts.sum() == sum(expected)
    assert counts.tolist() == pytest.approx(expected, abs=120)  # a fifth of a second's worth
    assert paced["steps"].run.end["scheduled"] == sum(expected)


def test_a_ramp_grows_in_a_straight_line(paced: dict[str, Paced]) -> None:
    ramp = paced["ramp"]
    assert ramp.run.end["scheduled"] == pytest.approx(600 * SECONDS / 2, abs=1)
    # The n-th event is due when the area under the ramp is n: at t = 30 s * sqrt(n / 9,000).
    due_ns = SECONDS * S * np.sqrt(np.arange(len(ramp.arrived_ns)) / (600 * SECONDS / 2))
    late_ns = ramp.arrived_ns - due_ns
    assert np.median(late_ns) < MS
    assert late_ns.min() > -MS
