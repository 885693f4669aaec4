"""`dbdyno calibrate`: measures what the load generator can do on this machine."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from dbdyno.cli._help import add_command as add
from dbdyno.cli._remote import add_options, check_options, chosen_host

if TYPE_CHECKING:
    from dbdyno.cli._machine import GeneratorPlace

_STORY = """\
Drives the load generator against a null server, which does no work, and stores the highest rate that one worker
reaches and the CPU time that a statement costs it at full and at partial load. Every result then shows how much of
that rate the client used; above 80 % a run is suspect: it may have measured the client.

  dbdyno calibrate            about a minute and a half: two routes, two workloads, 1 to 4,096 connections
  dbdyno calibrate --quick    15 s: `dbdyno run` does this itself on a new machine
  dbdyno calibrate --host bench@db1     on another machine, over ssh

The calibration is stored in DBDYNO_HOME and is valid until processor, kernel or load generator change. Keep the
machine idle meanwhile.
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "calibrate", _STORY, _calibrate)
    parser.one_more = "calibrate takes no names; it measures dbdyno-load on this machine"
    parser.add_argument("--quick", action="store_true", help="15 s: one workload, few loads")
    parser.add_argument("--redo", action="store_true", help="measure again even if a calibration exists")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser)


def _calibrate(choices: argparse.Namespace) -> int:
    from dbdyno.cli._machine import GeneratorPlace  # late: see _main
    from dbdyno.core import Home

    check_options(choices)
    Home.of_user().make()  # nothing is measured if the result can't be stored
    if not choices.host:
        return _calibrate_place(GeneratorPlace.here(), choices)
    with chosen_host(choices) as host:
        return _calibrate_place(GeneratorPlace.on(host), choices)


def _calibrate_place(place: GeneratorPlace, choices: argparse.Namespace) -> int:
    from dbdyno.cli._machine import calibrate_place, print_calibration
    from dbdyno.measure.client import calibration_to_json

    stored_calibration = None if choices.redo else place.stored()
    if stored_calibration is not None and stored_calibration.is_quick and not choices.quick:
        stored_calibration = None
    calibration = stored_calibration or calibrate_place(place, quick=choices.quick)
    if choices.json:
        print(json.dumps(calibration_to_json(calibration), indent=1))
    else:
        print_calibration(calibration, place.folder, is_new=stored_calibration is None)
    return 0
