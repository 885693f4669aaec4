"""One start of a server, all that is known before it, and where its words will be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure._engine import Engine
from dbdyno.configure._log import log_tail
from dbdyno.configure._setting import Setting
from dbdyno.core import ContainerChoice, Route
from dbdyno.hosts import Host

ALL_LINES = 10_000
OUTPUT = "server.out"
"""File of a run directory with what the server said beside its error log."""
_LAST_LINES = 20


@dataclass(frozen=True, slots=True)
class StartOrder:
    """See `start_server` for what is what."""

    installation: Engine
    data_directory: Path
    settings: tuple[Setting, ...]
    storage_engine: str
    route: Route
    host: Host
    run_directory: Path
    cpus: Sequence[int] | None
    timeout_s: float
    container: ContainerChoice
    memory_limit_bytes: int | None = None
    plugin_version: str = ""

    @property
    def temporary(self) -> Path:
        """Folder of its temporary files."""
        return self.run_directory / "tmp"

    @property
    def error_log(self) -> Path:
        """Its own log."""
        return self.temporary / "error.log"

    @property
    def output(self) -> Path:
        """What it says before that is open."""
        return self.run_directory / OUTPUT

    def words(self, lines: int = _LAST_LINES) -> str:
        """What the server said last, before its log was open too."""
        return "\n".join(filter(None, (log_tail(self.output, lines), log_tail(self.error_log, lines))))
