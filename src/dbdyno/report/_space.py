"""Lists the disk space that the tables of each cell take, before its runs and after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.analyse import CellJudgement
from dbdyno.store import StoredStudy


@dataclass(frozen=True, slots=True)
class CellSpace:
    """Holds all tables together.

    Parameters
    ----------
    rows : after the filling
    filled_bytes : on the disk after the filling
    grown_bytes : on the disk after each judged run
    """

    group: CellJudgement
    rows: int
    filled_bytes: int
    grown_bytes: tuple[int, ...]

    @property
    def bytes_per_row(self) -> float:
        """Return the bytes per row after the filling."""
        return self.filled_bytes / self.rows if self.rows else 0.0


def cells_with_space(results: StoredStudy, judgements: Iterable[CellJudgement]) -> list[CellSpace]:
    """Return every judged cell of whose tables it is known what they take."""
    cells = []
    for group in judgements:
        facts = _dataset_facts(results, group)
        if facts is None or not facts.get("space"):
            continue
        tables_by_run = (results.space(record.run.run_id) for record in group.judged)
        bytes_after = tuple(disk_bytes(tables) for tables in tables_by_run if tables)
        cells.append(CellSpace(group, facts["rows_total"], disk_bytes(facts["space"]), bytes_after))
    return cells


def disk_bytes(tables: Iterable[Mapping[str, Any]]) -> int:
    """Return what tables take of the disk: their blocks where files are known, else what the server estimates.

    >>> disk_bytes([{"data_bytes": 5, "index_bytes": 2, "allocated_bytes": None}, {"allocated_bytes": 4}])
    11
    """
    return sum(
        table["data_bytes"] + table["index_bytes"] if table["allocated_bytes"] is None else table["allocated_bytes"]
        for table in tables
    )


def _dataset_facts(results: StoredStudy, group: CellJudgement) -> Mapping[str, Any] | None:
    cell = group.cell
    choice = results.study.workload_of(cell.target, cell.workload)
    datasets = (results.dataset(cell.target) or {}).get("datasets", ())
    return next(
        (facts for facts in datasets if choice.uses_dataset(facts.get("workload", choice.name), facts["options"])), None
    )
