"""`dbdyno show --json`: returns the results as one object for programs."""

from __future__ import annotations

import dataclasses

from dbdyno.analyse import CapacityJudgement, CapacityStep, CellCounters, is_vague_level, level_interval
from dbdyno.audit import all_data, finding_data
from dbdyno.core import Comparison, RunRecord, is_vague_ratio
from dbdyno.report._counters import write_amplification
from dbdyno.report._server_lifecycle import lifecycles_object
from dbdyno.report._study_analysis import analyse_study
from dbdyno.store import StoredStudy, record_to_json
from dbdyno.study import settings_object

SCHEMA_VERSION = 1
_LEFT_OUT = frozenset({"run", "cell_id", "types", "orders", "step", "caveats", "method", "started_ns", "ended_ns"})
"""Parts of a stored record that an entry of `cells` does not repeat."""
_LAW = ("rate", "contention", "coherence", "largest_residual", "is_shown")


def summary_json(results: StoredStudy) -> dict[str, object]:
    """Return the results as one object: a cell for each planned run, missing ones too, and all comparisons.

    `comparisons` are of single places, `averages` of all concurrencies of a workload, memory size and route together.

    `tps_mean` and `tps_half_width` of a cell are the level of that one run and its noise: of its settled part where
    its window could be judged, which `settled` shows. `window_tps_mean` and `window_tps_half_width` are of the whole
    window. Intervals between repeats are in the comparisons; ends that say nothing are null.
    """
    analysis = analyse_study(results)
    shaped_routes = analysis.study.shaped_routes
    return {
        "schema_version": SCHEMA_VERSION,
        "study": analysis.study.name,
        "question": analysis.study.question,
        **settings_object(analysis.study),
        "cells": [
            _cell_object(record) | {"durability": analysis.fairness.durability(record.run.cell.target)}
            for record in analysis.records
        ],
        "comparisons": [_pair_object(pair) for pair in analysis.comparisons],
        "averages": [_average_object(pair) for pair in analysis.averages],
        "capacity": [_capacity_object(judgement) for judgement in analysis.capacity],
        "warning": analysis.fairness.warning,
        "counters": [_counters_object(cell) for cell in analysis.counters],
        "lives": lifecycles_object(analysis.lives),
        "answer": list(analysis.answer.sentences),
        "fairness": all_data(analysis.fairness.audit),
        "fairness_after_window": [finding_data(finding) for finding in analysis.fairness.late],
        "promises": {
            target: [dataclasses.asdict(promise) for promise in promises]
            for target, promises in analysis.fairness.promises.items()
        },
        **({"shaped_routes": [dataclasses.asdict(route) for route in shaped_routes]} if shaped_routes else {}),
        "machine": [{**dataclasses.asdict(finding), "times": times} for finding, times in analysis.machine.found],
        "caveats": [dataclasses.asdict(caveat) for caveat in analysis.limitations],
    }


def _cell_object(record: RunRecord) -> dict[str, object]:
    cell, course = record.run.cell, record.course
    record_fields = {name: value for name, value in record_to_json(record).items() if name not in _LEFT_OUT}
    return {
        "target": cell.target,
        "workload": cell.workload,
        "tier_bytes": cell.tier_bytes,
        "concurrency": cell.concurrency,
        "route": cell.route,
        "repeat": record.run.repeat,
        "is_sentinel": record.run.is_sentinel,
        **record_fields,
        "tps_mean": record.level_tps,
        "tps_half_width": record.level_half_width,
        "window_tps_mean": record.figures.tps_mean,
        "window_tps_half_width": record.figures.tps_half_width,
        "is_settled": record.is_settled,
        "course": course and {**dataclasses.asdict(course), "saved_s": course.saved_s},
    }


def _counters_object(cell_counters: CellCounters) -> dict[str, object]:
    """Return growth for each transaction, levels at the end and at their highest, and names of what is not shown."""
    cell = cell_counters.group.cell
    return {
        "target": cell.target,
        "workload": cell.workload,
        "tier_bytes": cell.tier_bytes,
        "concurrency": cell.concurrency,
        "route": cell.route,
        "transactions": cell_counters.transactions,
        "per_transaction": {name: cell_counters.each(name) for name in sorted(cell_counters.deltas)},
        "units": {name: unit for name, (_, unit) in sorted(cell_counters.deltas.items())},
        "levels": {
            name: {"end": end, "highest": highest} for name, (end, highest, _) in sorted(cell_counters.levels.items())
        },
        "write_amplification": write_amplification(cell_counters),
        "absent": sorted(cell_counters.absent),
    }


def _pair_object(pair: Comparison | CapacityStep) -> dict[str, object]:
    is_vague = is_vague_ratio(pair.low, pair.high)
    return dataclasses.asdict(pair) | ({"low": None, "high": None} if is_vague else {})


def _average_object(pair: Comparison) -> dict[str, object]:
    return {name: value for name, value in _pair_object(pair).items() if name != "concurrency"}


def _capacity_object(judgement: CapacityJudgement) -> dict[str, object]:
    tps, low, high = level_interval(judgement.best)
    is_vague = is_vague_level(judgement.best)
    fit = judgement.fit
    law = None if fit is None else {name: getattr(fit, name) for name in _LAW}
    return {
        "target": judgement.target,
        "workload": judgement.workload,
        "route": judgement.route,
        "tier_bytes": judgement.tier_bytes,
        "peak_tps": tps,
        "low": None if is_vague else low,
        "high": None if is_vague else high,
        "best_concurrency": judgement.peak.best,
        "unsettled_concurrencies": list(judgement.unsettled),
        "peak_concurrencies": list(judgement.peak.concurrencies),
        "is_open": judgement.is_open,
        "collapsed": [_pair_object(step) for step in judgement.falls],
        "more_memory": None if judgement.more_memory is None else _pair_object(judgement.more_memory),
        "law": law,
    }
