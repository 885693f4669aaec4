"""Claims and the runs that they are held against, for tests that plant what is found."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analyse import CellJudgement, judge_cells
from dbdyno.analyse.claims import CellSelector, Claim, ClaimResult, Published, ResultsOrigin, judge_claims
from dbdyno.core import Cell, OrderRates, Route, Run, RunRecord, RunStatus, TotalFigures

GIB = 1 << 30
RW, RO = "sysbench/oltp_read_write", "sysbench/oltp_read_only"
ENGINES = ("mysql 8.4.8", "mariadb 10.11.16", "percona 8.0.45-36")
AT = CellSelector(RW, "loopback", 2 * GIB, "mysql 8.4.8", 16)


def run(
    engine: str = "mysql 8.4.8",
    tps: float | None = 1000.0,
    concurrency: int = 16,
    *,
    workload: str = RW,
    route: Route = "loopback",
    tier: int = 2 * GIB,
    noise: float = 0.005,
    status: RunStatus = "good",
    target: str = "",
    orders: OrderRates | None = None,
) -> RunRecord:
    family, version = engine.split()[:2]
    storage = ([*engine.split(), "innodb"])[2]
    cell = Cell(target or engine, tier, concurrency, workload, route)
    half = None if tps is None else noise * tps
    return RunRecord(
        Run(cell, 1, 0, 1, ""),
        family,
        version,
        storage,
        status,
        figures=TotalFigures(tps_mean=tps, tps_half_width=half),
        orders=orders,
    )


def claim(kind: str, value: float | tuple[float, ...] = 1000.0, at: CellSelector = AT, **changes: object) -> Claim:
    values = value if isinstance(value, tuple) else (value,)
    row: dict[str, object] = {
        "claim_id": "X-01",
        "kind": kind,
        "words": "x",
        "values": values,
        "unit": "tps",
        "rounding": 0.5,
        "approximate": False,
        "metric": "tps",
        "at": at,
        "against": CellSelector(),
        "engines": (at.engine,) if at.engine else (),
        "extreme": "",
        "reason": "",
        **changes,
    }
    return Claim(**row)  # type: ignore[arg-type]


def result(asked: Claim, records: list[RunRecord], engines: tuple[str, ...] = ENGINES) -> ClaimResult:
    report = Published("x", "x", engines, (RW,), ("loopback",), (2 * GIB,), (16, 64), (asked,))
    return judge_claims(report, judge_cells(records), none_closing)[0].result


def none_closing(_last_s: int) -> list[CellJudgement]:
    return []


def curve(engine: str, levels: Mapping[int, float], tier: int = 2 * GIB) -> list[RunRecord]:
    return [run(engine, tps, n, tier=tier) for n, tps in levels.items()]


def original(asked: Claim, records: list[RunRecord], engines: tuple[str, ...] = ENGINES) -> ClaimResult:
    """A claim held against the report's own logs."""
    report = Published("x", "x", engines, (RW,), ("loopback",), (2 * GIB,), (16, 64), (asked,))
    sources = ResultsOrigin(is_original=lambda _: True)
    return judge_claims(report, judge_cells(records), none_closing, {}, sources)[0].result


def repeated(engine: str, tps: float, concurrency: int) -> list[RunRecord]:
    found = []
    for repeat, factor in enumerate((0.999, 1.0, 1.001, 1.0), start=1):
        record = run(engine, tps * factor, concurrency, noise=0.0005)
        cell = record.run.cell
        found.append(
            RunRecord(
                Run(cell, repeat, 0, 1, ""),
                record.family,
                record.version,
                record.storage_engine,
                "good",
                figures=TotalFigures(tps_mean=record.figures.tps_mean, tps_half_width=record.figures.tps_half_width),
            )
        )
    return found
