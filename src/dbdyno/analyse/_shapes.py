"""Says what shape the curves of throughput over connections have: a crossover, a fall, a plateau; a sentence each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analyse._capacity import CapacityJudgement, fall_sentence, level_interval
from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._crossovers import crossover_sentence
from dbdyno.analyse._pairs import Place
from dbdyno.analyse._phrases import listed, listed_or_counted, plus_minus
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Comparison, counted, format_memory, target_title


def shape_sentences(
    named_places: Sequence[Place],
    places: Mapping[Place, list[CellJudgement]],
    comparisons: Sequence[Comparison],
    capacity: Sequence[CapacityJudgement],
) -> tuple[str, ...]:
    """Return what is decided of the shapes; the crossover first, as it limits who is fastest."""
    sentences = (
        crossover_sentence(named_places, places, comparisons),
        fall_sentence(capacity),
        plateau_sentence(capacity, named_places[0]),
    )
    return tuple(filter(None, sentences))


def plateau_sentence(judgements: Sequence[CapacityJudgement], place: Place) -> str:
    """Return which targets gain no throughput beyond how many connections, for the workload and memory of a place."""
    load = [judgement for judgement in judgements if (judgement.workload, judgement.route) == place[:2]]
    by_start: dict[int, list[CapacityJudgement]] = {}
    for judgement in load:
        if judgement.tier_bytes == place[2] and judgement.plateau_start is not None:
            by_start.setdefault(judgement.plateau_start, []).append(judgement)
    if not by_start:
        return ""
    level_curves = [judgement for group in by_start.values() for judgement in group]
    most = max(max(judgement.levels) for judgement in level_curves)
    where = f" at {format_memory(place[2])}" if len({judgement.tier_bytes for judgement in load}) > 1 else ""
    spread_words = assumed_words(most_assumed_spread(level_curves))
    condition_words = f"to within 3 %{f', {spread_words}' if spread_words else ''}"
    if len(level_curves) == 1:
        ((start, (only,)),) = by_start.items()
        tps = plus_minus(*level_interval(only.levels[most]))
        return (
            f"{target_title(only.target)} gains no throughput beyond {counted(start, 'connection')}{where}, "
            f"{condition_words}: {tps} TPS at {most:,}."
        )
    clauses = [
        f"{listed_or_counted([target_title(curve.target) for curve in group], 'target')} beyond "
        f"{counted(start, 'connection')}"
        for start, group in sorted(by_start.items())
    ]
    return f"No more throughput up to {most:,} connections{where}, {condition_words}: {listed(clauses)}."
