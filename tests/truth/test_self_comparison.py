"""A server compared with itself is not called different, and one that is a tenth slower is found, in every comparison.

Null servers that take a time for each statement which is known; real runs of the load generator against them. The three
are driven at the same time, so that what the machine does meanwhile befalls all alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from pathlib import Path

import pytest

from dbdyno.analyse import judge_self_check
from dbdyno.core import Cell, Run, RunRecord, TotalFigures
from load_runs import POINT_SELECT, LoadRun, RunningLoad
from null_server import NullServer

pytestmark = pytest.mark.truth
COMPARISONS, PAIRS, LANES = 20, 4, 4
DELAYS = {"A": "constant:10ms", "B": "constant:10ms", "slower": "constant:11100us"}


def record(target: str, place: int, repeat: int, run: LoadRun) -> RunRecord:
    done = [sum(counts["completed"] for counts in second["transactions"].values()) for second in run.window]
    cell = Cell(target, 1 << 26, 4, f"reads {place + 1}", "socket")
    tps = sum(done) / sum(second["duration_ns"] for second in run.window) * 1e9
    return RunRecord(
        Run(cell, repeat, 0, 1, ""),
        "mysql",
        "8.0",
        "innodb",
        "good",
        figures=TotalFigures(tps_mean=tps, tps_half_width=0.002 * tps),
    )


@pytest.fixture(scope="module")
def records(truth_folder: Path) -> list[RunRecord]:
    """Of all comparisons, a few at a time: each lane has servers to itself, and they mostly wait."""
    with ThreadPoolExecutor(LANES) as lanes:
        found = lanes.map(lambda lane: one_lane(truth_folder, range(lane, COMPARISONS, LANES)), range(LANES))
        return [record for records in found for record in records]


def one_lane(folder: Path, places: Iterable[int]) -> list[RunRecord]:
    found = []
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(NullServer(folder, "--delay", law, cpu=cpu))
            for cpu, (name, law) in enumerate(DELAYS.items())
        }
        for place, repeat in product(places, range(PAIRS)):
            for name, run in one_round(servers, folder, place * PAIRS + repeat).items():
                found.append(record(name, place, repeat + 1, run))
    return found


def one_round(servers: dict[str, NullServer], folder: Path, seed: int) -> dict[str, LoadRun]:
    arguments = ["--warm-up", "0s", "--time", "1s", "--threads", "4", "--workers", "1", "--report-interval", "0"]
    with ExitStack() as stack:
        loads = {
            name: stack.enter_context(
                RunningLoad(POINT_SELECT, server.target, [*arguments, "--seed", str(seed)], folder, cpu=server.cpu)
            )
            for name, server in servers.items()
        }
        return {name: load.finish(60) for name, load in loads.items()}


def test_at_most_one_of_twenty_comparisons_with_itself_is_called_different(records: list[RunRecord]) -> None:
    alike = judge_self_check([record for record in records if record.run.cell.target != "slower"], "A", "B")
    assert len(alike.comparisons) == COMPARISONS
    assert alike.different <= 1


def test_a_server_a_tenth_slower_is_found_in_twenty_of_twenty(records: list[RunRecord]) -> None:
    found = judge_self_check([record for record in records if record.run.cell.target != "B"], "A", "slower")
    assert found.different == COMPARISONS
    assert all(one.pair.ratio == pytest.approx(0.9, abs=0.03) for one in found.comparisons)
