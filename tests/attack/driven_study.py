"""A study in a process of its own, and what happens to it while it runs: signals to it and to its children by phase.

It can be held at its first event of a kind, so that what is to happen there happens there, however busy the machine is.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.core import Home

_DRIVER = """
import json, sys, time
from pathlib import Path
from apart_home import ApartHome
from dbdyno.cli._progress import auditor
from dbdyno.core import DbdynoError
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator, RetryChoice, RunOptions, StudyHosts, resolve_workloads, run_study
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study

text = Path(sys.argv[1]).read_text()
study = parse_study(text, "small.toml")
results = Results.open_or_create(Path(sys.argv[2]), text, {}, {}, study_name=study.name)
home = ApartHome(Path(sys.argv[3]), Path(sys.argv[4]))

compared, holds = [], [sys.argv[6]]

def tell(event):
    name, phase = type(event).__name__, getattr(event, "phase", "")
    if name == "ResultsCompared":
        compared.extend(event.comparison.unknown.values())
    print(json.dumps({"event": name, "phase": phase, "at_s": time.monotonic()}), flush=True)
    if holds[0] in (name, f"{name} {phase}"):
        holds[0] = ""
        sys.stdin.readline()

options = RunOptions(retry=RetryChoice(failed=sys.argv[5] == "retry"), auditor=auditor("never"))
try:
    plan = make_plan(study, resolve_workloads(study, LocalHost(), find_generator()))
    outcome = run_study(study, plan, results, StudyHosts(LocalHost(), home), tell, options)
    end = {"interrupted": outcome.interrupted, "complete": outcome.complete, "compared": compared}
except (DbdynoError, OSError) as error:  # as the program does
    end = {"error": str(error)}
print(json.dumps({"event": "end", **end}), flush=True)
"""
SERVERS = ("mariadbd", "mysqld")
GENERATOR = ("dbdyno-load",)


@dataclass(frozen=True)
class StudyEvent:
    """An event of the lab, and when by the monotonic clock, which all processes share."""

    name: str
    phase: str
    at_s: float

    def __str__(self) -> str:
        return f"{self.name}: {self.phase}" if self.phase else self.name


@dataclass(frozen=True)
class Child:
    """A child of a study: it stays the same process, whatever pids are given out again."""

    pid: int
    words: tuple[str, ...]
    descriptor: int

    def strike(self, number: signal.Signals) -> bool:
        """Send a signal; whether the process lived, and a stopped one has stopped."""
        try:
            if _state(self.pid) == "Z":
                return False
            signal.pidfd_send_signal(self.descriptor, number)
        except ProcessLookupError:
            return False
        deadline = time.monotonic() + 5
        wanted = "T" if number == signal.SIGSTOP else "ZX"
        while (state := _state(self.pid)) not in wanted and time.monotonic() < deadline:
            time.sleep(0.005)
        return state in wanted


@dataclass
class DrivenStudy:
    """A study under way. `events` are those read so far; `end` is what it ended with."""

    process: subprocess.Popen[str]
    events: list[StudyEvent] = field(default_factory=list)
    end: Mapping[str, Any] = field(default_factory=dict)

    def until(self, event: str, phase: str = "") -> bool:
        """Read on to an event; False when the study ends before."""
        for found in self._read():
            if found.name == event and phase in ("", found.phase):
                return True
        return False

    def release(self) -> None:
        """Let it go on from the event at which it is held."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write("\n")
            self.process.stdin.flush()

    def to_its_end(self) -> Mapping[str, Any]:
        """Read on to the end and wait for the process."""
        for _ in self._read():
            pass
        self.process.wait(10)
        return self.end

    def phase_at(self, at_s: float) -> str:
        """Say which phase was under way at a time, of those whose events were read."""
        return str([event for event in self.events if event.at_s <= at_s][-1])

    def child(self, names: tuple[str, ...], timeout_s: float = 5.0, other_than: int | None = None) -> Child | None:
        """Find a child that runs one of these programs, as soon as there is one."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and self.process.poll() is None:
            for pid, parent, words in _processes():
                is_named = any(Path(word).name in names for word in words[:4])
                if parent == self.process.pid and is_named and pid != other_than:
                    with suppress(ProcessLookupError):
                        return Child(pid, tuple(words), os.pidfd_open(pid))
            time.sleep(0.02)
        return None

    def _read(self) -> Iterator[StudyEvent]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            row = json.loads(line)
            if row["event"] == "end":
                self.end = row
            else:
                self.events.append(StudyEvent(row["event"], row["phase"], row["at_s"]))
                yield self.events[-1]


@contextmanager
def driven(
    study: Path, results: Path, home: Home, *, retry: bool = False, launcher: Sequence[str] = (), hold: str = ""
) -> Iterator[DrivenStudy]:
    """Start a study file, by a launcher that becomes it; whatever is left of it at the end of the block is killed.

    Parameters
    ----------
    hold : the event, or the event and its phase, at which it waits for `release`
    """
    argv = [*launcher, sys.executable, "-c", _DRIVER, str(study), str(results), str(home.root), str(home.run.parent)]
    process = subprocess.Popen(
        [*argv, "retry" if retry else "", hold],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])},
    )
    try:
        with process:
            yield DrivenStudy(process)
            process.kill()
    finally:
        for pid in left_servers(home):
            os.kill(pid, signal.SIGKILL)


def left_servers(home: Home) -> list[int]:
    """Pids of servers started from this home."""
    return [pid for pid, _, words in _processes() if any(f"--defaults-file={home.run}" in word for word in words)]


def _state(pid: int) -> str:
    """Its state as in ps; X where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def _processes() -> Iterator[tuple[int, int, list[str]]]:
    """Pid, parent and words of each process."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        yield int(entry.name), int(stat[stat.rindex(")") + 2 :].split()[1]), words
