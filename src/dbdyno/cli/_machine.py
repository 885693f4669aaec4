"""Examines the machine before a study, and calibrates the load generator on it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rich.table import Table
from rich.text import Text

from dbdyno.cli._color import tell
from dbdyno.cli._console import PlainConsole, wide_console
from dbdyno.cli._remote import examine_bench
from dbdyno.cli._seen_spread import spread_seen_here
from dbdyno.core import DbdynoError, Home, HostError, counted, is_network_route, percent
from dbdyno.doctor import (
    CheckOutcome,
    Examination,
    Generator,
    Needs,
    RepeatSpread,
    examination_to_json,
    examine,
    needs_of,
)
from dbdyno.hosts import Host, LocalHost, read_machine
from dbdyno.lab import StudyHosts, client_facts, find_generator
from dbdyno.measure.client import (
    Calibration,
    CalibrationPoint,
    calibrate,
    calibration_key,
    read_calibration,
    write_calibration,
)
from dbdyno.plan import Plan, check_budget
from dbdyno.populate import kept_bytes, kept_snapshots

if TYPE_CHECKING:
    from dbdyno.hosts.remote import RemoteHost
    from dbdyno.study import Study


def examine_here(needs: Needs | None, home: Home, host: LocalHost) -> Examination:
    """Look at this machine for a second, and judge what is seen."""
    generator = _open_generator(home, host)
    spread = _repeat_spread(home)
    return examine(read_machine(host, home.root), needs, generator, spread=spread, at_ns=time.time_ns())


def examine_study_hosts(
    study: Study, plan: Plan, hosts: StudyHosts, *, force: bool, quiet: bool
) -> tuple[dict[str, Any], dict[str, Examination]]:
    """Check that a study's machines are fit for it; the facts of the servers' machine, and what was seen of each.

    Raises
    ------
    HostError : something stands in the way; see `check_budget` and `check_before_study`
    """
    remote_host = hosts.server_host
    host, place = (hosts.host, hosts.home) if remote_host is None else (remote_host, remote_host.home)
    budget = plan.budget.without_kept(kept_bytes(study, kept_snapshots(place, host)))
    check_budget(study, budget, host.memory_available_bytes(), host.free_bytes(place.root))
    facts = asdict(host.facts(place.root))
    needs = needs_of(study, budget.memory_bytes, budget.disk_bytes)
    if remote_host is None:
        examinations = {"": examine_here(needs, hosts.home, hosts.host)}
    else:
        examinations = examine_bench(study, study.bench, remote_host, hosts.clients, needs)
        facts |= client_facts(hosts.clients, hosts.host.facts(hosts.home.root))
    check_before_study(examinations, force=force, quiet=quiet)
    return facts, examinations


def check_before_study(examinations: Mapping[str, Examination], *, force: bool, quiet: bool) -> None:
    """Print what was found that touches results, one line each; blockers end the study unless `force`.

    Parameters
    ----------
    examinations : name of each host, empty for this machine, and what was seen of it

    Raises
    ------
    HostError : something stands in the way
    """
    blockers = [(name, found) for name, seen in examinations.items() for found in seen.of_severity("blocker")]
    if blockers and not force:
        (name, first), *others = blockers
        further_lines = "".join(
            f"\n{f'{other_name}: ' if other_name != name else ''}{other.title}: {other.seen}"
            for other_name, other in others
        )
        raise HostError(
            f"{name or 'this machine'} is not fit for the study: {first.seen}",
            f"{first.effect}{further_lines}",
            f"{first.remedy}; dbdyno doctor STUDY.toml says more; --force runs it anyway",
            code="machine-unfit",
        )
    findings = [(name, found) for name, seen in examinations.items() for found in seen.findings]
    findings = [(name, found) for name, found in findings if found.severity != "note"]
    for name, finding in findings if not quiet else blockers:
        print(f"  {name or 'machine'}: {_finding_line(finding)}", file=sys.stderr)
    if findings and not quiet:
        command = "dbdyno doctor" if set(examinations) == {""} else "dbdyno doctor STUDY.toml"
        print(f"  machine: {command} explains the effect of each and how to fix it\n", file=sys.stderr)


def examinations_to_json(examinations: Mapping[str, Examination]) -> list[dict[str, Any]]:
    """Return plain data of each machine; where there are several, with their names as ``host``."""
    has_several = len(examinations) > 1
    return [
        {**({"host": name} if has_several else {}), **examination_to_json(seen)} for name, seen in examinations.items()
    ]


def _finding_line(finding: CheckOutcome) -> str:
    """Return one line: which, how grave, what was seen."""
    gravity = "weakens results" if finding.severity == "weakens" else finding.severity
    return f"{gravity}: {finding.title.lower()}: {finding.seen}"


def _repeat_spread(home: Home) -> RepeatSpread | None:
    seen = spread_seen_here(home.root)
    if seen is None:
        return None
    difference = seen.variation.smallest_difference(*_USUAL_DESIGN)
    return RepeatSpread(seen.variation.spread, seen.studies, difference)


def _open_generator(home: Home, host: LocalHost) -> Generator:
    try:
        path = find_generator()
    except DbdynoError as error:
        return Generator("", error.why or error.what)
    try:
        calibration = read_calibration(home.root, calibration_key(host, path))
    except DbdynoError as error:
        return Generator("", str(error))
    return Generator(str(path), is_calibrated=calibration is not None)


NO_CALIBRATION = "DBDYNO_NO_CALIBRATION"
"""Environment variable: when set to anything, a study does not calibrate by itself."""
_BAR_CELLS = 24
_BUSY_MACHINE = 0.1
_USUAL_DESIGN = (3, 60.0, 8)
"""Repeats, seconds of a window and cells of a study by which a machine's spread is told."""


