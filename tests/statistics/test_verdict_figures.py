"""How often the verdict and the stopping rule are right, on series whose truth is known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from figures_page import publish
from scipy.signal import lfilter

from dbdyno.stats import StopChecks, StoppingRule, steady_state, stopping_point
from planted_series import jump, ramp, slow_start, stalled, wave

pytestmark = pytest.mark.slow
SERIES = 400
STATUSES = ("steady", "cyclic", "noisy", "drifting", "not-reached")
Noise = Callable[[np.random.Generator, int], np.ndarray]


def white(sd: float) -> Noise:
    return lambda generator, seconds: generator.normal(0, sd, seconds)


def correlated(sd: float, phi: float) -> Noise:
    def drawn(generator: np.random.Generator, seconds: int) -> np.ndarray:
        shocks = generator.normal(0, sd * math.sqrt(1 - phi**2), seconds + 1000)
        return np.asarray(lfilter([1.0], [1.0, -phi], shocks)[1000:])

    return drawn


def walk(generator: np.random.Generator, seconds: int) -> np.ndarray:
    """A level that never settles: its deviation grows with the root of time, to 10 % after 900 s."""
    return np.cumsum(generator.normal(0, 0.10 / 30, seconds))


FLAT = np.full(900, 1000.0)
TRUTHS: dict[str, tuple[np.ndarray, Noise, tuple[str, ...]]] = {
    "flat, independent noise of 2 %": (FLAT, white(0.02), ("steady",)),
    "flat, correlated noise of 2 % (phi 0.9)": (FLAT, correlated(0.02, 0.9), ("steady",)),
    "flat, correlated noise of 5 % (phi 0.97)": (FLAT, correlated(0.05, 0.97), ()),
    "jump from 700 to 1000 at 360 s": (jump(360, 700, 1000), white(0.02), ("steady",)),
    "jump from 1000 to 1200 at 700 s": (jump(700, 1000, 1200), white(0.02), ("drifting",)),
    "rise of 2 %": (ramp(0.02), white(0.02), ("steady",)),
    "rise of 5 %": (ramp(0.05), white(0.02), ()),
    "rise of 8 %": (ramp(0.08), white(0.02), ("drifting",)),
    "rise of 20 %": (ramp(0.20), white(0.02), ("drifting",)),
    "sine of 60 s, 10 %": (wave(60, 0.1), white(0.02), ("cyclic",)),
    "sine of 200 s, 30 %": (wave(200, 0.3), white(0.02), ("cyclic",)),
    "slow start (100 s)": (slow_start(), white(0.02), ("steady",)),
    "stalls of 5 s every 90 s": (stalled(), white(0.02), ("noisy",)),
    "random walk, 10 % after 900 s": (FLAT, walk, ()),
}


def test_verdicts_on_planted_truths() -> None:
    generator = np.random.default_rng(4)
    rows = []
    for name, (level, noise, right) in TRUTHS.items():
        found = [steady_state(level * np.maximum(1 + noise(generator, 900), 0.01)) for _ in range(SERIES)]
        count = Counter(each.status for each in found)
        rows.append([name, *(_percent(count[status] / SERIES) for status in STATUSES)])
        if right:
            assert sum(count[status] for status in right) >= 0.85 * SERIES, name
    publish("verdicts", ["truth", *STATUSES], rows)


def test_the_stopping_rule_saves_time_and_is_off_as_seldom_as_it_should() -> None:
    generator = np.random.default_rng(9)
    rows = []
    for sd, phi in ((0.02, 0.0), (0.05, 0.5), (0.05, 0.9), (0.10, 0.9)):
        series = [1000 * (1 + correlated(sd, phi)(generator, 900)) for _ in range(SERIES)]
        checks = [StopChecks(each) for each in series]
        for precision in (0.01, 0.02, 0.05):
            rule = StoppingRule(precision=precision)
            points = [stopping_point(x, rule, made) for x, made in zip(series, checks, strict=True)]
            early = [point for point in points if point is not None and point.reason == "precision"]
            off = sum(abs(point.mean / 1000 - 1) > precision for point in early) / SERIES
            median = f"{np.median([point.at_s for point in early]):.0f} s" if early else "-"
            cells = (f"{sd:.0%}, phi {phi:g}", f"{precision:.0%}", _percent(len(early) / SERIES), median, _percent(off))
            rows.append(cells)
            assert off <= 0.08
    publish("stopping", ["noise", "precision", "stopped before 900 s", "median stop", "stopped and off by more"], rows)


def _percent(share: float) -> str:
    return "" if share == 0 else f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"
