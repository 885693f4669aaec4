"""Holds the verdict of a check, and what a study needs of the machine that it runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dbdyno.core import Machine, Target, is_network_route
from dbdyno.doctor._outcome import Severity, State
from dbdyno.study import Study, needs_room, open_files_limit


@dataclass(frozen=True, slots=True)
class Needs:
    """Describes the needs of a study; of servers that run elsewhere nothing is asked here.

    Parameters
    ----------
    concurrency : most connections of any run
    memory_bytes : of the largest server
    disk_bytes : of engines, snapshots and a running copy; 0 where nothing is kept here
    routes : how the client reaches the servers
    server_processors, client_processors : those they are pinned to; None: left to the scheduler
    has_own_servers : at least one target is started here
    sources : where its engines come from, such as ``package`` or ``image``
    features : of the kernel, by name: ``netem``, or a controller of control groups such as ``memory``
    open_files : most that a server of the study is started with here; 0 where it is left to the servers
    is_load_host : load is driven here to servers on another machine, and nothing else runs here
    """

    concurrency: int
    memory_bytes: int
    disk_bytes: int
    routes: tuple[str, ...] = ("socket",)
    server_processors: tuple[int, ...] | None = None
    client_processors: tuple[int, ...] | None = None
    has_own_servers: bool = True
    sources: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    open_files: int = 0
    is_load_host: bool = False


@dataclass(frozen=True, slots=True)
class Generator:
    """Describes the load generator here: where it is, or why it is missing, and whether it was calibrated here."""

    path: str
    why: str = ""
    is_calibrated: bool | None = None


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """Describes how far repeats spread here, by the studies that were made on this machine.

    Parameters
    ----------
    share : standard deviation, relative
    smallest_difference : of two targets that three repeats show four times out of five, relative
    """

    share: float
    studies: int
    smallest_difference: float


def needs_of(study: Study, memory_bytes: int, disk_bytes: int, features: Sequence[str] = ()) -> Needs:
    """Return the needs of a study, with what its plan estimates of memory and disk."""
    has_own_servers = any(not target.engine.source.startswith("server") for target in study.targets)
    return Needs(
        concurrency=max(study.concurrencies),
        memory_bytes=memory_bytes if has_own_servers else 0,
        disk_bytes=disk_bytes if has_own_servers else 0,
        routes=study.routes,
        server_processors=study.pinning.server,
        client_processors=study.pinning.client,
        has_own_servers=has_own_servers,
        sources=tuple(sorted({target.engine.source_kind for target in study.targets} - {""})),
        features=(*features, *(("memory",) if study.limits.memory is not None else ())),
        open_files=_open_files(study),
    )


def load_host_needs(study: Study, host_count: int) -> Needs:
    """Return the needs of a study on each of the hosts that are its one client over a network."""
    connections = -(-max(study.concurrencies) // host_count)
    routes = tuple(route for route in study.routes if is_network_route(route))
    return Needs(connections, 0, 0, routes, has_own_servers=False, is_load_host=True)


def _open_files(study: Study) -> int:
    """Return the highest limit of open files that a server gets as an option; a container has its own limit."""
    started_here = [target for target in study.targets if target.engine.source_kind not in ("server", "image")]
    return max((_open_files_of(study, target) for target in started_here), default=0)


def _open_files_of(study: Study, target: Target) -> int:
    raw = {**target.file_options, **target.options}.get("open_files_limit") or ""
    if raw.isdigit():
        return int(raw)
    connections = study.connections_max
    return open_files_limit(connections, study.settings_of(target)) if needs_room(study.policy, connections) else 0


@dataclass(frozen=True, slots=True)
class NetworkReading:
    """Describes what a network carried and lost.

    Parameters
    ----------
    round_trip_ns : the shortest that the client's kernel saw
    mtu_bytes : largest packet that the way takes without being split
    bits_per_s : of large replies on many connections
    packets : sent and received by a load that leaves most of that rate free, about
    lost_packets : of them, those sent again, and those received after a gap: lost, or overtaken by others
    """

    round_trip_ns: int
    mtu_bytes: int
    bits_per_s: int
    packets: int
    lost_packets: int


@dataclass(frozen=True, slots=True)
class NetworkTrial:
    """Describes a trial of the network from a host of clients to the address that a server will listen on.

    Parameters
    ----------
    client, server : names of the hosts
    address : with the port of the trial
    obstacle : why no connection could be made, or nothing be sent on it; empty: all went well
    reading : None: not measured, since it takes seconds
    """

    client: str
    server: str
    address: str
    obstacle: str = ""
    reading: NetworkReading | None = None


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """Describes how a remote host is reached, and what an agent met there.

    Parameters
    ----------
    libc : of the host, as it names it
    needs_libc : minor version of glibc 2 that the agent's program needs
    round_trip_ns : shortest of a request and its reply
    clock_bound_ns : most by which the host's clock is mapped wrongly
    drift_ppm, drift_bound_ppm : by how much its clock is faster than ours, and by how much that may be wrong; None:
        not measured, since it takes seconds
    outlives_connection : whether the agent goes on when its connection is cut; None: not tried
    shaping_obstacle, shaping_remedy : why routes can't be shaped there, and what would help; empty where they can;
        None: nobody asked
    network_trial : of the network between this host and its only client's, or its server's; None: none was made
    """

    destination: str
    home: str
    architecture: str
    libc: str
    needs_libc: int
    round_trip_ns: int
    clock_bound_ns: int
    drift_ppm: float | None = None
    drift_bound_ppm: float | None = None
    outlives_connection: bool | None = None
    shaping_obstacle: str | None = None
    shaping_remedy: str = ""
    network_trial: NetworkTrial | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """Describes what is examined.

    Parameters
    ----------
    needs, generator : None where nobody asked
    access : None for this machine
    spread : None where no study has shown it
    """

    machine: Machine
    needs: Needs | None = None
    generator: Generator | None = None
    access: RemoteAccess | None = None
    spread: RepeatSpread | None = None

    @property
    def is_load_host(self) -> bool:
        """Return whether it is known that load is driven here and nothing else runs here."""
        return self.needs is not None and self.needs.is_load_host


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """Holds the answer of one check.

    Parameters
    ----------
    state : found; clear; unknown, because the machine did not report it; idle: nothing here to judge
    seen : what the machine says
    effect : of what was found on results
    remedy : command or change that removes it
    """

    state: State
    seen: str
    severity: Severity = "note"
    effect: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """Describes one thing to look at."""

    check_id: str
    title: str
    judge: Callable[[Subject], CheckAnswer]


def blocks(seen: str, effect: str, remedy: str) -> CheckAnswer:
    """Return a blocker: runs would fail, or measure something else."""
    return CheckAnswer("found", seen, "blocker", effect, remedy)


def weakens(seen: str, effect: str, remedy: str) -> CheckAnswer:
    """Return a weakness: results can be doubted for it."""
    return CheckAnswer("found", seen, "weakens", effect, remedy)


def notes(seen: str, effect: str, remedy: str) -> CheckAnswer:
    """Return a note that is worth knowing next to the results."""
    return CheckAnswer("found", seen, "note", effect, remedy)


def clear(seen: str) -> CheckAnswer:
    """Return that nothing is in the way."""
    return CheckAnswer("clear", seen)


def unknown(why: str) -> CheckAnswer:
    """Return that the machine does not report it."""
    return CheckAnswer("unknown", why)


def idle(why: str) -> CheckAnswer:
    """Return that there is no such thing here, or that the study does not need it."""
    return CheckAnswer("idle", why)