@dataclass(frozen=True, slots=True)
class GeneratorPlace:
    """Says where the load generator is calibrated.

    Parameters
    ----------
    program : path of ``dbdyno-load`` there
    folder : of this machine, in which its calibration is kept
    words : the machine, for people
    """

    host: Host
    program: Path
    folder: Path
    words: str

    @classmethod
    def here(cls) -> GeneratorPlace:
        """Return this machine."""
        return cls(LocalHost(), find_generator(), Home.of_user().root, "this machine")

    @classmethod
    def on(cls, host: RemoteHost) -> GeneratorPlace:
        """Return a remote host."""
        destination = host.link.destination
        folder = Home.of_user().root / "hosts" / quote(destination, safe="@")
        return cls(host, Path(host.program.path), folder, destination)

    def stored(self) -> Calibration | None:
        """Return its calibration; None where it has none, or one of another processor, kernel or load generator."""
        return read_calibration(self.folder, calibration_key(self.host, self.program))


def calibration_for_study(
    choices: argparse.Namespace, study: Study, server_host: RemoteHost | None, environ: Mapping[str, str] = os.environ
) -> Calibration | None:
    """Return the calibration of the servers' machine, made quickly if there is none; None if it is unwanted or fails.

    It is for clients on that machine; those of a network are not calibrated. A study does not fail for it: without one,
    the client's use is its busy share, and says so.
    """
    if all(map(is_network_route, study.routes)):
        return None
    try:
        place = GeneratorPlace.here() if server_host is None else GeneratorPlace.on(server_host)
        calibration = place.stored()
        if calibration is not None or choices.no_calibrate or environ.get(NO_CALIBRATION):
            return calibration
        if not choices.quiet:
            print(f"  calibrating the load generator on {place.words}, 15 s, once", file=sys.stderr)
        return calibrate_place(place, quick=True, quiet=choices.quiet)
    except DbdynoError as error:
        if isinstance(error, HostError) and error.fault == "network":
            raise
        tell(f"warning: the load generator could not be calibrated: {error}")
        return None


