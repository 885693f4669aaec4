"""Keeps the server that the concurrencies of a ladder share between two runs, and discards it in all other cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.core import Caveat, LadderStep, Run
from dbdyno.lab._bench import RunServer
from dbdyno.plan import share_server
from dbdyno.stats import Readings
from dbdyno.store import TelemetryRow
from dbdyno.study import Study

_CAVEAT = Caveat(
    "shared-restore",
    'the server drove other concurrencies before (restore = "ladder"): the run starts with the rows and memory that '
    "they left, and all concurrencies of a ladder share one server start",
)


@dataclass(frozen=True, slots=True)
class LadderServer:
    """Holds a server for one run.

    Parameters
    ----------
    step : which run of its ladder this is; None where data are restored for each run
    """

    server: RunServer
    step: LadderStep | None = None

    @property
    def is_used(self) -> bool:
        """Return whether it has driven a run before this one."""
        return self.step is not None and self.step.number > 1

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Return what that does to the run."""
        return (_CAVEAT,) if self.is_used else ()

    def after(self, telemetry: Iterable[TelemetryRow]) -> LadderServer:
        """Return the server for the next run, given what telemetry read in this one."""
        if self.step is None:
            return self
        readings = Readings()
        rows = [(row.second, row.metric, row.value) for row in telemetry]
        readings.add(rows)
        redo_bytes_written = readings.redo_bytes(1 + max((second for second, _, _ in rows), default=0)) or 0.0
        return LadderServer(
            self.server, LadderStep(self.step.number + 1, self.step.redo_bytes_before + redo_bytes_written)
        )


@dataclass(slots=True)
class RetainedServer:
    """Holds at most one server from the end of a run to the beginning of the next."""

    study: Study
    _run: Run | None = None
    _server: LadderServer | None = None

    def first(self, run: Run, server: RunServer) -> LadderServer:
        """Return a server on freshly restored data."""
        is_ladder = self.study.restore == "ladder" and not run.is_sentinel
        return LadderServer(server, LadderStep(1) if is_ladder else None)

    def take(self, run: Run) -> LadderServer | None:
        """Return the retained server, where this run goes on with it; any other is let go of."""
        ladder_server, previous_run = self._server, self._run
        if ladder_server is None or previous_run is None:
            return None
        if (
            not share_server(self.study, previous_run, run)
            or ladder_server.server.exit_reason()
            or ladder_server.server.hang_reason()
        ):
            self.discard()
            return None
        self._server = self._run = None
        return ladder_server

    def keep(self, run: Run, ladder_server: LadderServer) -> None:
        """Hold a server after a run, for the next."""
        self._run, self._server = run, ladder_server

    def discard(self) -> None:
        """Let go of the retained server."""
        ladder_server, self._server, self._run = self._server, None, None
        if ladder_server is not None:
            ladder_server.server.discard()
