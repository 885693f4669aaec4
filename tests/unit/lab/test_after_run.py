"""What becomes of a server after its run, and of a run whose server would not come back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dbdyno.lab._record import unbounded_cache

if TYPE_CHECKING:
    from tests.unit.lab.conftest import Laboratory as Lab


@pytest.mark.parametrize(("after_run", "ends"), [("discard", []), ("stop", ["stop"] * 4), ("recover", ["recover"] * 4)])
def test_servers_end_as_the_study_says(laboratory: Lab, after_run: str, ends: list[str]) -> None:
    laboratory.study = replace(laboratory.study, after_run=after_run)  # type: ignore[arg-type]
    laboratory.run_all()
    assert laboratory.bench.ended == ends


def test_a_server_that_does_not_come_back_weakens_the_run_and_does_not_undo_it(laboratory: Lab) -> None:
    laboratory.study = replace(laboratory.study, after_run="recover")
    laboratory.bench.refuses_end = True
    laboratory.run_all()
    record = laboratory.results.records()[0]
    assert record.status != "failed"
    (text,) = (caveat.text for caveat in record.caveats if caveat.code == "ending-failed")
    assert "out of ink" in text, "the reason is what helps"


def test_a_dead_servers_fault_is_kept_with_the_run(laboratory: Lab) -> None:
    laboratory.bench.on_run = lambda run, server: setattr(server, "dead", "killed (signal 9)")
    laboratory.run_all()
    record = laboratory.results.records()[0]
    assert (record.status, record.fault) == ("failed", "killed")
    assert laboratory.results.optional_document(record.run.run_id, "life") == {"start_ns": 1}


def variables(direct: str) -> dict[str, str]:
    return {"rocksdb_use_direct_reads": direct}


@pytest.mark.parametrize(
    ("storage_engine", "direct", "available", "is_told"),
    [
        ("rocksdb", "OFF", 1 << 34, True),
        ("rocksdb", "ON", 1 << 34, False),
        ("rocksdb", "OFF", 1 << 20, False),  # the machine has no memory beside the tier
        ("tidesdb", "OFF", 1 << 34, True),
        ("innodb", "OFF", 1 << 34, False),
    ],
)
def test_a_tier_that_does_not_bind_is_told(storage_engine: str, direct: str, available: int, is_told: bool) -> None:
    found = unbounded_cache(storage_engine, variables(direct), 64 << 20, available)
    assert (found is not None) == is_told
