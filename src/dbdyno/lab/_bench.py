"""What the walk asks of the machine: engines, servers on fresh or restored data, and nothing left behind.

A seam: `_local.py` is the real one, tests bring one of paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from dbdyno.configure import CrashReport
from dbdyno.core import Run, Target
from dbdyno.measure.telemetry import Source
from dbdyno.populate import FillServer, FreshServer, Snapshot
from dbdyno.provision import Installation
from dbdyno.store import JsonValue, SettingRow
from dbdyno.study import AfterRun


class RunServer(FillServer, Protocol):
    """A server ready to be measured: configured, read back, on its own copy of the data."""

    @property
    def settings(self) -> Sequence[SettingRow]:
        """Options asked, with what the server made of them."""

    @property
    def option_file(self) -> str:
        """Text of its option file; empty for a server that is not ours."""

    def variables(self) -> Mapping[str, str]:
        """SHOW GLOBAL VARIABLES."""

    def status(self) -> Mapping[str, str]:
        """SHOW GLOBAL STATUS."""

    def schema(self, database: str) -> Mapping[str, JsonValue]:
        """Definitions, columns and bytes of the tables in a database."""

    def process(self) -> Mapping[str, JsonValue]:
        """What its process runs under; empty where it can't be seen."""

    def sources(self) -> Sequence[Sequence[Source]]:
        """Telemetry of the machine and of this server, in groups read by one thread each."""

    def autopsy(self) -> CrashReport | None:
        """Why it ended; None while it runs or when it can't be seen."""

    def life(self) -> Mapping[str, JsonValue]:
        """Times of its start and its ends, what it used of its memory limit, how it died; as far as known by now."""

    def end(self, after_run: AfterRun) -> None:
        """End it as the study asks; times are told by `life`. Nothing happens to a server that is not ours.

        Raises
        ------
        ConfigureError : it did not shut down cleanly, or did not come back
        """

    def session_waits(self) -> Mapping[str, JsonValue]:
        """What its sessions do now; see `read_session_waits`."""

    def telemetry_facts(self) -> Mapping[str, JsonValue]:
        """What its telemetry lacks, and what it watches."""

    def discard(self) -> None:
        """Kill it and throw its data away; a server that is not ours is only let go of."""


class Bench(Protocol):
    """The machine under a study."""

    def clean_up(self) -> tuple[str, ...]:
        """Stop and remove what killed runs have left; one line each."""

    def others(self) -> tuple[str, ...]:
        """Servers of other studies that run on this machine now; one line each."""

    def obtain(self, target: Target, progress: Callable[[str], None]) -> Installation:
        """Bring an engine."""

    def shaping(self, target: Target, installation: Installation) -> Mapping[str, object]:
        """All of engine and settings that shapes the files of its datasets."""

    def fresh_server(self, target: Target, installation: Installation) -> FreshServer:
        """Initialise and start a server on an empty data directory."""

    def running_server(self, target: Target, installation: Installation) -> RunServer:
        """A server that is not ours, to be filled or measured as it is."""

    def run_server(self, run: Run, target: Target, installation: Installation, snapshot: Snapshot) -> RunServer:
        """Restore the data and start a server on it, configured for the run's tier.

        Raises
        ------
        ConfigureError : it did not start, or a setting did not take effect
        """
