"""Measures the network before a run, shapes it where asked, and holds that it is as slow as the study asks.

Each machine of the client compares its round trip with that before the change, and reads the rate off large replies:
see `_client_paths`. A route that is faster than asked fails the run. One that is slower, because the network itself is,
has a caveat.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from dbdyno.configure import TrafficShaper, find_shaper, undo_left_shape
from dbdyno.core import Caveat, ConfigureError, HostError, MeasureError, format_duration, is_network_route
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab._bench import RunServer
from dbdyno.lab._client_paths import THIS_MACHINE, ClientPath, client_addresses, client_paths, network_facts
from dbdyno.lab._context import LoadClient
from dbdyno.lab._signals import uninterrupted
from dbdyno.measure import LoadOrder
from dbdyno.store import JsonValue
from dbdyno.study import RouteChoice, Study

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
    """Holds what a machine of the client sees of the way to the server.

    Parameters
    ----------
    plain_ns, shaped_ns : shortest round trip before and after the change
    reply_bits_per_s : of large replies after the change
    client : name of the machine
    """

    plain_ns: int
    shaped_ns: int
    reply_bits_per_s: int
    client: str = THIS_MACHINE

    @property
    def facts(self) -> dict[str, JsonValue]:
        """Return what was read, for the run's telemetry."""
        return {
            "round_trip_ns": self.shaped_ns,
            "round_trip_unshaped_ns": self.plain_ns,
            "reply_bits_per_s": self.reply_bits_per_s,
        }


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
    MeasureError : a load host can't read it
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
        with client_paths(order, server, client) as paths:
            plain_round_trips = [path.round_trip_ns() for path in paths]
            port = server.order_target("")["port"]
            assert isinstance(port, int), "a server of the network has a port"
            commands = shaper.apply(route, port, client_addresses(server, client))
            exit_stack.callback(_undo_shaping, shaper)
            readings = [
                PathReading(plain_ns, *path.read(route.rate_bits_per_s), path.name)
                for path, plain_ns in zip(paths, plain_round_trips, strict=True)
            ]
        facts: dict[str, JsonValue] = {
            "route": route.name,
            "interface": shaper.interface.name,
            "commands": [*commands],
            **_reading_facts(readings),
        }
        network = network_facts(
            order, {reading.client: (reading.shaped_ns, reading.reply_bits_per_s) for reading in readings}
        )
        caveats = [caveat for reading in readings for caveat in judge_path(route, reading)]
        yield AppliedShape({"shaping": facts, "network": network}, tuple(caveats))


def _network_facts(order: LoadOrder, server: RunServer, client: LoadClient) -> Mapping[str, JsonValue]:
    """Return what the machines of the client see of the network to the server."""
    if not is_network_route(order.run.cell.route):
        return _NOTHING
    with client_paths(order, server, client) as paths:
        return {"network": network_facts(order, {path.name: _read_if_possible(path) for path in paths})}


def _read_if_possible(path: ClientPath) -> tuple[int, int] | None:
    """Return round trip and rate; None where a load host can't read them, which no run fails for."""
    try:
        return path.read()
    except MeasureError:
        return None


def _reading_facts(readings: Sequence[PathReading]) -> dict[str, JsonValue]:
    """Return what was read; that of load hosts by their names."""
    if readings[0].client == THIS_MACHINE:
        return readings[0].facts
    return {"hosts": {reading.client: reading.facts for reading in readings}}


def judge_path(route: RouteChoice, reading: PathReading) -> tuple[Caveat, ...]:
    """Hold what was read against what was asked.

    The added round trip may differ by a tenth, or by 0.25 ms where that is more; the rate by 10 % above and 15 % below.

    Raises
    ------
    ConfigureError : the route is not what was asked
    """
    added_ns, client = reading.shaped_ns - reading.plain_ns, reading.client
    what = f"the route '{route.name}' to {client} is not shaped as the study asks"
    remedy = f"check that replies to {client} leave by the interface of the host's address"
    if route.rtt_ns and abs(added_ns - route.rtt_ns) > max(_RTT_SHARE * route.rtt_ns, _RTT_LEAST_NS):
        why = f"{format_duration(added_ns)} of round trip were added, not {format_duration(route.rtt_ns)}"
        raise ConfigureError(what, why, remedy, code="route-delay")
    if route.rate_bits_per_s is None:
        return ()
    share = reading.reply_bits_per_s / route.rate_bits_per_s
    measured_rate = f"{reading.reply_bits_per_s / 1e6:,.4g} Mbit/s"
    requested_rate = f"{route.rate_bits_per_s / 1e6:,.6g} Mbit/s"
    if share > _RATE_ABOVE:
        raise ConfigureError(
            what, f"replies came with {measured_rate}, faster than {requested_rate}", remedy, code="route-rate"
        )
    if share < _RATE_BELOW:
        text = (
            f"one connection of {client} got {measured_rate} of the {requested_rate} of the route '{route.name}': "
            "the network is slower, or one connection sends too little per round trip"
        )
        return (Caveat("shaped-rate", text),)
    return ()


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
