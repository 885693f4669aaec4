"""Measures the network before a run, shapes it where asked, and holds that it is as slow as the study asks.

The round trip is compared with that before the change, on the same connection; the rate is read off large replies.
A route that is faster than asked fails the run. One that is slower, because the network itself is, has a caveat.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dbdyno.configure import TrafficShaper, find_shaper, undo_left_shape
from dbdyno.connections import ServerConnection
from dbdyno.core import Caveat, ConfigureError, HostError, format_duration, is_network_route
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import LoadClient
from dbdyno.lab._reply_rates import (
    LARGEST_REPLY_BYTES,
    LEAST_REPLY_BYTES,
    REPLIES,
    ROW_BYTES,
    bits_per_s,
    is_long,
    load_host_network,
    reply_sizes,
    reply_statement,
)
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder
from dbdyno.store import JsonValue
from dbdyno.study import RouteChoice, Study

_PINGS = 20
_REPLY_S = 0.25
_RTT_SHARE, _RTT_LEAST_NS = 0.1, 250_000
_RATE_ABOVE, _RATE_BELOW = 1.1, 0.85
"""Bounds of the rate as replies see it, as shares of the rate asked; headers take about 5 % of a full packet."""
_NOTHING: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AppliedShape:
    """Describes what was done for a run.

    Parameters
    ----------
    facts : for the run's telemetry; empty where its route is not shaped
    """

    facts: Mapping[str, JsonValue] = field(default_factory=lambda: _NOTHING)
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class PathReading:
    """Holds what a client sees of the way to the server.

    Parameters
    ----------
    plain_ns, shaped_ns : shortest round trip before and after the change
    reply_bits_per_s : of large replies after the change; None: not asked
    """

    plain_ns: int
    shaped_ns: int
    reply_bits_per_s: int | None = None


@contextlib.contextmanager
def shaped_network(
    study: Study, order: LoadOrder, server: RunServer, host: object, client: LoadClient
) -> Iterator[AppliedShape]:
    """Have the run's route shaped while the block runs, if it is to be.

    Parameters
    ----------
    host : of the servers
    client : drives the run's load

    Raises
    ------
    HostError : it can't be shaped, or the change can't be undone
    ConfigureError : it is not as slow as asked
    """
    route, choice = study.shaped_route(order.run.cell.route), study.bench.server if study.bench is not None else None
    if choice is None or not isinstance(host, RemoteHost):
        yield AppliedShape()
        return
    undo_left_shape(host, choice)
    if route is None:
        yield AppliedShape(_network_facts(order, server, client))
        return
    shaper = find_shaper(host, choice)
    with contextlib.ExitStack() as exit_stack:
        with server.client_connection() as connection:
            plain_ns = _round_trip_ns(connection)
            port = server.order_target("")["port"]
            assert isinstance(port, int), "a server of the network has a port"
            commands = shaper.apply(route, port)
            exit_stack.callback(_undo_shaping, shaper)
            reading = _read_path(connection, route, plain_ns)
            rate = reading.reply_bits_per_s or _reply_rate(connection, reading.shaped_ns)
        facts: dict[str, JsonValue] = {
            "route": route.name,
            "interface": shaper.interface.name,
            "commands": [*commands],
            "round_trip_ns": reading.shaped_ns,
            "round_trip_unshaped_ns": reading.plain_ns,
            "reply_bits_per_s": reading.reply_bits_per_s,
        }
        network: dict[str, JsonValue] = {"round_trip_ns": reading.shaped_ns, "reply_bits_per_s": rate}
        yield AppliedShape({"shaping": facts, "network": network}, judge_path(route, reading))


def _network_facts(order: LoadOrder, server: RunServer, client: LoadClient) -> Mapping[str, JsonValue]:
    """Return what the machines of the client see of the network to the server."""
    if not is_network_route(order.run.cell.route):
        return _NOTHING
    if client.agents:
        return {"network": load_host_network(client, order)}
    with server.client_connection() as connection:
        round_trip_ns = _round_trip_ns(connection)
        rate = _reply_rate(connection, round_trip_ns)
        return {"network": {"round_trip_ns": round_trip_ns, "reply_bits_per_s": rate}}


def _reply_rate(connection: ServerConnection, round_trip_ns: int) -> int:
    """Return bits per second of replies that grow until one takes long enough, or is as large as is asked for."""
    rate = 0
    for size_bytes in reply_sizes():
        took_ns = _fastest_reply_ns(connection, size_bytes) - round_trip_ns
        rate = bits_per_s(size_bytes, took_ns)
        if is_long(took_ns):
            break
    return rate


def judge_path(route: RouteChoice, reading: PathReading) -> tuple[Caveat, ...]:
    """Hold what was read against what was asked.

    The added round trip may differ by a tenth, or by 0.25 ms where that is more; the rate by 10 % above and 15 % below.

    Raises
    ------
    ConfigureError : the route is not what was asked
    """
    added_ns = reading.shaped_ns - reading.plain_ns
    if route.rtt_ns and abs(added_ns - route.rtt_ns) > max(_RTT_SHARE * route.rtt_ns, _RTT_LEAST_NS):
        raise ConfigureError(
            f"the route '{route.name}' is not as the study asks",
            f"{format_duration(added_ns)} of round trip were added, not {format_duration(route.rtt_ns)}",
            "check that replies to this machine leave by the interface of the host's address",
            code="route-delay",
        )
    if route.rate_bits_per_s is None or reading.reply_bits_per_s is None:
        return ()
    share, measured_rate = (
        reading.reply_bits_per_s / route.rate_bits_per_s,
        f"{reading.reply_bits_per_s / 1e6:,.4g} Mbit/s",
    )
    requested_rate = f"{route.rate_bits_per_s / 1e6:,.6g} Mbit/s"
    if share > _RATE_ABOVE:
        raise ConfigureError(
            f"the route '{route.name}' is not as the study asks",
            f"replies came with {measured_rate}, faster than {requested_rate}",
            "check that replies to this machine leave by the interface of the host's address",
            code="route-rate",
        )
    if share < _RATE_BELOW:
        text = (
            f"one connection got {measured_rate} of the {requested_rate} of the route '{route.name}': "
            "the network is slower, or one connection sends too little per round trip"
        )
        return (Caveat("shaped-rate", text),)
    return ()


def _read_path(connection: ServerConnection, route: RouteChoice, plain_ns: int) -> PathReading:
    shaped_ns = _round_trip_ns(connection)
    rate = route.rate_bits_per_s
    if rate is None:
        return PathReading(plain_ns, shaped_ns)
    asked_bytes = min(max(round(rate / 8 * _REPLY_S), LEAST_REPLY_BYTES), LARGEST_REPLY_BYTES)
    asked_bytes -= asked_bytes % ROW_BYTES
    took_ns = _fastest_reply_ns(connection, asked_bytes) - shaped_ns
    return PathReading(plain_ns, shaped_ns, bits_per_s(asked_bytes, took_ns))


def _round_trip_ns(connection: ServerConnection) -> int:
    times = []
    for _ in range(_PINGS):
        began_ns = time.monotonic_ns()
        connection.ping(reconnect=False)
        times.append(time.monotonic_ns() - began_ns)
    return min(times)


def _fastest_reply_ns(connection: ServerConnection, size_bytes: int) -> int:
    """Return the time of the fastest of several replies: the others waited for a processor or for lost packets, too."""
    return min(_reply_ns(connection, size_bytes) for _ in range(REPLIES))


def _reply_ns(connection: ServerConnection, size_bytes: int) -> int:
    """Return the time of a reply of so many bytes, a multiple of `ROW_BYTES`."""
    began_ns = time.monotonic_ns()
    with connection.cursor() as cursor:
        cursor.execute(reply_statement(size_bytes))
        rows = cursor.fetchall()
    took_ns = time.monotonic_ns() - began_ns
    if sum(len(row[0] or "") for row in rows) != size_bytes:
        raise ConfigureError(
            "the rate of the network can't be measured", f"the server does not reply with {size_bytes} bytes"
        )
    return took_ns


def _undo_shaping(shaper: TrafficShaper) -> None:
    with uninterrupted(), host_may_be_lost():
        shaper.undo()


@contextlib.contextmanager
def host_may_be_lost() -> Iterator[None]:
    """Leave what is to be ended or undone on a host that is not reached to its agent, which does it with the lease."""
    try:
        yield
    except HostError as error:
        if error.fault != "network":
            raise
