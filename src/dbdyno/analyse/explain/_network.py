"""Splits the time of a cell that reaches its server over a network: round trips, transmission, and the rest.

The client sends a statement when the answer to the last one is there, so each takes a round trip, with any server.
What is sent and received takes its bytes at the rate of the network; where a study shapes that rate, only what is
received does. The rest is server and client; waits behind other connections' bytes are in it, too.

Server and client take more processor time for the same statements when each of them waits for a network: meanwhile
other work takes their caches, and often their processor. A difference to a route inside the host holds that time as
well, so it is no measure of the network alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dbdyno.analyse.explain._statements import NetworkUse, RunTimes, whole_time_ms
from dbdyno.core import Cell, Route, is_network_route

_HALVINGS = 60
_LOCAL_ROUTES: tuple[Route, ...] = ("loopback", "socket")
_AT_WORK = ("on_cpu", "run_queue")
"""States of the server's session threads whose time the kernel counts."""


@dataclass(frozen=True, slots=True)
class NetworkTime:
    """Holds where the time of a cell goes, as far as the network is concerned: the mean of its runs.

    Parameters
    ----------
    total_ms : of a connection, per committed transaction
    round_trips : statements answered per committed transaction, those of repeated attempts included
    round_trip_ms : of the network alone, as the kernels saw it before the load; of several load hosts the mean over
        the transactions
    transmission_ms : bytes of a transaction at the rate of the network; None where that was not measured
    near : the same cell on a route inside the server's host; None where there is none
    more_work_ms : by how much a transaction's processor time, and waits for a processor, of the server's sessions and
        the load generator exceed those of `near`; None where either is not known
    """

    cell: Cell
    total_ms: float
    round_trips: float
    round_trip_ms: float
    transmission_ms: float | None
    near: Cell | None = None
    more_work_ms: float | None = None

    @property
    def waiting_ms(self) -> float:
        """Return all round trips of a transaction together."""
        return self.round_trips * self.round_trip_ms

    @property
    def rest_ms(self) -> float:
        """Return the time of server and client."""
        return self.total_ms - self.waiting_ms - (self.transmission_ms or 0.0)

    @property
    def network_share(self) -> float:
        """Return the part of the time that the network takes, 0 to 1."""
        return 1 - self.rest_ms / self.total_ms


def network_times(times: Mapping[Cell, Sequence[RunTimes]]) -> list[NetworkTime]:
    """Return the split of every cell over a network of whose runs each has its round trip and its statements."""
    splits = [_cell_network_time(cell, runs) for cell, runs in times.items() if is_network_route(cell.route)]
    return [_with_near(split, times) for split in splits if split is not None]


def _with_near(split: NetworkTime, times: Mapping[Cell, Sequence[RunTimes]]) -> NetworkTime:
    """Add what is known of the same cell inside the host."""
    local_cells = [replace(split.cell, route=route) for route in _LOCAL_ROUTES]
    near = next((cell for cell in local_cells if times.get(cell)), None)
    if near is None:
        return split
    near_ms, far_ms = _work_ms(times[near]), _work_ms(times[split.cell])
    more_ms = None if near_ms is None or far_ms is None else far_ms - near_ms
    return replace(split, near=near, more_work_ms=more_ms)


def _work_ms(runs: Sequence[RunTimes]) -> float | None:
    """Return processor time and waits for a processor of a transaction at both ends, the mean of the runs."""
    works_ms = []
    for run in runs:
        if run.threads is None or run.client_cpu_ms is None or run.client_wait_ms is None or not run.transactions:
            return None
        sessions_ms = 1e3 * run.seconds * sum(run.threads.get(state, 0.0) for state in _AT_WORK)
        works_ms.append((sessions_ms + run.client_cpu_ms + run.client_wait_ms) / run.transactions)
    return _mean(works_ms)


def _cell_network_time(cell: Cell, runs: Sequence[RunTimes]) -> NetworkTime | None:
    totals_ms, round_trips, round_trips_ms, transmissions_ms = [], [], [], []
    for run in runs:
        total_ms = whole_time_ms(run)
        if total_ms is None or run.network is None or not run.statements:
            return None
        totals_ms.append(total_ms)
        round_trips.append(sum(int(times.counts.sum()) for times in run.statements.values()) / run.transactions)
        round_trips_ms.append(_mean_round_trip_ms(run.network, total_ms, round_trips[-1], rests=run.rests))
        if run.network.bits_per_s:
            transmissions_ms.append(8e3 * run.network.bytes_per_transaction / run.network.bits_per_s)
    if not totals_ms:
        return None
    return NetworkTime(
        cell,
        _mean(totals_ms),
        _mean(round_trips),
        _mean(round_trips_ms),
        _mean(transmissions_ms) if len(transmissions_ms) == len(totals_ms) else None,
    )


def _mean_round_trip_ms(network: NetworkUse, total_ms: float, round_trips: float, *, rests: bool) -> float:
    """Return the round trip of a run's transactions on average, where load hosts are at different distances.

    In a closed loop a connection of a near host commits more. All take the same time for the rest, so each host's
    connections commit one transaction in its own round trips and that rest: the one with which all of them together
    take `total_ms`. Where connections rest, each commits as many.
    """
    trips_ms = [(connections, round_trip_ns / 1e6) for connections, round_trip_ns in network.hosts]
    if not trips_ms:
        return network.round_trip_ns / 1e6
    all_connections = sum(connections for connections, _ in trips_ms)
    if rests or not round_trips:
        return sum(connections * trip_ms for connections, trip_ms in trips_ms) / all_connections
    least_ms = round_trips * min(trip_ms for _, trip_ms in trips_ms)
    low_ms, high_ms = -least_ms, total_ms - least_ms
    for _ in range(_HALVINGS):
        rest_ms = (low_ms + high_ms) / 2
        rate = sum(connections / (round_trips * trip_ms + rest_ms) for connections, trip_ms in trips_ms)
        if rate > all_connections / total_ms:
            low_ms = rest_ms
        else:
            high_ms = rest_ms
    return (total_ms - high_ms) / round_trips


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
