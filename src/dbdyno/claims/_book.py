"""The cells of a results folder, looked up the way a claim names them; what is not there is told with its reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.analyse import CellJudgement
from dbdyno.claims._catalogue import Metric, Spot
from dbdyno.core import Cell, OrderRates, RunRecord, format_memory
from dbdyno.stats import LogLevel, peak

_NUMBERS_RE = re.compile(r"\d+(?:\.\d+)*")


class CannotTell(Exception):
    """A claim can't be told, with the reason: no error, as the results are only silent on it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a cell shows.

    Parameters
    ----------
    level : on the scale of its logarithm
    mean, low, high : with its 95 % interval, in the metric's unit
    """

    level: LogLevel
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Book:
    """Judged cells, as `dbdyno.analyse.judge_cells` gives them.

    Parameters
    ----------
    last_s : seconds at the end of the runs by which they are judged; 0: the whole window
    other_rows : of workloads with other rows than the report's, which: no claim is about their cells
    """

    judgements: tuple[CellJudgement, ...]
    last_s: int = 0
    other_rows: Mapping[str, str] = field(default_factory=dict)

    @property
    def tiers_bytes(self) -> frozenset[int]:
        """Every memory budget of the results."""
        return frozenset(group.cell.tier_bytes for group in self.judgements)

    def reading(self, spot: Spot, metric: Metric = "tps") -> Reading:
        """What the spot shows; at its best concurrency where it names none.

        Raises
        ------
        CannotTell : there is no such cell, or no trusted level
        """
        curve = self.curve(spot, metric)
        if spot.concurrency is not None and spot.concurrency not in curve:
            raise CannotTell(f"{self._no_run(spot)} at {spot.concurrency} connections")
        return curve[spot.concurrency or peak({n: found.level for n, found in curve.items()}).best]

    def curve(self, spot: Spot, metric: Metric = "tps") -> dict[int, Reading]:
        """What the spot shows at each concurrency with a trusted level, at least one.

        Raises
        ------
        CannotTell : there is none, or several targets answer to the spot
        """
        found = self.cells(replace(spot, concurrency=None))
        good = [group for group in found if group.trusted and group.level is not None]
        for words, part in _AMBIGUOUS.items():
            count = len({part(group.cell) for group in found})
            if count > 1:
                raise CannotTell(f"{count} {words} answer to {spot.engine}{_extent(good, spot, metric)}; none is named")
        if not good:
            raise CannotTell(self._no_run(spot))
        return {group.cell.concurrency: _reading(group, metric) for group in good}

    def _no_run(self, spot: Spot) -> str:
        lasting = f" that was judged for {self.last_s:,} s" if self.last_s else ""
        return f"no good run of {spot.engine}{lasting}"

    def is_whole(self, spot: Spot) -> bool:
        """Whether every cell of the spot has a trusted level."""
        return all(group.trusted for group in self.cells(replace(spot, concurrency=None)))

    def pairs(self, left: Spot, right: Spot, engines: Sequence[str]) -> list[tuple[Reading, Reading]]:
        """Cells of either spot that differ only in what the spots differ in.

        Raises
        ------
        CannotTell : nothing of one side, or no cell that both sides have
        """
        varied = [name for name in _LOOKS if getattr(left, name) != getattr(right, name)]
        sides = [self._by_rest(spot, varied, engines) for spot in (left, right)]
        shared = [key for key in sides[0] if key in sides[1]]
        if not shared:
            raise CannotTell("no cell that both sides have")
        return [(sides[0][key], sides[1][key]) for key in shared]

    def _by_rest(self, spot: Spot, varied: Sequence[str], engines: Sequence[str]) -> dict[Hashable, Reading]:
        found: dict[Hashable, Reading] = {}
        for group in self.cells(spot):
            engine = next((name for name in engines if is_engine(name, group.runs[0])), None)
            if engine is None or not group.trusted or group.level is None:
                continue
            cell = group.cell
            rest = {
                "workload": cell.workload,
                "route": cell.route,
                "tier_bytes": cell.tier_bytes,
                "engine": engine,
                "concurrency": cell.concurrency,
            }
            key = tuple(value for name, value in rest.items() if name not in varied)
            if key in found:
                raise CannotTell(f"several targets are {engine}")
            found[key] = _reading(group, "tps")
        return found

    def cells(self, spot: Spot) -> list[CellJudgement]:
        """Cells of the spot, trusted or not.

        Raises
        ------
        CannotTell : there are none; the reason is the first part of the spot that no cell has
        """
        cells = [group for group in self.judgements if group.cell.workload not in self.other_rows]
        others = [words for name, words in self.other_rows.items() if spot.workload in (None, name)]
        if others and (spot.workload or not cells):
            raise CannotTell(f"other rows than in the report: {others[0]}")
        for name, (words, matches) in _LOOKS.items():
            wanted = getattr(spot, name)
            if wanted is None:
                continue
            cells = [group for group in cells if matches(group, wanted)]
            if not cells:
                raise CannotTell(f"not in the results: {words(wanted)}")
        return cells


def is_engine(name: str, record: RunRecord) -> bool:
    """Whether a run is of the engine that a report names; packaging after the version's numbers does not count.

    >>> from dbdyno.core import Cell, Run
    >>> run = Run(Cell("a", 0, 1, "w", "socket"), 1, 0, 1, "")
    >>> is_engine("percona 8.0.45-36", RunRecord(run, "percona", "8.0.45", "innodb", "good"))
    True
    """
    family, version, *rest = name.split()
    # Logs seldom tell the storage engine; it only has to be known where the report names one.
    known = tuple(rest) or ("innodb", "unknown")
    is_version = _numbers(version) == _numbers(record.version)
    return record.family == family and is_version and record.storage_engine.lower() in known


def _numbers(version: str) -> str:
    match = _NUMBERS_RE.match(version)
    return match[0] if match else version


def _reading(group: CellJudgement, metric: Metric) -> Reading:
    """The cell in the metric's unit. Orders hang on transactions by the mix, so their interval is that of the TPS."""
    if group.level is None or group.tps_mean is None or group.tps_low is None or group.tps_high is None:
        raise CannotTell("a cell has no level")
    times = 1.0 if metric == "tps" else _per_tps(group, metric)
    level = replace(group.level, mean=group.level.mean + math.log(times))
    return Reading(level, times * group.tps_mean, times * group.tps_low, times * group.tps_high)


