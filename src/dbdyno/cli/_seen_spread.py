"""Keeps how far repeats spread on this machine, as its own studies showed, so that plans need not assume it.

The spread decides how many repeats a study needs, and differs tenfold between machines. Each study with enough repeated
cells leaves its own in a file of DBDYNO_HOME; what a plan takes is that of the last studies together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbdyno.core import decode, json_value, read_input_text
from dbdyno.stats import Variation

if TYPE_CHECKING:
    from dbdyno.store import StoredStudy
    from dbdyno.study import Study

FILE = "spreads.json"
_SCHEMA_VERSION = 1
_MOST_STUDIES = 20
_LEAST_DF = 4
_MOST_PRIOR_DF = 100.0
"""Cells that all spread alike are worth infinitely many repeats to each other, which JSON has no number for."""


@dataclass(frozen=True, slots=True)
class MachineKey:
    """Describes whose spread it is: a folder may be shared by machines, and a disk may move to another."""

    hostname: str
    cpu_model: str
    logical_cpu_count: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> MachineKey:
        """Return that of a machine's facts, as a results folder has them."""
        return cls(str(facts["hostname"]), str(facts.get("cpu_model", "")), int(facts["logical_cpu_count"]))


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
    from dbdyno.store import write_whole

    if not _tells_of_this_machine(results.study):
        return
    judgements = analyse_study(results).judgements
    variation, cells = observed_variation(judgements)
    df = sum(len(group.judged) - 1 for group in judgements if group.decides and group.judged)
    if df < _LEAST_DF:
        return
    variation = replace(variation, prior_df=min(variation.prior_df, _MOST_PRIOR_DF))
    entry = StudySpread(str(results.path.resolve()), MachineKey.of(results.host), cells, df, variation)
    others = [other for other in _read(root) if other.results != entry.results]
    rows = [asdict(kept) for kept in [*others, entry][-_MOST_STUDIES:]]
    write_whole(root / FILE, json.dumps({"schema_version": _SCHEMA_VERSION, "studies": rows}, indent=1) + "\n")


def seen_spread(root: Path, machine: MachineKey) -> SeenSpread | None:
    """Return what the last studies of a machine showed; None where there was none."""
    entries = [entry for entry in _read(root) if entry.machine == machine]
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
    from dbdyno.hosts import LocalHost  # late: see _main

    return seen_spread(root, MachineKey.of(asdict(LocalHost().facts(root))))


def _tells_of_this_machine(study: Study) -> bool:
    """Return whether throughput was that of servers here as they are: not given by a rate, throttled, or elsewhere."""
    are_ours = all(target.engine.source_kind != "server" and not target.throttled_share for target in study.targets)
    is_here = len(study.benches) < 2 and (study.bench is None or study.bench.server is None)
    return study.imported is None and study.pacing.is_closed and are_ours and is_here


def _read(root: Path) -> list[StudySpread]:
    try:
        row = decode(dict[str, Any], json_value(read_input_text(root / FILE)))
        return decode(list[StudySpread], row["studies"]) if row.get("schema_version") == _SCHEMA_VERSION else []
    except (OSError, ValueError, KeyError):
        return []  # the next studies make it again


def _mean_of_squares(entries: Sequence[StudySpread], values: Sequence[float]) -> float:
    """Return the root of the mean square, each study by its degrees of freedom."""
    squares = sum(entry.df * value**2 for entry, value in zip(entries, values, strict=True))
    return math.sqrt(squares / sum(entry.df for entry in entries))
