"""The order in which runs are made.

A round holds every cell once. Inside a round the places (workload, tier, route, concurrency) come in a fresh random
order, and at each place all targets run one after the other, in a fresh random order. So the runs that will be
compared lie close together in time, no target always goes first, and a drift of the machine over hours hits all alike.
Every run starts from the same restored data, so no run depends on the one before it.
"""

from __future__ import annotations

import itertools
import random

from dbdyno.core import Cell, Run
from dbdyno.study import Study


def ordered_runs(study: Study) -> tuple[Run, ...]:
    """All runs of a study in the order in which they are made; the same study gives the same order."""
    chance = random.Random(f"order {study.seed}")
    runs: list[Run] = []
    for repeat in range(1, study.repeats + 1):
        for position, cell in enumerate(_round(study, chance)):
            # The same seed for every target of a repeat: all are sent the same statements.
            seed = study.seed + repeat - 1
            runs.append(Run(cell, repeat, len(runs), seed, _reason(study, repeat, position)))
    return tuple(runs)


def _round(study: Study, chance: random.Random) -> list[Cell]:
    labels = [choice.label for choice in study.workloads]
    places = list(itertools.product(labels, study.tiers_bytes, study.routes, study.concurrencies))
    if study.order == "interleaved":
        chance.shuffle(places)
    cells: list[Cell] = []
    for workload, tier_bytes, route, concurrency in places:
        names = [target.name for target in study.targets]
        if study.order == "interleaved":
            chance.shuffle(names)
        cells.extend(Cell(name, tier_bytes, concurrency, workload, route) for name in names)
    return cells


def _reason(study: Study, repeat: int, position: int) -> str:
    if study.order == "as-written":
        return f"repeat {repeat}, as written"
    place, turn = divmod(position, len(study.targets))
    return f"round {repeat}, place {place + 1}, turn {turn + 1} of {len(study.targets)} (seed {study.seed})"