def _per_tps(group: CellJudgement, metric: Metric) -> float:
    rates = [
        rate / run.tps_mean
        for run in group.judged
        if run.orders is not None and run.tps_mean and (rate := _orders_rate(run.orders, metric)) is not None
    ]
    if len(rates) < len(group.judged) or min(rates, default=0.0) <= 0:
        raise CannotTell("its runs hold no new orders a minute")
    return math.exp(sum(math.log(rate) for rate in rates) / len(rates))


def _orders_rate(orders: OrderRates, metric: Metric) -> float | None:
    """As the client counted them; as the server did, where the client's are not known."""
    client, server = (orders.nopm, orders.server_nopm) if metric == "nopm" else (orders.tpm, orders.server_tpm)
    return server if client is None else client


def _extent(good: Sequence[CellJudgement], spot: Spot, metric: Metric) -> str:
    """From the least to the most that cells show between which a claim does not choose."""
    means = [_reading(group, metric).mean for group in good if spot.concurrency in (None, group.cell.concurrency)]
    return f" with {min(means):,.0f} to {max(means):,.0f} {metric.upper()}" if means else ""


_AMBIGUOUS: Mapping[str, Callable[[Cell], str | int]] = {
    "targets": lambda cell: cell.target,
    "routes": lambda cell: cell.route,
    "memory budgets": lambda cell: cell.tier_bytes,
}
"""What of a cell a claim may leave open, though it is about one cell."""
_LOOKS: Mapping[str, tuple[Callable[..., str], Callable[..., bool]]] = {
    "workload": (str, lambda group, wanted: group.cell.workload == wanted),
    "route": (lambda wanted: f"route {wanted}", lambda group, wanted: group.cell.route == wanted),
    "tier_bytes": (
        lambda wanted: f"memory of {format_memory(wanted)}",
        lambda group, wanted: group.cell.tier_bytes == wanted,
    ),
    "engine": (str, lambda group, wanted: is_engine(wanted, group.runs[0])),
    "concurrency": (
        lambda wanted: f"{wanted} connections",
        lambda group, wanted: group.cell.concurrency == wanted,
    ),
}
"""Part of a spot -> how it is told, and which cells have it; in the order in which they are looked for."""
