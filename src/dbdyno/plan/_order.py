"""Orders the runs of a study.

A round holds every cell once. Inside a round the places (workload, tier, route, concurrency) come in a fresh random
order, and at each place all targets run one after the other, in a fresh random order. So the runs that will be
compared lie close together in time, no target always goes first, and a drift of the machine over hours hits all alike.
Every run starts from the same restored data, so no run depends on the one before it.

With restore = "ladder" a target keeps its server for all concurrencies of a workload, tier and route: these follow one
another, in an order that is fresh for each round and the same for all targets there. Each concurrency has a seed of its
own then, so that a run does not ask for the very rows that the one before it has just read.

Where a network is among the routes, the routes of a place follow one another, so that what the network adds is computed
from runs that lie close together. With ladders, all routes of a workload and tier do so, in one order of concurrencies.

A sentinel, where the study names one, is the same cell with the same seed first, in the middle and last of every round;
with several benches, of what each of them takes, see `_deal`.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbdyno.core import Cell, Route, Run, is_network_route
from dbdyno.study import Study

_SEEDS_APART = 1000
"""Between the concurrencies of a ladder; repeats count up by one, and there are at most 50 of them."""


def ordered_runs(study: Study) -> tuple[Run, ...]:
    """Return all runs that are made in any case, in order; the same study gives the same order."""
    return tuple(itertools.chain.from_iterable(rounds(study, study.repeats)))


def rounds(study: Study, count: int) -> list[list[Run]]:
    """Return the first rounds of a study; a round is the same however many follow it."""
    chance = random.Random(f"order {study.seed}")
    runs: list[Run] = []
    rounds_in_order: list[list[Run]] = []
    for repeat in range(1, count + 1):
        round_start = len(runs)
        cells = _round_cells(study, chance)
        has_sentinel = bool(study.sentinel) and len(study.benches) < 2
        sentinel_positions = {0: "first", _middle_position(study, cells): "middle"} if has_sentinel else {}
        for position, cell in enumerate(cells):
            if position in sentinel_positions:
                runs.append(_next_sentinel(study, runs, f"sentinel, {sentinel_positions[position]} of round {repeat}"))
            # The same seed for every target of a repeat: all are sent the same statements.
            seed = study.seed + repeat - 1 + _step_seed(study, cell)
            is_further = repeat > study.repeats
            reason = _order_reason(study, repeat, position)
            runs.append(Run(cell, repeat, len(runs), seed, reason, is_further=is_further))
        if has_sentinel:
            runs.append(_next_sentinel(study, runs, f"sentinel, last of round {repeat}"))
        rounds_in_order.append(runs[round_start:])
    return rounds_in_order


def _next_sentinel(study: Study, earlier_runs: Sequence[Run], reason: str) -> Run:
    return sentinel_run(study, 1 + sum(run.is_sentinel for run in earlier_runs), len(earlier_runs), reason)


def sentinel_run(study: Study, number: int, order_index: int, reason: str) -> Run:
    """Return a run of the sentinel: its cell is the first of the study's, at the middle one of its concurrencies."""
    concurrency = study.concurrencies[len(study.concurrencies) // 2]
    cell = Cell(study.sentinel, study.tiers_bytes[0], concurrency, study.workloads[0].label, study.routes[0])
    return Run(cell, number, order_index, study.seed, reason, is_sentinel=True)


def share_server(study: Study, run: Run, next_run: Run) -> bool:
    r"""Return whether a run goes on with the server and the data of the one before it.

    >>> from dbdyno.study import parse_study
    >>> text = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\n'
    >>> text += 'axes = {tier = "64MB", concurrency = [1, 4]}\nmeasure = {restore = "ladder"}'
    >>> study = parse_study(text, "example.toml")
    >>> first, second, third, _ = ordered_runs(study)
    >>> share_server(study, first, second), share_server(study, second, third)
    (True, False)
    """
    if study.restore != "ladder" or run.is_sentinel or next_run.is_sentinel:
        return False
    return _ladder_key(run.cell) == _ladder_key(next_run.cell) and run.repeat == next_run.repeat


def _ladder_key(cell: Cell) -> tuple[str, str, int, str]:
    return (cell.target, cell.workload, cell.tier_bytes, cell.route)


def _step_seed(study: Study, cell: Cell) -> int:
    return 0 if study.restore == "run" else _SEEDS_APART * study.concurrencies.index(cell.concurrency)


def _middle_position(study: Study, cells: Sequence[Cell]) -> int:
    """Return the place half-way through a round, where no ladder is cut in two."""
    middle = len(cells) // 2
    return middle if study.restore == "run" else middle - middle % len(study.concurrencies)


def _round_cells(study: Study, chance: random.Random) -> list[Cell]:
    return _round_of_runs(study, chance) if study.restore == "run" else _round_of_ladders(study, chance)


def _round_of_runs(study: Study, chance: random.Random) -> list[Cell]:
    cells: list[Cell] = []
    for workload, tier_bytes, route, concurrency in _places(study, chance):
        names = [target.name for target in study.targets]
        if study.order == "interleaved":
            chance.shuffle(names)
        cells.extend(Cell(name, tier_bytes, concurrency, workload, route) for name in names)
    return cells


def _places(study: Study, chance: random.Random) -> list[tuple[str, int, Route, int]]:
    """Return workload, tier, route and concurrency; with a network among the routes, a place's routes adjoin."""
    labels = [choice.label for choice in study.workloads]
    if study.order != "interleaved":
        return list(itertools.product(labels, study.tiers_bytes, study.routes, study.concurrencies))
    if not any(map(is_network_route, study.routes)):
        places = list(itertools.product(labels, study.tiers_bytes, study.routes, study.concurrencies))
        chance.shuffle(places)
        return places
    alike = list(itertools.product(labels, study.tiers_bytes, study.concurrencies))
    chance.shuffle(alike)
    return [
        (workload, tier_bytes, route, concurrency)
        for workload, tier_bytes, concurrency in alike
        for route in chance.sample(study.routes, len(study.routes))
    ]


def _round_of_ladders(study: Study, chance: random.Random) -> list[Cell]:
    places = list(itertools.product([choice.label for choice in study.workloads], study.tiers_bytes, study.routes))
    if study.order == "interleaved":
        chance.shuffle(places)
    ladders: list[_PlaceLadders] = []
    for workload, tier_bytes, route in places:
        names, steps = [target.name for target in study.targets], list(study.concurrencies)
        if study.order == "interleaved":
            chance.shuffle(names)
            chance.shuffle(steps)
        ladders.append(_PlaceLadders(workload, tier_bytes, route, names, steps))
    if any(map(is_network_route, study.routes)):
        ladders = _with_adjoining_routes(ladders)
    return [
        Cell(name, ladder.tier_bytes, step, ladder.workload, ladder.route)
        for ladder in ladders
        for name in ladder.names
        for step in ladder.steps
    ]


@dataclass(frozen=True, slots=True)
class _PlaceLadders:
    """Holds the ladders of all targets at a workload, tier and route: targets and concurrencies in their order."""

    workload: str
    tier_bytes: int
    route: Route
    names: Sequence[str]
    steps: Sequence[int]


def _with_adjoining_routes(ladders: Sequence[_PlaceLadders]) -> list[_PlaceLadders]:
    """Put the routes of a workload and tier next to each other, all with the first one's order of concurrencies.

    Workloads and tiers keep the order in which they first occur, since `runs_of_part` deals by that order.
    """
    ladders_by_unit: dict[tuple[str, int], list[_PlaceLadders]] = {}
    for ladder in ladders:
        ladders_by_unit.setdefault((ladder.workload, ladder.tier_bytes), []).append(ladder)
    return [replace(ladder, steps=own[0].steps) for own in ladders_by_unit.values() for ladder in own]


def _order_reason(study: Study, repeat: int, position: int) -> str:
    if study.order == "as-written":
        return f"repeat {repeat}, as written"
    if study.restore == "ladder":
        ladder, step = divmod(position, len(study.concurrencies))
        place, turn = divmod(ladder, len(study.targets))
        words = f"round {repeat}, place {place + 1}, turn {turn + 1} of {len(study.targets)}"
        return f"{words}, step {step + 1} of {len(study.concurrencies)} (seed {study.seed})"
    place, turn = divmod(position, len(study.targets))
    return f"round {repeat}, place {place + 1}, turn {turn + 1} of {len(study.targets)} (seed {study.seed})"
