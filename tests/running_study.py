"""A small study of one real server, run by the program as a user runs it, for tests that disturb it from outside."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dbdyno.hosts import LocalHost
from dbdyno.lab._session import server_processes

PROGRAM = (sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))")
STUDY = """
name = "disturbed"
targets = ["mariadb:11.8"]
workload = {{name = "oltp_read_write", tables = 1, rows = 2000}}
axes = {{tier = "64MB", concurrency = {cells}}}
pacing = {{rate_per_s = 50}}
measure = {{warm_up = "0s", window = "{window}", repeats = 1, equivalence_events = 0}}
"""


@dataclass
class RunningStudy:
    """`dbdyno run` in a process of its own."""

    folder: Path
    popen: subprocess.Popen[bytes]

    @classmethod
    def start(
        cls,
        place: Path,
        *,
        window: str = "4s",
        cells: int = 2,
        stderr: int | IO[bytes] | None = None,
        environ: Mapping[str, str] = os.environ,
        options: tuple[str, ...] = (),
        output: Path | None = None,
    ) -> RunningStudy:
        study = place / "study.toml"
        study.write_text(STUDY.format(window=window, cells=list(range(1, cells + 1))))
        folder = output or place / "results"
        command = [*PROGRAM, "run", str(study), "-o", str(folder), "--no-calibrate", "--force", *options]
        with (place / "stderr").open("wb") as said:
            popen = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr or said, env=dict(environ))
        return cls(folder, popen)

    def said(self) -> str:
        """What it printed as progress and errors."""
        return (self.folder.parent / "stderr").read_text()

    def wait_for(self, is_so: Callable[[], bool], timeout_s: float = 90.0) -> None:
        """Wait until something is so; a study that ended before fails the test with what it said."""
        until = time.monotonic() + timeout_s
        while not is_so():
            if self.popen.poll() is not None or time.monotonic() > until:
                self.popen.kill()
                raise AssertionError(f"exit code {self.popen.wait()}: {self.said()}")
            time.sleep(0.05)

    def wait_for_second(self, second: int = 2) -> None:
        """Wait until a run is that far in its window."""
        self.wait_for(lambda: any(row["event"] == "second" and row["second"] >= second for row in self.live()))

    def end(self, timeout_s: float = 30.0) -> int:
        return self.popen.wait(timeout_s)

    def live(self) -> list[dict[str, Any]]:
        return rows_of(self.folder / "live.jsonl")

    def journal(self) -> list[str]:
        """Events of the journal, the store's own left out."""
        events = [row["event"] for row in rows_of(self.folder / "journal.jsonl")]
        return [event for event in events if event not in ("stored", "manifest-written")]

    def session(self) -> str:
        """Begins the name of its folder below DBDYNO_HOME/run, which its servers' option files lie in."""
        return f"/run/{self.popen.pid}-"

    def servers(self) -> list[int]:
        return [server.pid for server in server_processes(LocalHost()) if self.session() in str(server.option_file)]

    def generators(self) -> list[int]:
        return [pid for pid in self._programs() if "threads" not in words_of(pid)]

    def watchers(self) -> list[int]:
        """What watches the server's threads."""
        return [pid for pid in self._programs() if "threads" in words_of(pid)]

    def _programs(self) -> list[int]:
        return [pid for pid in children_of(self.popen.pid) if name_of(pid).startswith("dbdyno-load")]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Whole lines of a file of JSON lines; none where there is no file."""
    try:
        lines = path.read_text().split("\n")[:-1]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


def children_of(pid: int) -> list[int]:
    """Its child processes; none when it has ended meanwhile."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(word) for word in task.read_text().split()]
    return found


def words_of(pid: int) -> list[str]:
    """Its command line; empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def name_of(pid: int) -> str:
    """Its program's name; empty when it has ended, whether or not anybody has asked for its exit code."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    name, _, rest = stat.partition(" (")[2].rpartition(") ")
    return "" if rest[0] in "ZX" else name
