"""Selects the readings that show whether a server has settled: telemetry and settings in, gates out. Pure.

A gate that does not apply is left out: a run that writes nothing fills no redo log. A gate whose readings a server does
not show is there with None, for it could have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import LadderStep
from dbdyno.stats._adaptive_length import Gates
from dbdyno.stats._gates import cache_settled, device_settled, dirty_data_settled, is_settled, redo_cycled

_ROW_READS = ("engine.handler.read_key", "engine.handler.read_next", "engine.handler.read_rnd_next")
GATE_METRICS = frozenset(
    {
        "engine.redo.lsn",
        "engine.redo.bytes",
        "engine.redo.capacity_effective",
        "engine.redo.checkpoint_age",
        "engine.pages.dirty",
        "engine.pages.free",
        "engine.pages.total",
        "engine.pages.read",
        "engine.history.length",
        "engine.lsm.cache_misses",
        "engine.lsm.compaction_queue",
        "engine.lsm.flush_queue",
        "server.device_written",
        "disk.written_bytes",
        *_ROW_READS,
    }
)
"""Metrics of the telemetry that gates are read from."""
_WORTH_TELLING = 0.01
_HISTORY_CAPACITY = 100_000.0  # undo logs; a change below a hundredth of it costs no reader anything
_QUEUE_CAPACITY = 100.0  # jobs
_QUIET_DEVICE_BYTES_PER_S = 1 << 20
_LSM = ("rocksdb", "tidesdb")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """Holds what must be known of a server in addition to what is read each second.

    Parameters
    ----------
    variables : SHOW GLOBAL VARIABLES
    dataset_bytes : of the tables' files; None when not known
    is_flash : whether they lie on a device without turning parts; None when not known
    redo_bytes_before : redo that the server wrote since its data were restored, before this run
    """

    storage_engine: str
    variables: Mapping[str, str]
    dataset_bytes: int | None = None
    is_flash: bool | None = None
    redo_bytes_before: float = 0.0


def gate_facts(
    storage_engine: str,
    variables: Mapping[str, str],
    schema: Mapping[str, object],
    *,
    is_flash: bool | None,
    step: LadderStep | None = None,
) -> ServerFacts:
    """Return facts of a server from what is stored of it: the same while a run is driven and afterwards.

    Parameters
    ----------
    step : of a run that shares its server with others; None of all other runs

    >>> gate_facts("innodb", {}, {"data_bytes": 5}, is_flash=True).dataset_bytes
    5
    """
    stored_bytes = schema.get("data_bytes")
    dataset_bytes = stored_bytes if isinstance(stored_bytes, int) else None
    redo_bytes_before = 0.0 if step is None else step.redo_bytes_before
    return ServerFacts(storage_engine, variables, dataset_bytes, is_flash, redo_bytes_before)


def is_flash(rotational: bool | None) -> bool | None:
    """Return whether a disk is flash, from what the kernel says; virtual disks often claim to turn.

    >>> is_flash(False), is_flash(None)
    (True, None)
    """
    return None if rotational is None else not rotational


@dataclass(slots=True)
class Readings:
    """Holds telemetry as gates use it: by metric and second. It grows while a run is driven."""

    _values: dict[str, dict[int, float]] = field(default_factory=dict)

    def add(self, rows: Iterable[tuple[int, str, float]]) -> None:
        """Take in readings: second, metric, value."""
        for second, metric, value in rows:
            if metric in GATE_METRICS:
                self._values.setdefault(metric, {})[second] = value

    def between(self, metric: str, first_s: int, end_s: int) -> Floats | None:
        """Return the readings of a stretch in order; None where there is none."""
        by_second = self._values.get(metric, {})
        values = [by_second[second] for second in range(first_s, end_s) if second in by_second]
        return np.array(values, dtype=np.float64) if values else None

    def last(self, metric: str, end_s: int) -> float | None:
        """Return the last reading before a second."""
        by_second = self._values.get(metric, {})
        earlier_seconds = [second for second in by_second if second < end_s]
        return by_second[max(earlier_seconds)] if earlier_seconds else None

    def redo_bytes(self, end_s: int) -> float | None:
        """Return the redo written before a second; None without such readings."""
        positions = self.between("engine.redo.lsn", 0, end_s)
        if positions is not None:
            return float(positions[-1] - positions[0])
        rates = self.between("engine.redo.bytes", 0, end_s)
        return None if rates is None else float(rates.sum())

    def seconds(self, metric: str) -> Mapping[int, float]:
        """Return all readings of a metric."""
        return self._values.get(metric, {})


def server_gates(facts: ServerFacts, readings: Readings, tps: Sequence[float]) -> Gates:
    """Return the gates of a server, for any stretch of its run.

    Parameters
    ----------
    tps : transactions per second from the start of the driven time; may grow

    >>> gates = server_gates(ServerFacts("innodb", {}), Readings(), [])
    >>> gates(0, 60)
    {'redo': None, 'cache': None, 'dirty data': None, 'history': None, 'device': None}
    """

    def gates(first_s: int, end_s: int) -> Mapping[str, bool | None]:
        stretch = _Stretch(facts, readings, tps, first_s, end_s)
        return stretch.of_lsm() if facts.storage_engine in _LSM else stretch.of_innodb()

    return gates


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Describes a part of a run, from its first second to the one after its last."""

    facts: ServerFacts
    readings: Readings
    tps: Sequence[float]
    first_s: int
    end_s: int

    def of_innodb(self) -> dict[str, bool | None]:
        gates: dict[str, bool | None] = {}
        written_bytes, capacity = self._redo_bytes_written(), self._redo_capacity_bytes()
        if written_bytes is None or capacity is None or written_bytes >= _WORTH_TELLING * capacity:
            gates["redo"] = redo_cycled(written_bytes, capacity)
        gates["cache"] = self._is_innodb_cache_settled()
        gates["dirty data"] = dirty_data_settled(
            self._metric_values("engine.pages.dirty"),
            self._metric_values("engine.redo.checkpoint_age"),
            dirty_capacity=self._last_reading("engine.pages.total"),
            age_capacity=capacity,
        )
        gates["history"] = is_settled(self._metric_values("engine.history.length"), _HISTORY_CAPACITY)
        return gates | self._device_gate()

    def of_lsm(self) -> dict[str, bool | None]:
        """Return the gates of an LSM engine. None has a circular redo log; debt is read off queues that it shows."""
        misses = self._metric_values("engine.lsm.cache_misses")
        cache = self._variable_number("rocksdb_block_cache_size", "tidesdb_block_cache_size")
        fits = None if cache is None or self.facts.dataset_bytes is None else self.facts.dataset_bytes <= cache
        return {
            "cache": cache_settled(misses, self._row_reads(), holds_dataset=fits, free_share=None),
            "dirty data": self._is_lsm_debt_settled(),
        } | self._device_gate()

    def _is_innodb_cache_settled(self) -> bool | None:
        pages, free = self._last_reading("engine.pages.total"), self._last_reading("engine.pages.free")
        page_bytes = self._variable_number("innodb_page_size")
        is_known = pages is not None and page_bytes is not None and self.facts.dataset_bytes is not None
        fits = (self.facts.dataset_bytes or 0) <= (pages or 0) * (page_bytes or 0) if is_known else None
        share = None if pages is None or free is None or not pages else free / pages
        return cache_settled(
            self._metric_values("engine.pages.read"), self._row_reads(), holds_dataset=fits, free_share=share
        )

    def _is_lsm_debt_settled(self) -> bool | None:
        if self.facts.storage_engine == "rocksdb":
            return None  # it shows that a compaction waits, not how much data it must compact
        queues = [self._metric_values(f"engine.lsm.{name}_queue") for name in ("compaction", "flush")]
        settled = [is_settled(queue, _QUEUE_CAPACITY) for queue in queues]
        return False if False in settled else None if None in settled else True

    def _device_gate(self) -> dict[str, bool | None]:
        """Return the gate of the device; of a run that hardly writes the device has nothing to settle."""
        written_by_second = self.readings.seconds("server.device_written") or self.readings.seconds(
            "disk.written_bytes"
        )
        last_s = min(self.end_s, len(self.tps))
        seconds = [second for second in range(self.first_s, last_s) if second in written_by_second]
        if not seconds:
            return {"device": None}
        written_bytes = [written_by_second[second] for second in seconds]
        if float(np.mean(written_bytes)) < _QUIET_DEVICE_BYTES_PER_S:
            return {}
        transactions = [self.tps[second] for second in seconds]
        settled = device_settled(
            written_bytes,
            transactions,
            is_flash=self.facts.is_flash,
            written_since_trim=None,
            dataset_bytes=self.facts.dataset_bytes,
        )
        return {"device": settled}

    def _row_reads(self) -> Floats | None:
        rates_by_kind = [rates for name in _ROW_READS if (rates := self._metric_values(name)) is not None]
        least_seconds = min((len(rates_of_kind) for rates_of_kind in rates_by_kind), default=0)
        return (
            np.sum([rates_of_kind[:least_seconds] for rates_of_kind in rates_by_kind], axis=0)
            if least_seconds
            else None
        )

    def _redo_bytes_written(self) -> float | None:
        written_bytes = self.readings.redo_bytes(self.end_s)
        return None if written_bytes is None else written_bytes + self.facts.redo_bytes_before

    def _redo_capacity_bytes(self) -> float | None:
        capacity = self._last_reading("engine.redo.capacity_effective") or self._variable_number(
            "innodb_redo_log_capacity"
        )
        if capacity is not None:
            return capacity
        file = self._variable_number("innodb_log_file_size")
        return None if file is None else file * (self._variable_number("innodb_log_files_in_group") or 1.0)

    def _metric_values(self, metric: str) -> Floats | None:
        return self.readings.between(metric, self.first_s, self.end_s)

    def _last_reading(self, metric: str) -> float | None:
        return self.readings.last(metric, self.end_s)

    def _variable_number(self, *names: str) -> float | None:
        """Return the first of these variables that the server has, where it is a number."""
        values = [self.facts.variables[name] for name in names if name in self.facts.variables]
        return float(values[0]) if values and values[0].isdigit() else None
