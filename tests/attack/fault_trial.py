"""A study to which one thing happens: whether it is named, the study goes on, and the same command completes it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driven_study import SERVERS, Child, DrivenStudy, driven, left_servers
from moments import Moment

from dbdyno.core import Home
from dbdyno.plan import make_plan
from dbdyno.store import Results
from dbdyno.study import parse_study

LONGEST_S = 400
_APPEARS_S = 60.0
_INITIALISING = ("--bootstrap", "--initialize-insecure")
Strike = Callable[[DrivenStudy, Child | None], str]
"""Does it to a study, given its server if there is one; says what it struck, and fails if it struck nothing."""


@dataclass
class Trial:
    """A study, the moment at which it is struck, and the phase in which it really was."""

    study: Path
    results: Path
    home: Home
    moment: Moment
    launcher: tuple[str, ...] = ()
    struck: dict[str, str] = field(default_factory=dict)

    def run(self, strike: Strike, names: str) -> list[str]:
        """Run the study, strike it, and return what names the fault. Each sentence on it has to match `names`.

        What a fault spoils has to be named. Where nothing was spoilt, the study is complete.
        """
        end = self._disturbed(strike)
        sentences = self._sentences(end)
        self.struck["named"] = sentences[0] if sentences else ""
        if self.moment.spoils:
            assert sentences, f"nobody says what happened at {self.moment}, in {self.struck}: {end}"
        if not sentences:
            assert end.get("complete"), (str(self.moment), end)
        assert all(re.search(names, sentence) for sentence in sentences), (str(self.moment), sentences)
        if not end.get("error"):
            assert set(Results.open(self.results).run_ids()) == self._planned(), "the study did not go on"
        assert left_servers(self.home) == []
        return sentences

    def resume(self) -> None:
        """The same command makes what is missing or failed; then all is there and nothing is left."""
        with driven(self.study, self.results, self.home, retry=True, launcher=self.launcher) as study:
            assert study.to_its_end().get("complete"), study.end
        results = Results.open(self.results)
        assert set(results.run_ids()) == self._planned()
        assert {record.status for record in results.records()} <= {"good", "suspect"}
        assert results.verify() == ()
        assert left_servers(self.home) == []

    def _disturbed(self, strike: Strike) -> Mapping[str, Any]:
        """Run it, strike it, and return its end."""
        moment = self.moment
        with driven(self.study, self.results, self.home, launcher=self.launcher, hold=moment.hold) as study:
            if not study.until(moment.event, moment.phase):
                raise AssertionError(f"the study ended before {moment}: {study.end}, {self._sentences(study.end)}")
            server = await_moment(study, moment)
            at_s = time.monotonic()
            struck = strike(study, server)
            study.release()
            end = study.to_its_end()
            assert time.monotonic() - at_s < LONGEST_S, study.events[-5:]
            self.struck |= {"phase": study.phase_at(at_s), "struck": struck}
        assert end, f"it ended without a word: {study.events[-5:]}"
        assert not end.get("interrupted"), end
        return end

    def _sentences(self, end: Mapping[str, Any]) -> list[str]:
        """Return all that is said of faults: of runs, of the study, of a target, of a server that was inspected."""
        results = Results.open(self.results)
        records = results.records()
        failed = [f"{record.fault}: {record.reason}" for record in records if record.status == "failed"]
        ended = [c.text for record in records for c in record.caveats if c.code == "ending-failed"]
        is_of_fault = ("failed", "server-not-audited")
        noted = [
            str(entry.facts.get("reason", ""))
            for entry in results.journal()
            if any(word in entry.event for word in is_of_fault)
        ]
        compared = [str(reason) for reason in end.get("compared", ())]
        return [*failed, *ended, *filter(None, noted), *compared, *filter(None, [str(end.get("error") or "")])]

    def _planned(self) -> set[str]:
        return planned(self.study)


def planned(study: Path) -> set[str]:
    """Return the names of the runs of a study file."""
    return {run.run_id for run in make_plan(parse_study(study.read_text(), "small.toml")).runs}


def await_moment(study: DrivenStudy, moment: Moment) -> Child | None:
    """Let a study go on from its event to the moment; return its server, if it has one. It is held where it need not.

    Raises
    ------
    AssertionError : what the moment awaits does not come
    """
    if not moment.awaits and not moment.later_s:
        return study.child(SERVERS, 0.1)
    earlier: Child | None = None
    if moment.awaits == "next server" and moment.event == "RunPhaseEntered":
        earlier = study.child(SERVERS)
    study.release()
    server: Child | None = None
    if moment.awaits:
        server = study.child(SERVERS, _APPEARS_S, None if earlier is None else earlier.pid)
        if moment.awaits == "next server" and server is not None and is_initialising(server):
            server = study.child(SERVERS, _APPEARS_S, server.pid)
        assert server is not None, f"no server comes at {moment}: {study.events[-3:]}"
    time.sleep(moment.later_s)
    return server or study.child(SERVERS, 0.1)


def is_initialising(server: Child) -> bool:
    """Whether a server process makes a data directory, and serves nobody."""
    return any(word in server.words for word in _INITIALISING)
