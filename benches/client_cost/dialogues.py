"""Workloads whose statements depend on answers: TPC-C and LinkBench, against a floor that sends the like of them.

The floor cannot read answers, so it is given statements that the workload wrote down beforehand (`dbdyno-load sample`),
values and all, and sends them again and again. Sizes and shapes are then the same on both sides.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from programs import SCHEMA, Run
from quantities import Bench, Quantity

CONNECTIONS = 64
EVENTS = 300
"""Written down for the floor: enough for every kind of statement, few enough to stay in the processor's cache."""
TARGET, LIMIT = 1.3, 1.6


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A workload and its options."""

    words: tuple[str, ...]

    def taken(self, bench: Bench) -> tuple[list[float], str]:
        """CPU time a statement as a multiple of the floor's, a figure a pair."""
        with tempfile.NamedTemporaryFile(prefix="dbdyno-statements-") as script:
            statements = bench.clients.sample(self.words, EVENTS)
            script.write(b"".join(sql.encode() + b"\0" for sql in statements))
            script.flush()
            ours_once = self._ours(bench)
            ours, floors = [], []
            for _ in range(bench.pairs):
                ours.append(ours_once())
                floors.append(bench.clients.replay_floor(bench.server, Path(script.name), CONNECTIONS, bench.seconds))
        floors_us = [floor.us_a_statement for floor in floors]
        medians = [statistics.median(column) for column in ([us for us, _ in ours], floors_us)]
        replies = [run.bytes_received / run.statements for run in (ours[0][1], floors[0])]
        beside = f"{medians[0]:.2f} µs; floor {medians[1]:.2f}; {replies[0]:.0f} and {replies[1]:.0f} bytes a reply"
        return [us / floor_us for (us, _), floor_us in zip(ours, floors_us, strict=True)], beside

    def _ours(self, bench: Bench) -> Callable[[], tuple[float, Run]]:
        """CPU time a statement without the start-up, which is measured now, and the run."""

        def run(limit: str) -> Run:
            return bench.clients.drive(bench.server, self.words, "socket", f"--concurrency={CONNECTIONS}", limit)

        start_us = statistics.median(run("--events=1").cpu_us for _ in range(3))

        def once() -> tuple[float, Run]:
            whole = run(f"--time={bench.seconds}s")
            if whole.statements == 0 or whole.errors:
                raise SystemExit(f"error: {self.words[0]}: {whole.statements} statements, {whole.errors} errors")
            return (whole.cpu_us - start_us) / whole.statements, whole

        return once


def _quantity(key: str, title: str, *words: str) -> Quantity:
    return Quantity(key, f"{title}, socket, {CONNECTIONS}", "x floor", TARGET, LIMIT, Dialogue(words).taken)


DIALOGUES = (
    _quantity("tpcc-sysbench", "TPC-C as sysbench-tpcc", "tpcc/sysbench-tpcc", "--scale=10"),
    _quantity("tpcc-hammerdb", "TPC-C as HammerDB, procedures", "tpcc/hammerdb", "--warehouses=10"),
    _quantity(
        "tpcc-statements", "TPC-C as HammerDB, statements", "tpcc/hammerdb", "--warehouses=10", "--no-stored-procs=on"
    ),
    _quantity("linkbench", "LinkBench", "linkbench", "--maxid1=100001", f"--dbid={SCHEMA}"),
)
