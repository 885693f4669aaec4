"""Answers how much runs of these cells vary, between repeats and inside their windows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from dbdyno.analyse._cells import CellJudgement, logs_of
from dbdyno.core import RunRecord
from dbdyno.stats import ASSUMED_VARIATION, Variation, moderated_spread

_REFERENCE_WINDOW_S = 900.0


class HasAssumedSpread(Protocol):
    """Whatever is compared by levels whose spread between repeats may be assumed."""

    @property
    def assumed_spread(self) -> float | None:
        """Return that spread, on the scale ln(TPS); None where it was measured."""


def most_assumed_spread(compared: Iterable[HasAssumedSpread]) -> float | None:
    """Return the largest spread that is assumed for any of these comparisons; None where all were measured."""
    return max((one.assumed_spread for one in compared if one.assumed_spread is not None), default=None)


def observed_variation(judgements: Sequence[CellJudgement]) -> tuple[Variation, int]:
    """Return typical spread and noise of good runs, and how many cells were repeated.

    Without repeats the spread is the assumed one. What windows vary by themselves is taken out of the spread seen.
    """
    trusted_groups = [group for group in judgements if group.decides]
    repeated_groups = [group for group in trusted_groups if len(group.judged) > 1]
    windows = [
        run for group in trusted_groups for run in group.judged if run.level_tps and run.level_half_width is not None
    ]
    shares = [(run.level_half_width or 0.0) / (run.level_tps or 1.0) / 1.96 for run in windows]
    scaled_shares = [
        share * math.sqrt(_level_seconds(run) / _REFERENCE_WINDOW_S) for share, run in zip(shares, windows, strict=True)
    ]
    noise_se = _median(scaled_shares) if scaled_shares else ASSUMED_VARIATION.noise_se
    if not repeated_groups:
        return Variation(ASSUMED_VARIATION.spread, noise_se, ASSUMED_VARIATION.prior_df), 0
    spread = moderated_spread([logs_of(group) for group in repeated_groups])
    between_sd = math.sqrt(max(_median(spread.sd) ** 2 - _median(shares or [0.0]) ** 2, 0.0))
    prior_df = spread.prior_df if spread.prior_df > 0 else ASSUMED_VARIATION.prior_df
    return Variation(between_sd, noise_se, prior_df), len(repeated_groups)


def _level_seconds(run: RunRecord) -> float:
    """Return how many seconds a run's level is the mean of: those of its settled part, if it has one."""
    part = run.settled
    return run.figures.window_s if part is None or not part.is_accepted else float(part.seconds - (part.start_s or 0))


def _median(values: Sequence[float]) -> float:
    sorted_values = sorted(values)
    middle = len(sorted_values) // 2
    return sorted_values[middle] if len(sorted_values) % 2 else (sorted_values[middle - 1] + sorted_values[middle]) / 2
