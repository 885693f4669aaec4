"""Holds every claim of a report against judged cells, each by the rule that its row names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from dbdyno.analyse import CellJudgement, listed
from dbdyno.analyse.claims._arithmetic import recalculate
from dbdyno.analyse.claims._catalogue import Claim, Kind, Published
from dbdyno.analyse.claims._cell_index import CellIndex, NotSettled, ResultsOrigin, Undecidable, good_runs
from dbdyno.analyse.claims._levels import check_collapse, check_level, check_peak, check_plateau
from dbdyno.analyse.claims._ranges import check_range, check_same
from dbdyno.analyse.claims._ratios import check_engines, check_first, check_lead, check_memory, check_ratio
from dbdyno.analyse.claims._result import ClaimResult
from dbdyno.core import Caveat, RunRecord, format_memory

NO_SOURCES = ResultsOrigin()
_WHOLE = "so taken as the mean of the whole run"


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """Describes a claim and what the results say of it."""

    claim: Claim
    result: ClaimResult


def judge_claims(
    report: Published,
    judgements: Sequence[CellJudgement],
    closing: Callable[[int], Sequence[CellJudgement]],
    other_rows: Mapping[str, str] = MappingProxyType({}),
    sources: ResultsOrigin = NO_SOURCES,
) -> list[JudgedClaim]:
    """Return all claims of a report, in its order.

    Parameters
    ----------
    judgements : every cell, as `dbdyno.analyse.judge_cells` gives them
    closing : the same by the last so many seconds of the runs, as `dbdyno.analyse.closing_cells` gives them
    other_rows : workloads whose rows are known to be others than the report's, and which they are
    sources : where the results come from
    """

    @cache
    def index(last_s: int) -> CellIndex:
        return CellIndex(tuple(closing(last_s) if last_s else judgements), last_s, other_rows, sources, report.window_s)

    return [JudgedClaim(claim, _judge_either_reading(claim, index, report)) for claim in report.claims]


def _judge_either_reading(claim: Claim, index: Callable[[int], CellIndex], report: Published) -> ClaimResult:
    """Judge a print that may mean the end of the runs or all of them in the sense that gives it."""
    result = _judge_claim(claim, index(claim.last_s), report)
    if not claim.or_whole or result.gives_print is not False:
        return result
    whole_result = _judge_claim(replace(claim, last_s=0), index(0), report)
    if not whole_result.gives_print:
        return result
    return replace(whole_result, reason="; ".join(reason for reason in (whole_result.reason, _WHOLE) if reason))


def _judge_claim(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Return both tests of a claim: whether its calculation gives the print, and whether the intervals uphold it."""
    result, arithmetic = _check_intervals(claim, index, report), recalculate(claim, index, report)
    if arithmetic is None:
        return result
    runs = [run for group in arithmetic.groups for run in good_runs(group)]
    is_original = bool(runs) and all(map(index.sources.is_original, runs))
    result = replace(
        result,
        counted=arithmetic.words,
        figures=arithmetic.figures,
        gives_print=not arithmetic.wrong if is_original else None,
        caveats=_machine_caveats(runs, index),
    )
    if not is_original or not arithmetic.wrong:
        return result
    return replace(
        result, outcome="does not hold", reason=f"the report's own logs give a different figure: {arithmetic.wrong}"
    )


def _check_intervals(claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    try:
        return _allow_for_missing_memory(_RULES[claim.kind](claim, index, report), claim, index, report)
    except NotSettled as unsettled:
        return ClaimResult("not settled", str(unsettled))
    except Undecidable as silence:
        return ClaimResult("can't be told", str(silence))


def _machine_caveats(runs: Sequence[RunRecord], index: CellIndex) -> tuple[Caveat, ...]:
    """Return a caveat where the runs behind a claim were made on different machines."""
    places_by_machine: dict[str, dict[str, None]] = {}
    for run in runs:
        if machine := index.sources.machine(run):
            cell = run.run.cell
            places_by_machine.setdefault(machine, {})[f"{cell.workload.rpartition('/')[2]} by {cell.route}"] = None
    if len(places_by_machine) < 2:
        return ()
    where = listed([f"{machine} ({', '.join(places)})" for machine, places in sorted(places_by_machine.items())])
    return (Caveat("host-mismatch", f"host-mismatch: the runs were made on different machines, {where}"),)


def _allow_for_missing_memory(result: ClaimResult, claim: Claim, index: CellIndex, report: Published) -> ClaimResult:
    """Keep results that lack some of the report's memory from refuting a figure for which it names no memory."""
    if (
        index.sources.memory_is_chosen
        or result.outcome != "does not hold"
        or claim.kind not in ("level", "ratio")
        or claim.at.tier_bytes is not None
    ):
        return result
    missing_tiers = [format_memory(tier) for tier in report.tiers_bytes if tier not in index.tiers_bytes]
    if not missing_tiers:
        return result
    reason = f"{result.reason}; but no memory is named, and {listed(missing_tiers)} is not in the results"
    return replace(result, outcome="can't be told", reason=reason)


def _check_shape(claim: Claim, index: CellIndex, _report: Published) -> ClaimResult:
    """Leave it undecided, as no rule decides a shape; missing cells are the nearer reason."""
    index.cells(replace(claim.at, concurrency=None))
    raise Undecidable(claim.reason)


_RULES: Mapping[Kind, Callable[[Claim, CellIndex, Published], ClaimResult]] = {
    "level": check_level,
    "peak": check_peak,
    "collapse": check_collapse,
    "plateau": check_plateau,
    "first": check_first,
    "lead": check_lead,
    "ratio": check_ratio,
    "memory": check_memory,
    "range": check_range,
    "engines": check_engines,
    "same": check_same,
    "shape": _check_shape,
}
