"""Says how the load was paced: as the study orders it, or as far as imported logs say."""

from __future__ import annotations

from dbdyno.report._study_analysis import StudyAnalysis

_UNTOLD = "pacing-unknown"


def pacing_words(analysis: StudyAnalysis) -> str:
    """Return the pacing of all runs. Of logs it is what each log says, which need not be the same for all."""
    pacing = analysis.study.pacing
    if analysis.study.imported is None:
        return pacing.words if pacing.is_closed else f"{pacing.words}, {pacing.arrivals} arrivals"
    imported_records = [record for record in analysis.stored if record.imported is not None]
    if any(caveat.code == _UNTOLD for record in imported_records for caveat in record.caveats):
        return "pacing not in the logs"
    rates = {
        record.imported.rate_per_s
        for record in imported_records
        if record.imported is not None and record.status != "failed"
    }
    return pacing.words if len(rates) < 2 else "several pacings, listed as separate workloads"
