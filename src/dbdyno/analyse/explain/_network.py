"""Splits the time of a cell that reaches its server over a network: round trips, transmission, and the rest.

The client sends a statement when the answer to the last one is there, so each takes a round trip, with any server.
What is sent and received takes its bytes at the rate of the network; where a study shapes that rate, only what is
received does. The rest is server and client; waits behind other connections' bytes are in it, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse.explain._statements import NetworkUse, RunTimes, whole_time_ms
from dbdyno.core import Cell, is_network_route

_HALVINGS = 60


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
    """

    cell: Cell
    total_ms: float
    round_trips: float
    round_trip_ms: float
    transmission_ms: float | None

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
    return [split for split in splits if split is not None]


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
