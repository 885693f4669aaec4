"""A study in a process of its own, and what happens to it while it runs: signals to it and to its children by phase."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbdyno.core import Home

_DRIVER = """
import json, sys
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

compared = []

def tell(event):
    if type(event).__name__ == "ResultsCompared":
        compared.extend(event.comparison.unknown.values())
    phase = getattr(event, "phase", "")
    print(json.dumps({"event": type(event).__name__, "phase": phase}), flush=True)

options = RunOptions(retry=RetryChoice(failed=sys.argv[5] == "retry"), auditor=auditor("never"))
try:
    plan = make_plan(study, resolve_workloads(study, LocalHost(), find_generator()))
    outcome = run_study(study, plan, results, StudyHosts(LocalHost(), home), tell, options)
    end = {"interrupted": outcome.interrupted, "complete": outcome.complete, "compared": compared}
except DbdynoError as error:
    end = {"error": str(error)}
print(json.dumps({"event": "end", **end}), flush=True)
"""
SERVERS = ("mariadbd", "mysqld")
GENERATOR = ("dbdyno-load",)


@dataclass
class DrivenStudy:
    """A study under way. `events` are those read so far; `end` is what it ended with."""

    process: subprocess.Popen[str]
    events: list[tuple[str, str]] = field(default_factory=list)
    end: Mapping[str, Any] = field(default_factory=dict)

    def until(self, event: str, phase: str = "") -> bool:
        """Read on to an event; False when the study ends before."""
        for name, found in self._read():
            if name == event and phase in ("", found):
                return True
        return False

    def to_its_end(self) -> Mapping[str, Any]:
        """Read on to the end and wait for the process."""
        for _ in self._read():
            pass
        self.process.wait(10)
        return self.end

    def child(self, names: tuple[str, ...], timeout_s: float = 5.0) -> int | None:
        """Pid of a child that runs one of these programs, as soon as there is one."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and self.process.poll() is None:
            for pid, parent, words in _processes():
                if parent == self.process.pid and any(Path(word).name in names for word in words[:4]):
                    return pid
            time.sleep(0.02)
        return None

    def _read(self) -> Iterator[tuple[str, str]]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            row = json.loads(line)
            if row["event"] == "end":
                self.end = row
            else:
                self.events.append((row["event"], row["phase"]))
                yield self.events[-1]


@contextmanager
def driven(
    study: Path, results: Path, home: Home, *, retry: bool = False, launcher: Sequence[str] = ()
) -> Iterator[DrivenStudy]:
    """Start a study file, by a launcher that becomes it; whatever is left of it at the end of the block is killed."""
    argv = [*launcher, sys.executable, "-c", _DRIVER, str(study), str(results), str(home.root), str(home.run.parent)]
    process = subprocess.Popen(
        [*argv, "retry" if retry else ""],
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
