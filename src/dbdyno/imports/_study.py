"""Writes the study of an import: the axes as they were found, so that all readers of results can use it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from dbdyno.core import IMPORTED_SOURCE, Cell, EngineName, Target, counted
from dbdyno.imports._identity import IdentifiedRun
from dbdyno.imports._tool import Tool
from dbdyno.study import CLOSED_LOOP, Imported, Pacing, Study, WorkloadChoice

_ENGINE_FAMILY_RE = re.compile(r"[a-z][a-z0-9_-]*")
_STORAGE_RE = re.compile(r"[a-z][a-z0-9_]*")


def study_of(runs: Sequence[IdentifiedRun], tool: Tool, name: str, origin: str) -> Study:
    """The study that the found runs are of; its window is the commonest length of a run, what is 0 is not told.

    Parameters
    ----------
    tool : which wrote the logs
    origin : the imported folder, as its owner calls it
    """
    cells = [run.cell for run in runs]
    targets = _targets(runs)
    rates = {run.rate_per_s for run in runs}
    return Study(
        name=name,
        question=_question(targets, origin),
        targets=targets,
        workloads=tuple(WorkloadChoice(label, _name(label)) for label in sorted({cell.workload for cell in cells})),
        tiers_bytes=tuple(sorted({cell.tier_bytes for cell in cells})),
        concurrencies=tuple(sorted({cell.concurrency for cell in cells})),
        routes=tuple(sorted({cell.route for cell in cells})),
        warm_up_ns=0,
        window_ns=_commonest_s(runs) * 10**9,
        settle_ns=0,
        repeats=max(run.repeat for run in runs),
        seed=0,
        order="unknown",
        protocol="unknown",
        rng="unknown",
        pacing=_pacing(rates),
        equivalence_events=0,
        imported=Imported(tool.title, origin),
    )


def with_rates(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Runs of an open loop in cells of their own, by their rates, where the tree holds several."""
    found = list(runs)
    if len({run.rate_per_s for run in found}) < 2:
        return found
    return [
        replace(run, cell=replace(run.cell, workload=f"{run.cell.workload} at {run.rate_per_s}/s"))
        if run.rate_per_s
        else run
        for run in found
    ]


def with_lengths(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Runs in cells of their own by the length that was ordered, where a workload's runs have several.

    A run of an hour and one of three are no repeats of each other: what a server reaches in its third hour, the
    first does not show. Runs that end by a number of events have no ordered length, and stay where they are.
    """
    found = list(runs)
    lengths: dict[str, set[int | None]] = defaultdict(set)
    for run in found:
        if _is_whole(run):
            lengths[run.cell.workload].add(_ordered_s(run))
    several = {name for name, known in lengths.items() if len(known) > 1 and None not in known}
    return [_with_length(run) if run.cell.workload in several else run for run in found]


def _with_length(run: IdentifiedRun) -> IdentifiedRun:
    seconds = _ordered_s(run) if _is_whole(run) else None
    length = f"{seconds} s" if seconds else "unknown length"
    return replace(run, cell=replace(run.cell, workload=f"{run.cell.workload}, {length}"))


def _is_whole(run: IdentifiedRun) -> bool:
    return run.part_index is not None and run.survey.parts[run.part_index].is_whole


def _ordered_s(run: IdentifiedRun) -> int | None:
    """The length that was ordered, in whole tens of seconds; None where it is no such number."""
    if run.part_index is None:
        return None
    lasted_s = run.survey.parts[run.part_index].duration_s
    nearest_s = round(lasted_s, -1)
    return nearest_s if nearest_s and abs(lasted_s - nearest_s) <= max(1, 0.005 * nearest_s) else None


def in_order(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Sort by cell, as a reader looks for them: logs don't tell in which order they were made."""
    return sorted(runs, key=lambda run: (_cell_key(run.cell), run.repeat))


def _cell_key(cell: Cell) -> tuple[object, ...]:
    return (cell.workload, cell.route, cell.tier_bytes, cell.concurrency, cell.target)


def _targets(runs: Sequence[IdentifiedRun]) -> tuple[Target, ...]:
    found = {run.target.name: run.target for run in runs}
    ordered = sorted(found.values(), key=lambda target: (target.family, _numbers(target.version), target.name))
    return tuple(Target(facts.name, _engine(facts.family, facts.version, facts.storage_engine)) for facts in ordered)


def _engine(family: str, version: str, storage_engine: str) -> EngineName:
    number = re.match(r"\d{1,9}(?:\.\d{1,9})*", version)
    storage = storage_engine if _STORAGE_RE.fullmatch(storage_engine) and storage_engine != "unknown" else "innodb"
    known = family if _ENGINE_FAMILY_RE.fullmatch(family) else "unknown"
    return EngineName(known, number[0] if number else "", storage, IMPORTED_SOURCE)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", version)]


def _name(label: str) -> str:
    """The workload without what tells its cells apart: rate and length."""
    return re.sub(r"(?: at \d+/s)?(?:, (?:\d+ s|unknown length))?$", "", label)


def _pacing(rates: set[int | None]) -> Pacing:
    rate = next(iter(rates)) if len(rates) == 1 else None
    return Pacing(float(rate)) if rate else CLOSED_LOOP


def _question(targets: Sequence[Target], origin: str) -> str:
    if len(targets) == 1:
        return f"How fast is {targets[0].name} in the logs of {origin}?"
    if len(targets) <= 4:
        names = [target.name for target in targets]
        return f"Which is faster in the logs of {origin}: {', '.join(names[:-1])} or {names[-1]}?"
    return f"Which of {counted(len(targets), 'target')} is fastest in the logs of {origin}?"


def _commonest_s(runs: Iterable[IdentifiedRun]) -> int:
    parts = [run.survey.parts[run.part_index] for run in runs if run.part_index is not None]
    counts = Counter(part.duration_s for part in parts)
    return counts.most_common(1)[0][0] if counts else 0
