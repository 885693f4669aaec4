"""Implements the host that is reached by SSH."""

from __future__ import annotations

import contextlib
import errno
import re
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dbdyno.core import Home, HostError, format_address
from dbdyno.hosts._facts import HostFacts, read_facts
from dbdyno.hosts._files import Files
from dbdyno.hosts._process_facts import process_state
from dbdyno.hosts._process_protocol import NO_LIMITS, Completed, ProcessLimits
from dbdyno.hosts._protocol import Address, ClockAccuracy, ClockReading, Host
from dbdyno.hosts._system import SERVER_USERS, ServerUser, System
from dbdyno.hosts._tree import processor_list
from dbdyno.hosts.containers import Containers
from dbdyno.hosts.remote import _commands
from dbdyno.hosts.remote._agents import RemoteAgent, agents_of_dead_labs, lab_name, read_agents
from dbdyno.hosts.remote._clock import ClockMap, Exchange, clock_accuracy
from dbdyno.hosts.remote._commands import RemoteContext
from dbdyno.hosts.remote._files import RemoteFiles
from dbdyno.hosts.remote._link import RECONNECT_TIMEOUT_S, Link, Refused
from dbdyno.hosts.remote._processes import RemotePipedProcess, RemoteProcess
from dbdyno.hosts.remote._program import RemoteProgram, place_program
from dbdyno.hosts.remote._ssh import check_destination
from dbdyno.hosts.remote._tunnel import Tunnel
from dbdyno.hosts.remote._watch import RemoteWatch

LEASE_S = 300
_EXCHANGES = 20
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def connect(
    destination: str,
    program: Path,
    *,
    home: str = "",
    lease_s: int = LEASE_S,
    reconnect_timeout_s: float = RECONNECT_TIMEOUT_S,
) -> RemoteHost:
    """Have an agent on a host, and a session of it.

    Parameters
    ----------
    destination : as ssh takes it
    program : ``dbdyno-load`` of this machine, which is pushed
    home : folder for all that is kept there; empty: the user's default
    lease_s : how long the session goes on without us
    reconnect_timeout_s : how long a lost connection is tried again before requests fail

    Raises
    ------
    RequestError : the destination is no host's name
    HostError : the host can't be reached or can't run the agent
    """
    check_destination(destination)
    remote_program = place_program(destination, program, home)
    session = secrets.token_hex(8)
    words = [remote_program.path, "agent", "--home", remote_program.home, "--session", session]
    words += ["--lease", f"{lease_s}s", "--lab", lab_name()]
    command = "exec " + " ".join(map(shlex.quote, words))
    link = Link(destination, command, reconnect_timeout_s=reconnect_timeout_s)
    try:
        return RemoteHost(link, remote_program, session)
    except BaseException:
        link.end()
        raise


