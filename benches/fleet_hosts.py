"""Run a study of equal targets on three benches, one of them slower; switch one off and kill the command meanwhile.

    python benches/fleet_hosts.py                  prints; some 15 minutes
    python benches/fleet_hosts.py --cells 6
    python benches/fleet_hosts.py --write          and writes docs/measurements/fleet-hosts.md

The benches are namespaces of this machine, see tests/remote_hosts.py: each has its own network, processes and sshd.
Servers and clients of one are stopped for 8 ms of each 100 ms. The targets differ in the size of the redo log alone,
and the workload only reads. Needs root and sshd. All share the processors, so that a bench disturbs the others more
than machines of their own would.

The bar: at most one of 20 comparisons is called different, and no run is lost or made twice: runs, order and seeds are
those of one machine.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from dbdyno.analyse import compare_targets, judge_cells  # noqa: E402 - after the path of the hosts of the tests
from dbdyno.core import Home, Run, RunRecord, parse_engine_name  # noqa: E402
from dbdyno.hosts import LocalHost  # noqa: E402
from dbdyno.plan import make_plan  # noqa: E402
from dbdyno.provision import provision  # noqa: E402
from dbdyno.store import FolderCheck, StoredStudy  # noqa: E402
from dbdyno.study import parse_study  # noqa: E402
from network_host import inside  # noqa: E402
from remote_hosts import RemoteMachine, remote_machines, wait_for_sshd  # noqa: E402

PAGE = ROOT / "docs" / "measurements" / "fleet-hosts.md"
ENGINE = "mariadb:11.8"
BENCHES = {"a": "db1", "b": "db2", "c": "db3"}
SLOW, LOST = "c", "b"
PERIOD_S, STOPPED_S = 0.100, 0.008
FALSE_SHARE = 0.05
STUDY = f"""\
name = "equal"
[[target]]
name = "one"
engine = "{ENGINE}"
settings = {{"redo.capacity" = "64MB"}}
[[target]]
name = "other"
engine = "{ENGINE}"
settings = {{"redo.capacity" = "128MB"}}
[workload]
name = "sysbench/oltp_point_select"
tables = 1
table_size = 10000
[axes]
tier = "64MB"
concurrency = CONNECTIONS
[pacing]
think = "20ms"
[measure]
warm_up = "1s"
window = "4s"
settle = "0s"
repeats = 3
equivalence_events = 0
[timeouts]
path = "2s"
"""


def main() -> int:
    """Run the bench; 1 if the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=20, help="numbers of connections, from 1 on")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    choices = parser.parse_args()
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    text = STUDY.replace("CONNECTIONS", str(list(range(1, choices.cells + 1))))
    benches = "".join(
        f'[hosts.{host}]\nssh = "bench@{host}"\n[bench.{bench}]\nserver = "{host}"\n' for bench, host in BENCHES.items()
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dbdyno-fleet-hosts-") as name:
        folder = Path(name)
        (folder / "hosts").mkdir()
        (folder / "study.toml").write_text(text + benches)
        with remote_machines(folder / "hosts", *BENCHES.values()) as machines:
            by_bench = dict(zip(BENCHES, machines, strict=True))
            with _slowed(by_bench[SLOW]):
                disturbed = _disturbed_study(folder, by_bench[LOST], 2 * choices.cells)
        stored = StoredStudy.open(folder / "out", check=FolderCheck(is_full=True))
        lines, is_held = _judged(stored, make_plan(parse_study(text, "alone.toml")).runs)
        speeds = _speeds(stored.records())
    took_min = (time.monotonic() - began) / 60
    page = "\n".join([*disturbed, "", *lines, "", *speeds, f"\nAll of it took {took_min:.0f} minutes."])
    print(page)
    if choices.write:
        PAGE.write_text(_page(page))
    return 0 if is_held else 1


@contextlib.contextmanager
def _slowed(machine: RemoteMachine) -> Iterator[None]:
    """Stop what runs on a host, but for its agent, in each period; so all takes longer by a known share."""
    ended = threading.Event()

    def stop_and_continue() -> None:
        while not ended.wait(PERIOD_S - STOPPED_S):
            working = [pid for pid, words in machine.processes().items() if "agent --home" not in words]
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for pid in working:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
                time.sleep(STOPPED_S if number == signal.SIGSTOP else 0)

    thread = threading.Thread(target=stop_and_continue)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _disturbed_study(folder: Path, lost: RemoteMachine, runs: int) -> list[str]:
    """Run the study; a bench loses its power after a third of its runs, the command is killed after some more."""

    def stored_runs() -> int:
        return len(list((folder / "out/runs").glob("[!.]*")))

    words = []
    study = _start(lost, folder)
    for count, what in ((runs // 2, "bench"), (3 * runs // 4, "command")):
        while stored_runs() < count and study.poll() is None:
            time.sleep(0.1)
        if study.poll() is not None:
            raise SystemExit(f"the study ended before its {what} was lost: {_last_words(folder)}")
        if what == "bench":
            lost.power_off()
            words.append(f"Bench {LOST} lost its power when {stored_runs()} of {3 * runs} runs were stored.")
        else:
            study.kill()
            study.wait()
            words.append(f"The command was killed when {stored_runs()} were.")
    lost.boot()
    wait_for_sshd(lost)  # its neighbours learn its hardware address anew
    study = _start(lost, folder)
    if study.wait(3600):
        raise SystemExit(_last_words(folder))
    return [*words, "The bench was switched on again, and the same command continued to the end."]


def _start(machine: RemoteMachine, folder: Path) -> subprocess.Popen[bytes]:
    words = ["run", str(folder / "study.toml"), "--force", "--allow-unlike", "-o", str(folder / "out")]
    argv = [*inside(machine.switch), sys.executable, "-m", "dbdyno", *words]
    with (folder / "log").open("ab") as log:
        env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)


def _last_words(folder: Path) -> str:
    return (folder / "log").read_text()[-3000:]


def _digest(runs: Sequence[Run]) -> str:
    """Return a digest of runs in their order, with their seeds."""
    return hashlib.sha256("\n".join(f"{run.run_id} {run.seed}" for run in runs).encode()).hexdigest()[:16]


def _judged(stored: StoredStudy, alone: Sequence[Run]) -> tuple[list[str], bool]:
    """Return what became of runs and comparisons, and whether the bar is held."""
    records = stored.records()
    digests = _digest([record.run for record in records]), _digest(alone)
    finished = Counter(entry.facts["run_id"] for entry in stored.journal() if entry.event == "run-finished")
    statuses = Counter(record.status for record in records)
    twice = [run_id for run_id, count in finished.items() if count > 1]
    pairs = compare_targets(judge_cells(records))
    verdicts = Counter(pair.verdict for pair in pairs)
    is_whole = digests[0] == digests[1] and not twice and {run.run_id for run in alone} == finished.keys()
    counts = ", ".join(f"{count} {status}" for status, count in statuses.items())
    lines = [
        f"- Runs: {len(records)} of {len(alone)} ({counts}); finished more than once: {len(twice)}.",
        f"- Digest of runs in their order, with seeds: `{digests[0]}`; of the plan for one machine: `{digests[1]}`.",
        f"- Comparisons of the two equal targets: {len(pairs)}. "
        + ", ".join(f"{verdict}: {count}" for verdict, count in sorted(verdicts.items()))
        + ".",
    ]
    return lines, is_whole and verdicts["different"] <= FALSE_SHARE * len(pairs) and statuses["failed"] == 0


def _speeds(records: Sequence[RunRecord]) -> list[str]:
    """Return runs of each bench, and its speed against that of all in the same cells."""
    by_cell: defaultdict[int, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if record.figures is not None and record.figures.tps_mean is not None:
            by_cell[record.run.cell.concurrency][record.bench].append(record.figures.tps_mean)
    lines = ["| bench | runs | throughput, against the mean of the benches in the same cells |", "|---|---|---|"]
    for bench in BENCHES:
        ratios = []
        for tps in by_cell.values():
            if bench in tps and len(tps) > 1:
                means = {name: sum(values) / len(values) for name, values in tps.items()}
                ratios.append(means[bench] / (sum(means.values()) / len(means)))
        mean = f"{sum(ratios) / len(ratios):.3f} (in {len(ratios)} cells)" if ratios else "no cell with another"
        slower = f", stopped for {1e3 * STOPPED_S:.0f} of each {1e3 * PERIOD_S:.0f} ms" if bench == SLOW else ""
        lines.append(f"| {bench}{slower} | {sum(record.bench == bench for record in records)} | {mean} |")
    return lines


def _page(text: str) -> str:
    when, load = datetime.datetime.now(datetime.UTC), os.getloadavg()[0]
    return f"""\
# Three benches, one of them slower

Written by `python benches/fleet_hosts.py --write` on {when:%Y-%m-%d}, on one machine with {os.cpu_count()} processors
(load average {load:.0f} at the end). Three benches in namespaces ran a study of two equal targets in three rounds; each
bench makes whole rounds. One of them is slower all the time, one loses its power, and the command is killed.

{text}
"""


if __name__ == "__main__":
    sys.exit(main())
