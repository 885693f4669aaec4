"""Opens a results folder as one value that reads each of its files once, however many parts ask for it.

`Results` reads anew at each call, as a study needs that is still being written. A page, a summary or a comparison asks
for the same study, records and seconds from a dozen places: it is given a `StoredStudy`, which keeps what it has read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import Cell, Run, RunRecord, decode
from dbdyno.store import _layout as layout
from dbdyno.store._damage import reading
from dbdyno.store._documents import PlannedRun
from dbdyno.store._journal import JournalEntry
from dbdyno.store._results import Results
from dbdyno.store._series import SecondRow, TelemetryRow
from dbdyno.store._throughput import printed_tps, window_tps
from dbdyno.study import Study, parse_study
from dbdyno.tables import Table

MOST_TABLE_BYTES = 448 << 20
"""Of tables that are kept: a page of 1,000 runs of 900 s with twelve metrics; of more, some are read a second time.

Columns that runs share count for each of them, so that less memory is taken.
"""
_KEPT_COLUMNS = MappingProxyType(
    {
        SecondRow: frozenset(
            {
                *("second", "phase", "duration_ns", "tps", "writes", "errors", "retries", "failed", "backlog"),
                *("p50_ns", "p95_ns", "p99_ns", "tool_percentile", "tool_percentile_ns"),
                *("errors_per_s", "reconnects_per_s", "lateness_ns_p99", "lateness_ns_max"),
                *("client_use_share", "client_busy_share", "client_cpu_wait_share", "bytes_sent", "bytes_received"),
                *("client_cpu_ns_per_statement", "client_wake_batch"),
            }
        ),
        TelemetryRow: frozenset({"second", "metric", "value", "unit"}),
    }
)
"""Those that are read together and kept; a table of which another is wanted is read for it alone."""
_Made = TypeVar("_Made")


class StoredStudy(Results):
    """Represents a results folder, read lazily and each file once; what was read is not to be changed.

    Of tables the columns are kept that several readers want. Intervals are not: a histogram for each second takes more
    than all the rest, and one reader, which keeps what it makes of them, wants them.
    """

    @cached_property
    def study(self) -> Study:
        """The study file, parsed.

        Raises
        ------
        StudyError : it is not valid
        """
        return parse_study(self.study_text, str(self.path / layout.STUDY))

    @cached_property
    def planned_runs(self) -> tuple[Run, ...]:
        """The runs of the stored plan in order; planned anew for folders that keep no list of them."""
        rows = self.plan.get("runs") if isinstance(self.plan, Mapping) else None
        if not isinstance(rows, list):
            from dbdyno.plan import make_plan  # late: folders of today keep the list, and reading one plans nothing

            return make_plan(self.study).runs
        with reading(self.path / layout.PLAN):
            return tuple(_planned_run(row) for row in decode(list[PlannedRun], rows))

    def window_tps(self, run_id: str) -> NDArray[np.float64]:
        """Return the throughput of a run's window, one value a second; of imported runs as their tool printed it."""
        read_tps = window_tps if self.study.imported is None else printed_tps
        return read_tps(self.seconds(run_id, ("second", "phase", "tps", "duration_ns")))

    def forget_tables(self, run_id: str) -> None:
        """Keep a run's tables no longer: what draws its seconds is the last to ask for them."""
        for name in (layout.SECONDS, layout.TELEMETRY):
            self._tables.drop(f"{layout.RUNS}/{run_id}/{name}")

    def once(self, make: Callable[[StoredStudy], _Made]) -> _Made:
        """Return what a function makes of this study, made at the first call: a place for what is concluded from it."""
        if make not in self._computed_values:
            self._computed_values[make] = make(self)
        conclusion: _Made = self._computed_values[make]
        return conclusion

    def records(self) -> tuple[RunRecord, ...]:
        """See `Results.records`."""
        return self._records

    def journal(self) -> tuple[JournalEntry, ...]:
        """See `Results.journal`."""
        return self._journal

    @cached_property
    def _records(self) -> tuple[RunRecord, ...]:
        return super().records()

    @cached_property
    def _journal(self) -> tuple[JournalEntry, ...]:
        return super().journal()

    @cached_property
    def _computed_values(self) -> dict[Callable[..., Any], Any]:
        return {}

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {}

    @cached_property
    def _documents(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _tables(self) -> _KeptTables:
        return _KeptTables()

    def _text(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = super()._text(name)
        return self._texts[name]

    def _json(self, name: str) -> Any:  # noqa: ANN401 - foreign JSON
        key = self._content_key(name)
        if key not in self._documents:
            self._documents[key] = super()._json(name)
        return self._documents[key]

    def _content_key(self, name: str) -> str:
        """Return what identifies a file's content: runs of one server share it, and thousands of imported runs."""
        facts = None if self.alterations else self.manifest.files.get(name)
        kind = name.rsplit("/", 1)[-1]
        return f"{kind} {facts.sha256}" if facts is not None and facts.sha256 else name

    def _read_table(self, name: str, row: type, columns: Sequence[str] | None) -> Table:
        kept_columns = _KEPT_COLUMNS.get(row, frozenset())
        if columns is None or not kept_columns.issuperset(columns):
            return super()._read_table(name, row, columns)
        return self._tables.get(name, lambda: Results._read_table(self, name, row, sorted(kept_columns)))


class _KeptTables:
    """Tables by name, as many as `MOST_TABLE_BYTES` hold."""

    def __init__(self) -> None:
        self._kept: dict[str, Table] = {}
        self._bytes = 0

    def get(self, name: str, read: Callable[[], Table]) -> Table:
        """Return a table, read where it is not kept."""
        if name in self._kept:
            return self._kept[name]
        table = read()
        if self._bytes + table.bytes_count <= MOST_TABLE_BYTES:
            self._kept[name] = table
            self._bytes += table.bytes_count
        return table

    def drop(self, name: str) -> None:
        """Keep a table no longer."""
        table = self._kept.pop(name, None)
        self._bytes -= 0 if table is None else table.bytes_count


def _planned_run(row: PlannedRun) -> Run:
    cell = Cell(row["target"], row["tier_bytes"], row["concurrency"], row["workload"], row["route"])
    is_sentinel = row["run_id"] == Run(cell, row["repeat"], 0, 0, "", is_sentinel=True).run_id
    return Run(cell, row["repeat"], row["order"], row["seed"], row["reason"], is_sentinel)
