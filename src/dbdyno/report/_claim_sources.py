"""Chooses which results claims are held against: part of a folder, its machines, whose logs they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from dbdyno.analyse import CellJudgement
from dbdyno.analyse.claims import Published, ResultsOrigin, original_logs
from dbdyno.audit import names_machine
from dbdyno.core import Cell, RequestError, StudyError, parse_bytes
from dbdyno.store import StoredStudy

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class CellFilter:
    """Selects a part of the cells, each axis by its name and the value that it must have."""

    wanted: tuple[tuple[str, str | int], ...] = ()

    @property
    def names_memory(self) -> bool:
        """Return whether a memory size is chosen."""
        return any(name == "memory" for name, _ in self.wanted)

    def of(self, judgements: Sequence[CellJudgement]) -> list[CellJudgement]:
        """Return those of the cells that were chosen."""
        return [group for group in judgements if all(_AXES[name](group.cell) == value for name, value in self.wanted)]


def read_cell_filter(pairs: Sequence[str]) -> CellFilter:
    """Return a choice written AXIS=VALUE, each axis once.

    Raises
    ------
    RequestError : not of that form, no such axis, or no size of memory

    >>> read_cell_filter(["memory=140GB", "connections=56"]).wanted
    (('memory', 150323855360), ('connections', 56))
    """
    return CellFilter(tuple(_parse_selection(pair) for pair in pairs))


def _parse_selection(pair: str) -> tuple[str, str | int]:
    name, separator, value = pair.partition("=")
    if name not in _AXES or not separator or not value:
        raise RequestError(f"'{pair}' selects nothing", f"axes: {', '.join(_AXES)}", "write for example memory=140GB")
    if name == "memory":
        try:
            return name, parse_bytes(value)
        except StudyError as error:
            raise RequestError(f"'{value}' is not a memory size", "", "write for example memory=140GB") from error
    if name == "connections":
        if not (value.isascii() and value.isdigit()):
            raise RequestError(f"'{value}' is not a number of connections", "", "write for example connections=56")
        return name, int(value)
    return name, value


def sources_of(
    results: StoredStudy,
    report: Published,
    judgements: Sequence[CellJudgement],
    *,
    memory_is_chosen: bool = False,
) -> ResultsOrigin:
    """Return where the results come from, read as far as a claim asks."""
    if results.study.imported is None:
        return ResultsOrigin(memory_is_chosen=memory_is_chosen)
    known_digests = original_logs(report.report_id)

    @cache
    def machine(run_id: str) -> str:
        machine_document = results.document(run_id, "start").get("machine")
        name = machine_document.get("hostname") if isinstance(machine_document, Mapping) else None
        result = str(name or results.document(run_id, "variables").get("hostname", ""))
        return result if names_machine(result) else ""

    @cache
    def is_original(run_id: str) -> bool:
        logs = [row for row in results.document(run_id, "origin") if str(row["role"]).endswith(" log")]
        return any(str(row.get("unpacked_sha256", row["sha256"]))[:_DIGITS] in known_digests for row in logs)

    return ResultsOrigin(
        names={choice.label: choice.name for choice in results.study.workloads},
        lengths_s=_typical_lengths_s(judgements),
        machine=lambda record: machine(record.run.run_id),
        is_original=lambda record: is_original(record.run.run_id),
        memory_is_chosen=memory_is_chosen,
    )


def _typical_lengths_s(judgements: Sequence[CellJudgement]) -> dict[str, float]:
    """Return how long the good runs of each workload lasted: the middle one."""
    lasted: dict[str, list[float]] = {}
    for group in judgements:
        lasted.setdefault(group.cell.workload, []).extend(
            run.figures.window_s for run in group.runs if run.status == "good"
        )
    return {label: sorted(lengths)[len(lengths) // 2] for label, lengths in lasted.items() if lengths}


_AXES: dict[str, Callable[[Cell], str | int]] = {
    "memory": lambda cell: cell.tier_bytes,
    "target": lambda cell: cell.target,
    "workload": lambda cell: cell.workload,
    "route": lambda cell: cell.route,
    "connections": lambda cell: cell.concurrency,
}
"""Axis of a study -> its value of a cell."""
