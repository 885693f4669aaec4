"""Describes what the clients will work on: rows of a workload family at a scale, from a seed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dbdyno.core import input_limit
from dbdyno.engines import storage_engines
from dbdyno.hosts import Host
from dbdyno.store import JsonValue
from dbdyno.study import (
    NO_FOLDERS,
    SQL_FILES,
    OptionValue,
    Study,
    Timeouts,
    WorkloadChoice,
    WorkloadFolders,
    dataset_name,
    directory_of,
    family_name,
    placed_workload,
)

_BLOCK_BYTES = 1 << 20
_OPERATIONS_PER_ROW = 4
"""At most: the row, and its entries in up to three secondary indexes."""
_NAMED_BELOW_RE = re.compile(rb"""["']([^"'\n]+/[^"'\n]+)["']""")
"""Files of subdirectories that ``workload.toml`` names."""
_SCHEMAS = {"sysbench": "dbdyno_sbtest"}  # sysbench's name for it, which reports use


@dataclass(frozen=True, slots=True)
class Dataset:
    """Tables and rows, complete: the same dataset has the same rows in every engine.

    Parameters
    ----------
    workload : a workload of the family that fills it, such as ``sysbench/oltp_read_write``
    options : only those that shape the data
    folders : where files of workloads are on the host that fills it
    """

    workload: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    rng: str = "sysbench"
    seed: int = 1
    folders: WorkloadFolders = field(default_factory=dict)

    @classmethod
    def of_study(cls, study: Study, choice: WorkloadChoice, folders: WorkloadFolders = NO_FOLDERS) -> Dataset:
        """Return the dataset that a workload of a study needs, to be filled on a host with these folders."""
        return cls(choice.name, choice.dataset_options, study.rng, study.seed, folders)

    def on_host(self, folders: WorkloadFolders) -> Dataset:
        """Return the same dataset for a load generator on another host."""
        return replace(self, folders=folders)

    def placed(self) -> tuple[str, dict[str, OptionValue]]:
        """Return name and options of the workload as the load generator of that host is given them."""
        return placed_workload(self.workload, self.options, self.folders)

    @property
    def schema(self) -> str:
        """The schema of its tables, one a family.

        >>> Dataset("sysbench/oltp_read_only").schema, Dataset("tpcc/hammerdb").schema
        ('dbdyno_sbtest', 'dbdyno_tpcc')
        """
        family = family_name(self.workload)
        return _SCHEMAS.get(family, f"dbdyno_{family}")

    @property
    def digest(self) -> str:
        """Distinguishes datasets; sysbench's workloads that agree in all options share theirs, all but bulk_insert.

        Files that a workload reads count with their content.
        """
        parts = [dataset_name(self.workload), sorted(self.options.items()), self.rng, self.seed]
        if self.workload.startswith(SQL_FILES):
            parts.append(_files_digest(directory_of(self.workload)))
        if data_file := self.options.get("data_file"):
            digest = hashlib.sha256()
            _add_content(digest, Path(str(data_file)))
            parts.append(digest.hexdigest())
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """For people: what was chosen; the rest is as the workload has it by default.

        >>> Dataset("sysbench/oltp_read_only", {"tables": 4, "table_size": 50000}).title
        'sysbench, table_size 50,000, tables 4'
        """
        return ", ".join(
            [
                dataset_name(self.workload),
                *(f"{option} {_value_words(value)}" for option, value in sorted(self.options.items())),
            ]
        )

    def order(
        self,
        target: Mapping[str, JsonValue],
        storage_engine: str,
        connections: int,
        timeouts: Timeouts | None = None,
    ) -> dict[str, JsonValue]:
        """Return the order to fill it and check it: ``contract/populate-order.schema.json``."""
        check_ns = timeouts.check_ns if timeouts is not None else None
        name, options = self.placed()
        return {
            "schema_version": 1,
            "target": dict(target),
            "workload": {"name": name, "options": {**options}},
            "storage_engine": storage_engine,
            "rng": self.rng,
            "seed": self.seed,
            "connections": connections,
            "check": True,
            "load_by": "prepared",  # the same way for all engines of a comparison; not every server takes files
            **_transaction_rows(storage_engine),
            **({"check_timeout_ns": check_ns} if check_ns is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class DatasetOrder:
    """Describes a dataset to fill or to verify, and the load generator that does it.

    Parameters
    ----------
    storage_engine : of the tables; on some an imitated tool breaks more than on others
    host, generator : where ``dbdyno-load`` runs, and its path there
    timeouts : of the study
    has_conditions : whether its tables can be asked if they are consistent with each other
    rows_total : for the space that a snapshot will need
    """

    dataset: Dataset
    storage_engine: str
    host: Host
    generator: Path
    timeouts: Timeouts | None = None
    has_conditions: bool = False
    rows_total: int = 0


def _transaction_rows(storage_engine: str) -> dict[str, JsonValue]:
    """Limit the rows of a transaction on an engine that bounds what one may change: a row is in its indexes, too.

    >>> _transaction_rows("tidesdb"), _transaction_rows("innodb")
    ({'transaction_rows': 25000}, {})
    """
    engine = storage_engines().get(storage_engine)
    operations = engine.operations_per_transaction if engine is not None else None
    return {} if operations is None else {"transaction_rows": max(operations // _OPERATIONS_PER_ROW, 1)}


def _files_digest(folder: Path) -> str:
    """Return what distinguishes the files of a workload in a directory."""
    names = [path.name.encode() for path in sorted(folder.glob("*")) if path.is_file()]
    names += sorted(set(_NAMED_BELOW_RE.findall(_beginning(folder / "workload.toml"))))
    digest = hashlib.sha256()
    for name in names:
        digest.update(name + b"\0")
        _add_content(digest, folder / os.fsdecode(name))
        digest.update(b"\0")
    return digest.hexdigest()


def _beginning(path: Path) -> bytes:
    """Return as much of a file as the load generator takes of it; it refuses a longer one."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(min(os.fstat(file.fileno()).st_size, input_limit()))  # read(n) allocates n bytes


def _add_content(digest: hashlib._Hash, path: Path) -> None:
    """Add a file's content block by block: a dump of gigabytes may lie in the folder, too."""
    if path.is_file():
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)


def _value_words(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int | float) else value
