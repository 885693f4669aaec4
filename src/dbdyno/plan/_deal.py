"""Deals the runs of a study to benches that become free: each takes the largest piece that nobody has begun.

A piece is a work unit; with more benches than work units it is one of its rounds. See `_parts`. Which bench takes which
piece depends on how fast they are, the runs and their order within a piece do not: a study that is gone on with has
the same runs. A piece that a bench has begun is its own as long as the bench is there.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from dbdyno.core import Run, RunRecord
from dbdyno.plan._budget import Budget
from dbdyno.plan._order import ordered_runs, sentinel_run, share_server
from dbdyno.plan._parts import Dealt, block, work_unit
from dbdyno.plan._repeats import further_rounds, noise_share
from dbdyno.study import BenchChoice, Study

MOST_APART = 0.10
"""Benches whose sentinels are further apart than this share are not used together."""
_WATCHED = 3
"""Runs of the sentinel in each piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Holds runs that stay on one bench.

    Parameters
    ----------
    key : the first run of the piece, which names it
    runs : those that are missing, in the order of the study
    bench : which made the latest of its other runs; empty: there are none
    """

    key: str
    runs: tuple[Run, ...]
    bench: str


def pieces(study: Study, runs: Sequence[Run], benches: int) -> list[tuple[Run, ...]]:
    """Divide runs into what stays on one bench, in the order of the study.

    Whether a cell is repeated further depends on all runs of its work unit, so with `repeats_max` those stay together.
    One bench makes all of it, and a sentinel watches the rounds there, not the pieces.
    """
    if benches < 2:
        return [tuple(runs)]
    ordinary = [run for run in runs if not run.is_sentinel]
    units = set(map(work_unit, ordinary))
    key_of = work_unit if benches <= len(units) or study.repeats_max is not None else block
    keys = list(dict.fromkeys(map(key_of, ordinary)))
    runs_by_key: dict[tuple[object, ...], list[Run]] = {key: [] for key in keys}
    for run in runs:
        runs_by_key[keys[(run.repeat - 1) // _WATCHED] if run.is_sentinel else key_of(run)].append(run)
    return [tuple(piece_runs) for piece_runs in runs_by_key.values()]


def planned_runs(study: Study) -> tuple[Run, ...]:
    """Return the runs that are made in any case, in order, with those of the sentinel on the study's benches."""
    runs = ordered_runs(study)
    return _watched_pieces(study, runs) if study.sentinel and len(study.benches) > 1 else runs


def _watched_pieces(study: Study, runs: Sequence[Run]) -> tuple[Run, ...]:
    """Add the runs by which a sentinel watches the benches: first, in the middle and last of each piece.

    Parameters
    ----------
    runs : of the study without sentinels
    """
    places = {run.run_id: place for place, run in enumerate(runs)}
    ordered = [((place, 1), run) for place, run in enumerate(runs)]
    for number, piece_runs in enumerate(pieces(study, runs, len(study.benches))):
        middle = len(piece_runs) // 2
        while middle and share_server(study, piece_runs[middle - 1], piece_runs[middle]):
            middle -= 1
        sentinel_places = [
            ((places[piece_runs[0].run_id], 0), "first"),
            ((places[piece_runs[middle].run_id], 0), "middle"),
        ]
        sentinel_places.append(((places[piece_runs[-1].run_id], 2), "last"))
        for sentinel_number, (place, position_words) in enumerate(sentinel_places, start=1):
            reason = f"sentinel, {position_words} of piece {number + 1}"
            ordered.append((place, sentinel_run(study, _WATCHED * number + sentinel_number, 0, reason)))
    ordered.sort(key=lambda entry: entry[0])
    return tuple(replace(run, order_index=index) for index, (_, run) in enumerate(ordered))


