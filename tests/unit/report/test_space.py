"""Space of tables: that of the dataset which a cell works on, among those of its target."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from dbdyno.report._space import cells_with_space
from dbdyno.study import parse_study

TEXT = """
targets = ["mysql:9.7"]
[[workload]]
name = "tpcc/standard"
warehouses = 2
[[workload]]
name = "tpcc/hammerdb"
warehouses = 2
[axes]
tier = "64MB"
concurrency = 1
"""


def _facts(workload: str, rows: int, size: int) -> dict[str, object]:
    space = [{"data_bytes": size, "index_bytes": 0, "allocated_bytes": None}]
    return {"workload": workload, "options": {"warehouses": 2}, "rows_total": rows, "space": space}


def test_dialects_with_the_same_options_have_their_own_rows_and_bytes() -> None:
    datasets = [_facts("tpcc/standard", 1000, 5), _facts("tpcc/hammerdb", 900, 4)]
    study = parse_study(TEXT, "study.toml")
    results = SimpleNamespace(study=study, dataset=lambda target: {"datasets": datasets}, space=lambda run_id: ())
    groups = [
        SimpleNamespace(cell=SimpleNamespace(target="mysql:9.7", workload=choice.label), judged=())
        for choice in study.workloads
    ]
    spaces = cells_with_space(cast("Any", results), cast("Any", groups))
    assert [(space.rows, space.filled_bytes) for space in spaces] == [(1000, 5), (900, 4)]
