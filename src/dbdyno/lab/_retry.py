"""Chooses the stored runs that are made again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dbdyno.core import Run, RunRecord
from dbdyno.lab import _events as events
from dbdyno.store import Results, ResultsWriter


@dataclass(frozen=True, slots=True)
class RetryChoice:
    """Says which stored runs are made again; their records are set aside, not lost.

    Parameters
    ----------
    failed : runs that failed
    disturbed : good runs while which other programs, or the hypervisor, used processors; with them the runs that they
        are compared with, those of the same place and repeat, because these shall follow each other
    """

    failed: bool = False
    disturbed: bool = False


NO_RETRY = RetryChoice()


def set_aside(
    choice: RetryChoice, results: Results, writer: ResultsWriter, only: Collection[str] | None = None
) -> list[events.RunsSetAside]:
    """Set the chosen runs aside; return what was set aside, and why.

    Runs that lost the way to their host are always chosen: they say nothing about the target.

    Parameters
    ----------
    only : ids of the runs that are made now: of no others is one set aside; None: all that are missing are made
    """

    def is_made_now(record: RunRecord) -> bool:
        return only is None or record.run.run_id in only

    set_asides = []
    failed_records = [record for record in results.records() if record.status == "failed" and is_made_now(record)]
    lost_ids = [record.run.run_id for record in failed_records if record.fault == "network"]
    if choice.failed:
        failed_ids = [record.run.run_id for record in failed_records]
        set_asides.append(events.RunsSetAside("failed", writer.set_aside(failed_ids)))
    elif lost_ids:
        set_asides.append(events.RunsSetAside("lost", writer.set_aside(lost_ids)))
    if choice.disturbed:
        disturbed_ids = disturbed_run_ids(list(filter(is_made_now, results.records())))
        set_asides.append(events.RunsSetAside("disturbed", writer.set_aside(disturbed_ids)))
    return set_asides


def disturbed_run_ids(records: Sequence[RunRecord]) -> list[str]:
    """Return the ids of disturbed runs and of those that they are compared with."""
    places = {_place(record.run) for record in records if record.is_disturbed}
    return [record.run.run_id for record in records if _place(record.run) in places]


def _place(run: Run) -> tuple[str, str, int, int, int, bool]:
    cell = run.cell
    return cell.workload, cell.route, cell.tier_bytes, cell.concurrency, run.repeat, run.is_sentinel
