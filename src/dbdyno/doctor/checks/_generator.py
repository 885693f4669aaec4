"""The load generator."""

from __future__ import annotations

from dbdyno.doctor._verdict import Check, Subject, Verdict, blocks, clear, idle, notes


def presence(subject: Subject) -> Verdict:
    """No load without it."""
    found = subject.generator
    if found is None:
        return idle("not asked for")
    if not found.path:
        return blocks(
            f"dbdyno-load is not here: {found.why}", "nothing can be driven", "run make setup, or set DBDYNO_LOAD"
        )
    return clear(found.path)


def calibration(subject: Subject) -> Verdict:
    """Without it a run can't tell how near the client is to its own limit."""
    found = subject.generator
    if found is None or not found.path or found.is_calibrated is None:
        return idle("not asked for")
    if found.is_calibrated:
        return clear("calibrated on this machine")
    return notes(
        "what the load generator can do on this machine is not known",
        "how much of it a run used is told by its busy share alone, which says too little below full load",
        "dbdyno calibrate, while nothing else runs (a study makes a quick one by itself)",
    )


CHECKS = (
    Check("load-generator", "Load generator", presence),
    Check("calibration", "Calibration of the load generator", calibration),
)
