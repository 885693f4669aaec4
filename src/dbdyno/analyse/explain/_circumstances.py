"""Collects what is known of a pair in addition to its parts: counters, settings in effect, use of processors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from dbdyno.analyse.explain._causes import Cause, Condition
from dbdyno.analyse.explain._gap import LEAST_SHARE
from dbdyno.analyse.explain._statements import PinnedServer, RunTimes, whole_time_ms
from dbdyno.analyse.explain._threads import ON_CPU, STOLEN, THREAD_PARTS, with_log_flushes
from dbdyno.core import IDLE_TIMES, foreign_use, processor_totals

USERS = ("neighbours", "steal", "client", "background", "sessions")
"""Users of processors: programs other than server and load generator, the hypervisor, the load generator, the server's
two kinds of threads."""
CLIENT_STRETCH = "client.stretch"
"""Fact: the load generator's time on and waiting for a processor over that on it."""
CLIENT_WORK = "client.work"
"""Fact: the load generator's processor time per transaction, in milliseconds."""
ATTEMPTS = "attempts"
"""Fact: attempts per committed transaction."""
TIME = "time"
"""Fact: milliseconds of a connection per committed transaction."""
LEVELS = ("engine.history.length",)
"""Levels of the server that causes ask for; all other facts of it are counters per transaction."""
_GROUPS = "processors.background."
_THREADS, _ON_CPU = "background.", ".on_cpu"
_LEAST_GROWTH = 0.03
"""Processors by which a user's use must have grown to be charged with a wait."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Holds facts of both sides; of what is not known on both there is none.

    Parameters
    ----------
    facts : name -> left and right: counters per transaction, `LEVELS`, ``rows``, ``processors.NAME``, `CLIENT_STRETCH`,
        `CLIENT_WORK`, `ATTEMPTS`, `TIME`
    settings : neutral setting -> the values in effect
    more_connections : connections of the right side over those of the left
    has_client_host : the load generator has other processors than the server, on another host or by pinning
    has_one_build : both servers are of one family, version and storage engine
    """

    facts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    more_connections: float = 1.0
    has_client_host: bool = False
    has_one_build: bool = True

    @classmethod
    def of(
        cls,
        left: Sequence[RunTimes],
        right: Sequence[RunTimes],
        settings: Mapping[str, tuple[str, str]] | None = None,
        *,
        has_one_build: bool = True,
    ) -> Circumstances:
        """Return circumstances of two cells' runs, each fact the mean over a side's runs."""
        facts_by_side = [_mean_facts(runs) for runs in (left, right)]
        facts = {
            name: (facts_by_side[0][name], facts_by_side[1][name])
            for name in facts_by_side[0]
            if name in facts_by_side[1]
        }
        groups = [name for facts_of_side in facts_by_side for name in facts_of_side if name.startswith(_GROUPS)]
        facts |= {name: (facts_by_side[0].get(name, 0.0), facts_by_side[1].get(name, 0.0)) for name in groups}
        left_cell, right_cell = left[0].run.cell, right[0].run.cell
        return cls(
            facts,
            settings or {},
            right_cell.concurrency / max(left_cell.concurrency, 1),
            any("client" not in users_on(run.pinned, is_client_here=run.is_client_here) for run in (*left, *right)),
            has_one_build,
        )

    @property
    def turned(self) -> Circumstances:
        """Return the same from right to left."""
        return Circumstances(
            {name: (right, left) for name, (left, right) in self.facts.items()},
            {name: (right, left) for name, (left, right) in self.settings.items()},
            1 / self.more_connections,
            self.has_client_host,
            self.has_one_build,
        )

    @property
    def differing(self) -> dict[str, tuple[str, str]]:
        """Return settings whose values differ."""
        return {name: values for name, values in self.settings.items() if values[0] != values[1]}

    def allow(self, cause: Cause) -> bool:
        """Return whether a cause's conditions hold of the right side."""
        alternatives = cause.alternatives
        return all(map(self._holds, cause.conditions)) and (not alternatives or any(map(self._holds, alternatives)))

    def growth(self) -> dict[str, float]:
        """Return by how many processors each user's use grew; connections count as sessions.

        Users whose growth is too small to count are not there: below 0.03 processors, or 3 % of the busy ones of the
        side with fewer.
        """
        added_processors = {}
        for user in USERS:
            left, right = self.facts.get(f"processors.{user}", (0.0, 0.0))
            connection_growth = max(self.more_connections - 1, 0.0) * left if user == "sessions" else 0.0
            added_processors[user] = max(right - left, 0.0) + connection_growth
        least = max(_LEAST_GROWTH, LEAST_SHARE * min(self.facts.get("processors.busy", (0.0, 0.0))))
        return {user: processors for user, processors in added_processors.items() if processors >= least}

    def most_wait_ms(self) -> float:
        """Return how long a transaction of the right side can wait for those whose use of processors grew.

        While one of them is on a processor, at most all connections wait for it. Infinite where these users took as
        much of the processors as the sessions lost: then they may be the only reason.
        """
        growth = self.growth()
        before, after = self.facts.get("processors.sessions", (0.0, 0.0))
        if TIME not in self.facts or before - after < sum(growth.values()) + _LEAST_GROWTH:
            return math.inf
        return sum(growth.values()) * self.facts[TIME][1]

    def _holds(self, condition: Condition) -> bool:
        if condition.differs:
            values, order = self.differing.get(condition.differs), condition.order
            if values is None or not fnmatchcase(values[1], condition.value or "*"):
                return False
            if condition.larger and not _is_larger(*values):
                return False
            return not order or (set(values) <= set(order) and order.index(values[0]) < order.index(values[1]))
        fact = self.facts.get(condition.grows or condition.falls or condition.has)
        if fact is None:
            return False
        if condition.has:
            return fact[1] > 0
        less, more = fact[::-1] if condition.falls else fact
        return more - less >= condition.by if condition.by else more > 0 and more >= condition.times * less


