"""Holds what a published report prints against a stored study: the report it follows, or a named one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from rich.console import Console

from dbdyno.analyse import CellJudgement, closing_cells
from dbdyno.analyse.claims import (
    MARKS,
    REPORTS,
    JudgedClaim,
    Published,
    ResultsOrigin,
    about,
    arithmetic_words,
    claim_scope,
    judge_claims,
    original_logs,
    own_words,
    printed_words,
    published,
    tally,
)
from dbdyno.audit import names_machine
from dbdyno.core import Caveat, RunRecord
from dbdyno.report._blocks import Block, Column, Heading, Paragraph, Table
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.report._terminal_text import to_terminal
from dbdyno.store import StoredStudy
from dbdyno.study import CellFilter, Study

_DIGITS = 12
CLAIMS_TITLE = "Printed in the report, and recomputed here"


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """Describes a published report and what a study says of each of its claims."""

    report: Published
    judged: tuple[JudgedClaim, ...]

    @property
    def tally(self) -> str:
        """Return how many hold, in words."""
        return tally(self.judged)


def claims_markdown(held: CheckedClaims, caveats: Iterable[Caveat] = ()) -> str:
    """Return the claims as Markdown, below what makes the results doubtful."""
    return to_markdown([*map(Paragraph, caveats), *claims_blocks(held)])


def print_claims(held: CheckedClaims, console: Console) -> None:
    """Print the claims, and at the end how many hold."""
    console.print(to_terminal([Heading(held.report.title), claims_table(held), Paragraph(held.tally)]))


def check_claims(results: StoredStudy, report: Published, where: CellFilter | None = None) -> CheckedClaims:
    """Return every claim of a report held against a stored study, or the part of it that is chosen."""
    analysis = analyse_study(results)
    return _check_against_report(results, report, analysis.stored, analysis.judgements, where)


def followed_claims(analysis: StudyAnalysis, against: str = "") -> CheckedClaims | None:
    """Return claims of the report that is named, or else of the one that the study follows; None where it follows none.

    A study follows a report when it bears its name at its own scale, or when its logs lie as the report's archive does.

    Raises
    ------
    RequestError : no report of the name is known
    """
    name = against or _followed_report_name(analysis.results)
    return (
        _check_against_report(analysis.results, published(name), analysis.stored, analysis.judgements) if name else None
    )


def claims_blocks(held: CheckedClaims) -> list[Block]:
    """Return what a report prints and what is found here: heading, how many claims hold, and each of them."""
    return [Heading(CLAIMS_TITLE), Paragraph(claims_words(held)), claims_table(held)]


def claims_words(held: CheckedClaims) -> str:
    """Name the report, and how many of its claims hold."""
    return f"{held.report.title}. {held.tally}."


def claims_table(held: CheckedClaims) -> Table:
    """Return a row a claim, those with figures first."""
    columns = [
        Column("claim", is_name=True),
        Column("verdict", is_name=True),
        Column("claim", is_detail=True),
        Column("cells counted", is_detail=True),
        Column("printed", True),
        Column("here, 95 %", True),
        Column("remarks", is_detail=True),
    ]
    rows = [_row(row) for row in sorted(held.judged, key=lambda row: row.result.own is None)]
    return Table("claims", f"Claims of {held.report.report_id}, recomputed", columns, rows)


def _row(row: JudgedClaim) -> list[str]:
    claim, result = row.claim, row.result
    return [
        claim.claim_id,
        f"{MARKS[result.outcome]} {result.outcome}",
        claim.sentence,
        arithmetic_words(result),
        printed_words(claim),
        own_words(claim, result),
        about(result),
    ]


def claim_words(row: JudgedClaim) -> str:
    """Return what a claim says and where."""
    place = claim_scope(row.claim)
    return f"{row.claim.words} ({place})" if place else row.claim.words


def _followed_report_name(results: StoredStudy) -> str:
    study = results.study
    if study.imported is None:
        return study.name if study.name in REPORTS and not study.scaled else ""
    return next((name for name in _recognised_layouts(results) if name in REPORTS), "")


def _recognised_layouts(results: StoredStudy) -> Iterable[str]:
    """Yield names of the layouts that the import recognised."""
    for entry in results.journal():
        layouts = entry.facts.get("layouts") if entry.event == "imported" else None
        yield from (str(name) for name in layouts) if isinstance(layouts, list) else ()


def _check_against_report(
    results: StoredStudy,
    report: Published,
    records: Sequence[RunRecord],
    judgements: Sequence[CellJudgement],
    chosen_cells: CellFilter | None = None,
) -> CheckedClaims:
    def tps_of(record: RunRecord) -> np.ndarray:
        return results.window_tps(record.run.run_id)

    cell_filter = chosen_cells or CellFilter()

    def chosen(cells: Iterable[CellJudgement]) -> list[CellJudgement]:
        return [judgement for judgement in cells if cell_filter.has(judgement.cell)]

    judged_claims = judge_claims(
        report,
        chosen(judgements),
        lambda last_s: chosen(closing_cells(records, tps_of, last_s)),
        _other_rows(results.study, report),
        _origin_of(results, report, judgements, memory_is_chosen=cell_filter.names_memory),
    )
    return CheckedClaims(report, tuple(judged_claims))


def _other_rows(study: Study, report: Published) -> dict[str, str]:
    """Return workloads with other rows than the report's, and which they are. Other tools' logs seldom state theirs."""
    if study.imported is not None:
        return {}
    rows_by_label = {}
    for choice in study.workloads:
        report_rows = report.rows.get(choice.name, {})
        study_rows = {option: choice.options.get(option, "not given") for option in report_rows}
        if study_rows != report_rows:
            rows_by_label[choice.label] = ", ".join(
                f"{option} = {value}, there {report_rows[option]}" for option, value in study_rows.items()
            )
    return rows_by_label


def _origin_of(
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
