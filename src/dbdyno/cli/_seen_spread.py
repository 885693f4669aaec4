"""Keeps how far repeats spread on this machine, as its own studies showed, so that plans need not assume it.

The spread decides how many repeats a study needs, and differs tenfold between machines. Each study with enough repeated
cells leaves its own in a file of DBDYNO_HOME; what a plan takes is that of the last studies together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli._machine_history import MachineKey, entries_of, has_own_servers_here, keep_entry
from dbdyno.stats import Variation

if TYPE_CHECKING:
    from dbdyno.store import StoredStudy

FILE = "spreads.json"
_LEAST_DF = 4
_MOST_PRIOR_DF = 100.0
"""Cells that all spread alike are worth infinitely many repeats to each other, which JSON has no number for."""


@dataclass(frozen=True, slots=True)
class StudySpread:
    """Holds what one study showed.

    Parameters
    ----------
    results : path of its results folder; a study that is run on has one entry
    cells : that were repeated
    df : runs beyond the first of each of them
    """

    results: str
    machine: MachineKey
    cells: int
    df: int
    variation: Variation


@dataclass(frozen=True, slots=True)
class SeenSpread:
    """Holds what the studies of a machine showed together."""

    studies: int
    cells: int
    variation: Variation


def keep_spread(results: StoredStudy, root: Path) -> None:
    """Keep what a study on this machine showed, if it can tell and measured how fast servers are here.

    Raises
    ------
    OSError : the file can't be written
    """
    from dbdyno.analyse import observed_variation  # late: see _main
    from dbdyno.report import analyse_study

    # Throughput that a rate gives does not tell how fast servers are here.
    if not (results.study.pacing.is_closed and has_own_servers_here(results.study)):
        return
    judgements = analyse_study(results).judgements
    variation, cells = observed_variation(judgements)
    df = sum(len(group.judged) - 1 for group in judgements if group.decides and group.judged)
    if df < _LEAST_DF:
        return
    variation = replace(variation, prior_df=min(variation.prior_df, _MOST_PRIOR_DF))
    entry = StudySpread(str(results.path.resolve()), MachineKey.of(results.host), cells, df, variation)
    keep_entry(root / FILE, entry)


def seen_spread(root: Path, machine: MachineKey) -> SeenSpread | None:
    """Return what the last studies of a machine showed; None where there was none."""
    entries = entries_of(root / FILE, StudySpread, machine)
    if not entries:
        return None
    largest = max(entries, key=lambda entry: entry.df)
    variation = Variation(
        _mean_of_squares(entries, [entry.variation.spread for entry in entries]),
        _mean_of_squares(entries, [entry.variation.noise_se for entry in entries]),
        largest.variation.prior_df,
    )
    return SeenSpread(len(entries), sum(entry.cells for entry in entries), variation)


def spread_seen_here(root: Path) -> SeenSpread | None:
    """Return what the last studies of this machine showed; None where there was none."""
    return seen_spread(root, MachineKey.of_this_machine(root))


def _mean_of_squares(entries: Sequence[StudySpread], values: Sequence[float]) -> float:
    """Return the root of the mean square, each study by its degrees of freedom."""
    squares = sum(entry.df * value**2 for entry, value in zip(entries, values, strict=True))
    return math.sqrt(squares / sum(entry.df for entry in entries))
