"""Reads what published reports print, as rows of data: one file per report; each row names its rule."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from dbdyno.core import RequestError, parse_bytes
from dbdyno.nearest import nearest

Kind = Literal[
    "level", "peak", "collapse", "plateau", "first", "lead", "ratio", "memory", "range", "engines", "same", "shape"
]
Unit = Literal["tps", "nopm", "tpm", "ratio", "below", "above", "ms", "plain"]
Metric = Literal["tps", "nopm", "tpm"]
REPORTS = ("percona-2026", "tidesdb-2026", "linkbench-2014", "sysbench-2012", "checkpoint-2020")
"""Ids of the reports that are known."""


@dataclass(frozen=True, slots=True)
class CellSelector:
    """Holds where a claim holds; None where it leaves it open.

    Parameters
    ----------
    engine : family, version and, unless it is InnoDB, storage engine: ``mariadb 11.8.6 tidesdb``
    """

    workload: str | None = None
    route: str | None = None
    tier_bytes: int | None = None
    engine: str | None = None
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """Describes one printed claim.

    Parameters
    ----------
    kind : the rule that decides whether it holds
    words : what it says, the figure left to its end
    values : as printed, in `unit`; none where a shape is stated in words only; two are the ends of a range
    unit : ``below`` and ``above`` are shares by which one lies below or above another
    rounding : half of the last digit that was printed
    approximate : whether the print itself says "about"
    metric : what is read off each cell
    at, against : where; `against` names only what differs, and is empty unless two spots are compared
    engines : several engines of which it is said alike; empty: that of `at`
    extreme : of ratios over memory: whether it is said to be the largest or smallest of all engines
    last_s : seconds at the end of each run that it speaks of; 0: of the whole window
    or_whole : whether the print may as well mean the whole window
    reason : why no rule decides it; of shapes
    sentence : what is tested, as a whole sentence in our own words
    """

    claim_id: str
    kind: Kind
    words: str
    values: tuple[float, ...]
    unit: Unit
    rounding: float
    approximate: bool
    metric: Metric
    at: CellSelector
    against: CellSelector
    engines: tuple[str, ...]
    extreme: str
    reason: str
    last_s: int = 0
    or_whole: bool = False
    sentence: str = ""

    @property
    def tolerance(self) -> float:
        """Return how far a figure may lie from the print: half of its last digit, a whole one of "about"."""
        return self.rounding * (2 if self.approximate else 1)


@dataclass(frozen=True, slots=True)
class Published:
    """Describes a published report: over what it speaks, and its claims.

    Parameters
    ----------
    rows : options of each workload that make its rows, by the workload's name
    window_s : how long its runs were; 0 where that is not stated
    """

    report_id: str
    title: str
    engines: tuple[str, ...]
    workloads: tuple[str, ...]
    routes: tuple[str, ...]
    tiers_bytes: tuple[int, ...]
    concurrencies: tuple[int, ...]
    claims: tuple[Claim, ...]
    rows: Mapping[str, Mapping[str, int | str]] = field(default_factory=dict)
    window_s: int = 0


def published(report_id: str) -> Published:
    """Return a report by its id.

    Raises
    ------
    RequestError : there is none of that name

    >>> claims = published("percona-2026")
    >>> len(claims.claims), claims.claims[0].claim_id, claims.claims[0].values
    (26, 'P26-01', (13385.0,))
    """
    if report_id not in REPORTS:
        raise RequestError(f"'{report_id}' is not a known report", "", nearest(report_id, REPORTS))
    text = (Path(__file__).parent / "data" / f"{report_id}.toml").read_text(encoding="utf-8")
    row = tomllib.loads(text)
    return Published(
        report_id,
        row["title"],
        tuple(row["engines"]),
        tuple(row["workloads"]),
        tuple(row.get("routes", ())),
        tuple(parse_bytes(tier) for tier in row.get("tiers", ())),
        tuple(row.get("concurrencies", ())),
        tuple(_claim(claim) for claim in row["claim"]),
        row.get("rows", {}),
        row.get("window_s", 0),
    )


@cache
def original_logs(report_id: str) -> frozenset[str]:
    """Return the first digits of the SHA-256 of each log that the report published; none where none are public.

    >>> len(original_logs("percona-2026")), len(original_logs("tidesdb-2026"))
    (959, 0)
    """
    file = Path(__file__).parent / "data" / f"{report_id}.logs"
    return frozenset(file.read_text(encoding="ascii").split()) if file.is_file() else frozenset()


def _claim(row: Mapping[str, Any]) -> Claim:
    value = row.get("value", [])
    values = tuple(float(number) for number in (value if isinstance(value, list) else [value]))
    unit = row.get("unit", "tps")
    metric = row.get("metric", unit if unit in ("nopm", "tpm") else "tps")
    at = _cell_selector(row["at"])
    engines = tuple(row.get("engines", [at.engine] if at.engine else []))
    rounding = row.get("rounding", 0.5 if unit in ("tps", "nopm", "tpm") else 0.0)
    return Claim(
        row["id"],
        row["kind"],
        row["words"],
        values,
        unit,
        float(rounding),
        row.get("approximate", False),
        metric,
        at,
        _cell_selector(row.get("against", {})),
        engines,
        row.get("extreme", ""),
        row.get("reason", ""),
        row.get("last_s", 0),
        row.get("or_whole", False),
        row["sentence"],
    )


def _cell_selector(row: Mapping[str, Any]) -> CellSelector:
    tier = row.get("tier")
    tier_bytes = parse_bytes(tier) if tier else None
    return CellSelector(row.get("workload"), row.get("route"), tier_bytes, row.get("engine"), row.get("concurrency"))
