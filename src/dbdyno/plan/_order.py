"""The order in which runs are made.

A round holds every cell once. Inside a round the places (workload, tier, route, concurrency) come in a fresh random
order, and at each place all targets run one after the other, in a fresh random order. So the runs that will be
compared lie close together in time, no target always goes first, and a drift of the machine over hours hits all alike.
Every run starts from the same restored data, so no run depends on the one before it.

A sentinel, where the study names one, is the same cell with the same seed first, in the middle and last of every round.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

from dbdyno.core import Cell, Run
from dbdyno.study import Study


def ordered_runs(study: Study) -> tuple[Run, ...]:
    """All runs of a study in the order in which they are made; the same study gives the same order."""
    chance = random.Random(f"order {study.seed}")
    runs: list[Run] = []
    for repeat in range(1, study.repeats + 1):
        cells = _round(study, chance)
        watched = {0: "first", len(cells) // 2: "middle"} if study.sentinel else {}
        for position, cell in enumerate(cells):
            if position in watched:
                runs.append(_sentinel(study, runs, f"sentinel, {watched[position]} of round {repeat}"))
            # The same seed for every target of a repeat: all are sent the same statements.
            seed = study.seed + repeat - 1
            runs.append(Run(cell, repeat, len(runs), seed, _reason(study, repeat, position)))
        if study.sentinel:
            runs.append(_sentinel(study, runs, f"sentinel, last of round {repeat}"))
    return tuple(runs)


def _sentinel(study: Study, before: Sequence[Run], reason: str) -> Run:
    """The next run of the sentinel: its cell is the first of the study's, at the middle one of its concurrencies."""
    concurrency = study.concurrencies[len(study.concurrencies) // 2]
    cell = Cell(study.sentinel, study.tiers_bytes[0], concurrency, study.workloads[0].label, study.routes[0])
    number = 1 + sum(run.is_sentinel for run in before)
    return Run(cell, number, len(before), study.seed, reason, is_sentinel=True)


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
