"""Moments of a study at which something happens to it, and the small studies that come to them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rounds import SEED

TARGETS = ("mariadb:11.8", "mariadb:10.11")
STUDY = """
targets = TARGETS
workload = WORKLOAD
axes = {tier = "64MB", concurrency = CONCURRENCY, route = "loopback"}
PACING
measure = {warm_up = "1s", window = "3s", settle = "1s", repeats = 1, equivalence_events = EVENTS, after_run = "ENDING"}
timeouts = {path = "3s", check = "120s"}
"""
PACING = "pacing = {rate_per_s = 50}"
ROWS = '{name = "oltp_read_write", tables = 1, rows = 5000}'
CHECKED = '{name = "linkbench", maxid1 = 2001}'
"""Its tables can be asked whether they are consistent, so there is a phase for that."""
_UNUSED_ROWS = itertools.count(6001)


@dataclass(frozen=True)
class Moment:
    """Where in a study something happens: at an event of the lab, or a little later.

    Parameters
    ----------
    name : of the moment, as a reader of a table knows it
    awaits : what has to be there after the event: "server", or "next server" where another one is there before it
    spoils : what is under way cannot succeed without what is struck then
    """

    name: str
    event: str
    phase: str = ""
    later_s: float = 0.0
    awaits: str = ""
    spoils: bool = True

    def __str__(self) -> str:
        return f"{self.name} {self.later_s:g} s later" if self.later_s else self.name

    @property
    def hold(self) -> str:
        """The event as the driver of a study knows it."""
        return f"{self.event} {self.phase}".strip()

    @property
    def is_fill(self) -> bool:
        return self.event.startswith("Fill")

    @property
    def is_before_runs(self) -> bool:
        """Whether it belongs to no run: what is spoilt then is named elsewhere."""
        return self.event not in ("RunPhaseEntered", "SecondMeasured")

    @property
    def has_generator(self) -> bool:
        return self.event == "SecondMeasured"


def _run_phase(name: str, phase: str = "", later_s: float = 0.0, awaits: str = "", *, spoils: bool = True) -> Moment:
    return Moment(name, "RunPhaseEntered", phase or name, later_s, awaits, spoils)


INITIALISE = Moment("initialise", "FillStarted", awaits="server")
FIRST_START = Moment("first start", "FillStarted", awaits="next server")
FILL = Moment("fill", "FillAdvanced")
INSPECTION = Moment("inspection", "ServerInspected", awaits="server")
EQUIVALENCE = Moment("equivalence check", "ResultsComparing", awaits="server")
RESTORE = _run_phase("restore")
START = _run_phase("server start", "restore", awaits="server")
SETTLE = _run_phase("settle")
LOAD = _run_phase("load", later_s=0.5)
WARM_UP = Moment("warm-up", "SecondMeasured", "warm-up")
WINDOW = Moment("window", "SecondMeasured", "window")
LATER_IN_WINDOW = replace(WINDOW, later_s=1.5)
VERIFY = _run_phase("verify")
LATER_IN_VERIFY = _run_phase("verify", later_s=0.05, spoils=False)
RECOVER = _run_phase("recover", awaits="next server")
STOP = _run_phase("stop")
LOADED = (WARM_UP, WINDOW, LATER_IN_WINDOW)
CORE = (FILL, *LOADED)
"""What a study does most of its time: drawn first."""
LATER = tuple(replace(moment, later_s=0.3) for moment in (INSPECTION, EQUIVALENCE))
OF_SERVER = (
    *CORE,
    INITIALISE,
    FIRST_START,
    INSPECTION,
    EQUIVALENCE,
    *LATER,
    START,
    SETTLE,
    LOAD,
    VERIFY,
    LATER_IN_VERIFY,
    RECOVER,
    STOP,
)
"""Those at which a study has a server that it started."""
OF_DISK = (*OF_SERVER, RESTORE)


def of_running_server(moment: Moment) -> Moment:
    """The moment in a study whose server is there already, and stays."""
    return replace(moment, awaits="", spoils=moment.spoils and moment != STOP)


OF_CABLE = (
    *(of_running_server(moment) for moment in (*CORE, SETTLE, LOAD, VERIFY, LATER_IN_VERIFY, STOP)),
    Moment("before fill", "FillStarted"),
)
"""Those of one running server: two of its targets would change each other's tables, so nothing can be compared."""


def draw(what: str, moments: Sequence[Moment], count: int) -> list[Moment]:
    """Each moment once, in an order drawn by seed, before one comes again; one of `CORE` is the first."""
    chance, drawn = random.Random(f"{SEED} {what}"), list[Moment]()
    while len(drawn) < count:
        first = chance.choice([moment for moment in moments if moment in CORE])
        drawn += [first, *chance.sample([moment for moment in moments if moment != first], len(moments) - 1)]
    return drawn[:count]


def write_study(folder: Path, moment: Moment, targets: Sequence[str] = TARGETS, more: str = "") -> Path:
    """Write a study that comes to the moment. Servers are inspected and compared where there are two targets."""
    is_compared = moment.event in ("ServerInspected", "ResultsComparing")
    targets = targets[: 1 + is_compared]
    workload = CHECKED if moment.phase in ("verify", "recover") else ROWS
    if moment.is_fill:  # it has to be filled, so no other trial has as many rows, nor the same when run again
        workload = workload.replace("rows = 5000", f"rows = {next(_UNUSED_ROWS)}")
    values = {
        "TARGETS": "[" + ", ".join(f'"{name}"' for name in targets) + "]",
        "WORKLOAD": workload,
        "CONCURRENCY": "[2]" if is_compared else "[1, 2]",
        "PACING": PACING,
        "EVENTS": "100" if is_compared else "0",
        "ENDING": "stop" if moment.phase == "stop" else "recover",
    }
    text = STUDY
    for name, value in values.items():
        text = text.replace(name, value)
    file = folder / "study.toml"
    file.write_text(text + more)
    return file
