"""What further repeats do to intervals and verdicts, when each is made only of cells that are not sure enough."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from figures_page import publish

from dbdyno.analyse import compare_targets, judge_cells
from dbdyno.core import Cell, Run, RunRecord, TotalFigures
from dbdyno.plan import unsure_cells
from dbdyno.study import Study, parse_study

pytestmark = pytest.mark.slow
STUDIES, PLACES, TARGETS, SPREAD = 60, 24, 4, 0.012
STUDY = parse_study(
    'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 1}\n'
    "measure = {repeats = 2, repeats_max = 4, level_target_half_width = 0.03}",
    "further.toml",
)


@dataclass(frozen=True)
class Outcome:
    """Of many simulated studies: how often intervals hold the truth, and what was called different."""

    repeats: float
    coverage: float
    unsure: float
    false_places: float
    found: float


def record(cell: Cell, repeat: int, log: float, *, is_further: bool) -> RunRecord:
    run = Run(cell, repeat, 0, 1, "", is_further=is_further)
    tps = 1000 * math.exp(log)
    return RunRecord(
        run,
        "mysql",
        "9.7.4",
        "innodb",
        "good",
        figures=TotalFigures(window_s=240.0, tps_mean=tps, tps_half_width=0.003 * tps),
    )


def study_records(
    generator: np.random.Generator, study: Study, gap: float, most: int
) -> tuple[dict[Cell, float], list[RunRecord]]:
    """Truths and runs of one study: rounds of all cells first, then of those that are not sure enough."""
    cells = [
        Cell(f"t{target}", 1 << 30, place + 1, "w", "socket") for place in range(PLACES) for target in range(TARGETS)
    ]
    truth = {cell: math.log1p(gap) if cell.target == "t0" else 0.0 for cell in cells}
    sd = {cell: SPREAD * math.exp(generator.normal(0, 0.5)) for cell in cells}
    records: list[RunRecord] = []
    wanted: Sequence[Cell] = cells
    for repeat in range(1, most + 1):
        if repeat > study.repeats:
            unsure = unsure_cells(study, records)
            wanted = [cell for cell in cells if cell in unsure]
        records += [
            record(cell, repeat, generator.normal(truth[cell], sd[cell]), is_further=repeat > study.repeats)
            for cell in wanted
        ]
    return truth, records


def outcome(study: Study, gap: float, most: int) -> Outcome:
    generator = np.random.default_rng(12)
    held, widths, runs, false, found = [], [], 0, [], Counter[str]()
    for _ in range(STUDIES):
        truth, records = study_records(generator, study, gap, most)
        runs += len(records)
        judgements = judge_cells(records)
        for one in judgements:
            assert one.tps_low is not None and one.tps_high is not None and one.level is not None
            held.append(one.tps_low <= 1000 * math.exp(truth[one.cell]) <= one.tps_high)
            widths.append(one.level.half_width() > study.level_target_half_width)
        places: dict[int, list[bool]] = {}
        for pair in compare_targets(judgements):
            if "t0" in (pair.left, pair.right):
                found[pair.verdict] += 1
            if gap == 0 or "t0" not in (pair.left, pair.right):
                places.setdefault(pair.concurrency, []).append(pair.verdict in ("different", "slightly different"))
        false += [any(place) for place in places.values()]
    cells = PLACES * TARGETS * STUDIES
    share = found["different"] / found.total()
    return Outcome(runs / cells, float(np.mean(held)), float(np.mean(widths)), float(np.mean(false)), share)


def test_further_repeats_of_unsure_cells_keep_the_promises_of_intervals_and_verdicts() -> None:
    rows, all_of = [], {}
    for words, repeats, most in (("2", 2, 2), ("2 to 4", 2, 4), ("2 to 6", 2, 6), ("4", 4, 4)):
        study = replace(STUDY, repeats=repeats, repeats_max=most if most > repeats else None)
        for gap in (0.0, 0.05):
            own = all_of[words, gap] = outcome(study, gap, most)
            percent = [f"{100 * share:.1f} %" for share in (own.coverage, own.unsure, own.false_places, own.found)]
            rows.append([words, f"{gap:.0%}", f"{own.repeats:.2f}", *percent])
    head = ["repeats", "true gap", "runs a cell", "intervals that hold", "cells beyond 3 %"]
    publish("further repeats", [*head, "places with a false difference", "gaps found"], rows)
    for gap in (0.0, 0.05):
        once, again = all_of["2", gap], all_of["2 to 4", gap]
        assert again.coverage >= 0.93
        assert again.false_places <= max(once.false_places, 0.05) + 0.03
        assert again.unsure < once.unsure / 2
    assert all_of["2 to 4", 0.05].found > all_of["2", 0.05].found