def wanted_runs(study: Study, runs: Sequence[Run], records: Iterable[RunRecord]) -> tuple[Run, ...]:
    """Return planned runs, all or those of a piece, and the further repeats that the stored runs call for.

    Further repeats are numbered on from the whole plan, in which sentinels watch each piece.

    Parameters
    ----------
    records : of the stored runs
    """
    further_runs = [run for further in further_rounds(study, runs, list(records)) for run in further.runs]
    if further_runs and study.sentinel and len(study.benches) > 1:
        sentinel_count = _WATCHED * len(pieces(study, ordered_runs(study), len(study.benches)))
        further_runs = [replace(run, order_index=run.order_index + sentinel_count) for run in further_runs]
    return (*runs, *further_runs)


def pieces_left(study: Study, divided: Sequence[Sequence[Run]], records: Mapping[str, RunRecord]) -> list[Piece]:
    """Return the pieces that lack runs, those with the most first; the records are by run id."""
    open_pieces = []
    for piece_runs in divided:
        required_runs = wanted_runs(study, piece_runs, records.values())
        made_records = [records[run.run_id] for run in required_runs if run.run_id in records]
        missing_runs = tuple(run for run in required_runs if run.run_id not in records)
        if missing_runs:
            latest = max(made_records, key=lambda record: record.span.ended_ns, default=None)
            open_pieces.append(Piece(piece_runs[0].run_id, missing_runs, latest.bench if latest is not None else ""))
    return sorted(open_pieces, key=lambda piece: -len(piece.runs))


def next_piece(left: Sequence[Piece], bench: str, others: Collection[str]) -> Piece | None:
    """Return the piece that a free bench takes: one that it has begun, else one of no other bench that is there.

    Parameters
    ----------
    left : without those that are under way
    others : further benches that are there
    """
    begun_pieces = [piece for piece in left if piece.bench == bench]
    free_pieces = [piece for piece in left if piece.bench not in others]
    return next(iter([*begun_pieces, *free_pieces]), None)


def benches_apart(records: Iterable[RunRecord], benches: Sequence[str]) -> dict[str, float]:
    """Return benches that are too unlike the others, by their sentinels; how much faster each is, as a share.

    The one that is farthest from the median goes first, of two the one named later. What the noise of their windows may
    make is no difference.
    """
    runs: dict[str, list[RunRecord]] = {}
    for record in records:
        if record.run.is_sentinel and record.status == "good" and record.level_tps:
            runs.setdefault(record.bench, []).append(record)
    levels = {
        bench: median(math.log(run.level_tps or 1.0) for run in runs[bench]) for bench in benches if bench in runs
    }
    noise = {bench: noise_share(runs[bench]) for bench in levels}
    share_by_bench: dict[str, float] = {}
    while len(levels) > 1:
        fastest, slowest = max(levels, key=levels.__getitem__), min(levels, key=levels.__getitem__)
        least_gap = max(math.log1p(MOST_APART), math.hypot(noise[fastest], noise[slowest]))
        if levels[fastest] - levels[slowest] <= least_gap:
            break
        middle = median(levels.values())
        farthest = max(reversed(levels), key=lambda bench: round(abs(levels[bench] - middle), 9))
        level = levels.pop(farthest)
        share_by_bench[farthest] = math.expm1(level - median(levels.values()))
    return share_by_bench


def dealt_to_benches(study: Study, budget: Budget, count: int) -> Dealt:
    """Estimate the study on so many benches, if they are alike and every run lasts as long as the average one.

    Parameters
    ----------
    budget : of the study on its own benches
    count : of benches, whichever the study names; the runs of a sentinel depend on it
    """
    runs = planned_runs(replace(study, benches=tuple(BenchChoice(str(number)) for number in range(count))))
    run_ns = budget.runs.expected_ns // max(budget.run_count, 1)
    free_at = [0] * count
    for piece in sorted(pieces(study, runs, count), key=len, reverse=True):
        start_ns = heapq.heappop(free_at)
        heapq.heappush(free_at, start_ns + len(piece) * run_ns)
    times = [budget.prepare_ns + busy_ns for busy_ns in free_at if busy_ns]
    makespan_ns = max(times)
    return Dealt(count, makespan_ns, 1 - sum(times) / (count * makespan_ns), sum(times))
