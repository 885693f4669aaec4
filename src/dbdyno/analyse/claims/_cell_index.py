"""Looks up the cells of a results folder as a claim names them, and gives the reason for each missing one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.analyse import CellJudgement, remedy_words
from dbdyno.analyse.claims._catalogue import CellSelector, Metric
from dbdyno.core import Cell, OrderRates, RunRecord, counted, format_memory
from dbdyno.stats import LogLevel, peak

_NUMBERS_RE = re.compile(r"\d+(?:\.\d+)*")


class Undecidable(Exception):
    """Reports that a claim can't be decided, and why: no error, as the results are only silent on it."""


class NotSettled(Exception):
    """Reports that a claim rests on a run without a level that lasts: which, and what would settle it."""


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """Holds what a cell shows.

    Parameters
    ----------
    level : on the scale of its logarithm
    mean, low, high : with its 95 % interval, in the metric's unit
    """

    level: LogLevel
    mean: float
    low: float
    high: float


def _unknown_machine(_record: RunRecord) -> str:
    return ""


def _is_never_original(_record: RunRecord) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ResultsOrigin:
    """Holds what is known of the results that claims are held against.

    Parameters
    ----------
    names : label of a workload -> its name, where the two differ
    lengths_s : label of a workload -> how long its runs lasted
    machine : the machine that a run was made on; empty where that is not known
    is_original : whether a run was read from a log that the report itself published
    memory_is_chosen : whether somebody chose the memory of which claims are that name none
    """

    names: Mapping[str, str] = field(default_factory=dict)
    lengths_s: Mapping[str, float] = field(default_factory=dict)
    machine: Callable[[RunRecord], str] = _unknown_machine
    is_original: Callable[[RunRecord], bool] = _is_never_original
    memory_is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class CellIndex:
    """Holds judged cells, as `dbdyno.analyse.judge_cells` gives them.

    Parameters
    ----------
    last_s : seconds at the end of the runs by which they are judged; 0: the whole window
    other_rows : of workloads with other rows than the report's, which: no claim is about their cells
    sources : where the results come from
    window_s : how long the report's runs were; 0 where that is not stated
    """

    judgements: tuple[CellJudgement, ...]
    last_s: int = 0
    other_rows: Mapping[str, str] = field(default_factory=dict)
    sources: ResultsOrigin = field(default_factory=ResultsOrigin)
    window_s: int = 0

    @property
    def tiers_bytes(self) -> frozenset[int]:
        """Return every memory budget of the results."""
        return frozenset(group.cell.tier_bytes for group in self.judgements)

    def reading(self, selector: CellSelector, metric: Metric = "tps") -> MeasuredLevel:
        """Return what the spot shows; at its best concurrency where it names none.

        Raises
        ------
        Undecidable : there is no such cell, or no trusted level
        NotSettled : the cell, or one that may be the best, has no level that lasts
        """
        groups = self.meant(selector)
        if selector.concurrency is not None:
            spot_cells = [group for group in groups if group.cell.concurrency == selector.concurrency]
            if not any(group.trusted and group.level for group in spot_cells):
                raise Undecidable(f"{self._no_run_words(selector)} at {selector.concurrency} connections")
            _refuse_unsettled(spot_cells)
            return _level_in_metric(spot_cells[0], metric)
        curve = self.curve(selector, metric)
        best = curve[peak({n: cell_level.level for n, cell_level in curve.items()}).best]
        _refuse_unsettled([group for group in groups if not decides(group) and self.total(group, metric) > best.low])
        return best

    def curve(self, selector: CellSelector, metric: Metric = "tps") -> dict[int, MeasuredLevel]:
        """Return what the spot shows at each concurrency with a level that lasts, at least one.

        Raises
        ------
        Undecidable : there is none, or several targets answer to the spot
        NotSettled : there are levels, and none of them lasts
        """
        groups = self.meant(selector)
        firm_groups = [group for group in groups if decides(group)]
        if not firm_groups:
            _refuse_unsettled(groups)
            raise Undecidable(self._no_run_words(selector))
        return {group.cell.concurrency: _level_in_metric(group, metric) for group in firm_groups}

    def meant(self, selector: CellSelector) -> list[CellJudgement]:
        """Return cells of the one target, route and memory that the spot is about, at every concurrency.

        Of several targets that one is meant which is called as the report calls its engine, and nothing else.

        Raises
        ------
        Undecidable : there are none, or several answer to the spot
        """
        groups = self.cells(replace(selector, concurrency=None))
        exact_groups = [group for group in groups if group.cell.target.lower() == selector.engine]
        groups = exact_groups or groups
        good_groups = [group for group in groups if group.trusted and group.level is not None]
        for words, key_of in _AMBIGUOUS.items():
            count = len({key_of(group.cell) for group in groups})
            if count > 1:
                extent = _throughput_range_words(good_groups, selector)
                raise Undecidable(f"{count} {words} match {selector.engine}{extent}; choose one with --where")
        return groups

    def total(self, group: CellJudgement, metric: Metric = "tps") -> float:
        """Return what the cell's good runs did over whole windows, as their tool counted; 0 without such a run."""
        run_totals = [self._run_total(run, metric) for run in good_runs(group)]
        return sum(run_totals) / len(run_totals) if run_totals else 0.0

    def _run_total(self, run: RunRecord, metric: Metric) -> float:
        if metric != "tps":
            return (_orders_rate(run.orders, metric) if run.orders else None) or 0.0
        result = run.imported.tps if run.imported and not self.last_s else None
        return result or run.figures.tps_mean or 0.0

    def _no_run_words(self, selector: CellSelector) -> str:
        length_words = f" that was judged for {self.last_s:,} s" if self.last_s else ""
        return f"no good run of {selector.engine}{length_words}"

    def is_whole(self, selector: CellSelector) -> bool:
        """Return whether every cell of the spot has a trusted level."""
        return all(group.trusted for group in self.cells(replace(selector, concurrency=None)))

    def pairs(
        self, left: CellSelector, right: CellSelector, engines: Sequence[str]
    ) -> list[tuple[CellJudgement, CellJudgement]]:
        """Return cells of either spot with good runs that differ only in what the spots differ in.

        Raises
        ------
        Undecidable : nothing of one side, or no cell that both sides have
        """
        varied_axes = [name for name in _SELECTORS if getattr(left, name) != getattr(right, name)]
        cells_by_side = [self._cells_by_shared_axes(selector, varied_axes, engines) for selector in (left, right)]
        shared_keys = [key for key in cells_by_side[0] if key in cells_by_side[1]]
        if not shared_keys:
            raise Undecidable("the sides have no cell in common")
        return [(cells_by_side[0][key], cells_by_side[1][key]) for key in shared_keys]

    def _cells_by_shared_axes(
        self, selector: CellSelector, varied_axes: Sequence[str], engines: Sequence[str]
    ) -> dict[Hashable, CellJudgement]:
        cells: dict[Hashable, CellJudgement] = {}
        for group in self.cells(selector):
            engine = next((name for name in engines if is_engine(name, group.runs[0])), None)
            if engine is None or not group.trusted or group.level is None:
                continue
            cell = group.cell
            axes = {
                "workload": cell.workload,
                "route": cell.route,
                "tier_bytes": cell.tier_bytes,
                "engine": engine,
                "concurrency": cell.concurrency,
            }
            key = tuple(value for name, value in axes.items() if name not in varied_axes)
            if key in cells:
                raise Undecidable(f"several targets are {engine}")
            cells[key] = group
        return cells

    def cells(self, selector: CellSelector) -> list[CellJudgement]:
        """Return cells of the spot, trusted or not.

        Raises
        ------
        Undecidable : there are none; the reason is the first part of the spot that no cell has
        """
        cells = [group for group in self.judgements if group.cell.workload not in self.other_rows]
        row_words = [words for name, words in self.other_rows.items() if selector.workload in (None, name)]
        if row_words and (selector.workload or not cells):
            raise Undecidable(f"different rows than in the report: {row_words[0]}")
        for name, (words, matches) in _SELECTORS.items():
            value = getattr(selector, name)
            if value is None:
                continue
            cells = [group for group in cells if matches(group, value, self.sources)]
            if not cells:
                raise Undecidable(f"not in the results: {words(value)}")
        return self._cells_of_report_length(cells)

    def _cells_of_report_length(self, cells: list[CellJudgement]) -> list[CellJudgement]:
        """Return the runs that are as long as the report's, if the lengths differ and there are any."""
        lengths, report_length_s = self.sources.lengths_s, self.window_s
        labels = {group.cell.workload for group in cells}
        matching_labels = {
            label
            for label in labels
            if report_length_s and abs(lengths.get(label, 0) - report_length_s) <= 0.02 * report_length_s
        }
        matching_names = {self.sources.names.get(label) for label in matching_labels}
        excluded_labels = {
            label for label in labels - matching_labels if self.sources.names.get(label, label) in matching_names
        }
        return [group for group in cells if group.cell.workload not in excluded_labels]


