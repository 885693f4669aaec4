"""Converts rows of a file into series without gaps, or names the row that stands in the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import SeriesError, counted

FloatArray = NDArray[np.float64]
COLUMNS = ("run", "second", "tps")
MOST_TPS = 1e12
MOST_ROWS = 8_000_000
"""Of one file: three months of seconds; with all that is made of them some 1.5 GiB."""
_LEAST_TPS = 1e-9


@dataclass(frozen=True, slots=True)
class RunSeries:
    """Describes the seconds of one run, in order and without gaps.

    Parameters
    ----------
    first_s : what the file calls the first second
    tps : shape (seconds,), committed transactions per second; 0 where the file says nothing
    missing_s : seconds without a row or without a value, counted from 1
    is_cut : whether a last interval shorter than a second was left out
    """

    name: str
    first_s: int
    tps: FloatArray
    missing_s: tuple[int, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Holds rows of one run as they stand in the file, all of one length.

    Parameters
    ----------
    tps : NaN where a row says that there is no report
    places : where each row stands, counted as people do: lines of text, rows of a table
    """

    seconds: FloatArray
    tps: FloatArray
    places: NDArray[np.int64]

    def at(self, index: NDArray[np.int64]) -> Rows:
        """Return some of them, in another order."""
        return Rows(self.seconds[index], self.tps[index], self.places[index])


def ordered(source: str, unit: str, runs: Mapping[str, Rows]) -> tuple[RunSeries, ...]:
    """Return each run as a series.

    Parameters
    ----------
    source : the file's name for messages
    unit : what places count, ``line`` or ``row``

    Raises
    ------
    SeriesError : no run, a second twice, a second or value that can't be, more gaps than seconds
    """
    if not runs:
        raise SeriesError(
            f"{source} holds no seconds", "it has a header but no rows", "write one row per second and run"
        )
    return tuple(_run_series(name, rows, _Speaker(source, unit, name, len(runs))) for name, rows in runs.items())


@dataclass(frozen=True, slots=True)
class _Speaker:
    """Words every refusal begins with."""

    source: str
    unit: str
    run: str
    runs: int

    def refuse(self, place: int, why: str, remedy: str = "") -> SeriesError:
        run_words = f" of run {self.run}" if self.runs > 1 else ""
        return SeriesError(f"{self.source}, {self.unit} {place}: {why}{run_words}", "", remedy)


def _run_series(name: str, rows: Rows, speaker: _Speaker) -> RunSeries:
    _refuse_values(rows, speaker)
    rows = rows.at(np.argsort(rows.seconds, kind="stable"))
    is_cut = _ends_in_part(rows.seconds)
    rows = rows.at(np.arange(len(rows.seconds) - is_cut))
    _refuse_times(rows, speaker)
    index = (rows.seconds - rows.seconds[0]).astype(np.int64)
    tps = np.full(int(index[-1]) + 1, np.nan)
    # A rate below once in thirty years counts as 0; squares of smaller rates would underflow.
    tps[index] = np.where(rows.tps < _LEAST_TPS, 0.0, rows.tps)
    missing_s = np.flatnonzero(np.isnan(tps)) + 1
    tps[missing_s - 1] = 0.0
    return RunSeries(name, int(rows.seconds[0]), tps, tuple(missing_s.tolist()), is_cut)


def _ends_in_part(seconds: FloatArray) -> bool:
    """Return whether the last interval alone is shorter than a second."""
    is_whole = seconds == np.floor(seconds)
    return len(seconds) > 1 and not is_whole[-1] and bool(is_whole[:-1].all())


def _refuse_values(rows: Rows, speaker: _Speaker) -> None:
    for column, values, is_invalid in (
        ("second", rows.seconds, ~np.isfinite(rows.seconds)),
        ("tps", rows.tps, np.isinf(rows.tps)),
    ):
        invalid_rows = np.flatnonzero(is_invalid)
        if len(invalid_rows):
            raise speaker.refuse(rows.places[invalid_rows[0]], f"column {column} holds {values[invalid_rows[0]]:g}")
    negative_rows = np.flatnonzero(rows.tps < 0)
    if len(negative_rows):
        raise speaker.refuse(
            rows.places[negative_rows[0]], f"column tps holds {rows.tps[negative_rows[0]]:g}, below zero"
        )
    excessive_rows = np.flatnonzero(rows.tps > MOST_TPS)
    if len(excessive_rows):
        raise speaker.refuse(
            rows.places[excessive_rows[0]],
            f"column tps holds {rows.tps[excessive_rows[0]]:g}, which is beyond any server",
        )


def _refuse_times(rows: Rows, speaker: _Speaker) -> None:
    """Refuse what can't be one value a second; rows are in order of seconds."""
    seconds, places = rows.seconds, rows.places
    fractional_rows = np.flatnonzero(seconds != np.floor(seconds))
    if len(fractional_rows):
        why = f"column second holds {seconds[fractional_rows[0]]:g}, not a whole number"
        raise speaker.refuse(
            places[fractional_rows[0]], why, "number the seconds 1, 2, 3; only the last one may be shorter"
        )
    steps = np.diff(seconds)
    duplicate_rows = np.flatnonzero(steps == 0)
    if len(duplicate_rows):
        first_place, second_place = sorted(int(place) for place in places[duplicate_rows[0] : duplicate_rows[0] + 2])
        why = f"second {seconds[duplicate_rows[0]]:.0f} already appears on {speaker.unit} {first_place}"
        raise speaker.refuse(second_place, why, "" if speaker.runs > 1 else "add a column run to separate runs")
    if seconds[-1] - seconds[0] + 1 > 2 * len(seconds):
        widest = int(steps.argmax())
        why = f"more seconds are missing than present: {steps[widest]:.0f} s from the row before"
        raise speaker.refuse(
            places[widest + 1], why, "dbdyno needs one row per second; it can't judge longer intervals"
        )
    blank_rows = np.flatnonzero(np.isnan(rows.tps))
    if seconds[-1] - seconds[0] + 1 > 2 * (len(seconds) - len(blank_rows)):
        why = (
            f"column tps holds nothing, as in {len(blank_rows)} of {counted(len(seconds), 'row')}: more values are "
            "missing than present"
        )
        raise speaker.refuse(places[blank_rows[0]], why, "give a value for most seconds")
