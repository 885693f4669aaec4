"""A long run with everything that makes a client grow: its memory stays flat and no connection is lost for good.

usage: .venv/bin/python benches/soak.py [--minutes 60] [--connections 1000] [--rate 300] [--pause 60:3.5]...

The load is sysbench's oltp_read_write at a fixed rate against a null server that fails as a busy one does: each
statement takes some milliseconds, one in two thousand ends in a deadlock or a lock wait timeout, one in ten thousand
loses its connection, and once a minute no reply leaves for a second, so that a backlog grows and goes. Each second the
memory, the open files and the threads of the load generator are read from /proc. `--pause 60:3.5` stops the load
generator at second 60 for 3.5 s, as a busy machine does: what such a second leaves in memory shows within minutes.

Held: in the second half the memory grows by less than GROWTH_SHARE and GROWTH_BYTES (Theil-Sen slope times the length
of the half, so that one step of the allocator does not decide); open files and threads do not grow; at the end all
connections are open, nothing waits but what fell due just now, nothing was given up, and every event is accounted for.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from dbdyno.lab import find_generator

GROWTH_SHARE, GROWTH_BYTES = 0.01, 256 << 10
LATE_S = 0.05
"""What falls due so shortly before the end may not be sent: the client waited for a processor, and none is stuck."""
FAULTS = ["--delay", "exponential:2ms", "--errors", "1213:0.04%,1205:0.01%", "--drop", "0.01%", "--stall", "1s/60s"]
REPEATED = "1213,1205,2006,2013"
BARS = "▁▂▃▄▅▆▇█"
ROWS = 20
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """The process at one instant."""

    second: float
    resident_bytes: int
    files_count: int
    threads_count: int


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which the load generator is stopped."""

    start_s: float
    length_s: float

    def covers(self, second: float) -> bool:
        """Return whether the load generator is stopped at this second."""
        return self.start_s <= second < self.start_s + self.length_s


def main() -> int:
    """Run, print, and tell by the exit code whether all held."""
    choices = _choices()
    with tempfile.TemporaryDirectory(prefix="dbdyno-soak-", dir="/tmp") as name:
        folder = Path(name)
        with _null_server(folder / "s", choices.seed):
            samples, exit_code = _soak(folder, choices)
        seconds, end = _records(folder / "records.jsonl")
    _print_table(samples, seconds)
    print(f"memory {_sparkline([sample.resident_bytes for sample in samples])}")
    print(f"scheduled {end['scheduled']:,} = completed {end['completed']:,} + failed {end['failed']:,} ", end="")
    print(f"+ unsent {end['unsent']:,}; outages {len(end['outages']):,}; CPU {end['process_cpu_ns'] / 1e9:.0f} s")
    wrong = [*_growth(samples), *_stuck(seconds, end, exit_code, choices)]
    print("\n".join(f"not held: {what}" for what in wrong) or "held: memory flat, no connection stuck")
    return int(bool(wrong))


@contextmanager
def _null_server(path: Path, seed: int) -> Iterator[None]:
    argv = [str(find_generator()), "null-server", "--socket", str(path), "--seed", str(seed), *FAULTS]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            if not server.stdout.readline():
                sys.exit("error: the null server did not start")
            yield
        finally:
            server.terminate()


def _soak(folder: Path, choices: argparse.Namespace) -> tuple[list[Sample], int]:
    """Samples of the load generator, a second apart, and its exit code."""
    seconds = round(choices.minutes * 60)
    argv = [str(find_generator()), "run", "sysbench/oltp_read_write", "--socket", str(folder / "s"), "--no-password"]
    argv += ["--threads", str(choices.connections), "--rate", str(choices.rate), "--seed", str(choices.seed)]
    argv += ["--warm-up", "0s", "--time", f"{seconds}s", "--ignore-errors", REPEATED, "--retry-limit", "none"]
    argv += ["--report-interval", "0", "--json-lines", str(folder / "records.jsonl")]
    samples: list[Sample] = []
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as load:
        began = time.monotonic()
        while load.poll() is None:
            second = time.monotonic() - began
            if choices.pause:
                is_stopped = any(pause.covers(second) for pause in choices.pause)
                load.send_signal(signal.SIGSTOP if is_stopped else signal.SIGCONT)
            sample = _sample(load.pid, second)
            if sample is not None:
                samples.append(sample)
                _show_progress(sample, seconds)
            time.sleep(1)
    # The first seconds log in, the last one takes leave.
    return [sample for sample in samples if 5 < sample.second < seconds - 1], load.returncode


def _sample(pid: int, second: float) -> Sample | None:
    process = Path(f"/proc/{pid}")
    try:
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        files = sum(1 for _entry in (process / "fd").iterdir())
        return Sample(second, int(status["VmRSS"].split()[0]) << 10, files, int(status["Threads"]))
    except (OSError, KeyError):
        return None  # it has just ended


