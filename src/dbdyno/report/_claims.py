"""Holds what a published report prints against a stored study: the report it follows, or a named one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analyse import CellJudgement, closing_cells
from dbdyno.analyse.claims import (
    MARKS,
    REPORTS,
    JudgedClaim,
    Published,
    about,
    arithmetic_words,
    judge_claims,
    own_words,
    place_of,
    printed_words,
    published,
    tally,
)
from dbdyno.core import Caveat, RunRecord
from dbdyno.report._blocks import Block, Column, Heading, Paragraph, Table
from dbdyno.report._claim_sources import sources_of
from dbdyno.report._markdown_text import to_markdown
from dbdyno.report._study_analysis import StudyAnalysis, analyse_study
from dbdyno.store import StoredStudy
from dbdyno.study import CellFilter, Study

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
        Column("claim"),
        Column("cells counted"),
        Column("printed", True),
        Column("here, 95 %", True),
        Column("remarks"),
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
    place = place_of(row.claim)
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
        sources_of(results, report, judgements, memory_is_chosen=cell_filter.names_memory),
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
