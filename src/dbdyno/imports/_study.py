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
    """Return the study of the found runs; its window is the commonest length of a run, 0 means unknown.

    Parameters
    ----------
    tool : which wrote the logs
    origin : the imported folder, as its owner calls it
    """
    cells = [run.cell for run in runs]
    targets = _study_targets(runs)
    rates = {run.rate_per_s for run in runs}
    return Study(
        name=name,
        question=_study_question(targets, origin),
        targets=targets,
        workloads=tuple(
            WorkloadChoice(label, workload_name(label)) for label in sorted({cell.workload for cell in cells})
        ),
        tiers_bytes=tuple(sorted({cell.tier_bytes for cell in cells})),
        concurrencies=tuple(sorted({cell.concurrency for cell in cells})),
        routes=tuple(sorted({cell.route for cell in cells})),
        warm_up_ns=0,
        window_ns=_commonest_length_s(runs) * 10**9,
        settle_ns=0,
        repeats=max(run.repeat for run in runs),
        seed=0,
        order="unknown",
        protocol="unknown",
        rng="unknown",
        pacing=_study_pacing(rates),
        equivalence_events=0,
        imported=Imported(tool.title, origin),
    )


def with_rates(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Put runs of an open loop in separate cells, by their rates, where the tree holds several."""
    run_list = list(runs)
    if len({run.rate_per_s for run in run_list}) < 2:
        return run_list
    return [
        replace(run, cell=replace(run.cell, workload=f"{run.cell.workload} at {run.rate_per_s}/s"))
        if run.rate_per_s
        else run
        for run in run_list
    ]


def with_lengths(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Put runs in separate cells by the length that was ordered, where a workload's runs have several.

    A run of an hour and one of three are no repeats of each other: what a server reaches in its third hour, the
    first does not show. Runs that end by a number of events have no ordered length, and stay where they are.
    """
    run_list = list(runs)
    lengths: dict[str, set[int | None]] = defaultdict(set)
    for run in run_list:
        if _is_whole(run):
            lengths[run.cell.workload].add(_ordered_length_s(run))
    varied_workloads = {
        name for name, ordered_lengths in lengths.items() if len(ordered_lengths) > 1 and None not in ordered_lengths
    }
    return [_add_length_to_workload(run) if run.cell.workload in varied_workloads else run for run in run_list]


def _add_length_to_workload(run: IdentifiedRun) -> IdentifiedRun:
    seconds = _ordered_length_s(run) if _is_whole(run) else None
    length = f"{seconds} s" if seconds else "unknown length"
    return replace(run, cell=replace(run.cell, workload=f"{run.cell.workload}, {length}"))


def _is_whole(run: IdentifiedRun) -> bool:
    return run.part_index is not None and run.survey.parts[run.part_index].is_whole


def _ordered_length_s(run: IdentifiedRun) -> int | None:
    """Return the length that was ordered, in whole tens of seconds; None where it is no such number."""
    if run.part_index is None:
        return None
    lasted_s = run.survey.parts[run.part_index].duration_s
    nearest_s = round(lasted_s, -1)
    return nearest_s if nearest_s and abs(lasted_s - nearest_s) <= max(1, 0.005 * nearest_s) else None


def in_order(runs: Iterable[IdentifiedRun]) -> list[IdentifiedRun]:
    """Sort by cell, as a reader looks for them: logs don't show in which order they were made."""
    return sorted(runs, key=lambda run: (_cell_key(run.cell), run.repeat))


def _cell_key(cell: Cell) -> tuple[object, ...]:
    return (cell.workload, cell.route, cell.tier_bytes, cell.concurrency, cell.target)


def _study_targets(runs: Sequence[IdentifiedRun]) -> tuple[Target, ...]:
    target_by_name = {run.target.name: run.target for run in runs}
    sorted_targets = sorted(
        target_by_name.values(), key=lambda target: (target.family, _version_numbers(target.version), target.name)
    )
    return tuple(
        Target(facts.name, _engine_name(facts.family, facts.version, facts.storage_engine)) for facts in sorted_targets
    )


def _engine_name(family: str, version: str, storage_engine: str) -> EngineName:
    number = re.match(r"\d{1,9}(?:\.\d{1,9})*", version)
    storage = storage_engine if _STORAGE_RE.fullmatch(storage_engine) and storage_engine != "unknown" else "innodb"
    known_family = family if _ENGINE_FAMILY_RE.fullmatch(family) else "unknown"
    return EngineName(known_family, number[0] if number else "", storage, IMPORTED_SOURCE)


def _version_numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", version)]


def workload_name(label: str) -> str:
    """Return the workload without what distinguishes its cells: rate and length."""
    return re.sub(r"(?: at \d+/s)?(?:, (?:\d+ s|unknown length))?$", "", label)


def _study_pacing(rates: set[int | None]) -> Pacing:
    rate = next(iter(rates)) if len(rates) == 1 else None
    return Pacing(float(rate)) if rate else CLOSED_LOOP


def _study_question(targets: Sequence[Target], origin: str) -> str:
    if len(targets) == 1:
        name = targets[0].name
        return f"How fast is {name} in the logs of {origin}?" if name != origin else f"How fast was the run of {name}?"
    if len(targets) <= 4:
        names = [target.name for target in targets]
        return f"Which is faster in the logs of {origin}: {', '.join(names[:-1])} or {names[-1]}?"
    return f"Which of {counted(len(targets), 'target')} is fastest in the logs of {origin}?"


def _commonest_length_s(runs: Iterable[IdentifiedRun]) -> int:
    parts = [run.survey.parts[run.part_index] for run in runs if run.part_index is not None]
    counts = Counter(part.duration_s for part in parts)
    return counts.most_common(1)[0][0] if counts else 0
