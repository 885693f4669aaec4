"""Judges the course of a stored run again, from its seconds and its server's telemetry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.core import RunCourse, RunRecord
from dbdyno.stats import (
    AdaptiveLengthRule,
    Readings,
    followed,
    gate_facts,
    is_flash,
    no_gates,
    run_course,
    server_gates,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ServerReadings:
    """Holds what is stored of a server whose state decides when a run has warmed up.

    Parameters
    ----------
    rotational : whether its disk turns, as the kernel says; None: not known
    rows : second, metric and value of its telemetry
    """

    variables: Mapping[str, str]
    schema: Mapping[str, object]
    rotational: bool | None
    rows: Iterable[tuple[int, str, float]]


def course_again(
    record: RunRecord, rule: AdaptiveLengthRule, tps: FloatArray, server: ServerReadings | None
) -> RunCourse | None:
    """Return the course that a run's seconds give; None of one that ended before its course did.

    Parameters
    ----------
    tps : from the start of the driven time, one value a second
    server : None where its state decides nothing
    """
    if server is None:
        return run_course(followed(tps, rule, no_gates), rule)
    flash = is_flash(server.rotational)
    facts = gate_facts(record.storage_engine, server.variables, server.schema, is_flash=flash, step=record.step)
    readings = Readings()
    readings.add(server.rows)
    return run_course(followed(tps, rule, server_gates(facts, readings, list(tps))), rule)
