"""Judges the courses of stored runs again, from their stored seconds and telemetry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.core import RunCourse, RunRecord
from dbdyno.store import StoredStudy
from dbdyno.study import Study
from dbdyno.tables import Table


def courses_again(results: StoredStudy, records: Sequence[RunRecord]) -> dict[str, RunCourse | None]:
    """Map run ids to the course that the stored seconds give, of runs of adaptive length."""
    return {record.run.run_id: _recomputed_course(results, record) for record in records if record.course is not None}


def _recomputed_course(results: StoredStudy, record: RunRecord) -> RunCourse | None:
    # Late: a summary of runs with fixed length needs neither.
    from dbdyno.plan import adaptive_length_rule
    from dbdyno.stats import Readings, followed, gate_facts, is_flash, no_gates, run_course, server_gates

    study, run_id = results.study, record.run.run_id
    rule = adaptive_length_rule(study, is_step=record.step is not None and record.step.number > 1)
    tps = _all_tps(results.seconds(run_id, ("second", "tps")))
    if not study.adaptive_length.gates:
        return run_course(followed(tps, rule, no_gates), rule)
    rotational = None if _is_running_server(study, record) else results.host.get("rotational")
    facts = gate_facts(
        record.storage_engine,
        results.optional_document(run_id, "variables") or {},
        results.optional_document(run_id, "schema") or {},
        is_flash=is_flash(rotational),
        step=record.step,
    )
    readings = Readings()
    readings.add(_gate_rows(results.telemetry(run_id, ("second", "metric", "value"))))
    return run_course(followed(tps, rule, server_gates(facts, readings, list(tps))), rule)


def _all_tps(seconds: Table) -> np.ndarray:
    """Return the throughput from the start of the driven time, one value a second; 0 for an unreported second."""
    second = seconds.numbers("second")
    tps = np.zeros(int(second.max()) + 1 if len(second) else 0)
    tps[second] = seconds.numbers("tps")
    return tps


def _gate_rows(telemetry: Table) -> list[tuple[int, str, float]]:
    from dbdyno.stats import GATE_METRICS  # late: see `_recomputed_course`

    gate_readings = telemetry.at(telemetry.texts("metric").among(GATE_METRICS))
    columns = (gate_readings.values(name) for name in ("second", "metric", "value"))
    return list(zip(*columns, strict=True))


def _is_running_server(study: Study, record: RunRecord) -> bool:
    return study.target(record.run.cell.target).engine.source_kind == "server"
