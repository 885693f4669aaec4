"""Runs a study on its benches, several at once, with what is seen meanwhile."""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live

from dbdyno import lab
from dbdyno.cli._bench_worker import drive_bench
from dbdyno.cli._console import PlainConsole
from dbdyno.cli._folder import check_of, check_room, hold_results
from dbdyno.cli._plan import full_plan, plan_object, study_line
from dbdyno.cli._progress import LiveView, PlainLines, ShownStudy
from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.store import JsonValue, Results
from dbdyno.study import Study, study_text


def run_on_benches(study: Study, output: Path, choices: argparse.Namespace) -> lab.StudyOutcome:
    """Run a study into a folder on all of its benches."""
    host = LocalHost()
    Home.of_user().check()
    plan = full_plan(study, host)
    scratch = _scratch_beside(output, os.getpid())
    is_fresh = getattr(choices, "fresh", False)
    check = replace(check_of(choices), allow_missing_runs=True)
    check_room(output, study, fresh=is_fresh, check=check)
    held = ExitStack()

    def open_results(facts: Mapping[str, JsonValue]) -> Results:
        document = plan_object(study, plan)
        results = held.enter_context(hold_results(output, study, document, facts, fresh=is_fresh, check=check))
        _remove_left_scratch(output)
        return results

    if not choices.quiet:
        print(f"\n  {study_line(study, plan)} · {len(study.benches)} benches\n", file=sys.stderr)
    starts = {bench.name: _bench_start(study, bench.name, scratch, choices) for bench in study.benches}
    fleet = (
        lab.ProcessFleet(drive_bench, starts)
        if study.fleet.engine == "processes"
        else lab.RayFleet(drive_bench, starts, study.fleet.address)
    )
    try:
        with (
            held,
            fleet_progress(list(starts), ShownStudy.of(study, plan), quiet=choices.quiet) as on_event,
        ):
            return lab.run_fleet(
                study,
                plan,
                fleet,
                open_results,
                on_event,
                lab.FleetOptions(
                    ["dbdyno", *sys.argv[1:]],
                    lab.RetryChoice(choices.retry_failed, choices.retry_disturbed),
                    allow_unlike=getattr(choices, "allow_unlike", False),
                ),
            )
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _scratch_beside(output: Path, pid: int | str) -> Path:
    """Return the folder for what benches of a process store until it is handed over."""
    output = output.absolute()
    return output.with_name(f".{output.name}-benches-{pid}")


def _remove_left_scratch(output: Path) -> None:
    """Remove such folders of killed processes; of another machine's, too, so the caller holds the results' lock."""
    prefix = _scratch_beside(output, "").name
    for folder in output.absolute().parent.glob(f"{glob.escape(prefix)}*"):
        if not Path(f"/proc/{folder.name.removeprefix(prefix)}").exists():
            shutil.rmtree(folder, ignore_errors=True)


def _bench_start(study: Study, bench: str, scratch: Path, choices: argparse.Namespace) -> lab.BenchStart:
    return lab.BenchStart(
        bench,
        study_text(study),
        scratch,
        is_forced=choices.force,
        is_calibrating=not choices.no_calibrate,
        audit_stop="critical" if choices.strict_audit and study.audit_stop == "never" else study.audit_stop,
    )


@contextmanager
def fleet_progress(benches: list[str], shown: ShownStudy, *, quiet: bool) -> Iterator[lab.OnBenchEvent]:
    """Yield the function that receives events of benches; see `progress`."""
    console = PlainConsole(stderr=True, soft_wrap=not quiet)
    if quiet:
        yield lambda bench, event: None
    elif not console.is_terminal:
        width = max(map(len, benches))
        prefixes = {bench: f"  {bench:<{width}}" if bench else "" for bench in ("", *benches)}
        lines = {bench: PlainLines(console, shown, prefixes[bench]) for bench in prefixes}
        yield lambda bench, event: lines[bench].on_event(event)
    else:
        view = FleetView(console, benches, shown)
        with Live(view, console=console, refresh_per_second=4, transient=True):
            yield view.on_event


class FleetView:
    """Shows the run under way of each bench, and one bar of all."""

    def __init__(self, console: Console, benches: list[str], shown: ShownStudy) -> None:
        width = max(map(len, benches))
        self._benches = {bench: LiveView(console, shown, f"  {bench:<{width}}") for bench in benches}
        self._whole = LiveView(console, replace(shown, run_ns=shown.run_ns // max(len(benches), 1)))

    def on_event(self, bench: str, event: lab.Event) -> None:
        """Take in an event of a bench, or of the study."""
        if not bench:
            self._whole.on_event(event)
            return
        self._benches[bench].on_event(event)
        if isinstance(event, lab.RunStarted):
            self._whole.begin_run()
        elif isinstance(event, lab.RunFinished):
            self._whole.count_run()

    def __rich__(self) -> RenderableType:
        """Return the part that is redrawn."""
        return Group(*(view.run_lines() for view in self._benches.values()), self._whole.bar())
