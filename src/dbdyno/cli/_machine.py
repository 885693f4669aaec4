"""What `dbdyno doctor` and every study look at first: the machine that they run on."""

from __future__ import annotations

import sys
import time

from dbdyno.core import DbdynoError, HostError
from dbdyno.doctor import Examination, Generator, Needs, Outcome, examine
from dbdyno.hosts import Home, LocalHost, read_machine
from dbdyno.lab import find_generator
from dbdyno.measure.client import calibration_key, read_calibration


def examine_here(needs: Needs | None, home: Home, host: LocalHost) -> Examination:
    """Look at this machine for a second, and judge what is seen."""
    generator = _generator(home, host)
    return examine(read_machine(home.root), needs, generator, at_ns=time.time_ns())


def check_before_study(examination: Examination, *, force: bool, quiet: bool) -> None:
    """Print what was found that touches results, one line each; blockers end the study unless `force`.

    Raises
    ------
    HostError : something stands in the way
    """
    blockers = examination.of_severity("blocker")
    if blockers and not force:
        others = "".join(f"\n{blocker.title}: {blocker.seen}" for blocker in blockers[1:])
        raise HostError(
            f"this machine is not fit for the study: {blockers[0].seen}",
            f"{blockers[0].effect}{others}",
            f"{blockers[0].remedy}; dbdyno doctor STUDY.toml says more; --force runs it all the same",
        )
    found = [finding for finding in examination.findings if finding.severity != "note"]
    for finding in found if not quiet else blockers:
        print(f"  machine: {finding_line(finding)}", file=sys.stderr)
    if found and not quiet:
        print("  machine: dbdyno doctor says what each does to a result and what mends it\n", file=sys.stderr)


def finding_line(finding: Outcome) -> str:
    """One line: which, how grave, what was seen."""
    return f"{finding.severity}: {finding.title.lower()}: {finding.seen}"


def _generator(home: Home, host: LocalHost) -> Generator:
    try:
        path = find_generator()
    except DbdynoError as error:
        return Generator("", error.why or error.what)
    try:
        found = read_calibration(home.root, calibration_key(host, path))
    except DbdynoError as error:
        return Generator("", str(error))
    return Generator(str(path), is_calibrated=found is not None)
