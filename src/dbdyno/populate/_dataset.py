"""What the clients will work on: rows of a workload family at a scale, from a seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from dbdyno.store import JsonValue
from dbdyno.study import OptionValue, Study, WorkloadChoice

SCHEMA = "dbdyno_sbtest"
_DEFAULT_TABLES = 1
_DEFAULT_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Dataset:
    """Tables and rows, complete: the same dataset has the same rows in every engine.

    Parameters
    ----------
    workload : a workload of the family that fills it, such as ``sysbench/oltp_read_write``
    options : only those that shape the data
    """

    workload: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    rng: str = "sysbench"
    seed: int = 1

    @classmethod
    def of_study(cls, study: Study, choice: WorkloadChoice) -> Dataset:
        """The dataset that a workload of a study needs."""
        return cls(choice.name, choice.dataset_options, study.rng, study.seed)

    @property
    def tables(self) -> int:
        """How many tables."""
        return int(self.options.get("tables", _DEFAULT_TABLES))

    @property
    def rows_total(self) -> int:
        """Rows of all tables."""
        return self.tables * int(self.options.get("table_size", _DEFAULT_ROWS))

    @property
    def digest(self) -> str:
        """Tells datasets apart; workloads of one family that agree in all options share theirs."""
        family = self.workload.split("/", 1)[0]
        parts = [family, sorted(self.options.items()), self.rng, self.seed]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """For people.

        >>> Dataset("sysbench/oltp_read_only", {"tables": 4, "table_size": 50000}).title
        'sysbench 4 × 50,000 rows'
        """
        return f"{self.workload.split('/', 1)[0]} {self.tables} × {self.rows_total // self.tables:,} rows"

    def order(self, target: Mapping[str, JsonValue], storage_engine: str, connections: int) -> dict[str, JsonValue]:
        """The order to fill it: ``contract/populate-order.schema.json``."""
        return {
            "schema_version": 1,
            "target": dict(target),
            "workload": {"name": self.workload, "options": dict(self.options)},
            "storage_engine": storage_engine,
            "rng": self.rng,
            "seed": self.seed,
            "connections": connections,
        }
