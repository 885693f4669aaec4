"""Records with planted levels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pytest

from dbdyno.core import Cell, LatencyNs, Route, Run, RunRecord, TotalFigures

MakeRecord = Callable[..., RunRecord]
MakeStudy = Callable[..., list[RunRecord]]


def one_record(
    target: str = "a",
    tps: float | None = 100.0,
    *,
    tier: int = 64 << 20,
    concurrency: int = 4,
    route: Route = "socket",
    repeat: int = 1,
    figures: Mapping[str, object] = MappingProxyType({}),
    **changes: object,
) -> RunRecord:
    cell = Cell(target, tier, concurrency, "sysbench/oltp_read_write", route)
    typical = 0 if tps is None else int(concurrency / tps * 1e9)
    values = {
        "window_s": 12.0,
        "tps_mean": tps,
        "tps_half_width": None if tps is None else 0.01 * tps,
        "latency_ns": LatencyNs(typical, 2 * typical, 3 * typical, 4 * typical, 6 * typical),
        "transactions": 1000,
        **figures,
    }
    changes = {"status": "good", "figures": TotalFigures(**values), **changes}
    return RunRecord(Run(cell, repeat, 0, 1, ""), "mariadb", "11.8.6", "innodb", **changes)


def study_of(
    levels: Mapping[str, float],
    *,
    repeats: int = 2,
    tiers: Sequence[int] = (64 << 20, 512 << 20),
    concurrencies: Sequence[int] = (1, 4, 16),
    spread: float = 0.01,
    seed: int = 1,
) -> list[RunRecord]:
    random = np.random.default_rng(seed)
    places = itertools.product(range(1, repeats + 1), tiers, concurrencies, levels)
    return [
        one_record(
            target,
            levels[target] * concurrency**0.5 * math.exp(random.normal(0, spread)),
            tier=tier,
            concurrency=concurrency,
            repeat=repeat,
        )
        for repeat, tier, concurrency, target in places
    ]


@pytest.fixture
def record() -> MakeRecord:
    return one_record


@pytest.fixture
def study() -> MakeStudy:
    return study_of
