"""Series of 900 s around 1000 TPS with a truth that is known: jumps, ramps, waves, stalls, and noise of 2 %."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.stats import StopCheck, StoppingRule

SECONDS = np.arange(900.0)


def noisy(level: np.ndarray | float, seed: int = 1, noise: float = 0.02) -> np.ndarray:
    """The level with independent noise in proportion to it."""
    return level * (1 + noise * np.random.default_rng(seed).normal(size=len(SECONDS)))


def jump(at_s: int, before: float, after: float) -> np.ndarray:
    """One level, then another."""
    return np.where(at_s > SECONDS, before, after)


def ramp(share: float) -> np.ndarray:
    """A straight rise by a share of the first level."""
    return 1000 * (1 + share * SECONDS / len(SECONDS))


def wave(period_s: float, amplitude: float) -> np.ndarray:
    """A sine around 1000."""
    return 1000 * (1 + amplitude * np.sin(2 * np.pi * SECONDS / period_s))


def slow_start() -> np.ndarray:
    """Half the level at first, the rest with a time constant of 100 s."""
    return 1000 * (1 - 0.5 * np.exp(-SECONDS / 100))


def stalled(every_s: int = 90, length_s: int = 5) -> np.ndarray:
    """A tenth of the level for a few seconds, again and again."""
    level = np.full(len(SECONDS), 1000.0)
    for start in range(every_s // 2, len(SECONDS), every_s):
        level[start : start + length_s] = 100.0
    return level


def may_stop(checks: Sequence[StopCheck], rule: StoppingRule) -> bool:
    """Return whether the checks made so far, in order, allow to stop now."""
    return len(checks) >= rule.passes and all(rule.passed(check) for check in checks[-rule.passes :])