def decides(group: CellJudgement) -> bool:
    """Return whether a verdict may rest on the cell."""
    return group.decides


def good_runs(group: CellJudgement) -> list[RunRecord]:
    """Runs of a cell that came to their end in order, settled or not."""
    return [run for run in group.runs if run.status == "good" and run.figures.tps_mean]


def measured_level(group: CellJudgement, metric: Metric = "tps") -> MeasuredLevel:
    """Return what a cell shows."""
    return _level_in_metric(group, metric)


def unsettled_words(groups: Sequence[CellJudgement]) -> str:
    """Return what would settle the first of the cells without a level that lasts; empty where all have one."""
    unsettled_groups = [group for group in groups if group.trusted and not group.is_settled]
    if not unsettled_groups:
        return ""
    cell = unsettled_groups[0].cell
    where = f"with {format_memory(cell.tier_bytes)} at {cell.concurrency} connections, {cell.route}"
    more_words = f"; and {counted(len(unsettled_groups) - 1, 'more cell')}" if len(unsettled_groups) > 1 else ""
    return f"{where}: {remedy_words(unsettled_groups[0].unsettled)}{more_words}"


def _refuse_unsettled(groups: Sequence[CellJudgement]) -> None:
    """Raise what would settle the cells, where one has no level that lasts."""
    if words := unsettled_words(groups):
        raise NotSettled(words)


