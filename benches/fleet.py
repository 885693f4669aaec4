"""Simulate a study on several benches with dbdyno's own dealing: how long it takes, and what unlike benches do to it.

    python benches/fleet.py                              studies/percona-2026.toml; prints
    python benches/fleet.py --from results/first         runs vary as those of these results do
    python benches/fleet.py --write                      and writes docs/measurements/fleet.md

Nothing is measured: runs take as long as `dbdyno plan` expects, times a factor drawn from recorded runs. Which bench
makes which runs, and which cells are repeated, is decided by the code that decides it in a study. Two cores can't show
what sixteen machines gain, and equal targets on benches of known speed can be had for certain only on paper.
"""

from __future__ import annotations

import argparse
import datetime
import heapq
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dbdyno.analyse import compare_targets, judge_cells
from dbdyno.cli._plan import full_plan
from dbdyno.core import Run, RunRecord, RunSpan, TotalFigures
from dbdyno.hosts import LocalHost
from dbdyno.plan import Plan, make_plan, next_piece, pieces, pieces_left
from dbdyno.stats import ASSUMED_VARIATION
from dbdyno.store import StoredStudy
from dbdyno.study import BenchChoice, Study, parse_study, read_study

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "fleet.md"
STUDY = ROOT / "studies" / "percona-2026.toml"
COUNTS = (1, 2, 3, 4, 6, 8, 12, 16)
SPREAD = 0.012
"""Between repeats of a cell, on the scale ln(TPS), as plans assume it."""
NOISE = 0.003
"""Of a window's mean, likewise."""
STUDIES = 200
EQUAL = """
targets = ["mariadb:11.8", "mysql:9.7"]
workload = {name = "oltp_read_write", tables = 1, rows = 50000}
axes = {tier = ["64MB", "512MB"], concurrency = [1, 4, 16, 64]}
measure = {warm_up = "10s", window = "60s", repeats = 3, equivalence_events = 0}
"""
Factors = Callable[[], float]


@dataclass(frozen=True)
class Simulated:
    """A study that was dealt on paper."""

    records: tuple[RunRecord, ...]
    busy_s: Mapping[str, float]
    makespan_s: float


def simulate(
    study: Study, runs: Sequence[Run], run_s: float, factor: Factors, tps: Callable[[Run, str], float], prepare_s: float
) -> Simulated:
    """Have the benches of a study make its runs, each taking the next piece when it is free."""
    benches = [bench.name for bench in study.benches]
    divided = pieces(study, runs, len(benches))
    records: dict[str, RunRecord] = {}
    busy_s: defaultdict[str, float] = defaultdict(float)
    ends: list[tuple[float, str]] = [(0.0, bench) for bench in benches]
    under_way: dict[str, str] = {}
    idle: list[str] = []
    pending: dict[str, list[RunRecord]] = {}
    now = 0.0
    while ends:
        now, bench = heapq.heappop(ends)
        under_way.pop(bench, None)
        records.update({record.run.run_id: record for record in pending.pop(bench, [])})
        idle.append(bench)
        for free in list(idle):
            left = [one for one in pieces_left(study, divided, records) if one.key not in under_way.values()]
            piece = next_piece(left, free, [other for other in benches if other != free])
            if piece is None:
                continue
            idle.remove(free)
            under_way[free] = piece.key
            took_s = sum(run_s * factor() for _ in piece.runs) + (0.0 if busy_s[free] else prepare_s)
            busy_s[free] += took_s
            pending[free] = [_record(run, free, tps(run, free), now + took_s) for run in piece.runs]
            heapq.heappush(ends, (now + took_s, free))
    return Simulated(tuple(records.values()), busy_s, now)


def _record(run: Run, bench: str, tps: float, ended_s: float) -> RunRecord:
    return RunRecord(
        run,
        "mysql",
        "1",
        "innodb",
        "good",
        figures=TotalFigures(window_s=60.0, tps_mean=tps, tps_half_width=2 * NOISE * tps),
        span=RunSpan(ended_ns=round(ended_s * 1e9) + 1),
        bench=bench,
    )


def with_benches(study: Study, count: int) -> Study:
    """The study on so many benches."""
    return replace(study, benches=tuple(BenchChoice(f"b{number}") for number in range(1, count + 1)))


def makespans(study: Study, plan: Plan, factor: Factors, generator: np.random.Generator) -> list[list[str]]:
    """A row for each count of benches: makespan, idle share, machine time, repeats of a cell."""
    run_s, prepare_s = plan.budget.run_ns / 1e9, plan.budget.prepare_ns / 1e9
    rows: list[list[str]] = []
    first_s = 0.0
    for count in COUNTS:
        found = simulate(
            with_benches(study, count),
            plan.runs,
            run_s,
            factor,
            lambda run, bench: 100 * float(np.exp(generator.normal(0, SPREAD))),
            prepare_s,
        )
        first_s = first_s or found.makespan_s
        used = len(found.busy_s)
        total_s = sum(found.busy_s.values())
        idle = 1 - total_s / (used * found.makespan_s)
        rows.append(
            [
                f"{count}",
                f"{used}",
                f"{found.makespan_s / 3600:.1f} h",
                f"{first_s / found.makespan_s:.2f}",
                f"{100 * idle:.0f} %",
                f"{total_s / 3600:.0f} h",
                f"{len(found.records):,}",
            ]
        )
    return rows


