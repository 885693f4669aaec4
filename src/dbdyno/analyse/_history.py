"""Answers where a level moved over many studies of the same cells, and whether the machine moved it.

Each study gives one value a cell, so the values are independent and the spread between studies is in them, which the
repeats of one study can't show. A move that others made as well, of which nothing had changed, is the machine's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._diff import Measure
from dbdyno.analyse._latency import quantile_level, quantile_resolution
from dbdyno.core import Cell
from dbdyno.stats import (
    LEAST_MOVE,
    LEAST_SPREAD,
    ChangePoint,
    bounded_exp,
    change_points,
    smallest_new_change,
    spread_between,
)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """Holds what one study measured of a cell.

    Parameters
    ----------
    study : index of the study in the history
    cell : as that study names it
    version : of the server, as read back
    value, low, high : TPS or nanoseconds, with the 95 % interval of the study alone; the value where that is not known
    log_se : of ln(value), by the study alone; 0 where it is not known
    runs : behind the value
    resolution : what rounding alone leaves open of ln(value), as a standard deviation
    """

    study: int
    cell: Cell
    version: str
    value: float
    low: float
    high: float
    log_se: float
    runs: int
    resolution: float = 0.0


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """Describes a move of a cell's level.

    Parameters
    ----------
    before, after : the last point of the old level and the first of the new one
    alike : lines that moved in the same place in the same direction although nothing recorded of them changed
    """

    measure: Measure
    level: ChangePoint
    before: HistoryPoint
    after: HistoryPoint
    alike: tuple[str, ...] = ()

    @property
    def is_finding(self) -> bool:
        """Return whether it can be the engine's: nothing that stayed the same moved with it."""
        return not self.alike

    @property
    def is_worse(self) -> bool:
        """Return whether it means less work or longer response times."""
        return self.level.ratio < 1 if self.measure == "tps" else self.level.ratio > 1

    @property
    def outcome(self) -> str:
        """Return the direction in a word."""
        words = ("slower", "faster") if self.measure == "tps" else ("shorter", "longer")
        return words[self.level.ratio > 1]


@dataclass(frozen=True, slots=True)
class CellHistory:
    """Describes one cell of one line of engines over all studies.

    Parameters
    ----------
    cell : its `target` is the line: a name without its version
    spread : standard deviation of ln(value) between studies around the levels; NaN when not known
    smallest : ratio, above 1, by which one more study would have to differ to be a move by itself
    """

    cell: Cell
    measure: Measure
    points: tuple[HistoryPoint, ...]
    moves: tuple[HistoryChange, ...]
    spread: float
    smallest: float


def judge_history(
    cell: Cell, measure: Measure, points: Sequence[HistoryPoint], least_move: float = LEAST_MOVE
) -> CellHistory:
    """Return the moves of a series of points, which stand in their order; from `least_move` on, a share."""
    values = [point.value for point in points]
    least_spread = max([LEAST_SPREAD, *(point.resolution for point in points)])
    levels = change_points(values, [point.log_se for point in points], least_move=least_move, least_spread=least_spread)
    moves = tuple(HistoryChange(measure, level, points[level.index - 1], points[level.index]) for level in levels)
    spread, _ = spread_between(values, levels, least_spread)
    smallest = smallest_new_change(values, levels, least_move=least_move, least_spread=least_spread)
    return CellHistory(cell, measure, tuple(points), moves, spread, smallest)


def with_machine_changes(
    histories: Sequence[CellHistory], is_unchanged: Callable[[CellHistory, HistoryChange], bool]
) -> list[CellHistory]:
    """Return each move with the other lines that moved alike although nothing of them had changed.

    Parameters
    ----------
    is_unchanged : whether build and settings of the line were the same before and after the move
    """
    unchanged_moves = [
        (history.cell.target, move) for history in histories for move in history.moves if is_unchanged(history, move)
    ]
    marked_histories = []
    for history in histories:
        moves = []
        for move in history.moves:
            moved_lines = {
                line
                for line, other_move in unchanged_moves
                if line != history.cell.target and _is_same_move(move, other_move)
            }
            moves.append(replace(move, alike=tuple(sorted(moved_lines))))
        marked_histories.append(replace(history, moves=tuple(moves)))
    return marked_histories


def _is_same_move(move: HistoryChange, other: HistoryChange) -> bool:
    """Return whether a move is between the same studies, as far as both were in them, and in the same direction."""
    overlap = move.before.study < other.after.study and other.before.study < move.after.study
    return overlap and (move.level.ratio > 1) == (other.level.ratio > 1)


def tps_point(study: int, group: CellJudgement) -> HistoryPoint | None:
    """Return the throughput of a cell in one study; None without a good run whose level lasts."""
    if not group.decides or group.level is None or group.tps_mean is None:
        return None
    low, high = group.tps_low or group.tps_mean, group.tps_high or group.tps_mean
    return _history_point(study, group, group.tps_mean, low, high, max(group.level.se, group.level.noise_se))


def quantile_point(study: int, group: CellJudgement, measure: Measure) -> HistoryPoint | None:
    """Return a quantile of a cell in one study; None without a good, settled run whose quantile is known."""
    values = [getattr(run.figures.latency_ns, measure) for run in group.judged if run.figures.latency_ns is not None]
    logs = np.log([value for value in values if value])
    if not group.decides or not len(logs):
        return None
    value = math.exp(float(logs.mean()))
    resolution = quantile_resolution(group, value)
    if len(logs) == 1:
        point = _history_point(study, group, value, value, value, resolution)
    else:
        level = quantile_level(group, logs.tolist(), float(logs.std(ddof=1)), len(logs) - 1.0)
        half = level.half_width()
        low, high = math.exp(level.mean - half), bounded_exp(level.mean + half)
        point = _history_point(study, group, value, low, high, max(level.se, level.noise_se))
    return replace(point, resolution=resolution)


def _history_point(
    study: int, group: CellJudgement, value: float, low: float, high: float, log_se: float
) -> HistoryPoint:
    return HistoryPoint(study, group.cell, group.judged[0].version, value, low, high, log_se, len(group.judged))
