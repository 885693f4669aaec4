"""`dbdyno explain --format json`: returns the explanation as one object for programs."""

from __future__ import annotations

import dataclasses
import math

from dbdyno.analyse import METHOD
from dbdyno.analyse.explain import CauseRanking, Difference, Explanation, Gap, Knee, Moments, NetworkTime, Part
from dbdyno.core import Cell
from dbdyno.report._altered import altered_caveats
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.report.why._choice import Why
from dbdyno.report.why._deep import deep_object
from dbdyno.report.why._proofs import StoredProof

SCHEMA_VERSION = 1


def why_object(analysis: StudyAnalysis, why: Why) -> dict[str, object]:
    """Return the explanation as one object; milliseconds per committed transaction, differences right less left.

    `cells` has every judged cell with its parts; `gap` is that of the pair, `steps` are those of its targets to more
    connections. What is not known is null.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "study": analysis.study.name,
        "caveats": [dataclasses.asdict(caveat) for caveat in altered_caveats(analysis.results)],
        "split": "statements",
        "lines": list(why.lines),
        "gap": None if why.gap is None else _gap_object(why.gap),
        "causes": None if why.ranking is None else ranking_object(why.ranking),
        "processors": {
            name.partition(".")[2]: {"left": left, "right": right}
            for name, (left, right) in (why.known.facts.items() if why.known is not None else ())
            if name.startswith("processors.")
        },
        "processor_time": None if why.user_gap is None or not why.user_gap.parts else _gap_object(why.user_gap),
        "counted": [
            {
                "words": row.kind.words,
                "unit": row.kind.unit,
                **{key: value for key, value in dataclasses.asdict(row).items() if key != "kind"},
            }
            for row in why.counted
        ],
        "steps": [
            {**_gap_object(gap), "causes": None if ranking is None else ranking_object(ranking)}
            for gap, ranking in zip(why.steps, why.course.steps, strict=True)
        ],
        "routes": [_gap_object(gap) for gap in why.routes],
        "network": [_network_object(time) for time in why.network],
        "knees": [_knee_object(knee) for knee in why.course.knees],
        "moments": [_moments_object(moment) for moment in why.course.moments],
        "cells": [] if why.explanation is None else _cell_objects(why.explanation),
        "missing": [] if why.explanation is None else list(why.explanation.missing),
        "proofs": [_proof_object(stored_proof) for stored_proof in why.proofs],
        "deep": None if why.deep is None else deep_object(why.deep),
        "threads": None
        if why.threads is None
        else {
            "gap": None if why.thread_gap is None else _gap_object(why.thread_gap),
            "cells": _cell_objects(why.threads),
            "missing": list(why.threads.missing),
        },
    }


def _cell_objects(explanation: Explanation) -> list[dict[str, object]]:
    return [
        {
            **_cell_object(cell),
            "repeats": len(runs),
            "is_firm": cell in explanation.firm,
            "total_ms": sum(run.total_ms for run in runs) / len(runs),
            "named_share": sum(run.named_ms for run in runs) / sum(run.total_ms for run in runs)
            if runs[0].parts
            else None,
            "parts": [_part_object(part) for part in explanation.parts_of(cell)],
        }
        for cell, runs in explanation.breakdowns.items()
        if runs
    ]


def _cell_object(cell: Cell) -> dict[str, object]:
    return dataclasses.asdict(cell)


def _part_object(part: Part) -> dict[str, object]:
    return {
        "id": part.part_id,
        "words": part.words,
        "ms": part.ms,
        "source": part.source,
        "work": part.work,
        "unit": part.unit,
        "children": [_part_object(child) for child in part.children],
    }


def _gap_object(gap: Gap) -> dict[str, object]:
    return {
        "left": _cell_object(gap.left),
        "right": _cell_object(gap.right),
        **_difference_object(gap.total),
        "repeats": gap.repeats,
        "is_paired": gap.is_paired,
        "assumed_spread": gap.assumed_spread,
        "left_named_share": gap.left_named_share,
        "right_named_share": gap.right_named_share,
        "named_ms": gap.named_ms if gap.parts else None,
        "missing": gap.missing,
        "parts": [
            {
                "id": part.part_id,
                "words": part.words,
                **_difference_object(part.difference),
                "unit": part.unit,
                "left_work": part.left_work,
                "right_work": part.right_work,
                "by_work_ms": part.by_work_ms,
                "by_cost_ms": part.by_cost_ms,
            }
            for part in gap.parts
        ],
    }


def ranking_object(ranking: CauseRanking) -> dict[str, object]:
    """Return causes, the first one first; their differences and what is not explained add up to that of the gap."""
    return {
        "split": "threads" if any(part.part_id.startswith("thread.") for part in ranking.gap.parts) else "statements",
        "ranked": [
            {
                "id": ranked_cause.cause.cause_id,
                "words": ranked_cause.cause.words,
                "grade": ranked_cause.grade,
                **_difference_object(ranked_cause.difference),
                "claims": dict(ranked_cause.claims),
                "settings": {
                    name: {"left": values[0], "right": values[1]} for name, values in ranked_cause.settings.items()
                },
                "remedy": ranked_cause.cause.remedy,
                "alteration": ranked_cause.cause.alteration or None,
                "proof": ranked_cause.proof,
            }
            for ranked_cause in ranking.causes
        ],
        "not_explained": _difference_object(ranking.not_explained),
    }


def _network_object(time: NetworkTime) -> dict[str, object]:
    """Return milliseconds per committed transaction; null is what was not measured."""
    return {
        "cell": _cell_object(time.cell),
        "total_ms": time.total_ms,
        "round_trips": time.round_trips,
        "round_trip_ms": time.round_trip_ms,
        "waiting_ms": time.waiting_ms,
        "transmission_ms": time.transmission_ms,
        "rest_ms": time.rest_ms,
        "network_share": time.network_share,
        "more_work_ms": time.more_work_ms,
    }


def _knee_object(knee: Knee) -> dict[str, object]:
    return {
        "target": knee.cells[0].target,
        "resource": knee.resource or None,
        "reached_at": knee.reached_at or None,
        "demand_ms": knee.demand_ms or None,
        "stops_at": knee.stops_at,
        "used_by_others": knee.by_others,
        "used": {
            str(cell.concurrency): dict(resource_use) for cell, resource_use in zip(knee.cells, knee.used, strict=True)
        },
    }


def _moments_object(moment: Moments) -> dict[str, object]:
    return {
        "kind": moment.kind,
        "cell": _cell_object(moment.cell),
        "runs": moment.runs,
        "seconds": moment.seconds,
        "period_s": moment.period_s,
        "missing": moment.missing,
        "total": None if moment.ranking is None else _difference_object(moment.ranking.gap.total),
        "causes": None if moment.ranking is None else ranking_object(moment.ranking),
    }


def _difference_object(difference: Difference) -> dict[str, object]:
    """Return a difference; the two ends are null where the spread between repeats leaves none."""
    interval_ends = {
        name: value if math.isfinite(value) else None
        for name, value in (("low", difference.low), ("high", difference.high))
    }
    return {
        "left_ms": difference.left_ms,
        "right_ms": difference.right_ms,
        "difference_ms": difference.ms,
        **interval_ends,
        "p_adjusted": difference.p_adjusted,
        "verdict": difference.verdict,
    }


def _proof_object(stored_proof: StoredProof) -> dict[str, object]:
    """Return a proof; times are null where nothing could be judged."""
    proof, note = stored_proof.proof, stored_proof.note
    times = {"control_ms": proof.control_ms, "altered_ms": proof.altered_ms}
    effects = {"predicted": proof.predicted, "observed": proof.observed}
    return {
        "alteration": note.alteration,
        "words": note.words,
        "control": _cell_object(note.control),
        "altered": _cell_object(note.altered),
        "verdict": proof.verdict,
        "reason": proof.reason,
        "also": dict(proof.also),
        **{name: value if math.isfinite(value) else None for name, value in times.items()},
        **{name: None if effect is None else dataclasses.asdict(effect) for name, effect in effects.items()},
    }
