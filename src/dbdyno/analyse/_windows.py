"""Answers which windows of a study have not settled, settled late, or swing.

Every run carries what its seconds say of its level, judged when it was stored; here it is counted over the study.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse._phrases import listed
from dbdyno.analyse._settled import judged_seconds
from dbdyno.core import Caveat, RunRecord, SettledPart, counted, percent, target_title, verb_for

_STATUS = {"drifting": "drifting", "not-reached": "not settled", "dead": "dead at the end"}


def unsettled_windows(records: Sequence[RunRecord]) -> list[Caveat]:
    """Return caveats on windows that had not settled, or settled late."""
    windows = [(record, record.settled) for record in records if record.settled is not None]
    caveats = [_unsettled_windows_caveat(windows), _late_windows_caveat(windows), _waves_caveat(windows)]
    return [caveat for caveat in caveats if caveat is not None]


Judged = Sequence[tuple[RunRecord, SettledPart]]


def _unsettled_windows_caveat(windows: Judged) -> Caveat | None:
    unsettled = [(record, window) for record, window in windows if window.status in _STATUS]
    if not unsettled:
        return None
    counts = {status: sum(window.status == status for _, window in unsettled) for status in _STATUS}
    words = listed([f"{count} {_STATUS[status]}" for status, count in counts.items() if count])
    text = f"Of {counted(len(windows), 'window')} of three minutes or more, {words}. They support no finding."
    return Caveat("unsettled-windows", text + _widest_drift_words(unsettled))


def _widest_drift_words(unsettled: Judged) -> str:
    """Return the drift that changed most. A level that jumped and one that died are no straight line."""
    drifting = [(record, window) for record, window in unsettled if window.status == "drifting"]
    if not drifting:
        return ""
    record, widest = max(drifting, key=lambda pair: abs(pair[1].change))
    where = f"{target_title(record.run.cell.target)} at {counted(record.run.cell.concurrency, 'connection')}"
    return f" Widest drift: {where}, {percent(widest.change, signed=True)} over {judged_seconds(widest):,} s."


def _late_windows_caveat(windows: Judged) -> Caveat | None:
    starts_s = [window.start_s or 0 for _, window in windows if window.is_late]
    if not starts_s:
        return None
    text = (
        f"In {counted(len(starts_s), 'window')} of {len(windows)} the beginning had not settled, for up to "
        f"{max(starts_s)} s, and is not used."
    )
    return Caveat("late-windows", text)


def _waves_caveat(windows: Judged) -> Caveat | None:
    periods = [window.period_s for _, window in windows if window.status == "cyclic" and window.period_s is not None]
    if not periods:
        return None
    shortest, longest = round(min(periods)), round(max(periods))
    span = f"{longest} s" if shortest == longest else f"{shortest} to {longest} s"
    windows_words = f"{counted(len(periods), 'window')} of {len(windows)}"
    text = (
        f"{windows_words} {verb_for(len(periods), 'swings', 'swing')} in waves of {span}, so a mean depends on where "
        "in a wave its window ends."
    )
    return Caveat("waves", text)
