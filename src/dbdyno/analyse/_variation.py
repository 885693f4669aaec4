"""Answers how much runs of these cells vary, between repeats and inside their windows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dbdyno.analyse._cells import CellJudgement, logs_of
from dbdyno.stats import ASSUMED_VARIATION, Variation, moderated_spread

_REFERENCE_WINDOW_S = 900.0


def observed_variation(judgements: Sequence[CellJudgement]) -> tuple[Variation, int]:
    """Typical spread and noise of good runs, and how many cells were repeated.

    Without repeats the spread is the assumed one. What windows vary by themselves is taken out of the spread seen.
    """
    trusted = [group for group in judgements if group.decides]
    repeated = [group for group in trusted if len(group.judged) > 1]
    windows = [run for group in trusted for run in group.judged if run.level_tps and run.level_half_width is not None]
    shares = [(run.level_half_width or 0.0) / (run.level_tps or 1.0) / 1.96 for run in windows]
    scaled = [share * math.sqrt(run.window_s / _REFERENCE_WINDOW_S) for share, run in zip(shares, windows, strict=True)]
    noise_se = _median(scaled) if scaled else ASSUMED_VARIATION.noise_se
    if not repeated:
        return Variation(ASSUMED_VARIATION.spread, noise_se, ASSUMED_VARIATION.prior_df), 0
    seen = moderated_spread([logs_of(group) for group in repeated])
    between = math.sqrt(max(_median(seen.sd) ** 2 - _median(shares or [0.0]) ** 2, 0.0))
    prior = seen.prior_df if seen.prior_df > 0 else ASSUMED_VARIATION.prior_df
    return Variation(between, noise_se, prior), len(repeated)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
