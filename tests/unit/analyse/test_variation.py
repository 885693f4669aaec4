"""Spread and noise seen in a study, for the next one's plan."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dbdyno.analyse import judge_cells, observed_variation
from dbdyno.core import RunRecord, SettledPart
from dbdyno.stats import ASSUMED_SPREAD

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def test_a_planted_spread_is_seen_and_noise_is_scaled_to_900_seconds(study: MakeStudy) -> None:
    records = study({"a": 100.0, "b": 50.0}, repeats=5, spread=0.05)
    found, cells = observed_variation(judge_cells(records))
    assert cells == 12
    assert found.spread == pytest.approx(0.05, rel=0.3)
    assert found.noise_se == pytest.approx(0.01 / 1.96 * (12 / 900) ** 0.5)


def test_noise_of_a_settled_part_is_scaled_by_its_own_length(record: MakeRecord) -> None:
    """The last 500 of 900 s have a half-width of 1 %, so 900 settled seconds would have less."""
    late = SettledPart("steady", 900, 400, 100.0, 1.0)
    drifting = SettledPart("drifting", 900, 400, 100.0, 7.0)
    records = [
        record("a", repeat=repeat, settled=part, figures={"window_s": 900.0})
        for repeat, part in enumerate((late, late, drifting), 1)
    ]
    assert observed_variation(judge_cells(records))[0].noise_se == pytest.approx(0.01 / 1.96 * (500 / 900) ** 0.5)


def test_noise_of_the_windows_is_no_spread(study: MakeStudy) -> None:
    records = study({"a": 100.0, "b": 50.0}, repeats=5, spread=0.003)
    assert observed_variation(judge_cells(records))[0].spread == 0.0


def test_without_repeats_the_spread_is_the_assumed_one(record: MakeRecord) -> None:
    found, cells = observed_variation(judge_cells([record("a"), record("b")]))
    assert (found.spread, cells) == (ASSUMED_SPREAD, 0)
    assert observed_variation([])[0].spread == ASSUMED_SPREAD
