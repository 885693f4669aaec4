"""A client that is kept from the processor is found out, a healthy one is left alone.

Both do the same: 320 connections against a null server that takes 5 ms a statement, about 60,000 statements a second,
some 30 % of what one worker can do. The throttled one runs in a control group that may use 30 % of a processor; at
this load it needs more, because each statement costs it a sleep and a wake-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from rounds import ROUNDS

from dbdyno.core import Cell, Run
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator
from dbdyno.measure import LoadGenerator, LoadOrder, MeasuredRun, measure_run
from dbdyno.measure.client import Calibration, calibrate, null_server
from dbdyno.study import parse_study

RUNS = 20 if ROUNDS > 1 else 8  # of each client; make attack has the full number
MISSES = 1
QUOTA = 0.3
PERIOD_US = 100_000
FAVOURED = {"cpu.shares": "262144", "cpu.weight": "10000"}
LIMITED = {
    "cpu.cfs_period_us": str(PERIOD_US),
    "cpu.cfs_quota_us": str(round(QUOTA * PERIOD_US)),
    "cpu.max": f"{round(QUOTA * PERIOD_US)} {PERIOD_US}",
}
PLACES = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))
STUDY = parse_study(
    """
    targets = ["mysql:9.7"]
    workload.name = "oltp_point_select"
    axes = {tier = "64MB", concurrency = 320}
    measure = {warm_up = "0s", window = "2s"}
    pinning = {server = "0", client = "1"}
    """,
    "throttled.toml",
)

pytestmark = pytest.mark.truth


class Undying:
    """The null server, as far as measuring wants to know it."""

    def exit_reason(self) -> str | None:
        return None

    def hang_reason(self, quiet_s: float = 0.0) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class Generators:
    """The load generator behind scripts that first enter a control group: one with and one without a quota.

    Both groups are favoured over all else on the machine, so that what else it does throttles neither.
    """

    healthy: Path
    throttled: Path


@pytest.fixture(scope="module")
def generators(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generators]:
    place = next((place for place in PLACES if _is_writable(place)), None)
    if place is None:
        pytest.skip("no control group with a processor quota can be made here (needs root and the cpu controller)")
    folder = tmp_path_factory.mktemp("generators")
    with ExitStack() as groups:
        parent = groups.enter_context(_group(place / "dbdyno-truth", FAVOURED))
        if (parent / "cgroup.subtree_control").exists():
            (parent / "cgroup.subtree_control").write_text("+cpu")
        healthy = groups.enter_context(_group(parent / "healthy", {}))
        throttled = groups.enter_context(_group(parent / "throttled", LIMITED))
        yield Generators(_script(folder / "healthy", healthy), _script(folder / "throttled", throttled))


def _is_writable(place: Path) -> bool:
    """Whether a group made there can have a quota."""
    try:
        with _group(place / "dbdyno-truth-tried", LIMITED) as group:
            return any((group / name).exists() for name in LIMITED)
    except OSError:
        return False


@contextmanager
def _group(group: Path, values: Mapping[str, str]) -> Iterator[Path]:
    """A control group; of the values those are set whose file it has, as it is of version 1 or 2."""
    group.mkdir()
    try:
        for name, text in values.items():
            if (group / name).exists():
                (group / name).write_text(text)
        yield group
    finally:
        group.rmdir()


def _script(path: Path, group: Path) -> Path:
    path.write_text(f'#!/bin/sh\necho $$ > {group}/cgroup.procs && exec {find_generator()} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def known(generators: Generators) -> Calibration:
    return calibrate(LocalHost(), generators.healthy, quick=True)


def _measured(generator: Path, target: dict[str, object], seed: int, known: Calibration) -> MeasuredRun:
    run = Run(Cell("mysql:9.7", 64 << 20, 320, "sysbench/oltp_point_select", "socket"), 1, 0, seed, "")
    curve = known.curve("socket", "sysbench/oltp_point_select")
    order = LoadOrder(run, STUDY, target, workers=1)
    return measure_run(order, Undying(), LoadGenerator(LocalHost(), generator, curve), lambda row: None)


def test_a_throttled_client_is_found_out_and_a_healthy_one_is_not(generators: Generators, known: Calibration) -> None:
    throttled: list[MeasuredRun] = []
    healthy: list[MeasuredRun] = []
    with null_server(LocalHost(), generators.healthy, (0,), ["--delay", "exponential:5ms", "--seed", "7"]) as targets:
        for seed in range(1, RUNS + 1):
            healthy.append(_measured(generators.healthy, targets["socket"], seed, known))
            throttled.append(_measured(generators.throttled, targets["socket"], seed, known))
    seen = [(_words(left), _words(right)) for left, right in zip(healthy, throttled, strict=True)]
    assert sum(_is_bound(run) for run in throttled) >= RUNS - MISSES, seen
    assert sum(_is_bound(run) for run in healthy) <= MISSES, seen
    # The quota took something away: otherwise nothing was tested.
    assert _median_tps(throttled) < 0.9 * _median_tps(healthy), seen


def _is_bound(run: MeasuredRun) -> bool:
    flagged = any(caveat.code == "client-bound" for caveat in run.judgement.caveats)
    assert flagged == (run.figures.client_use is not None and run.figures.client_use.is_bound)
    return flagged and run.judgement.status == "suspect"


def _words(run: MeasuredRun) -> str:
    use = run.figures.client_use
    return f"{run.figures.total.tps_mean or 0:.0f}/s " + (f"{use.share:.2f} by {use.basis}" if use else "no use")


def _median_tps(runs: list[MeasuredRun]) -> float:
    return sorted(run.figures.total.tps_mean or 0.0 for run in runs)[len(runs) // 2]
