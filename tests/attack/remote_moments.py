"""Moments of a study on a host reached by SSH: the events of the study as it tells them, and how to wait for one."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from remote_study import WINDOW_S

from remote_hosts import comes_true

WITH_EVENTS = """\
from dbdyno.cli import _progress
show = _progress.PlainLines.on_event
def on_event(self, event):
    run, text = getattr(event, "run", None), getattr(event, "text", "").partition(" ")[0]
    with open({path!r}, "a") as events:
        print(type(event).__name__, getattr(event, "phase", text), "" if run is None else run.cell.route, file=events)
    show(self, event)
_progress.PlainLines.on_event = on_event
"""
"""Has the program write its events into a file, a line each."""


@dataclass(frozen=True)
class Moment:
    """Where in a study something happens: some time after an event, the first or a later one of its kind.

    Parameters
    ----------
    spoils_runs : a server that ends here takes a run with it
    """

    event: str
    later_s: float = 0.0
    count: int = 1
    spoils_runs: bool = False


def _load(route: str, later_s: float) -> Moment:
    return Moment(f"RunPhaseEntered load {route}", later_s, spoils_runs=True)


def _window(route: str) -> Moment:
    return Moment(f"SecondMeasured window {route}", 0.5, spoils_runs=True)


MOMENTS = {
    "push": Moment("EngineProgress copying ", 1),
    "populate": Moment("FillStarted  ", 3),
    "populate, rows": Moment("FillAdvanced load "),
    "restore": Moment("RunPhaseEntered restore loopback", 0.3),
    "warm-up": _load("loopback", 0.8),
    "window": _window("loopback"),
    "network warm-up": _load("network", 0.8),
    "network window": _window("network"),
    "collect": Moment("SecondMeasured window loopback", 0.05, count=WINDOW_S),
    "stop": Moment("RunPhaseEntered stop loopback"),
}
"""Every phase of a study, in order; runs over loopback come before those over the network."""


def read_events(path: Path) -> list[str]:
    """Return the events so far."""
    return path.read_text().splitlines() if path.exists() else []


def reach(moment: Moment, path: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait for a moment of a study that is under way; fails if the study ends before."""

    def is_reached() -> bool:
        return read_events(path).count(moment.event) >= moment.count

    assert comes_true(lambda: is_reached() or process.poll() is not None, 240) and is_reached(), read_events(path)[-5:]
    time.sleep(moment.later_s)
    assert process.poll() is None, f"the study ended before {moment}"


def phase_of(events: list[str]) -> str:
    """Return the phase that these events lead to, by the names of `MOMENTS`."""
    last = next((event for event in reversed(events) if not event.startswith("RunFinished")), "")
    if last.startswith("SecondMeasured warm-up"):  # the end of the warm-up's only second
        return "network window" if "network" in last else "window"
    if last == MOMENTS["collect"].event and events.count(last) >= WINDOW_S:
        return "collect"
    return next((name for name, moment in MOMENTS.items() if moment.event == last), last.strip())