def _is_larger(left: str, right: str) -> bool:
    try:
        return float(right) > float(left)
    except ValueError:
        return False


def users_on(pinned: PinnedServer | None, *, is_client_here: bool) -> tuple[str, ...]:
    """Return who may use the server's processors: elsewhere, or pinned to others, the load generator does not."""
    has_client = is_client_here and (pinned is None or pinned.client != "other")
    return tuple(user for user in USERS if user != "client" or has_client)


def processors_used(
    means: Mapping[str, float], pinned: PinnedServer | None = None, *, is_client_here: bool
) -> dict[str, float]:
    """Return who used how many processors of the server's host, as `RunTimes.processors` has it.

    A pinned server's processors are busy as long as its threads run, and those of a load generator that has no others:
    which other programs run there is not known, nor what the hypervisor took of these processors alone.

    Parameters
    ----------
    means : metric of the telemetry -> its mean over the seconds that count
    is_client_here : the load generator runs on the server's host
    """
    programs = ("server", "client") if is_client_here else ("server",)
    totals = processor_totals(means, (*programs, "host"))
    groups = {
        name.removesuffix(_ON_CPU): processors
        for name, processors in means.items()
        if name.startswith(_THREADS) and name.endswith(_ON_CPU)
    }
    has_client = "client" in totals and "client" in users_on(pinned, is_client_here=is_client_here)
    processors_by_user = {"client": totals["client"]} if has_client else {}
    if pinned is not None:
        own_programs = programs if pinned.client == "same" else ("server",)
        if all(name in totals for name in own_programs):
            busy = min(sum(totals[name] for name in own_programs), pinned.processors)
            processors_by_user |= {"busy": busy, "idle": pinned.processors - busy}
    elif "host" in totals and all(name in means for name in IDLE_TIMES):
        processors_by_user |= {"busy": totals["host"], "idle": sum(means[name] for name in IDLE_TIMES)}
    if (foreign := foreign_use(means, programs)) is not None:
        processors_by_user |= dict(zip(("neighbours", "steal"), foreign, strict=True))
    if "sessions.on_cpu" in means:
        processors_by_user |= {"sessions": means["sessions.on_cpu"], "background": sum(groups.values())}
        if foreign is not None and (given := totals["host"] - foreign[1]) > 0:
            processors_by_user[STOLEN] = foreign[1] * means["sessions.on_cpu"] / given
    return processors_by_user | groups


def _mean_facts(runs: Sequence[RunTimes]) -> dict[str, float]:
    """Return every fact that is known of all runs; a group of threads that is not there uses no processor."""
    run_facts = [_run_facts(run) for run in runs]
    names = dict.fromkeys(name for facts in run_facts for name in facts)
    shared_names = [name for name in names if name.startswith(_GROUPS) or all(name in facts for facts in run_facts)]
    return {name: sum(facts.get(name, 0.0) for facts in run_facts) / len(run_facts) for name in shared_names}


def _run_facts(run: RunTimes) -> dict[str, float]:
    rows = THREAD_PARTS[ON_CPU].counters
    facts = {**with_log_flushes(run.counted), **run.levels}
    if all(name in facts for name in rows):
        facts["rows"] = sum(facts[name] for name in rows)
    facts |= {f"processors.{user}": processors for user, processors in run.processors.items()}
    if run.transactions and run.attempts >= run.transactions:
        facts[ATTEMPTS] = run.attempts / run.transactions
    if (time_ms := whole_time_ms(run)) is not None:
        facts[TIME] = time_ms
    if run.client_cpu_ms and run.transactions:
        facts[CLIENT_WORK] = run.client_cpu_ms / run.transactions
    if run.client_cpu_ms and run.client_wait_ms is not None:
        facts[CLIENT_STRETCH] = 1 + run.client_wait_ms / run.client_cpu_ms
    return facts
