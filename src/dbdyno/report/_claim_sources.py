"""Says where the results come from that claims are held against: their machines, and whose logs they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from dbdyno.analyse import CellJudgement
from dbdyno.analyse.claims import Published, ResultsOrigin, original_logs
from dbdyno.audit import names_machine
from dbdyno.store import StoredStudy

_DIGITS = 12


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
