"""Records of a results folder with the settled part of each run, judged now where that was not kept with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbdyno.core import RunRecord
from dbdyno.stats import METHOD, SHORTEST_JUDGED_S, settled_part
from dbdyno.store import Results, printed_tps, window_tps
from dbdyno.study import Study


def settled_records(results: Results, study: Study) -> list[RunRecord]:
    """Every stored run with what its seconds say of its level.

    A run is judged when it is stored. Folders of versions that did not keep that, or judged by another method, are
    judged from their seconds here, each time that they are read.
    """
    return with_settled(results, study, results.records())


def with_settled(results: Results, study: Study, records: Sequence[RunRecord]) -> list[RunRecord]:
    """Those records, judged where that was not kept."""
    return [record if record.method == METHOD else _judged(results, study, record) for record in records]


def _judged(results: Results, study: Study, record: RunRecord) -> RunRecord:
    if study.pacing.stretches or study.pacing.search is not None or not record.tps_mean:
        return replace(record, settled=None, method=METHOD)  # the study itself varies the rate, or there is no window
    if record.window_s < SHORTEST_JUDGED_S or record.has_lost_path:
        return replace(record, settled=None, method=METHOD)
    read = window_tps if study.imported is None else printed_tps
    return replace(
        record,
        settled=settled_part(read(results.seconds(record.run.run_id, ("second", "phase", "tps", "duration_ns")))),
        method=METHOD,
    )