def is_engine(name: str, record: RunRecord) -> bool:
    """Return whether a run is of the engine that a report names; packaging after the version's numbers does not count.

    >>> from dbdyno.core import Cell, Run
    >>> run = Run(Cell("a", 0, 1, "w", "socket"), 1, 0, 1, "")
    >>> is_engine("percona 8.0.45-36", RunRecord(run, "percona", "8.0.45", "innodb", "good"))
    True
    """
    family, version, *storage_words = name.split()
    # Logs seldom state the storage engine; it only has to be known where the report names one.
    storage_engines = tuple(storage_words) or ("innodb", "unknown")
    is_version = _version_numbers(version) == _version_numbers(record.version)
    return record.family == family and is_version and record.storage_engine.lower() in storage_engines


def _version_numbers(version: str) -> str:
    match = _NUMBERS_RE.match(version)
    return match[0] if match else version


def _level_in_metric(group: CellJudgement, metric: Metric) -> MeasuredLevel:
    """Return the cell in the metric's unit. The mix fixes orders per transaction, so they share the TPS interval."""
    if group.level is None or group.tps_mean is None or group.tps_low is None or group.tps_high is None:
        raise Undecidable("a cell has no level")
    factor = 1.0 if metric == "tps" else _orders_per_transaction(group, metric)
    level = replace(group.level, mean=group.level.mean + math.log(factor))
    return MeasuredLevel(level, factor * group.tps_mean, factor * group.tps_low, factor * group.tps_high)


def _orders_per_transaction(group: CellJudgement, metric: Metric) -> float:
    rates = [
        rate / run.figures.tps_mean
        for run in group.judged
        if run.orders is not None and run.figures.tps_mean and (rate := _orders_rate(run.orders, metric)) is not None
    ]
    if len(rates) < len(group.judged) or min(rates, default=0.0) <= 0:
        raise Undecidable("its runs have no new orders per minute")
    return math.exp(sum(math.log(rate) for rate in rates) / len(rates))


def _orders_rate(orders: OrderRates, metric: Metric) -> float | None:
    """Return orders as the client counted them; as the server did, where the client's are not known."""
    client, server = (orders.nopm, orders.server_nopm) if metric == "nopm" else (orders.tpm, orders.server_tpm)
    return server if client is None else client


def _throughput_range_words(groups: Sequence[CellJudgement], selector: CellSelector) -> str:
    """Return the least and the most of the cells between which a claim does not choose."""
    means = [
        group.tps_mean for group in groups if selector.concurrency in (None, group.cell.concurrency) and group.tps_mean
    ]
    return f" with {min(means):,.0f} to {max(means):,.0f} TPS" if means else ""


_AMBIGUOUS: Mapping[str, Callable[[Cell], str | int]] = {
    "targets": lambda cell: cell.target,
    "routes": lambda cell: cell.route,
    "memory budgets": lambda cell: cell.tier_bytes,
    "workloads": lambda cell: cell.workload,
}
"""Parts of a cell that a claim may leave open, though it is about one cell."""
_SELECTORS: Mapping[str, tuple[Callable[..., str], Callable[..., bool]]] = {
    "workload": (
        str,
        lambda group, wanted, sources: sources.names.get(group.cell.workload, group.cell.workload) == wanted,
    ),
    "route": (lambda wanted: f"route {wanted}", lambda group, wanted, _: group.cell.route == wanted),
    "tier_bytes": (
        lambda wanted: f"memory of {format_memory(wanted)}",
        lambda group, wanted, _: group.cell.tier_bytes == wanted,
    ),
    "engine": (str, lambda group, wanted, _: is_engine(wanted, group.runs[0])),
    "concurrency": (
        lambda wanted: counted(wanted, "connection"),
        lambda group, wanted, _: group.cell.concurrency == wanted,
    ),
}
"""Part of a spot -> how it is stated, and which cells have it; in the order in which they are looked for."""
