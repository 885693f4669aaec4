"""Reads what the courses of stored runs are judged again from: their seconds and telemetry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dbdyno.core import RunCourse, RunRecord
from dbdyno.store import StoredStudy
from dbdyno.study import Study
from dbdyno.tables import Table

if TYPE_CHECKING:
    from dbdyno.analyse import ServerReadings


def courses_again(results: StoredStudy, records: Sequence[RunRecord]) -> dict[str, RunCourse | None]:
    """Map run ids to the course that the stored seconds give, of runs of adaptive length."""
    return {record.run.run_id: _recomputed_course(results, record) for record in records if record.course is not None}


def _recomputed_course(results: StoredStudy, record: RunRecord) -> RunCourse | None:
    # Late: a summary of runs with fixed length needs neither.
    from dbdyno.analyse import course_again
    from dbdyno.plan import adaptive_length_rule

    rule = adaptive_length_rule(results.study, is_step=record.step is not None and record.step.number > 1)
    tps = _all_tps(results.seconds(record.run.run_id, ("second", "tps")))
    server = _server_readings(results, record) if results.study.adaptive_length.gates else None
    return course_again(record, rule, tps, server)


def _all_tps(seconds: Table) -> np.ndarray:
    """Return the throughput from the start of the driven time, one value a second; 0 for an unreported second."""
    second = seconds.numbers("second")
    tps = np.zeros(int(second.max()) + 1 if len(second) else 0)
    tps[second] = seconds.numbers("tps")
    return tps


def _server_readings(results: StoredStudy, record: RunRecord) -> ServerReadings:
    from dbdyno.analyse import GATE_METRICS, ServerReadings  # late: see `_recomputed_course`

    run_id = record.run.run_id
    telemetry = results.telemetry(run_id, ("second", "metric", "value"))
    gate_readings = telemetry.at(telemetry.texts("metric").among(GATE_METRICS))
    columns = (gate_readings.values(name) for name in ("second", "metric", "value"))
    return ServerReadings(
        results.optional_document(run_id, "variables") or {},
        results.optional_document(run_id, "schema") or {},
        None if _is_running_server(results.study, record) else results.host.get("rotational"),
        zip(*columns, strict=True),
    )


def _is_running_server(study: Study, record: RunRecord) -> bool:
    return study.target(record.run.cell.target).engine.source_kind == "server"