def _show_progress(sample: Sample, seconds: int) -> None:
    if sys.stderr.isatty():
        words = f"\r{sample.second:6.0f} of {seconds} s, {sample.resident_bytes / MIB:.2f} MiB "
        print(words, end="", file=sys.stderr, flush=True)


def _records(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What is needed of each second (its histograms are not), and the last record."""
    seconds, end = [], {}
    with path.open() as lines:
        for line in lines:
            record = json.loads(line)
            if record["record"] == "interval":
                seconds.append(_slim(record))
            elif record["record"] == "end":
                end = record
    return seconds, end


def _slim(record: dict[str, Any]) -> dict[str, Any]:
    errors: Counter[str] = Counter()
    for counts in record["statements"].values():
        errors.update(counts["errors"])
    completed = sum(counts["completed"] for counts in record["transactions"].values())
    kept = {name: record[name] for name in ("second", "connections_live", "reconnects", "backlog")}
    return {**kept, "completed": completed, "errors": errors.total()}


def _print_table(samples: Sequence[Sample], seconds: Sequence[dict[str, Any]]) -> None:
    print(f"{'until s':>8} {'memory MiB':>11} {'files':>6} {'threads':>8} {'live':>6} {'tps':>8} ", end="")
    print(f"{'errors':>8} {'reconnects':>11} {'backlog':>8}")
    for part in np.array_split(np.arange(len(seconds)), min(ROWS, len(seconds))):
        rows = [seconds[index] for index in part]
        until_s = rows[-1]["second"] + 1
        before = [sample for sample in samples if sample.second <= until_s] or samples[:1]
        last, count = before[-1], len(rows)
        print(f"{until_s:>8} {last.resident_bytes / MIB:>11.2f} {last.files_count:>6} {last.threads_count:>8} ", end="")
        print(f"{rows[-1]['connections_live']:>6} {sum(row['completed'] for row in rows) / count:>8.1f} ", end="")
        print(f"{sum(row['errors'] for row in rows):>8} {sum(row['reconnects'] for row in rows):>11} ", end="")
        print(f"{max(row['backlog'] for row in rows):>8}")


def _growth(samples: Sequence[Sample]) -> Iterator[str]:
    half = samples[len(samples) // 2 :]
    if len(half) < 30:
        yield f"only {len(half)} samples in the second half: run it for longer"
        return
    instants = np.array([sample.second for sample in half])
    resident = np.array([sample.resident_bytes for sample in half], dtype=np.float64)
    slope, _middle, low, high = stats.theilslopes(resident, instants)
    length_s = float(instants[-1] - instants[0])
    allowed = max(GROWTH_SHARE * float(np.median(resident)), GROWTH_BYTES)
    grown = slope * length_s
    print(f"memory in the second half: {grown / 1024:+.0f} KiB ({low * length_s / 1024:+.0f} to ", end="")
    print(f"{high * length_s / 1024:+.0f}), allowed {allowed / 1024:.0f} KiB")
    if grown > allowed:
        yield f"memory grows by {grown / 1024:.0f} KiB in {length_s:.0f} s, {slope * 3600 / MIB:.2f} MiB an hour"
    for name in ("files_count", "threads_count"):
        values = [getattr(sample, name) for sample in half]
        quarter = max(1, len(values) // 4)
        if np.median(values[-quarter:]) > np.median(values[:quarter]) + 2:
            yield f"{name} grows from {np.median(values[:quarter]):.0f} to {np.median(values[-quarter:]):.0f}"


def _stuck(
    seconds: Sequence[dict[str, Any]], end: dict[str, Any], exit_code: int, choices: argparse.Namespace
) -> Iterator[str]:
    if exit_code or end.get("status") != "complete":
        yield f"the run ended with exit code {exit_code}: {end.get('reason', 'no last record')}"
        return
    if max(second["connections_live"] for second in seconds[-10:]) < choices.connections:
        yield f"only {seconds[-1]['connections_live']} of {choices.connections} connections are open at the end"
    if not sum(second["reconnects"] for second in seconds):
        yield "no connection was lost: nothing was tested"
    if end["failed"] or end["abandoned"] or end["unsent"] > choices.rate * LATE_S:
        yield f"failed {end['failed']}, unsent {end['unsent']}, abandoned {end['abandoned']}: a connection is stuck"
    if end["scheduled"] != end["completed"] + end["failed"] + end["unsent"]:
        yield "events are missing from the account"


def _sparkline(values: Sequence[float], width: int = 60) -> str:
    means = [float(np.mean(part)) for part in np.array_split(np.array(values), min(width, len(values)))]
    low, high = min(means), max(means)
    bars = "".join(BARS[round((value - low) / ((high - low) or 1.0) * (len(BARS) - 1))] for value in means)
    return f"{bars} {low / MIB:.2f} to {high / MIB:.2f} MiB"


def _pause(text: str) -> Pause:
    start_s, length_s = map(float, text.split(":"))
    return Pause(start_s, length_s)


def _choices() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=300, help="events a second, 20 statements each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=_pause, action="append", default=[], metavar="START:SECONDS")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
