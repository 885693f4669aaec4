"""What it takes to import a large tree of sysbench logs, beside a plain read of the same bytes.

    python benches/import_tree.py --logs percona-2026                     34 copies, about 1 GB
    python benches/import_tree.py --logs percona-2026 --copies 1          the archive as it is
    python benches/import_tree.py --tree /var/tmp/tree --keep             make the tree once, use it again

The tree holds copies of the logs of an unpacked archive, each with its own number of line feeds at the end, so that
every one counts as a repeat and none as a copy. Wall time is that of the machine as it is; CPU is user and system time
of all processes, from the kernel when they are reaped; memory is the largest sum of the resident memory of all
processes, pages that they share counted for each. Held with the full tree: 90 s and 2 GB, else it ends with 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATTERN = "c{repeat}/benchmark_logs/{engine}/{version}/Tier{tier:GB}G_RW_{threads}th.sysbench.txt"
LOG_NAMES = "Tier*_RW_*th.sysbench.txt"
COPIES, MOST_WALL_S, MOST_BYTES = 34, 90.0, 2_000_000_000
READ = "import pathlib, sys\nfor p in pathlib.Path(sys.argv[1]).rglob('*'):\n    p.is_file() and p.read_bytes()\n"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program took."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    code: int


def main() -> None:
    """Make the tree, read it, import it, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--logs", type=Path, help="the unpacked archive percona-2026; with --tree only to make it")
    parser.add_argument("--copies", type=int, default=COPIES)
    parser.add_argument("--tree", type=Path, help="where the tree is or is made (default: a folder that is removed)")
    parser.add_argument("--keep", action="store_true", help="leave the results folder beside the tree")
    choices = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dbdyno-bench-", dir="/var/tmp") as scratch:
        tree = choices.tree or Path(scratch) / "tree"
        if not tree.is_dir():
            make_tree(choices.logs, tree, choices.copies)
        sys.exit(_measured(tree, tree.with_name(f"{tree.name}-results"), keep=choices.keep))


def make_tree(logs: Path | None, tree: Path, copies: int) -> None:
    """Copies of all logs, told apart by line feeds at their ends, and of what lies beside them."""
    if logs is None or not (logs / "benchmark_logs").is_dir():
        sys.exit("error: no logs\nhint: give the unpacked archive percona-2026 by --logs")
    for number in range(1, copies + 1):
        target = tree / f"c{number}"
        shutil.copytree(logs, target, ignore=shutil.ignore_patterns(LOG_NAMES))
        for log in logs.rglob(LOG_NAMES):
            (target / log.relative_to(logs)).write_bytes(log.read_bytes() + b"\n" * (number - 1))


def _measured(tree: Path, results: Path, *, keep: bool) -> int:
    files = [path for path in tree.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files):,} files, {size / 1e6:,.0f} MB; load average {os.getloadavg()[0]:.1f}")
    python = [sys.executable, "-c", READ, str(tree)]
    cost_of(python)  # the tree is in the page cache from here on
    plain = cost_of(python)
    program = Path(sys.executable).with_name("dbdyno")
    command = [str(program), "import", "sysbench", str(tree), "-o", str(results), "--quiet"]
    shutil.rmtree(results, ignore_errors=True)
    found = cost_of([*command, "--pattern", PATTERN, "--set", "workload=oltp_read_write"])
    runs = sum(1 for _ in (results / "runs").iterdir()) if (results / "runs").is_dir() else 0
    if not keep:
        shutil.rmtree(results, ignore_errors=True)
    for name, cost in (("plain read", plain), ("import", found)):
        print(f"{name:<12}{cost.wall_s:8.1f} s{cost.cpu_s:8.1f} s CPU{cost.peak_bytes / 1e6:8.0f} MB")
    print(
        f"{runs:,} runs, {1e3 * found.cpu_s / max(runs, 1):.2f} ms CPU each; {found.cpu_s / plain.cpu_s:.0f} x the read"
    )
    if found.code not in (0, 1):  # 1: a line here and there is not a whole one, as in the archive itself
        print(f"the import ended with {found.code}")
    return int(found.wall_s > MOST_WALL_S or found.peak_bytes > MOST_BYTES or found.code not in (0, 1))


def cost_of(argv: list[str]) -> Cost:
    """What a program and all that it starts took."""
    began = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, start_new_session=True)
    watch = _Memory(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.monotonic() - began
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, max(watch.ended(), usage.ru_maxrss * 1024), process.returncode)


class _Memory:
    """The largest sum of the resident memory of a session's processes, seen four times a second."""

    def __init__(self, session: int) -> None:
        self._session, self._peak, self._end = session, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def ended(self) -> int:
        self._end.set()
        self._thread.join()
        return self._peak

    def _watch(self) -> None:
        while not self._end.wait(0.25):
            self._peak = max(self._peak, sum(self._resident(folder) for folder in Path("/proc").glob("[0-9]*")))

    def _resident(self, folder: Path) -> int:
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == self._session:
                return int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        return 0


if __name__ == "__main__":
    main()
