"""Splits the time of a run that uses up the processors by whose work they did.

With the processors used up a transaction takes T = N D / B: N connections, D processor time of a transaction, B
processors in use (the utilisation law: Denning and Buzen, ACM Computing Surveys 10, 1978). Each user's share of B is
its share of D, and so of T: its own time on the processors and all waiting for them. Where the processors have time to
spare, T follows from other things, and there is no such split.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.analyse.explain._circumstances import users_on
from dbdyno.analyse.explain._knees import BUSY_FROM, utilisation
from dbdyno.analyse.explain._part import Breakdown, Part, PartKind, rest_of
from dbdyno.analyse.explain._statements import RunTimes, whole_time_ms

_SOURCE = "processor time of threads, processes and the host in `telemetry.parquet`"
USER_PARTS: Mapping[str, PartKind] = MappingProxyType(
    {
        "sessions": PartKind("the server's sessions", "Session threads of the load.", _SOURCE),
        "background": PartKind("the server's background threads", "All other threads of the server.", _SOURCE),
        "client": PartKind("the load generator", "The process that drives the load.", _SOURCE),
        "neighbours": PartKind("other programs", "Other programs of the server's host.", _SOURCE),
        "steal": PartKind("the hypervisor", "Processor time that the hypervisor gave to others (steal).", _SOURCE),
    }
)
"""The parts of the split by users of the processors, by the second word of their ids."""


def split_by_users(run: RunTimes) -> Breakdown | None:
    """Return the breakdown of a run, without parts where it left processors idle or connections also rest.

    None where nothing was committed.
    """
    total_ms = whole_time_ms(run)
    if total_ms is None:
        return None
    users = users_on(run.pinned, is_client_here=run.is_client_here)
    if run.pinned is not None:
        is_unknown = {"neighbours", "steal"} | ({"client"} if run.pinned.client == "any" else set())
        users = tuple(user for user in users if user not in is_unknown)
    processors = {user: run.processors[user] for user in users if user in run.processors}
    is_used_up = utilisation(run).get("processors", 0.0) >= BUSY_FROM
    parts: tuple[Part, ...] = ()
    if is_used_up and not run.rests and len(processors) == len(users):
        total = sum(processors.values())
        parts = tuple(
            Part(f"processors.{user}", USER_PARTS[user].words, total_ms * share / total, _SOURCE)
            for user, share in processors.items()
            if share or user != "steal"  # a machine without a hypervisor has no such user
        )
        parts = (*parts, rest_of(total_ms, parts))
    missing_reason = "" if parts else "the processors were not used up"
    return Breakdown(
        run.run,
        "processors",
        total_ms,
        parts,
        run.transactions,
        noise_share=run.noise_share,
        missing=missing_reason,
        bench=run.bench,
    )
