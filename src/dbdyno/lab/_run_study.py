"""The front door of the room."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno.hosts import Home, Host
from dbdyno.lab._events import OnEvent, Outcome
from dbdyno.lab._generator import find_generator
from dbdyno.lab._local import LocalBench
from dbdyno.lab._passwords import password_files
from dbdyno.lab._preflight import Auditor
from dbdyno.lab._study_runner import StudyRunner
from dbdyno.measure.client import Calibration
from dbdyno.plan import Plan
from dbdyno.store import JsonValue, Results
from dbdyno.study import Study


def run_study(
    study: Study,
    plan: Plan,
    results: Results,
    host: Host,
    home: Home,
    on_event: OnEvent,
    *,
    command_line: Sequence[str] = (),
    generator: Path | None = None,
    retry_failed: bool = False,
    calibration: Calibration | None = None,
    examined: Mapping[str, JsonValue] | None = None,
    auditor: Auditor | None = None,
) -> Outcome:
    """Make every run of the plan that is not yet stored in the results folder.

    Parameters
    ----------
    on_event : told of everything as it happens; an error it raises stops the study
    command_line : how dbdyno was called, for the manifest
    generator : path of ``dbdyno-load``; looked for when not given
    retry_failed : make failed runs again; what is stored of them is set aside, not lost
    calibration : of the load generator on this machine; None: not known
    examined : state of the machine and what was found of it, for the journal; None: nobody looked
    auditor : judges the targets' servers before the first run, and may stop the study there; None: nobody does

    Returns
    -------
    How it ended. Ctrl-C and SIGTERM end it in order: servers stopped, journal consistent, `Outcome.interrupted`.

    Raises
    ------
    StoreError : another dbdyno writes to the folder, or an engine is not the one earlier runs have measured
    StudyError : a setting of a target is not for its version
    ProvisionError, PopulateError, HostError : an engine or a dataset can't be had; nothing stored is lost
    MeasureError : there is no load generator
    """
    program = generator or find_generator()
    with password_files(study, host) as running, contextlib.ExitStack() as held:
        bench = LocalBench(running, host, home, held)
        walk = StudyRunner(
            running,
            plan,
            results,
            bench,
            host,
            home,
            program,
            on_event,
            command_line,
            retry_failed,
            calibration,
            examined,
            auditor,
        )
        return walk.run()
