"""What a published report prints, held against a stored study: the report that it follows, or one that is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analyse import CellJudgement, closing_cells, judge_cells
from dbdyno.claims import REPORTS, JudgedClaim, Published, judge_claims, place_of, published, tally
from dbdyno.core import RunRecord
from dbdyno.report._claim_sources import CellFilter, sources_of
from dbdyno.report._windows import settled_records
from dbdyno.store import Results, printed_tps, window_tps
from dbdyno.study import Study, parse_study


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """A published report and what a study says of each of its claims."""

    report: Published
    judged: tuple[JudgedClaim, ...]

    @property
    def tally(self) -> str:
        """How many hold, in words."""
        return tally(self.judged)


def check_claims(results: Results, report: Published, where: CellFilter | None = None) -> CheckedClaims:
    """Every claim of a report held against a results folder, or the part of it that is chosen."""
    study = parse_study(results.study_text, str(results.path / "study.toml"))
    records = settled_records(results, study)
    return _held(results, study, report, records, judge_cells(records), where)


def followed_claims(
    results: Results, study: Study, records: Sequence[RunRecord], judgements: Sequence[CellJudgement], against: str = ""
) -> CheckedClaims | None:
    """Claims of the report that is named, or else of the one that the study follows; None where it follows none.

    A study follows a report when it bears its name at its own scale, or when its logs lie as the report's archive does.

    Parameters
    ----------
    records, judgements : all of the study, judged already

    Raises
    ------
    RequestError : no report of the name is known
    """
    name = against or _followed(results, study)
    return _held(results, study, published(name), records, judgements) if name else None


def claim_words(row: JudgedClaim) -> str:
    """What a claim says and where."""
    place = place_of(row.claim)
    return f"{row.claim.words} ({place})" if place else row.claim.words


def _followed(results: Results, study: Study) -> str:
    if study.imported is None:
        return study.name if study.name in REPORTS and not study.scaled else ""
    return next((name for name in _layouts(results) if name in REPORTS), "")


def _layouts(results: Results) -> Iterable[str]:
    """Names of the layouts that the import recognised."""
    for entry in results.journal():
        layouts = entry.facts.get("layouts") if entry.event == "imported" else None
        yield from (str(name) for name in layouts) if isinstance(layouts, list) else ()


def _held(
    results: Results,
    study: Study,
    report: Published,
    records: Sequence[RunRecord],
    judgements: Sequence[CellJudgement],
    where: CellFilter | None = None,
) -> CheckedClaims:
    seconds = window_tps if study.imported is None else printed_tps

    def tps_of(record: RunRecord) -> np.ndarray:
        return seconds(results.seconds(record.run.run_id))

    chosen = where or CellFilter()

    def closing(last_s: int) -> list[CellJudgement]:
        return chosen.of(closing_cells(records, tps_of, last_s))

    judged = judge_claims(
        report,
        chosen.of(judgements),
        closing,
        _other_rows(study, report),
        sources_of(results, study, report, judgements, memory_is_chosen=chosen.names_memory),
    )
    return CheckedClaims(report, tuple(judged))


def _other_rows(study: Study, report: Published) -> dict[str, str]:
    """Workloads with other rows than the report's, and which they are. Logs of other tools seldom tell theirs."""
    if study.imported is not None:
        return {}
    found = {}
    for choice in study.workloads:
        wanted = report.rows.get(choice.name, {})
        own = {option: choice.options.get(option, "not given") for option in wanted}
        if own != wanted:
            found[choice.label] = ", ".join(
                f"{option} = {value}, there {wanted[option]}" for option, value in own.items()
            )
    return found
