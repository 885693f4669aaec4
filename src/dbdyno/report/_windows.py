"""Records of a stored study with the settled part of each run, judged now where that was not kept with it."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.core import RunRecord
from dbdyno.stats import METHOD, SHORTEST_JUDGED_S, settled_part
from dbdyno.store import StoredStudy


def settled_records(results: StoredStudy) -> list[RunRecord]:
    """Every stored run with what its seconds say of its level.

    A run is judged when it is stored. Folders of versions that did not keep that, or judged by another method, are
    judged from their seconds here, each time that they are opened.
    """
    return [record if record.method == METHOD else _judged(results, record) for record in results.records()]


def _judged(results: StoredStudy, record: RunRecord) -> RunRecord:
    pacing = results.study.pacing
    if pacing.stretches or pacing.search is not None or not record.tps_mean:
        return replace(record, settled=None, method=METHOD)  # the study itself varies the rate, or there is no window
    if record.window_s < SHORTEST_JUDGED_S or record.has_lost_path:
        return replace(record, settled=None, method=METHOD)
    return replace(record, settled=settled_part(results.window_tps(record.run.run_id)), method=METHOD)