def calibrate_place(place: GeneratorPlace, *, quick: bool, quiet: bool = False) -> Calibration:
    """Calibrate the load generator and keep what was found; print each point when it is done."""
    console = PlainConsole(stderr=True, soft_wrap=True)

    def tell(point: CalibrationPoint, number: int, total: int) -> None:
        if not quiet:
            console.print(Text(f"  {number:>2}/{total}  {point_words(point)}"))

    calibration = calibrate(place.host, place.program, quick=quick, on_point=tell)
    write_calibration(place.folder, calibration)
    return calibration


def point_words(point: CalibrationPoint) -> str:
    """Return one measured point in a line."""
    load = "full speed" if point.rate_per_s is None else f"{point.rate_per_s:,.0f} events/s asked"
    setup_words = (
        f"{point.route}, {point.workload.rsplit('/', 1)[-1]}, {counted(point.connections, 'connection')}, {load}"
    )
    return f"{setup_words}: {point.statements_per_s:,.0f} statements/s, {point.cpu_ns_per_statement / 1e3:.3g} µs each"


def print_calibration(calibration: Calibration, root: Path, *, is_new: bool) -> None:
    """Print ceilings, then every point with its cost as a bar."""
    console = wide_console()
    console.print("One worker of the load generator on this machine", style="bold", markup=False)
    console.print(_ceilings_table(calibration))
    console.print()
    console.print(_costs_table(calibration))
    for line in _remark_lines(calibration, root, is_new=is_new):
        console.print(line, markup=False, soft_wrap=True)


def _ceilings_table(calibration: Calibration) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("route", "workload", "ceiling, statements/s"):
        table.add_column(heading, justify="right" if "/" in heading else "left")
    for route, workload in dict.fromkeys((point.route, point.workload) for point in calibration.points):
        ceiling = calibration.ceiling(route, workload)
        table.add_row(route, workload, "unknown" if ceiling is None else f"{ceiling:,.0f}")
    return table


def _costs_table(calibration: Calibration) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("route", "workload", "connections", "load", "statements/s", "busy", "per wake-up"):
        table.add_column(heading, justify="left" if heading in ("route", "workload") else "right")
    table.add_column("CPU per statement")
    highest_ns = max((point.cpu_ns_per_statement for point in calibration.points), default=1.0)
    for point in calibration.points:
        cells = round(point.cpu_ns_per_statement / highest_ns * _BAR_CELLS)
        table.add_row(
            point.route,
            point.workload.rsplit("/", 1)[-1],
            f"{point.connections:,}",
            _load_words(calibration, point),
            f"{point.statements_per_s:,.0f}",
            percent(point.busy_share),
            f"{point.wake_batch:.1f}",
            f"{point.cpu_ns_per_statement / 1e3:7.2f} µs {'█' * max(cells, 1)}",
        )
    return table


def _load_words(calibration: Calibration, point: CalibrationPoint) -> str:
    ceiling = calibration.ceiling(point.route, point.workload)
    if point.is_full_speed or not ceiling:
        return "full speed"
    return f"{percent(point.statements_per_s / ceiling)} of ceiling"


def _remark_lines(calibration: Calibration, root: Path, *, is_new: bool) -> list[str]:
    key = calibration.key
    created = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(calibration.created_ns / 1e9))
    kind = "quick" if calibration.is_quick else "whole"
    lines = [
        "",
        f"{key.generator} on {key.logical_cpu_count} × {key.cpu_model}, kernel {key.kernel}; {kind}, {created}",
    ]
    lines.append(f"kept in {root}" if is_new else f"read from {root}; --redo measures again")
    if not calibration.pinned_apart:
        lines.append("warning: client and null server share one processor: the ceiling is that of both together")
    if any(point.wait_share > _BUSY_MACHINE for point in calibration.points):
        lines.append("warning: other processes kept the machine busy: wait until it is idle, then use --redo")
    return lines