def verdicts(speeds: Sequence[float], gap: float, generator: np.random.Generator) -> tuple[int, int, int, float]:
    """How often equal targets, or targets apart by a share, are called different on benches of these speeds.

    Returns
    -------
    comparisons; different; slightly different; largest error of a cell's level because of its benches, as a share
    """
    study = with_benches(parse_study(EQUAL, "equal.toml"), len(speeds))
    speed = dict(zip((bench.name for bench in study.benches), speeds, strict=True))
    slower = study.targets[1].name
    runs = make_plan(study).runs
    counts: Counter[str] = Counter()
    worst = 0.0
    for _ in range(STUDIES):
        places = {run.cell.concurrency: float(np.exp(generator.normal(0, 0.5))) for run in runs}

        def tps(run: Run, bench: str, places: Mapping[int, float] = places) -> float:
            level = 1000 * places[run.cell.concurrency] * (1 - gap * (run.cell.target == slower))
            return level * speed[bench] * float(np.exp(generator.normal(0, SPREAD)))

        found = simulate(study, runs, 80.0, lambda: float(np.exp(generator.normal(0, 0.05))), tps, 60.0)
        judged = judge_cells(found.records)
        counts.update(pair.verdict for pair in compare_targets(judged))
        for cell in judged:
            factors = [speed[record.bench] for record in cell.runs]
            worst = max(worst, abs(float(np.mean(factors)) / float(np.mean(speeds)) - 1))
    return counts.total(), counts["different"], counts["slightly different"], worst


def recorded_factors(folder: Path | None, generator: np.random.Generator) -> tuple[Factors, str]:
    """Draws of how long a run takes against the average one, and what they rest on."""
    if folder is None:
        return lambda: float(np.exp(generator.normal(0, 0.05))), "runs were drawn with a spread of 5 %"
    records = [record for record in StoredStudy.open(folder).records() if record.status == "good"]
    took = np.array([record.span.ended_ns - record.span.started_ns for record in records], dtype=float)
    factors = took / took.mean()
    words = f"runs vary as {len(records)} recorded ones do ({factors.min():.2f} to {factors.max():.2f} of their mean)"
    return lambda: float(generator.choice(factors)), words


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows in Markdown."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def main() -> int:
    """Run the simulation; 1 if more than a twentieth of equal targets are called different."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="results", type=Path, help="results folder whose runs' lengths are drawn")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    choices = parser.parse_args()
    generator = np.random.default_rng(20)
    factor, basis = recorded_factors(choices.results, generator)
    study = read_study(STUDY)
    plan = full_plan(study, LocalHost(), ASSUMED_VARIATION)
    fixed = replace(study, repeats=3, repeats_max=None)
    titles = ["benches", "used", "makespan", "times as fast", "idle", "machine time", "runs"]
    parts = [
        "As published: repeated until sure, so a workload and memory size stays on one bench\n",
        table(titles, makespans(study, plan, factor, generator)),
        "\nThree repeats of each cell: more benches than workloads and memory sizes share its rounds\n",
        table(titles, makespans(fixed, full_plan(fixed, LocalHost(), ASSUMED_VARIATION), factor, generator)),
    ]
    rows, is_held = [], True
    for speeds in ((1.0, 1.0, 1.0), (1.0, 1.0, 0.97), (1.0, 1.0, 0.92), (1.0, 0.97), (1.0, 0.92)):
        for gap in (0.0, 0.05):
            total, different, slightly, worst = verdicts(speeds, gap, generator)
            is_held &= gap > 0 or (different + slightly) / total <= 0.05
            shares = [f"{100 * count / total:.1f} %" for count in (different, slightly)]
            words = ", ".join(f"{speed:.2f}" for speed in speeds)
            rows.append([words, f"{100 * gap:.0f} %", f"{total:,}", *shares, f"{100 * worst:.1f} %"])
    titles = [
        "speeds of the benches",
        "true gap",
        "comparisons",
        "different",
        "slightly different",
        "levels off by at most",
    ]
    parts += ["\nTwo targets on unlike benches, three rounds, spread between repeats 1.2 %\n", table(titles, rows)]
    text = "\n".join(parts)
    print(text)
    if choices.write:
        PAGE.write_text(_page(text, basis))
    return 0 if is_held else 1


def _page(text: str, basis: str) -> str:
    when = datetime.datetime.now(datetime.UTC)
    return f"""\
# Several benches, simulated

Written by `python benches/fleet.py --write` on {when:%Y-%m-%d}. Nothing is measured here: runs are as
long as `dbdyno plan` expects, and the code that deals the runs of a study deals them; {basis}.
The study is [the published matrix](../guides/published-studies.md).

{text}
"""


if __name__ == "__main__":
    sys.exit(main())
