"""Carries what is known before one start of a server and what the start makes, and reads the end of its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure._endpoint import Credentials, NetworkAccess
from dbdyno.configure._engine import Engine
from dbdyno.configure._options import Setting
from dbdyno.core import NO_DELAYS, CallDelays, ContainerChoice, Route
from dbdyno.hosts import Host, MemoryGroup, Process

TAIL_LINES = 20
_LATE_BYTES = 256 << 10
_LOG_BYTES = 16 << 20


def log_tail(path: Path, host: Host, lines: int = TAIL_LINES) -> str:
    """Return last lines of an error log; empty when there is none."""
    return "\n".join(late_text(path, host, _LOG_BYTES).splitlines()[-lines:])


def late_text(path: Path, host: Host, most_bytes: int = _LATE_BYTES) -> str:
    """Return the end of a log, long enough for any stack; empty when there is none."""
    try:
        return host.files.read_text(path, offset=-most_bytes)
    except OSError:
        return ""


_ON_THE_HOST = ContainerChoice()
ALL_LINES = 10_000
_LAST_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOrder:
    """Describes one start of a server; see `start_server`.

    Parameters
    ----------
    run_directory : for the option file, temporary files and the error log; made when missing, left for the
        caller to remove
    storage_engine : its plug-in is loaded when it is one
    container : how that of an engine out of an image is held
    memory_limit_bytes : of its process, page cache included: enforced by a separate control group
    plugin_version : of the storage engine's plug-in, which its options were chosen for; empty: not known
    delays : by which its calls take longer, on purpose
    network : how clients of another machine reach it; needed for routes over a network, and used for no other
    """

    installation: Engine
    data_directory: Path
    settings: tuple[Setting, ...]
    route: Route
    host: Host
    run_directory: Path
    storage_engine: str = "innodb"
    cpus: Sequence[int] | None = None
    timeout_s: float = 120
    container: ContainerChoice = _ON_THE_HOST
    memory_limit_bytes: int | None = None
    plugin_version: str = ""
    delays: CallDelays = NO_DELAYS
    network: NetworkAccess | None = None

    @property
    def tls(self) -> str:
        """How the load connects over TCP: encrypted if the study has the server offer TLS, else never."""
        offers_tls = any(
            s.parameter == "tls.available" and s.option == "tls_version" and s.value for s in self.settings
        )
        return "required" if offers_tls else "off"

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
        """Return what it says before that is open."""
        return self.run_directory / "server.out"

    def words(self, lines: int = _LAST_LINES) -> str:
        """Return what the server said last, before its log was open too."""
        return "\n".join(filter(None, (log_tail(log, self.host, lines) for log in (self.output, self.error_log))))


@dataclass(frozen=True, slots=True)
class Launch:
    """Holds what one start of a server has made, for its end and for connections as its administrator.

    Parameters
    ----------
    private_directory : holds its sockets; removed with it
    memory_group : bounds its memory; None: nothing does
    """

    order: StartOrder
    process: Process
    credentials: Credentials
    admin_socket: Path
    private_directory: Path
    memory_group: MemoryGroup | None = None

    @property
    def load_host(self) -> Host | None:
        """Return the machine that the load's user connects from; None: this server's."""
        return None if self.order.network is None else self.order.network.clients[0].host