class RemoteHost(Host):
    """Commands, files and facts of a machine that is reached by SSH. What it starts ends with it, or with the lease."""

    def __init__(self, link: Link, program: RemoteProgram, session: str) -> None:
        self.link, self.program, self.session = link, program, session
        self.home = Home(Path(program.home))
        self._facts, _ = link.ask("facts")
        user_files = RemoteFiles(link, self.home.run, None)
        self._system = _read_system(self._facts, user_files)
        self._files = RemoteFiles(link, self.home.run, self._system.server_user, self._system.runtime_directory)
        self.files: Files = self._files
        self._tunnels: dict[Address, Tunnel] = {}
        self._at_end = set[str]()
        self._tunnels_through: dict[Address, Tunnel] = {}

    def __enter__(self) -> Self:
        """Return this host."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session."""
        self.end()

    def end(self) -> None:
        """End the session: what was started there is killed, what was made for it is removed."""
        for tunnel in (*self._tunnels.values(), *self._tunnels_through.values()):
            tunnel.close()
        self.link.end()

    def system(self) -> System:
        """See `Host`."""
        return self._system

    @property
    def boot(self) -> str:
        """Id of the boot in which the session began."""
        return str(self._facts["boot_id"])

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: str | bytes | Path | None = None,
        timeout_s: float,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
        tick: Callable[[], None] | None = None,
        is_download: bool = False,
    ) -> Completed:
        """See `Host`. A file as `stdin` is one of that machine; nothing is downloaded there."""
        if is_download:
            raise HostError(f"dbdyno fetches nothing from a network on {self.link.destination}", " ".join(argv))
        words, stdin_bytes = _commands.with_stdin(argv, stdin)
        result = _commands.run(
            self.link,
            self._files,
            words,
            timeout_s=timeout_s,
            check=check,
            tick=tick,
            stdin=stdin_bytes,
            context=RemoteContext(self._user(as_server_user), env, cwd),
        )
        return Completed(tuple(argv), result.exit_code, result.stdout, result.stderr)

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None,
        stderr: Path | None,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        limits: ProcessLimits = NO_LIMITS,
    ) -> RemoteProcess:
        """See `Host`."""
        return _commands.spawn(
            self.link,
            argv,
            stdout=stdout or "null",
            stderr=stderr or "null",
            context=RemoteContext(
                self._user(as_server_user), env, limits=limits, open_files_most=self._system.open_files
            ),
        )

    def spawn_piped(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> RemotePipedProcess:
        """See `Host`."""
        context = RemoteContext(env=env, limits=ProcessLimits(cpus))
        process = _commands.spawn(self.link, argv, stdin=stdin, stdout="keep", stderr="keep", context=context)
        return RemotePipedProcess(self.link, process, argv)

    def find_process(self, pid: int, start_ticks: int) -> RemoteProcess | None:
        """See `Host`."""
        if process_state(self.files.read_bytes, pid, start_ticks) is None:
            return None
        return RemoteProcess(self.link, pid, start_ticks)

    def listener(self, path: Path) -> int | None:
        """See `Host`."""
        pid: int | None = self._files.ask("listener", path=str(path))[0]["pid"]
        return pid

    def free_port(self) -> int:
        """See `Host`."""
        return int(self._files.ask("free-port")[0]["port"])

    def reach(self, address: Address) -> Address:
        """See `Host`. Unix sockets and the loopback address of the host are reached through the agent."""
        if isinstance(address, tuple) and address[0] not in _LOOPBACK:
            return address
        if address not in self._tunnels:
            destination: dict[str, object] = (
                {"loopback": address[1]} if isinstance(address, tuple) else {"unix": str(address)}
            )
            self._tunnels[address] = Tunnel(self.link, destination)
        return self._tunnels[address].address

    def reach_through(self, address: tuple[str, int]) -> Address:
        """See `Host`."""
        if address not in self._tunnels_through:
            self._tunnels_through[address] = Tunnel(self.link, {"tcp": format_address(*address)})
        return self._tunnels_through[address].address

    def connection_obstacle(self, address: tuple[str, int]) -> str:
        """See `Host`."""
        try:
            stream = self.link.ask("connect", tcp=format_address(*address))[0]["stream"]
        except Refused as refused:
            return refused.text
        self.link.ask("stream-close", stream=stream)
        return ""

    def leave(self, address: Address) -> None:
        """See `Host`."""
        for tunnels in (self._tunnels, self._tunnels_through):
            if (tunnel := tunnels.pop(address, None)) is not None:
                tunnel.close()

    def watch(self, period_ns: int) -> RemoteWatch:
        """See `Host`."""
        return RemoteWatch(self.link, self._files, period_ns, self.clock_map)

    def clock(self) -> ClockReading:
        """See `Host`."""
        value, _ = self.link.ask("clock")
        return ClockReading(int(value["monotonic_ns"]), int(value["realtime_ns"]))

    def exchange_clocks(self, count: int = _EXCHANGES) -> list[Exchange]:
        """Read the host's clock some times in a row; the link adds an exchange a second by itself."""
        exchanges = [self.link.exchange() for _ in range(count)]
        self.link.exchanges.extend(exchanges)
        return exchanges

    def clock_map(self) -> ClockMap:
        """Return the map by all exchanges of the last ten minutes."""
        if not self.link.exchanges:
            self.exchange_clocks()
        return ClockMap.of(tuple(self.link.exchanges))

    def here_ns(self, there_ns: int) -> int:
        """See `Host`."""
        return self.clock_map().here(there_ns)

    def there_ns(self, here_ns: int) -> int:
        """See `Host`."""
        return self.clock_map().there(here_ns)

    def times_reconnected(self) -> int:
        """See `Host`."""
        return self.link.reconnections

    def compare_clocks(self) -> ClockAccuracy:
        """See `Host`."""
        latest_exchanges = self.exchange_clocks()
        return clock_accuracy(tuple(self.link.exchanges), latest_exchanges)

    def async_io_errors(self) -> tuple[int, int | None]:
        """See `Host`."""
        return int(self._facts["io_uring_errno"]), int(self._facts["native_aio_errno"])

    def copy_tree(self, source: Path, destination: Path) -> str:
        """See `Host`. Extended attributes are not kept."""
        with self._errors_of(f"can't copy to {destination}"):
            return str(self._files.ask("copy-tree", **{"from": str(source), "to": str(destination)})[0]["how"])

    def write_back(self, directory: Path) -> None:
        """See `Host`."""
        with self._errors_of(f"can't write {directory} back"):
            self._files.ask("write-back", path=str(directory))

    def remove_tree(self, directory: Path) -> None:
        """See `Host`."""
        with self._errors_of(f"can't remove {directory}"), contextlib.suppress(FileNotFoundError):
            self._files.ask("remove", path=str(directory), recursive=True)

    @contextlib.contextmanager
    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> Iterator[None]:
        """See `Host`. It ends with the session, however that ends."""
        self.make_directory(path.parent)
        try:
            value, _ = self.link.ask("lock", path=str(path), shared=shared, timeout_ms=round(timeout_s * 1000))
        except Refused as refused:
            why = f"waited {timeout_s:g} s" if refused.code == "timeout" else refused.text
            raise HostError(f"another process holds {path}", why, "wait for it to end", code="in-use") from None
        try:
            yield
        finally:
            with contextlib.suppress(HostError, Refused):
                self.link.ask("unlock", lock=value["lock"])

    def containers(self) -> Containers:
        """See `Host`."""
        raise HostError(
            f"containers on {self.link.destination} can't be used", "dbdyno supports containers on this machine only"
        )

    def facts(self, data_path: Path | None = None) -> HostFacts:
        """See `Host`."""
        return read_facts(self, data_path or self.home.root)

    def push(self, source: Path, destination: Path, sha256: str) -> int:
        """Send a file of this machine there by its content, from where an earlier attempt ended; the bytes sent."""
        with self._errors_of(f"can't copy to {destination}"):
            return self._files.push(source, destination, sha256)

    def agents(self) -> list[RemoteAgent]:
        """Return agents of the home there, of this lab and of others, living and dead."""
        return read_agents(self._files.ask("agents")[0]["agents"])

    def end_agent(self, session: str) -> None:
        """Have another agent end, or remove what a dead one left."""
        try:
            self.link.ask("end-agent", session=session)
        except Refused as refused:
            raise HostError(f"the agent {session} can't be ended", refused.text) from None

    def run_at_end(self, name: str, argv: Sequence[str]) -> None:
        """Have a command run there when the session ends, however it ends: it undoes a change of the kernel's state."""
        self._at_end.add(name)
        try:
            self.link.ask("at-end", name=name, argv=list(argv))
        except Refused as refused:
            raise HostError(f"{self.link.destination} can't arrange the clean-up of '{name}'", refused.text) from None

    def forget_at_end(self, name: str) -> None:
        """Cancel that command."""
        with contextlib.suppress(Refused):  # undoing a change twice does no harm
            self.link.ask("forget-at-end", name=name)
        self._at_end.discard(name)

    def will_run_at_end(self, name: str) -> bool:
        """Return whether a command of that name was given and not taken back."""
        return name in self._at_end

    def end_agents_of_dead_labs(self) -> None:
        """End agents of labs of this machine that are gone: nobody comes back for the locks and servers they keep."""
        for agent in agents_of_dead_labs(self.agents()):
            self.end_agent(agent.session)

    @contextlib.contextmanager
    def _errors_of(self, what: str) -> Iterator[None]:
        """Name the host, and what helps, in errors of its files."""
        try:
            yield
        except OSError as error:
            remedy = ""
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                remedy = "free some space there, then run the same command again"
            elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                remedy = f"give the user on {self.link.destination} permission for it"
            where = f"{what} on {self.link.destination}"
            raise HostError(where, f"{error.filename}: {error.strerror}", remedy) from error

    def _user(self, as_server_user: bool) -> ServerUser | None:
        return self._system.server_user if as_server_user else None


def _read_system(facts: Mapping[str, Any], files: RemoteFiles) -> System:
    """Read what the agent reports of itself, and what the kernel reports of the agent."""
    status = files.read_text(Path("/proc/self/status"))
    limits = files.read_text(Path("/proc/self/limits"))
    cpus = re.search(r"^Cpus_allowed_list:\s*(\S+)$", status, re.MULTILINE)
    return System(
        hostname=facts["hostname"],
        kernel=facts["kernel"],
        architecture=facts["architecture"],
        usable_cpus=processor_list(cpus[1] if cpus else ""),
        page_bytes=int(facts["page_bytes"]),
        open_files=_hard_limit(limits, "Max open files"),
        processes=_hard_limit(limits, "Max processes"),
        user_id=int(facts["uid"]),
        server_user=_server_user(files) if facts["uid"] == 0 else None,
        runtime_directory=facts["runtime_folder"],
    )


def _hard_limit(limits: str, name: str) -> int | None:
    match = re.search(rf"^{name}\s+\S+\s+(\d+)", limits, re.MULTILINE)
    return int(match[1]) if match else None


def _server_user(files: RemoteFiles) -> ServerUser:
    rows = [row.split(":") for row in files.read_text(Path("/etc/passwd")).splitlines()]
    users = {row[0]: ServerUser(row[0], int(row[2]), int(row[3])) for row in rows if len(row) > 3}
    for name in SERVER_USERS:
        if name in users:
            return users[name]
    raise HostError("no user to run servers as", "neither dbdyno nor nobody exists there", "useradd --system dbdyno")
