"""Builds comparison sets of a stored study: what its tables and charts set side by side."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from dbdyno.audit import ComparisonSet
from dbdyno.audit.studies._inspection import InspectedSource, StoredSource
from dbdyno.audit.studies._targets import TargetRuns, of_target, target_facts
from dbdyno.audit.studies._window import wrote
from dbdyno.core import RunRecord, format_bytes
from dbdyno.store import Results, StoredRun, StoredStudy
from dbdyno.study import Study


def study_sets(results: StoredStudy, *, at_end: bool = False) -> tuple[ComparisonSet, ...]:
    """Return one set for each workload, route and memory tier; targets of which nothing ran there are left out.

    Campaigns are named by workload and route where the study has several.

    Parameters
    ----------
    at_end : by the variables as they were read after the window
    """
    study = results.study
    source = StoredSource(results, at_end)
    places: dict[tuple[str, str, int], list[RunRecord]] = {}
    for record in results.records():
        cell = record.run.cell
        places.setdefault((cell.workload, cell.route, cell.tier_bytes), []).append(record)
    sets = []
    for choice, route, tier in itertools.product(study.workloads, study.routes, study.tiers_bytes):
        place_records = places.get((choice.label, route, tier), [])
        runs = [runs for target in study.targets if (runs := of_target(source, study, target, place_records))]
        if runs:
            write_answers = [wrote(results, of_one.judged.run.run_id) for of_one in runs]
            sets.append(
                _comparison_set(
                    study, runs, choice.label, route, tier, None if None in write_answers else any(write_answers)
                )
            )
    return tuple(sets)


def inspected_set(results: Results, study: Study, inspections: Sequence[StoredRun]) -> ComparisonSet:
    """Return the servers of one place that were inspected, in addition to those that were driven there already.

    What only a driven window shows is not known of them.

    Parameters
    ----------
    inspections : one a target at one workload, route and tier; records of runs that were not made
    """
    cell = inspections[0].record.run.cell
    place = (cell.workload, cell.route, cell.tier_bytes)
    source = InspectedSource.over(results, inspections)
    records_by_target = {stored_run.record.run.cell.target: stored_run.record for stored_run in inspections}
    stored_records = [
        record
        for record in results.records()
        if (record.run.cell.workload, record.run.cell.route, record.run.cell.tier_bytes) == place
    ]
    runs = [
        target_runs
        for target in study.targets
        if (
            target_runs := TargetRuns(source, study, target, (records_by_target[target.name],))
            if target.name in records_by_target
            else of_target(source, study, target, stored_records)
        )
    ]
    return _comparison_set(study, runs, cell.workload, cell.route, cell.tier_bytes, None)


def _comparison_set(
    study: Study, runs: Sequence[TargetRuns], label: str, route: str, tier: int, writes: bool | None
) -> ComparisonSet:
    return ComparisonSet(
        tuple(target_facts(of_one) for of_one in runs),
        campaign=campaign_name(study, label, route),
        tier=format_bytes(tier),
        study=_study_facts(study, runs, writes),
        text={"claims": ()} if study.imported is None else {},
    )


def campaign_name(study: Study, label: str, route: str) -> str:
    """Name of what is compared under one workload and route; empty where the study has one of each."""
    names = [label] if len(study.workloads) > 1 else []
    return " by ".join([*names, *([route] if len(study.routes) > 1 else [])])


def _study_facts(study: Study, runs: Sequence[TargetRuns], wrote_any: bool | None) -> dict[str, Any]:
    """Return what was driven, and how. Nothing is claimed except what was read."""
    if study.imported is not None:
        return {"writes": wrote_any, "max_threads": max(study.concurrencies)}
    starts = [start for of_one in runs if (start := of_one.document("start"))]
    schemas = [schema for of_one in runs if (schema := of_one.document("schema")).get("ddl")]
    facts: dict[str, Any] = {
        "cold_start": study.warm_up_ns == 0,
        "writes": wrote_any,
        "max_threads": max(study.concurrencies),
        "step_order": list(study.concurrencies),
        "reset_between_steps": all(of_one.is_ours for of_one in runs),
    }
    if starts:
        facts["driver"] = str(starts[0].get("program", "dbdyno-load"))
        facts["reconnects"] = any(_reconnects(start) for start in starts)
        facts["prepared_statements"] = max(map(_statements_each, starts))
    if len(schemas) == len(runs):
        texts = [text for schema in schemas for text in schema["ddl"].values()]
        facts["auto_increment"] = any("AUTO_INCREMENT" in text.upper() for text in texts)
    return facts


def _reconnects(start: Any) -> bool:  # noqa: ANN401 - foreign JSON
    options = start.get("workload", {}).get("options", {})
    return any("reconnect" in name and value not in ("", "0", "off", "false") for name, value in options.items())


def _statements_each(start: Any) -> int:  # noqa: ANN401 - foreign JSON
    """Return statements that each connection prepares."""
    return math.ceil((start.get("prepared_statements") or 0) / max(start.get("concurrency") or 1, 1)) or 1
